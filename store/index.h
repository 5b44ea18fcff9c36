/*
 * index - documents on their way into a segment
 *
 * Takes documents in the order of the log and gives a segment of them.  Holds
 * at most a segment's range, so its memory is bounded by that of its texts.
 */
#ifndef STORE_INDEX_H
#define STORE_INDEX_H

#include "store/document.h"
#include "store/tokenise.h"

struct index;

/* The tokeniser stays the caller's and must outlive it. */
struct index *index_new(struct tokeniser *tokeniser);
void index_free(struct index **ix);
/* Empties it, for the entries behind `upto`. */
void index_clear(struct index *ix, uint64_t upto);
/* The documents of one entry, which must be behind the last. */
void index_add(struct index *ix, uint64_t seq, const struct document *docs,
    size_t n);
/* The segment of what was added, for a range that holds it. */
void index_write(const struct index *ix, uint64_t first, uint64_t last,
    struct buf *out);
/* The terms that no text gives: a tag's, a speaker's word's, a day's. */
struct slice index_tag_term(struct arena *arena, struct slice tag);
struct slice index_speaker_term(struct arena *arena, struct slice word);
enum { INDEX_DATE_TERMS = 3 };
/* Year, month, day of the month in UTC. */
void index_date_terms(struct arena *arena, int64_t ts,
    struct slice out[INDEX_DATE_TERMS]);
/* A name that says nothing about who it is: user, assistant ... */
bool index_is_generic_name(struct slice folded);

#endif
