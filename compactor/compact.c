/*
 * compact - one entry, as the compactor decides about it or applies it
 */
#include "compactor/compact.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "common/text.h"
#include "compactor/effort_words_impl.h"

enum {
	/* Of a state's words: a history is read, not searched. */
	STATE_TEXT_BYTES = 200,
};

struct compact_held {
	struct msg_artifact a;	/* first: a holder is found from it */
	bool changed;
	uint64_t order;		/* of its first change */
};

static const struct msg_c_turn does_nothing = {
	.act = { "none", 4 },
	.level = { "none", 4 },
};
static const struct msg_h_turn flows_nowhere = { 0 };

/* What was noted to decide is there still when it is applied. */
static void
take_notes(struct compact_tools *tools, const struct compact *c)
{
	const struct msg_envelope *of = c->envelope;
	size_t i, n = compact_turn_count(c);

	if (tools->noted_seq == c->seq &&
	    tools->noted_resets == c->arena->resets)
		return;
	tools->noted_seq = c->seq;
	tools->noted_resets = c->arena->resets;
	tools->taken = NULL;
	tools->known = NULL;
	tools->notes = n == 0 ? NULL :
	    arena_array(c->arena, n, sizeof(tools->notes[0]));
	for (i = 0; i < n; i++)
		tools->notes[i].arena = c->arena;
	tools->stream = key_stream(of->domain, of->user, of->room);
}

void
compact_open(struct compact *c, struct stage *st, const struct stage_entry *e,
    struct msg_s_compactor *section)
{
	const struct msg_envelope *of = &e->entry.as->envelope;
	const struct msg *placed = &e->sections[STAGE_ingest];
	struct compact_tools *tools = stage_state(st);

	memset(c, 0, offsetof(struct compact, stream));
	c->st = st;
	c->e = e;
	c->conf = stage_conf(st);
	c->arena = stage_arena(st);
	c->envelope = of;
	c->seq = e->seq;
	c->ts = of->ts;
	c->section = section;
	if (tools == NULL)
		c->stream = key_stream(of->domain, of->user, of->room);
	else {
		take_notes(tools, c);
		c->stream.len = tools->stream.len;
		memcpy(c->stream.bytes, tools->stream.bytes, c->stream.len);
		c->packages = tools->packages;
		c->similar = tools->similar;
		c->stance = tools->stance;
		c->how = tools->how;
		c->rank = tools->rank;
		c->rows = tools->rows;
		c->kept_times = tools->kept_times;
		c->episode_times = tools->episode_times;
		c->idle_times = tools->idle_times;
		c->digests = tools->digests;
		c->notes = tools->notes;
	}
	if (placed->id == MSG_s_ingest)
		c->thread = placed->as->s_ingest.thread;
}

/* ---- keys ---- */

static struct key
id_key(struct slice domain, struct slice id)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, domain);
	key_add_text(&k, id);
	return k;
}

/* ---- records ---- */

static bool
get_direct(struct compact *c, enum table_id table, const struct key *k,
    enum msg_id id, void *out)
{
	struct msg_error why;
	struct slice record;

	if (!db_get(stage_tables(c->st), table, key_slice(k), &record))
		return false;
	if (msg_decode_as(arena_dup(c->arena, record), c->arena, id, out,
		&why) == 0)
		return true;
	/* The same again, for the one who knows what to do about damage. */
	return db_get_msg(stage_tables(c->st), table, key_slice(k), id,
	    c->arena, out);
}

bool
compact_get(struct compact *c, enum table_id table, const struct key *k,
    enum msg_id id, void *out)
{
	struct rows *rows = c->rows == NULL ? NULL : c->rows[table];

	if (rows == NULL)
		return get_direct(c, table, k, id, out);
	return rows_get_at(rows, stage_tables(c->st), key_slice(k), c->arena,
	    out);
}

bool
compact_share(struct compact *c, enum table_id table, const struct key *k,
    enum msg_id id, void *out)
{
	struct rows *rows = c->rows == NULL ? NULL : c->rows[table];

	if (rows == NULL)
		return get_direct(c, table, k, id, out);
	return rows_share_at(rows, stage_tables(c->st), key_slice(k), c->arena,
	    out);
}

/* The same of what is mostly read once. */
static bool
look(struct compact *c, enum table_id table, const struct key *k,
    enum msg_id id, void *out)
{
	struct rows *rows = c->rows == NULL ? NULL : c->rows[table];

	if (rows == NULL)
		return get_direct(c, table, k, id, out);
	return rows_look_at(rows, stage_tables(c->st), key_slice(k), c->arena,
	    out);
}

