/*
 * row - one line of an answer: named cells in a fixed order
 */
#include "store/row.h"

#include <jansson.h>

#include "common/json.h"
#include "common/when.h"

void
row_begin(struct row *row, struct arena *arena)
{
	*row = (struct row){ .arena = arena };
}

static struct cell *
add(struct row *row, const char *name, enum cell_kind kind)
{
	struct cell *grown;

	if (row->count == row->room) {
		row->room = row->room == 0 ? 32 : row->room * 2;
		grown = arena_array(row->arena, row->room, sizeof(*grown));
		if (row->count > 0)
			memcpy(grown, row->cells,
			    row->count * sizeof(*grown));
		row->cells = grown;
	}
	row->cells[row->count] = (struct cell){ .name = name, .kind = kind };
	return &row->cells[row->count++];
}

void
row_null(struct row *row, const char *name)
{
	(void)add(row, name, CELL_NULL);
}

void
row_text(struct row *row, const char *name, struct slice text)
{
	add(row, name, CELL_TEXT)->text = text;
}

void
row_maybe(struct row *row, const char *name, struct slice text)
{
	if (text.len > 0)
		row_text(row, name, text);
	else
		row_null(row, name);
}

void
row_number(struct row *row, const char *name, uint64_t number)
{
	add(row, name, CELL_NUMBER)->number = number;
}

void
row_time(struct row *row, const char *name, int64_t ms)
{
	add(row, name, CELL_TIME)->time = ms;
}

void
row_bool(struct row *row, const char *name, bool value)
{
	add(row, name, CELL_BOOL)->number = value;
}

void
row_json(struct row *row, const char *name, struct slice json)
{
	add(row, name, CELL_JSON)->text = json;
}

void
row_strs(struct row *row, const char *name, const struct msg_strs *list)
{
	struct buf json;
	size_t i;

	buf_init(&json, SIZE_MAX / 4);
	buf_addc(&json, '[');
	for (i = 0; i < list->count; i++) {
		if (i > 0)
			buf_addc(&json, ',');
		json_put_str(&json, list->at[i]);
	}
	buf_addc(&json, ']');
	row_json(row, name, arena_dup(row->arena, buf_slice(&json)));
	buf_release(&json);
}

void
row_thousandths(struct row *row, const char *name, uint64_t n)
{
	row_json(row, name, arena_printf(row->arena, "%llu.%03llu",
	    (unsigned long long)n / 1000, (unsigned long long)n % 1000));
}

void
row_hex(struct row *row, const char *name, struct slice bytes)
{
	static const char digits[] = "0123456789abcdef";
	char *hex;
	size_t i;

	if (bytes.len == 0) {
		row_null(row, name);
		return;
	}
	hex = arena_alloc(row->arena, 2 * bytes.len);
	for (i = 0; i < bytes.len; i++) {
		hex[2 * i] = digits[(unsigned char)bytes.ptr[i] >> 4];
		hex[2 * i + 1] = digits[bytes.ptr[i] & 15];
	}
	row_text(row, name, slice_of(hex, 2 * bytes.len));
}

void
row_field(struct row *row, const char *name, const struct msg_field *field,
    const void *msg)
{
	struct buf json;

	if (msg_is_absent(field, msg)) {
		if (field->type == TYPE_bool)
			row_bool(row, name, false);
		else if (field->type == TYPE_list || field->type == TYPE_strs ||
		    field->type == TYPE_u64s)
			row_json(row, name, SLICE("[]"));
		else
			row_null(row, name);
		return;
	}
	if (field->type == TYPE_str) {
		row_text(row, name, *(const struct slice *)
		    ((const char *)msg + field->offset));
		return;
	}
	buf_init(&json, SIZE_MAX / 4);
	msg_json_value(&json, field, msg);
	row_json(row, name, arena_dup(row->arena, buf_slice(&json)));
	buf_release(&json);
}

const struct cell *
row_cell(const struct row *row, const char *name)
{
	size_t i;

	for (i = 0; i < row->count; i++)
		if (strcmp(row->cells[i].name, name) == 0)
			return &row->cells[i];
	return NULL;
}

static void
print_json(struct buf *out, const json_t *value)
{
	const char *name;
	json_t *item;
	size_t i;

	switch (json_typeof(value)) {
	case JSON_STRING:
		buf_add(out, json_string_value(value),
		    json_string_length(value));
		break;
	case JSON_INTEGER:
		buf_addf(out, "%lld", (long long)json_integer_value(value));
		break;
	case JSON_REAL:
		buf_addf(out, "%.3f", json_real_value(value));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		buf_adds(out, json_is_true(value) ? "yes" : "no");
		break;
	case JSON_NULL:
		break;
	case JSON_ARRAY:
		json_array_foreach(value, i, item) {
			buf_adds(out, i == 0 ? "" :
				json_is_object(item) ? "; " : ", ");
			print_json(out, item);
		}
		break;
	case JSON_OBJECT:
		i = 0;
		json_object_foreach((json_t *)value, name, item) {
			buf_addf(out, "%s%s: ", i++ == 0 ? "" : ", ", name);
			print_json(out, item);
		}
	}
}

/* Lists and members in words; a bare number stands as it was written. */
static void
print_parsed(struct buf *out, struct slice text)
{
	json_t *value = NULL;

	if (text.len > 0 && (text.ptr[0] == '[' || text.ptr[0] == '{'))
		value = json_loadb(text.ptr, text.len, 0, NULL);
	if (value != NULL)
		print_json(out, value);
	else
		buf_addslice(out, text);
	json_decref(value);
}

void
cell_print(struct buf *out, const struct cell *cell)
{
	char stamp[WHEN_TEXT_BYTES];

	switch (cell->kind) {
	case CELL_NULL:
		break;
	case CELL_TEXT:
		buf_addslice(out, cell->text);
		break;
	case CELL_JSON:
		print_parsed(out, cell->text);
		break;
	case CELL_NUMBER:
		buf_addf(out, "%llu", (unsigned long long)cell->number);
		break;
	case CELL_TIME:
		when_format(cell->time, stamp);
		buf_adds(out, stamp);
		break;
	case CELL_BOOL:
		buf_adds(out, cell->number ? "yes" : "no");
		break;
	}
}

void
cell_to_json(struct buf *out, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NULL:
		buf_adds(out, "null");
		break;
	case CELL_TEXT:
		json_put_str(out, cell->text);
		break;
	case CELL_TIME:
		buf_addc(out, '"');
		cell_print(out, cell);
		buf_addc(out, '"');
		break;
	case CELL_BOOL:
		buf_adds(out, cell->number ? "true" : "false");
		break;
	case CELL_JSON:
		buf_addslice(out, cell->text);
		break;
	case CELL_NUMBER:
		cell_print(out, cell);
		break;
	}
}

void
row_to_json(struct buf *out, const struct row *row)
{
	size_t i;

	buf_addc(out, '{');
	for (i = 0; i < row->count; i++) {
		if (i > 0)
			buf_addc(out, ',');
		json_put_str(out, slice_str(row->cells[i].name));
		buf_addc(out, ':');
		cell_to_json(out, &row->cells[i]);
	}
	buf_addc(out, '}');
}
