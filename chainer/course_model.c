/*
 * course_model - the weights of a talk's courses, and what they say of a turn
 *
 * The file is text: a head line, a line per term of course.def, a line per
 * word's hash, each with a weight to go on, to begin and to return, in
 * thousandths.
 */
#include <stdio.h>
#include <stdlib.h>

#include "chainer/course.h"
#include "common/weights.h"
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

struct course_model {
	int32_t terms[COURSE_TERMS][COURSES];
	struct weights *words;
};

static int
read_head(struct course_model *m, const char *line, size_t *lines)
{
	unsigned revision;
	size_t terms, n;

	if (sscanf(line, "skein course %u terms %zu words %zu", &revision,
		&terms, &n) != 3 || revision != COURSE_REVISION ||
	    terms != COURSE_TERMS || n > WORDS_MOST)
		return -1;
	m->words = weights_open(n, COURSES);
	*lines = 1 + COURSE_TERMS + n;
	return 0;
}

static int
read_line(void *into, size_t number, const char *line, size_t *lines)
{
	struct course_model *m = into;

	return number == 1 ? read_head(m, line, lines) :
	    number <= 1 + COURSE_TERMS ?
	    weights_named(line, names[number - 2], COURSES, WEIGHT_MOST,
		m->terms[number - 2]) :
	    weights_add(m->words, line, WEIGHT_MOST);
}

struct course_model *
course_open(const char *path, struct buf *why)
{
	struct course_model *m = xcalloc(1, sizeof(*m));

	if (weights_load(path, read_line, m, why) == -1)
		course_close(&m);
	return m;
}

void
course_close(struct course_model **m)
{
	if (*m == NULL)
		return;
	weights_close(&(*m)->words);
	free(*m);
	*m = NULL;
}

/* ---- use ---- */

static void
add_up_words(const struct course_model *m, struct slice text,
    int64_t sum[COURSES])
{
	uint32_t words[COURSE_WORDS];
	size_t i, k, known = 0, n = course_words(text, words);
	const int32_t *of;

	memset(sum, 0, COURSES * sizeof(sum[0]));
	for (i = 0; i < n; i++) {
		of = weights_find(m->words, words[i]);
		if (of == NULL)
			continue;
		known++;
		for (k = 0; k < COURSES; k++)
			sum[k] += of[k];
	}
	weights_scale(sum, COURSES, known);
}

static enum course
course_of(size_t k, size_t n)
{
	return k == 0 ? COURSE_on : k == n ? COURSE_new : COURSE_return;
}

/* What the terms that all courses have in common say for each of them. */
static void
add_up_common(const struct course_model *m, const int32_t *terms,
    int64_t sum[COURSES])
{
	size_t i, k;

	memset(sum, 0, COURSES * sizeof(sum[0]));
	for (i = 0; i < COURSE_COMMON; i++)
		for (k = 0; k < COURSES; k++)
			sum[k] += (int64_t)terms[i] * m->terms[i][k];
}

/* And what the others say for one. */
static int64_t
add_up_own(const struct course_model *m, const int32_t *terms,
    enum course course)
{
	int64_t sum = 0;
	size_t i;

	for (i = COURSE_COMMON; i < COURSE_TERMS; i++)
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

/* Two courses that are compared; the common terms are the same for both. */
struct side {
	const int32_t *terms;
	enum course course;
};

static void
explain(const struct course_model *m, const int32_t *common,
    const struct side *a, const struct side *b, const int64_t words[COURSES],
    struct course_verdict *out)
{
	struct voice voices[COURSE_SAID];
	const int32_t *x = common, *y = common;
	int64_t weight;
	size_t i;

	out->n_said = 0;
	hear(voices, &out->n_said, (struct voice){ "its words",
	    words[a->course] - words[b->course] });
	for (i = 0; i < COURSE_TERMS; i++) {
		if (i == COURSE_COMMON) {
			x = a->terms;
			y = b->terms;
		}
		weight = (int64_t)x[i] * m->terms[i][a->course] -
		    (int64_t)y[i] * m->terms[i][b->course];
		/* Most say nothing, or the contrary. */
		if (weight >= ONE)
			hear(voices, &out->n_said, (struct voice){ told[i],
			    weight / ONE });
	}
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
	int32_t common[COURSE_TERMS], terms[COURSE_CHAINS + 1][COURSE_TERMS];
	int64_t words[COURSES], sums[COURSES];
	enum course course;
	size_t k, second;

	course_common(t, n, common);
	add_up_words(m, text, words);
	add_up_common(m, common, sums);
	for (k = 0; k <= n; k++) {
		course = course_of(k, n);
		course_terms(chains, n, k, terms[k]);
		out->scores[k] = (int)((sums[course] +
		    add_up_own(m, terms[k], course)) / ONE + words[course]) +
		    (k < n ? known : 0);
	}
	out->to = best_of(out->scores, n + 1, SIZE_MAX);
	second = best_of(out->scores, n + 1, out->to);
	out->lead = out->scores[out->to] - out->scores[second];
	explain(m, common,
	    &(struct side){ terms[out->to], course_of(out->to, n) },
	    &(struct side){ terms[second], course_of(second, n) }, words, out);
}
