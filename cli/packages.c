/*
 * packages - the verb `packages`: which types of artifacts there are
 *
 *	packages                  the packages, also those that were refused
 *	packages check FILE...    whether files would be taken
 *	packages suggest          drafts for what recurs and nobody keeps
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/table.h"
#include "common/log.h"
#include "compactor/package.h"
#include "compactor/suggest.h"
#include "store/query.h"

enum {
	FILE_MAX = 1 << 20,
	VIEW_ENTRIES = 10000,	/* then the reading transaction is renewed */
	SUGGEST_LEAST = 3,
	SUGGEST_MOST = 5,
};

/* ---- the list ---- */

static struct slice
fields_of(struct arena *arena, const struct package *p)
{
	struct slice s;
	struct buf b;

	buf_init(&b, SIZE_MAX / 4);
	for (size_t i = 0; i < p->n_fields; i++)
		buf_addf(&b, "%s%.*s%s", i > 0 ? " " : "",
		    SLICE_ARG(p->fields[i].name),
		    p->fields[i].required ? "*" : "");
	s = arena_dup(arena, buf_slice(&b));
	buf_release(&b);
	return s;
}

static void
add_fields(struct row *row, struct arena *arena, const struct package *p)
{
	struct row field;
	struct buf b;

	buf_init(&b, SIZE_MAX / 4);
	buf_addc(&b, '[');
	for (size_t i = 0; i < p->n_fields; i++) {
		const struct package_field *f = &p->fields[i];

		buf_adds(&b, i > 0 ? "," : "");
		row_begin(&field, arena);
		row_text(&field, "name", f->name);
		row_text(&field, "type", slice_str(package_type_name(f->type)));
		row_bool(&field, "required", f->required);
		row_to_json(&b, &field);
	}
	buf_addc(&b, ']');
	row_json(row, "schema", arena_dup(arena, buf_slice(&b)));
	buf_release(&b);
}

static void
package_row(struct row *row, struct arena *arena, const struct package *p,
    bool json)
{
	row_begin(row, arena);
	row_text(row, "name", p->name);
	row_maybe(row, "version", p->version);
	row_text(row, "state", SLICE("loaded"));
	row_text(row, "life", slice_str(package_life_name(p->life)));
	row_text(row, "from", p->shipped ? SLICE("shipped") : SLICE("home"));
	row_text(row, "file", p->file);
	row_number(row, "triggers", p->n_triggers);
	if (json)
		add_fields(row, arena, p);
	else
		row_text(row, "fields", fields_of(arena, p));
	row_maybe(row, "filter", p->filter);
	row_maybe(row, "about", p->about);
}

/* "broken.package:6: reason": which folder it is in, FROM says. */
static struct slice
without_folder(struct slice why)
{
	const char *colon = memchr(why.ptr, ':', why.len);
	const char *slash = colon == NULL ? NULL :
	    memrchr(why.ptr, '/', (size_t)(colon - why.ptr));
	size_t from = slash == NULL ? 0 : (size_t)(slash - why.ptr) + 1;

	return slice_of(why.ptr + from, why.len - from);
}

static void
refused_row(struct row *row, struct arena *arena,
    const struct package_refused *r, bool json)
{
	row_begin(row, arena);
	row_text(row, "name", r->name);
	row_text(row, "state", SLICE("refused"));
	row_text(row, json ? "reason" : "fields", json ? r->why :
	    without_folder(r->why));
}

struct output {
	struct cli *cli;
	struct table table;
	struct buf line;
};

static void
put(struct output *o, const struct row *row)
{
	if (!o->cli->json) {
		table_add(&o->table, row);
		return;
	}
	buf_clear(&o->line);
	row_to_json(&o->line, row);
	printf("%s\n", buf_cstr(&o->line));
}

/* Refused ones are in the list: they need not be said twice. */
static struct packages *
open_packages(const struct cli *cli)
{
	struct packages *set;
	struct buf why;

	buf_init(&why, 4096);
	set = packages_open(&cli->conf, &why);
	if (set == NULL)
		cli_fail(cli, "%s", buf_cstr(&why));
	buf_release(&why);
	return set;
}

