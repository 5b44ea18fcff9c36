/*
 * embed - a text's vector, looked up in a static table
 *
 * The table (store/data/embed.bin, made by store/train/) holds one small
 * vector per word or piece of a word; a text's vector is the weighted sum of
 * those of its words, brought to a fixed length and rounded to int8.  All of
 * it is integer arithmetic: the same text gives the same bytes on every
 * machine, and a vector may be kept and compared for as long as the table
 * that made it is the one in use.  embed_id() names that table; vectors of
 * different ids must never be compared.
 *
 * An open table is read only: any number of threads may use one.
 */
#ifndef STORE_EMBED_H
#define STORE_EMBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buf.h"

enum {
	EMBED_DIMS_MAX = 4096,
	EMBED_LENGTH = 256,	/* of a vector, about: it is rounded */
	EMBED_NORM = EMBED_LENGTH * EMBED_LENGTH,
};

struct embed;

/*
 * Maps the table into memory.  NULL when there is none or it does not fit this
 * build (damaged, cut short, another version); the reason is then in `why`,
 * one line.
 */
struct embed *embed_open(const char *path, struct buf *why)
    __attribute__((warn_unused_result));
/* One whose vectors an endpoint makes; takes it over. */
struct embed_remote;
struct embed *embed_of_remote(struct embed_remote **remote);
void embed_close(struct embed **e);

/* The table's name and a hash of its content: "skein-static-1/8f3a91…". */
const char *embed_id(const struct embed *e);
size_t embed_dims(const struct embed *e);

/*
 * The vector of a text, embed_dims() bytes.  false: no word of it is known,
 * `out` is zeroes.  Linear in the text; what lies past EMBED_TEXT_MAX bytes
 * does not count.
 */
enum { EMBED_TEXT_MAX = 32768 };
bool embed_text(const struct embed *e, struct slice text, int8_t *out);
/* Whether asking takes a while, and may fail. */
bool embed_is_remote(const struct embed *e);
/* Of at most EMBED_MANY texts; -1: there are no vectors to be had now. */
enum { EMBED_MANY = 64 };
int embed_many(const struct embed *e, const struct slice *texts, size_t n,
    int8_t *out) __attribute__((warn_unused_result));
/*
 * The same of those words alone that the table has whole: pieces of letters
 * that are no word are near to something or other.
 */
bool embed_words(const struct embed *e, struct slice text, int8_t *out);

/*
 * For who compares much and keeps nothing: sums of the first `dims` numbers,
 * whole sixteens, not brought to a length.  Of a text's words, beginning at
 * nothing; of at most EMBED_TOGETHER pieces, added to what is there.  Who
 * approaches a piece some time before need not wait for it.  embed_piece tells
 * which word a piece is, of embed_pieces(); empty where it is only a part of
 * words.
 */
enum { EMBED_TOGETHER = 32 };
void embed_sum(const struct embed *e, struct slice text, size_t dims,
    int32_t *sum);
void embed_add(const struct embed *e, const uint32_t *pieces, size_t n,
    size_t dims, int32_t *sum);
void embed_approach(const struct embed *e, uint32_t piece, size_t dims);
size_t embed_pieces(const struct embed *e);
struct slice embed_piece(const struct embed *e, size_t i);

/*
 * How near two vectors of one table are: their cosine times EMBED_NORM, but
 * for rounding.
 */
int32_t embed_cosine(const int8_t *a, const int8_t *b, size_t dims);
/* Of one and of n that lie behind each other. */
void embed_cosines(const int8_t *query, const int8_t *rows, size_t n,
    size_t dims, int32_t *out);

#endif
