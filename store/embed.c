/*
 * embed - a text's vector, looked up in a static table
 *
 *	text -> words -> pieces -> rows of int8 -> weighted sum -> int8
 *
 * A word is a run of ASCII letters and digits once case and accents are taken
 * off; everything else only parts words.  A word that the table does not have
 * is cut into the longest pieces it has, from the left.  The file, all numbers
 * little-endian, each part filled up to eight bytes:
 *
 *	 0  "skeinemb"
 *	 8  u32 version, u32 dims, u32 pieces, u32 length of the text
 *	24  the table's name, 24 bytes, zeroes behind
 *	48  u64 FNV-1a, eight bytes at a time, of bytes 0..47 and 56..end
 *	56  text: the pieces, a newline behind each; "##" before one that
 *	    does not begin a word
 *	    u16 scale[pieces]		what one step of a row is worth
 *	    i8  row[pieces][dims]
 */
#include "store/embed.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utf8proc.h>

#include "common/little.h"
#include "common/text.h"
#include "common/xmalloc.h"
#include "store/embed_remote.h"
#include "store/embed_round.h"
#include "store/embed_rows.h"

enum {
	EMBED_VERSION = 1,
	HEADER_BYTES = 56,
	NAME_AT = 24, NAME_BYTES = 24,
	SUM_AT = 48,
	BLOCK = 16,			/* dims come in whole blocks */
	PIECES_MAX = 1 << 20,
	SCALE_MAX = 1023,
	WORD_BYTES = 100,		/* longer ones are no words */
	TEXT_PIECES = 1 << 14,		/* times 127 SCALE_MAX: 31 bits */
};

/* Where the pieces that begin a word and those inside one are hashed from. */
static const uint32_t SEED_BEGIN = 2166136261u, SEED_INSIDE = 3339675911u;

struct slot {
	uint32_t hash;
	uint32_t piece;			/* from 1; 0: empty */
};

struct embed {
	unsigned char *map;
	size_t map_len;
	size_t dims;
	uint32_t pieces;
	const int8_t *rows;
	uint16_t *scale;
	struct slice *text;		/* without the "##" */
	struct slot *slots;
	uint32_t mask;
	char id[NAME_BYTES + 24];
	struct embed_remote *remote;	/* then there is no table */
};

/* ---- the file */

static size_t
filled(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

static uint64_t
checksum(uint64_t h, const unsigned char *p, size_t len)
{
	for (size_t i = 0; i < len; i += 8)
		h = (h ^ little_u64(p + i)) * 1099511628211u;
	return h;
}

/* What is wrong with the file, or NULL. */
static const char *
check_file(const unsigned char *p, size_t len)
{
	uint32_t dims, pieces;
	uint64_t sum;

	if (len < HEADER_BYTES || memcmp(p, "skeinemb", 8) != 0)
		return "not a table of vectors";
	if (little_u32(p + 8) != EMBED_VERSION)
		return "a version that this build does not know";
	dims = little_u32(p + 12);
	pieces = little_u32(p + 16);
	if (dims == 0 || dims > EMBED_DIMS_MAX || dims % BLOCK != 0 ||
	    pieces == 0 || pieces > PIECES_MAX || p[NAME_AT] == '\0' ||
	    p[NAME_AT + NAME_BYTES - 1] != '\0' ||
	    len != HEADER_BYTES + filled(little_u32(p + 20)) +
	    filled((size_t)pieces * 2) + filled((size_t)pieces * dims))
		return "cut short, or the header is damaged";
	sum = checksum(14695981039346656037u, p, SUM_AT);
	sum = checksum(sum, p + HEADER_BYTES, len - HEADER_BYTES);
	if (sum != little_u64(p + SUM_AT))
		return "damaged: the checksum is wrong";
	return NULL;
}

/* Maps the file; the reason why not, or NULL. */
static const char *
map_file(struct embed *e, const char *path)
{
	const char *why = NULL;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &st) != 0) {
		why = strerror(errno);
	} else if (st.st_size == 0) {
		why = "empty";
	} else {
		e->map_len = (size_t)st.st_size;
		e->map = mmap(NULL, e->map_len, PROT_READ, MAP_PRIVATE, fd, 0);
		if (e->map == MAP_FAILED) {
			why = strerror(errno);
			e->map = NULL;
		}
	}
	(void)close(fd);
	return why;
}

/* ---- the pieces */

static uint32_t
hash_add(uint32_t h, unsigned char c)
{
	return (h ^ c) * 16777619u;
}

/* Where the piece is, or where it would be. */
static struct slot *
find_slot(const struct embed *e, uint32_t hash, const char *ptr, size_t len)
{
	uint32_t at = (hash ^ hash >> 15) & e->mask;

	while (e->slots[at].piece != 0 && (e->slots[at].hash != hash ||
	    !slice_eq(e->text[e->slots[at].piece - 1], slice_of(ptr, len))))
		at = (at + 1) & e->mask;
	return &e->slots[at];
}

