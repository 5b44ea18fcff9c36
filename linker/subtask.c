/*
 * subtask - an agent that another set to work
 */
#include "linker/subtask.h"

#include <ctype.h>
#include <jansson.h>
#include <sodium.h>
#include <xxhash.h>

#include "common/when.h"

enum { PROMPTS_A_MESSAGE = 256 };

/* ---- prompts ---- */

/* 32 hexadecimal digits; none for a text without words. */
static struct slice
hash_prompt(struct arena *arena, struct slice text)
{
	char *hex = arena_alloc(arena, 2 * sizeof(XXH128_canonical_t) + 1);
	XXH3_state_t *state = XXH3_createState();
	XXH128_canonical_t digest;
	size_t i = 0, start, words = 0;

	XXH3_128bits_reset(state);
	while (i < text.len) {
		while (i < text.len && isspace((unsigned char)text.ptr[i]))
			i++;
		for (start = i; i < text.len &&
		     !isspace((unsigned char)text.ptr[i]);)
			i++;
		if (i == start)
			break;
		XXH3_128bits_update(state, text.ptr + start, i - start);
		XXH3_128bits_update(state, " ", 1);
		words++;
	}
	XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(state));
	XXH3_freeState(state);
	sodium_bin2hex(hex, 2 * sizeof(digest) + 1,
	    (unsigned char *)digest.digest, sizeof(digest.digest));
	return words > 0 ? slice_str(hex) : SLICE_NONE;
}

void
subtask_read_self(struct exchange *ex)
{
	struct link *l = exchange_link(ex);
	const struct msg_exchange *x = &l->e->entry.as->exchange;
	struct msg_call *c = exchange_self(ex);
	size_t i;

	if (c->prompt.len == 0 && c->depth == 1 && x->known == 0 &&
	    x->n_added > 0 &&
	    slice_is(x->added[0].role, "user"))
		c->prompt = hash_prompt(l->arena, x->added[0].text);
	for (i = 0; i < l->section->n_tasks; i++)
		if (l->section->tasks[i].i + 1 >= x->n_added &&
		    c->reply_hash.len > 0)
			c->tasks = l->section->tasks[i].prompts.count;
}

/* ---- task calls ---- */

static bool
in_list(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = list; *at != '\0'; at += strcspn(at, " ,")) {
		at += strspn(at, " ,");
		if (strcspn(at, " ,") == len && memcmp(at, word, len) == 0)
			return len > 0;
	}
	return false;
}

static const char *
prompt_of(const struct conf *conf, const char *tool, json_t *input)
{
	json_t *value;
	const char *name;

	if (tool == NULL || !in_list(conf->task_tools, tool))
		return NULL;
	json_object_foreach(input, name, value)
		if (json_is_string(value) && in_list(conf->task_prompts, name))
			return json_string_value(value);
	return NULL;
}

static void
add_prompt(struct link *l, struct msg_l_task *t, const char *prompt)
{
	struct slice hash, *grown;

	if (prompt == NULL || t->prompts.count == PROMPTS_A_MESSAGE)
		return;
	hash = hash_prompt(l->arena, slice_str(prompt));
	if (hash.len == 0)
		return;
	grown = arena_array(l->arena, t->prompts.count + 1, sizeof(grown[0]));
	if (t->prompts.count > 0)
		memcpy(grown, t->prompts.at,
		    t->prompts.count * sizeof(grown[0]));
	grown[t->prompts.count] = hash;
	t->prompts = (struct msg_strs){ grown, t->prompts.count + 1 };
}

/* In both shapes: blocks of the content, calls beside it. */
static void
read_message(struct link *l, struct slice content, struct msg_l_task *t)
{
	json_t *json = json_loadb(content.ptr, content.len, 0, NULL);
	json_t *block, *function, *input;
	size_t i;

	json_array_foreach(json_object_get(json, "content"), i, block)
		add_prompt(l, t, prompt_of(l->conf,
		    json_string_value(json_object_get(block, "name")),
		    json_object_get(block, "input")));
	json_array_foreach(json_object_get(json, "tool_calls"), i, block) {
		function = json_object_get(block, "function");
		input = json_loads(json_is_string(json_object_get(function,
		    "arguments")) ? json_string_value(json_object_get(function,
		    "arguments")) : "", 0, NULL);
		add_prompt(l, t, prompt_of(l->conf,
		    json_string_value(json_object_get(function, "name")),
		    input));
		json_decref(input);
	}
	json_decref(json);
}

static void
keep_tasks(struct link *l, const struct msg_l_task *t)
{
	struct msg_s_linker *s = l->section;
	struct msg_l_task *grown = arena_array(l->arena, s->n_tasks + 1,
	    sizeof(grown[0]));

	if (s->n_tasks > 0)
		memcpy(grown, s->tasks, s->n_tasks * sizeof(grown[0]));
	grown[s->n_tasks++] = *t;
	s->tasks = grown;
}

