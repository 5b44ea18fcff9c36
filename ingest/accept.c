/*
 * accept - from what a client sent to an entry that the log can take
 */
#include "ingest/accept.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <xxhash.h>

#include "common/log.h"
#include "common/text.h"
#include "common/when.h"
#include "ingest/accept_check.h"
#include "ingest/normal.h"

int
refuse(struct refusal *refusal, const char *code, const char *fmt, ...)
{
	char *text = refusal->why.text;
	size_t bad;
	va_list ap;

	refusal->code = code;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(refusal->why.text), fmt, ap);
	va_end(ap);
	if (!text_valid_utf8(slice_str(text), &bad))
		text[bad] = '\0';	/* it was cut within a character */
	return -1;
}

static int
refuse_as(struct refusal *refusal, const struct msg_error *why,
    const char *form)
{
	const char *const codes[] = {
		[FAULT_FORM] = form,
		[FAULT_MISSING] = "missing",
		[FAULT_TYPE] = "bad_type",
		[FAULT_OURS] = "bad_value",
	};

	return refuse(refusal, codes[why->fault], "%s", why->text);
}

/* ---- bytes to JSON ---- */

/*
 * How deep brackets nest outside strings, before any parser recurses into
 * them.  Right for JSON that is right; what is wrong fails in the parser.
 */
static size_t
json_depth(struct slice body)
{
	size_t depth = 0, deepest = 0, i;
	bool in_string = false;

	for (i = 0; i < body.len; i++) {
		switch (body.ptr[i]) {
		case '\\':
			i += in_string;
			break;
		case '"':
			in_string = !in_string;
			break;
		case '{':
		case '[':
			if (!in_string && ++depth > deepest)
				deepest = depth;
			break;
		case '}':
		case ']':
			if (!in_string && depth > 0)
				depth--;
			break;
		}
	}
	return deepest;
}

/* A record of messages.def begins as an array of three. */
static bool
is_record(struct slice body)
{
	return body.len > 0 && (unsigned char)body.ptr[0] == 0x93;
}

static bool
is_msgpack_map(struct slice body)
{
	unsigned char c = (unsigned char)body.ptr[0];

	return (c & 0xf0) == 0x80 || c == 0xde || c == 0xdf;
}

static json_t *
parse_json(struct slice body, struct refusal *refusal)
{
	json_error_t error;
	json_t *json;
	size_t bad;

	if (!text_valid_utf8(body, &bad)) {
		refuse(refusal, "bad_utf8", "byte %zu is not UTF-8", bad);
		return NULL;
	}
	json = json_loadb(body.ptr, body.len, JSON_REJECT_DUPLICATES, &error);
	if (json != NULL)
		return json;
	switch (json_error_code(&error)) {
	case json_error_null_character:
	case json_error_null_byte_in_key:
		refuse(refusal, "nul", "NUL at byte %d: text has no NUL bytes",
		    error.position);
		break;
	case json_error_duplicate_key:
		refuse(refusal, "bad_json", "a member is there twice: %s",
		    error.text);
		break;
	default:
		refuse(refusal, "bad_json", "not JSON at byte %d: %s",
		    error.position, error.text);
	}
	return NULL;
}

static json_t *
parse(const struct conf *conf, struct slice body, struct refusal *refusal)
{
	struct msg_error why;
	json_t *json;

	if (body.len == 0) {
		refuse(refusal, "bad_json", "the entry is empty");
		return NULL;
	}
	if (is_msgpack_map(body)) {
		json = msg_msgpack_to_json(body, &why);
		if (json == NULL)
			refuse(refusal, "bad_msgpack", "%s", why.text);
		return json;
	}
	if (json_depth(body) > (size_t)conf->max_depth) {
		refuse(refusal, "too_deep",
		    "nested deeper than max_depth = %lld levels",
		    (long long)conf->max_depth);
		return NULL;
	}
	return parse_json(body, refusal);
}

/* ---- the envelope ---- */

/* Seconds since 1970 of the years 1973 to 5138. */
#define SECONDS_LEAST INT64_C(100000000)
#define SECONDS_MOST INT64_C(100000000000)

