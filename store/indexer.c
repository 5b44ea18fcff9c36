/*
 * indexer - what the store stage keeps while entries pass
 */
#include "store/indexer.h"

#include <stdlib.h>

#include "common/log.h"
#include "common/stage_impl.h"
#include "common/xmalloc.h"
#include "store/index.h"
#include "store/merger.h"
#include "store/segments.h"

struct indexer {
	struct tokeniser *tokeniser;
	struct index *index;
	uint64_t border;	/* the last one that was passed */
	uint64_t upto;		/* the last entry that was seen */
	char *dir;
	bool passed;		/* a border, since the merger was told */
	struct merger merger;
};

static void
breathe(void *stage)
{
	status_breathe(stage);
}

/* Files that the tables list and that are gone are made from the log. */
static void
mend(struct stage *st, struct indexer *ix)
{
	struct segment_list list = { 0 };
	struct db_txn *own = db_read(st->own), *shared;
	struct segment *s;
	char *path;
	size_t i;

	segment_list_read(&list, own);
	db_abort(&own);
	for (i = 0; i < list.n; i++) {
		if (segments_hold(ix->dir, &list, i))
			continue;
		log_warnx("the segment of entries %llu to %llu is gone: made "
			  "again", (unsigned long long)list.rows[i].first,
		    (unsigned long long)list.rows[i].last);
		shared = db_read(st->shared);
		s = segment_make(shared, ix->tokeniser, list.rows[i].first,
		    list.rows[i].last, breathe, st);
		db_abort(&shared);
		path = segment_path(ix->dir, 0, list.rows[i].first,
		    list.rows[i].hash);
		/* If the log gives another one by now, it is not this one. */
		if (segment_hash(s) == list.rows[i].hash &&
		    segment_save(ix->dir, path, s) == -1)
			fatal(EX_RETRY, "%s: cannot be written", path);
		free(path);
		segment_close(&s);
	}
	/* Vectors of another table than is in use now are made again too. */
	merger_look(&ix->merger, &st->conf, list.n > 0 ||
	    st->conf.embed_endpoint[0] != '\0');
	segment_list_release(&list);
}

void
indexer_start(struct stage *st)
{
	struct indexer *ix = xcalloc(1, sizeof(*ix));

	ix->tokeniser = tokeniser_new();
	ix->index = index_new(ix->tokeniser);
	ix->dir = segments_dir(stage_conf(st));
	stage_set_state(st, ix);
	if (!st->shadow)
		mend(st, ix);
}

void
indexer_stop(struct stage *st)
{
	struct indexer *ix = stage_state(st);

	if (ix == NULL)
		return;
	merger_stop(&ix->merger);
	index_free(&ix->index);
	tokeniser_free(&ix->tokeniser);
	free(ix->dir);
	free(ix);
	stage_set_state(st, NULL);
}

/* ---- segments ---- */

static void
close_segment(struct stage *st, struct indexer *ix)
{
	uint64_t first = ix->border + 1, last = ix->border + SEGMENT_SPAN;
	struct msg_segment row = { .last = last };
	struct key k = key_u64(first);
	struct segment *s;
	struct buf bytes;
	char *path;

	buf_init(&bytes, SIZE_MAX / 4);
	index_write(ix->index, first, last, &bytes);
	row.bytes = bytes.len;
	s = segment_take(&bytes);
	row.hash = segment_hash(s);
	/* A shadow's tables are its own; the files are the stage's. */
	if (!st->shadow) {
		path = segment_path(ix->dir, 0, first, row.hash);
		if (segment_save(ix->dir, path, s) == -1)
			fatal(EX_RETRY, "%s: cannot be written", path);
		free(path);
	}
	segment_close(&s);
	db_put_msg(stage_tables(st), TABLE_segments, key_slice(&k),
	    MSG_segment, &row);
	ix->border = last;
	ix->passed = true;
	index_clear(ix->index, last);
}

/* ---- entries ---- */

static void
take_entry(struct stage *st, struct indexer *ix, const struct stage_entry *e)
{
	struct document *docs;
	size_t n = documents_of(e, stage_arena(st), &docs);

	index_add(ix->index, e->seq, docs, n);
	ix->upto = e->seq;
}

void
indexer_begin(struct stage *st)
{
	struct indexer *ix = stage_state(st);
	struct stage_entry e;
	struct db_txn *txn;
	uint64_t seq;

	if (ix->upto == st->applied)
		return;
	ix->border = st->applied - st->applied % SEGMENT_SPAN;
	ix->upto = st->applied;
	index_clear(ix->index, ix->border);
	txn = db_read(st->shared);
	for (seq = ix->border + 1; seq <= st->applied; seq++) {
		if (document_load(txn, seq, stage_arena(st), &e))
			take_entry(st, ix, &e);
		arena_reset(stage_arena(st));
		status_breathe(st);
	}
	db_abort(&txn);
	ix->upto = st->applied;
}

/* By key and entry, so that the last one of a key is the one that counts. */
static void
put_versions(struct stage *st, const struct document *docs, size_t n)
{
	struct msg_version v;
	struct key k;
	size_t i;

	for (i = 0; i < n; i++) {
		if (docs[i].key.len == 0)
			continue;
		key_init(&k);
		key_add_text(&k, docs[i].key);
		key_add_u64(&k, docs[i].seq);
		v = (struct msg_version){ .i = docs[i].i, .at = docs[i].ts };
		db_put_msg_later(stage_tables(st), TABLE_versions,
		    key_slice(&k), MSG_version, &v);
	}
}

/* What a superseded artifact says, its turns said: they are marked with it. */
static void
put_covers(struct stage *st, const struct msg_artifact *a)
{
	struct msg_cover cover = { .artifact = a->key };
	struct key k;
	size_t i;

	if (a->refined_by.count == 0 || a->thread == 0)
		return;
	cover.refined_by = a->refined_by.at[a->refined_by.count - 1];
	for (i = 0; i + 1 < a->turns.count; i += 2) {
		k = key_u64(a->thread);
		key_add_u64(&k, a->turns.at[i + 1]);
		key_add_text(&k, a->key);
		cover.first = a->turns.at[i];
		db_put_msg(stage_tables(st), TABLE_covers, key_slice(&k),
		    MSG_cover, &cover);
	}
}

void
indexer_apply(struct stage *st, const struct stage_entry *e,
    const struct msg *section)
{
	const struct msg *made = &e->sections[STAGE_compactor];
	struct indexer *ix = stage_state(st);
	struct document *docs;
	size_t i, n;

	(void)section;
	while (e->seq > ix->border + SEGMENT_SPAN)
		close_segment(st, ix);
	n = documents_of(e, stage_arena(st), &docs);
	index_add(ix->index, e->seq, docs, n);
	ix->upto = e->seq;
	put_versions(st, docs, n);
	for (i = 0; e->entry.id != MSG_tombstone &&
	     made->id == MSG_s_compactor &&
	     i < made->as->s_compactor.n_artifacts; i++)
		put_covers(st, &made->as->s_compactor.artifacts[i]);
}

void
indexer_flush(struct stage *st)
{
	struct indexer *ix = stage_state(st);

	while (st->cursor >= ix->border + SEGMENT_SPAN)
		close_segment(st, ix);
	ix->upto = st->cursor;
	if (!st->shadow)
		merger_look(&ix->merger, &st->conf, ix->passed);
	ix->passed = false;
}
