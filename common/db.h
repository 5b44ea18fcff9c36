/*
 * db - LMDB environments, and the tables of tables.def inside them
 *
 * The only file that knows LMDB.  Map growth, a map grown by another process,
 * stale readers, a full map and a full disk are dealt with here.
 *
 * Errors inside a transaction stick: after the first, writes do nothing and
 * reads find nothing, and db_commit says what it was.  So code that works on
 * tables has no error paths of its own, and nothing half done is ever kept.
 *
 * Bytes that a read gives belong to the map: they live until the transaction
 * ends or its next write.
 */
#ifndef COMMON_DB_H
#define COMMON_DB_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/msg.h"
#include "store/tables.def"

/* The truth, each stage's own tables, assess's, the test stage's. */
enum env_id {
	ENV_shared,
#define STAGE(name, what) ENV_##name,
#include "common/stages.def"
	ENV_assess,
	ENV_probe,
	ENV_COUNT
};

enum table_id {
#define TABLE(name, env, key, value, owner, digest, what) TABLE_##name,
#include "store/tables.def"
	TABLE_COUNT
};

enum table_key { KEY_u64, KEY_text, KEY_bytes };

struct table_spec {
	const char *name;
	enum env_id env;
	enum table_key key;
	const char *value;	/* a message's name, "any" or "text" */
	const char *owner;
	bool digest;
	const char *what;
};

const struct table_spec *table_spec(enum table_id table);
const char *env_name(enum env_id env);
/* The version that its tables must be of to be used. */
uint64_t env_schema(enum env_id env);

struct db;
struct db_txn;
struct db_cursor;

enum db_result {
	DB_DONE,
	DB_FULL,	/* map at its limit, or disk full: nothing was kept */
	DB_BROKEN	/* damaged, or an invariant does not hold */
};

struct db_options {
	size_t map_bytes;	/* first size */
	size_t map_limit;
	unsigned max_readers;
	bool read_only;
	bool durable;		/* every commit reaches the disk */
};

struct db_error {
	bool absent;		/* there is no such environment */
	bool damaged;		/* it cannot be read as one */
	bool full;		/* no room to make it */
	char text[400];
};

/* Opens, or makes unless read_only, the environment in folder `dir`. */
int db_open(struct db **out, const char *dir, enum env_id env,
    const struct db_options *options, struct db_error *why)
    __attribute__((warn_unused_result));
void db_close(struct db **db);
/* Removes an environment's files; it must not be open. 0, or -1 and errno. */
int db_wipe(const char *dir);
/* Flushes what a non-durable environment has written. */
int db_sync(struct db *db);
/* A consistent, compact copy into an existing, empty folder, while in use. */
int db_copy(struct db *db, const char *dir, struct db_error *why);
const char *db_dir(const struct db *db);

/* Never fails: what cannot begin ends the process (EX_RETRY). */
struct db_txn *db_read(struct db *db);
struct db_txn *db_write(struct db *db);
enum db_result db_commit(struct db_txn **txn)
    __attribute__((warn_unused_result));
/* Ends a reading transaction, or gives a writing one up. */
void db_abort(struct db_txn **txn);
/*
 * Of one that writes: one more than that of the last that was kept, by whichever
 * process; so one that was given up and the one after it have the same.
 */
uint64_t db_txn_id(const struct db_txn *txn);
/* Whether anything has failed in it so far. */
enum db_result db_state(const struct db_txn *txn);
const char *db_reason(const struct db *db);	/* of the last failure */

bool db_get(struct db_txn *txn, enum table_id table, struct slice key,
    struct slice *value);
void db_put(struct db_txn *txn, enum table_id table, struct slice key,
    struct slice value);
/* The key must be past all others: anything else is DB_BROKEN. */
void db_append(struct db_txn *txn, enum table_id table, struct slice key,
    struct slice value);
void db_delete(struct db_txn *txn, enum table_id table, struct slice key);
void db_clear(struct db_txn *txn, enum table_id table);
uint64_t db_count(struct db_txn *txn, enum table_id table);

/* Messages straight in and out of a table. */
bool db_get_msg(struct db_txn *txn, enum table_id table, struct slice key,
    enum msg_id id, struct arena *arena, void *out);
void db_put_msg(struct db_txn *txn, enum table_id table, struct slice key,
    enum msg_id id, const void *msg);

