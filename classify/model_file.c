/*
 * model_file - the act model's weights, read from a file
 *
 * The weights file, all numbers little-endian:
 *
 *	 0  "skeinact"
 *	 8  u32 version, u32 FEATURES_REVISION
 *	16  u32 acts, u32 groups, u32 dim, u32 hidden, u32 rows
 *	36  u32 length of the body
 *	40  u64 FNV-1a of bytes 0..39 and of the body
 *	48  body:
 *	    u32 key[rows]				ascending
 *	    i8  embedding[rows][dim]
 *	    i8  first[hidden][groups * dim]
 *	    i32 first_bias[hidden], i32 first_scale[hidden]
 *	    i8  second[acts][hidden]
 *	    i32 second_bias[acts], i32 second_scale[acts]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "classify/model_impl.h"
#include "common/little.h"
#include "common/log.h"
#include "common/xmalloc.h"

enum {
	MODEL_VERSION = 1,
	ROWS_MAX = 1 << 20,
	HEADER_BYTES = 48,
	BIAS_MAX = 1 << 29,
	SCALE_MAX = 1 << 22,
};

static int32_t
get_i32(const unsigned char *p)
{
	uint32_t u = little_u32(p);

	return u <= INT32_MAX ? (int32_t)u : -(int32_t)(UINT32_MAX - u) - 1;
}

static int8_t
get_i8(const unsigned char *p)
{
	return (int8_t)(*p < 128 ? *p : *p - 256);
}

static uint64_t
checksum(uint64_t h, const unsigned char *p, size_t len)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * 1099511628211u;
	return h;
}

static size_t
body_bytes(uint32_t rows)
{
	return (size_t)rows * (4 + MODEL_DIM) +
	    MODEL_HIDDEN * (MODEL_WIDTH + 8) + ACT_COUNT * (MODEL_HIDDEN + 8);
}

static int
check_header(const unsigned char *p, size_t len, struct buf *why)
{
	static const struct { unsigned at, want; const char *what; } fields[] = {
		{ 8, MODEL_VERSION, "version" },
		{ 12, FEATURES_REVISION, "feature revision" },
		{ 16, ACT_COUNT, "number of acts" },
		{ 20, GROUP_COUNT, "number of groups" },
		{ 24, MODEL_DIM, "embedding width" },
		{ 28, MODEL_HIDDEN, "hidden width" },
	};
	uint32_t rows;
	uint64_t want;

	if (len < HEADER_BYTES || memcmp(p, "skeinact", 8) != 0) {
		buf_adds(why, "not a weights file");
		return -1;
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (little_u32(p + fields[i].at) != fields[i].want) {
			buf_addf(why, "%s is %u, this build wants %u",
			    fields[i].what, little_u32(p + fields[i].at),
			    fields[i].want);
			return -1;
		}
	rows = little_u32(p + 32);
	if (rows == 0 || rows > ROWS_MAX || little_u32(p + 36) != body_bytes(rows)) {
		buf_adds(why, "sizes in the header do not agree");
		return -1;
	}
	if (len - HEADER_BYTES != body_bytes(rows)) {
		buf_addf(why, "has %zu bytes, should have %zu", len,
		    HEADER_BYTES + body_bytes(rows));
		return -1;
	}
	want = little_u64(p + 40);
	if (checksum(checksum(14695981039346656037u, p, 40), p + HEADER_BYTES,
	    body_bytes(rows)) != want) {
		buf_adds(why, "checksum does not match, the file is damaged");
		return -1;
	}
	return 0;
}

static const unsigned char *
load_i32(int32_t *to, size_t count, const unsigned char *p)
{
	for (size_t i = 0; i < count; i++, p += 4)
		to[i] = get_i32(p);
	return p;
}

static const unsigned char *
load_i8(int16_t *to, size_t count, const unsigned char *p)
{
	for (size_t i = 0; i < count; i++)
		to[i] = get_i8(p++);
	return p;
}

/* int8_t is two's complement, as the file is. */
static const unsigned char *
copy_i8(int8_t *to, size_t count, const unsigned char *p)
{
	memcpy(to, p, count);
	return p + count;
}

static bool
within(const int32_t *v, size_t count, int32_t low, int32_t high)
{
	for (size_t i = 0; i < count; i++)
		if (v[i] < low || v[i] > high)
			return false;
	return true;
}

/*
 * Sums fit in 32 bits because weights are bytes and x is 16 bits wide; a bias
 * or scale out of bounds would break that, whatever the checksum says.
 */
static int
check_ranges(const struct model *m, struct buf *why)
{
	for (uint32_t i = 1; i < m->rows; i++)
		if (m->keys[i] <= m->keys[i - 1]) {
			buf_adds(why, "keys are not in order");
			return -1;
		}
	if (!within(m->first_bias, MODEL_HIDDEN, -BIAS_MAX, BIAS_MAX) ||
	    !within(m->first_scale, MODEL_HIDDEN, 0, SCALE_MAX) ||
	    !within(m->second_bias, ACT_COUNT, -BIAS_MAX, BIAS_MAX) ||
	    !within(m->second_scale, ACT_COUNT, 0, SCALE_MAX)) {
		buf_adds(why, "a weight is out of range");
		return -1;
	}
	return 0;
}

