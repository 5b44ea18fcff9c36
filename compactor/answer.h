/*
 * answer - better wordings, from a model that was asked for them
 *
 * While the setting assess is on, what this entry resolved and compacted is
 * published as questions word:KEY@SEQ.  An answer entry to one, JSON, is taken
 * whatever the setting is by then, so that a replay needs no model:
 *
 *   an artifact   {"summary", "resolution"}   becomes a refinement of it
 *   an episode    {"micro", "meso"}           takes the place of its summaries
 *
 * It is refused where the thing has changed since it was asked about.
 */
#ifndef COMPACTOR_ANSWER_H
#define COMPACTOR_ANSWER_H

#include "compactor/compact.h"

/* Last of all that decides: asks about what the section holds by then. */
void answer_ask(struct compact *c);
/* Decides about answer entries; all others it leaves. */
void answer_decide(struct compact *c);

#endif
