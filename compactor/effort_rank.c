/*
 * effort_rank - what the marks of a sentence are worth, learnt
 *
 * The file is text: a head line, then a line per mark, its name and weight, in
 * the order of effort_how.def.
 */
#include "compactor/effort_rank.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
read_weight(struct effort_rank *rank, const char *line, size_t mark)
{
	size_t len = strlen(names[mark]);
	char *end;
	long value;

	if (strncmp(line, names[mark], len) != 0 || line[len] != '\t')
		return -1;
	errno = 0;
	value = strtol(line + len, &end, 10);
	if (end == line + len || strcmp(end, "\n") != 0 || errno != 0 ||
	    value > WEIGHT_MOST || value < -WEIGHT_MOST)
		return -1;
	rank->of[mark] = (int32_t)value;
	return 0;
}

static int
read_file(struct effort_rank *rank, FILE *f, size_t *number)
{
	size_t room = 0;
	char *line = NULL;
	int rc = -1;

	for (*number = 1; getline(&line, &room, f) != -1; ++*number) {
		rc = *number == 1 ? read_head(line) :
		    *number <= 1 + MARK_COUNT ?
				  read_weight(rank, line, *number - 2) : -1;
		if (rc == -1)
			break;
	}
	free(line);
	return rc == 0 && *number == 2 + MARK_COUNT ? 0 : -1;
}

struct effort_rank *
effort_rank_open(const char *path, struct buf *why)
{
	struct effort_rank *rank;
	size_t line;
	FILE *f;

	f = fopen(path, "re");
	if (f == NULL) {
		buf_addf(why, "%s: %s", path, strerror(errno));
		return NULL;
	}
	rank = xcalloc(1, sizeof(*rank));
	if (read_file(rank, f, &line) == -1) {
		buf_addf(why, "%s:%zu: no weights that fit this program: "
		    "install it again", path, line);
		effort_rank_close(&rank);
	}
	fclose(f);
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
