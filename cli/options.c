/*
 * options - a verb's options, declared in a table
 */
#include "cli/options.h"

#include <stdio.h>

#include "cli/cli.h"
#include "common/when.h"

int
options_number(const struct cli *cli, const char *name, const char *value,
    uint64_t *out)
{
	struct slice digits = slice_str(value);

	if (digits.len > 0 && slice_digits(digits, 0, out) == digits.len)
		return 0;
	return cli_usage(cli, "--%s: '%s' is not a whole number", name, value);
}

int
options_until(struct slice text, int64_t *out)
{
	enum { DATE_BYTES = 10 };	/* "2025-11-05" */

	if (when_parse(text, out) == -1)
		return -1;
	if (text.len == DATE_BYTES)
		*out += WHEN_DAY_MS - 1;
	return 0;
}

static int
read_time(const struct cli *cli, const char *name, const char *value,
    bool until, int64_t *out)
{
	struct slice text = slice_str(value);
	uint64_t ms;

	if (text.len > 0 && slice_digits(text, 0, &ms) == text.len) {
		*out = (int64_t)ms;
		return 0;
	}
	if ((until ? options_until : when_parse)(text, out) == 0)
		return 0;
	return cli_usage(cli, "--%s: '%s' is not a time: write "
	    "2025-11-05T10:00:00Z, 2025-11-05, or milliseconds since 1970",
	    name, value);
}

static const struct option_spec *
find(const struct option_spec *specs, struct slice name)
{
	for (; specs->kind != OPTION_END; specs++)
		if (slice_is(name, specs->name))
			return specs;
	return NULL;
}

static int
no_option(const struct cli *cli, const struct option_spec *specs,
    const char *given)
{
	struct buf list;

	buf_init(&list, 4096);
	for (; specs->kind != OPTION_END; specs++)
		buf_addf(&list, " --%s", specs->name);
	cli_usage(cli, "%s is no option of this verb; it takes%s --json",
	    given, buf_cstr(&list));
	buf_release(&list);
	return 2;
}

/* For `skein VERB --help`: every option with what it takes. */
static void
list_options(const struct option_spec *specs)
{
	static const char *const takes[] = { [OPTION_FLAG] = "",
		[OPTION_TEXT] = " TEXT", [OPTION_NUMBER] = " NUMBER",
		[OPTION_TIME] = " TIME", [OPTION_UNTIL] = " TIME" };

	printf("options:\n");
	for (; specs->kind != OPTION_END; specs++)
		printf("  --%s%s\n", specs->name, takes[specs->kind]);
	printf("  --json\n");
}

static int
set(const struct cli *cli, const struct option_spec *spec, const char *value)
{
	if (spec->given != NULL)
		*spec->given = true;
	switch (spec->kind) {
	case OPTION_FLAG:
		*(bool *)spec->into = true;
		return 0;
	case OPTION_TEXT:
		if (value[0] == '\0')
			return cli_usage(cli, "--%s: is empty", spec->name);
		*(struct slice *)spec->into = slice_str(value);
		return 0;
	case OPTION_NUMBER:
		return options_number(cli, spec->name, value, spec->into);
	case OPTION_TIME:
	case OPTION_UNTIL:
		return read_time(cli, spec->name, value,
		    spec->kind == OPTION_UNTIL, spec->into);
	case OPTION_END:
		break;
	}
	return 0;
}

/* One option at argv[*at], which moves over what it took. */
static int
read_one(const struct cli *cli, const struct option_spec *specs, int argc,
    char **argv, int *at)
{
	const char *name = argv[*at] + 2, *value = strchr(name, '=');
	const struct option_spec *spec;
	struct slice word = slice_str(name);

	if (value != NULL)
		word.len = (size_t)(value++ - name);
	spec = find(specs, word);
	if (spec == NULL)
		return no_option(cli, specs, argv[*at]);
	if (spec->kind == OPTION_FLAG) {
		if (value != NULL)
			return cli_usage(cli, "--%s takes no value",
			    spec->name);
	} else if (value == NULL) {
		if (*at + 1 >= argc)
			return cli_usage(cli, "--%s needs a value",
			    spec->name);
		value = argv[++*at];
	}
	return set(cli, spec, value);
}

int
options_read(const struct cli *cli, const struct option_spec *specs,
    int free_operands, int *argc, char **argv)
{
	int i, rc, kept = 1;

	if (cli->help) {
		list_options(specs);
		return 2;
	}
	for (i = 1; i < *argc && kept <= free_operands; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (strncmp(argv[i], "--", 2) != 0) {
			if (argv[i][0] == '-' && argv[i][1] != '\0')
				return no_option(cli, specs, argv[i]);
			argv[kept++] = argv[i];
			continue;
		}
		rc = read_one(cli, specs, *argc, argv, &i);
		if (rc != 0)
			return rc;
	}
	while (i < *argc)
		argv[kept++] = argv[i++];
	argv[kept] = NULL;
	*argc = kept;
	return 0;
}

int
options_one_of(const struct cli *cli, const char *name, struct slice value,
    const char *words)
{
	const char *word = words;
	size_t len;

	if (value.len == 0)
		return 0;
	for (;; word += len + 1) {
		len = strcspn(word, " ");
		if (slice_eq(value, slice_of(word, len)))
			return 0;
		if (word[len] == '\0')
			break;
	}
	return cli_usage(cli, "--%s: '%.*s' is none of: %s", name,
	    SLICE_ARG(value), words);
}