static int
add_piece(struct embed *e, uint32_t number, struct slice line)
{
	bool inside = slice_starts(line, "##");
	uint32_t hash = inside ? SEED_INSIDE : SEED_BEGIN;
	struct slot *slot;

	if (inside)
		line = slice_of(line.ptr + 2, line.len - 2);
	if (line.len == 0 || line.len > WORD_BYTES)
		return -1;
	for (size_t i = 0; i < line.len; i++)
		hash = hash_add(hash, (unsigned char)line.ptr[i]);
	slot = find_slot(e, hash, line.ptr, line.len);
	if (slot->piece != 0)
		return -1;
	e->text[number] = line;
	*slot = (struct slot){ .hash = hash, .piece = number + 1 };
	return 0;
}

static const char *
read_pieces(struct embed *e, const char *text, size_t len)
{
	const char *end = text + len, *stop;
	const unsigned char *p;
	uint32_t slots = 64, i;

	while (slots < 2 * e->pieces)
		slots *= 2;
	e->mask = slots - 1;
	e->slots = xcalloc(slots, sizeof(*e->slots));
	e->text = xcalloc(e->pieces, sizeof(*e->text));
	e->scale = xcalloc(e->pieces, sizeof(*e->scale));
	p = (const unsigned char *)text + filled(len);
	for (i = 0; i < e->pieces; i++, p += 2, text = stop + 1) {
		stop = memchr(text, '\n', (size_t)(end - text));
		e->scale[i] = (uint16_t)(p[0] | p[1] << 8);
		if (stop == NULL || e->scale[i] > SCALE_MAX ||
		    add_piece(e, i, slice_of(text, (size_t)(stop - text))) != 0)
			return "its pieces are not sound";
	}
	return text == end ? NULL : "more pieces than rows";
}

/* With the file in place: what it holds, made ready; or what is wrong. */
static const char *
read_table(struct embed *e)
{
	const char *why = check_file(e->map, e->map_len);
	size_t text_len;
	struct buf id;

	if (why != NULL)
		return why;
	e->dims = little_u32(e->map + 12);
	e->pieces = little_u32(e->map + 16);
	text_len = little_u32(e->map + 20);
	e->rows = (const int8_t *)e->map + HEADER_BYTES + filled(text_len) +
	    filled((size_t)e->pieces * 2);
	buf_init(&id, sizeof(e->id) - 1);
	buf_addf(&id, "%s/%016llx", (const char *)e->map + NAME_AT,
	    (unsigned long long)little_u64(e->map + SUM_AT));
	memcpy(e->id, buf_cstr(&id), id.len + 1);
	buf_release(&id);
	return read_pieces(e, (const char *)e->map + HEADER_BYTES, text_len);
}

struct embed *
embed_open(const char *path, struct buf *why)
{
	struct embed *e = xcalloc(1, sizeof(*e));
	const char *wrong = map_file(e, path);

	if (wrong == NULL)
		wrong = read_table(e);
	if (wrong != NULL) {
		buf_addf(why, "%s: %s", path, wrong);
		embed_close(&e);
	}
	return e;
}

struct embed *
embed_of_remote(struct embed_remote **remote)
{
	struct embed *e = xcalloc(1, sizeof(*e));

	e->dims = embed_remote_dims(*remote);
	e->remote = *remote;
	*remote = NULL;
	return e;
}

bool
embed_is_remote(const struct embed *e)
{
	return e->remote != NULL;
}

void
embed_close(struct embed **e)
{
	if (*e == NULL)
		return;
	embed_remote_close(&(*e)->remote);
	if ((*e)->map != NULL)
		(void)munmap((*e)->map, (*e)->map_len);
	free((*e)->slots);
	free((*e)->text);
	free((*e)->scale);
	free(*e);
	*e = NULL;
}

const char *
embed_id(const struct embed *e)
{
	return e->remote != NULL ? embed_remote_id(e->remote) : e->id;
}

size_t
embed_dims(const struct embed *e)
{
	return e->dims;
}

/* ---- a text */

struct sum {
	int32_t *values;
	size_t dims;			/* the first so many */
	unsigned pieces;
	bool whole;			/* words in several pieces do not count */
	char word[WORD_BYTES];
	size_t word_len;		/* past WORD_BYTES: too long */
	uint32_t found[EMBED_TOGETHER];	/* pieces that are still to be added */
	size_t n_found;
};

void
embed_add(const struct embed *e, const uint32_t *pieces, size_t n,
    size_t dims, int32_t *sum)
{
	struct embed_row rows[EMBED_TOGETHER + 1];
	size_t i;

	assert(n <= EMBED_TOGETHER);
	for (i = 0; i < n; i++)
		rows[i] = (struct embed_row){ e->rows + pieces[i] * e->dims,
			e->scale[pieces[i]] };
	if (n % 2 != 0) {
		rows[n] = (struct embed_row){ rows[0].at, 0 };
		n++;
	}
	embed_rows_add(rows, n, dims, sum);
}

