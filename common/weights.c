/*
 * weights - learnt weights, from a file of lines
 */
#include "common/weights.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/root.h"
#include "common/xmalloc.h"

enum { MAY_BITS = 1 << 16 };

struct slot {
	uint32_t key;
	uint32_t row;		/* of the weights, from 1; 0: there is none */
};

struct weights {
	/*
	 * Most keys are in no model.  What tells so of nearly all of them is
	 * small enough to stay near the processor.
	 */
	uint64_t may_have[MAY_BITS / 64];
	struct slot *slots;
	size_t mask;		/* their number is a power of two */
	size_t per_key;
	int32_t *rows;
	uint32_t n_rows, keys;
};

/* ---- the file ---- */

static int
take_lines(FILE *f, weights_take *take, void *into, size_t *number)
{
	size_t room = 0, lines = 1;
	char *line = NULL;
	int rc = -1;

	for (*number = 1; getline(&line, &room, f) != -1; ++*number) {
		rc = *number <= lines ? take(into, *number, line, &lines) : -1;
		if (rc == -1)
			break;
	}
	free(line);
	return rc == 0 && *number == lines + 1 ? 0 : -1;
}

int
weights_load(const char *path, weights_take *take, void *into,
    struct buf *why)
{
	FILE *f = fopen(path, "re");
	size_t line;
	int rc;

	if (f == NULL) {
		buf_addf(why, "%s: %s", path, strerror(errno));
		return -1;
	}
	rc = take_lines(f, take, into, &line);
	if (rc == -1)
		buf_addf(why, "%s:%zu: no weights that fit this program: "
		    "install it again", path, line);
	fclose(f);
	return rc;
}

static int
read_numbers(const char *p, size_t n, long most, int32_t *of)
{
	char *end;
	long value;
	size_t i;

	for (i = 0; i < n; i++, p = end) {
		errno = 0;
		value = strtol(p, &end, 10);
		if (end == p || errno != 0 || value > most || value < -most)
			return -1;
		of[i] = (int32_t)value;
	}
	return strcmp(p, "\n") == 0 ? 0 : -1;
}

int
weights_named(const char *line, const char *name, size_t n, long most,
    int32_t *of)
{
	size_t len = strlen(name);

	return strncmp(line, name, len) == 0 && line[len] == '\t' ?
	    read_numbers(line + len, n, most, of) : -1;
}

/* ---- the table ---- */

static struct slot *
slot_of(const struct weights *w, uint32_t key)
{
	size_t at = key & w->mask;

	while (w->slots[at].row != 0 && w->slots[at].key != key)
		at = (at + 1) & w->mask;
	return &w->slots[at];
}

static int32_t *
row_of(const struct weights *w, const struct slot *slot)
{
	return &w->rows[(slot->row - 1) * w->per_key];
}

struct weights *
weights_open(size_t keys, size_t per_key)
{
	struct weights *w = xcalloc(1, sizeof(*w));
	size_t slots = 1;

	while (slots < 2 * keys + 2)
		slots *= 2;
	w->slots = xcalloc(slots, sizeof(w->slots[0]));
	w->mask = slots - 1;
	w->per_key = per_key;
	w->rows = xcalloc(keys + 1, per_key * sizeof(w->rows[0]));
	w->keys = (uint32_t)keys;
	return w;
}

void
weights_close(struct weights **w)
{
	if (*w == NULL)
		return;
	free((*w)->slots);
	free((*w)->rows);
	free(*w);
	*w = NULL;
}

int
weights_add(struct weights *w, const char *line, long most)
{
	unsigned long key;
	struct slot *slot;
	char *end;

	errno = 0;
	key = strtoul(line, &end, 16);
	if (end == line || *end != '\t' || errno != 0 || key > UINT32_MAX)
		return -1;
	slot = slot_of(w, (uint32_t)key);
	if (slot->row != 0 || w->n_rows == w->keys)
		return -1;
	*slot = (struct slot){ (uint32_t)key, ++w->n_rows };
	w->may_have[key >> 22] |= UINT64_C(1) << (key >> 16 & 63);
	return read_numbers(end, w->per_key, most, row_of(w, slot));
}

const int32_t *
weights_find(const struct weights *w, uint32_t key)
{
	const struct slot *slot;

	/* By other bits of the key than those that choose its slot. */
	if ((w->may_have[key >> 22] >> (key >> 16 & 63) & 1) == 0)
		return NULL;
	slot = slot_of(w, key);
	return slot->row != 0 ? row_of(w, slot) : NULL;
}

void
weights_scale(int64_t *sums, size_t n, size_t known)
{
	int64_t root = known > 0 ? root_of((uint64_t)known * 1000000) : 1000;
	size_t i;

	for (i = 0; i < n; i++)
		sums[i] = sums[i] * 2000 / root;
}
