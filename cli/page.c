/*
 * page - one thing of the store for people: its members, then its turns
 */
#include "cli/page.h"

static bool
tells_nothing(const struct cell *cell)
{
	return cell->kind == CELL_NULL ||
	    (cell->kind == CELL_BOOL && cell->number == 0) ||
	    (cell->kind == CELL_JSON &&
		(slice_is(cell->text, "[]") || slice_is(cell->text, "{}")));
}

static void
put_cell(struct buf *out, const struct row *row, const char *name)
{
	const struct cell *cell = row_cell(row, name);

	if (cell != NULL)
		cell_print(out, cell);
}

void
page_members(struct buf *out, const struct row *row, const char *title)
{
	const struct cell *cell;
	size_t i;

	put_cell(out, row, "key");
	buf_adds(out, "  ");
	put_cell(out, row, title);
	buf_addc(out, '\n');
	for (i = 0; i < row->count; i++) {
		cell = &row->cells[i];
		if (tells_nothing(cell) || strcmp(cell->name, "key") == 0 ||
		    strcmp(cell->name, title) == 0)
			continue;
		buf_addf(out, "  %-26s ", cell->name);
		cell_print(out, cell);
		buf_addc(out, '\n');
	}
}

void
page_begin(struct buf *out, bool json, const char *kind, const char *title,
    const struct row *row)
{
	if (json) {
		buf_addf(out, "{\"kind\":\"%s\",\"%s\":", kind, kind);
		row_to_json(out, row);
	} else
		page_members(out, row, title);
}

void
page_turn(void *data, const struct row *row)
{
	static const char *const names[] = { "key", "ts", "role", "text" };
	struct page_turns *p = data;
	size_t begin, i;

	if (p->json) {
		buf_adds(p->out, p->any ? "," : "");
		row_to_json(p->out, row);
	} else {
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			begin = p->out->len;
			put_cell(p->out, row, names[i]);
			/* Roles stand below each other. */
			while (i == 2 && p->out->len < begin + 9)
				buf_addc(p->out, ' ');
			buf_adds(p->out, i < 3 ? "  " : "");
		}
		buf_addc(p->out, '\n');
	}
	p->any = true;
}

void
page_thread_turns(const struct cli *cli, struct query *q,
    const struct msg_u64s *linked, bool json, struct buf *out)
{
	struct page_turns page = { out, json, false };
	struct query_sink sink = { page_turn, NULL, &page };
	struct query_filter f = QUERY_ALL;
	struct arena arena;
	size_t i, n = linked->count;
	uint64_t *threads;
	bool more;

	/* What the query reads makes room of what it read before. */
	arena_init(&arena);
	threads = arena_array(&arena, n, sizeof(*threads));
	for (i = 0; i < n; i++)
		threads[i] = linked->at[i];
	buf_adds(out, json ? ",\"turns\":[" : "\n");
	f.own = true;
	for (i = 0; i < n; i++) {
		f.thread = arena_dup(&arena, query_thread_name(q, threads[i]));
		if (query_turns(q, &f, &sink, &more) == -1)
			cli_fail(cli, "the turns of %.*s cannot be found: see "
			    "'skein check'", SLICE_ARG(f.thread));
	}
	buf_adds(out, json ? "]" : "");
	arena_release(&arena);
}