static int
list(struct cli *cli)
{
	static const struct table_column columns[] = { { "name", "NAME", false },
		{ "version", "VERSION", true }, { "state", "STATE", false },
		{ "life", "LIFE", false }, { "from", "FROM", false },
		{ "fields", "FIELDS", false }, { NULL, NULL, false } };
	struct output o = { .cli = cli };
	struct packages *set = open_packages(cli);
	struct arena arena;
	struct row row;

	if (set == NULL)
		return 1;
	arena_init(&arena);
	buf_init(&o.line, SIZE_MAX / 4);
	table_init(&o.table, cli, columns);
	for (size_t i = 0; i < packages_count(set); i++) {
		package_row(&row, &arena, packages_at(set, i), cli->json);
		put(&o, &row);
	}
	for (size_t i = 0; i < packages_refused(set); i++) {
		refused_row(&row, &arena, packages_refused_at(set, i),
		    cli->json);
		put(&o, &row);
	}
	table_print(&o.table);
	table_release(&o.table);
	buf_release(&o.line);
	arena_release(&arena);
	packages_close(&set);
	return 0;
}

/* ---- check ---- */

static int
read_file(const struct cli *cli, const char *path, struct buf *out)
{
	int rc = strcmp(path, "-") == 0 ? buf_read(out, STDIN_FILENO) :
					  buf_read_file(out, path);

	if (rc == -1)
		cli_fail(cli, "%s: %s", path, strerror(errno));
	return rc;
}

static int
check_file(struct cli *cli, const char *path)
{
	struct package_source source = { .name = slice_str(path) };
	struct packages *set;
	struct buf text;
	int rc = 1;

	buf_init(&text, FILE_MAX);
	if (read_file(cli, path, &text) < 0) {
		buf_release(&text);
		return 1;
	}
	source.text = buf_slice(&text);
	set = packages_parse(&source, 1);
	if (packages_refused(set) > 0)
		cli_fail(cli, "%.*s",
		    SLICE_ARG(packages_refused_at(set, 0)->why));
	else if (packages_count(set) == 0)
		printf("%s: empty: it takes a shipped package of that name "
		       "away\n", path);
	else
		printf("%s: package %.*s is good; 'skein restart compactor' "
		       "takes it up\n", path,
		    SLICE_ARG(packages_at(set, 0)->name));
	rc = packages_refused(set) > 0;
	packages_close(&set);
	buf_release(&text);
	return rc;
}

static int
check(struct cli *cli, int argc, char **argv)
{
	int rc = 0;

	if (argc < 2)
		return cli_usage(cli, "check which files? skein packages check "
		    "FILE...");
	for (int i = 1; i < argc; i++)
		rc |= check_file(cli, argv[i]);
	return rc;
}

/* ---- suggest ---- */

struct reading {
	struct cli *cli;
	struct db *shared;
	struct suggest *suggest;
	struct slice domain;
};

static bool
is_covered(const struct stage_entry *e, size_t i)
{
	const struct msg_s_compactor *s;

	if (e->sections[STAGE_compactor].id != MSG_s_compactor)
		return false;
	s = &e->sections[STAGE_compactor].as->s_compactor;
	return i < s->n_turns && (s->turns[i].effort.len > 0 ||
	    s->turns[i].artifacts.count > 0);
}

static void
take_turn(struct reading *r, struct arena *arena, const struct stage_entry *e,
    size_t i)
{
	const struct msg_s_classify *c =
	    &e->sections[STAGE_classify].as->s_classify;
	const struct msg_s_ingest *place =
	    &e->sections[STAGE_ingest].as->s_ingest;
	const struct msg_envelope *envelope = &e->entry.as->envelope;
	bool turn = e->entry.id == MSG_turn;
	struct trigger_turn t = { .ts = envelope->ts, .number = i + 1,
		.user = envelope->user };

	t.said.text = turn ? e->entry.as->turn.text :
	    e->entry.as->exchange.added[i].text;
	t.said.role = turn ? e->entry.as->turn.role :
	    e->entry.as->exchange.added[i].role;
	if (t.said.role.len == 0)
		t.said.role = SLICE("user");
	t.said.does = &c->turns[i];
	suggest_take(r->suggest, &t, arena_printf(arena, "%llu.%zu",
	    (unsigned long long)e->seq, i), place->thread);
}

