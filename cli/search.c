/*
 * search - the verb `search`
 *
 * Opens the index itself and asks it: nothing has to run.  With --batch many
 * questions share one opening.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recall.h"
#include "cli/table.h"
#include "cli/types.h"
#include "common/json.h"
#include "common/when.h"

enum {
	LIMIT_DEFAULT = 10,
	LIMIT_MOST = 1000,
	BATCH_VIEW = 1000,	/* questions asked of one state of the store */
	LINE_BYTES = 1 << 20,
};

struct searching {
	struct cli *cli;
	struct recall *r;
	struct arena arena;
	bool batch;
};

/* ---- asking ---- */

/* The thread's seq; -1 after saying that there is none. */
static int
find_thread(struct searching *s, struct slice name, uint64_t *out,
    struct buf *why)
{
	struct query_thing thing;

	*out = 0;
	if (name.len == 0)
		return 0;
	if (!query_find_thread(&s->r->q, name, &thing)) {
		buf_addf(why, "there is no thread '%.*s' in domain '%.*s'",
		    SLICE_ARG(name), SLICE_ARG(s->r->q.domain));
		return -1;
	}
	*out = thing.thread;
	return 0;
}

static int
ask(struct searching *s, const struct search_query *query,
    struct search_result *result, struct buf *why)
{
	return search_run(s->r->search, &s->r->view.found, query, &s->arena,
	    result, why);
}

static void
put_hit(struct searching *s, struct buf *out, const struct search_hit *hit)
{
	search_hit_json(out, hit, hit->thread == 0 ? SLICE_NONE :
	    query_thread_name(&s->r->q, hit->thread));
}

/* ---- for people ---- */

static const char *
who(const struct search_hit *hit)
{
	return slice_is(hit->role, "assistant") ? "assistant" : "";
}

static void
add_row(struct searching *s, struct table *table,
    const struct search_hit *hit)
{
	struct slice text = hit->text;
	char when[WHEN_TEXT_BYTES];
	struct row row;

	when_format_date(when_day_of(hit->ts), when);
	if (hit->superseded)
		text = arena_printf(&s->arena, "[superseded by %.*s] %.*s",
		    SLICE_ARG(hit->refined_by), SLICE_ARG(text));
	row_begin(&row, &s->arena);
	row_json(&row, "score", arena_printf(&s->arena, "%.3f", hit->score));
	row_text(&row, "kind", hit->type.len > 0 ? hit->type :
	    slice_str(search_kind_name(hit->kind)));
	row_text(&row, "key", hit->key);
	row_text(&row, "date", arena_dup(&s->arena, slice_str(when)));
	row_text(&row, "who", who(hit)[0] != '\0' ? slice_str(who(hit)) :
						    hit->user);
	row_text(&row, "text", text);
	table_add(table, &row);
}

static void
print_hits(struct searching *s, const struct search_result *result)
{
	static const struct table_column columns[] = {
		{ "score", "SCORE", true }, { "kind", "KIND", false },
		{ "key", "KEY", false }, { "date", "DATE", false },
		{ "who", "WHO", false }, { "text", "TEXT", false },
		{ NULL, NULL, false } };
	struct table table;
	struct buf line;
	size_t i;

	if (s->cli->json) {
		buf_init(&line, SIZE_MAX / 4);
		for (i = 0; i < result->n_hits; i++) {
			put_hit(s, &line, &result->hits[i]);
			buf_addc(&line, '\n');
		}
		fwrite(buf_cstr(&line), 1, line.len, stdout);
		buf_release(&line);
		return;
	}
	table_init(&table, s->cli, columns);
	for (i = 0; i < result->n_hits; i++)
		add_row(s, &table, &result->hits[i]);
	table_print(&table);
	table_release(&table);
	if (result->n_hits == 0)
		fprintf(stderr, "nothing found\n");
}

static int
search_once(struct searching *s, struct search_query *query,
    struct slice thread)
{
	struct search_result result;
	struct buf why;
	int rc = 0;

	buf_init(&why, 4096);
	if (find_thread(s, thread, &query->thread, &why) == -1)
		rc = cli_fail(s->cli, "%s", buf_cstr(&why));
	else if (ask(s, query, &result, &why) == -1)
		rc = cli_usage(s->cli, "%s", buf_cstr(&why));
	else {
		print_hits(s, &result);
		recall_say_behind(s->r, result.upto);
		if (result.n_hits == 0 && query->type.len > 0)
			types_say_unknown(s->cli, query->type);
	}
	buf_release(&why);
	return rc;
}

/* ---- many ---- */