/* Room that begins with a line of memory. */
static void *
aligned(size_t bytes)
{
	void *room = aligned_alloc(LINE_BYTES,
	    (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);

	if (room == NULL)
		fatalx(EX_RETRY, "no memory for the weights");
	return room;
}

static int
load_body(struct model *m, const unsigned char *p, struct buf *why)
{
	m->keys = xmalloc(m->rows * sizeof(*m->keys));
	for (uint32_t i = 0; i < m->rows; i++, p += 4)
		m->keys[i] = little_u32(p);
	m->embedding = (int8_t *)aligned(((size_t)m->rows + 1) * MODEL_DIM) +
	    MODEL_DIM;
	p = copy_i8(m->embedding, (size_t)m->rows * MODEL_DIM, p);
	p = copy_i8(m->first[0], MODEL_HIDDEN * MODEL_WIDTH, p);
	p = load_i32(m->first_bias, MODEL_HIDDEN, p);
	p = load_i32(m->first_scale, MODEL_HIDDEN, p);
	p = load_i8(m->second[0], ACT_COUNT * MODEL_HIDDEN, p);
	p = load_i32(m->second_bias, ACT_COUNT, p);
	load_i32(m->second_scale, ACT_COUNT, p);
	return check_ranges(m, why);
}

/* floor(sqrt(n)), bit by bit: no floating point anywhere in this file. */
static uint64_t
integer_root(uint64_t n)
{
	uint64_t root = 0;

	for (uint64_t bit = (uint64_t)1 << 31; bit > 0; bit >>= 1)
		if ((root | bit) * (root | bit) <= n)
			root |= bit;
	return root;
}

static void
make_shelves(struct model *m)
{
	uint32_t top, first = 0, end, i;

	m->shelves = aligned(sizeof(*m->shelves) << SHELF_BITS);
	for (top = 0; top < 1 << SHELF_BITS; top++, first = end) {
		uint32_t *place = m->shelves[top].one;

		for (end = first; end < m->rows &&
		    m->keys[end] >> (32 - SHELF_BITS) == top; end++)
			;
		/* Where no key is, one that does not belong here. */
		for (i = 1; i < SHELF_PLACES; i++)
			place[i] = first + i <= end ? m->keys[first + i - 1] :
			    ~top << (32 - SHELF_BITS);
		place[0] = first;
		if (end - first < SHELF_PLACES)
			continue;
		place[0] = (uint32_t)NO_ROW;
		place[SHELF_FIRST] = first;
		place[SHELF_END] = end;
	}
}

static void
make_tables(struct model *m)
{
	/* e^(-1/128) in 32 bits after the point */
	const uint64_t step = 4261543595u;

	for (uint32_t n = 1; n <= FEATURES_MAX; n++)
		m->root[n] = (int32_t)integer_root(
		    ((uint64_t)1 << (2 * ROOT_BITS)) / n);
	m->exp[0] = (uint32_t)1 << 31;
	for (size_t i = 1; i < EXP_ENTRIES; i++)
		m->exp[i] = (uint32_t)(m->exp[i - 1] * step >> 32);
	make_shelves(m);
	m->words = aligned(sizeof(*m->words) * KNOWN_PAIRS);
	for (size_t i = 0; i < KNOWN_PAIRS; i++)
		m->words[i][0].len = m->words[i][1].len = 0;
}

static int
read_all(int fd, unsigned char *to, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = read(fd, to + have, len - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		have += (size_t)n;
	}
	return 0;
}

static unsigned char *
read_file(const char *path, size_t *len, struct buf *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char *bytes = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		buf_addf(why, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (uint64_t)st.st_size > HEADER_BYTES + body_bytes(ROWS_MAX)) {
		buf_addf(why, "%s: not a weights file", path);
	} else {
		*len = (size_t)st.st_size;
		bytes = xmalloc(*len);
		if (read_all(fd, bytes, *len) < 0) {
			buf_addf(why, "%s: cannot be read whole", path);
			free(bytes);
			bytes = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

struct model *
model_open(const char *path, struct buf *why)
{
	size_t len;
	unsigned char *bytes = read_file(path, &len, why);
	struct model *m = NULL;

	if (bytes == NULL)
		return NULL;
	buf_addf(why, "%s: ", path);
	if (check_header(bytes, len, why) == 0) {
		m = aligned(sizeof(*m));
		memset(m, 0, sizeof(*m));
		m->rows = little_u32(bytes + 32);
		if (load_body(m, bytes + HEADER_BYTES, why) < 0)
			model_close(&m);
	}
	free(bytes);
	if (m != NULL) {
		make_tables(m);
		buf_clear(why);
	}
	return m;
}

void
model_close(struct model **m)
{
	if (*m == NULL)
		return;
	free((*m)->keys);
	if ((*m)->embedding != NULL)
		free((*m)->embedding - MODEL_DIM);
	free((*m)->shelves);
	free((*m)->words);
	free(*m);
	*m = NULL;
}
