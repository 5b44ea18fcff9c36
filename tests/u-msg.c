/*
 * u-msg - every record of messages.def, generated from the field tables
 *
 * Nothing here names a message or a field unless a rule is about that one: a
 * line added to messages.def is tested by being there.
 */
#include <jansson.h>
#include <stdlib.h>

#include "common/msg.h"
#include "common/text.h"
#include "common/when.h"
#include "tests/tap.h"

enum { ROUNDS = 40 };

static struct test {
	struct arena arena;
	uint64_t random;
} t = { .random = UINT64_C(0x9e3779b97f4a7c15) };

static uint64_t
random_below(uint64_t limit)
{
	t.random ^= t.random << 13;
	t.random ^= t.random >> 7;
	t.random ^= t.random << 17;
	return t.random % limit;
}

/* ---- messages with random values ---- */

static struct slice
random_text(void)
{
	static const char *const bits[] = { "", "a", "Zoë", "\n", "\"", "\\",
		" ", "\x01", "\x7f", "日本", "😀", "]}", "word ", "\t" };
	struct buf text;
	struct slice s;
	size_t i, n = random_below(12);

	buf_init(&text, 1000);
	for (i = 0; i < n; i++)
		buf_adds(&text, bits[random_below(sizeof(bits) /
		    sizeof(bits[0]))]);
	s = arena_dup(&t.arena, buf_slice(&text));
	buf_release(&text);
	return s;
}

static struct slice
random_bytes(void)
{
	size_t i, len = random_below(40);
	char *bytes = arena_alloc(&t.arena, len);

	for (i = 0; i < len; i++)
		bytes[i] = (char)random_below(256);
	return slice_of(bytes, len);
}

/* Small, large and the edges; within what JSON can hold. */
static uint64_t
random_number(void)
{
	static const uint64_t edges[] = { 0, 1, 127, 128, 255, 256, 65535,
		65536, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX };

	return random_below(2) == 0 ? random_below(1000) :
	    edges[random_below(sizeof(edges) / sizeof(edges[0]))];
}

static int64_t
random_time(void)
{
	return WHEN_MIN_MS + (int64_t)random_below(
	    (uint64_t)(WHEN_MAX_MS - WHEN_MIN_MS + 1));
}

static void fill(const struct msg_spec *spec, char *msg, unsigned percent);

static void
fill_list(const struct msg_field *f, char *msg, unsigned percent)
{
	const struct msg_spec *sub = msg_spec(f->of);
	size_t i, count = random_below(4);
	char *items = arena_array(&t.arena, count, sub->size);

	for (i = 0; i < count; i++)
		fill(sub, items + i * sub->size, percent);
	memcpy(msg + f->offset, &items, sizeof(items));
	memcpy(msg + f->count_offset, &count, sizeof(count));
}

static void
fill_value(const struct msg_field *f, char *msg, unsigned percent)
{
	void *value = msg + f->offset;
	struct msg_strs strs;
	struct msg_u64s u64s;
	size_t i;

	switch (f->type) {
	case TYPE_u64:
		*(uint64_t *)value = random_number();
		break;
	case TYPE_i64:
		*(int64_t *)value = random_below(2) ? (int64_t)random_number() :
		    -(int64_t)random_number();
		break;
	case TYPE_time:
		*(int64_t *)value = random_time();
		break;
	case TYPE_bool:
		*(bool *)value = random_below(2);
		break;
	case TYPE_str:
		*(struct slice *)value = random_text();
		break;
	case TYPE_bin:
		*(struct slice *)value = random_bytes();
		break;
	case TYPE_strs:
		strs.count = random_below(5);
		strs.at = arena_array(&t.arena, strs.count, sizeof(strs.at[0]));
		for (i = 0; i < strs.count; i++)
			strs.at[i] = random_text();
		*(struct msg_strs *)value = strs;
		break;
	case TYPE_u64s:
		u64s.count = random_below(5);
		u64s.at = arena_array(&t.arena, u64s.count, sizeof(u64s.at[0]));
		for (i = 0; i < u64s.count; i++)
			u64s.at[i] = random_number();
		*(struct msg_u64s *)value = u64s;
		break;
	case TYPE_list:
		fill_list(f, msg, percent);
		break;
	}
}

