/*
 * segment - an immutable piece of the search index
 *
 * Holds the documents of the entries first to last, a range fixed by seq:
 * level 0 has SEGMENT_SPAN entries, each level above SEGMENT_FAN times as
 * many.  What is in one follows from the log and the sections of its range
 * alone, byte for byte: the documents indexed at once and the merge of smaller
 * segments of the same range give the same file.
 *
 *   header      magic, format, range, directory, length, hash of the body
 *   sections    one per domain: nothing of a domain is in another's
 *   directory   name and section of each domain, sorted by name
 *
 * A section:
 *
 *   head        numbers of documents, terms; lengths; where the parts are
 *   columns     one per attribute: value - least, in as few bytes as will do
 *   norms       a byte a document: its class and about its length
 *   strings     users, types ... keys: sorted, columns hold their places
 *   dictionary  terms, sorted, sixteen to a block, common beginnings once
 *   postings    see posting.h
 *
 * Numbers are little-endian.  A reader checks every place before it goes
 * there: a damaged file gives fewer results, never a crash.  Whether it is
 * damaged tells the hash, which `skein check` looks at.
 *
 * Files: HOME/db/segments/LEVEL-FIRST-HASH.seg.
 */
#ifndef STORE_SEGMENT_H
#define STORE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "store/document.h"
#include "store/posting.h"

enum {
	SEGMENT_FORMAT = 1,
	SEGMENT_SPAN = 4096,	/* entries of level 0 */
	SEGMENT_FAN = 8,
	SEGMENT_LEVELS = 3,
	SEGMENT_PLACES = 8,	/* parts of a section */
	SEGMENT_DOCS_MOST = INT32_MAX,
};

/* Attributes; the numbers are part of the format. */
enum column {
	COLUMN_SEQ,
	COLUMN_I,
	COLUMN_KIND,
	COLUMN_THREAD,
	COLUMN_TURN,
	COLUMN_TS,
	COLUMN_PREV,		/* the thread's turn before: how far back */
	COLUMN_NEXT,		/* and after; 0: not in this segment */
	COLUMN_STRETCH,		/* the first turn of its sitting: how far back */
	COLUMN_LENGTH,
	COLUMN_WISH,		/* enum wish */
	/* from here on places in the strings */
	COLUMN_USER,
	COLUMN_ROOM,
	COLUMN_CHANNEL,
	COLUMN_ROLE,
	COLUMN_TYPE,
	COLUMN_STATUS,
	COLUMN_SESSION,
	COLUMN_KEY,		/* what it is a version of */
	COLUMN_COUNT,
	COLUMN_FIRST_STRING = COLUMN_USER,
};

/*
 * Terms that no text gives begin with this and a letter: t and a tag, p and a
 * word of the speaker's name, y, m and d with year, month and day of a turn.
 */
#define SEGMENT_MARK "\x01"

struct segment;

/* Turns of a thread and a session with no longer silence are one sitting. */
#define SEGMENT_SITTING_MS (INT64_C(6) * 3600 * 1000)

/* One domain of an open segment. */
struct section {
	const struct segment *segment;
	size_t place;		/* of the domain in the directory */
	uint32_t n_docs;
	uint64_t n_terms;
	uint64_t class_docs[CLASS_COUNT], class_length[CLASS_COUNT];
	struct {
		int64_t base;
		const unsigned char *at;
		unsigned width;
	} columns[COLUMN_COUNT];
	const unsigned char *norms;
	const unsigned char *strings;	/* n + 1 offsets of 4 bytes, the bytes */
	uint32_t n_strings;
	struct slice string_bytes;
	struct slice dict, postings;
	const unsigned char *blocks;	/* offsets of 4 bytes into dict */
	uint32_t n_blocks;
};

