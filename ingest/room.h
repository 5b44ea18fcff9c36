/*
 * room - whether the stages could still write what was accepted
 *
 * An entry that was acked goes through all stages, and each has something to
 * say of it.  So ingest stops taking entries while there is room for that.
 */
#ifndef INGEST_ROOM_H
#define INGEST_ROOM_H

#include <stdbool.h>

struct stage;

/* Nothing new may be taken: map or disk would be full before all is said. */
bool room_is_short(struct stage *st);

#endif