/* Required fields, and `percent` of the others. */
static void
fill(const struct msg_spec *spec, char *msg, unsigned percent)
{
	uint64_t has = 0;
	size_t i;

	memset(msg, 0, spec->size);
	for (i = 0; i < spec->n_fields; i++) {
		if (spec->fields[i].need != NEED_REQ &&
		    random_below(100) >= percent)
			continue;
		fill_value(&spec->fields[i], msg, percent);
		has |= UINT64_C(1) << spec->fields[i].tag;
	}
	memcpy(msg, &has, sizeof(has));
}

/* ---- are two messages equal? ---- */

static bool same(const struct msg_spec *spec, const char *a, const char *b);

static bool
same_list(const struct msg_field *f, const char *a, const char *b)
{
	const struct msg_spec *sub = msg_spec(f->of);
	const char *x, *y;
	size_t i, n, m;

	memcpy(&x, a + f->offset, sizeof(x));
	memcpy(&y, b + f->offset, sizeof(y));
	memcpy(&n, a + f->count_offset, sizeof(n));
	memcpy(&m, b + f->count_offset, sizeof(m));
	if (n != m)
		return false;
	for (i = 0; i < n; i++)
		if (!same(sub, x + i * sub->size, y + i * sub->size))
			return false;
	return true;
}

static bool
same_strs(const struct msg_strs *a, const struct msg_strs *b)
{
	size_t i;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
		if (!slice_eq(a->at[i], b->at[i]))
			return false;
	return true;
}

static bool
same_value(const struct msg_field *f, const char *a, const char *b)
{
	const void *x = a + f->offset, *y = b + f->offset;
	const struct msg_u64s *n = x, *m = y;

	switch (f->type) {
	case TYPE_u64:
	case TYPE_i64:
	case TYPE_time:
		return *(const uint64_t *)x == *(const uint64_t *)y;
	case TYPE_bool:
		return *(const bool *)x == *(const bool *)y;
	case TYPE_str:
	case TYPE_bin:
		return slice_eq(*(const struct slice *)x,
		    *(const struct slice *)y);
	case TYPE_strs:
		return same_strs(x, y);
	case TYPE_u64s:
		return n->count == m->count && (n->count == 0 ||
		    memcmp(n->at, m->at, n->count * sizeof(n->at[0])) == 0);
	case TYPE_list:
		return same_list(f, a, b);
	}
	return false;
}

static bool
same(const struct msg_spec *spec, const char *a, const char *b)
{
	size_t i;

	for (i = 0; i < spec->n_fields; i++) {
		if (msg_is_absent(&spec->fields[i], a) !=
			msg_is_absent(&spec->fields[i], b) ||
		    !same_value(&spec->fields[i], a, b)) {
			printf("# %s.%s differs\n", spec->name,
			    spec->fields[i].name);
			return false;
		}
	}
	return true;
}

/* ---- records written by hand, to see the format itself ---- */

static void
put_sample(struct buf *out, const struct msg_field *f)
{
	const struct msg_spec *sub;
	size_t i;

	switch (f->type) {
	case TYPE_u64:
	case TYPE_i64:
	case TYPE_time:
		buf_addc(out, 7);
		break;
	case TYPE_bool:
		buf_adds(out, "\xc3");
		break;
	case TYPE_str:
		buf_adds(out, "\xa1x");
		break;
	case TYPE_bin:
		buf_add(out, "\xc4\x01x", 3);
		break;
	case TYPE_strs:
		buf_adds(out, "\x91\xa1x");
		break;
	case TYPE_u64s:
		buf_adds(out, "\x91\x07");
		break;
	case TYPE_list:
		sub = msg_spec(f->of);
		buf_addf(out, "\x91\xde%c%c", 0, (int)sub->n_fields);
		for (i = 0; i < sub->n_fields; i++) {
			buf_addc(out, (char)sub->fields[i].tag);
			put_sample(out, &sub->fields[i]);
		}
		break;
	}
}

static void
put_header(struct buf *out, unsigned id, size_t fields)
{
	buf_clear(out);
	/* 0xcc: a number of 8 bits, whatever its value. */
	buf_addf(out, "\x93%c\xcc%c\xde%c%c", MSG_PROTOCOL, (int)id, 0,
	    (int)fields);
}

