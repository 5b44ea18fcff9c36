/*
 * damage - edits a table by hand, so that tests can see it being noticed
 *
 *   damage HOME delete TABLE KEY
 *   damage HOME copy   TABLE KEY KEY
 *   damage HOME garble TABLE KEY           the record becomes no record
 *   damage HOME set    TABLE KEY FIELD VALUE
 *
 * A KEY is a number, two joined by a comma, "first", "last", or text.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/db.h"
#include "common/log.h"
#include "common/xmalloc.h"

static enum table_id
table_named(const char *name)
{
	size_t i;

	for (i = 0; i < TABLE_COUNT; i++)
		if (strcmp(table_spec(i)->name, name) == 0)
			return i;
	fatalx(2, "there is no table %s", name);
}

static struct key
read_key(struct db_txn *txn, enum table_id table, const char *words)
{
	bool first = strcmp(words, "first") == 0;
	struct db_entry e;
	struct db_cursor *c;
	struct key k;
	char *end;

	key_init(&k);
	if (first || strcmp(words, "last") == 0) {
		c = db_cursor(txn, table);
		if (!(first ? db_first(c, &e) : db_last(c, &e)))
			fatalx(2, "the table is empty");
		key_add_bytes(&k, e.key);
		db_cursor_close(&c);
		return k;
	}
	if (words[0] < '0' || words[0] > '9') {
		key_add_bytes(&k, slice_str(words));
		return k;
	}
	key_add_u64(&k, strtoull(words, &end, 10));
	if (*end == ',')
		key_add_u64(&k, strtoull(end + 1, NULL, 10));
	return k;
}

static struct slice
get(struct db_txn *txn, enum table_id table, const struct key *k)
{
	struct slice value;

	if (!db_get(txn, table, key_slice(k), &value))
		fatalx(2, "there is no such row");
	return value;
}

static void
set_field(struct db_txn *txn, enum table_id table, const struct key *k,
    const char *name, const char *value)
{
	const struct msg_spec *spec;
	const struct msg_field *f = NULL;
	struct arena arena;
	struct msg_error why;
	struct msg m;
	char *msg;
	size_t i;

	arena_init(&arena);
	if (msg_decode(get(txn, table, k), &arena, &m, &why) == -1)
		fatalx(2, "%s", why.text);
	spec = msg_spec(m.id);
	msg = arena_alloc(&arena, spec->size);
	memcpy(msg, m.as, spec->size);
	for (i = 0; i < spec->n_fields; i++)
		if (strcmp(spec->fields[i].name, name) == 0)
			f = &spec->fields[i];
	if (f == NULL)
		fatalx(2, "%s has no field %s", spec->name, name);
	if (f->type == TYPE_str || f->type == TYPE_bin)
		*(struct slice *)(msg + f->offset) = slice_str(value);
	else if (f->type == TYPE_bool)
		*(bool *)(msg + f->offset) = value[0] == '1';
	else
		*(uint64_t *)(msg + f->offset) = strtoull(value, NULL, 10);
	*(uint64_t *)msg |= UINT64_C(1) << f->tag;
	db_put_msg(txn, table, key_slice(k), m.id, msg);
	arena_release(&arena);
}

static void
edit(struct db_txn *txn, enum table_id table, int argc, char **argv)
{
	struct key k = read_key(txn, table, argv[4]), to;
	struct slice value;
	char *copy;

	if (strcmp(argv[2], "delete") == 0) {
		(void)get(txn, table, &k);
		db_delete(txn, table, key_slice(&k));
	} else if (strcmp(argv[2], "garble") == 0) {
		db_put(txn, table, key_slice(&k), SLICE("\x93 garbled"));
	} else if (strcmp(argv[2], "copy") == 0 && argc == 6) {
		to = read_key(txn, table, argv[5]);
		value = get(txn, table, &k);
		copy = xmalloc(value.len);
		memcpy(copy, value.ptr, value.len);
		db_put(txn, table, key_slice(&to), slice_of(copy, value.len));
		free(copy);
	} else if (strcmp(argv[2], "set") == 0 && argc == 7) {
		set_field(txn, table, &k, argv[5], argv[6]);
	} else
		fatalx(2, "what is to be done?");
}

int
main(int argc, char **argv)
{
	struct db_options options = { .map_bytes = 1 << 20,
		.map_limit = 1 << 30, .max_readers = 512, .durable = true };
	enum table_id table;
	struct db_txn *txn;
	struct db_error why;
	struct db *db;
	char *dir;

	log_open("damage", LOG_WARN);
	if (argc < 5)
		fatalx(2, "usage: damage HOME WHAT TABLE KEY [...]");
	table = table_named(argv[3]);
	dir = xasprintf("%s/db/%s", argv[1], env_name(table_spec(table)->env));
	if (db_open(&db, dir, table_spec(table)->env, &options, &why) == -1)
		fatalx(2, "%s", why.text);
	txn = db_write(db);
	edit(txn, table, argc, argv);
	if (db_commit(&txn) != DB_DONE)
		fatalx(2, "%s", db_reason(db));
	db_close(&db);
	free(dir);
	return 0;
}
