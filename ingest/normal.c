/*
 * normal - the normal form of an exchange's messages, and their hashes
 */
#include "ingest/normal_impl.h"

#include <sodium.h>
#include <stdlib.h>

/* ---- parts ---- */

/* One part: a letter, the length, the bytes. */
static void
put_part(struct buf *out, char kind, struct slice s)
{
	buf_addf(out, "%c%zu:", kind, s.len);
	buf_addslice(out, s);
	buf_addc(out, '\n');
}

/*
 * The length of the injected block that a text begins with, up to its first
 * end tag: "<skein-memory id=...> ... </skein-memory>".  0: it does not.
 */
static size_t
injected_len(struct slice s)
{
	enum { TAG_BYTES = 64 };	/* a name that long is nobody's */
	struct slice name;
	const char *at, *end = s.ptr + s.len;

	if (!slice_starts(s, "<system-reminder>") && !slice_starts(s, "<skein-"))
		return 0;
	for (at = s.ptr + 1; at < end && *at != '>' &&
	     !isspace((unsigned char)*at);)
		at++;
	name = slice_of(s.ptr + 1, (size_t)(at - s.ptr - 1));
	if (name.len > TAG_BYTES)
		return 0;
	while ((at = memmem(at, (size_t)(end - at), "</", 2)) != NULL) {
		at += 2;
		if ((size_t)(end - at) > name.len && at[name.len] == '>' &&
		    memcmp(at, name.ptr, name.len) == 0)
			return (size_t)(at + name.len + 1 - s.ptr);
	}
	return 0;
}

/* Injected blocks and white space, wholly: any word else is the user's. */
static bool
is_injected(struct slice text)
{
	struct slice s = trim_start(trim_end(text));
	size_t len;

	if (s.len == 0)
		return false;
	while (s.len > 0) {
		len = injected_len(s);
		if (len == 0)
			return false;
		s = trim_start(slice_of(s.ptr + len, s.len - len));
	}
	return true;
}