/* All fields of a message but one (NULL: all of them). */
static void
put_all_but(struct buf *out, const struct msg_spec *spec,
    const struct msg_field *without)
{
	size_t i;

	put_header(out, spec->id, spec->n_fields - (without != NULL));
	for (i = 0; i < spec->n_fields; i++) {
		if (&spec->fields[i] == without)
			continue;
		buf_addc(out, (char)spec->fields[i].tag);
		put_sample(out, &spec->fields[i]);
	}
}

static int
decode(const struct buf *record, struct msg *out, struct msg_error *why)
{
	why->text[0] = '\0';
	return msg_decode(buf_slice(record), &t.arena, out, why);
}

/* ---- the tests, each for one message ---- */

static void
test_tables(const struct msg_spec *spec)
{
	const struct msg_field *f;
	uint64_t seen = 0;
	bool good = true;
	size_t i;

	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		good = good && f->tag >= 1 && f->tag < MSGTAG_LIMIT &&
		    (seen >> f->tag & 1) == 0 &&
		    msg_field_tagged(spec, f->tag) == f &&
		    (f->type != TYPE_list || msg_spec(f->of) != NULL);
		seen |= UINT64_C(1) << f->tag;
	}
	ok(good && spec->n_fields > 0, "%s: every tag once, in range",
	    spec->name);
	ok(msg_spec_named(slice_str(spec->name)) == spec,
	    "%s: found by its name", spec->name);
}

static void
test_round_trip(const struct msg_spec *spec)
{
	static const unsigned percents[] = { 0, 50, 100 };
	union msg_any in;
	struct buf first, again;
	struct msg_error why;
	struct msg out;
	bool good = true;
	size_t i;

	buf_init(&first, 1 << 20);
	buf_init(&again, 1 << 20);
	for (i = 0; good && i < ROUNDS; i++) {
		fill(spec, (char *)&in, percents[i % 3]);
		buf_clear(&first);
		buf_clear(&again);
		good = msg_encode(&first, spec->id, &in) == 0 &&
		    decode(&first, &out, &why) == 0 && out.id == spec->id &&
		    same(spec, (char *)&in, (const char *)out.as) &&
		    msg_encode(&again, spec->id, out.as) == 0 &&
		    slice_eq(buf_slice(&first), buf_slice(&again));
	}
	ok(good, "%s: decoded as it was encoded", spec->name);
	buf_release(&first);
	buf_release(&again);
}

static void
test_by_hand(const struct msg_spec *spec)
{
	const struct msg_field *f;
	struct buf record;
	struct msg_error why;
	struct msg out;
	bool good = true;
	char want[200];
	size_t i;

	buf_init(&record, 1 << 16);
	put_all_but(&record, spec, NULL);
	ok(decode(&record, &out, &why) == 0, "%s: a record written by hand",
	    spec->name);
	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		put_all_but(&record, spec, f);
		snprintf(want, sizeof(want), "%s.%s: missing", spec->name,
		    f->name);
		if (f->need == NEED_REQ)
			good = good && decode(&record, &out, &why) == -1 &&
			    strcmp(why.text, want) == 0;
		else
			good = good && decode(&record, &out, &why) == 0 &&
			    msg_is_absent(f, out.as) &&
			    !msg_has_tag(out.as, f->tag);
	}
	ok(good, "%s: missing fields are refused if required, else absent",
	    spec->name);
	buf_release(&record);
}

