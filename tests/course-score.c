/*
 * course-score - what the course model sees in labelled dialogues, for training
 *
 * usage: course-score DATA < DIALOGUES
 *
 * DATA is the folder of what is shipped ("build/share").  DIALOGUES has JSON
 * lines {"doc","set","turns":[[role, chain, text, pause?]]} as
 * chainer/eval/dialogues.jsonl.  Prints for each turn of a user, but the first
 * of a dialogue and those without claims, one JSON line: doc, set, the course
 * that it took (0: on with the chain at hand, then the other chains, the last:
 * a new one), the terms of each course, the words.  What came before is as the
 * labels have it.
 */
#include <err.h>
#include <jansson.h>
#include <stdlib.h>

#include "chainer/course.h"
#include "chainer/meaning.h"
#include "chainer/weave_impl.h"
#include "classify/describe.h"
#include "common/xmalloc.h"

enum { TURN_MS = 45000 };

struct known {
	struct slice label;
	struct msg_chain chain;
	struct topic topic;
	size_t last;		/* turn */
};

struct talk {
	struct arena arena;
	struct msg_talk classified;
	struct known chains[COURSE_CHAINS];
	size_t n;
	const struct known *at_hand;
	struct msg_c_turn before;
	bool before_assists, closed, asks;
	bool turned;		/* the user's last turn came to this chain */
};

static struct engine *engine;
static struct meaning *meaning;

static struct slice
text_of(const json_t *value)
{
	return slice_of(json_string_value(value), json_string_length(value));
}

static struct known *
chain_labelled(struct talk *t, struct slice label)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (slice_eq(t->chains[i].label, label))
			return &t->chains[i];
	if (t->n == COURSE_CHAINS)
		errx(1, "more chains than the model looks at");
	t->chains[t->n] = (struct known){ .label = label };
	return &t->chains[t->n++];
}

/* The chain at hand, then the others, what was spoken of last first. */
static size_t
in_order(const struct talk *t, const struct known **out)
{
	const struct known *hold;
	size_t i, k;

	for (i = 0; i < t->n; i++) {
		out[i] = &t->chains[i];
		for (k = i; k > 0 && out[k - 1]->last < out[k]->last; k--) {
			hold = out[k];
			out[k] = out[k - 1];
			out[k - 1] = hold;
		}
	}
	return t->n;
}

static void
print_item(const json_t *doc, size_t gold, size_t n,
    const struct course_turn *t, const struct course_chain *chains,
    struct slice text)
{
	uint32_t words[COURSE_WORDS];
	int32_t terms[COURSE_TERMS];
	size_t i, k, n_words = course_words(text, words);
	json_t *out = json_object(), *all = json_array(), *one;

	json_object_set(out, "doc", json_object_get(doc, "doc"));
	json_object_set(out, "set", json_object_get(doc, "set"));
	json_object_set_new(out, "gold", json_integer((json_int_t)gold));
	course_common(t, n, terms);
	for (k = 0; k <= n; k++) {
		course_terms(chains, n, k, terms);
		one = json_array();
		for (i = 0; i < COURSE_TERMS; i++)
			json_array_append_new(one, json_integer(terms[i]));
		json_array_append_new(all, one);
	}
	json_object_set_new(out, "terms", all);
	one = json_array();
	for (i = 0; i < n_words; i++)
		json_array_append_new(one, json_integer(words[i]));
	json_object_set_new(out, "words", one);
	json_dumpf(out, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(out);
}

static void
read_course(struct talk *t, const json_t *doc, const struct msg_c_turn *c,
    struct slice text, struct slice label, bool paused)
{
	const struct known *order[COURSE_CHAINS];
	struct course_chain chains[COURSE_CHAINS];
	struct topic topics[COURSE_CHAINS], topic = course_topic(&t->arena, c);
	struct course_turn turn = { .c = c, .cues = cues_of(&t->arena, text),
		.asked = t->before_assists && weave_is_asking(t->before.act),
		.prompted = t->before_assists && t->asks && !t->closed,
		.closed = t->closed, .turned = t->turned, .paused = paused };
	size_t k, n = in_order(t, order), gold = n;
	struct terms terms;

