/*
 * stage_shadow - --shadow: a candidate beside the real stage, compared
 *
 * Runs decide and apply on a copy of the stage's tables, reads the sections
 * that the real stage commits, and says where its own would differ.  It takes
 * no lock, binds no socket and writes nothing into the store.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json.h"
#include "common/log.h"
#include "common/stage_impl.h"
#include "common/xmalloc.h"

static struct {
	uint64_t compared, differ;
} tally;

void
shadow_copy_tables(struct stage *st)
{
	struct db_options options = stage_db_options(&st->conf);
	char *real = conf_path(&st->conf, "db/%s", env_name(st->spec->env));
	struct db_error why;
	struct db *db;

	st->shadow_dir = xasprintf("%s/run/shadow.%s.%d", st->conf.home,
	    stage_name(st->spec->id), (int)getpid());
	if (mkdir(st->shadow_dir, 0700) == -1)
		fatal(EX_REFUSE, "%s", st->shadow_dir);
	/* From the first entry on, the candidate begins with nothing. */
	options.read_only = true;
	options.durable = false;
	if (st->shadow_from != 1) {
		if (db_open(&db, real, st->spec->env, &options, &why) == -1 ||
		    db_copy(db, st->shadow_dir, &why) == -1)
			fatalx(EX_RETRY, "%s", why.text);
		db_close(&db);
	}
	free(real);
}

static void
remove_copy(struct stage *st)
{
	static const char *const marks[] = { "dirty", "stamp", "suspect" };
	char *path;
	size_t i;

	if (db_wipe(st->shadow_dir) == -1)
		log_warn("%s", st->shadow_dir);
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		path = xasprintf("%s/%s", st->shadow_dir, marks[i]);
		(void)unlink(path);
		free(path);
	}
	if (rmdir(st->shadow_dir) == -1)
		log_warn("%s", st->shadow_dir);
	free(st->shadow_dir);
	st->shadow_dir = NULL;
}

static void
print_difference(uint64_t seq, struct slice real, struct slice mine)
{
	struct arena arena;
	struct msg_error why;
	struct buf out;
	struct msg m;

	arena_init(&arena);
	buf_init(&out, SIZE_MAX / 4);
	buf_addf(&out, "{\"seq\":%llu,\"stage\":", (unsigned long long)seq);
	if (msg_decode(real, &arena, &m, &why) == 0)
		msg_to_json(&out, m.id, m.as, false);
	else
		json_put_str(&out, slice_str(why.text));
	buf_adds(&out, ",\"candidate\":");
	if (msg_decode(mine, &arena, &m, &why) == 0)
		msg_to_json(&out, m.id, m.as, false);
	else
		json_put_str(&out, slice_str(why.text));
	buf_adds(&out, "}");
	puts(buf_cstr(&out));
	fflush(stdout);
	buf_release(&out);
	arena_release(&arena);
}

static void
decide_one(struct stage *st, struct db_txn *txn, uint64_t seq, struct buf *mine)
{
	static const struct msg_s_none rejected = { .rejected = true }, nothing;
	struct msg section = { MSG_s_none, (const union msg_any *)&nothing };
	struct entry_reader from = { .txn = txn };
	struct stage_entry e;
	struct msg_error why;
	int rc;

	rc = turn_load(st, &from, seq, false, &e, &why);
	if (rc == 0 && st->filter != NULL)
		rc = filter_decide(st, &e, &section, &why);
	else if (rc == 0 && st->spec->decide != NULL)
		rc = st->spec->decide(st, &e, &section, &why);
	if (rc == -1)
		section = (struct msg){ MSG_s_none,
			(const union msg_any *)&rejected };
	if (rc == 0 && st->spec->apply != NULL)
		st->spec->apply(st, &e, &section);
	buf_clear(mine);
	if (msg_encode(mine, section.id, section.as) == -1)
		fatalx(EX_RETRY, "a section is larger than memory allows");
}

/* Compares one entry; false if the real stage is not there yet. */
static bool
compare_one(struct stage *st, uint64_t seq, struct buf *mine)
{
	struct db_txn *txn = db_read(st->shared);
	struct key key = key_u64(seq);
	struct slice real;
	bool there;

	there = db_get(txn, stage_section_table(st->spec->id), key_slice(&key),
	    &real);
	if (there) {
		turn_begin(st);
		decide_one(st, txn, seq, mine);
		st->cursor = seq;
		turn_flush(st);
		if (db_commit(&st->tables) != DB_DONE)
			fatalx(EX_RETRY, "%s", db_reason(st->own));
		tally.compared++;
		if (!slice_eq(real, buf_slice(mine))) {
			tally.differ++;
			print_difference(seq, real, buf_slice(mine));
		}
	}
	db_abort(&txn);
	arena_reset(&st->arena);
	return there;
}

int
shadow_run(struct stage *st)
{
	struct buf mine;
	uint64_t seq;

	derived_open(st);
	seq = st->shadow_from == 1 ? 1 : st->applied + 1;
	buf_init(&mine, SIZE_MAX / 4);
	while (st->shadow_count == 0 || tally.compared < st->shadow_count) {
		if (compare_one(st, seq, &mine)) {
			seq++;
			continue;
		}
		if (st->once || st->at == STATE_stopping)
			break;
		/* The lifeline and signals are looked at between entries. */
		ev_run(st->loop, EVRUN_NOWAIT);
		usleep(20000);
	}
	printf("{\"compared\":%llu,\"differ\":%llu}\n",
	    (unsigned long long)tally.compared,
	    (unsigned long long)tally.differ);
	buf_release(&mine);
	db_close(&st->own);
	remove_copy(st);
	return tally.differ > 0 ? 1 : 0;
}