/* One value of each msgpack type; may the field's type hold it? */
static const struct sample {
	const char *bytes;
	size_t len;
	unsigned types;
} samples[] = {
#define OF(type) (1u << TYPE_##type)
	{ "\xc0", 1, 0 },
	{ "\xc2", 1, OF(bool) },
	{ "\x05", 1, OF(u64) | OF(i64) | OF(time) },
	{ "\xff", 1, OF(i64) | OF(time) },
	{ "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9, OF(u64) },
	{ "\xcb\x40\x09\x21\xfb\x54\x44\x2d\x18", 9, 0 },
	{ "\xa1x", 2, OF(str) },
	{ "\xc4\x01x", 3, OF(bin) },
	{ "\x90", 1, OF(strs) | OF(u64s) | OF(list) },
	{ "\x91\xa1x", 3, OF(strs) },
	{ "\x91\x05", 2, OF(u64s) },
	{ "\x91\xff", 2, 0 },
	{ "\x91\xc0", 2, 0 },
	{ "\x80", 1, 0 },
	{ "\xd4\x01\x00", 3, 0 },	/* an extension */
#undef OF
};

static bool
check_sample(const struct msg_spec *spec, const struct msg_field *f,
    const struct sample *s)
{
	struct buf record;
	struct msg_error why;
	struct msg out;
	char want[200];
	bool refused, mentioned;
	int rc;

	buf_init(&record, 1 << 16);
	put_header(&record, spec->id, 1);
	buf_addc(&record, (char)f->tag);
	buf_add(&record, s->bytes, s->len);
	rc = decode(&record, &out, &why);
	snprintf(want, sizeof(want), "%s.%s: wrong type", spec->name, f->name);
	refused = rc == -1 && strcmp(why.text, want) == 0;
	/* A list's items are refused in their own message's name. */
	mentioned = rc == -1 && strstr(why.text, "not a map") != NULL;
	buf_release(&record);
	if ((s->types >> f->type & 1) != 0)
		return !refused && !mentioned;
	return refused || (f->type == TYPE_list && mentioned);
}

static void
test_types(const struct msg_spec *spec)
{
	bool good = true;
	size_t i, j;

	for (i = 0; i < spec->n_fields; i++)
		for (j = 0; j < sizeof(samples) / sizeof(samples[0]); j++)
			if (!check_sample(spec, &spec->fields[i], &samples[j])) {
				printf("# %s.%s, sample %zu\n", spec->name,
				    spec->fields[i].name, j);
				good = false;
			}
	ok(good, "%s: wrong types are refused by field, right ones are not",
	    spec->name);
}

static void
test_cut(const struct msg_spec *spec)
{
	struct buf record;
	struct msg_error why;
	struct msg out;
	bool good = true;
	char *cut;
	size_t i;

	buf_init(&record, 1 << 16);
	put_all_but(&record, spec, NULL);
	for (i = 0; i < record.len; i++) {
		/* Memory of that very length: reading past it is seen. */
		cut = malloc(i + (i == 0));
		memcpy(cut, record.ptr, i);
		good = good && msg_decode(slice_of(cut, i), &t.arena, &out,
		    &why) == -1 && strcmp(why.text, "msgpack is cut short") == 0;
		free(cut);
	}
	ok(good, "%s: cut at each of %zu bytes", spec->name, record.len);
	buf_addc(&record, 0);
	ok(decode(&record, &out, &why) == -1 &&
	    strstr(why.text, "after the end") != NULL,
	    "%s: a byte too many", spec->name);
	buf_release(&record);
}

static void
test_unknown(const struct msg_spec *spec)
{
	static const char strange[] = "\x3f\x91\xc0" "\x40\x80" "\xcc\xc8\xc0"
	    "\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xa1x";
	uint64_t before = msg_unknown_tags();
	struct buf record, plain;
	struct msg_error why;
	struct msg a, b;

	buf_init(&record, 1 << 16);
	buf_init(&plain, 1 << 16);
	put_all_but(&plain, spec, NULL);
	buf_addslice(&record, buf_slice(&plain));
	record.ptr[6] = (char)(spec->n_fields + 4);
	buf_add(&record, strange, sizeof(strange) - 1);
	ok(decode(&plain, &a, &why) == 0 && decode(&record, &b, &why) == 0 &&
	    same(spec, (const char *)a.as, (const char *)b.as),
	    "%s: unknown tags are skipped", spec->name);
	is_int(msg_unknown_tags() - before, 4, "and counted");
	buf_release(&record);
	buf_release(&plain);
}

/* ---- JSON ---- */

static void
test_json(const struct msg_spec *spec)
{
	union msg_any in, out;
	struct msg_error why = { .text = "not JSON" };
	struct buf text;
	json_t *json;
	bool good = true;
	size_t i;

	buf_init(&text, 1 << 20);
	for (i = 0; good && i < ROUNDS; i++) {
		fill(spec, (char *)&in, 50);
		buf_clear(&text);
		msg_to_json(&text, spec->id, &in, i % 2 == 0);
		json = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES,
		    NULL);
		memset(&out, 0xaa, sizeof(out));
		good = json != NULL &&
		    (i % 2 != 0 || json_object_size(json) == spec->n_fields) &&
		    msg_from_json(json, &t.arena, spec->id, &out, false,
			&why) == 0 &&
		    same(spec, (char *)&in, (char *)&out);
		if (!good)
			printf("# %s\n# %s\n", buf_cstr(&text), why.text);
		json_decref(json);
	}
	ok(good, "%s: JSON both ways", spec->name);
	buf_release(&text);
}