	topic.sketch = sketch_topic(&t->arena, &topic);
	meaning_read(meaning, course_text(c, text), topic.sketch->gist);
	for (k = 0; k < n; k++) {
		topics[k] = order[k]->topic;
		terms = distance_terms(FORMULA_shipped, &topic, &topics[k], 0);
		chains[k] = (struct course_chain){ (int)terms.keyword,
			(int)terms.entity,
			meaning_near(meaning, &topic, &topics[k]), (int)k };
		if (slice_eq(order[k]->label, label))
			gold = k;
	}
	course_weigh(&turn, &topic, topics, n);
	print_item(doc, gold, n, &turn, chains, text);
}

static void
learn(struct talk *t, struct known *k, const struct msg_c_turn *c)
{
	struct topic topic;
	size_t i;

	for (i = 0; i < c->n_claims; i++) {
		topic = weave_topic(&t->arena, &c->claims[i]);
		if (k->chain.topic.len == 0)
			k->chain.topic = topic.subject;
		(void)chain_learn(&k->chain, &t->arena, &topic, NULL);
	}
	k->topic = chain_topic(&k->chain);
	k->topic.sketch = sketch_topic(&t->arena, &k->topic);
}

static void
read_turn_of(struct talk *t, const json_t *doc, const json_t *json, size_t i)
{
	bool user = slice_is(text_of(json_array_get(json, 0)), "u");
	struct slice role = user ? SLICE("user") : SLICE("assistant");
	struct slice label = text_of(json_array_get(json, 1));
	struct slice text = text_of(json_array_get(json, 2));
	struct act_context context = talk_context(&t->classified, SLICE("u"),
	    role, &t->arena);
	struct msg_c_turn c;
	struct known *k;

	describe_turn(engine, &t->arena, text, &context, TURN_MS * (int64_t)i,
	    0, &c);
	talk_after(&t->classified, SLICE("u"), role, text, &c, &t->arena);
	if (user && i > 0 && c.n_claims > 0)
		read_course(t, doc, &c, text, label,
		    json_array_size(json) > 3);
	k = chain_labelled(t, label);
	if (user)
		t->turned = t->at_hand != k;
	t->at_hand = k;
	k->last = i + 1;
	learn(t, k, &c);
	t->before = c;
	t->before_assists = !user;
	t->asks = course_asks(text);
	t->closed = c.concludes || cues_of(&t->arena, text).closing;
}

static void
read_dialogue(const json_t *doc)
{
	struct talk *t = xcalloc(1, sizeof(*t));
	const json_t *turns = json_object_get(doc, "turns");
	size_t i;

	arena_init(&t->arena);
	for (i = 0; i < json_array_size(turns); i++)
		read_turn_of(t, doc, json_array_get(turns, i), i);
	arena_release(&t->arena);
	free(t);
}

static void
open_data(const char *folder)
{
	struct conf_error wrong;
	struct conf conf;
	struct buf why;
	char *path;

	buf_init(&why, 4096);
	conf_init(&conf, "/nonexistent");
	if (setenv("SKEIN_DATA_DIR", folder, 1) != 0 ||
	    conf_read_env(&conf, &wrong) != 0)
		errx(2, "%s", folder);
	engine = engine_open(&conf, &why);
	path = conf_data_path(&conf, "embed.bin");
	meaning = path == NULL ? NULL : meaning_open(path, &why);
	if (engine == NULL || meaning == NULL)
		errx(1, "%s", buf_cstr(&why));
	free(path);
	buf_release(&why);
	conf_release(&conf);
}

int
main(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0, n = 0;
	ssize_t len;
	json_t *doc;

	if (argc != 2)
		errx(2, "usage: course-score DATA < DIALOGUES");
	open_data(argv[1]);
	while ((len = getline(&line, &room, stdin)) > 0) {
		n++;
		doc = json_loadb(line, (size_t)len, 0, NULL);
		if (doc == NULL)
			errx(1, "line %zu is no JSON", n);
		read_dialogue(doc);
		json_decref(doc);
	}
	free(line);
	meaning_close(&meaning);
	engine_close(&engine);
	return 0;
}
