/*
 * table - rows for people: columns aligned, long cells shortened and marked
 */
#include "cli/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/text.h"
#include "common/xmalloc.h"

enum { COLUMN_MOST = 40, LAST_LEAST = 30, WIDTH_ELSEWHERE = 120 };

void
table_init(struct table *t, const struct cli *cli,
    const struct table_column *columns)
{
	*t = (struct table){ .cli = cli, .columns = columns };
	while (columns[t->n_columns].cell != NULL)
		t->n_columns++;
	buf_init(&t->bytes, SIZE_MAX / 4);
}

void
table_release(struct table *t)
{
	buf_release(&t->bytes);
	free(t->ends);
	*t = (struct table){ 0 };
}

/* A cell is one line: what would break it becomes a space. */
static void
add_cell(struct table *t, const struct cell *cell)
{
	size_t from = t->bytes.len, i;

	if (cell != NULL)
		cell_print(&t->bytes, cell);
	for (i = from; i < t->bytes.len; i++)
		if ((unsigned char)t->bytes.ptr[i] < 0x20 ||
		    t->bytes.ptr[i] == 0x7f)
			t->bytes.ptr[i] = ' ';
	if (t->n_cells == t->room) {
		t->room = t->room == 0 ? 256 : t->room * 2;
		t->ends = xrealloc(t->ends, t->room * sizeof(t->ends[0]));
	}
	t->ends[t->n_cells++] = t->bytes.len;
}

void
table_add(struct table *t, const struct row *row)
{
	size_t i;

	for (i = 0; i < t->n_columns; i++)
		add_cell(t, row_cell(row, t->columns[i].cell));
}

static struct slice
cell_at(const struct table *t, size_t cell)
{
	size_t from = cell == 0 ? 0 : t->ends[cell - 1];

	return slice_of(buf_cstr(&t->bytes) + from, t->ends[cell] - from);
}

static size_t
width_of(struct slice s)
{
	size_t pos = 0, width = 0;
	int32_t cp;

	while (text_next(s, &pos, &cp))
		width += text_class(cp) != TEXT_MARK;
	return width;
}

static size_t
screen_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return WIDTH_ELSEWHERE;
}

/* A column in which no row has anything takes no room; the last one stays. */
static void
drop_empty(const struct table *t, size_t *widths)
{
	size_t i, k;

	for (k = 0; k + 1 < t->n_columns; k++) {
		for (i = k; i < t->n_cells; i += t->n_columns)
			if (cell_at(t, i).len > 0)
				break;
		if (i >= t->n_cells)
			widths[k] = 0;
	}
}

static void
find_widths(const struct table *t, size_t *widths)
{
	size_t i, k, width, used = 0, last = t->n_columns - 1;
	size_t screen = screen_width();

	for (k = 0; k < t->n_columns; k++)
		widths[k] = strlen(t->columns[k].title);
	for (i = 0; i < t->n_cells; i++) {
		width = width_of(cell_at(t, i));
		k = i % t->n_columns;
		if (k != last && width > COLUMN_MOST)
			width = COLUMN_MOST;
		if (width > widths[k])
			widths[k] = width;
	}
	drop_empty(t, widths);
	for (k = 0; k < last; k++)
		used += widths[k] > 0 ? widths[k] + 2 : 0;
	width = screen > used + LAST_LEAST ? screen - used : LAST_LEAST;
	if (widths[last] > width)
		widths[last] = width;
}

static void
print_cell(struct slice s, size_t width, bool right, bool last)
{
	size_t pos = 0, cut = 0, n = 0, all = width_of(s);
	int32_t cp;

	if (all > width) {
		while (n + 1 < width && text_next(s, &pos, &cp)) {
			n += text_class(cp) != TEXT_MARK;
			cut = pos;
		}
		s.len = cut;
		all = n + 1;
		printf("%.*s…", SLICE_ARG(s));
	} else {
		if (right)
			printf("%*s", (int)(width - all), "");
		printf("%.*s", SLICE_ARG(s));
		if (right)
			all = width;
	}
	if (!last)
		printf("%*s", (int)(width - all) + 2, "");
}

void
table_print(struct table *t)
{
	size_t *widths = xcalloc(t->n_columns, sizeof(widths[0]));
	size_t i, k, last = t->n_columns - 1;

	find_widths(t, widths);
	if (t->n_cells > 0) {
		fputs(t->cli->colour ? "\033[1m" : "", stdout);
		for (k = 0; k < t->n_columns; k++)
			if (widths[k] > 0)
				print_cell(slice_str(t->columns[k].title),
				    widths[k], t->columns[k].right, k == last);
		puts(t->cli->colour ? "\033[0m" : "");
	}
	for (i = 0; i < t->n_cells; i++) {
		k = i % t->n_columns;
		if (widths[k] > 0)
			print_cell(cell_at(t, i), widths[k],
			    t->columns[k].right, k == last);
		if (k == last)
			putchar('\n');
	}
	free(widths);
	buf_clear(&t->bytes);
	t->n_cells = 0;
}
