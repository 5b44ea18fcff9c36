/*
 * reply-score - antecedents for a stream of messages, for measuring
 *
 * usage: reply-score [-a | -w | -n COUNT] WEIGHTS < STREAM
 *        reply-score -f OUT [-l LINKS] < STREAM
 *
 * STREAM has JSON lines {"doc","id","ts","speaker","text","system","eval"}.
 * Prints {"doc","id","parent"} for those with eval, -a for all; -w adds why.
 * -n does it all COUNT times over and prints the processor time a message takes
 * instead.  -f writes what the choice looks at into OUT, for training: for each
 * candidate of each message with eval the number of its document, the ids of
 * message and candidate (the same for "new") as int32, then its features as
 * int16.  The conversations of LINKS, lines as printed here, are then what was
 * decided before.
 */
#include <err.h>
#include <time.h>
#include <unistd.h>

#include "chainer/reply.h"
#include "common/when.h"
#include "common/xmalloc.h"
#include "tests/json-text.h"

struct line {
	json_t *json;		/* owns the texts */
	struct slice doc, speaker, text;
	int64_t ts_ms;
	int id, parent;
	bool notice, eval;
};

struct lines {
	struct line *list;
	size_t count, room;
};

/* A document under way: its last messages and their ids. */
struct room {
	struct reply_message window[2 * REPLY_WINDOW];
	int id[2 * REPLY_WINDOW];
	size_t n;
	int doc;
};

/*
 * "=== name has joined": what a server says, no speech.  "=== name nods" is
 * somebody's, as an action.
 */
static bool
is_notice(struct slice text)
{
	static const char *const signs[] = { " has joined #", " has left #",
	    " has quit ", " is now known as ", " entered the room", " left the room",
	    " mode (", "=== mode", "=== Topic", "=== #", " sets mode", " [#",
	    "@", " changed the topic" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (memmem(text.ptr, text.len, signs[i], strlen(signs[i])))
			return true;
	return false;
}

static void
line_set(struct line *l, json_t *json)
{
	struct slice when = text_of(json, "ts");

	*l = (struct line){ .json = json, .doc = text_of(json, "doc"),
		.speaker = text_of(json, "speaker"),
		.text = text_of(json, "text"),
		.id = (int)json_integer_value(json_object_get(json, "id")),
		.eval = json_is_true(json_object_get(json, "eval")) };
	l->parent = l->id;
	if (json_is_true(json_object_get(json, "system"))) {
		size_t skip = 5 + l->speaker.len;

		l->notice = is_notice(l->text);
		if (!l->notice && l->text.len > skip)
			l->text = slice_of(l->text.ptr + skip,
			    l->text.len - skip);
	}
	if (when_parse(when, &l->ts_ms) < 0)
		errx(1, "id %d: no time", l->id);
}

static void
lines_read(struct lines *all, FILE *in)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, in)) > 0) {
		json_error_t error;
		json_t *json = json_loadb(line, (size_t)len, 0, &error);

		if (json == NULL)
			errx(1, "line %zu: %s", all->count + 1, error.text);
		if (all->count == all->room) {
			all->room = all->room * 2 + 64;
			all->list = xrealloc(all->list,
			    all->room * sizeof(*all->list));
		}
		line_set(&all->list[all->count++], json);
	}
	free(line);
}

/* Links in the order of the stream; those of others are passed over. */
static void
links_read(struct lines *all, const char *path)
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t room = 0, at = 0;
	ssize_t len;

	if (in == NULL)
		err(1, "%s", path);
	while ((len = getline(&line, &room, in)) > 0) {
		json_t *json = json_loadb(line, (size_t)len, 0, NULL);
		struct slice doc = text_of(json, "doc");
		int id = (int)json_integer_value(json_object_get(json, "id"));

		while (at < all->count && (all->list[at].id != id ||
		    !slice_eq(all->list[at].doc, doc)))
			at++;
		if (at == all->count)
			errx(1, "%s: id %d not in the stream's order", path, id);
		all->list[at].parent = (int)json_integer_value(
		    json_object_get(json, "parent"));
		json_decref(json);
	}
	free(line);
	fclose(in);
}

static void
lines_free(struct lines *all)
{
	for (size_t i = 0; i < all->count; i++)
		json_decref(all->list[i].json);
	free(all->list);
}

/* Room for one more; a document of its own begins an empty window. */
static void
room_enter(struct room *r, const struct lines *all, size_t i)
{
	if (i == 0 || !slice_eq(all->list[i].doc, all->list[i - 1].doc)) {
		r->n = 0;
		r->doc++;
	}
	if (r->n == 2 * REPLY_WINDOW) {
		r->n = REPLY_WINDOW;
		memcpy(r->window, r->window + r->n, r->n * sizeof(r->window[0]));
		memcpy(r->id, r->id + r->n, r->n * sizeof(r->id[0]));
	}
}

