/*
 * course_model - the weights of a talk's courses, and what they say of a turn
 *
 * The file is text: a head line, a line per term of course.def, a line per
 * word's hash, each with a weight to go on, to begin and to return, in
 * thousandths.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "chainer/course.h"
#include "common/root.h"
#include "common/xmalloc.h"

enum {
	COURSE_REVISION = 1,
	WEIGHT_MOST = 1000000,
	WORDS_MOST = 1 << 20,
	ONE = 1000,
};

static const char *const names[COURSE_TERMS] = {
#define TERM(name, what) #name,
#include "chainer/course.def"
};

static const char *const told[COURSE_TERMS] = {
#define TERM(name, what) what,
#include "chainer/course.def"
};

struct weights {
	uint32_t word;
	bool used;
	int32_t of[COURSES];
};

struct course_model {
	int32_t terms[COURSE_TERMS][COURSES];
	struct weights *slots;
	size_t mask;		/* their number is a power of two */
};

static struct weights *
slot_of(const struct course_model *m, uint32_t word)
{
	size_t at = word & m->mask;

	while (m->slots[at].used && m->slots[at].word != word)
		at = (at + 1) & m->mask;
	return &m->slots[at];
}

/* ---- the file ---- */

static int
read_weights(const char *p, int32_t of[COURSES])
{
	char *end;
	long value;
	size_t i;

	for (i = 0; i < COURSES; i++, p = end) {
		errno = 0;
		value = strtol(p, &end, 10);
		if (end == p || errno != 0 || value > WEIGHT_MOST ||
		    value < -WEIGHT_MOST)
			return -1;
		of[i] = (int32_t)value;
	}
	return *p == '\n' && p[1] == '\0' ? 0 : -1;
}

static int
read_head(struct course_model *m, const char *line, size_t *n_words)
{
	unsigned revision;
	size_t terms, n, slots = 1;

	if (sscanf(line, "skein course %u terms %zu words %zu", &revision,
		&terms, &n) != 3 || revision != COURSE_REVISION ||
	    terms != COURSE_TERMS || n > WORDS_MOST)
		return -1;
	while (slots < 2 * n + 2)
		slots *= 2;
	m->slots = xcalloc(slots, sizeof(m->slots[0]));
	m->mask = slots - 1;
	*n_words = n;
	return 0;
}

static int
read_term(struct course_model *m, const char *line, size_t i)
{
	size_t len = strlen(names[i]);

	return strncmp(line, names[i], len) == 0 && line[len] == '\t' ?
	    read_weights(line + len, m->terms[i]) : -1;
}

static int
read_word(struct course_model *m, const char *line)
{
	unsigned long word;
	struct weights *w;
	char *end;

	errno = 0;
	word = strtoul(line, &end, 16);
	if (end == line || *end != '\t' || errno != 0 || word > UINT32_MAX)
		return -1;
	w = slot_of(m, (uint32_t)word);
	if (w->used)
		return -1;
	w->used = true;
	w->word = (uint32_t)word;
	return read_weights(end, w->of);
}

static int
read_file(struct course_model *m, FILE *f, size_t *number)
{
	size_t room = 0, n_words = 0;
	char *line = NULL;
	int rc = -1;

	for (*number = 1; getline(&line, &room, f) != -1; ++*number) {
		rc = *number == 1 ? read_head(m, line, &n_words) :
		    *number <= 1 + COURSE_TERMS ?
		    read_term(m, line, *number - 2) :
		    *number <= 1 + COURSE_TERMS + n_words ?
		    read_word(m, line) : -1;
		if (rc == -1)
			break;
	}
	free(line);
	if (rc == 0 && *number != 2 + COURSE_TERMS + n_words)
		rc = -1;
	return rc;
}

struct course_model *
course_open(const char *path, struct buf *why)
{
	struct course_model *m;
	size_t line;
	FILE *f;

	f = fopen(path, "re");
	if (f == NULL) {
		buf_addf(why, "%s: %s", path, strerror(errno));
		return NULL;
	}
	m = xcalloc(1, sizeof(*m));
	if (read_file(m, f, &line) == -1) {
		buf_addf(why, "%s:%zu: no weights that fit this program: "
		    "install it again", path, line);
		course_close(&m);
	}
	fclose(f);
	return m;
}

void
course_close(struct course_model **m)
{
	if (*m == NULL)
		return;
	free((*m)->slots);
	free(*m);
	*m = NULL;
}

