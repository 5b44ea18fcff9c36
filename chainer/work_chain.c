/*
 * work_chain - chains, as one entry sees them and takes them on
 */
#include "chainer/work_impl.h"

/* As it is by now, claims that wait left out. */
static const struct sketch *
own_sketch(struct work *w, struct work_chain *c)
{
	struct topic t;

	if (c->sketch != NULL)
		return c->sketch;
	if (!c->changed)
		c->sketch = memo_sketch(c->row, w->arena);
	else {
		t = chain_topic(&c->c);
		c->sketch = sketch_topic(w->arena, &t);
	}
	return c->sketch;
}

/* Claims are taken in when somebody looks, or at the end: often nobody does. */
static void
settle(struct work *w, struct work_chain *c)
{
	const struct topic *claim;
	size_t i;

	for (i = 0; i < c->n_learns; i++) {
		claim = &c->learns[i];
		c->sketch = chain_learn(&c->c, w->arena, claim,
		    claim->sketch == NULL ? NULL : own_sketch(w, c));
		c->changed = true;
	}
	c->n_learns = 0;
}

static struct work_chain *
find_own(struct work *w, uint64_t ref)
{
	size_t i;

	for (i = w->n_chains; i > 0; i--)
		if (w->chains[i - 1]->c.ref == ref) {
			settle(w, w->chains[i - 1]);
			return w->chains[i - 1];
		}
	return NULL;
}

static struct work_chain *
add_own(struct work *w, struct row *row)
{
	struct work_chain *c = arena_alloc(w->arena, sizeof(*c));

	c->row = row;
	w->chains = work_grow(w->arena, w->chains, w->n_chains, &w->cap_chains,
	    sizeof(w->chains[0]));
	w->chains[w->n_chains++] = c;
	return c;
}

struct work_chain *
work_own_chain(struct work *w, uint64_t ref)
{
	const struct msg_chain *read;
	struct work_chain *c;
	struct row *row;

	if (ref == 0)
		return NULL;
	c = find_own(w, ref);
	if (c != NULL)
		return c;
	row = memo_chain(w->st, ref);
	read = memo_msg(row);
	if (read == NULL)
		return NULL;
	c = add_own(w, row);
	c->c = *read;
	return c;
}

const struct msg_chain *
work_chain(struct work *w, uint64_t ref)
{
	struct work_chain *c;

	if (ref == 0)
		return NULL;
	c = find_own(w, ref);
	return c != NULL ? &c->c : memo_msg(memo_chain(w->st, ref));
}

/* An older chain takes in the younger: following comes to an end. */
static bool
leads_on(uint64_t ref, uint64_t merged_into)
{
	return merged_into != 0 && merged_into < ref;
}

const struct msg_chain *
work_follow(struct work *w, uint64_t ref)
{
	const struct msg_chain *c = work_chain(w, ref);

	while (c != NULL && leads_on(c->ref, c->merged_into))
		c = work_chain(w, c->merged_into);
	return c;
}

uint64_t
work_merged(uint64_t ref)
{
	uint64_t into;

	while ((into = memo_merged(ref)) != 0)
		ref = into;
	return ref;
}

/* What was extended too long ago is asleep, marked or not. */
static enum chain_state
state_by_now(const struct work *w, enum chain_state s, int64_t last_extended)
{
	return s == CHAIN_active &&
	    w->envelope->ts - last_extended >= w->dormant_ms ? CHAIN_dormant :
							       s;
}

enum chain_state
work_state(const struct work *w, const struct msg_chain *c)
{
	return state_by_now(w, chain_state(c), c->last_extended);
}

static struct work_view
view_own(struct work *w, struct work_chain *own)
{
	return (struct work_view){ &own->c, own_sketch(w, own), own->c.ref,
		own->c.last_extended, work_state(w, &own->c) };
}

/* The record itself is not looked at. */
static struct work_view
view_row(struct work *w, struct row *row, uint64_t ref)
{
	const struct row_face *face = &row->face;

	return (struct work_view){ memo_msg(row), memo_sketch(row, w->arena),
		ref, face->last_extended,
		state_by_now(w, face->state, face->last_extended) };
}

bool
work_candidate(struct work *w, uint64_t ref, struct work_view *out)
{
	struct work_chain *own;
	struct row *row;
	uint64_t into;

	for (; ref != 0; ref = into) {
		own = find_own(w, ref);
		row = own != NULL ? own->row : memo_chain(w->st, ref);
		if (own == NULL && memo_msg(row) == NULL)
			return false;
		into = own != NULL ? own->c.merged_into :
				     row->face.merged_into;
		if (!leads_on(ref, into)) {
			*out = own != NULL ? view_own(w, own) :
					     view_row(w, row, ref);
			return true;
		}
		if (own == NULL)
			memo_note_merged(ref, into);
	}
	return false;
}

void
work_approach(struct work *w, const uint64_t *refs, size_t n)
{
	const struct row *row;
	size_t i;

	for (i = 0; i < n && w->n_near < WORK_RECENT; i++) {
		row = memo_merged(refs[i]) == 0 ? memo_approach(refs[i]) : NULL;
		if (row != NULL)
			w->near[w->n_near++] = row;
	}
}

void
work_approach_nearer(struct work *w)
{
	size_t i;

	for (i = 0; i < w->n_near; i++)
		memo_approach_sketch(w->near[i]);
	w->n_near = 0;
}

void
work_chain_stream(struct key *k, const struct msg_chain *c)
{
	key_set_stream(k, c->domain, c->user, c->room);
}