static void
put_json(struct buf *out, char kind, json_t *json)
{
	char *text = json_dumps(json,
	    JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

	put_part(out, kind, slice_str(text != NULL ? text : "null"));
	free(text);
}

/* ---- blocks ---- */

struct reader {
	struct arena *arena;
	struct buf form;	/* the message's normal form */
	struct buf text;	/* its plain text */
	bool plain;		/* nothing but text so far */
	bool all_results;	/* nothing but tool results so far */
	bool injected;		/* some of it was left out as injected */
	size_t tool_ids;
	size_t role_bytes;	/* of form: there is nothing but the role */
};

static void read_content(struct reader *r, json_t *content);

static void
add_text(struct reader *r, struct slice text)
{
	struct slice trimmed = trim_end(text);

	if (trimmed.len == 0)
		return;
	if (is_injected(text)) {
		r->injected = true;
		return;
	}
	put_part(&r->form, 'T', trimmed);
	if (r->text.len > 0) {
		buf_addc(&r->text, '\n');
		r->plain = false;	/* the text does not say where it parts */
	}
	buf_addslice(&r->text, text);
}

static void
add_call(struct reader *r, struct slice id, struct slice name, json_t *input)
{
	put_part(&r->form, 'C', id);
	put_part(&r->form, 'N', name);
	if (input != NULL)
		put_json(&r->form, 'I', input);
	r->tool_ids++;
	r->plain = r->all_results = false;
}

static void
add_result(struct reader *r, struct slice id, json_t *content, bool is_error)
{
	bool all_results = r->all_results;

	put_part(&r->form, 'R', id);
	if (is_error)
		put_part(&r->form, 'E', SLICE("error"));
	buf_adds(&r->form, "(\n");
	read_content(r, content);
	buf_adds(&r->form, ")\n");
	r->tool_ids++;
	r->plain = false;
	r->all_results = all_results;	/* what is inside is the result's */
}

/* Anything else, without its cache mark, as it is. */
static void
add_other(struct reader *r, json_t *block)
{
	json_t *copy = json_copy(block);

	(void)json_object_del(copy, "cache_control");
	put_json(&r->form, 'X', copy);
	json_decref(copy);
	r->plain = r->all_results = false;
}

static void
read_block(struct reader *r, json_t *block)
{
	struct slice type = str_at(block, "type");

	if (json_is_string(block)) {
		r->all_results = false;
		add_text(r, str_of(block));
	} else if (slice_is(type, "text") || slice_is(type, "input_text") ||
	    slice_is(type, "output_text")) {
		if (!is_injected(str_at(block, "text")))
			r->all_results = false;
		add_text(r, str_at(block, "text"));
	} else if (slice_is(type, "thinking") ||
	    slice_is(type, "redacted_thinking") || slice_is(type, "reasoning"))
		r->plain = false;
	else if (slice_is(type, "tool_use"))
		add_call(r, str_at(block, "id"), str_at(block, "name"),
		    json_object_get(block, "input"));
	else if (slice_is(type, "tool_result"))
		add_result(r, str_at(block, "tool_use_id"),
		    json_object_get(block, "content"),
		    json_is_true(json_object_get(block, "is_error")));
	else if (json_is_object(block))
		add_other(r, block);
	else
		put_json(&r->form, 'X', block);
}

static void
read_content(struct reader *r, json_t *content)
{
	json_t *block;
	size_t i;

	if (json_is_array(content)) {
		json_array_foreach(content, i, block)
			read_block(r, block);
	} else if (content != NULL && !json_is_null(content))
		read_block(r, content);
}

/* OpenAI's: arguments are JSON in a string. */
static void
read_function(struct reader *r, struct slice id, json_t *function)
{
	struct slice arguments = str_at(function, "arguments");
	json_t *input = arguments.len == 0 ? NULL :
	    json_loadb(arguments.ptr, arguments.len, JSON_DECODE_ANY, NULL);

	if (input == NULL)
		input = json_stringn(arguments.ptr, arguments.len);
	add_call(r, id, str_at(function, "name"), input);
	json_decref(input);
}

/* OpenAI: calls stand beside the content; once there was only one. */
static void
read_tool_calls(struct reader *r, json_t *message)
{
	json_t *call, *one = json_object_get(message, "function_call");
	size_t i;

	json_array_foreach(json_object_get(message, "tool_calls"), i, call)
		read_function(r, str_at(call, "id"),
		    json_object_get(call, "function"));
	if (json_is_object(one))
		read_function(r, SLICE_NONE, one);
}

/* ---- messages ---- */

static void
next_hash(const char *before, struct slice form, char out[PREFIX_HASH_BYTES])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, PREFIX_HASH_BYTES);
	crypto_generichash_update(&state, (const unsigned char *)before,
	    PREFIX_HASH_BYTES);
	crypto_generichash_update(&state, (const unsigned char *)form.ptr,
	    form.len);
	crypto_generichash_final(&state, (unsigned char *)out,
	    PREFIX_HASH_BYTES);
}

static void
read_form(struct reader *r, json_t *message)
{
	struct slice role = str_at(message, "role");
	json_t *content = json_object_get(message, "content");

	buf_clear(&r->form);
	buf_clear(&r->text);
	r->plain = r->all_results = true;
	r->injected = false;
	r->tool_ids = 0;
	put_part(&r->form, 'M', role);
	r->role_bytes = r->form.len;
	if (slice_is(role, "tool") || slice_is(role, "function"))
		add_result(r, str_at(message, "tool_call_id"), content, false);
	else
		read_content(r, content);
	read_tool_calls(r, message);
}

/* Nothing of the message is the conversation's. */
static bool
is_all_injected(const struct reader *r)
{
	return r->injected && r->form.len == r->role_bytes;
}

