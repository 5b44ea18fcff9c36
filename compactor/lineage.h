/*
 * lineage - what is remembered, refined and consolidated by command
 *
 * A memory entry becomes an artifact: an original, a refinement of one other
 * or a consolidation of several.  It is stored whatever else is known; the
 * older ones are marked as superseded and kept.  One that is much like an
 * older statement is answered with the advice to refine that one.
 *
 * Use makes artifacts heavier, see compactor/weight.h.
 */
#ifndef COMPACTOR_LINEAGE_H
#define COMPACTOR_LINEAGE_H

#include "compactor/compact.h"

enum {
	LINEAGE_REFINERS = 256,	/* of one artifact that it names, the latest */
	LINEAGE_ATTACHED = 64,	/* artifacts attached to a thread, the latest */
	LINEAGE_SUMMARY = 600,	/* bytes; a longer statement is a field whole */
	LINEAGE_TAGS = 5,
};

/* Decides about memory, used and attach entries; all others it leaves. */
void lineage_decide(struct compact *c);
/* Indexes the section's new statements, keeps what was attached. */
void lineage_apply(struct compact *c);

/* An entry was forgotten: what refines what it made stays all the same. */
void lineage_forgotten(struct stage *st, struct slice domain, uint64_t seq);

#endif
