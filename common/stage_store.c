/*
 * stage_store - opening the store: what stages and who only reads have in common
 */
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/log.h"
#include "common/stage.h"

struct db_options
stage_db_options(const struct conf *conf)
{
	int64_t size = conf->map_size < conf->map_limit ? conf->map_size :
							  conf->map_limit;

	return (struct db_options){
		.map_bytes = (size_t)size << 20,
		.map_limit = (size_t)conf->map_limit << 20,
		.max_readers = (unsigned)conf->max_readers,
		.durable = true,
	};
}

static void
make_meta(struct db *db)
{
	struct msg_meta meta = { .schema = TABLES_SCHEMA,
		.program = SLICE("skein") };
	struct db_txn *txn = db_write(db);
	unsigned char id[16];
	struct slice there;

	/* Two stages may both come to an empty store: the first one names it. */
	if (!db_get(txn, TABLE_meta, SLICE("store"), &there)) {
		randombytes_buf(id, sizeof(id));
		meta.store_id = slice_of((const char *)id, sizeof(id));
		db_put_msg(txn, TABLE_meta, SLICE("store"), MSG_meta, &meta);
	}
	if (db_commit(&txn) != DB_DONE)
		fatalx(EX_RETRY, "%s: %s", db_dir(db), db_reason(db));
}

struct db *
stage_open_shared(const struct conf *conf, bool read_only)
{
	struct db_options options = stage_db_options(conf);
	char *base = conf_path(conf, "db"), *dir = conf_path(conf, "db/shared");
	struct db_error why;
	struct db *db;

	options.read_only = read_only;
	if (!read_only && mkdir(base, 0700) == -1 && errno != EEXIST)
		fatal(EX_REFUSE, "%s", base);
	if (db_open(&db, dir, ENV_shared, &options, &why) == -1)
		fatalx(why.full ? EX_RETRY : EX_REFUSE, "%s%s", why.text,
		    why.absent ? " (is this the right --home? 'skein up' "
				 "makes a store)" :
				 "");
	if (!read_only)
		make_meta(db);
	free(base);
	free(dir);
	return db;
}