static struct slice
role_of(const struct reader *r, json_t *message)
{
	struct slice role = str_at(message, "role");

	if (slice_is(role, "developer"))
		return SLICE("system");
	if (slice_is(role, "function"))
		return SLICE("tool");
	/* A user message that only carries results is the tool speaking. */
	if (slice_is(role, "user") && r->all_results && r->tool_ids > 0)
		return SLICE("tool");
	return role;
}

/* Keeps the message that read_form has just read. */
static void
keep_message(struct reader *r, json_t *message, const char *before,
    struct normal_message *out)
{
	char *json;

	out->role = arena_dup(r->arena, role_of(r, message));
	out->text = arena_dup(r->arena, buf_slice(&r->text));
	next_hash(before, buf_slice(&r->form), out->hash);
	if (r->plain && slice_eq(out->role, str_at(message, "role")))
		return;
	json = json_dumps(message, JSON_COMPACT);
	out->content = arena_dup(r->arena, slice_str(json));
	free(json);
}

/* What a message may hold: text, blocks, or nothing beside its tool calls. */
static bool
is_content(const json_t *content)
{
	return content == NULL || json_is_string(content) ||
	    json_is_array(content) || json_is_null(content);
}

static int
check_message(json_t *message, size_t i, struct refusal *refusal)
{
	static const char *const roles[] = { "user", "assistant", "system",
		"developer", "tool", "function" };
	struct slice role = str_at(message, "role");
	json_t *content = json_object_get(message, "content");
	size_t k;

	if (!json_is_object(message))
		return refuse(refusal, "bad_type",
		    "messages[%zu]: must be an object", i);
	for (k = 0; k < sizeof(roles) / sizeof(roles[0]); k++)
		if (slice_is(role, roles[k]))
			break;
	if (k == sizeof(roles) / sizeof(roles[0]))
		return refuse(refusal, "bad_value",
		    "messages[%zu].role: must be user, assistant, system or "
		    "tool", i);
	if (!is_content(content))
		return refuse(refusal, "bad_type",
		    "messages[%zu].content: must be a string or an array", i);
	if (content == NULL && json_object_get(message, "tool_calls") == NULL &&
	    json_object_get(message, "function_call") == NULL)
		return refuse(refusal, "missing",
		    "messages[%zu].content: is missing", i);
	return 0;
}

void
normal_form(struct slice role, struct slice text, struct slice content,
    struct buf *out)
{
	struct reader r = { 0 };
	json_t *message = content.len > 0 ?
	    json_loadb(content.ptr, content.len, 0, NULL) :
	    json_pack("{s:s%, s:s%}", "role", role.ptr, role.len, "content",
		text.len > 0 ? text.ptr : "", text.len);

	buf_init(&r.form, SIZE_MAX / 4);
	buf_init(&r.text, SIZE_MAX / 4);
	read_form(&r, message);
	buf_addslice(out, buf_slice(&r.form));
	buf_release(&r.form);
	buf_release(&r.text);
	json_decref(message);
}

/* ---- the reply ---- */

/* The message inside a response of any known shape, or NULL. */
static json_t *
reply_message(json_t *response)
{
	json_t *choice, *message;

	if (!json_is_object(response))
		return NULL;
	choice = json_array_get(json_object_get(response, "choices"), 0);
	if (choice != NULL) {
		message = json_object_get(choice, "message");
		return json_is_object(message) ? message : NULL;
	}
	return json_object_get(response, "content") != NULL ||
		json_object_get(response, "tool_calls") != NULL ||
		json_object_get(response, "function_call") != NULL ?
	    response : NULL;
}

static int
read_reply(struct reader *r, json_t *exchange, const char *before,
    struct normal_exchange *out, struct refusal *refusal)
{
	json_t *response = json_object_get(exchange, "response"), *message, *own;

