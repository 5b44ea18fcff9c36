/*
 * material - turns of a conversation, for a model to read
 */
#include "assess/material.h"

#include "common/json.h"
#include "common/text.h"

enum {
	TURN_BYTES = 2000,	/* of one turn; the rest rarely decides */
	TURNS_MOST = 64
};

struct said {
	struct slice role, text;
};

bool
material_said(const struct msg *entry, uint64_t i, struct slice *role,
    struct slice *text)
{
	const struct msg_xmessage *m;

	if (entry->id == MSG_turn && i == 0) {
		*role = entry->as->turn.role;
		*text = entry->as->turn.text;
	} else if (entry->id == MSG_exchange &&
	    i < entry->as->exchange.n_added) {
		m = &entry->as->exchange.added[i];
		*role = m->role;
		*text = m->text;
	} else
		return false;
	if (role->len == 0)
		*role = SLICE("user");
	return true;
}

void
material_turn(struct slice role, struct slice text, struct buf *out)
{
	size_t cut = text_cut(text, TURN_BYTES);
	struct buf shortened;

	buf_init(&shortened, TURN_BYTES + 8);
	(void)buf_addslice(&shortened, slice_of(text.ptr, cut));
	if (cut < text.len)
		(void)buf_adds(&shortened, "…");
	(void)buf_adds(out, "{\"role\":");
	json_put_str(out, role);
	(void)buf_adds(out, ",\"text\":");
	json_put_str(out, buf_slice(&shortened));
	(void)buf_addc(out, '}');
	buf_release(&shortened);
}

/* The turn of that number; false: it is not there, or was forgotten. */
static bool
read_turn(struct query *q, uint64_t thread, uint64_t number, struct said *out)
{
	struct key k = key_pair(thread, number);
	struct msg_place place;
	struct stage_entry e;

	if (q->ingest == NULL || !db_get_msg(q->ingest, TABLE_thread_turns,
		key_slice(&k), MSG_place, &q->arena, &place))
		return false;
	query_entry(q, place.seq, &e);
	return e.entry.id != MSG_none &&
	    slice_eq(e.entry.as->envelope.domain, q->domain) &&
	    material_said(&e.entry, place.i, &out->role, &out->text);
}

void
material_turns(struct query *q, uint64_t thread, struct span ranges,
    size_t most_bytes, struct buf *out)
{
	struct said said[TURNS_MOST];
	uint64_t number;
	size_t n = 0, bytes = 0, i = ranges.count - ranges.count % 2;

	/* From the end, so that what is left out is the oldest. */
	for (; i >= 2 && n < TURNS_MOST && bytes < most_bytes; i -= 2) {
		for (number = ranges.at[i - 1];
		     number >= ranges.at[i - 2] && number > 0 &&
		     n < TURNS_MOST && bytes < most_bytes; number--) {
			if (!read_turn(q, thread, number, &said[n]))
				continue;
			bytes += said[n].text.len < TURN_BYTES ?
			    said[n].text.len : TURN_BYTES;
			n++;
		}
	}
	(void)buf_addc(out, '[');
	while (n-- > 0) {
		material_turn(said[n].role, said[n].text, out);
		if (n > 0)
			(void)buf_addc(out, ',');
	}
	(void)buf_addc(out, ']');
}