/* What JSON may stand for each type of field. */
static const struct json_sample {
	const char *text;
	unsigned types;
} json_samples[] = {
#define OF(type) (1u << TYPE_##type)
	{ "true", OF(bool) },
	{ "0", OF(u64) | OF(i64) | OF(time) },
	{ "-1", OF(i64) | OF(time) },
	{ "1.5", 0 },
	{ "\"2023-05-05T10:30:00Z\"", OF(time) | OF(str) },
	{ "\"2023-02-30\"", OF(str) },
	{ "\"abcd\"", OF(bin) | OF(str) },
	{ "\"abc\"", OF(str) },
	{ "\"12\"", OF(bin) | OF(str) },
	{ "[]", OF(strs) | OF(u64s) | OF(list) },
	{ "[\"x\"]", OF(strs) },
	{ "[1]", OF(u64s) },
	{ "[-1]", 0 },
	{ "[null]", 0 },
	{ "{}", 0 },
#undef OF
};

static bool
check_json(const struct msg_spec *spec, const struct msg_field *f,
    const struct json_sample *s)
{
	struct msg_error why = { .text = "" };
	union msg_any out;
	json_t *json = json_object();
	char start[100];
	bool named;
	size_t i;

	for (i = 0; i < spec->n_fields; i++)
		if (spec->fields[i].need == NEED_REQ)
			json_object_set_new(json, spec->fields[i].name,
			    json_null());
	json_object_set_new(json, f->name,
	    json_loads(s->text, JSON_DECODE_ANY, NULL));
	snprintf(start, sizeof(start), "%s.%s: must be ", spec->name, f->name);
	named = msg_from_json(json, &t.arena, spec->id, &out, false, &why) ==
		-1 && (strncmp(why.text, start, strlen(start)) == 0 ||
	    (f->type == TYPE_list && strstr(why.text, "a JSON object") != NULL));
	json_decref(json);
	/* Required fields before it are missing, which is said first. */
	if (strstr(why.text, "is missing") != NULL)
		return true;
	return named == ((s->types >> f->type & 1) == 0);
}

static void
test_json_types(const struct msg_spec *spec)
{
	bool good = true;
	size_t i, j;

	for (i = 0; i < spec->n_fields; i++)
		for (j = 0; j < sizeof(json_samples) / sizeof(json_samples[0]);
		     j++)
			if (!check_json(spec, &spec->fields[i],
				&json_samples[j])) {
				printf("# %s.%s: %s\n", spec->name,
				    spec->fields[i].name, json_samples[j].text);
				good = false;
			}
	ok(good, "%s: JSON of a wrong type is refused by field", spec->name);
}

static void
test_json_inside(const struct msg_spec *spec)
{
	const struct msg_field *f;
	struct msg_error why;
	union msg_any out;
	char want[100];
	json_t *json;
	size_t i;
	int rc;

	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		if (f->need != NEED_INT)
			continue;
		json = json_object();
		json_object_set_new(json, f->name, json_true());
		if (msg_spec_named(slice_str(spec->name)) == msg_spec(MSG_turn))
			json_object_set_new(json, "text", json_string("x"));
		rc = msg_from_json(json, &t.arena, spec->id, &out, true, &why);
		snprintf(want, sizeof(want), "%s: is set by skein", f->name);
		ok(rc == -1 && (strncmp(why.text, want, strlen(want)) == 0 ||
		    strstr(why.text, "is missing") != NULL),
		    "%s: a sender may not give %s", spec->name, f->name);
		json_decref(json);
	}
}

/* ---- lines for people ---- */

static void
test_print(const struct msg_spec *spec)
{
	char want[100];
	union msg_any in;
	struct buf line;
	bool good;
	size_t i;

	buf_init(&line, 1 << 20);
	fill(spec, (char *)&in, 50);
	msg_print(&line, spec->id, &in);
	good = slice_starts(buf_slice(&line), spec->name) &&
	    memchr(line.ptr, '\n', line.len) == NULL &&
	    text_valid_utf8(buf_slice(&line), NULL);
	for (i = 0; i < spec->n_fields; i++) {
		snprintf(want, sizeof(want), " %s=", spec->fields[i].name);
		if (!msg_is_absent(&spec->fields[i], &in))
			good = good && strstr(line.ptr, want) != NULL;
	}
	ok(good, "%s: one line with every field that is there", spec->name);
	buf_release(&line);
}

