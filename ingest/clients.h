/*
 * clients - the numbering of every client, so that nothing is doubled,
 * reordered or lost when connections and processes come and go
 *
 * A client numbers its posts from 1.  Only the next number is taken; a later
 * one is answered with `expect N`; an earlier one has its result already, and
 * gets it again.  Results stay in the store until the client says that it has
 * them (`settled`), so a restart of ingest forgets none.
 */
#ifndef INGEST_CLIENTS_H
#define INGEST_CLIENTS_H

#include "common/bus.h"
#include "common/stage_impl.h"
#include "ingest/accept.h"

enum { NONCE_BYTES = 16 };

struct client {
	char nonce[NONCE_BYTES];
	uint64_t next;			/* the number taken next */
	uint64_t settled;		/* it has the results up to here */
	int64_t seen_ms;
	struct buf route;		/* its connection, for replies */

	/* Results of the batch under way, in order of number. */
	struct msg_ack *acks;
	size_t n_acks, cap_acks;
	uint64_t first;			/* number of acks[0] */
	bool told_expect;		/* once per gap */

	/* First numbers of its rows in client_acks. */
	uint64_t *rows;
	size_t n_rows, cap_rows;
	/* Refused when no row could be written to say it again from. */
	uint64_t refused_from, refused_upto;

	struct client *next_hash;
	struct client *next_touched;
};

struct clients;

struct clients *clients_open(struct stage *st);
void clients_close(struct clients **clients);
/* The client, read from the store if it is not in memory. */
struct client *clients_find(struct clients *cs, struct slice nonce);
/* Takes the client's word of what it has; drops rows it no longer needs. */
void clients_settle(struct clients *cs, struct client *c, uint64_t settled);
/* A result for the number c->next, which moves on; strings must last. */
struct msg_ack *clients_result(struct clients *cs, struct client *c);
/* Skein's own key of what an entry made: a turn, or a fork's thread. */
struct slice clients_key(struct arena *arena, enum msg_id type, uint64_t seq);
/* Writes rows of all clients with results into the stage's batch. */
void clients_batch(struct clients *cs, int64_t now_ms);
/*
 * Sends the results and forgets them; and all clients when they are many: who
 * comes back is read from the store.
 */
void clients_reply(struct clients *cs, struct bus_socket *router);
/*
 * The batch could not be committed: its entries, all with a seq past `cursor`,
 * are refused after all.
 */
void clients_uncommitted(struct clients *cs, uint64_t cursor,
    const struct refusal *refusal);
/* Nothing of the batch was kept: its numbers are expected once more. */
void clients_again(struct clients *cs, struct bus_socket *router);
/* Sends again what is in the store for numbers from `from` on. */
void clients_repeat(struct clients *cs, struct client *c, uint64_t from,
    struct bus_socket *router);
void clients_expect(struct client *c, struct bus_socket *router);
void clients_bye(struct clients *cs, struct client *c);
/* Forgets those silent for longer than client_keep, in the batch. */
void clients_expire(struct clients *cs, int64_t now_ms);

#endif
