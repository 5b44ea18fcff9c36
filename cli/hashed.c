/*
 * hashed - what an exchange's hashes were made of
 */
#include "cli/hashed.h"

#include <stdlib.h>

#include "common/json.h"
#include "common/xmalloc.h"
#include "ingest/normal.h"

struct place {
	uint64_t seq, i;
};

static void
put_hex(struct buf *out, struct slice bytes)
{
	size_t i;

	buf_addc(out, '"');
	for (i = 0; i < bytes.len; i++)
		buf_addf(out, "%02x", (unsigned char)bytes.ptr[i]);
	buf_addc(out, '"');
}

static void
put_message(const struct msg_xmessage *m, struct place at, struct buf *out)
{
	struct buf form;

	buf_init(&form, SIZE_MAX / 4);
	normal_form(m->role, m->text, m->content, &form);
	buf_addf(out, "{\"key\":\"%llu.%llu\",\"role\":",
	    (unsigned long long)at.seq, (unsigned long long)at.i);
	json_put_str(out, m->role);
	buf_adds(out, ",\"hash\":");
	put_hex(out, m->hash);
	buf_adds(out, ",\"form\":");
	json_put_str(out, buf_slice(&form));
	buf_addc(out, '}');
	buf_release(&form);
}

/* The request's messages, the last first: the entry's own, then back. */
static size_t
find_messages(struct query *q, const struct stage_entry *e,
    struct place **places)
{
	const struct msg_exchange *x = &e->entry.as->exchange;
	struct place at = { e->seq, x->n_added };
	struct stage_entry parent;
	size_t n = 0, room = 0;

	for (;;) {
		while (at.i > 0) {
			if (n == room) {
				room = room == 0 ? 64 : 2 * room;
				*places = xrealloc(*places,
				    room * sizeof((*places)[0]));
			}
			at.i--;
			(*places)[n++] = at;
		}
		if (x->parent_seq == 0 || x->parent_seq >= at.seq)
			return n;
		at = (struct place){ x->parent_seq, x->parent_i + 1 };
		query_entry(q, at.seq, &parent);
		if (parent.entry.id != MSG_exchange ||
		    at.i > parent.entry.as->exchange.n_added)
			return n;
		x = &parent.entry.as->exchange;
	}
}

static void
put_system(struct query *q, const struct msg_exchange *x, struct buf *out)
{
	struct slice text;
	struct buf stable;

	buf_adds(out, "{\"system_hash\":");
	put_hex(out, x->system_hash);
	buf_adds(out, ",\"system\":");
	buf_init(&stable, SIZE_MAX / 4);
	if (x->system_hash.len > 0 &&
	    db_get(q->shared, TABLE_systems, x->system_hash, &text))
		normal_system(text, &stable);
	json_put_str(out, buf_slice(&stable));
	buf_release(&stable);
}

void
hashed_to_json(struct query *q, const struct stage_entry *e, struct buf *out)
{
	struct place *places = NULL;
	struct stage_entry holder;
	size_t n, left;

	if (e->entry.id != MSG_exchange) {
		buf_adds(out, "null");
		return;
	}
	put_system(q, &e->entry.as->exchange, out);
	buf_adds(out, ",\"messages\":[");
	n = left = find_messages(q, e, &places);
	for (holder.seq = 0; left > 0; left--) {
		if (holder.seq != places[left - 1].seq)
			query_entry(q, places[left - 1].seq, &holder);
		if (left < n)
			buf_addc(out, ',');
		put_message(&holder.entry.as->exchange
		    .added[places[left - 1].i], places[left - 1], out);
	}
	buf_adds(out, "]}");
	free(places);
}
