/*
 * json-text - a text of a JSON object, for the programs that score
 */
#ifndef TESTS_JSON_TEXT_H
#define TESTS_JSON_TEXT_H

#include <jansson.h>

#include "common/buf.h"

static inline struct slice
text_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value))
		return SLICE_NONE;
	return slice_of(json_string_value(value), json_string_length(value));
}

#endif