void
compact_put(struct compact *c, enum table_id table, const struct key *k,
    enum msg_id id, const void *msg)
{
	struct rows *rows = c->rows == NULL ? NULL : c->rows[table];

	if (rows != NULL)
		rows_put_at(rows, stage_tables(c->st), key_slice(k), c->arena,
		    msg);
	else
		db_put_msg(stage_tables(c->st), table, key_slice(k), id, msg);
}

static struct compact_held *
hold(struct compact *c)
{
	struct compact_held *h = arena_alloc(c->arena, sizeof(*h));

	if (c->n_held == c->cap_held) {
		struct compact_held **grown;

		c->cap_held = c->cap_held == 0 ? 8 : c->cap_held * 2;
		grown = arena_array(c->arena, c->cap_held, sizeof(grown[0]));
		if (c->n_held > 0)
			memcpy(grown, c->held, c->n_held * sizeof(grown[0]));
		c->held = grown;
	}
	c->held[c->n_held++] = h;
	return h;
}

static struct compact_held *
held(struct compact *c, struct slice key)
{
	size_t i;

	for (i = 0; i < c->n_held; i++)
		if (slice_eq(c->held[i]->a.key, key))
			return c->held[i];
	return NULL;
}

static void
take_touch(struct compact *c, struct msg_artifact *a,
    const struct msg_a_touch *touch)
{
	uint64_t thread = touch->thread != 0 ? touch->thread : a->thread;

	if (thread == a->thread)
		artifact_add_turn(&a->turns, c->arena, touch->turn);
	else
		artifact_add_elsewhere(&a->elsewhere, c->arena, thread,
		    touch->turn);
	if (touch->at > a->updated_at)
		a->updated_at = touch->at;
}

/* From the table, with what this entry has added to it so far. */
static struct compact_held *
get_held(struct compact *c, struct slice key)
{
	struct compact_held *h = held(c, key);
	const struct msg_s_compactor *s = c->section;
	struct msg_artifact a;
	uint64_t seq, n;
	struct key k;
	size_t i;

	if (h != NULL)
		return h;
	if (artifact_parse(key, &seq, &n) == -1)
		return NULL;
	k = key_pair(seq, n);
	if (!look(c, TABLE_artifacts, &k, MSG_artifact, &a) ||
	    !slice_eq(a.domain, c->envelope->domain))
		return NULL;
	a.has = 0;
	h = hold(c);
	h->a = a;
	for (i = 0; i < s->n_touched; i++)
		if (slice_eq(s->touched[i].artifact, key))
			take_touch(c, &h->a, &s->touched[i]);
	for (i = 0; i < s->n_weights; i++)
		if (slice_eq(s->weights[i].artifact, key)) {
			h->a.weight = s->weights[i].weight;
			h->a.weight_at = s->weights[i].at;
			h->a.uses = s->weights[i].uses;
		}
	return h;
}

static void
mark_changed(struct compact *c, struct compact_held *h)
{
	if (h->changed)
		return;
	h->changed = true;
	h->order = c->n_changed++;
	h->a.made_by = c->seq;
}

/* ---- turns of the entry ---- */

size_t
compact_turn_count(const struct compact *c)
{
	if (c->e->entry.id == MSG_turn)
		return 1;
	return c->e->entry.id == MSG_exchange ?
	    c->e->entry.as->exchange.n_added : 0;
}

struct compact_turn
compact_turn(const struct compact *c, size_t i)
{
	const struct msg *placed = &c->e->sections[STAGE_ingest];
	const struct msg *said = &c->e->sections[STAGE_classify];
	const struct msg *wove = &c->e->sections[STAGE_chainer];
	struct compact_turn t = {
		.i = i,
		.ts = c->ts,
		.user = c->envelope->user,
		.does = &does_nothing,
		.flows = &flows_nowhere,
		.notes = c->notes == NULL ? NULL : &c->notes[i],
	};

	if (c->e->entry.id == MSG_turn) {
		t.role = c->e->entry.as->turn.role;
		t.text = c->e->entry.as->turn.text;
	} else {
		t.role = c->e->entry.as->exchange.added[i].role;
		t.text = c->e->entry.as->exchange.added[i].text;
	}
	if (t.role.len == 0)
		t.role = SLICE("user");
	if (placed->id == MSG_s_ingest)
		t.number = placed->as->s_ingest.first_turn + i;
	if (said->id == MSG_s_classify && i < said->as->s_classify.n_turns)
		t.does = &said->as->s_classify.turns[i];
	if (wove->id == MSG_s_chainer && i < wove->as->s_chainer.n_turns)
		t.flows = &wove->as->s_chainer.turns[i];
	return t;
}

