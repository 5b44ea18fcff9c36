/*
 * package_draft - what users' packages gather until an effort or answer ends
 *
 * A package of life effort gathers from each turn of each effort, from its
 * opening on, because its trigger may fire on any of them; one of life answer
 * from a question and what answers it.  What is gathered is kept as a draft by
 * effort or question, listed nowhere.  When the effort is resolved, or the
 * answer taken, and the trigger has fired, and every required field has a
 * value, the draft becomes an artifact; else nothing was.  An effort that is
 * reopened and resolved again changes the artifact it made before.
 */
#ifndef COMPACTOR_PACKAGE_DRAFT_H
#define COMPACTOR_PACKAGE_DRAFT_H

#include "compactor/compact.h"
#include "compactor/trigger.h"

/* After efforts and answers: the section says what became of them. */
void drafts_decide(struct compact *c);
/* The section's drafts, into the table. */
void drafts_apply(struct compact *c);

/* package_decide.c: what the triggers gave on a turn of this entry. */
const struct trigger_result *package_result(struct compact *c,
    const struct compact_turn *t);
const struct trigger_fire *package_fire(struct compact *c,
    const struct compact_turn *t, const struct package *p);
void package_count_tokens(struct compact *c, struct msg_artifact *a);

#endif
