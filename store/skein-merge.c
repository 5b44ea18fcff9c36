/*
 * skein-merge - merge the search index's segments into larger ones
 *
 * Started by the store stage when it has passed a border; ends when nothing is
 * left to do.  Eight pieces of a level that lie side by side become one of the
 * next, and their files go.  Files that belong to no state of the log any more
 * go too.  Killed at any point it leaves whole files only.  See
 * skein-store(8).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_impl.h"
#include "common/xmalloc.h"
#include "store/merge.h"
#include "store/merge_impl.h"
#include "store/merger.h"
#include "store/vectors.h"

enum {
	SETTLE_US = 100000,
	QUIET_LOOKS = 20,
	LACKING_LOOKS = 120,	/* until an endpoint is asked again */
	LACKING_MOST = 3000,	/* each time twice as many, but no more */
	WAITING_MOST = 32,	/* pieces that wait while the stages are busy */
	STILL_MOST = 20		/* looks at a store that does not move */
};

static struct msg_cursor
read_cursor(struct db_txn *txn, const char *stage, struct arena *arena)
{
	struct msg_cursor c = { 0 };

	(void)db_get_msg(txn, TABLE_cursors, slice_str(stage), MSG_cursor,
	    arena, &c);
	return c;
}

/* How things stand: the pieces, and how far the log is indexed. */
static void
read_list(struct merging *m)
{
	struct db_txn *txn = db_read(m->store);
	struct arena arena;

	segment_list_read(&m->list, txn);
	db_abort(&txn);
	txn = db_read(m->shared);
	arena_init(&arena);
	m->cursor = read_cursor(txn, "store", &arena);
	m->log = read_cursor(txn, "ingest", &arena).seq;
	arena_release(&arena);
	db_abort(&txn);
	if (m->pool != NULL)
		vector_pool_look(m->pool, m->cursor.epoch);
}

/* ---- vectors ---- */

/* Those of a piece, if they are not there yet. */
static void
make_vectors(struct merging *m, const char *path)
{
	struct segment *s;
	struct buf bytes;
	char *file;

	if (m->embed == NULL)
		return;
	file = vectors_path(path, vectors_model(m->embed));
	if (access(file, F_OK) == 0) {
		free(file);
		return;
	}
	if (m->resting) {
		m->lacking = true;
	} else if ((s = segment_map(path)) != NULL) {
		buf_init(&bytes, SIZE_MAX / 4);
		if (vectors_write(s, m->shared, m->embed, m->pool,
			&bytes) == -1)
			m->lacking = true;
		else if (segment_save_bytes(m->dir, file,
			buf_slice(&bytes)) == -1)
			log_warn("%s", file);
		buf_release(&bytes);
		segment_close(&s);
	}
	free(file);
}

/* Of every piece that is there, the smallest first: larger ones are joined. */
static void
make_all_vectors(struct merging *m)
{
	unsigned level;
	uint64_t hash;
	size_t at, n;
	char *path;

	for (level = 0; level < SEGMENT_LEVELS; level++)
		for (at = 0; at < m->list.n; at += n > 0 ? n : 1) {
			n = 1;
			if (!segment_list_hash(&m->list, at, level, &hash,
				&n)) {
				n = 1;
				continue;
			}
			path = segment_path(m->dir, level,
			    m->list.rows[at].first, hash);
			if (access(path, F_OK) == 0)
				make_vectors(m, path);
			free(path);
		}
}

/* ---- merging ---- */

/* The pieces one level below, with vectors; how many could be opened. */
static size_t
open_children(struct merging *m, size_t at, unsigned level,
    struct segment **out, struct vectors **vectors)
{
	size_t i, n, rows;
	uint64_t hash;
	char *path, *file;

	for (i = 0; i < SEGMENT_FAN; i++, at += rows) {
		if (at >= m->list.n || !segment_list_hash(&m->list, at,
			level - 1, &hash, &rows))
			break;
		path = segment_path(m->dir, level - 1, m->list.rows[at].first,
		    hash);
		out[i] = segment_map(path);
		vectors[i] = NULL;
		if (out[i] != NULL && m->embed != NULL) {
			file = vectors_path(path, vectors_model(m->embed));
			vectors[i] = vectors_map(file, out[i], m->embed);
			free(file);
		}
		free(path);
		if (out[i] == NULL)
			break;
	}
	n = i;
	return n;
}

