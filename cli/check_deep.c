/*
 * check_deep - ingest's tables made again beside the real ones, and compared
 *
 * The same path as a start of ingest with its tables lost: its sections are
 * applied from the first on, up to where the real tables are.  Needs as much
 * room in HOME/run as those tables have.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/check.h"
#include "cli/digest.h"
#include "common/log.h"
#include "common/stage_impl.h"
#include "ingest/cache.h"
#include "ingest/place.h"

static void
apply(struct stage *st, const struct stage_entry *e, const struct msg *section)
{
	if (section->id == MSG_s_ingest)
		place_apply(st, e, &section->as->s_ingest);
}

static const struct stage_spec ingest = {
	.id = STAGE_ingest,
	.env = ENV_ingest,
	.derived = TABLE_ingest_derived,
	.apply = apply,
	.begin = cache_begin,
	.flush = cache_flush,
};

static void
compare(struct check *c, struct db *fresh)
{
	char want[2 * DIGEST_BYTES + 1], got[2 * DIGEST_BYTES + 1];
	struct db_txn *txn = db_read(fresh);
	size_t i;

	for (i = 0; i < TABLE_COUNT; i++) {
		if (table_spec(i)->env != ENV_ingest || !table_spec(i)->digest)
			continue;
		(void)digest_table(txn, i, want);
		(void)digest_table(c->txns[ENV_ingest], i, got);
		if (strcmp(want, got) != 0)
			check_finding(c, "deep", "%s is not what the sections "
			    "give: remove db/ingest while ingest is down, it "
			    "makes them again", table_spec(i)->name);
	}
	db_abort(&txn);
}

/* Whatever is in it: tables, and the marks that the stage's code leaves. */
static void
remove_scratch(struct stage *st)
{
	const struct dirent *file;
	DIR *dir;

	db_close(&st->own);
	dir = opendir(st->shadow_dir);
	while (dir != NULL && (file = readdir(dir)) != NULL)
		if (file->d_name[0] != '.' &&
		    unlinkat(dirfd(dir), file->d_name, 0) == -1)
			log_warn("%s/%s", st->shadow_dir, file->d_name);
	if (dir != NULL)
		closedir(dir);
	if (rmdir(st->shadow_dir) == -1)
		log_warn("%s", st->shadow_dir);
}

void
check_deep(struct check *c)
{
	struct stage st = { .spec = &ingest, .conf = c->cli->conf,
		.shadow = true, .lock_fd = -1, .store_id = c->store_id,
		.cursor = c->applied, .epoch = c->cursors[STAGE_ingest].epoch };
	char *run;

	if (!c->tables) {
		check_note(c, "--deep: ingest's tables are not there to "
		    "compare");
		return;
	}
	run = conf_path(&st.conf, "run");
	st.shadow_dir = conf_path(&st.conf, "run/check.%d", (int)getpid());
	st.shared = c->dbs[ENV_shared];
	if ((mkdir(run, 0700) == -1 && errno != EEXIST) ||
	    mkdir(st.shadow_dir, 0700) == -1)
		check_finding(c, "deep", "%s: %s", st.shadow_dir,
		    strerror(errno));
	else {
		/* A handle has one transaction; catching up takes its own. */
		db_abort(&c->txns[ENV_shared]);
		arena_init(&st.arena);
		buf_init(&st.batch.bytes, SIZE_MAX / 4);
		derived_open(&st);
		if (derived_catch_up(&st))
			compare(c, st.own);
		else
			check_finding(c, "deep", "no room to make the tables "
			    "again");
		remove_scratch(&st);
		c->txns[ENV_shared] = db_read(st.shared);
		batch_release(&st.batch);
		arena_release(&st.arena);
	}
	free(run);
	free(st.shadow_dir);
}
