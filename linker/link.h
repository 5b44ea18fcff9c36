/*
 * link - what the two halves of the linker work on
 *
 * One entry is linked in two halves that do not read each other's tables:
 * exchanges (calls of LLM APIs) into conversations, and threads into episodes.
 * Each fills its own fields of the section and applies them; see
 * common/messages.def for which are whose, and docs/LINKING.md for the rules.
 */
#ifndef LINKER_LINK_H
#define LINKER_LINK_H

#include "common/stage.h"

struct link {
	struct stage *st;
	const struct stage_entry *e;
	struct msg_s_linker *section;	/* deciding: filled; applying: read */
	struct arena *arena;		/* until the call returns */
	const struct conf *conf;
};

/* Fill the section from the entry and the tables as of the entry before. */
void exchanges_decide(struct link *l);		/* exchange.c */
void threads_decide(struct link *l);		/* episodes.c */
/* Bring the section into the tables; entry and section are all they know. */
void exchanges_apply(struct link *l);
void threads_apply(struct link *l);

/* The entry's place as ingest has it; NULL: there is none. */
const struct msg_s_ingest *link_place(const struct link *l);
/* A copy of a record, because what a read gives dies with the next write. */
bool link_get(const struct link *l, enum table_id table, const struct key *k,
    enum msg_id id, void *out);
void link_put(const struct link *l, enum table_id table, const struct key *k,
    enum msg_id id, const void *msg);
/* For what is not read again soon: see db_put_msg_later. */
void link_put_later(const struct link *l, enum table_id table,
    const struct key *k, enum msg_id id, const void *msg);
void link_delete(const struct link *l, enum table_id table,
    const struct key *k);

#endif
