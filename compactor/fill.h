/*
 * fill - the fields of an artifact, as its package says, and how it is worded
 *
 * Works on one turn after the other: what a field takes from a turn it takes
 * when the turn comes, so nothing of a long effort need be kept for its end.
 */
#ifndef COMPACTOR_FILL_H
#define COMPACTOR_FILL_H

#include "compactor/trigger.h"

/*
 * Takes from a turn, at its place (or places), what the fields want of it.  A
 * text is kept once it is there, unless the turn resolves; a list grows up to
 * its `most`.
 */
void fill_fields(struct arena *arena, const struct package *package,
    const struct trigger_result *turn, const struct trigger_fire *fire,
    unsigned places, struct msg_artifact *artifact);
/* Summary, resolution, subject and expires_at, by the templates. */
void fill_words(struct arena *arena, const struct package *package,
    struct msg_artifact *artifact);
/* The first required field that has no value; NULL: none. */
const struct package_field *fill_missing(const struct package *package,
    const struct msg_artifact *artifact);

/* The values that one way gives of a turn, shortened; no more than `most`. */
struct msg_strs fill_by(struct arena *arena, const struct package_by *by,
    const struct trigger_result *turn, const struct trigger_fire *fire,
    const struct msg_artifact *artifact, size_t most);

#endif