static void
test_print_long(void)
{
	struct msg_turn turn = { 0 };
	struct buf text, line;
	int i;

	buf_init(&text, 1 << 20);
	buf_init(&line, 1 << 20);
	for (i = 0; i < 1000; i++)
		buf_adds(&text, "日");
	turn.text = buf_slice(&text);
	msg_print(&line, MSG_turn, &turn);
	ok(line.len < 250, "a long value is shortened");
	ok(strstr(line.ptr, "...(3002 bytes)") != NULL, "which is said: %s",
	    line.ptr + line.len - 20);
	ok(text_valid_utf8(buf_slice(&line), NULL),
	    "and no character is cut in two");
	buf_release(&text);
	buf_release(&line);
}

/* ---- records as a whole ---- */

static void
refuse_record(const char *bytes, size_t len, const char *want)
{
	struct msg_error why = { .text = "" };
	struct msg out;

	is_int(msg_decode(slice_of(bytes, len), &t.arena, &out, &why), -1,
	    want);
	ok(strstr(why.text, want) != NULL, "the reason: %s", why.text);
}

#define REFUSE(literal, want) refuse_record(literal, sizeof(literal) - 1, want)

static void
test_records(void)
{
	struct msg_error why;
	union msg_any any;	/* room for any record */
	struct msg_place place;
	struct slice deep;
	char *nested;

	REFUSE("", "cut short");
	REFUSE("\xc1", "not msgpack");
	REFUSE("\xc0", "not a record");
	REFUSE("\x80", "not a record");
	REFUSE("\x92\x01\x02", "not a record");
	REFUSE("\x94\x01\x02\x80\xc0", "not a record");
	REFUSE("\x93\xa1x\x02\x80", "not a record");
	REFUSE("\x93\x01\xc0\x80", "not a record");
	REFUSE("\x93\x02\x02\x80", "protocol 2, this program speaks 1");
	REFUSE("\x93\x01\x00\x80", "unknown message id 0");
	REFUSE("\x93\x01\x7f\x80", "unknown message id 127");
	REFUSE("\x93\x01\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x80",
	    "unknown message id 18446744073709551615");
	REFUSE("\x93\x01\x33\x90", "place: fields are not a map");
	REFUSE("\x93\x01\x33\x81\xa1x\x01", "place: a tag is not a number");
	REFUSE("\x93\x01\x33\x81\xff\x01", "place: a tag is not a number");
	/* A count that no record of this length can hold. */
	REFUSE("\x93\x01\x33\xdf\xff\xff\xff\xff", "cut short");
	REFUSE("\x93\x01\x33\x81\x01\xdd\x7f\xff\xff\xff", "cut short");
	REFUSE("\x93\x01\x33\x81\x01\xdb\xff\xff\xff\xff", "cut short");
	nested = malloc(100000);
	memset(nested, 0x91, 100000);
	deep = slice_of(nested, 100000);
	refuse_record(deep.ptr, deep.len, "too deep");
	free(nested);
	ok(msg_decode_as(SLICE("\x93\x01\x33\x81\x01\x05"), &t.arena, MSG_sent,
	    &any, &why) == -1 &&
	    strcmp(why.text, "a place where a sent belongs") == 0,
	    "a record of another kind");
	memset(&place, 0xaa, sizeof(place));
	ok(msg_decode_as(SLICE("\x93\x01\x33\x81\x01\x05"), &t.arena, MSG_place,
	    &place, &why) == 0 && place.seq == 5 && place.i == 0,
	    "what is absent is zero, whatever was there");
}

