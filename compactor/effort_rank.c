/*
 * effort_rank - what the marks of a sentence are worth, learnt
 *
 * The file is text: a head line, then a line per mark, its name and weight, in
 * the order of effort_how.def.
 */
#include "compactor/effort_rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/weights.h"
#include "common/xmalloc.h"

enum {
	RANK_REVISION = 1,
	WEIGHT_MOST = 100000
};

struct effort_rank {
	int32_t of[MARK_COUNT];
};

static const char *const names[] = {
#define MARK(name, what) #name,
#include "compactor/effort_how.def"
};

const char *
how_mark_name(enum how_mark mark)
{
	return names[mark];
}

static int
read_head(const char *line)
{
	unsigned revision, marks;
	int end = 0;

	return sscanf(line, "skein rank %u marks %u%n", &revision, &marks,
		&end) == 2 && revision == RANK_REVISION &&
		marks == MARK_COUNT && strcmp(line + end, "\n") == 0 ? 0 : -1;
}

static int
read_line(void *into, size_t number, const char *line, size_t *lines)
{
	struct effort_rank *rank = into;

	*lines = 1 + MARK_COUNT;
	return number == 1 ? read_head(line) :
	    weights_named(line, names[number - 2], 1, WEIGHT_MOST,
		&rank->of[number - 2]);
}

struct effort_rank *
effort_rank_open(const char *path, struct buf *why)
{
	struct effort_rank *rank = xcalloc(1, sizeof(*rank));

	if (weights_load(path, read_line, rank, why) == -1)
		effort_rank_close(&rank);
	return rank;
}

void
effort_rank_close(struct effort_rank **rank)
{
	free(*rank);
	*rank = NULL;
}

int64_t
effort_rank_points(const struct effort_rank *rank, const struct how_marks *m)
{
	int64_t sum = 0;
	size_t i;

	if (rank == NULL)
		return 0;
	/* Most are not there. */
	for (i = 0; i < MARK_COUNT; i++)
		if (m->of[i] != 0)
			sum += (int64_t)rank->of[i] * m->of[i];
	return sum;
}