void
subtask_read_calls(struct exchange *ex)
{
	struct link *l = exchange_link(ex);
	const struct msg_exchange *x = &l->e->entry.as->exchange;
	struct msg_call *c = exchange_self(ex);
	struct msg_l_task t;
	struct key k;
	size_t i;

	if (!match_is_on(ex, STRATEGY_subtask))
		return;
	for (i = 0; i < x->n_added; i++) {
		t = (struct msg_l_task){ .i = i };
		if (slice_is(x->added[i].role, "assistant") &&
		    x->added[i].content.len > 0)
			read_message(l, x->added[i].content, &t);
		if (t.prompts.count > 0)
			keep_tasks(l, &t);
	}
	/* A reply that was known already, from the history of a later call. */
	k = calls_task_key(c->domain, c->reply_hash);
	if (c->reply_hash.len > 0 && !exchange_path(ex)->replied &&
	    link_get(l, TABLE_call_tasks, &k, MSG_l_task, &t)) {
		t.i = x->n_added;
		keep_tasks(l, &t);
	}
	subtask_read_self(ex);
}

/* ---- matching ---- */

static int64_t
window_ms(struct exchange *ex)
{
	return exchange_link(ex)->conf->subtask_window * WHEN_HOUR_MS;
}

static bool
is_in_reach(struct exchange *ex, const struct msg_call *c,
    const struct msg_call *by)
{
	return by != NULL && call_is_before(by, c) && call_may_join(by, c) &&
	    c->ts - by->ts <= window_ms(ex);
}

void
subtask_match(struct exchange *ex, struct msg_call *c, struct match *best)
{
	struct link *l = exchange_link(ex);
	struct key k, floor;
	struct db_cursor *cursor;
	struct msg_call_ref ref;
	struct msg_error why;
	struct db_entry e;
	struct match m;
	size_t tries;
	bool more;

	if (c->prompt.len == 0 || !match_is_on(ex, STRATEGY_subtask))
		return;
	k = calls_prompt_key(c->domain, c->prompt, false, c->ts, c->seq, 0);
	floor = calls_prompt_key(c->domain, c->prompt, false,
	    c->ts - window_ms(ex), 0, 0);
	cursor = db_cursor(stage_tables(l->st), TABLE_call_prompts);
	more = db_seek_back(cursor, key_slice(&k), &e);
	for (tries = 0; more && tries < CALL_TRIES && e.key.len == floor.len &&
	     slice_cmp(e.key, key_slice(&floor)) >= 0; tries++) {
		if (msg_decode_as(e.value, l->arena, MSG_call_ref, &ref,
			&why) == -1)
			break;
		more = db_prev(cursor, &e);
		m = (struct match){ .strategy = STRATEGY_subtask,
			.call = exchange_call(ex, ref.seq), .task = ref.task };
		if (is_in_reach(ex, c, m.call) && match_better(c, &m, best))
			*best = m;
	}
	db_cursor_close(&cursor);
}

/* ---- later ones ---- */

static void
offer_prompt(struct exchange *ex, struct slice prompt, uint64_t task,
    void (*offer)(struct exchange *ex, struct msg_call *c,
	const struct match *m))
{
	struct link *l = exchange_link(ex);
	struct msg_call *self = exchange_self(ex), *c;
	struct key k = calls_prompt_key(self->domain, prompt, true, self->ts,
	    self->seq, 0);
	struct db_cursor *cursor = db_cursor(stage_tables(l->st),
	    TABLE_call_prompts);
	size_t prefix = k.len - 24, seen;
	struct match m = { .strategy = STRATEGY_subtask, .call = self,
		.task = task };
	struct db_entry e;
	bool more = db_seek(cursor, key_slice(&k), &e);

	for (seen = 0; more && seen < CALL_ADOPTED && e.key.len == k.len &&
	     memcmp(e.key.ptr, k.bytes, prefix) == 0; seen++) {
		c = exchange_call(ex, key_read_u64(e.key, prefix + 8));
		if (c != NULL && c->ts - self->ts > window_ms(ex))
			break;
		if (c != NULL && is_in_reach(ex, c, self))
			offer(ex, c, &m);
		more = db_next(cursor, &e);
	}
	db_cursor_close(&cursor);
}

void
subtask_later(struct exchange *ex,
    void (*offer)(struct exchange *ex, struct msg_call *c,
	const struct match *m))
{
	const struct msg_s_linker *s = exchange_link(ex)->section;
	size_t i, k;

	for (i = 0; i < s->n_tasks; i++)
		for (k = 0; k < s->tasks[i].prompts.count; k++)
			offer_prompt(ex, s->tasks[i].prompts.at[k], k + 1,
			    offer);
}

void
subtask_index(struct exchange *ex)
{
	struct link *l = exchange_link(ex);
	const struct msg_exchange *x = &l->e->entry.as->exchange;
	const struct msg_l_task *t = l->section->tasks;
	struct msg_call *c = exchange_self(ex);
	struct msg_call_ref ref = { .seq = c->seq };
	struct key k;
	size_t i, n;

	if (c->prompt.len > 0) {
		k = calls_prompt_key(c->domain, c->prompt, true, c->ts, c->seq,
		    0);
		link_put(l, TABLE_call_prompts, &k, MSG_call_ref, &ref);
	}
	for (i = 0; i < l->section->n_tasks; i++, t++) {
		for (n = 0; n < t->prompts.count; n++) {
			ref.task = n + 1;
			k = calls_prompt_key(c->domain, t->prompts.at[n],
			    false, c->ts, c->seq, n + 1);
			link_put(l, TABLE_call_prompts, &k, MSG_call_ref, &ref);
		}
		if (t->i >= x->n_added)
			continue;
		k = calls_task_key(c->domain, x->added[t->i].hash);
		link_put(l, TABLE_call_tasks, &k, MSG_l_task, t);
	}
}