	if (response == NULL || json_is_null(response))
		return 0;
	message = json_is_string(response) ? response : reply_message(response);
	if (message == NULL || !is_content(json_object_get(message, "content")))
		return refuse(refusal, "bad_type",
		    "response: must be null, text, or a reply with content or "
		    "choices");
	/* Only role and content: ids and usage are not the conversation. */
	own = json_is_string(message) ?
	    json_pack("{s:s, s:O}", "role", "assistant", "content", message) :
	    json_pack("{s:s, s:O?, s:O?, s:O?}", "role", "assistant",
		"content", json_object_get(message, "content"), "tool_calls",
		json_object_get(message, "tool_calls"), "function_call",
		json_object_get(message, "function_call"));
	if (own == NULL)
		return refuse(refusal, "bad_type", "response: cannot be read");
	read_form(r, own);
	keep_message(r, own, before, &out->reply);
	out->has_reply = true;
	out->response_id = arena_dup(r->arena, str_at(response, "id"));
	json_decref(own);
	return 0;
}

/* ---- the whole ---- */

/* Whether a message with tool ids has come before in this request. */
static bool
is_repeated(const struct reader *r, json_t *seen)
{
	char hash[PREFIX_HASH_BYTES] = { 0 }, hex[2 * PREFIX_HASH_BYTES + 1];
	bool repeated;

	if (r->tool_ids == 0)
		return false;
	next_hash(hash, buf_slice(&r->form), hash);
	sodium_bin2hex(hex, sizeof(hex), (unsigned char *)hash, sizeof(hash));
	repeated = json_object_get(seen, hex) != NULL;
	json_object_set_new(seen, hex, json_true());
	return repeated;
}

static int
read_messages(struct reader *r, json_t *messages, size_t first,
    struct normal_exchange *out, struct refusal *refusal)
{
	static const char origin[PREFIX_HASH_BYTES] = "skein prefix 1";
	const char *before = origin;
	json_t *seen = json_object();
	size_t i, count = json_array_size(messages);
	int rc = 0;

	out->messages = arena_array(r->arena, count, sizeof(out->messages[0]));
	for (i = first; i < count && rc == 0; i++) {
		rc = check_message(json_array_get(messages, i), i, refusal);
		if (rc == -1)
			break;
		read_form(r, json_array_get(messages, i));
		if (is_repeated(r, seen))
			continue;
		/* One message there must be, whatever it holds. */
		if (is_all_injected(r) &&
		    (out->n_messages > 0 || i + 1 < count))
			continue;
		keep_message(r, json_array_get(messages, i), before,
		    &out->messages[out->n_messages]);
		before = out->messages[out->n_messages++].hash;
	}
	json_decref(seen);
	return rc;
}

int
normal_read(const struct conf *conf, json_t *exchange, struct arena *arena,
    struct normal_exchange *out, struct refusal *refusal)
{
	json_t *messages = json_object_get(exchange, "messages");
	struct reader r = { .arena = arena };
	size_t first;
	int rc;

	*out = (struct normal_exchange){ 0 };
	if (messages == NULL)
		return refuse(refusal, "missing", "messages: is missing");
	if (!json_is_array(messages) || json_array_size(messages) == 0)
		return refuse(refusal, "bad_value",
		    "messages: must be an array with at least one message");
	if (!is_content(json_object_get(exchange, "system")))
		return refuse(refusal, "bad_type",
		    "system: must be a string or an array");
	if (json_array_size(messages) > (size_t)conf->max_messages)
		return refuse(refusal, "too_large",
		    "messages: has %zu, at most max_messages = %lld",
		    json_array_size(messages), (long long)conf->max_messages);
	buf_init(&r.form, SIZE_MAX / 4);
	buf_init(&r.text, SIZE_MAX / 4);
	first = normal_read_system(conf, exchange, arena, out);
	rc = read_messages(&r, messages, first, out, refusal);
	if (rc == 0)
		rc = read_reply(&r, exchange,
		    out->messages[out->n_messages - 1].hash, out, refusal);
	buf_release(&r.form);
	buf_release(&r.text);
	return rc;
}