/* Maps a file; NULL: it is not there or no segment (errno). */
struct segment *segment_map(const char *path);
/* Takes bytes in memory over, emptying the buffer; NULL: no segment. */
struct segment *segment_take(struct buf *bytes);
void segment_close(struct segment **s);
/* See bring.h; false: all of it was there. */
bool segment_bring(struct segment *s);
/* Something that is kept with an open segment, and freed with it. */
void segment_attach(struct segment *s, void *data, void (*release)(void *));
void *segment_attached(const struct segment *s);
uint64_t segment_first(const struct segment *s);
uint64_t segment_last(const struct segment *s);
struct slice segment_slice(const struct segment *s);
size_t segment_domains(const struct segment *s);
struct slice segment_domain(const struct segment *s, size_t i);
/* Whether the body is what the header's hash says. */
bool segment_is_sound(const struct segment *s);
uint64_t segment_hash(const struct segment *s);

/* false: nothing of the domain is in it, or its section is damaged. */
bool section_open(const struct segment *s, struct slice domain,
    struct section *out);
bool section_at(const struct segment *s, size_t i, struct section *out);

static inline int64_t
section_value(const struct section *x, enum column c, uint32_t doc)
{
	uint64_t v;

	/* Eight bytes behind any value are still inside the file. */
	memcpy(&v, x->columns[c].at + (size_t)doc * x->columns[c].width, 8);
	v &= x->columns[c].width == 8 ? UINT64_MAX :
	    (UINT64_C(1) << (8 * x->columns[c].width)) - 1;
	return (int64_t)((uint64_t)x->columns[c].base + v);
}

struct slice section_string(const struct section *x, int64_t place);
/* The place of a string, or -1. */
int64_t section_find_string(const struct section *x, struct slice s);
/* The first document of entry seq or a later one; n_docs: there is none. */
uint32_t section_seek(const struct section *x, uint64_t seq);
/* A version by entry, kind and place; false: not here. */
bool section_find(const struct section *x, uint64_t seq,
    enum search_kind kind, uint64_t i, uint32_t *doc);

/* A dictionary entry. */
struct section_term {
	struct slice term;	/* in memory of the iterator */
	uint64_t df;
	struct slice postings;
};

struct term_iterator {
	const struct section *section;
	const unsigned char *at, *end;
	uint32_t block;
	unsigned in_block;
	uint64_t offset;		/* of the next postings */
	char term[256];
	size_t len;
};

/* At the first term that is not before `from`. */
void terms_seek(struct term_iterator *it, const struct section *x,
    struct slice from);
bool terms_next(struct term_iterator *it, struct section_term *out);
/* One term; false: not there. */
bool section_term(const struct section *x, struct slice term,
    struct section_term *out);

/* ---- lengths in six bits, with the class: a norm ---- */

uint8_t norm_of(enum document_class class, uint64_t length);
static inline enum document_class
norm_class(uint8_t norm)
{
	return norm >> 6;
}

float norm_length(uint8_t norm);

/* ---- writing ---- */

/* A domain's documents, by columns. */
struct segment_docs {
	struct slice domain;
	uint32_t n;
	int64_t *columns[COLUMN_COUNT];
	uint8_t *norms;
	struct slice *strings;		/* sorted, no two alike */
	size_t n_strings;
};

struct segment_writer {
	struct buf *out;
	size_t start;			/* of the section under way */
	uint64_t first, last;
	struct buf dict, blocks, postings;
	uint64_t n_terms;
	char last_term[256];
	size_t last_len;
	struct buf names, directory;
	uint64_t n_domains;
};

void writer_begin(struct segment_writer *w, struct buf *out, uint64_t first,
    uint64_t last);
/* Domains in order, and of each its terms in order. */
void writer_domain(struct segment_writer *w);
void writer_term(struct segment_writer *w, struct slice term,
    const uint32_t *docs, const uint8_t *codes, size_t n);
void writer_domain_end(struct segment_writer *w,
    const struct segment_docs *docs);
void writer_end(struct segment_writer *w);
/* Fills COLUMN_PREV, COLUMN_NEXT and COLUMN_STRETCH from the threads. */
void segment_link_turns(struct segment_docs *docs);

#endif