/* What is not there is empty. */
static int
read_text(json_t *json, const char *name, struct slice *out, struct buf *why)
{
	json_t *value = json_object_get(json, name);

	*out = slice_of(json_string_value(value), json_string_length(value));
	if (value == NULL || json_is_null(value) || json_is_string(value))
		return 0;
	buf_addf(why, "%s: is not text", name);
	return -1;
}

static int
read_when(json_t *json, const char *name,
    int (*parse)(struct slice text, int64_t *out), int64_t *out,
    struct buf *why)
{
	json_t *value = json_object_get(json, name);

	if (value == NULL || json_is_null(value))
		return 0;
	if (json_is_integer(value)) {
		*out = json_integer_value(value);
		return 0;
	}
	if (json_is_string(value) &&
	    parse(slice_of(json_string_value(value),
		json_string_length(value)), out) == 0)
		return 0;
	buf_addf(why, "%s: not a time", name);
	return -1;
}

/* "turns,artifacts" or ["turns","artifacts"]. */
static int
read_in(json_t *json, unsigned *in, struct buf *why)
{
	json_t *value = json_object_get(json, "in"), *word;
	struct buf list;
	size_t i;
	int rc;

	if (value == NULL || json_is_null(value))
		return 0;
	buf_init(&list, 4096);
	if (json_is_string(value))
		buf_adds(&list, json_string_value(value));
	json_array_foreach(value, i, word) {
		buf_adds(&list, i > 0 ? "," : "");
		buf_adds(&list, json_is_string(word) ?
		    json_string_value(word) : "?");
	}
	rc = search_kinds_parse(buf_slice(&list), in);
	if (rc == -1)
		buf_addf(why, "in: a list of turns, artifacts, threads, "
		    "episodes, skills");
	buf_release(&list);
	return rc;
}

static int
read_limit(json_t *json, uint64_t *limit, struct buf *why)
{
	json_t *value = json_object_get(json, "limit");

	if (value == NULL || json_is_null(value))
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 1 ||
	    json_integer_value(value) > LIMIT_MOST) {
		buf_addf(why, "limit: a number from 1 to %d", LIMIT_MOST);
		return -1;
	}
	*limit = (uint64_t)json_integer_value(value);
	return 0;
}

/* A line's own filters over those of the command line. */
static int
read_line(struct searching *s, json_t *json, struct search_query *query,
    struct slice *thread, struct buf *why)
{
	const struct {
		const char *name;
		struct slice *into;
	} texts[] = {
		{ "query", &query->text }, { "domain", &query->domain },
		{ "user", &query->user }, { "room", &query->room },
		{ "channel", &query->channel }, { "role", &query->role },
		{ "type", &query->type }, { "status", &query->status },
		{ "tag", &query->tag }, { "thread", thread },
	};
	struct slice value;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (read_text(json, texts[i].name, &value, why) == -1)
			return -1;
		if (value.len > 0)
			*texts[i].into = value;
	}
	s->r->q.domain = query->domain;
	if (query->text.len == 0) {
		buf_adds(why, "query: is missing");
		return -1;
	}
	if (read_in(json, &query->in, why) == -1 ||
	    read_limit(json, &query->limit, why) == -1 ||
	    read_when(json, "since", when_parse, &query->since_ms,
		why) == -1 ||
	    read_when(json, "until", options_until, &query->until_ms,
		why) == -1 ||
	    read_when(json, "as_of", options_until, &query->as_of_ms,
		why) == -1)
		return -1;
	return find_thread(s, *thread, &query->thread, why);
}

/* False: the answer is why there is none. */
static bool
put_answer(struct searching *s, json_t *json, struct search_query query,
    struct slice thread, struct buf *out)
{
	json_t *id = json_object_get(json, "id");
	char *text = json_dumps(id != NULL ? id : json_null(),
	    JSON_ENCODE_ANY | JSON_COMPACT);
	struct search_result result;
	struct buf why;
	bool good;
	size_t i;

	buf_init(&why, 4096);
	buf_addf(out, "{\"id\":%s,", text != NULL ? text : "null");
	free(text);
	if (!json_is_object(json))
		buf_adds(&why, "a line is a JSON object");
	good = json_is_object(json) &&
	    read_line(s, json, &query, &thread, &why) == 0 &&
	    ask(s, &query, &result, &why) == 0;
	if (!good) {
		buf_adds(out, "\"error\":");
		json_put_str(out, buf_slice(&why));
	} else {
		buf_adds(out, "\"hits\":[");
		for (i = 0; i < result.n_hits; i++) {
			buf_adds(out, i > 0 ? "," : "");
			put_hit(s, out, &result.hits[i]);
		}
		buf_addc(out, ']');
	}
	buf_adds(out, "}\n");
	buf_release(&why);
	return good;
}