struct msg_a_turn *
compact_a_turn(struct compact *c, size_t i)
{
	struct msg_s_compactor *s = c->section;

	if (s->turns == NULL) {
		s->n_turns = compact_turn_count(c);
		s->turns = arena_array(c->arena, s->n_turns,
		    sizeof(s->turns[0]));
	}
	return &s->turns[i];
}

void
compact_tell(struct compact *c, size_t i, struct slice key)
{
	struct msg_a_turn *t = compact_a_turn(c, i);

	if (!strs_has(&t->artifacts, key))
		strs_add(&t->artifacts, c->arena, key);
}

/* ---- artifacts ---- */

struct msg_artifact *
compact_new(struct compact *c, struct slice type)
{
	struct compact_held *h = hold(c);

	h->a = (struct msg_artifact){
		.key = artifact_key(c->arena, c->seq, c->n_new++),
		.domain = c->envelope->domain,
		.type = type,
		.status = SLICE("open"),
		.thread = c->thread,
		.created_at = c->ts,
		.updated_at = c->ts,
		.weight = 1000,
		.weight_at = c->ts,
		.thought_type = SLICE("original"),
		.user = c->envelope->user,
		.room = c->envelope->room,
	};
	mark_changed(c, h);
	return &h->a;
}

struct msg_artifact *
compact_new_drafted(struct compact *c, struct slice type,
    const struct msg_artifact *draft)
{
	struct msg_artifact *a = compact_new(c, type), fresh = *a;

	*a = *draft;
	a->has = 0;
	a->key = fresh.key;
	a->weight = fresh.weight;
	a->weight_at = fresh.weight_at;
	a->updated_at = fresh.updated_at;
	a->made_by = fresh.made_by;
	return a;
}

const struct msg_artifact *
compact_read(struct compact *c, struct slice key)
{
	struct compact_held *h = get_held(c, key);

	return h == NULL ? NULL : &h->a;
}

struct msg_artifact *
compact_change(struct compact *c, struct slice key)
{
	struct compact_held *h = get_held(c, key);

	if (h == NULL)
		return NULL;
	mark_changed(c, h);
	if (c->ts > h->a.updated_at)
		h->a.updated_at = c->ts;
	return &h->a;
}

const struct msg_artifact *
compact_find(struct compact *c, struct slice name)
{
	const struct msg_artifact *a = compact_read(c, name);
	struct key k = id_key(c->envelope->domain, name);
	struct msg_place place;

	if (a != NULL || name.len == 0 ||
	    !compact_get(c, TABLE_artifact_ids, &k, MSG_place, &place))
		return a;
	return compact_read(c, artifact_key(c->arena, place.seq, place.i));
}

struct msg_artifact *
compact_changed(struct compact *c, size_t i)
{
	size_t at;

	for (at = 0; at < c->n_held; at++)
		if (c->held[at]->changed && c->held[at]->order == i)
			return &c->held[at]->a;
	return NULL;
}

void
compact_join(struct compact *c, struct slice key,
    const struct compact_turn *turn)
{
	struct msg_s_compactor *s = c->section;
	struct compact_held *h = held(c, key);
	struct msg_a_touch touch = { .artifact = key, .turn = turn->number,
		.at = turn->ts, .thread = c->thread };

	if (h != NULL)
		take_touch(c, &h->a, &touch);
	s->touched = list_grown(c->arena, s->touched, s->n_touched,
	    sizeof(touch));
	s->touched[s->n_touched++] = touch;
}

void
compact_weigh(struct compact *c, struct slice key, uint64_t weight,
    uint64_t uses)
{
	struct msg_s_compactor *s = c->section;
	struct compact_held *h = held(c, key);
	struct msg_a_weight w = { .artifact = key, .weight = weight,
		.at = c->ts, .uses = uses };

	if (h != NULL) {
		h->a.weight = weight;
		h->a.weight_at = c->ts;
		h->a.uses = uses;
	}
	s->weights = list_grown(c->arena, s->weights, s->n_weights, sizeof(w));
	s->weights[s->n_weights++] = w;
}

void
compact_state(struct compact *c, struct msg_artifact *a, struct slice status,
    struct slice state, struct slice text)
{
	a->status = status;
	a->history = list_grown(c->arena, a->history, a->n_history,
	    sizeof(a->history[0]));
	a->history[a->n_history++] = (struct msg_a_state){
		.status = state,
		.at = c->ts,
		.seq = c->seq,
		.text = slice_of(text.ptr, text_cut(text, STATE_TEXT_BYTES)),
	};
}