/* ---- use ---- */

/* Long texts have many words, and none of them may shout the others down. */
static void
add_up_words(const struct course_model *m, struct slice text,
    int64_t sum[COURSES])
{
	uint32_t words[COURSE_WORDS];
	size_t i, k, known = 0, n = course_words(text, words);
	const struct weights *w;
	int64_t root;

	memset(sum, 0, COURSES * sizeof(sum[0]));
	for (i = 0; i < n; i++) {
		w = slot_of(m, words[i]);
		if (!w->used)
			continue;
		known++;
		for (k = 0; k < COURSES; k++)
			sum[k] += w->of[k];
	}
	root = known > 0 ? root_of((uint64_t)known * 1000000) : ONE;
	for (k = 0; k < COURSES; k++)
		sum[k] = sum[k] * 2 * ONE / root;
}

static enum course
course_of(size_t k, size_t n)
{
	return k == 0 ? COURSE_on : k == n ? COURSE_new : COURSE_return;
}

/* What the terms from one to before another say for a course. */
static int64_t
add_up_terms(const struct course_model *m, const int32_t *terms,
    enum course course, size_t from, size_t to)
{
	int64_t sum = 0;
	size_t i;

	for (i = from; i < to; i++)
		sum += (int64_t)terms[i] * m->terms[i][course];
	return sum;
}

/* What a term, or the words, spoke for one course against another. */
struct voice {
	const char *what;
	int64_t weight;
};

/* Keeps the strongest in order. */
static void
hear(struct voice *voices, size_t *n, struct voice more)
{
	size_t i;

	if (more.weight <= 0 || (*n == COURSE_SAID &&
	    voices[*n - 1].weight >= more.weight))
		return;
	if (*n < COURSE_SAID)
		++*n;
	for (i = *n - 1; i > 0 && voices[i - 1].weight < more.weight; i--)
		voices[i] = voices[i - 1];
	voices[i] = more;
}

/* Two courses that are compared. */
struct side {
	int32_t terms[COURSE_TERMS];
	enum course course;
};

static void
explain(const struct course_model *m, const struct side *a,
    const struct side *b, const int64_t words[COURSES],
    struct course_verdict *out)
{
	struct voice voices[COURSE_SAID];
	size_t i;

	out->n_said = 0;
	hear(voices, &out->n_said, (struct voice){ "its words",
	    words[a->course] - words[b->course] });
	for (i = 0; i < COURSE_TERMS; i++)
		hear(voices, &out->n_said, (struct voice){ told[i],
		    ((int64_t)a->terms[i] * m->terms[i][a->course] -
		    (int64_t)b->terms[i] * m->terms[i][b->course]) / ONE });
	for (i = 0; i < out->n_said; i++)
		out->said[i] = voices[i].what;
}

/* The best but the one that is left out. */
static size_t
best_of(const int *scores, size_t n, size_t without)
{
	size_t k, best = without == 0 ? 1 : 0;

	for (k = best + 1; k < n; k++)
		if (k != without && scores[k] > scores[best])
			best = k;
	return best;
}

void
course_choose(const struct course_model *m, const struct course_turn *t,
    struct slice text, const struct course_chain *chains, size_t n, int known,
    struct course_verdict *out)
{
	int64_t words[COURSES], common[COURSES];
	struct side best, next;
	size_t k, second;

	course_common(t, n, best.terms);
	next = best;
	add_up_words(m, text, words);
	for (k = 0; k < COURSES; k++)
		common[k] = add_up_terms(m, best.terms, (enum course)k, 0,
		    COURSE_COMMON);
	for (k = 0; k <= n; k++) {
		best.course = course_of(k, n);
		course_terms(chains, n, k, best.terms);
		out->scores[k] = (int)((common[best.course] + add_up_terms(m,
		    best.terms, best.course, COURSE_COMMON, COURSE_TERMS)) /
		    ONE + words[best.course]) + (k < n ? known : 0);
	}
	out->to = best_of(out->scores, n + 1, SIZE_MAX);
	second = best_of(out->scores, n + 1, out->to);
	out->lead = out->scores[out->to] - out->scores[second];
	best.course = course_of(out->to, n);
	next.course = course_of(second, n);
	course_terms(chains, n, out->to, best.terms);
	course_terms(chains, n, second, next.terms);
	explain(m, &best, &next, words, out);
}