static void
room_add(struct room *r, struct reply_message *m, int id, int antecedent)
{
	struct reply_verdict v = { .antecedent = antecedent };

	reply_settle(m, r->window, &v);
	m->chain = antecedent < 0 ? (uint64_t)id + 1 :
	    r->window[antecedent].chain;
	r->window[r->n] = *m;
	r->id[r->n++] = id;
}

static void
write_features(const struct lines *all, const char *path)
{
	struct room *r = xcalloc(1, sizeof(*r));
	FILE *out = fopen(path, "w");
	struct arena scratch;

	if (out == NULL)
		err(1, "%s", path);
	arena_init(&scratch);
	for (size_t i = 0; i < all->count; i++) {
		const struct line *l = &all->list[i];
		int16_t rows[REPLY_CANDIDATES][REPLY_FEATURES];
		int index[REPLY_CANDIDATES], chosen = -1;
		struct reply_message now;
		size_t count;

		room_enter(r, all, i);
		if (l->notice)
			continue;
		reply_read(&now, &scratch, l->speaker, l->ts_ms, l->text,
		    r->window, r->n);
		count = reply_features(r->window, r->n, &now, rows, index);
		for (size_t c = 0; l->eval && c < count; c++) {
			int32_t ids[3] = { r->doc, l->id,
			    index[c] < 0 ? l->id : r->id[index[c]] };

			fwrite(ids, sizeof(ids), 1, out);
			fwrite(rows[c], sizeof(rows[c]), 1, out);
		}
		for (size_t j = r->n; l->parent != l->id && j-- > 0; )
			if (r->id[j] == l->parent) {
				chosen = (int)j;
				break;
			}
		room_add(r, &now, l->id, chosen);
		arena_reset(&scratch);
	}
	if (fclose(out) != 0)
		err(1, "%s", path);
	arena_release(&scratch);
	free(r);
}

/* All antecedents; `print` 0 nothing, 1 links, 2 links and why. */
static void
choose_all(const struct reply_model *model, const struct lines *all,
    int print)
{
	struct room *r = xcalloc(1, sizeof(*r));
	struct arena scratch;
	struct buf why;

	arena_init(&scratch);
	buf_init(&why, 1 << 16);
	for (size_t i = 0; i < all->count; i++) {
		const struct line *l = &all->list[i];
		struct reply_verdict v = { .antecedent = -1 };
		struct reply_message now;
		int parent = l->id;

		room_enter(r, all, i);
		if (!l->notice) {
			reply_read(&now, &scratch, l->speaker, l->ts_ms,
			    l->text, r->window, r->n);
			reply_choose(model, r->window, r->n, &now, &v);
			if (v.antecedent >= 0)
				parent = r->id[v.antecedent];
			buf_clear(&why);
			if (print == 2)
				reply_explain(model, r->window, r->n, &now, &v,
				    &why);
			room_add(r, &now, l->id, v.antecedent);
			arena_reset(&scratch);
		}
		if (print > 0 && (l->eval || print == 3))
			printf("{\"doc\":\"%.*s\",\"id\":%d,\"parent\":%d}%s%s\n",
			    SLICE_ARG(l->doc), l->id, parent,
			    why.len > 0 ? "\t" : "", buf_cstr(&why));
	}
	buf_release(&why);
	arena_release(&scratch);
	free(r);
}

static void
print_time(const struct reply_model *model, const struct lines *all,
    long times)
{
	struct timespec from, to;
	double us;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (long n = 0; n < times; n++)
		choose_all(model, all, 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	us = (double)(to.tv_sec - from.tv_sec) * 1e6 +
	    (double)(to.tv_nsec - from.tv_nsec) / 1e3;
	printf("%.2f us a message, %zu messages\n",
	    us / (double)times / (double)all->count, all->count);
}

static void
usage(void)
{
	fputs("usage: reply-score [-a | -w | -n COUNT] WEIGHTS < STREAM\n"
	    "       reply-score -f OUT [-l LINKS] < STREAM\n", stderr);
	exit(2);
}

int
main(int argc, char **argv)
{
	const char *features = NULL, *links = NULL;
	struct reply_model *model;
	struct lines all = { 0 };
	int opt, print = 1;
	long times = 0;
	struct buf why;

	while ((opt = getopt(argc, argv, "af:l:n:w")) != -1)
		switch (opt) {
		case 'a': print = 3; break;
		case 'f': features = optarg; break;
		case 'l': links = optarg; break;
		case 'n': times = strtol(optarg, NULL, 10); break;
		case 'w': print = 2; break;
		default: usage();
		}
	if (argc - optind != (features == NULL))
		usage();
	lines_read(&all, stdin);
	if (links != NULL)
		links_read(&all, links);
	if (features != NULL) {
		write_features(&all, features);
		lines_free(&all);
		return 0;
	}
	buf_init(&why, 1 << 12);
	model = reply_model_open(argv[optind], &why);
	if (model == NULL)
		errx(1, "%s", buf_cstr(&why));
	if (times > 0)
		print_time(model, &all, times);
	else
		choose_all(model, &all, print);
	reply_model_close(&model);
	buf_release(&why);
	lines_free(&all);
	return 0;
}