/* Every form that a value can have stands in the list that is passed over. */
static void
test_part(void)
{
	static const bool unread[MSG_LIMIT] = { [MSG_link] = true,
		[MSG_xmessage] = true };
	struct msg_want want = { .unread = unread };
	struct slice words[20] = { SLICE_NONE };
	uint64_t numbers[] = { 0, 127, 128, 255, 256, 65536, UINT32_MAX,
		UINT64_MAX };
	char *text = calloc(1, 70000);
	struct msg_link links[20] = { {
		.reasoning = slice_of(text, 70000), .asked = true,
		.key_signals = { words, 20 }, .weights = { numbers, 8 },
		.timestamp = -1 }, { .reasoning = slice_of(text, 300),
		.timestamp = INT64_MIN }, { .reasoning = slice_of(text, 200),
		.timestamp = -40000 } };
	struct msg_s_linker s = { .links = links, .n_links = 20,
		.result = SLICE("behind it") };
	struct msg_xmessage added[] = { { .hash = slice_of(text, 16) },
		{ .hash = slice_of(text, 300) },
		{ .hash = slice_of(text, 70000) } };
	struct msg_exchange x = { .added = added, .n_added = 3,
		.model = SLICE("m") };
	struct msg_error why;
	struct buf b;
	struct msg m;
	size_t cut;

	buf_init(&b, 1 << 20);
	ok(msg_encode(&b, MSG_s_linker, &s) == 0 &&
	    msg_decode_part(buf_slice(&b), &t.arena, want, &m, &why) == 0 &&
	    m.as->s_linker.n_links == 0 &&
	    slice_is(m.as->s_linker.result, "behind it"),
	    "lists of records may be passed over");
	ok(msg_decode_part(buf_slice(&b), &t.arena, (struct msg_want){ 0 }, &m,
	    &why) == 0 && m.as->s_linker.n_links == 20, "or not");
	for (cut = 0; cut < b.len; cut += cut < 600 || cut > 70000 ? 1 : 500)
		if (msg_decode_part(slice_of(b.ptr, cut), &t.arena, want, &m,
			&why) == 0)
			break;
	ok(cut >= b.len, "one that is cut short is none");
	want.last = MSGTAG_s_linker_links;
	ok(msg_decode_part(buf_slice(&b), &t.arena, want, &m, &why) == 0 &&
	    m.as->s_linker.n_links == 0 && m.as->s_linker.result.len == 0,
	    "what stands behind the last that is read is left out");
	want = (struct msg_want){ .last = MSGTAG_s_linker_links };
	ok(msg_decode_part(buf_slice(&b), &t.arena, want, &m, &why) == 0 &&
	    m.as->s_linker.n_links == 20 && m.as->s_linker.result.len == 0,
	    "and the last itself is read");
	want = (struct msg_want){ .last = MSGTAG_s_linker_message };
	ok(msg_decode_part(buf_slice(&b), &t.arena, want, &m, &why) == 0 &&
	    slice_is(m.as->s_linker.result, "behind it"),
	    "one that ends before it is whole");
	want = (struct msg_want){ .unread = unread };
	buf_clear(&b);
	ok(msg_encode(&b, MSG_exchange, &x) == 0 &&
	    msg_decode_part(buf_slice(&b), &t.arena, want, &m, &why) == 0 &&
	    m.as->exchange.n_added == 0 && slice_is(m.as->exchange.model, "m"),
	    "bytes too");
	buf_release(&b);
	free(text);
}

static void
test_limit(void)
{
	struct msg_turn turn = { .text = SLICE("longer than the limit") };
	struct buf small;
	size_t len;

	buf_init(&small, 10);
	is_int(msg_encode(&small, MSG_turn, &turn), -1,
	    "a record past the buffer's limit is said");
	ok(small.len == 0, "and nothing of it is there");
	buf_release(&small);
	buf_init(&small, 4096);
	is_int(msg_encode(&small, MSG_turn, &turn), 0, "one that fits");
	len = small.len;
	buf_release(&small);
	buf_init(&small, len);
	is_int(msg_encode(&small, MSG_turn, &turn), 0, "fits to the byte");
	is_int(small.len, len, "all of it");
	buf_release(&small);
	buf_init(&small, len - 1);
	is_int(msg_encode(&small, MSG_turn, &turn), -1, "but not to one less");
	buf_release(&small);
}