static int
check_time(const struct conf *conf, const struct msg_envelope *e,
    int64_t arrived_ms, struct refusal *refusal)
{
	char latest[WHEN_TEXT_BYTES];
	int64_t most = arrived_ms + conf->max_future * WHEN_DAY_MS;

	if (!msg_has_tag(e, MSGTAG_envelope_ts))
		return 0;
	if (e->ts < 0)
		return refuse(refusal, "bad_time", "ts: is before 1970");
	/* As milliseconds these are days of 1970 to 1973. */
	if (e->ts >= SECONDS_LEAST && e->ts < SECONDS_MOST)
		return refuse(refusal, "bad_time", "ts: %lld looks like "
		    "seconds, it is milliseconds since 1970",
		    (long long)e->ts);
	if (e->ts <= most)
		return 0;
	when_format(most, latest);
	return refuse(refusal, "bad_time",
	    "ts: is too far ahead: the latest taken now is %s", latest);
}

static void
fill_envelope(struct msg_envelope *e, int64_t arrived_ms)
{
	if (e->domain.len == 0)
		e->domain = SLICE("default");
	if (e->user.len == 0)
		e->user = SLICE("default");
	if (!msg_has_tag(e, MSGTAG_envelope_ts))
		e->ts = arrived_ms;
}

static const struct msg_spec *
find_type(json_t *json, struct refusal *refusal)
{
	json_t *type = json_object_get(json, "type");
	const struct msg_spec *spec;
	struct slice name;

	if (!json_is_object(json)) {
		refuse(refusal, "bad_type", "an entry is a JSON object");
		return NULL;
	}
	if (type == NULL && json_object_get(json, "messages") != NULL &&
	    json_object_get(json, "text") == NULL) {
		refuse(refusal, "missing", "type: is missing: messages are "
		    "those of an \"exchange\", a turn has a text");
		return NULL;
	}
	if (type == NULL)
		return msg_spec(MSG_turn);
	if (!json_is_string(type)) {
		refuse(refusal, "bad_type", "type: must be a string");
		return NULL;
	}
	name = slice_of(json_string_value(type), json_string_length(type));
	spec = msg_spec_named(name);
	if (spec != NULL && msg_is_entry(spec->id) && spec->id != MSG_tombstone)
		return spec;
	refuse(refusal, "unknown_type", "type: '%.*s' is no entry",
	    (int)text_cut(name, 60), name.ptr);
	return NULL;
}

/*
 * Over what the sender gave, before anything is filled in: a resend hours
 * later, without a ts, is still the same entry.  Of an exchange this is the
 * envelope; accept_hash_exchange adds what was said.
 */
static int
hash_content(struct accepted *a, size_t body_len, struct refusal *refusal)
{
	enum { HEADER_BYTES = 64 };
	XXH128_canonical_t digest;
	struct buf record;
	int rc;

	buf_init(&record, SIZE_MAX / 4);
	/* A first guess: the record is about as long as what it came in. */
	(void)buf_room(&record, body_len + HEADER_BYTES);
	rc = msg_encode(&record, a->type, a->entry);
	XXH128_canonicalFromHash(&digest, XXH3_128bits(record.ptr, record.len));
	buf_release(&record);
	memcpy(a->content_hash, digest.digest, sizeof(a->content_hash));
	return rc == 0 ? 0 : refuse(refusal, "too_large", "cannot be kept");
}

void
accept_hash_exchange(struct accepted *a, const struct normal_exchange *n)
{
	const char *last = n->messages[n->n_messages - 1].hash;
	XXH128_canonical_t digest;
	XXH3_state_t *state = XXH3_createState();

	if (state == NULL)
		fatalx(EX_RETRY, "out of memory");
	XXH3_128bits_reset(state);
	XXH3_128bits_update(state, a->content_hash, sizeof(a->content_hash));
	XXH3_128bits_update(state, last, PREFIX_HASH_BYTES);
	XXH3_128bits_update(state, n->system_hash, PREFIX_HASH_BYTES);
	if (n->has_reply)
		XXH3_128bits_update(state, n->reply.hash, PREFIX_HASH_BYTES);
	XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(state));
	XXH3_freeState(state);
	memcpy(a->content_hash, digest.digest, sizeof(a->content_hash));
}

/*
 * Unknown members are skipped, so that a sender may be newer than we are; but
 * a misspelt one would vanish without a word.  An exchange brings along all
 * that its API has: of that nothing is said.
 */
static void
list_ignored(struct accepted *a, struct arena *arena)
{
	enum { MOST = 8, NAME_BYTES = 60 };
	struct slice *names = arena_array(arena, MOST, sizeof(names[0]));
	size_t i, n;

	if (a->type == MSG_exchange)
		return;
	n = msg_json_unknown(a->json, a->type, names, MOST);
	if (n > MOST)
		n = MOST;
	for (i = 0; i < n; i++)
		names[i].len = text_cut(names[i], NAME_BYTES);
	a->ignored = (struct msg_strs){ names, n };
}

