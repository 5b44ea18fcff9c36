/*
 * forget_impl - what the files of forget share: a wish that is carried out
 */
#ifndef INGEST_FORGET_IMPL_H
#define INGEST_FORGET_IMPL_H

#include "ingest/forget.h"

enum forget_what { FORGET_USER, FORGET_THREAD, FORGET_TURNS, FORGET_DOMAIN };

/* A turn that was named: entry, and message in it if that is an exchange. */
struct forget_turn {
	uint64_t seq, i;
	bool has_i;
};

struct forget_selected {
	uint64_t seq;
	bool message_only;	/* of an exchange: one message, the rest stays */
	uint64_t i;
};

/* A memory that goes and bore an id: the key that its artifact had. */
struct forget_memory {
	struct slice id, key;
};

struct forget {
	struct stage *st;
	struct db_txn *txn;
	struct arena wish_arena, arena;	/* the wish; one entry */
	uint64_t seq;			/* of the wish */
	const struct msg_forget *wish;
	enum forget_what what;
	uint64_t thread;
	struct forget_turn *named;
	size_t n_named;
	struct forget_selected *selected;	/* by seq */
	size_t n_selected, room;
	uint32_t *kept;		/* entries that stay, by thread */
	uint64_t last;
	uint64_t entries, turns;	/* forgotten by it */
	struct forget_memory *gone;	/* by id, once all are buried */
	size_t n_gone, room_gone;
};

/* An entry with ingest's section, in f's arena; false: it cannot be read. */
bool forget_load(struct forget *f, uint64_t seq, struct stage_entry *out);

/* forget_select.c: what the wish means; no entry is changed. */
void forget_select(struct forget *f);

/* forget_bury.c: the changes to the log, in f's writing transaction. */
void forget_bury(struct forget *f);

#endif
