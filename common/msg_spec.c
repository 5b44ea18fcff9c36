/*
 * msg_spec - the field tables of messages.def
 */
#include <stddef.h>

#include "common/msg.h"

/* Where a value of each type tells whether it is 0 or empty. */
enum {
	THERE_u64 = 0,
	THERE_i64 = 0,
	THERE_time = 0,
	THERE_bool = 0,
	THERE_str = offsetof(struct slice, len),
	THERE_bin = THERE_str,
	THERE_strs = offsetof(struct msg_strs, count),
	THERE_u64s = offsetof(struct msg_u64s, count),
};
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "lengths are read as u64");

#define MESSAGE(number, name, what) \
	static const struct msg_field fields_##name[] = {
#define FIELD(message, number, kind, member, required, prose)          \
	{ .tag = number,                                               \
	  .type = TYPE_##kind,                                         \
	  .need = NEED_##required,                                     \
	  .name = #member,                                             \
	  .offset = offsetof(struct msg_##message, member),            \
	  .there = offsetof(struct msg_##message, member) + THERE_##kind, \
	  .what = prose },
#define LIST(message, number, sub, member, required, prose)            \
	{ .tag = number,                                               \
	  .type = TYPE_list,                                           \
	  .need = NEED_##required,                                     \
	  .name = #member,                                             \
	  .offset = offsetof(struct msg_##message, member),            \
	  .there = offsetof(struct msg_##message, n_##member),         \
	  .count_offset = offsetof(struct msg_##message, n_##member),  \
	  .of = MSG_##sub,                                             \
	  .what = prose },
#define END(message) \
	}            \
	;
#include "common/messages.def"

/* The place of each field among its message's, from 1. */
#define MESSAGE(number, name, what) enum { BEFORE_##name,
#define FIELD(message, number, kind, member, required, prose) \
	PLACE_##message##_##member,
#define LIST(message, number, sub, member, required, prose) \
	PLACE_##message##_##member,
#define END(message) };
#include "common/messages.def"

#define MESSAGE(number, name, what) \
	static const unsigned char order_##name[MSGTAG_LIMIT] = {
#define FIELD(message, number, kind, member, required, prose) \
	[number] = PLACE_##message##_##member,
#define LIST(message, number, sub, member, required, prose) \
	[number] = PLACE_##message##_##member,
#define END(message) \
	}            \
	;
#include "common/messages.def"

#define MESSAGE(number, name, what) \
	static const struct msg_code codes_##name[] = {
#define FIELD(message, number, kind, member, required, prose) \
	{ .tag = number,                                      \
	  .type = TYPE_##kind,                                \
	  .offset = offsetof(struct msg_##message, member) },
#define LIST(message, number, sub, member, required, prose)     \
	{ .tag = number,                                        \
	  .type = TYPE_list,                                    \
	  .of = MSG_##sub,                                      \
	  .offset = offsetof(struct msg_##message, member) },
#define END(message) \
	}            \
	;
#include "common/messages.def"

/* The codec takes a list for what it takes strs for. */
#define LIST(message, number, sub, member, required, prose)              \
	_Static_assert(offsetof(struct msg_##message, n_##member) ==     \
		offsetof(struct msg_##message, member) +                 \
		    offsetof(struct msg_strs, count),                    \
	    "the count is behind the items");
#include "common/messages.def"

#define WIDE_u64(...) { __VA_ARGS__ },
#define WIDE_i64(...) { __VA_ARGS__ },
#define WIDE_time(...) { __VA_ARGS__ },
#define WIDE_bool(...)
#define WIDE_str(...) { __VA_ARGS__ },
#define WIDE_bin(...) { __VA_ARGS__ },
#define WIDE_strs(...) { __VA_ARGS__ },
#define WIDE_u64s(...) { __VA_ARGS__ },

#define MESSAGE(number, name, what) \
	static const struct msg_sign wide_##name[] = {
#define FIELD(message, number, kind, member, required, prose)             \
	WIDE_##kind(.field = PLACE_##message##_##member - 1,              \
	    .there = offsetof(struct msg_##message, member) + THERE_##kind)
#define LIST(message, number, sub, member, required, prose)            \
	{ .field = PLACE_##message##_##member - 1,                     \
	  .there = offsetof(struct msg_##message, n_##member) },
#define END(message) \
	{ 0 }        \
	}            \
	;
#include "common/messages.def"

#define FLAG_u64(...)
#define FLAG_i64(...)
#define FLAG_time(...)
#define FLAG_bool(...) { __VA_ARGS__ },
#define FLAG_str(...)
#define FLAG_bin(...)
#define FLAG_strs(...)
#define FLAG_u64s(...)

#define MESSAGE(number, name, what) \
	static const struct msg_sign flags_##name[] = {
#define FIELD(message, number, kind, member, required, prose)             \
	FLAG_##kind(.field = PLACE_##message##_##member - 1,              \
	    .there = offsetof(struct msg_##message, member))
#define END(message) \
	{ 0 }        \
	}            \
	;
#include "common/messages.def"

#define MESSAGE(number, name, what) \
	static const uint64_t required_##name = 0
#define FIELD(message, number, kind, member, required, prose) \
	| (uint64_t)(NEED_##required == NEED_REQ) << (number)
#define LIST(message, number, sub, member, required, prose) \
	| (uint64_t)(NEED_##required == NEED_REQ) << (number)
#define END(message) ;
#include "common/messages.def"

#define MESSAGE(number, name, what) \
	static const uint64_t always_##name = 0
#define FIELD(message, number, kind, member, required, prose) \
	| (uint64_t)(NEED_##required == NEED_REQ)             \
	    << (PLACE_##message##_##member - 1)
#define LIST(message, number, sub, member, required, prose) \
	| (uint64_t)(NEED_##required == NEED_REQ)           \
	    << (PLACE_##message##_##member - 1)
#define END(message) ;
#include "common/messages.def"

static const struct msg_spec specs[MSG_LIMIT] = {
#define MESSAGE(number, label, prose)                            \
	[number] = { .id = MSG_##label,                          \
		     .name = #label,                             \
		     .what = prose,                              \
		     .size = sizeof(struct msg_##label),         \
		     .fields = fields_##label,                   \
		     .n_fields = sizeof(fields_##label) /        \
			 sizeof(fields_##label[0]),              \
		     .order = order_##label,                     \
		     .codes = codes_##label,                     \
		     .wide = wide_##label,                       \
		     .flags = flags_##label,                     \
		     .required = required_##label,               \
		     .always = always_##label },
#include "common/messages.def"
};

const struct msg_spec *
msg_spec(unsigned id)
{
	if (id >= MSG_LIMIT || specs[id].name == NULL)
		return NULL;
	return &specs[id];
}

const struct msg_spec *
msg_spec_named(struct slice name)
{
	size_t i;

	for (i = 0; i < MSG_LIMIT; i++)
		if (specs[i].name != NULL && slice_is(name, specs[i].name))
			return &specs[i];
	return NULL;
}

const struct msg_field *
msg_field_named(const struct msg_spec *spec, struct slice name)
{
	const struct msg_field *f = spec->fields;
	size_t i;

	for (i = 0; name.len > 0 && i < spec->n_fields; i++, f++)
		if (f->name[0] == name.ptr[0] && slice_is(name, f->name))
			return f;
	return NULL;
}