void
embed_approach(const struct embed *e, uint32_t piece, size_t dims)
{
	enum { LINE = 64 };
	const int8_t *row = e->rows + piece * e->dims;
	size_t at;

	for (at = 0; at < dims; at += LINE)
		__builtin_prefetch(row + at);
}

static void
add_found(const struct embed *e, struct sum *s)
{
	embed_add(e, s->found, s->n_found, s->dims, s->values);
	s->n_found = 0;
}

/*
 * The longest piece that the word has at `at`; its length, or 0.  The hashes
 * of all beginnings come in one pass, then the longest is tried first.
 */
static size_t
longest_piece(const struct embed *e, const struct sum *s, size_t at,
    uint32_t *piece)
{
	uint32_t hash = at > 0 ? SEED_INSIDE : SEED_BEGIN, hashes[WORD_BYTES];
	size_t len;

	for (len = 0; at + len < s->word_len; len++)
		hashes[len] = hash = hash_add(hash,
		    (unsigned char)s->word[at + len]);
	for (; len > 0; len--) {
		*piece = find_slot(e, hashes[len - 1], s->word + at,
		    len)->piece;
		if (*piece != 0)
			return len;
	}
	return 0;
}

static void
end_word(const struct embed *e, struct sum *s)
{
	size_t at = 0, len;
	uint32_t piece;

	while (s->word_len <= WORD_BYTES && at < s->word_len &&
	    s->pieces < TEXT_PIECES) {
		len = longest_piece(e, s, at, &piece);
		if (len == 0 || (s->whole && len < s->word_len))
			break;
		if (s->n_found == EMBED_TOGETHER)
			add_found(e, s);
		embed_approach(e, piece - 1, s->dims);
		s->found[s->n_found++] = piece - 1;
		s->pieces++;
		at += len;
	}
	s->word_len = 0;
}

static void
add_char(const struct embed *e, struct sum *s, int32_t c)
{
	if (c >= 'A' && c <= 'Z')
		c += 'a' - 'A';
	if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) {
		if (s->word_len > 0)
			end_word(e, s);
		return;
	}
	if (s->word_len < WORD_BYTES)
		s->word[s->word_len] = (char)c;
	s->word_len++;
}

/* A character beyond ASCII, bare of case and marks: "é" is "e". */
static void
add_wide(const struct embed *e, struct sum *s, int32_t c)
{
	utf8proc_int32_t bare[32];
	int boundary = 0;
	utf8proc_ssize_t n;

	n = utf8proc_decompose_char(c, bare, 32, UTF8PROC_DECOMPOSE |
	    UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK, &boundary);
	if (n > 32)
		n = 0;
	if (n < 0)
		add_char(e, s, ' ');
	for (utf8proc_ssize_t i = 0; i < n; i++)
		add_char(e, s, bare[i]);
}

static void
sum_text(const struct embed *e, struct sum *s, struct slice text)
{
	size_t pos = 0;
	int32_t c;

	memset(s->values, 0, s->dims * sizeof(s->values[0]));
	text.len = text_cut(text, EMBED_TEXT_MAX);
	while (pos < text.len && s->pieces < TEXT_PIECES) {
		if ((unsigned char)text.ptr[pos] < 0x80)
			add_char(e, s, text.ptr[pos++]);
		else if (text_next(text, &pos, &c))
			add_wide(e, s, c);
	}
	end_word(e, s);
	add_found(e, s);
}

static bool
embed(const struct embed *e, struct slice text, bool whole, int8_t *out)
{
	int32_t values[EMBED_DIMS_MAX];
	struct sum s = { .values = values, .dims = e->dims, .whole = whole };

	if (e->remote != NULL)
		return text.len > 0 &&
		    embed_remote_many(e->remote, &text, 1, out) == 0;
	memset(out, 0, e->dims);
	sum_text(e, &s, text);
	return embed_round(values, e->dims, out);
}

bool
embed_text(const struct embed *e, struct slice text, int8_t *out)
{
	return embed(e, text, false, out);
}

int
embed_many(const struct embed *e, const struct slice *texts, size_t n,
    int8_t *out)
{
	size_t i;

	if (e->remote != NULL)
		return embed_remote_many(e->remote, texts, n, out);
	for (i = 0; i < n; i++)
		(void)embed_text(e, texts[i], out + i * e->dims);
	return 0;
}

bool
embed_words(const struct embed *e, struct slice text, int8_t *out)
{
	return embed(e, text, true, out);
}

void
embed_sum(const struct embed *e, struct slice text, size_t dims, int32_t *sum)
{
	struct sum s = { .values = sum, .dims = dims };

	sum_text(e, &s, text);
}

size_t
embed_pieces(const struct embed *e)
{
	return e->pieces;
}

struct slice
embed_piece(const struct embed *e, size_t i)
{
	struct slice piece = e->text[i];

	/* Behind a newline, as the first is not, or behind "##". */
	return i == 0 || piece.ptr[-1] == '\n' ? piece : SLICE_NONE;
}
