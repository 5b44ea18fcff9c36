/*
 * answer - from what an endpoint sent to an answer that stages can trust
 */
#include "assess/answer.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>

#include "classify/acts.h"
#include "common/json.h"
#include "common/text.h"

enum {
	MODEL_BYTES = 100,
	REASONING_BYTES = 2000,
	SIGNALS_MOST = 16,
	SIGNAL_BYTES = 200,
	SUMMARY_BYTES = 400,
	RESOLUTION_BYTES = 600,
	MICRO_BYTES = 800,
	MESO_BYTES = 2400
};

void
answer_init(struct answer *a)
{
	*a = (struct answer){ 0 };
	buf_init(&a->json, 64 * 1024);
	buf_init(&a->model, MODEL_BYTES);
}

void
answer_release(struct answer *a)
{
	buf_release(&a->json);
	buf_release(&a->model);
}

__attribute__((format(printf, 2, 3))) static int
wrong(struct answer *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(a->why, sizeof(a->why), fmt, ap);
	va_end(ap);
	return -1;
}

/* ---- members ---- */

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct slice
trimmed(struct slice s)
{
	while (s.len > 0 && is_space(s.ptr[0]))
		s = slice_of(s.ptr + 1, s.len - 1);
	while (s.len > 0 && is_space(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

/* As JSON; breaks of lines become spaces. */
static void
put_text(struct answer *a, struct slice text)
{
	struct buf line;
	size_t i;

	buf_init(&line, text.len);
	for (i = 0; i < text.len; i++)
		(void)buf_addc(&line, (unsigned char)text.ptr[i] < ' ' ? ' ' :
		    text.ptr[i]);
	json_put_str(&a->json, buf_slice(&line));
	buf_release(&line);
}

/* A text that is not empty, without control characters but white space. */
static int
read_text(struct answer *a, json_t *json, const char *name, size_t most,
    struct slice *out)
{
	size_t i;

	if (!json_is_string(json))
		return wrong(a, "'%s' is no string", name);
	*out = slice_of(json_string_value(json), json_string_length(json));
	*out = trimmed(*out);
	if (out->len == 0)
		return wrong(a, "'%s' is empty", name);
	if (out->len > most)
		return wrong(a, "'%s' has %zu bytes, more than %zu", name,
		    out->len, most);
	for (i = 0; i < out->len; i++)
		if (((unsigned char)out->ptr[i] < ' ' &&
			!is_space(out->ptr[i])) || out->ptr[i] == 0x7f)
			return wrong(a, "'%s' has control characters", name);
	return 0;
}

/* In thousandths, so that it is written the same everywhere. */
static int
put_confidence(struct answer *a, json_t *json)
{
	double sure = json_number_value(json);
	unsigned thousandths;

	if (!json_is_number(json))
		return wrong(a, "'confidence' is no number");
	if (!(sure >= 0.0 && sure <= 1.0))
		return wrong(a, "'confidence' is not between 0 and 1");
	thousandths = (unsigned)(sure * 1000.0 + 0.5);
	(void)buf_addf(&a->json, "\"confidence\":%u.%03u", thousandths / 1000,
	    thousandths % 1000);
	return 0;
}

/* Exactly so many members: together with each being there, no others. */
static int
want_members(struct answer *a, json_t *json, size_t count)
{
	if (json_object_size(json) == count)
		return 0;
	return wrong(a, "it has %zu members, not %zu", json_object_size(json),
	    count);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
has_number(struct slice in, struct slice number)
{
	const char *at = in.ptr, *end = in.ptr + in.len;

	while ((at = memmem(at, (size_t)(end - at), number.ptr, number.len)) !=
	    NULL) {
		if ((at == in.ptr || !is_digit(at[-1])) &&
		    (at + number.len == end || !is_digit(at[number.len])))
			return true;
		at++;
	}
	return false;
}

/*
 * Numbers are where an invention does most harm and is easiest to see: each
 * one of a wording must stand in what the model was given.
 */
static int
want_numbers(struct answer *a, struct slice text, struct slice given)
{
	size_t i, from;

	for (i = 0; i < text.len; i++) {
		if (!is_digit(text.ptr[i]))
			continue;
		for (from = i; i < text.len && is_digit(text.ptr[i]);)
			i++;
		if (!has_number(given, slice_of(text.ptr + from, i - from)))
			return wrong(a, "the number %.*s is invented",
			    (int)(i - from > 20 ? 20 : i - from),
			    text.ptr + from);
	}
	return 0;
}

static int
put_wording(struct answer *a, json_t *json, const char *name, size_t most,
    const struct asking *to)
{
	struct slice text;

	if (read_text(a, json_object_get(json, name), name, most, &text) ==
		-1 ||
	    want_numbers(a, text, buf_slice(&to->given)) == -1)
		return -1;
	(void)buf_addf(&a->json, "\"%s\":", name);
	put_text(a, text);
	return 0;
}

/* ---- the four kinds ---- */

static int
read_act(struct answer *a, json_t *json)
{
	json_t *name = json_object_get(json, "act");
	enum act act;

	if (want_members(a, json, 2) == -1)
		return -1;
	if (!json_is_string(name) ||
	    act_parse(slice_str(json_string_value(name)), &act) == -1)
		return wrong(a, "'act' is none of the acts");
	(void)buf_addf(&a->json, "{\"act\":\"%s\",", act_name(act));
	if (put_confidence(a, json_object_get(json, "confidence")) == -1)
		return -1;
	(void)buf_addc(&a->json, '}');
	return 0;
}

static int
read_wording(struct answer *a, json_t *json, const struct asking *to)
{
	json_t *resolution = json_object_get(json, "resolution");

	if (want_members(a, json, 2) == -1)
		return -1;
	if (to->resolves != json_is_string(resolution))
		return wrong(a, to->resolves ? "'resolution' is no string" :
		    "'resolution' is not null: there is none");
	if (!to->resolves && !json_is_null(resolution))
		return wrong(a, "'resolution' is neither string nor null");
	(void)buf_addc(&a->json, '{');
	if (put_wording(a, json, "summary", SUMMARY_BYTES, to) == -1)
		return -1;
	(void)buf_addc(&a->json, ',');
	if (!to->resolves)
		(void)buf_adds(&a->json, "\"resolution\":null");
	else if (put_wording(a, json, "resolution", RESOLUTION_BYTES, to) == -1)
		return -1;
	(void)buf_addc(&a->json, '}');
	return 0;
}

static int
read_summary(struct answer *a, json_t *json, const struct asking *to)
{
	if (want_members(a, json, 2) == -1)
		return -1;
	(void)buf_addc(&a->json, '{');
	if (put_wording(a, json, "micro", MICRO_BYTES, to) == -1)
		return -1;
	(void)buf_addc(&a->json, ',');
	if (put_wording(a, json, "meso", MESO_BYTES, to) == -1)
		return -1;
	(void)buf_addc(&a->json, '}');
	return 0;
}

static int
put_signals(struct answer *a, json_t *json)
{
	struct slice text;
	json_t *item;
	size_t i;

	if (!json_is_array(json))
		return wrong(a, "'key_signals' is no array");
	if (json_array_size(json) > SIGNALS_MOST)
		return wrong(a, "'key_signals' has %zu items, more than %d",
		    json_array_size(json), SIGNALS_MOST);
	(void)buf_adds(&a->json, "\"key_signals\":[");
	json_array_foreach(json, i, item) {
		if (read_text(a, item, "key_signals", SIGNAL_BYTES, &text) ==
		    -1)
			return -1;
		if (i > 0)
			(void)buf_addc(&a->json, ',');
		put_text(a, text);
	}
	(void)buf_addc(&a->json, ']');
	return 0;
}

static int
read_link(struct answer *a, json_t *json)
{
	json_t *related = json_object_get(json, "related");
	struct slice reasoning;

	if (want_members(a, json, 4) == -1)
		return -1;
	if (!json_is_boolean(related))
		return wrong(a, "'related' is neither true nor false");
	(void)buf_addf(&a->json, "{\"related\":%s,",
	    json_is_true(related) ? "true" : "false");
	if (put_confidence(a, json_object_get(json, "confidence")) == -1 ||
	    read_text(a, json_object_get(json, "reasoning"), "reasoning",
		REASONING_BYTES, &reasoning) == -1)
		return -1;
	(void)buf_adds(&a->json, ",\"reasoning\":");
	put_text(a, reasoning);
	(void)buf_addc(&a->json, ',');
	if (put_signals(a, json_object_get(json, "key_signals")) == -1)
		return -1;
	(void)buf_addc(&a->json, '}');
	return 0;
}

/* ---- the completion ---- */

/* Without thoughts before it and the fence around it. */
static struct slice
bare(struct slice s)
{
	static const char thought[] = "</think>";
	const char *end;

	s = trimmed(s);
	if (slice_starts(s, "<think>")) {
		end = memmem(s.ptr, s.len, thought, sizeof(thought) - 1);
		if (end != NULL) {
			end += sizeof(thought) - 1;
			s = trimmed(slice_of(end,
			    s.len - (size_t)(end - s.ptr)));
		}
	}
	if (slice_starts(s, "```") && s.len >= 6 &&
	    memcmp(s.ptr + s.len - 3, "```", 3) == 0) {
		end = memchr(s.ptr, '\n', s.len);
		if (end != NULL && end < s.ptr + s.len - 3)
			s = trimmed(slice_of(end,
			    s.len - 3 - (size_t)(end - s.ptr)));
	}
	return s;
}

static int
read_kind(struct answer *a, json_t *json, const struct asking *to)
{
	if (!json_is_object(json))
		return wrong(a, "its text is no JSON object");
	switch (to->kind) {
	case QUESTION_act:
		return read_act(a, json);
	case QUESTION_wording:
		return read_wording(a, json, to);
	case QUESTION_summary:
		return read_summary(a, json, to);
	case QUESTION_link:
		return read_link(a, json);
	}
	return -1;
}

static void
read_costs(struct answer *a, json_t *completion)
{
	json_t *usage = json_object_get(completion, "usage");
	json_int_t tokens = json_integer_value(json_object_get(usage,
	    "total_tokens"));
	json_t *model = json_object_get(completion, "model");
	struct slice name = slice_of(json_string_value(model),
	    json_string_length(model));

	a->tokens = tokens > 0 ? (uint64_t)tokens : 0;
	if (name.len > 0 && !text_has_nul(name))
		(void)buf_addslice(&a->model, name);	/* too long: left out */
}

int
answer_read(struct answer *a, struct slice body, const struct asking *to)
{
	json_t *completion = json_loadb(body.ptr, body.len, 0, NULL);
	json_t *content = json_object_get(json_object_get(json_array_get(
	    json_object_get(completion, "choices"), 0), "message"), "content");
	json_t *json = NULL;
	struct slice text;
	int rc;

	read_costs(a, completion);
	if (!json_is_object(completion))
		rc = wrong(a, "the reply is no JSON object");
	else if (!json_is_string(content))
		rc = wrong(a, "the reply has no text");
	else {
		text = bare(slice_of(json_string_value(content),
		    json_string_length(content)));
		json = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES,
		    NULL);
		rc = read_kind(a, json, to);
	}
	if (rc == 0 && a->json.over)
		rc = wrong(a, "it is too long");
	json_decref(json);
	json_decref(completion);
	return rc;
}
