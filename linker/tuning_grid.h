/*
 * tuning_grid - the best weights and threshold of all on the grid
 *
 * What tuning.c keeps to itself of its search: see linker/tuning.h.
 */
#ifndef LINKER_TUNING_GRID_H
#define LINKER_TUNING_GRID_H

#include "linker/tuning.h"

/* A setting that was tried: how many it has right, how far it has moved. */
struct tuning_trial {
	struct score_rules rules;
	size_t right, wrong_links;
	unsigned moved;
};

/* What is in force, as a trial: it may lie beside the grid. */
struct tuning_trial tuning_try(const struct score_rules *now,
    const struct tuning_sample *samples, size_t n);
/* The best, or what is in force; of at most TUNING_WINDOW samples. */
struct tuning_trial tuning_search(const struct score_rules *now,
    const struct tuning_sample *samples, size_t n);

#endif