static void
join_vectors(struct merging *m, const struct segment *whole,
    struct segment *const *children, struct vectors *const *vectors,
    const char *path)
{
	struct buf bytes;
	char *file;
	size_t i;

	for (i = 0; i < SEGMENT_FAN; i++)
		if (vectors[i] == NULL)
			return;
	file = vectors_path(path, vectors_model(m->embed));
	buf_init(&bytes, SIZE_MAX / 4);
	if (vectors_join(whole, children, vectors, SEGMENT_FAN, m->embed,
		&bytes) == 0 &&
	    segment_save_bytes(m->dir, file, buf_slice(&bytes)) == -1)
		log_warn("%s", file);
	buf_release(&bytes);
	free(file);
}

/* What an endpoint has answered is not thrown away for what it has not. */
static bool
is_awaited(const struct merging *m, struct vectors *const *vectors)
{
	size_t i, there = 0;

	for (i = 0; i < SEGMENT_FAN; i++)
		there += vectors[i] != NULL;
	return m->pool != NULL && there > 0 && there < SEGMENT_FAN;
}

/* true: a file was made. */
static bool
merge_one(struct merging *m, size_t at, unsigned level, const char *path)
{
	struct segment *children[SEGMENT_FAN], *whole;
	struct vectors *vectors[SEGMENT_FAN];
	size_t n = open_children(m, at, level, children, vectors), i;
	bool made = false;
	struct buf bytes;

	buf_init(&bytes, SIZE_MAX / 4);
	if (n == SEGMENT_FAN && !is_awaited(m, vectors) &&
	    merge_segments(children, n, &bytes) == 0) {
		whole = segment_take(&bytes);
		/* First the vectors: who finds the piece finds them. */
		join_vectors(m, whole, children, vectors, path);
		made = segment_save(m->dir, path, whole) == 0;
		if (!made)
			log_warn("%s", path);
		segment_close(&whole);
	}
	for (i = 0; i < n; i++) {
		vectors_free(vectors[i]);
		segment_close(&children[i]);
	}
	buf_release(&bytes);
	return made;
}

static bool
is_whole(struct merging *m, const char *path)
{
	struct segment *s = segment_map(path);
	bool whole = s != NULL && segment_is_sound(s);
	struct vectors *v;
	char *file;

	if (whole && m->embed != NULL) {
		file = vectors_path(path, vectors_model(m->embed));
		v = vectors_map(file, s, m->embed);
		whole = v != NULL && vectors_is_sound(v);
		vectors_free(v);
		free(file);
	}
	segment_close(&s);
	return whole;
}

/*
 * Whether a piece is to be made of smaller ones.  Where it is there and the
 * first of them too, the store was made again, perhaps because somebody found
 * damage: then it is read whole before it is kept.
 */
static bool
is_due(struct merging *m, size_t at, unsigned level, const char *path)
{
	uint64_t hash;
	size_t n;
	char *part;
	bool due;

	if (access(path, F_OK) == -1)
		return true;
	if (!segment_list_hash(&m->list, at, level - 1, &hash, &n))
		return false;
	part = segment_path(m->dir, level - 1, m->list.rows[at].first, hash);
	due = access(part, F_OK) == 0 && !is_whole(m, path);
	free(part);
	return due;
}

static bool
merge_level(struct merging *m, unsigned level)
{
	bool any = false;
	uint64_t hash;
	size_t at, n;
	char *path;

	for (at = 0; at < m->list.n; at += n > 0 ? n : 1) {
		if (!segment_list_hash(&m->list, at, level, &hash, &n)) {
			n = 1;
			continue;
		}
		path = segment_path(m->dir, level, m->list.rows[at].first,
		    hash);
		if (is_due(m, at, level, path))
			any = merge_one(m, at, level, path) || any;
		free(path);
	}
	return any;
}

/* ---- all of it ---- */

/* What lies behind the last border, of an endpoint. */
static void
embed_tail(struct merging *m)
{
	if (m->pool != NULL && (m->resting || embed_tail_follow(&m->tail,
		m->shared, m->embed, m->pool, segment_list_end(&m->list),
		&m->cursor) == -1))
		m->lacking = true;
}

