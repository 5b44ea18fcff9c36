/*
 * context - the bounded working memory for a thread, an effort, a question
 *
 * The answer is printed first; then, without waiting for it, ingest is told
 * which artifacts were handed out.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recall.h"
#include "common/clock.h"

struct asked {
	struct slice domain, thread, effort, query, user, room, format;
	uint64_t budget, after;
	int64_t now_ms;
	bool no_used;
};

static int
find_thread(const struct cli *cli, struct recall *r, const struct asked *a,
    struct context_ask *ask)
{
	struct query_thing thing;

	if (a->thread.len == 0)
		return 0;
	if (!query_find_thread(&r->q, a->thread, &thing))
		return cli_fail(cli, "there is no thread '%.*s' in domain "
		    "%.*s: 'skein threads' lists them", SLICE_ARG(a->thread),
		    SLICE_ARG(a->domain));
	ask->thread = thing.thread;
	return 0;
}

/* An empty answer says why on the side: the model gets it as it is. */
static void
say_empty(const struct cli *cli, const struct asked *a,
    const struct context *context)
{
	if (context->text.len > 0)
		return;
	if (context->n_parts > 0)
		fprintf(stderr, "skein %s: nothing fits into %llu tokens\n",
		    cli->verb, (unsigned long long)a->budget);
	else if (a->query.len > 0)
		fprintf(stderr, "skein %s: nothing was found\n", cli->verb);
	else if (a->user.len > 0 && a->room.len == 0)
		fprintf(stderr, "skein %s: nothing is known of user '%.*s' "
		    "outside rooms; --room, --thread or --query look "
		    "elsewhere\n", cli->verb, SLICE_ARG(a->user));
	else
		fprintf(stderr, "skein %s: nothing is known\n", cli->verb);
}

static int
make(const struct cli *cli, struct recall *r, const struct asked *a,
    enum context_format format, struct arena *arena, struct msg_strs *used)
{
	struct context_ask ask = { .domain = a->domain, .effort = a->effort,
		.query = a->query, .user = a->user, .room = a->room,
		.budget = a->budget, .now_ms = a->now_ms };
	struct context context;
	struct buf out;
	int rc;

	rc = find_thread(cli, r, a, &ask);
	if (rc != 0)
		return rc;
	buf_init(&out, SIZE_MAX / 4);
	if (context_make(&r->view, &ask, arena, &context, &out) == -1) {
		rc = context.misnamed ?
		    cli_usage(cli, "%s", buf_cstr(&out)) :
		    cli_fail(cli, "%s", buf_cstr(&out));
	} else {
		context_print(&out, &context, format);
		fwrite(out.ptr, 1, out.len, stdout);
		say_empty(cli, a, &context);
		if (context.text.len == 0)
			recall_say_behind(r, context.upto);
		*used = context_used(&context);
	}
	buf_release(&out);
	return fflush(stdout) == EOF ? 1 : rc;
}

static int
answer(const struct cli *cli, const struct asked *a,
    enum context_format format)
{
	struct msg_strs used = { NULL, 0 };
	struct arena arena;
	struct recall *r;
	int rc;

	if (a->after > 0 && cli_wait_tables(cli, a->after) == -1)
		return 1;
	r = recall_open(cli, a->domain);
	if (r == NULL)
		return 1;
	arena_init(&arena);
	rc = make(cli, r, a, format, &arena, &used);
	/* Keys may point into the store: they are told before it is closed. */
	if (rc == 0 && !a->no_used)
		recall_used(cli, a->domain, &used);
	recall_close(cli, &r);
	arena_release(&arena);
	return rc;
}

int
verb_context(struct cli *cli, int argc, char **argv)
{
	struct asked a = { .domain = SLICE("default"),
		.format = cli->json ? SLICE("json") : SLICE("text"),
		.budget = (uint64_t)cli->conf.context_budget };
	const struct option_spec specs[] = {
		{ "domain", OPTION_TEXT, &a.domain, NULL },
		{ "thread", OPTION_TEXT, &a.thread, NULL },
		{ "effort", OPTION_TEXT, &a.effort, NULL },
		{ "query", OPTION_TEXT, &a.query, NULL },
		{ "user", OPTION_TEXT, &a.user, NULL },
		{ "room", OPTION_TEXT, &a.room, NULL },
		{ "format", OPTION_TEXT, &a.format, NULL },
		{ "budget", OPTION_NUMBER, &a.budget, NULL },
		{ "after", OPTION_NUMBER, &a.after, NULL },
		{ "now", OPTION_TIME, &a.now_ms, NULL },
		{ "no-used", OPTION_FLAG, &a.no_used, NULL },
		{ 0 } };
	enum context_format format;
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc > 1)
		return cli_usage(cli, "'%s' is not understood: 'skein context "
		    "--thread T | --effort E | --query Q | --user U'", argv[1]);
	if (context_format_named(a.format, &format) == -1)
		return cli_usage(cli, "--format: '%.*s' is not one of text, "
		    "json, anthropic, openai", SLICE_ARG(a.format));
	if (a.thread.len + a.effort.len + a.query.len + a.user.len +
		a.room.len == 0)
		a.user = SLICE("default");
	/* Who comes back has said nothing yet: no entry tells the time. */
	if (a.thread.len + a.effort.len + a.query.len == 0 && a.now_ms == 0)
		a.now_ms = wall_ms();
	return answer(cli, &a, format);
}
