/*
 * due_times - when the next thing of a stream is due, as far as it is known
 */
#include "compactor/due_times.h"

#include <stdlib.h>
#include <xxhash.h>

#include "common/xmalloc.h"

enum {
	PLACES = 512,		/* one stream each: another takes its place */
	KEY_BYTES = 64,		/* longer ones are looked up every time */
};

struct due_times {
	uint64_t batch;
	struct {
		int64_t first;
		size_t len;	/* 0: nothing is known */
		char key[KEY_BYTES];
	} at[PLACES];
};

struct due_times *
due_times_open(void)
{
	return xcalloc(1, sizeof(struct due_times));
}

void
due_times_close(struct due_times **d)
{
	free(*d);
	*d = NULL;
}

/* What was learnt may rest on a change that was never kept. */
void
due_times_resume(struct due_times *d, const struct db_txn *txn)
{
	uint64_t batch = db_txn_id(txn);
	size_t i;

	for (i = 0; batch != d->batch + 1 && i < PLACES; i++)
		d->at[i].len = 0;
	d->batch = batch;
}

static size_t
place_of(const struct key *stream)
{
	return XXH3_64bits(stream->bytes, stream->len) % PLACES;
}

static bool
is_known(const struct due_times *d, size_t i, const struct key *stream)
{
	return d->at[i].len == stream->len &&
	    memcmp(d->at[i].key, stream->bytes, stream->len) == 0;
}

bool
due_times_none(const struct due_times *d, const struct key *stream,
    int64_t ts)
{
	size_t i = place_of(stream);

	return d != NULL && is_known(d, i, stream) && d->at[i].first > ts;
}

void
due_times_learn(struct due_times *d, const struct key *stream, int64_t first)
{
	size_t i = place_of(stream);

	if (d == NULL || stream->len == 0 || stream->len > KEY_BYTES)
		return;
	d->at[i].first = first;
	d->at[i].len = stream->len;
	memcpy(d->at[i].key, stream->bytes, stream->len);
}

void
due_times_put(struct due_times *d, const struct key *stream, int64_t at)
{
	size_t i = place_of(stream);

	if (d != NULL && is_known(d, i, stream) && at < d->at[i].first)
		d->at[i].first = at;
}
