/*
 * segments - the files of the search index, and which of them count
 *
 * HOME/db/segments holds LEVEL-FIRST-HASH.seg.  The store's table `segments`
 * lists what the log was cut into, each piece with the hash of its content.  A
 * piece of level 0 is named by that hash, a larger one by the hash of those of
 * its range: so a name says whether a file is of the log as it stands, and
 * merging needs no list of its own.  A file appears by rename, whole or not
 * at all, and is never changed.
 */
#ifndef STORE_SEGMENTS_H
#define STORE_SEGMENTS_H

#include "common/conf.h"
#include "common/db.h"
#include "store/segment.h"
#include "store/tokenise.h"

/* The list of the store's table, in order. */
struct segment_row {
	uint64_t first, last, hash, bytes;
};
struct segment_list {
	struct segment_row *rows;
	size_t n, room;
};

void segment_list_read(struct segment_list *list, struct db_txn *store);
void segment_list_release(struct segment_list *list);
/* How many entries a piece of a level has. */
uint64_t segment_span(unsigned level);
/* The last entry that the list reaches without a gap; 0: none. */
uint64_t segment_list_end(const struct segment_list *list);
/*
 * The hash in the name of the piece of `level` that begins with row `at`;
 * false: the list does not hold all of it.  *n: how many rows it covers.
 */
bool segment_list_hash(const struct segment_list *list, size_t at,
    unsigned level, uint64_t *hash, size_t *n);

char *segments_dir(const struct conf *conf);	/* to be freed */
char *segment_path(const char *dir, unsigned level, uint64_t first,
    uint64_t hash);				/* to be freed */
/*
 * Writes a file by way of another name, with fsync.  -1 and errno.  A segment
 * that is there already, sound, is left.
 */
int segment_save_bytes(const char *dir, const char *path,
    struct slice bytes) __attribute__((warn_unused_result));
int segment_save(const char *dir, const char *path, const struct segment *s)
    __attribute__((warn_unused_result));

/*
 * The piece of the range as the log and the sections now give it.  `beat` (may
 * be NULL) is called now and then.
 */
struct segment *segment_make(struct db_txn *shared,
    struct tokeniser *tokeniser, uint64_t first, uint64_t last,
    void (*beat)(void *data), void *data);
/* Whether a file holds the piece that begins with row `at`, of any level. */
bool segments_hold(const char *dir, const struct segment_list *list,
    size_t at);

/* A file's name taken apart; false: it is none of ours. */
struct segment_name {
	unsigned level;
	uint64_t first, hash;
};
bool segment_name_parse(const char *name, struct segment_name *out);

#endif
