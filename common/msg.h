/*
 * msg - the records of messages.def: structs, codec, printer, JSON
 *
 * A record is msgpack [protocol, id, {tag: value}].  Decoding copies nothing
 * but arrays: strings point into the record, so what was decoded lives as long
 * as both the record and the arena.  Unknown tags are skipped and counted.
 */
#ifndef COMMON_MSG_H
#define COMMON_MSG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

enum { MSG_PROTOCOL = 1 };

enum msg_id {
	MSG_none,
#define MESSAGE(number, name, what) MSG_##name = number,
#include "common/messages.def"
	MSG_LIMIT = 256
};

/* Tags, so that presence can be asked: msg_has(&m, MSGTAG_turn_thread). */
enum msg_tag {
#define FIELD(message, tag, type, name, need, what) \
	MSGTAG_##message##_##name = tag,
#define LIST(message, tag, of, name, need, what) \
	MSGTAG_##message##_##name = tag,
#include "common/messages.def"
	MSGTAG_LIMIT = 64
};

struct msg_strs {
	struct slice *at;
	size_t count;
};

struct msg_u64s {
	uint64_t *at;
	size_t count;
};

/*
 * Every struct begins with `has`, a bit per tag that was in the record.
 * Encoding writes REQ fields always, others when their bit is set or their
 * value is not zero or empty, so that who fills a struct need not set bits.
 */
#define MSG_TYPE_u64 uint64_t
#define MSG_TYPE_i64 int64_t
#define MSG_TYPE_time int64_t
#define MSG_TYPE_bool bool
#define MSG_TYPE_str struct slice
#define MSG_TYPE_bin struct slice
#define MSG_TYPE_strs struct msg_strs
#define MSG_TYPE_u64s struct msg_u64s

#define MESSAGE(number, name, what) \
	struct msg_##name {         \
		uint64_t has;
#define FIELD(message, tag, type, name, need, what) MSG_TYPE_##type name;
#define LIST(message, tag, of, name, need, what) \
	struct msg_##of *name;                   \
	size_t n_##name;
#define END(message) \
	}            \
	;
#include "common/messages.def"

/* Room for any message, and the envelope over every entry. */
union msg_any {
#define MESSAGE(number, name, what) struct msg_##name name;
#include "common/messages.def"
};

enum msg_type {
	TYPE_u64,
	TYPE_i64,
	TYPE_time,
	TYPE_bool,
	TYPE_str,
	TYPE_bin,
	TYPE_strs,
	TYPE_u64s,
	TYPE_list
};
enum msg_need { NEED_REQ, NEED_OPT, NEED_INT };

struct msg_field {
	unsigned tag;
	enum msg_type type;
	enum msg_need need;
	const char *name;
	size_t offset;
	size_t there;		/* what is not 0 in one that has a value */
	size_t count_offset;	/* lists */
	enum msg_id of;		/* lists */
	const char *what;
};

/*
 * What the codec must know of a field, and no more: it comes by here for every
 * field of every record, and a line of the cache holds eight of these.
 */
struct msg_code {
	unsigned char tag;
	unsigned char type;	/* enum msg_type */
	unsigned short of;	/* lists: enum msg_id */
	unsigned int offset;	/* of a list's items: their count is behind */
};

/* Where a field, the `field`th, has what is 0 as long as it has no value. */
struct msg_sign {
	unsigned short field;
	unsigned short there;	/* never 0: a list of signs ends with that */
};

struct msg_spec {
	enum msg_id id;
	const char *name;
	const char *what;
	size_t size;
	const struct msg_field *fields;
	size_t n_fields;
	const unsigned char *order;	/* by tag: which field, from 1; 0: none */
	const struct msg_code *codes;	/* of the fields, in their order */
	const struct msg_sign *wide;	/* of those that are told by 8 bytes */
	const struct msg_sign *flags;	/* by one */
	uint64_t required;		/* tags that must be there, as bits */
	uint64_t always;		/* the same by field, not by tag */
};

/* A message in hand: its id and its struct. */
struct msg {
	enum msg_id id;
	const union msg_any *as;
};

/* Why something was refused: what kind of fault, and words with the field. */
enum msg_fault {
	FAULT_FORM,		/* it cannot be read at all */
	FAULT_MISSING,
	FAULT_TYPE,
	FAULT_OURS		/* a sender gave what skein sets */
};