enum { ID_SAID_BYTES = 240 };	/* a longer one is not said in the result */

/* From JSON, or a msgpack map read as JSON. */
static int
accept_json(const struct conf *conf, struct slice body, struct arena *arena,
    struct accepted *out, struct slice *id, struct refusal *refusal)
{
	const struct msg_spec *spec;
	struct msg_error why;
	json_t *given;

	out->json = parse(conf, body, refusal);
	if (out->json == NULL)
		return -1;
	given = json_object_get(out->json, "id");
	if (json_is_string(given) && json_string_length(given) <= ID_SAID_BYTES)
		*id = arena_dup(arena, slice_of(json_string_value(given),
		    json_string_length(given)));
	spec = find_type(out->json, refusal);
	if (spec == NULL)
		return -1;
	out->type = spec->id;
	out->entry = arena_alloc(arena, sizeof(*out->entry));
	if (msg_from_json(out->json, arena, spec->id, out->entry, true,
		&why) == -1)
		return refuse_as(refusal, &why, "bad_json");
	list_ignored(out, arena);
	return 0;
}

/* What JSON cannot bring along, a record can: check for it. */
static int
check_record(const struct msg_spec *spec, const void *msg,
    struct refusal *refusal)
{
	const struct msg_strs *strs;
	const struct msg_field *f;
	const void *value;
	size_t i, k;

	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		value = (const char *)msg + f->offset;
		strs = value;
		if (f->need == NEED_INT && msg_has_tag(msg, f->tag))
			return refuse(refusal, "bad_value",
			    "%s: is set by skein, not by a sender", f->name);
		if (f->type == TYPE_str &&
		    !text_valid_utf8(*(const struct slice *)value, NULL))
			return refuse(refusal, "bad_utf8", "%s: is not UTF-8",
			    f->name);
		for (k = 0; f->type == TYPE_strs && k < strs->count; k++)
			if (!text_valid_utf8(strs->at[k], NULL))
				return refuse(refusal, "bad_utf8",
				    "%s: is not UTF-8", f->name);
	}
	return 0;
}

/* From a record, as skein's own clients send turns and commands. */
static int
accept_record(struct slice body, struct arena *arena, struct accepted *out,
    struct slice *id, struct refusal *refusal)
{
	struct msg_error why;
	struct msg m;

	if (msg_decode(body, arena, &m, &why) == -1)
		return refuse_as(refusal, &why, "bad_msgpack");
	if (!msg_is_entry(m.id) || m.id == MSG_tombstone ||
	    m.id == MSG_exchange)
		return refuse(refusal, "unknown_type",
		    "a %s cannot be sent as a record", msg_spec(m.id)->name);
	out->type = m.id;
	out->entry = (union msg_any *)(uintptr_t)m.as;
	if (check_record(msg_spec(m.id), m.as, refusal) == -1)
		return -1;
	if (m.as->envelope.id.len <= ID_SAID_BYTES)
		*id = m.as->envelope.id;
	return 0;
}

int
accept_entry(const struct conf *conf, struct slice body, int64_t arrived_ms,
    struct arena *arena, struct accepted *out, struct slice *id,
    struct refusal *refusal)
{
	int rc;

	*out = (struct accepted){ 0 };
	*id = SLICE_NONE;
	if (body.len > (size_t)conf->max_entry * 1024)
		return refuse(refusal, "too_large",
		    "%zu bytes: an entry has at most max_entry = %lld KiB",
		    body.len, (long long)conf->max_entry);
	rc = is_record(body) ? accept_record(body, arena, out, id, refusal) :
			       accept_json(conf, body, arena, out, id, refusal);
	if (rc == -1 ||
	    accept_check_fields(conf, msg_spec(out->type), out->entry,
		refusal) == -1 ||
	    check_time(conf, &out->entry->envelope, arrived_ms,
		refusal) == -1 ||
	    hash_content(out, body.len, refusal) == -1 ||
	    accept_check_type(out->type, out->entry, arena, refusal) == -1)
		return -1;
	fill_envelope(&out->entry->envelope, arrived_ms);
	return 0;
}

void
accept_release(struct accepted *a)
{
	json_decref(a->json);
	a->json = NULL;
}
