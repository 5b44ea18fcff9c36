/*
 * normal_impl - what the files of normal share
 */
#ifndef INGEST_NORMAL_IMPL_H
#define INGEST_NORMAL_IMPL_H

#include <ctype.h>
#include <jansson.h>

#include "ingest/normal.h"

static inline struct slice
str_of(const json_t *json)
{
	return slice_of(json_string_value(json), json_string_length(json));
}

static inline struct slice
str_at(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_string(value) ? str_of(value) : SLICE_NONE;
}

static inline struct slice
trim_end(struct slice s)
{
	while (s.len > 0 && isspace((unsigned char)s.ptr[s.len - 1]))
		s.len--;
	return s;
}

static inline struct slice
trim_start(struct slice s)
{
	while (s.len > 0 && isspace((unsigned char)s.ptr[0]))
		s = slice_of(s.ptr + 1, s.len - 1);
	return s;
}

/*
 * Sets what is known of the system text; how many of the messages that open
 * the request belong to it.
 */
size_t normal_read_system(const struct conf *conf, json_t *exchange,
    struct arena *arena, struct normal_exchange *out);

#endif