struct msg_error {
	enum msg_fault fault;
	char text[200];
};

#define MSG_CHECK __attribute__((warn_unused_result))

const struct msg_spec *msg_spec(unsigned id);		/* NULL: no such id */
const struct msg_spec *msg_spec_named(struct slice name);
/* NULL: it has no field of that name. */
const struct msg_field *msg_field_named(const struct msg_spec *spec,
    struct slice name);
/* NULL: no such tag. */
static inline const struct msg_field *
msg_field_tagged(const struct msg_spec *spec, unsigned tag)
{
	unsigned at = tag < MSGTAG_LIMIT ? spec->order[tag] : 0;

	return at == 0 ? NULL : &spec->fields[at - 1];
}
bool msg_is_entry(enum msg_id id);	/* begins with the envelope */
bool msg_has_tag(const void *msg, unsigned tag);
/* Zero or empty. */
static inline bool
msg_is_zero(const struct msg_field *f, const void *msg)
{
	const char *there = (const char *)msg + f->there;

	return f->type == TYPE_bool ? !*(const bool *)there :
				      *(const uint64_t *)there == 0;
}
/* Not required, not marked as present, and zero or empty: not written. */
static inline bool
msg_is_absent(const struct msg_field *f, const void *msg)
{
	uint64_t has;

	memcpy(&has, msg, sizeof(has));
	return f->need != NEED_REQ && (has >> f->tag & 1) == 0 &&
	    msg_is_zero(f, msg);
}
/* How many unknown tags were skipped since the process began. */
uint64_t msg_unknown_tags(void);

/* Appends the record; -1 past the buffer's limit. */
MSG_CHECK int msg_encode(struct buf *out, enum msg_id id, const void *msg);
/* 0, or -1 with the reason. */
MSG_CHECK int msg_decode(struct slice record, struct arena *arena,
    struct msg *out, struct msg_error *why);
/* The same for who reads only a part of it; the rest may be left empty. */
struct msg_want {
	const bool *unread;	/* lists of records of these kinds, by msg_id;
				   or NULL */
	unsigned last;		/* what stands behind the field of this tag, as
				   records are written; 0: nothing */
};
MSG_CHECK int msg_decode_part(struct slice record, struct arena *arena,
    struct msg_want want, struct msg *out, struct msg_error *why);
/* The same, and anything but `id` is an error. */
MSG_CHECK int msg_decode_as(struct slice record, struct arena *arena,
    enum msg_id id, void *out, struct msg_error *why);

/* One line for people: name=value, long values shortened and said so. */
void msg_print(struct buf *out, enum msg_id id, const void *msg);
/* A JSON object; absent optional fields are left out, or null if asked. */
void msg_to_json(struct buf *out, enum msg_id id, const void *msg, bool nulls);
/* Its members alone, without braces, for callers that add their own. */
void msg_json_members(struct buf *out, enum msg_id id, const void *msg,
    bool nulls);
/* Any one field's value as JSON. */
void msg_json_value(struct buf *out, const struct msg_field *field,
    const void *msg);

struct json_t;
/*
 * From a parsed JSON object.  INT fields are refused when `outside`; members
 * that are no field are skipped.  Strings point into the JSON tree.
 */
MSG_CHECK int msg_from_json(struct json_t *json, struct arena *arena,
    enum msg_id id, void *out, bool outside, struct msg_error *why);
/*
 * How many members those are, beside "type"; the names of the first `most` of
 * them, which point into the tree.
 */
size_t msg_json_unknown(struct json_t *json, enum msg_id id,
    struct slice *names, size_t most);
/*
 * The same for an entry that is a flat object; false: it is not, or something
 * is wrong with it, and msg_from_json knows what.  Strings point into `text`.
 */
bool msg_from_flat_json(struct slice text, struct arena *arena,
    enum msg_id *id, union msg_any *out);
/* A msgpack value as a JSON tree (a new reference), or NULL with the reason. */
struct json_t *msg_msgpack_to_json(struct slice bytes, struct msg_error *why);

/* FAULT_FORM, until the caller says otherwise. */
void msg_fail(struct msg_error *why, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
