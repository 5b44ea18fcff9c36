/*
 * export_given - what a sender gave of an entry, and what ingest filled in
 *
 * The log does not say which fields were given, but ingest keeps a hash of
 * them: those that may have been filled in are left out in all combinations
 * until the hash fits.
 */
#include "cli/export_given.h"

#include <xxhash.h>

/* Fields that ingest may have filled in, as bits of a combination. */
enum {
	FILLED_domain = 1,
	FILLED_user = 2,
	FILLED_ts = 4,
	FILLED_role = 8,
	FILLED_kind = 16,
	FILLED_response = 32,	/* of an exchange: the reply's own id */
	FILLED_ALL = 63
};

static void
leave_out(union msg_any *e, unsigned filled)
{
	const struct { unsigned bit, tag; struct slice *field; } strings[] = {
		{ FILLED_domain, MSGTAG_envelope_domain, &e->envelope.domain },
		{ FILLED_user, MSGTAG_envelope_user, &e->envelope.user },
		{ FILLED_role, MSGTAG_turn_role, &e->turn.role },
		{ FILLED_kind, MSGTAG_turn_kind, &e->turn.kind },
		{ FILLED_response, MSGTAG_exchange_response_id,
		    &e->exchange.response_id },
	};
	size_t i;

	for (i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if ((filled & strings[i].bit) == 0)
			continue;
		*strings[i].field = SLICE_NONE;
		e->envelope.has &= ~(UINT64_C(1) << strings[i].tag);
	}
	if (filled & FILLED_ts) {
		e->envelope.ts = 0;
		e->envelope.has &= ~(UINT64_C(1) << MSGTAG_envelope_ts);
	}
}

/* Those whose value is the one that ingest would fill in. */
static unsigned
may_be_filled(enum msg_id type, const union msg_any *e)
{
	unsigned filled = FILLED_ts;

	if (slice_is(e->envelope.domain, "default"))
		filled |= FILLED_domain;
	if (slice_is(e->envelope.user, "default"))
		filled |= FILLED_user;
	if (type == MSG_exchange && e->exchange.response_id.len > 0)
		filled |= FILLED_response;
	if (type != MSG_turn)
		return filled;
	if (slice_is(e->turn.role, "user"))
		filled |= FILLED_role;
	if (slice_is(e->turn.kind, e->turn.thread.len > 0 ? "explicit" :
							    "implicit"))
		filled |= FILLED_kind;
	return filled;
}

/* What follows the envelope's hash in an exchange's: what was said. */
static void
hash_said(const struct msg_exchange *e, XXH128_canonical_t *digest)
{
	char said[4 * sizeof(digest->digest)];
	struct slice parts[] = {
		slice_of((char *)digest->digest, sizeof(digest->digest)),
		e->hash, e->system_hash, e->reply_hash };
	size_t i, len = 0;

	for (i = 0; i < 4; i++) {
		if (parts[i].len == 0 || parts[i].len > sizeof(said) - len)
			continue;
		memcpy(said + len, parts[i].ptr, parts[i].len);
		len += parts[i].len;
	}
	XXH128_canonicalFromHash(digest, XXH3_128bits(said, len));
}

static bool
has_hash(const struct msg *entry, const union msg_any *given,
    struct slice hash, struct buf *record)
{
	XXH128_canonical_t digest;

	buf_clear(record);
	if (msg_encode(record, entry->id, given) == -1)
		return false;
	XXH128_canonicalFromHash(&digest,
	    XXH3_128bits(record->ptr, record->len));
	if (entry->id == MSG_exchange)
		hash_said(&entry->as->exchange, &digest);
	return slice_eq(hash, slice_of((char *)digest.digest,
	    sizeof(digest.digest)));
}

/* All that a sender can have given; of an exchange without what was said. */
static union msg_any
all_given(const struct msg *entry)
{
	const struct msg_exchange *e = &entry->as->exchange;
	union msg_any given = { 0 };

	if (entry->id == MSG_exchange)
		given.exchange = (struct msg_exchange){
			.has = e->has & (UINT64_C(0xff) |
			    UINT64_C(1) << MSGTAG_exchange_model |
			    UINT64_C(1) << MSGTAG_exchange_response_id |
			    UINT64_C(1) <<
				MSGTAG_exchange_previous_response_id),
			.domain = e->domain, .id = e->id, .ts = e->ts,
			.user = e->user, .channel = e->channel,
			.room = e->room, .session = e->session,
			.model = e->model, .response_id = e->response_id,
			.previous_response_id = e->previous_response_id,
		};
	else
		memcpy(&given, entry->as, msg_spec(entry->id)->size);
	given.envelope.live = false;
	given.envelope.has &= ~(UINT64_C(1) << MSGTAG_envelope_live);
	return given;
}

void
export_given(const struct msg *entry, struct slice hash, struct buf *record,
    union msg_any *out)
{
	union msg_any whole = all_given(entry);
	unsigned filled, may;

	may = may_be_filled(entry->id, &whole);
	for (filled = FILLED_ALL; hash.len > 0; filled--) {
		*out = whole;
		if ((filled & ~may) == 0) {
			leave_out(out, filled);
			if (has_hash(entry, out, hash, record)) {
				*out = whole;
				leave_out(out, filled & ~FILLED_ts);
				return;
			}
		}
		if (filled == 0)
			break;
	}
	*out = whole;
}