static void
take_entry(struct reading *r, struct query *q, uint64_t seq)
{
	struct stage_entry e;

	query_entry(q, seq, &e);
	if (!msg_is_entry(e.entry.id) ||
	    !slice_eq(e.entry.as->envelope.domain, r->domain) ||
	    e.sections[STAGE_classify].id != MSG_s_classify ||
	    e.sections[STAGE_ingest].id != MSG_s_ingest)
		return;
	for (size_t i = 0; i < query_turn_count(&e.entry) &&
	     i < e.sections[STAGE_classify].as->s_classify.n_turns; i++)
		if (!is_covered(&e, i))
			take_turn(r, &q->arena, &e, i);
}

static void
read_store(struct reading *r)
{
	uint64_t last = cli_cursor(r->shared, STAGE_compactor), seq = 1;
	struct query q;

	while (seq <= last) {
		query_open(&q, r->shared, NULL, r->domain);
		for (size_t n = 0; n < VIEW_ENTRIES && seq <= last; n++) {
			take_entry(r, &q, seq++);
			arena_reset(&q.arena);
		}
		query_close(&q);
	}
}

static void
print_suggestion(const struct cli *cli, const struct suggestion *x)
{
	struct arena arena;
	struct row row;
	struct buf b;

	if (!cli->json) {
		printf("%.*s\n", SLICE_ARG(x->draft));
		return;
	}
	arena_init(&arena);
	buf_init(&b, SIZE_MAX / 4);
	row_begin(&row, &arena);
	row_text(&row, "name", x->name);
	row_text(&row, "lead", x->lead);
	row_text(&row, "act", x->act);
	row_number(&row, "turns", x->turns);
	row_number(&row, "threads", x->threads);
	row_text(&row, "draft", x->draft);
	row_to_json(&b, &row);
	printf("%s\n", buf_cstr(&b));
	buf_release(&b);
	arena_release(&arena);
}

static int
suggest(struct cli *cli, int argc, char **argv)
{
	struct reading r = { .cli = cli, .domain = SLICE("default") };
	uint64_t limit = SUGGEST_MOST, least = SUGGEST_LEAST, after = 0;
	struct option_spec specs[] = {
		{ "domain", OPTION_TEXT, &r.domain, NULL },
		{ "limit", OPTION_NUMBER, &limit, NULL },
		{ "least", OPTION_NUMBER, &least, NULL },
		{ "after", OPTION_NUMBER, &after, NULL },
		{ NULL, OPTION_END, NULL, NULL } };
	struct suggestion *found;
	struct packages *set;
	size_t n;
	int rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);

	if (rc != 0)
		return rc;
	if (argc > 1 || limit == 0 || least < 2)
		return cli_usage(cli, "packages suggest takes --domain D, "
		    "--limit N (1 or more) and --least N (2 or more)");
	if (after > 0 && cli_wait_store(cli, after) == -1)
		return 1;
	if ((r.shared = cli_open(cli, ENV_shared)) == NULL)
		return 1;
	if ((set = open_packages(cli)) == NULL) {
		db_close(&r.shared);
		return 1;
	}
	r.suggest = suggest_open(set);
	read_store(&r);
	n = suggest_make(r.suggest, least, limit, &found);
	for (size_t i = 0; i < n; i++)
		print_suggestion(cli, &found[i]);
	if (n == 0 && !cli->json)
		fprintf(stderr, "Nothing recurs that no package covers: fewer "
				"than %llu turns begin alike.\n",
		    (unsigned long long)least);
	suggest_close(&r.suggest);
	packages_close(&set);
	db_close(&r.shared);
	return 0;
}

int
verb_packages(struct cli *cli, int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "check") == 0)
		return check(cli, argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "suggest") == 0)
		return suggest(cli, argc - 1, argv + 1);
	if (argc > 1)
		return cli_usage(cli, "'%s' is not understood: packages, "
		    "packages check FILE..., packages suggest", argv[1]);
	return list(cli);
}
