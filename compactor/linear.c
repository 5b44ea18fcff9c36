/*
 * linear - a small model: words of a text add up to scores
 *
 * The file is text: a head line, a line per context, a line per feature, with
 * a weight for each class in thousandths.  Features are those of classify's
 * model, its words alone.
 */
#include "compactor/linear.h"

#include <stdio.h>
#include <stdlib.h>

#include "classify/features.h"
#include "common/weights.h"
#include "common/xmalloc.h"

enum {
	LINEAR_REVISION = 1,
	WEIGHT_MOST = 1000000,
	KEYS_MOST = 1 << 20,
	TEXT_KNOWN = 512,	/* bytes; a longer one is read each time */
};

/* The words of a text, as they were read last. */
struct linear_words {
	unsigned users;		/* models */
	size_t len;		/* of the text; 0: none is known */
	char text[TEXT_KNOWN];
	struct features read;
};

struct linear {
	const struct linear_spec *spec;
	int32_t contexts[LINEAR_CONTEXTS][LINEAR_CLASSES];
	struct weights *keys;
	struct linear_words *words;
};

/* ---- the file ---- */

static int
read_context(struct linear *m, const char *line)
{
	size_t i;

	for (i = 0; i < m->spec->n_contexts; i++)
		if (weights_named(line, m->spec->contexts[i],
			m->spec->n_classes, WEIGHT_MOST, m->contexts[i]) == 0)
			return 0;
	return -1;
}

static int
read_head(struct linear *m, const char *line, size_t *lines)
{
	unsigned revision, features;
	size_t n, len = strlen(m->spec->name);

	if (strncmp(line, "skein ", 6) != 0 ||
	    strncmp(line + 6, m->spec->name, len) != 0 ||
	    sscanf(line + 6 + len, " %u features %u keys %zu", &revision,
		&features, &n) != 3 || revision != LINEAR_REVISION ||
	    features != FEATURES_REVISION || n > KEYS_MOST)
		return -1;
	m->keys = weights_open(n, m->spec->n_classes);
	*lines = 1 + m->spec->n_contexts + n;
	return 0;
}

static int
read_line(void *into, size_t number, const char *line, size_t *lines)
{
	struct linear *m = into;

	return number == 1 ? read_head(m, line, lines) :
	    number <= 1 + m->spec->n_contexts ? read_context(m, line) :
	    weights_add(m->keys, line, WEIGHT_MOST);
}

struct linear *
linear_open(const struct linear_spec *spec, const char *path, struct buf *why)
{
	struct linear *m = xcalloc(1, sizeof(*m));

	m->spec = spec;
	m->words = xcalloc(1, sizeof(*m->words));
	m->words->users = 1;
	if (weights_load(path, read_line, m, why) == -1)
		linear_close(&m);
	return m;
}

static void
leave_words(struct linear *m)
{
	if (--m->words->users == 0)
		free(m->words);
	m->words = NULL;
}

void
linear_close(struct linear **m)
{
	if (*m == NULL)
		return;
	leave_words(*m);
	weights_close(&(*m)->keys);
	free(*m);
	*m = NULL;
}

void
linear_join(struct linear *m, struct linear *other)
{
	if (m == NULL || other == NULL || m->words == other->words)
		return;
	leave_words(m);
	m->words = other->words;
	m->words->users++;
}

/* ---- use ---- */

/* One model reads a turn and the next one its only sentence. */
static const struct features *
read_words(struct linear_words *w, struct slice text)
{
	if (text.len > 0 && text.len == w->len &&
	    memcmp(text.ptr, w->text, text.len) == 0)
		return &w->read;
	features_words(&w->read, text);
	w->len = text.len <= TEXT_KNOWN ? text.len : 0;
	if (w->len > 0)
		memcpy(w->text, text.ptr, text.len);
	return &w->read;
}

static void
add_up(struct linear *m, struct slice text, size_t context, int64_t *sum)
{
	const struct features *f = read_words(m->words, text);
	const int32_t *of;
	unsigned i, known = 0;
	size_t k;

	for (i = 0; i < f->count; i++) {
		of = weights_find(m->keys, f->list[i].key);
		if (of == NULL)
			continue;
		known++;
		for (k = 0; k < m->spec->n_classes; k++)
			sum[k] += of[k];
	}
	weights_scale(sum, m->spec->n_classes, known);
	for (k = 0; k < m->spec->n_classes; k++)
		sum[k] += m->contexts[context][k];
}

void
linear_read(struct linear *m, struct slice text, size_t context, int32_t *lead)
{
	int64_t sum[LINEAR_CLASSES] = { 0 }, best;
	size_t k, other, n = m->spec->n_classes;

	add_up(m, text, context, sum);
	for (k = 0; k < n; k++) {
		best = INT64_MIN;
		for (other = 0; other < n; other++)
			if (other != k && sum[other] > best)
				best = sum[other];
		lead[k] = (int32_t)(sum[k] - best);
	}
}
