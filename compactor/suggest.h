/*
 * suggest - types of artifacts that nobody has written a package for yet
 *
 * Reads turns that are in no artifact and that no package's trigger fires on,
 * and counts how their sentences begin: the act and the first words.  What
 * recurs, in more than one thread, is proposed as the draft of a package that
 * `skein packages check` takes.  The same turns in the same order give the same
 * drafts.
 */
#ifndef COMPACTOR_SUGGEST_H
#define COMPACTOR_SUGGEST_H

#include <stdint.h>

#include "compactor/trigger.h"

struct suggest;

/* Borrows the packages. */
struct suggest *suggest_open(struct packages *packages);
void suggest_close(struct suggest **suggest);

/* A turn that is in no artifact, with its key and its thread. */
void suggest_take(struct suggest *s, const struct trigger_turn *turn,
    struct slice key, uint64_t thread);

/* What is proposed: at least so many turns, of at least two threads. */
struct suggestion {
	struct slice name;	/* of the package */
	struct slice lead;	/* "standup", "order number is" */
	struct slice act;
	uint64_t turns, threads;
	struct slice draft;	/* the file, with its examples as remarks */
};
/* The best first; lives as long as the suggest. */
size_t suggest_make(struct suggest *s, uint64_t least, size_t most,
    struct suggestion **out);

#endif
