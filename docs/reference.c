/*
 * reference - the .def files as documents: REFERENCE.md and skein.conf
 *
 * Not part of what runs: `make docs` calls it, and a test sees to it that what
 * is committed is what it prints.
 */
#include <stdio.h>
#include <string.h>

#include "common/conf.h"
#include "common/db.h"
#include "common/msg.h"
#include "common/stage.h"

static const char *const type_names[] = { [TYPE_u64] = "u64",
	[TYPE_i64] = "i64",
	[TYPE_time] = "time",
	[TYPE_bool] = "bool",
	[TYPE_str] = "str",
	[TYPE_bin] = "bin",
	[TYPE_strs] = "strs",
	[TYPE_u64s] = "u64s",
	[TYPE_list] = "list of" };
static const char *const need_names[] = { [NEED_REQ] = "required",
	[NEED_OPT] = "optional",
	[NEED_INT] = "set by skein" };
static const char *const key_names[] = { [KEY_u64] = "u64",
	[KEY_text] = "text",
	[KEY_bytes] = "bytes" };

static void
print_message(const struct msg_spec *spec)
{
	const struct msg_field *f;
	size_t i;

	printf("### %s (%d)\n\n%s.\n\n", spec->name, spec->id, spec->what);
	printf("| tag | field | type | need | what |\n|--:|---|---|---|---|\n");
	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		printf("| %u | %s | %s%s%s | %s | %s |\n", f->tag, f->name,
		    type_names[f->type], f->type == TYPE_list ? " " : "",
		    f->type == TYPE_list ? msg_spec(f->of)->name : "",
		    need_names[f->need], f->what);
	}
	printf("\n");
}

static void
print_markdown(void)
{
	size_t i;

	printf("# Reference\n\nMade by `make docs` from `common/*.def` and "
	       "`store/tables.def`; a test keeps it true.\n\n"
	       "## Settings\n\n"
	       "A setting `x_y` is the line `x_y = value` of `HOME/skein.conf`, "
	       "the variable `SKEIN_X_Y`, and the flag `--x-y=value` of any "
	       "program; the later of these wins.\n\n"
	       "| setting | default | from | to | unit | what |\n"
	       "|---|--:|--:|--:|---|---|\n");
#define NUMBER(name, unit, value, least, most, what)                         \
	printf("| %s | %lld | %lld | %lld | %s | %s |\n", #name,             \
	    (long long)(value), (long long)(least), (long long)(most), #unit, \
	    what);
#define KEYED(name, unit, value, least, most, what)                          \
	printf("| %s, %s.user.NAME, %s.channel.NAME | %lld | %lld | %lld | " \
	       "%s | %s |\n", #name, #name, #name, (long long)(value),       \
	    (long long)(least), (long long)(most), #unit, what);
#define TEXT(name, value, what) \
	printf("| %s | %s | | | | %s |\n", #name, value, what);
#include "common/params.def"

	printf("\n## Tables\n\nAn environment is a folder below `HOME/db`. "
	       "`shared` is the truth; the others follow from it.\n\n"
	       "| table | environment | key | value | owner | digest | what |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (i = 0; i < TABLE_COUNT; i++)
		printf("| %s | %s | %s | %s | %s | %s | %s |\n",
		    table_spec(i)->name, env_name(table_spec(i)->env),
		    key_names[table_spec(i)->key], table_spec(i)->value,
		    table_spec(i)->owner, table_spec(i)->digest ? "yes" : "no",
		    table_spec(i)->what);

	printf("\n## Counters\n\nEvery stage publishes them once a second as "
	       "`STAGE.stats`.\n\n| counter | what |\n|---|---|\n");
#define COUNTER(name, what) printf("| %s | %s |\n", #name, what);
#include "common/counters.def"

	printf("\n## Messages\n\nA record is msgpack `[%d, id, {tag: value}]`. "
	       "Unknown tags are skipped; ids and tags are never used again.\n\n",
	    MSG_PROTOCOL);
	for (i = 0; i < MSG_LIMIT; i++)
		if (msg_spec((unsigned)i) != NULL)
			print_message(msg_spec((unsigned)i));
}

static int
print_conf(void)
{
	struct buf out;
	int rc;

	buf_init(&out, 1 << 20);
	buf_adds(&out, "# skein.conf - every setting with its default\n#\n"
		       "# Copy it to the home (~/.skein/skein.conf) and "
		       "uncomment what you change.\n\n");
	conf_print_defaults(&out);
	fputs(buf_cstr(&out), stdout);
	rc = out.over ? 1 : 0;
	buf_release(&out);
	return rc;
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "markdown") == 0)
		print_markdown();
	else if (argc == 2 && strcmp(argv[1], "conf") == 0)
		return print_conf();
	else {
		fprintf(stderr, "usage: reference markdown | conf\n");
		return 2;
	}
	return 0;
}
