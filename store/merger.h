/*
 * merger - the store stage's child that merges segments: skein-merge(8)
 *
 * It runs when a border was passed and ends when nothing is left to merge.
 * At most one at a time; it dies with the stage.  Nothing waits for it: the
 * pieces it merges are found as they are until then.
 */
#ifndef STORE_MERGER_H
#define STORE_MERGER_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/conf.h"

struct merger {
	pid_t pid;		/* 0: none runs */
	bool wanted;
	bool broken;		/* it cannot be started; said once */
};

/* It does not end before the stage, where an endpoint makes vectors. */
#define MERGER_STAY "--stay"

/* Starts one if there may be work and none runs. */
void merger_look(struct merger *m, const struct conf *conf, bool work);
void merger_stop(struct merger *m);

#endif
