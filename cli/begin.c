/*
 * begin - start a chat from what is known: continue, fork, import, or fresh
 *
 * Shows what is related, takes an answer from --choose or the terminal, and
 * carries it out: a fork and an import are entries.
 */
#include <ctype.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/recall.h"
#include "common/clock.h"
#include "common/json.h"
#include "store/begin.h"

struct asked {
	struct slice domain, user, choose, as;
	int64_t now_ms;
	uint64_t after;
};

/* ---- carrying it out ---- */

/* "payment-integration-3f9a": readable, and nobody else's. */
static struct slice
new_thread_id(struct arena *arena, struct slice intent)
{
	enum { SLUG_BYTES = 40, RANDOM_BYTES = 3 };
	unsigned char random[RANDOM_BYTES];
	char hex[2 * RANDOM_BYTES + 1];
	struct slice id;
	struct buf b;
	size_t i;

	randombytes_buf(random, sizeof(random));
	sodium_bin2hex(hex, sizeof(hex), random, sizeof(random));
	buf_init(&b, 2 * SLUG_BYTES);
	for (i = 0; i < intent.len && b.len < SLUG_BYTES; i++)
		if (isalnum((unsigned char)intent.ptr[i]))
			buf_addc(&b, (char)tolower(
			    (unsigned char)intent.ptr[i]));
		else if (b.len > 0 && b.ptr[b.len - 1] != '-')
			buf_addc(&b, '-');
	buf_addf(&b, "%s%s", b.len > 0 && b.ptr[b.len - 1] != '-' ? "-" : "",
	    hex);
	id = arena_dup(arena, buf_slice(&b));
	buf_release(&b);
	return id;
}

static int
fork_thread(struct command *c, uint64_t thread, struct slice as)
{
	c->option = "fork";
	command_type(c, "fork");
	command_put(c, "thread", arena_printf(&c->arena, "t%llu",
	    (unsigned long long)thread));
	if (as.len > 0)
		command_put(c, "as", as);
	return command_run(c);
}

static int
import(struct command *c, const struct begin *b,
    const struct begin_choice *choice, struct slice as)
{
	struct slice keys[BEGIN_ARTIFACTS];
	struct msg_strs list = { keys, 0 };
	size_t i;

	for (i = 0; i < b->n_artifacts; i++)
		if (choice->chosen[i])
			keys[list.count++] = b->artifacts[i].key;
	if (list.count == 0)
		return cli_fail(c->cli, "no artifact is selected: answer 4 to "
		    "start fresh");
	c->option = "with";
	c->thread = as;
	command_type(c, "attach");
	command_put(c, "thread", as);
	command_put_list(c, "artifacts", &list);
	return command_run(c);
}

static void
say_thread(const struct cli *cli, const char *option, struct slice thread)
{
	struct buf out;

	buf_init(&out, SIZE_MAX / 4);
	if (cli->json) {
		buf_addf(&out, "{\"option\":\"%s\",\"thread\":", option);
		json_put_str(&out, thread);
		buf_adds(&out, "}\n");
	} else {
		buf_addf(&out, "%.*s\n", SLICE_ARG(thread));
	}
	fwrite(out.ptr, 1, out.len, stdout);
	buf_release(&out);
}

static int
carry_out(struct cli *cli, const struct asked *a, const struct begin *b,
    const struct begin_choice *choice, struct slice intent)
{
	struct command c;
	struct slice as;
	int rc = 0;

	command_begin(&c, cli);
	c.domain = a->domain;
	c.user = a->user;
	as = a->as.len > 0 ? a->as : new_thread_id(&c.arena, intent);
	switch (choice->option) {
	case BEGIN_CONTINUE:
		say_thread(cli, "continue", arena_printf(&c.arena, "t%llu",
		    (unsigned long long)choice->thread));
		break;
	case BEGIN_FORK:
		rc = fork_thread(&c, choice->thread, a->as);
		break;
	case BEGIN_WITH:
		rc = import(&c, b, choice, as);
		break;
	case BEGIN_FRESH:
		say_thread(cli, "fresh", as);
		break;
	}
	command_end(&c);
	return rc;
}

/* ---- asking ---- */

/* Answers until one is understood; the end of input is 4. */
static int
ask(const struct cli *cli, const struct begin *b, struct begin_choice *choice)
{
	struct buf why;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int rc = -1;

	(void)cli;
	buf_init(&why, 4096);
	while (rc == -1) {
		fputs("> ", stdout);
		fflush(stdout);
		len = getline(&line, &room, stdin);
		while (len > 0 && isspace((unsigned char)line[len - 1]))
			len--;
		buf_clear(&why);
		rc = begin_choose(b, len > 0 ? slice_of(line, (size_t)len) :
		    SLICE("4"), choice, &why);
		if (rc == -1)
			printf("%s\n", buf_cstr(&why));
	}
	free(line);
	buf_release(&why);
	return 0;
}

static int
choose(struct cli *cli, const struct asked *a, const struct begin *b,
    struct slice intent)
{
	struct begin_choice choice;
	struct buf why;
	int rc = 0;

	if (a->choose.len == 0 && (cli->json || !isatty(STDIN_FILENO)))
		return 0;
	buf_init(&why, 4096);
	if (a->choose.len == 0)
		rc = ask(cli, b, &choice);
	else if (begin_choose(b, a->choose, &choice, &why) == -1)
		rc = cli_fail(cli, "--choose: %s", buf_cstr(&why));
	buf_release(&why);
	return rc != 0 ? rc : carry_out(cli, a, b, &choice, intent);
}

static int
begin(struct cli *cli, const struct asked *a, struct slice intent)
{
	struct recall *r = recall_open(cli, a->domain);
	struct arena arena;
	struct begin b;
	struct buf out;
	int rc = 0;

	if (r == NULL)
		return 1;
	arena_init(&arena);
	buf_init(&out, SIZE_MAX / 4);
	if (begin_find(&r->view, a->domain, a->user, intent, a->now_ms, &arena,
		&b, &out) == -1)
		rc = cli_fail(cli, "%s", buf_cstr(&out));
	else if (a->choose.len == 0 || !cli->json)
		(cli->json ? begin_json : begin_print)(&out, &b);
	if (rc == 0) {
		fwrite(buf_cstr(&out), 1, out.len, stdout);
		rc = choose(cli, a, &b, intent);
	}
	buf_release(&out);
	recall_close(cli, &r);
	arena_release(&arena);
	return rc;
}

int
verb_begin(struct cli *cli, int argc, char **argv)
{
	struct asked a = { .domain = SLICE("default"), .now_ms = wall_ms() };
	const struct option_spec specs[] = {
		{ "domain", OPTION_TEXT, &a.domain, NULL },
		{ "user", OPTION_TEXT, &a.user, NULL },
		{ "choose", OPTION_TEXT, &a.choose, NULL },
		{ "as", OPTION_TEXT, &a.as, NULL },
		{ "now", OPTION_TIME, &a.now_ms, NULL },
		{ "after", OPTION_NUMBER, &a.after, NULL },
		{ 0 } };
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc != 2 || argv[1][strspn(argv[1], " \t\r\n")] == '\0')
		return cli_usage(cli, "what do you want to do? 'skein begin "
		    "\"work on the payment integration\"'");
	if (sodium_init() == -1)
		return cli_fail(cli, "libsodium cannot start");
	if (a.after > 0 && cli_wait_tables(cli, a.after) == -1)
		return 1;
	return begin(cli, &a, slice_str(argv[1]));
}
