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
	KEYS_MOST = 1 << 20,
	TEXT_KNOWN = 512,	/* bytes; a longer one is read each time */
	MAY_BITS = 1 << 16,
};

struct slot {
	uint32_t key;
	uint32_t row;		/* of the weights, from 1; 0: there is none */
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
	/*
	 * Most keys are in no model.  What tells so of nearly all of them is
	 * small enough to stay near the processor.
	 */
	uint64_t may_have[MAY_BITS / 64];
	struct slot *slots;
	size_t mask;		/* their number is a power of two */
	int32_t *weights;	/* n_classes of each key */
	uint32_t n_rows;
	struct linear_words *words;
};

static struct slot *
slot_of(const struct linear *m, uint32_t key)
{
	size_t at = key & m->mask;

	while (m->slots[at].row != 0 && m->slots[at].key != key)
		at = (at + 1) & m->mask;
	return &m->slots[at];
}

/* By other bits of the key than those that choose its slot. */
static inline bool
may_have(const struct linear *m, uint32_t key)
{
	return (m->may_have[key >> 22] >> (key >> 16 & 63) & 1) != 0;
}

static void
note_key(struct linear *m, uint32_t key)
{
	m->may_have[key >> 22] |= UINT64_C(1) << (key >> 16 & 63);
}

static int32_t *
weights_of(const struct linear *m, const struct slot *slot)
{
	return &m->weights[(slot->row - 1) * m->spec->n_classes];
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
	struct slot *slot;
	char *end;

	errno = 0;
	key = strtoul(line, &end, 16);
	if (end == line || *end != '\t' || errno != 0 || key > UINT32_MAX)
		return -1;
	slot = slot_of(m, (uint32_t)key);
	if (slot->row != 0)
		return -1;
	*slot = (struct slot){ (uint32_t)key, ++m->n_rows };
	note_key(m, (uint32_t)key);
	return read_weights(m, end, weights_of(m, slot));
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
	m->weights = xcalloc(n + 1, m->spec->n_classes * sizeof(int32_t));
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
	m->words = xcalloc(1, sizeof(*m->words));
	m->words->users = 1;
	if (read_file(m, f, &line) == -1) {
		buf_addf(why, "%s:%zu: no weights that fit this program: "
		    "install it again", path, line);
		linear_close(&m);
	}
	fclose(f);
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
	free((*m)->slots);
	free((*m)->weights);
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

/* Long texts have many words, and none of them may shout the others down. */
static void
add_up(struct linear *m, struct slice text, size_t context, int64_t *sum)
{
	const struct features *f = read_words(m->words, text);
	const struct slot *slot;
	const int32_t *of;
	unsigned i, known = 0;
	int64_t root;
	size_t k;

	for (i = 0; i < f->count; i++) {
		if (!may_have(m, f->list[i].key))
			continue;
		slot = slot_of(m, f->list[i].key);
		if (slot->row == 0)
			continue;
		known++;
		of = weights_of(m, slot);
		for (k = 0; k < m->spec->n_classes; k++)
			sum[k] += of[k];
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