/*
 * The same, at leisure: done by the time that anybody looks at the table or the
 * transaction is kept, in the order of the keys, which costs half.  A cursor
 * that is open already does not see it before.
 */
void db_put_msg_later(struct db_txn *txn, enum table_id table,
    struct slice key, enum msg_id id, const void *msg);
void db_delete_later(struct db_txn *txn, enum table_id table,
    struct slice key);
/* Where there is a record by then, `merge` takes it into the one that is put. */
void db_merge_msg_later(struct db_txn *txn, enum table_id table,
    struct slice key, enum msg_id id, const void *msg,
    void (*merge)(void *msg, const void *there));

/* Cursors end with their transaction, or earlier by db_cursor_close. */
struct db_cursor *db_cursor(struct db_txn *txn, enum table_id table);
void db_cursor_close(struct db_cursor **cursor);
struct db_entry {
	struct slice key, value;
};
/* Each: false at the end. */
bool db_first(struct db_cursor *c, struct db_entry *out);
bool db_last(struct db_cursor *c, struct db_entry *out);
bool db_seek(struct db_cursor *c, struct slice key, struct db_entry *out);
/* The last one at or before key. */
bool db_seek_back(struct db_cursor *c, struct slice key, struct db_entry *out);
bool db_next(struct db_cursor *c, struct db_entry *out);
/* The one behind this, of those that were appended, will be asked for soon. */
void db_fetch_next(const struct db_entry *e);
bool db_prev(struct db_cursor *c, struct db_entry *out);

/* After DB_FULL: true if the map was made larger, so that trying again helps. */
bool db_grow(struct db *db);
struct db_room {
	uint64_t used_bytes;
	uint64_t map_bytes;
	uint64_t map_limit;
	uint64_t disk_free_bytes;
	unsigned readers;
};
int db_room(struct db *db, struct db_room *out)
    __attribute__((warn_unused_result));
/* Bytes inside the map that are free for reuse; reads the whole free list. */
uint64_t db_free_bytes(struct db *db);
/* Clears slots of readers that died; how many. */
int db_reap_readers(struct db *db);
/* One line per reader: pid and how many transactions it lags. */
void db_list_readers(struct db *db, struct buf *out);

/* Keys are big-endian or text, so that byte order is their order. */
struct key {
	unsigned char bytes[511];	/* LMDB's limit */
	size_t len;
};
void key_init(struct key *k);
void key_add_u64(struct key *k, uint64_t n);
void key_add_i64(struct key *k, int64_t n);	/* order kept across the sign */
void key_add_text(struct key *k, struct slice s);	/* and a NUL */
void key_add_bytes(struct key *k, struct slice s);
struct slice key_slice(const struct key *k);
/* Inline: every row of the log and of each section has such a key. */
static inline struct key
key_u64(uint64_t n)
{
	uint64_t be = htobe64(n);
	struct key k;

	memcpy(k.bytes, &be, sizeof(be));
	k.len = sizeof(be);
	return k;
}
/* The second of a kind's: a turn of a thread, a row of an entry. */
struct key key_pair(uint64_t first, uint64_t second);
/*
 * What is a whole domain's; a name within a domain, as it is; a stream, which
 * is a user's or a room's: "domain NUL u NUL name NUL"; a name, hashed: a
 * random put per entry wants a small key.
 */
void key_set_domain(struct key *k, struct slice domain);
void key_set_named(struct key *k, struct slice domain, struct slice name);
void key_set_stream(struct key *k, struct slice domain, struct slice user,
    struct slice room);
void key_set_hashed(struct key *k, struct slice domain, struct slice name);
/* The same as values: inline, or it would be copied once more. */
static inline struct key
key_domain(struct slice domain)
{
	struct key k;

	key_set_domain(&k, domain);
	return k;
}
static inline struct key
key_named(struct slice domain, struct slice name)
{
	struct key k;

	key_set_named(&k, domain, name);
	return k;
}
static inline struct key
key_stream(struct slice domain, struct slice user, struct slice room)
{
	struct key k;

	key_set_stream(&k, domain, user, room);
	return k;
}
static inline struct key
key_hashed(struct slice domain, struct slice name)
{
	struct key k;

	key_set_hashed(&k, domain, name);
	return k;
}
uint64_t key_read_u64(struct slice key, size_t at);
int64_t key_read_i64(struct slice key, size_t at);

#endif