/* Times that no calendar of ours holds must not end the program. */
static void
test_absurd_time(void)
{
	struct msg_beat beat = { .at = INT64_MAX };
	struct buf out;

	buf_init(&out, 1000);
	msg_to_json(&out, MSG_beat, &beat, false);
	is(buf_cstr(&out), "{\"stage\":\"\",\"seq\":0,"
	    "\"at\":9223372036854775807}", "a time past 9999 is a number");
	beat.at = INT64_MIN;
	buf_clear(&out);
	msg_print(&out, MSG_beat, &beat);
	is(buf_cstr(&out), "beat stage=\"\" seq=0 at=-9223372036854775808",
	    "and one before year 0");
	buf_release(&out);
}

static void
test_bad_text(void)
{
	static const char bad[] = "a\xff" "b\0c\xed\xa0\x80" "d\xe2\x82";
	struct msg_turn turn = { .text = { bad, sizeof(bad) - 1 } };
	struct buf out;
	json_t *json;

	buf_init(&out, 1000);
	msg_to_json(&out, MSG_turn, &turn, false);
	json = json_loadb(out.ptr, out.len, JSON_ALLOW_NUL, NULL);
	ok(json != NULL, "text that is not UTF-8 still gives JSON: %s",
	    buf_cstr(&out));
	ok(strstr(out.ptr, "a\xef\xbf\xbd" "b\\u0000c") != NULL,
	    "with U+FFFD for what is bad");
	json_decref(json);
	buf_release(&out);
}

/* ---- a client's msgpack as JSON ---- */

static void
convert(const char *bytes, size_t len, const char *want)
{
	struct msg_error why = { .text = "" };
	json_t *json = msg_msgpack_to_json(slice_of(bytes, len), &why);
	char *text = json == NULL ? strdup(why.text) :
	    json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

	ok(text != NULL && strstr(text, want) != NULL, "msgpack: %s", want);
	if (text == NULL || strstr(text, want) == NULL)
		printf("#   got: %s\n", text);
	free(text);
	json_decref(json);
}

#define CONVERT(literal, want) convert(literal, sizeof(literal) - 1, want)

static void
test_msgpack_to_json(void)
{
	CONVERT("\x82\xa1" "a\x01\xa1" "b\x92\xc0\xc3",
	    "{\"a\":1,\"b\":[null,true]}");
	CONVERT("\x81\xa1" "a\xff", "{\"a\":-1}");
	CONVERT("\x81\xa0\xa0", "{\"\":\"\"}");
	CONVERT("\x81\xa1" "a\xcb\x3f\xf8\0\0\0\0\0\0", "{\"a\":1.5}");
	CONVERT("\x81\xa1" "a\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "past 2^63");
	CONVERT("\x81\xa1" "a\xcb\x7f\xf0\0\0\0\0\0\0", "not finite");
	CONVERT("\x81\xa1" "a\xa1\xff", "not UTF-8");
	CONVERT("\x81\xa1" "a\xc4\x01x", "binary");
	CONVERT("\x81\xa1" "a\xd4\x01x", "binary");
	CONVERT("\x81\xa1" "a\xa3x\0y", "NUL");
	CONVERT("\x81\x01\x02", "name is not a string");
	CONVERT("\x81\xa1\xff\x02", "name is not UTF-8");
	CONVERT("\x81\xa2" "a\0\x02", "name is not a string");
	CONVERT("\x82\xa1" "a\x01\xa1" "a\x02", "twice");
	CONVERT("\x81\xa1" "a", "cut short");
	CONVERT("\x80\x80", "after the end");
}

int
main(void)
{
	const struct msg_spec *spec;
	unsigned id;

	arena_init(&t.arena);
	for (id = 0; id < MSG_LIMIT; id++) {
		spec = msg_spec(id);
		if (spec == NULL)
			continue;
		test_tables(spec);
		test_round_trip(spec);
		test_by_hand(spec);
		test_types(spec);
		test_cut(spec);
		test_unknown(spec);
		test_json(spec);
		test_json_types(spec);
		test_json_inside(spec);
		test_print(spec);
		arena_reset(&t.arena);
	}
	ok(msg_spec(MSG_LIMIT) == NULL && msg_spec(UINT32_MAX) == NULL,
	    "no message past the last id");
	ok(msg_spec_named(SLICE("nonsense")) == NULL &&
	    msg_spec_named(SLICE_NONE) == NULL, "nor one without a name");
	test_print_long();
	test_records();
	test_part();
	test_limit();
	test_absurd_time();
	test_bad_text();
	test_msgpack_to_json();
	arena_release(&t.arena);
	return done();
}
