/*
 * batch_impl - what the files of streams share and nobody else needs
 *
 * batch_streams.c has the streams themselves, batch_words.c how common words
 * are in one, batch_recent.c when its threads were last active.
 */
#ifndef LINKER_BATCH_IMPL_H
#define LINKER_BATCH_IMPL_H

#include "linker/batch.h"

enum {
	STREAMS = 256,		/* buckets */
	WORDS = 32768,
	ACTIVES = 1024,
};

struct batch_stream {
	struct batch_stream *next;	/* of the bucket */
	struct batch_stream *after;	/* of those to be written */
	struct slice key;
	uint64_t hash;
	bool dirty;

	struct word *words;	/* to be written */
	uint64_t *filter;	/* of all its words; NULL: any may be there */
	size_t looked_up;	/* words that were looked for in the table */

	struct active *actives;	/* to be written */
	struct recents *recents;	/* NULL: the table has not been read */
};

struct streams {
	struct arena arena;	/* of the streams */
	struct batch_stream *at[STREAMS], *dirty;
	size_t n_streams;
	uint64_t last_thread;	/* was in this one: most calls come again */
	struct batch_stream *last;
	uint64_t resets;	/* of the entry's arena, as of the last look */

	struct arena kept;	/* of what is kept of them */
	struct word *words[WORDS];
	struct active *actives[ACTIVES];
	size_t n_kept;
};

/* Something of it is to be written. */
void stream_touch(struct streams *all, struct batch_stream *s);
void stream_key(const struct batch_stream *s, struct key *k);
void stream_write_words(struct batch_stream *s, struct db_txn *txn);
void stream_write_actives(struct batch_stream *s, struct db_txn *txn);

#endif