static void
merge_all(struct merging *m)
{
	unsigned level;
	bool any;

	do {
		read_list(m);
		any = m->lacking = false;
		make_all_vectors(m);
		for (level = 1; level < SEGMENT_LEVELS; level++)
			any = merge_level(m, level) || any;
		merge_sweep(m);
	} while (any);
	embed_tail(m);
	/* An endpoint that goes on failing is asked less and less. */
	if (!m->resting)
		m->patience = !m->lacking ? LACKING_LOOKS / 2 :
		    m->patience < LACKING_MOST / 2 ? m->patience * 2 :
		    LACKING_MOST;
}

/* Whether the store has a piece or more of the log still to index. */
static bool
is_behind(const struct merging *m)
{
	return m->log >= m->cursor.seq + SEGMENT_SPAN;
}

/*
 * While the stages have much to do the processor is theirs: pieces are found
 * as they are until then.  But not too many of them, and not for a store that
 * stands still.
 */
static void
merge_in_turn(struct merging *m)
{
	uint64_t epoch = m->cursor.epoch, seq;
	int still = 0;

	while (m->cursor.epoch == epoch && is_behind(m) &&
	    m->list.n < m->merged + WAITING_MOST && still < STILL_MOST) {
		seq = m->cursor.seq;
		usleep(SETTLE_US);
		read_list(m);
		still = m->cursor.seq == seq ? still + 1 : 0;
	}
	if (m->cursor.epoch != epoch)
		return;
	merge_all(m);
	m->merged = m->list.n;
}

/*
 * The stage starts nobody while we are here: so look a little longer.  Where
 * an endpoint makes vectors, `stay` until the stage ends: those of new entries
 * are asked for as they come.
 */
static void
merge_until_quiet(struct merging *m, bool stay)
{
	int looks, since = 0;
	uint64_t epoch;
	size_t rows;

	m->patience = LACKING_LOOKS / 2;
	read_list(m);
	epoch = m->cursor.epoch;
	merge_in_turn(m);
	for (looks = 0; looks < QUIET_LOOKS || m->lacking || stay; looks++) {
		rows = m->list.n;
		usleep(SETTLE_US);
		read_list(m);
		if (m->cursor.epoch != epoch)
			break;	/* the store is made again: so are we */
		since = m->lacking ? since + 1 : 0;
		m->resting = m->lacking && since < m->patience;
		if (m->list.n != rows || since >= m->patience) {
			since = m->resting ? since : 0;
			merge_in_turn(m);
			looks = 0;
		} else if (!m->lacking) {
			embed_tail(m);
		}
	}
}

/* Only one works on a home: the file lock goes with its owner. */
static int
take_lock(const struct merging *m)
{
	char *path = xasprintf("%s/lock", m->dir);
	int fd;

	/* Before the first border there is no piece, and no folder. */
	if (mkdir(m->dir, 0700) == -1 && errno != EEXIST)
		log_warn("%s", m->dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	free(path);
	return fd != -1 && flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : -1;
}

static struct db *
open_db(struct merging *m, enum env_id env)
{
	struct db_options options = stage_db_options(&m->conf);
	char *dir = conf_path(&m->conf, "db/%s", env_name(env));
	struct db_error why;
	struct db *db;

	options.read_only = true;
	options.durable = env == ENV_shared;
	if (db_open(&db, dir, env, &options, &why) == -1)
		fatalx(EX_RETRY, "%s", why.text);
	free(dir);
	return db;
}

int
main(int argc, char **argv)
{
	struct merging m = { 0 };

	conf_load(&m.conf, &argc, argv, EX_REFUSE);
	m.dir = segments_dir(&m.conf);
	if (take_lock(&m) == -1)
		return 0;
	/* What the stages do comes first. */
	if (setpriority(PRIO_PROCESS, 0, 19) == -1)
		log_warn("setpriority");
	m.store = open_db(&m, ENV_store);
	m.shared = open_db(&m, ENV_shared);
	m.embed = embed_open_set(&m.conf);
	if (m.embed != NULL && embed_is_remote(m.embed))
		m.pool = vector_pool_open(m.dir, m.embed);
	/* The stage lists the piece that we were started for right after. */
	usleep(SETTLE_US);
	merge_until_quiet(&m, m.pool != NULL && argc > 1 &&
	    strcmp(argv[1], MERGER_STAY) == 0);
	vector_pool_close(&m.pool);
	if (m.embed != NULL)
		embed_close(&m.embed);
	db_close(&m.shared);
	db_close(&m.store);
	segment_list_release(&m.list);
	conf_release(&m.conf);
	free(m.dir);
	return 0;
}