static int
search_batch(struct searching *s, const struct search_query *query,
    struct slice thread)
{
	char *line = NULL;
	size_t room = 0, n = 0;
	ssize_t len;
	struct buf out;
	json_t *json;
	int rc = 0;

	buf_init(&out, SIZE_MAX / 4);
	while ((len = getline(&line, &room, stdin)) != -1) {
		if (len > LINE_BYTES) {
			rc = cli_fail(s->cli, "a line is longer than 1 MiB");
			break;
		}
		if (line[strspn(line, " \t\r\n")] == '\0')
			continue;
		if (++n % BATCH_VIEW == 0)
			recall_renew(s->cli, s->r);
		json = json_loadb(line, (size_t)len, 0, NULL);
		if (!put_answer(s, json, *query, thread, &out))
			rc = 1;
		fwrite(out.ptr, 1, out.len, stdout);
		buf_clear(&out);
		json_decref(json);
		arena_reset(&s->arena);
		arena_reset(&s->r->q.arena);
	}
	fflush(stdout);
	buf_release(&out);
	free(line);
	return rc;
}

/* ---- the verb ---- */

static int
check(const struct searching *s, const struct search_query *query,
    struct slice in, unsigned *kinds, int argc, char **argv)
{
	if (in.len > 0 && search_kinds_parse(in, kinds) == -1)
		return cli_usage(s->cli, "--in: '%.*s' is not a list of "
		    "turns, artifacts, threads, episodes, skills",
		    SLICE_ARG(in));
	if (query->limit < 1 || query->limit > LIMIT_MOST)
		return cli_usage(s->cli, "--limit: from 1 to %d", LIMIT_MOST);
	if (s->batch && argc > 1)
		return cli_usage(s->cli, "--batch reads its queries from "
		    "standard input, '%s' is one too many", argv[1]);
	if (!s->batch && argc == 1)
		return cli_usage(s->cli, "what for? 'skein search \"words to "
		    "find\"'");
	if (!s->batch && argv[1][strspn(argv[1], " \t\r\n")] == '\0')
		return cli_usage(s->cli, "the query is empty: 'skein search "
		    "\"words to find\"'");
	if (!s->batch && argc > 2)
		return cli_usage(s->cli, "one query, please: put '%s %s' "
		    "into quotes", argv[1], argv[2]);
	if (options_one_of(s->cli, "role", query->role,
		"user assistant system tool") != 0)
		return 2;
	return options_one_of(s->cli, "status", query->status,
	    "open resolved failed expired");
}

int
verb_search(struct cli *cli, int argc, char **argv)
{
	struct searching s = { .cli = cli };
	struct search_query query = SEARCH_ALL;
	struct slice in = SLICE_NONE, thread = SLICE_NONE;
	uint64_t after = 0;
	const struct option_spec specs[] = {
		{ "in", OPTION_TEXT, &in, NULL },
		{ "limit", OPTION_NUMBER, &query.limit, NULL },
		{ "since", OPTION_TIME, &query.since_ms, NULL },
		{ "until", OPTION_UNTIL, &query.until_ms, NULL },
		{ "as-of", OPTION_UNTIL, &query.as_of_ms, NULL },
		{ "user", OPTION_TEXT, &query.user, NULL },
		{ "room", OPTION_TEXT, &query.room, NULL },
		{ "thread", OPTION_TEXT, &thread, NULL },
		{ "channel", OPTION_TEXT, &query.channel, NULL },
		{ "role", OPTION_TEXT, &query.role, NULL },
		{ "type", OPTION_TEXT, &query.type, NULL },
		{ "status", OPTION_TEXT, &query.status, NULL },
		{ "tag", OPTION_TEXT, &query.tag, NULL },
		{ "domain", OPTION_TEXT, &query.domain, NULL },
		{ "after", OPTION_NUMBER, &after, NULL },
		{ "batch", OPTION_FLAG, &s.batch, NULL },
		{ "lexical", OPTION_FLAG, &query.lexical, NULL },
		{ 0 } };
	int rc;

	query.limit = LIMIT_DEFAULT;
	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc == 0)
		rc = check(&s, &query, in, &query.in, argc, argv);
	if (rc != 0)
		return rc;
	if (after > 0 && cli_wait_tables(cli, after) == -1)
		return 1;
	arena_init(&s.arena);
	s.r = recall_open(cli, query.domain);
	rc = s.r == NULL;
	if (rc == 0 && s.batch)
		rc = search_batch(&s, &query, thread);
	else if (rc == 0) {
		query.text = slice_str(argv[1]);
		rc = search_once(&s, &query, thread);
	}
	recall_close(cli, &s.r);
	arena_release(&s.arena);
	return rc;
}