/* Of the stream that the entry is of. */
static bool
is_own_stream(const struct work *w, const struct msg_chain *c)
{
	const struct msg_envelope *e = w->envelope;

	if (!slice_eq(c->domain, e->domain) || !slice_eq(c->room, e->room))
		return false;
	return e->room.len > 0 || slice_eq(c->user, e->user);
}

/* ---- steps ---- */

/* It is now the latest of its stream and of this talk. */
static void
bring_forward(struct work *w, const struct msg_chain *c)
{
	struct msg_chain_talk *talk = work_talk(w);
	struct work_chain *lost;

	(void)refs_to_front(&talk->recent, w->arena, c->ref, WORK_TALK_RECENT);
	w->talk_dirty = true;
	/* Another's chain is at hand in this talk, and nowhere else of ours. */
	if (!is_own_stream(w, c))
		return;
	lost = work_own_chain(w, refs_to_front(&w->stream.recent, w->arena,
	    c->ref, WORK_RECENT));
	if (lost != NULL)
		lost->index = true;
}

void
work_put_history(struct work *w, struct work_chain *c, uint64_t i)
{
	struct msg_place *place = arena_room(w->arena, sizeof(*place));
	struct key k = key_u64(c->c.ref);

	*place = (struct msg_place){ .seq = w->e->seq, .i = i };
	key_add_u64(&k, c->c.updates++);
	work_put_later(w, TABLE_chain_history, &k, MSG_place, place);
	c->c.last_seq = w->e->seq;
	c->dirty = true;
}

static struct work_chain *
begin_chain(struct work *w, const struct msg_h_update *u, uint64_t ref)
{
	const struct msg_envelope *e = w->envelope;
	uint64_t from = 0;
	struct work_chain *c;

	if (work_chain(w, ref) != NULL)
		return NULL;
	c = add_own(w, memo_chain(w->st, ref));
	c->changed = true;
	c->c = (struct msg_chain){
		.ref = ref,
		.domain = e->domain,
		.user = e->room.len > 0 ? SLICE_NONE : e->user,
		.room = e->room,
		.state = chain_state_name(CHAIN_active),
		.topic = u->topic,
		.created_at = e->ts,
		.last_extended = e->ts,
		.live = e->live,
	};
	if (u->from.len > 0 && chain_parse(u->from, &from) == 0)
		c->c.from = from;
	work_schedule_chain(w, &c->c, c->c.last_extended + w->dormant_ms);
	return c;
}

static void
extend_chain(struct work *w, const struct msg_h_update *u, struct msg_chain *c)
{
	bool was_live = c->live;

	if (u->revives) {
		c->state = chain_state_name(CHAIN_active);
		c->revivals++;
	}
	if (w->envelope->ts > c->last_extended)
		c->last_extended = w->envelope->ts;
	c->live = w->envelope->live;
	/* A sleeper has no check pending, an import's none that ticks see. */
	if (u->revives || (c->live && !was_live))
		work_schedule_chain(w, c, c->last_extended + w->dormant_ms);
}

static void
merge_chain(struct work *w, const struct msg_h_update *u, struct work_chain *c,
    size_t index)
{
	struct work_chain *from;
	uint64_t ref;

	if (chain_parse(u->from, &ref) == -1 || ref <= c->c.ref)
		return;
	from = work_own_chain(w, ref);
	if (from == NULL || from->c.merged_into != 0)
		return;
	c->sketch = chain_take_in(&c->c, w->arena, own_sketch(w, c), &from->c,
	    own_sketch(w, from));
	c->changed = true;
	from->c.state = chain_state_name(CHAIN_merged);
	from->c.merged_into = c->c.ref;
	work_put_history(w, from, index);
}

const struct msg_chain *
work_step(struct work *w, enum chain_kind kind, uint64_t ref,
    const struct msg_h_update *u, size_t index)
{
	struct work_chain *c;

	c = kind == KIND_create || kind == KIND_branch ?
	    begin_chain(w, u, ref) : work_own_chain(w, ref);
	if (c == NULL || !slice_eq(c->c.domain, w->envelope->domain))
		return NULL;
	if (kind == KIND_extend)
		extend_chain(w, u, &c->c);
	else if (kind == KIND_merge)
		merge_chain(w, u, c, index);
	else if (kind == KIND_conclude) {
		c->c.state = chain_state_name(CHAIN_concluded);
		c->index = true;
	}
	if (kind <= KIND_branch) {
		c->c.turns++;
		chain_touch_thread(&c->c, w->arena, w->thread);
	}
	work_put_history(w, c, index);
	bring_forward(w, &c->c);
	return &c->c;
}

void
work_claim(struct work *w, uint64_t ref, const struct topic *claim)
{
	struct work_chain *c = work_own_chain(w, ref);

	if (c == NULL)
		return;
	c->learns = work_grow(w->arena, c->learns, c->n_learns, &c->cap_learns,
	    sizeof(c->learns[0]));
	c->learns[c->n_learns++] = *claim;
	c->c.claims++;
	c->dirty = true;
}

void
work_write_chains(struct work *w)
{
	struct work_chain *c;
	size_t i;

	for (i = 0; i < w->n_chains; i++) {
		c = w->chains[i];
		settle(w, c);
		c->c.has = 0;
		if (c->index)
			work_index_chain(&c->c);
		if (c->dirty)
			memo_put(c->row, &c->c);
		if (c->dirty && c->changed)
			memo_keep_sketch(c->row, c->sketch);
	}
}
