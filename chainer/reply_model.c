/*
 * reply_model - the weights behind the antecedent's choice: trees
 *
 * Every tree is complete, DEPTH questions deep, stored as a heap: question i
 * has the answers 2i + 1 (its feature is at most the bound) and 2i + 2.  So a
 * walk has no branches to guess wrong, and the walks of several candidates run
 * beside each other.  The file is text, a line for each thing:
 *
 *	skein reply 1
 *	features NAME NAME …		must be this build's, in its order
 *	trees COUNT
 *	QUESTION … VALUE …		for each tree: 31 times FEATURE:BOUND,
 *					then 32 values, thousandths of log odds
 *	sum HEX				FNV-1a of all before
 */
#include "chainer/reply_model.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/xmalloc.h"

enum {
	DEPTH = 5,
	QUESTIONS = (1 << DEPTH) - 1,
	LEAVES = 1 << DEPTH,
	TREES_MAX = 1000,
	FILE_BYTES_MAX = 1 << 20,
};

struct question {
	uint16_t feature;
	int16_t bound;
};

struct tree {
	struct question ask[QUESTIONS];
	int16_t value[LEAVES];
};

struct reply_model {
	size_t count;
	struct tree tree[];
};

void
reply_model_score(const struct reply_model *m,
    int16_t (*rows)[REPLY_FEATURES], size_t count, int32_t *scores)
{
	memset(scores, 0, count * sizeof(scores[0]));
	for (size_t t = 0; t < m->count; t++) {
		const struct tree *tree = &m->tree[t];

		for (size_t c = 0; c < count; c++) {
			const int16_t *row = rows[c];
			size_t at = 0;

#pragma GCC unroll 5
			for (int d = 0; d < DEPTH; d++) {
				struct question q = tree->ask[at];

				at = 2 * at + 1 + (row[q.feature] > q.bound);
			}
			scores[c] += tree->value[at - QUESTIONS];
		}
	}
}

static struct reply_model *
refuse(struct buf *why, const char *reason)
{
	buf_addf(why, "not weights for reply: %s", reason);
	return NULL;
}

/* The next line without its end; false at the end of the text. */
static bool
next_line(struct slice *rest, struct slice *line)
{
	const char *end = rest->len == 0 ? NULL :
	    memchr(rest->ptr, '\n', rest->len);

	if (end == NULL)
		return false;
	*line = slice_of(rest->ptr, (size_t)(end - rest->ptr));
	rest->len -= line->len + 1;
	rest->ptr = end + 1;
	return true;
}

static bool
next_word(struct slice *line, struct slice *word)
{
	const char *end;

	while (line->len > 0 && line->ptr[0] == ' ') {
		line->ptr++;
		line->len--;
	}
	if (line->len == 0)
		return false;
	end = memchr(line->ptr, ' ', line->len);
	*word = slice_of(line->ptr,
	    end == NULL ? line->len : (size_t)(end - line->ptr));
	line->ptr += word->len;
	line->len -= word->len;
	return true;
}

static bool
read_number(struct slice s, int least, int most, int *out)
{
	bool minus = s.len > 0 && s.ptr[0] == '-';
	int sum = 0;

	if (s.len == (size_t)minus || s.len > 7)
		return false;
	for (size_t i = minus; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
		sum = sum * 10 + (s.ptr[i] - '0');
	}
	*out = minus ? -sum : sum;
	return *out >= least && *out <= most;
}

static bool
read_tree(struct slice line, struct tree *tree)
{
	struct slice word;
	int feature, number;

	for (int i = 0; i < QUESTIONS; i++) {
		const char *colon;

		if (!next_word(&line, &word))
			return false;
		colon = memchr(word.ptr, ':', word.len);
		if (colon == NULL || !read_number(slice_of(word.ptr,
		    (size_t)(colon - word.ptr)), 0, REPLY_FEATURES - 1,
		    &feature) || !read_number(slice_of(colon + 1, word.len -
		    (size_t)(colon + 1 - word.ptr)), INT16_MIN, INT16_MAX,
		    &number))
			return false;
		tree->ask[i] = (struct question){ (uint16_t)feature,
			(int16_t)number };
	}
	for (int i = 0; i < LEAVES; i++) {
		if (!next_word(&line, &word) ||
		    !read_number(word, INT16_MIN, INT16_MAX, &number))
			return false;
		tree->value[i] = (int16_t)number;
	}
	return !next_word(&line, &word);
}

static bool
sum_is_right(struct slice before, struct slice line)
{
	uint64_t h = 0xcbf29ce484222325;
	char want[32];

	for (size_t i = 0; i < before.len; i++)
		h = (h ^ (unsigned char)before.ptr[i]) * 0x100000001b3;
	snprintf(want, sizeof(want), "sum %016llx", (unsigned long long)h);
	return slice_is(line, want);
}

static bool
features_fit(struct slice line)
{
	struct slice word;

	if (!next_word(&line, &word) || !slice_is(word, "features"))
		return false;
	for (unsigned i = 0; i < REPLY_FEATURES; i++)
		if (!next_word(&line, &word) ||
		    !slice_is(word, reply_feature_name(i)))
			return false;
	return !next_word(&line, &word);
}

struct reply_model *
reply_model_parse(struct slice text, struct buf *why)
{
	struct slice rest = text, line, word;
	struct reply_model *m;
	int count;

	if (!next_line(&rest, &line) || !slice_is(line, "skein reply 1"))
		return refuse(why, "first line is not \"skein reply 1\"");
	if (!next_line(&rest, &line) || !features_fit(line))
		return refuse(why, "made for other features than this build's");
	if (!next_line(&rest, &line) || !next_word(&line, &word) ||
	    !slice_is(word, "trees") || !next_word(&line, &word) ||
	    !read_number(word, 1, TREES_MAX, &count))
		return refuse(why, "no count of trees");
	m = xcalloc(1, sizeof(*m) + (size_t)count * sizeof(m->tree[0]));
	for (m->count = 0; m->count < (size_t)count; m->count++)
		if (!next_line(&rest, &line) ||
		    !read_tree(line, &m->tree[m->count])) {
			reply_model_close(&m);
			return refuse(why, "a tree is damaged or missing");
		}
	text.len = (size_t)(rest.ptr - text.ptr);
	if (!next_line(&rest, &line) || rest.len > 0 ||
	    !sum_is_right(text, line)) {
		reply_model_close(&m);
		return refuse(why, "damaged, the sum does not fit");
	}
	return m;
}

struct reply_model *
reply_model_open(const char *path, struct buf *why)
{
	struct reply_model *m = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	struct buf text;
	ssize_t got = 1;

	buf_init(&text, FILE_BYTES_MAX);
	if (fd < 0 || fstat(fd, &st) < 0)
		buf_addf(why, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode) || st.st_size >= FILE_BYTES_MAX)
		buf_addf(why, "%s: not weights for reply: no file, or too large",
		    path);
	else {
		char *room = buf_room(&text, (size_t)st.st_size + 1);

		while (got > 0 && text.len <= (size_t)st.st_size) {
			got = read(fd, room + text.len,
			    (size_t)st.st_size + 1 - text.len);
			if (got > 0)
				text.len += (size_t)got;
		}
		if (got < 0)
			buf_addf(why, "%s: %s", path, strerror(errno));
		else {
			buf_addf(why, "%s: ", path);
			m = reply_model_parse(buf_slice(&text), why);
			if (m != NULL)
				buf_clear(why);
		}
	}
	if (fd >= 0)
		close(fd);
	buf_release(&text);
	return m;
}

void
reply_model_close(struct reply_model **m)
{
	free(*m);
	*m = NULL;
}