void
compact_refuse(struct compact *c, const char *class, const char *code,
    const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->section->error = slice_str(code);
	c->section->error_class = slice_str(class);
	c->section->message = arena_dup(c->arena, slice_str(text));
}

/* ---- section and tables ---- */

/* What is put whole needs no touch and no weight beside it. */
static void
drop_touches(struct compact *c)
{
	struct msg_s_compactor *s = c->section;
	struct compact_held *h;
	size_t i, n;

	for (i = n = 0; i < s->n_touched; i++) {
		h = held(c, s->touched[i].artifact);
		if (h == NULL || !h->changed)
			s->touched[n++] = s->touched[i];
	}
	s->n_touched = n;
	for (i = n = 0; i < s->n_weights; i++) {
		h = held(c, s->weights[i].artifact);
		if (h == NULL || !h->changed)
			s->weights[n++] = s->weights[i];
	}
	s->n_weights = n;
}

bool
compact_finish(struct compact *c)
{
	struct msg_s_compactor *s = c->section;
	size_t i;

	s->artifacts = arena_array(c->arena, c->n_changed,
	    sizeof(s->artifacts[0]));
	s->n_artifacts = c->n_changed;
	for (i = 0; i < c->n_held; i++)
		if (c->held[i]->changed)
			s->artifacts[c->held[i]->order] = c->held[i]->a;
	drop_touches(c);
	return s->n_turns + s->n_artifacts + s->n_touched + s->n_weights +
	    s->n_episodes + s->n_skills + s->raised.count + s->asks.count > 0 ||
	    s->result.len > 0 || s->error.len > 0 || s->guidance.len > 0;
}

static void
put_artifact(struct compact *c, const struct msg_artifact *a)
{
	struct msg_place place = { 0 };
	struct key k;

	/* A section may have come from elsewhere: no key, no row. */
	if (artifact_parse(a->key, &place.seq, &place.i) == -1 ||
	    !slice_eq(a->domain, c->envelope->domain))
		return;
	k = key_pair(place.seq, place.i);
	compact_put(c, TABLE_artifacts, &k, MSG_artifact, a);
	if (a->id.len == 0 || place.seq != c->seq)
		return;
	k = id_key(c->envelope->domain, a->id);
	compact_put(c, TABLE_artifact_ids, &k, MSG_place, &place);
}

/* Does it follow on the artifact's last turn, or is it one of the last? */
static bool
goes_on(const struct msg_artifact *a, const struct msg_a_touch *touch)
{
	size_t n = a->turns.count;

	return (touch->thread == 0 || touch->thread == a->thread) && n > 0 &&
	    touch->turn >= a->turns.at[n - 2] &&
	    touch->turn <= a->turns.at[n - 1] + 1;
}

/*
 * Nearly always an artifact's next turn is the thread's: what was a copy of
 * the whole artifact is two numbers.  False: it is not that simple.
 */
static bool
touch_row(struct compact *c, const struct msg_a_touch *touch)
{
	struct rows *rows = c->rows == NULL ? NULL : c->rows[TABLE_artifacts];
	struct msg_artifact *a;
	uint64_t seq, n;
	struct key k;

	if (rows == NULL || artifact_parse(touch->artifact, &seq, &n) == -1 ||
	    seq == c->seq)
		return false;
	k = key_pair(seq, n);
	a = rows_edit_at(rows, stage_tables(c->st), key_slice(&k), c->arena);
	if (a == NULL || !slice_eq(a->domain, c->envelope->domain) ||
	    !goes_on(a, touch))
		return false;
	if (touch->turn > a->turns.at[a->turns.count - 1])
		a->turns.at[a->turns.count - 1] = touch->turn;
	if (touch->at > a->updated_at)
		a->updated_at = touch->at;
	return true;
}

void
compact_apply(struct compact *c)
{
	const struct msg_s_compactor *s = c->section;
	struct compact_held *h;
	size_t i;

	for (i = 0; i < s->n_touched; i++)
		if (!touch_row(c, &s->touched[i]) &&
		    (h = get_held(c, s->touched[i].artifact)) != NULL)
			h->changed = true;
	for (i = 0; i < s->n_weights; i++)
		if ((h = get_held(c, s->weights[i].artifact)) != NULL)
			h->changed = true;
	for (i = 0; i < c->n_held; i++)
		if (c->held[i]->changed)
			put_artifact(c, &c->held[i]->a);
	for (i = 0; i < s->n_artifacts; i++)
		put_artifact(c, &s->artifacts[i]);
}
