/*
 * linear - a small model: words of a text add up to scores
 *
 * The file is text: a head line, a line per context, a line per feature, with
 * a weight for each class in thousandths.  Features are those of classify's
 * model, its words alone.
 */
#include "compactor/linear.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "classify/features.h"
#include "common/root.h"
#include "common/xmalloc.h"

enum {
	LINEAR_REVISION = 1,
	WEIGHT_MOST = 1000000,
	KEYS_MOST = 1 << 20
};

struct weights {
	uint32_t key;
	bool used;
	int32_t of[LINEAR_CLASSES];
};

struct linear {
	const struct linear_spec *spec;
	int32_t contexts[LINEAR_CONTEXTS][LINEAR_CLASSES];
	struct weights *slots;
	size_t mask;		/* their number is a power of two */
	struct features room;	/* large: not on the stack */
};

static struct weights *
slot_of(const struct linear *m, uint32_t key)
{
	size_t at = key & m->mask;

	while (m->slots[at].used && m->slots[at].key != key)
		at = (at + 1) & m->mask;
	return &m->slots[at];
}

/* ---- the file ---- */

static int
read_weights(const struct linear *m, const char *p, int32_t *of)
{
	char *end;
	long value;
	size_t i;

	for (i = 0; i < m->spec->n_classes; i++, p = end) {
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
read_context(struct linear *m, const char *line)
{
	const char *name;
	size_t i, len;

	for (i = 0; i < m->spec->n_contexts; i++) {
		name = m->spec->contexts[i];
		len = strlen(name);
		if (strncmp(line, name, len) == 0 && line[len] == '\t')
			return read_weights(m, line + len, m->contexts[i]);
	}
	return -1;
}

static int
read_key(struct linear *m, const char *line)
{
	unsigned long key;
	struct weights *w;
	char *end;

	errno = 0;
	key = strtoul(line, &end, 16);
	if (end == line || *end != '\t' || errno != 0 || key > UINT32_MAX)
		return -1;
	w = slot_of(m, (uint32_t)key);
	if (w->used)
		return -1;
	w->used = true;
	w->key = (uint32_t)key;
	return read_weights(m, end, w->of);
}

static int
read_head(struct linear *m, const char *line, size_t *n_keys)
{
	unsigned revision, features;
	size_t n, slots = 1, len = strlen(m->spec->name);

	if (strncmp(line, "skein ", 6) != 0 ||
	    strncmp(line + 6, m->spec->name, len) != 0 ||
	    sscanf(line + 6 + len, " %u features %u keys %zu", &revision,
		&features, &n) != 3 || revision != LINEAR_REVISION ||
	    features != FEATURES_REVISION || n > KEYS_MOST)
		return -1;
	while (slots < 2 * n + 2)
		slots *= 2;
	m->slots = xcalloc(slots, sizeof(m->slots[0]));
	m->mask = slots - 1;
	*n_keys = n;
	return 0;
}

static int
read_file(struct linear *m, FILE *f, size_t *number)
{
	size_t room = 0, n_keys = 0, n_contexts = m->spec->n_contexts;
	char *line = NULL;
	int rc = -1;

	for (*number = 1; getline(&line, &room, f) != -1; ++*number) {
		rc = *number == 1 ? read_head(m, line, &n_keys) :
		    *number <= 1 + n_contexts ? read_context(m, line) :
		    *number <= 1 + n_contexts + n_keys ? read_key(m, line) :
							 -1;
		if (rc == -1)
			break;
	}
	free(line);
	if (rc == 0 && *number != 2 + n_contexts + n_keys)
		rc = -1;
	return rc;
}

struct linear *
linear_open(const struct linear_spec *spec, const char *path, struct buf *why)
{
	struct linear *m;
	size_t line;
	FILE *f;

	f = fopen(path, "re");
	if (f == NULL) {
		buf_addf(why, "%s: %s", path, strerror(errno));
		return NULL;
	}
	m = xcalloc(1, sizeof(*m));
	m->spec = spec;
	if (read_file(m, f, &line) == -1) {
		buf_addf(why, "%s:%zu: no weights that fit this program: "
		    "install it again", path, line);
		linear_close(&m);
	}
	fclose(f);
	return m;
}

void
linear_close(struct linear **m)
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
add_up(struct linear *m, struct slice text, size_t context, int64_t *sum)
{
	const struct weights *w;
	unsigned i, known = 0;
	int64_t root;
	size_t k;

	features_words(&m->room, text);
	for (i = 0; i < m->room.count; i++) {
		w = slot_of(m, m->room.list[i].key);
		if (!w->used)
			continue;
		known++;
		for (k = 0; k < m->spec->n_classes; k++)
			sum[k] += w->of[k];
	}
	root = known > 0 ? root_of((uint64_t)known * 1000000) : 1000;
	for (k = 0; k < m->spec->n_classes; k++)
		sum[k] = sum[k] * 2000 / root + m->contexts[context][k];
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
