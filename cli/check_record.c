/*
 * check_record - what `skein check` says, and how it reads a record
 */
#include <stdarg.h>
#include <stdio.h>

#include "cli/check.h"
#include "common/json.h"

/* ---- saying ---- */

static uint64_t
count_kind(struct check *c, const char *kind)
{
	size_t i;

	for (i = 0; i < CHECK_KINDS; i++) {
		if (c->kinds[i].kind == NULL)
			c->kinds[i].kind = kind;
		if (strcmp(c->kinds[i].kind, kind) == 0)
			return ++c->kinds[i].count;
	}
	return 1;
}

static void
say(const struct check *c, const char *member, const char *kind,
    const char *words)
{
	struct buf out;

	buf_init(&out, SIZE_MAX / 4);
	if (!c->cli->json) {
		printf("%s: %s\n", kind, words);
	} else {
		buf_addf(&out, "{\"%s\":\"%s\",\"message\":", member, kind);
		json_put_str(&out, slice_str(words));
		buf_addc(&out, '}');
		puts(buf_cstr(&out));
	}
	buf_release(&out);
}

void
check_finding(struct check *c, const char *kind, const char *fmt, ...)
{
	struct buf words;
	va_list ap;

	c->findings++;
	if (count_kind(c, kind) > CHECK_SHOWN)
		return;
	buf_init(&words, SIZE_MAX / 4);
	va_start(ap, fmt);
	buf_vaddf(&words, fmt, ap);
	va_end(ap);
	say(c, "check", kind, buf_cstr(&words));
	buf_release(&words);
}

void
check_note(struct check *c, const char *fmt, ...)
{
	struct buf words;
	va_list ap;

	buf_init(&words, SIZE_MAX / 4);
	va_start(ap, fmt);
	buf_vaddf(&words, fmt, ap);
	va_end(ap);
	say(c, "note", "note", buf_cstr(&words));
	buf_release(&words);
}

void
check_say_unshown(const struct check *c)
{
	struct buf words;
	size_t i;

	buf_init(&words, 256);
	for (i = 0; i < CHECK_KINDS && c->kinds[i].kind != NULL; i++) {
		if (c->kinds[i].count <= CHECK_SHOWN)
			continue;
		buf_clear(&words);
		buf_addf(&words, "and %llu more",
		    (unsigned long long)c->kinds[i].count - CHECK_SHOWN);
		say(c, "check", c->kinds[i].kind, buf_cstr(&words));
	}
	buf_release(&words);
}

/* ---- records ---- */

static struct db_txn *
txn_of(const struct check *c, enum table_id table)
{
	return c->txns[table_spec(table)->env];
}

const char *
check_key(struct check *c, enum table_id table, struct slice key)
{
	struct slice words = SLICE_NONE;
	struct buf out;
	size_t i;

	if (key.len == 8 && table_spec(table)->key != KEY_text)
		words = arena_printf(&c->arena, "%llu",
		    (unsigned long long)key_read_u64(key, 0));
	else if (table == TABLE_thread_turns && key.len == 16)
		words = arena_printf(&c->arena, "t%llu turn %llu",
		    (unsigned long long)key_read_u64(key, 0),
		    (unsigned long long)key_read_u64(key, 8));
	else {
		buf_init(&out, 2048);
		for (i = 0; i < key.len; i++) {
			if (key.ptr[i] >= 0x20 && key.ptr[i] < 0x7f)
				buf_addc(&out, key.ptr[i]);
			else
				buf_addf(&out, "\\%02x",
				    (unsigned char)key.ptr[i]);
		}
		words = arena_dup(&c->arena, buf_slice(&out));
		buf_release(&out);
	}
	return arena_cstr(&c->arena, words);
}

void
check_note_hole(struct check *c, enum table_id table)
{
	if (table == TABLE_log || table == TABLE_s_ingest)
		c->partial = true;
}

bool
check_decode(struct check *c, enum table_id table, const struct db_entry *e,
    struct msg *out)
{
	const struct table_spec *spec = table_spec(table);
	struct msg_error why;

	if (msg_decode(e->value, &c->arena, out, &why) == -1) {
		check_note_hole(c, table);
		check_finding(c, "record", "%s %s: cannot be read: %s",
		    spec->name, check_key(c, table, e->key), why.text);
		return false;
	}
	if (strcmp(spec->value, "any") == 0 ||
	    strcmp(spec->value, msg_spec(out->id)->name) == 0)
		return true;
	check_finding(c, "record", "%s %s: is a %s, not a %s", spec->name,
	    check_key(c, table, e->key), msg_spec(out->id)->name, spec->value);
	return false;
}

bool
check_get(struct check *c, enum table_id table, struct slice key,
    enum msg_id id, void *out)
{
	struct msg_error why;
	struct slice value;

	/* What is bad is said once, where its table is read through. */
	return db_get(txn_of(c, table), table, key, &value) &&
	    msg_decode_as(value, &c->arena, id, out, &why) == 0;
}

bool
check_has(struct check *c, enum table_id table, struct slice key)
{
	struct slice value;

	return db_get(txn_of(c, table), table, key, &value);
}

struct db_cursor *
check_rows(struct check *c, enum table_id table)
{
	return db_cursor(txn_of(c, table), table);
}
