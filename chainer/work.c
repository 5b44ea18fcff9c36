/*
 * work - the chainer's own tables, as one entry sees and changes them
 */
#include "chainer/work.h"

#include <xxhash.h>

#include "chainer/memo.h"
#include "common/when.h"

/* In a chain's history a check stands beside the updates. */
#define HISTORY_CHECK (UINT64_C(1) << 32)
/* In due keys a session's hash beside chains' refs. */
#define DUE_SESSION (UINT64_C(1) << 63)

struct work_chain {
	struct msg_chain c;	/* first: a chain is found from it */
	struct row *row;	/* where it was read, or NULL */
	const struct sketch *sketch;
	bool changed;		/* its words are no more those of the row */
	bool dirty;
	bool index;		/* its words go into the index */
	struct topic *learns;	/* claims it has still to take in */
	size_t n_learns, cap_learns;
};

struct work_session {
	struct msg_session s;
	bool dirty;
};

/* A put or, without a value, a deletion, done at the end. */
struct work_put {
	enum table_id table;
	struct slice key;
	enum msg_id id;
	const void *msg;
};

struct work {
	struct stage *st;
	bool writes;
	struct arena *arena;
	const struct stage_entry *e;
	const struct msg_envelope *envelope;
	uint64_t thread;
	int64_t dormant_ms;
	struct key stream_key, talk_key;
	struct row *stream_row;
	struct msg_chain_stream stream;
	struct msg_chain_talk talk;
	bool has_talk, talk_dirty;
	struct msg_said *said;		/* of this entry */
	size_t n_said, cap_said;
	struct work_chain **chains;
	size_t n_chains, cap_chains;
	struct work_session **sessions;
	size_t n_sessions, cap_sessions;
	struct work_put *puts;
	size_t n_puts, cap_puts;
};

/* Room for one more in an array of the arena. */
static void *
grow(struct arena *arena, void *at, size_t n, size_t *cap, size_t size)
{
	void *grown;

	if (n < *cap)
		return at;
	*cap = *cap == 0 ? 8 : *cap * 2;
	grown = arena_array(arena, *cap, size);
	if (n > 0)
		memcpy(grown, at, n * size);
	return grown;
}

/* ---- keys ---- */

static struct key
thread_talk_key(uint64_t thread)
{
	struct key k;

	key_init(&k);
	key_add_bytes(&k, SLICE("t"));
	key_add_u64(&k, thread);
	return k;
}

static struct key
talk_key(const struct work *w)
{
	struct key k;

	if (w->envelope->room.len == 0)
		return thread_talk_key(w->thread);
	key_init(&k);
	key_add_bytes(&k, SLICE("r"));
	key_add_bytes(&k, key_slice(&w->stream_key));
	return k;
}

static struct key
said_key(const struct work *w, uint64_t number)
{
	struct key k = w->talk_key;

	key_add_u64(&k, number % WORK_RING);
	return k;
}

static struct key
word_key(const struct key *stream, struct slice word)
{
	struct key k = *stream;

	key_add_u64(&k, XXH3_64bits(word.ptr, word.len));
	return k;
}

static struct key
session_key(struct slice domain, struct slice id, struct slice user,
    struct slice room)
{
	struct key k = key_hashed(domain, id);

	key_add_bytes(&k, room.len > 0 ? SLICE("r") : SLICE("u"));
	key_add_bytes(&k, room.len > 0 ? room : user);
	return k;
}

static struct key
due_key(struct key prefix, int64_t due, uint64_t what)
{
	key_add_i64(&prefix, due);
	key_add_u64(&prefix, what);
	return prefix;
}

static int64_t
due_of(struct slice key, size_t at)
{
	/* As key_add_i64 has it: the sign turned. */
	return (int64_t)(key_read_u64(key, at) ^ (UINT64_C(1) << 63));
}

static struct key
domain_key(struct slice domain)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, domain);
	return k;
}

/* ---- records ---- */

static bool
get(struct work *w, enum table_id table, const struct key *k, enum msg_id id,
    void *out)
{
	return memo_read(w->st, memo_find(w->st, table, key_slice(k)), id, out);
}

/* Deciding only looks what would be. */
static void
put_later(struct work *w, enum table_id table, const struct key *key,
    enum msg_id id, const void *msg)
{
	if (!w->writes)
		return;
	w->puts = grow(w->arena, w->puts, w->n_puts, &w->cap_puts,
	    sizeof(w->puts[0]));
	w->puts[w->n_puts++] = (struct work_put){ table,
		arena_dup(w->arena, key_slice(key)), id, msg };
}

struct work *
work_open(struct stage *st, const struct stage_entry *e, bool writes)
{
	struct work *w = arena_alloc(stage_arena(st), sizeof(*w));
	const struct msg *placed = &e->sections[STAGE_ingest];

	w->st = st;
	w->writes = writes;
	w->arena = stage_arena(st);
	w->e = e;
	w->envelope = &e->entry.as->envelope;
	w->thread = placed->id == MSG_s_ingest ? placed->as->s_ingest.thread :
						 0;
	w->dormant_ms = stage_conf(st)->chain_dormant * WHEN_HOUR_MS;
	w->stream_key = key_stream(w->envelope->domain, w->envelope->user,
	    w->envelope->room);
	w->talk_key = talk_key(w);
	w->stream_row = memo_find(st, TABLE_chain_streams,
	    key_slice(&w->stream_key));
	if (!memo_read(st, w->stream_row, MSG_chain_stream, &w->stream))
		w->stream = (struct msg_chain_stream){
			.clock = w->envelope->ts };
	if (w->envelope->ts > w->stream.clock)
		w->stream.clock = w->envelope->ts;
	return w;
}

struct arena *
work_arena(const struct work *w)
{
	return w->arena;
}

uint64_t
work_seq(const struct work *w)
{
	return w->e->seq;
}

int64_t
work_ts(const struct work *w)
{
	return w->envelope->ts;
}

int64_t
work_dormant_ms(const struct work *w)
{
	return w->dormant_ms;
}

struct msg_chain_stream *
work_stream(struct work *w)
{
	return &w->stream;
}

/* ---- the talk ---- */

/* A fork goes on from where its parent was, if that is still its last turn. */
static void
inherit_talk(struct work *w)
{
	const struct msg_s_ingest *s =
	    &w->e->sections[STAGE_ingest].as->s_ingest;
	struct key k;

	if (w->envelope->room.len > 0 || s->parent_thread == 0)
		return;
	k = thread_talk_key(s->parent_thread);
	if (!get(w, TABLE_chain_talks, &k, MSG_chain_talk, &w->talk))
		return;
	if (w->talk.turns != s->parent_turn)
		w->talk.n_last = 0;
	w->talk.turns = 0;
	w->talk.has = 0;
}

struct msg_chain_talk *
work_talk(struct work *w)
{
	if (w->has_talk)
		return &w->talk;
	w->has_talk = true;
	if (!get(w, TABLE_chain_talks, &w->talk_key, MSG_chain_talk, &w->talk))
		inherit_talk(w);
	return &w->talk;
}

bool
work_said(struct work *w, size_t back, struct msg_said *out)
{
	struct msg_chain_talk *talk = work_talk(w);
	struct key k;

	if (back < w->n_said) {
		*out = w->said[w->n_said - 1 - back];
		return true;
	}
	if (back == 0 && talk->n_last > 0) {
		*out = talk->last[0];
		return true;
	}
	if (back >= talk->turns || back >= WORK_RING)
		return false;
	k = said_key(w, talk->turns - 1 - back);
	return get(w, TABLE_chain_said, &k, MSG_said, out);
}

void
work_say(struct work *w, const struct msg_said *said)
{
	struct msg_chain_talk *talk = work_talk(w);
	struct msg_said *kept;
	struct key k;

	w->said = grow(w->arena, w->said, w->n_said, &w->cap_said,
	    sizeof(w->said[0]));
	w->said[w->n_said++] = *said;
	kept = arena_alloc(w->arena, sizeof(*kept));
	*kept = *said;
	if (talk->n_last > 0 && talk->last[0].user.len > 0 &&
	    !slice_eq(talk->last[0].user, said->user))
		talk->many = true;
	talk->last = kept;
	talk->n_last = 1;
	k = said_key(w, talk->turns);
	put_later(w, TABLE_chain_said, &k, MSG_said, kept);
	talk->turns++;
	w->talk_dirty = true;
}

uint64_t
work_thread_chain(struct work *w, uint64_t thread)
{
	struct key k = thread_talk_key(thread);
	struct msg_chain_talk talk;

	if (thread == 0 ||
	    !get(w, TABLE_chain_talks, &k, MSG_chain_talk, &talk))
		return 0;
	if (talk.n_last > 0 && talk.last[0].chain != 0)
		return talk.last[0].chain;
	return talk.recent.count > 0 ? talk.recent.at[0] : 0;
}

/* ---- chains ---- */

static struct work_chain *
add_chain(struct work *w)
{
	struct work_chain *c = arena_alloc(w->arena, sizeof(*c));

	w->chains = grow(w->arena, w->chains, w->n_chains, &w->cap_chains,
	    sizeof(w->chains[0]));
	w->chains[w->n_chains++] = c;
	return c;
}

/* Claims are taken in when somebody looks, or at the end: often nobody does. */
static void
settle(struct work *w, struct work_chain *c)
{
	size_t i;

	for (i = 0; i < c->n_learns; i++)
		chain_learn(&c->c, w->arena, &c->learns[i]);
	c->n_learns = 0;
}

struct msg_chain *
work_chain(struct work *w, uint64_t ref)
{
	struct key k = key_u64(ref);
	struct work_chain *c;
	struct msg_chain read;
	struct row *row;
	size_t i;

	if (ref == 0)
		return NULL;
	for (i = w->n_chains; i > 0; i--)
		if (w->chains[i - 1]->c.ref == ref) {
			settle(w, w->chains[i - 1]);
			return &w->chains[i - 1]->c;
		}
	row = memo_find(w->st, TABLE_chains, key_slice(&k));
	if (!memo_read(w->st, row, MSG_chain, &read))
		return NULL;
	c = add_chain(w);
	c->c = read;
	c->row = row;
	return &c->c;
}

struct msg_chain *
work_follow(struct work *w, uint64_t ref)
{
	struct msg_chain *c = work_chain(w, ref);

	/* An older chain takes in the younger: this comes to an end. */
	while (c != NULL && c->merged_into != 0 && c->merged_into < c->ref)
		c = work_chain(w, c->merged_into);
	return c;
}

enum chain_state
work_state(const struct work *w, const struct msg_chain *c)
{
	enum chain_state s = chain_state(c);

	if (s == CHAIN_active &&
	    w->envelope->ts - c->last_extended >= w->dormant_ms)
		return CHAIN_dormant;
	return s;
}

static struct work_chain *
holder(struct msg_chain *c)
{
	return (struct work_chain *)c;
}

struct topic
work_topic(struct work *w, struct msg_chain *chain)
{
	struct work_chain *c = holder(chain);
	struct topic t;

	settle(w, c);
	t = chain_topic(chain);
	if (c->sketch == NULL && c->row != NULL && !c->changed) {
		if (c->row->sketch == NULL)
			c->row->sketch = sketch_topic(memo_arena(), &t);
		c->sketch = c->row->sketch;
	}
	if (c->sketch == NULL)
		c->sketch = sketch_topic(w->arena, &t);
	t.sketch = c->sketch;
	return t;
}

static struct key
chain_stream_key(const struct msg_chain *c)
{
	return key_stream(c->domain, c->user, c->room);
}

static bool
is_own(const struct work *w, const struct msg_chain *c)
{
	struct key k = chain_stream_key(c);

	return slice_eq(key_slice(&k), key_slice(&w->stream_key));
}

static void
schedule(struct work *w, struct key stream, struct slice domain, int64_t due,
    uint64_t id, bool live, const struct msg_chain_due *what)
{
	struct msg_chain_due *kept;
	struct key k;

	if (!w->writes)
		return;
	kept = arena_alloc(w->arena, sizeof(*kept));
	*kept = *what;
	kept->stream = arena_dup(w->arena, key_slice(&stream));
	k = due_key(stream, due, id);
	put_later(w, TABLE_chain_due, &k, MSG_chain_due, kept);
	if (!live)
		return;
	k = due_key(domain_key(domain), due, id);
	put_later(w, TABLE_chain_live_due, &k, MSG_chain_due, kept);
}

static void
unschedule(struct work *w, struct key stream, struct slice domain, int64_t due,
    uint64_t id)
{
	struct key k = due_key(stream, due, id);

	put_later(w, TABLE_chain_due, &k, MSG_none, NULL);
	k = due_key(domain_key(domain), due, id);
	put_later(w, TABLE_chain_live_due, &k, MSG_none, NULL);
}

static void
schedule_chain(struct work *w, const struct msg_chain *c, int64_t due)
{
	schedule(w, chain_stream_key(c), c->domain, due, c->ref, c->live,
	    &(struct msg_chain_due){ .chain = c->ref });
}

/* It is now the latest of its stream and of this talk. */
static void
bring_forward(struct work *w, struct msg_chain *c)
{
	struct msg_chain_talk *talk = work_talk(w);
	struct msg_chain *lost;

	(void)refs_to_front(&talk->recent, w->arena, c->ref, WORK_TALK_RECENT);
	w->talk_dirty = true;
	/* Another's chain is at hand in this talk, and nowhere else of ours. */
	if (!is_own(w, c))
		return;
	lost = work_chain(w, refs_to_front(&w->stream.recent, w->arena, c->ref,
	    WORK_RECENT));
	if (lost != NULL)
		holder(lost)->index = true;
}

static void
forget_sketch(struct msg_chain *c)
{
	holder(c)->sketch = NULL;
	holder(c)->changed = true;
}

static void
put_history(struct work *w, struct msg_chain *c, uint64_t i)
{
	struct msg_place *place = arena_alloc(w->arena, sizeof(*place));
	struct key k = key_u64(c->ref);

	*place = (struct msg_place){ .seq = w->e->seq, .i = i };
	key_add_u64(&k, c->updates++);
	put_later(w, TABLE_chain_history, &k, MSG_place, place);
	c->last_seq = w->e->seq;
	holder(c)->dirty = true;
}

static struct msg_chain *
begin_chain(struct work *w, const struct msg_h_update *u, uint64_t ref)
{
	uint64_t from = 0;
	struct msg_chain *c;

	if (work_chain(w, ref) != NULL)
		return NULL;
	c = &add_chain(w)->c;
	*c = (struct msg_chain){
		.ref = ref,
		.domain = w->envelope->domain,
		.user = w->envelope->room.len > 0 ? SLICE_NONE :
						    w->envelope->user,
		.room = w->envelope->room,
		.state = chain_state_name(CHAIN_active),
		.topic = u->topic,
		.created_at = w->envelope->ts,
		.last_extended = w->envelope->ts,
		.live = w->envelope->live,
	};
	if (u->from.len > 0 && chain_parse(u->from, &from) == 0)
		c->from = from;
	schedule_chain(w, c, c->last_extended + w->dormant_ms);
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
		schedule_chain(w, c, c->last_extended + w->dormant_ms);
}

static void
merge_chain(struct work *w, const struct msg_h_update *u, struct msg_chain *c,
    size_t index)
{
	struct msg_chain *from;
	uint64_t ref;

	if (chain_parse(u->from, &ref) == -1 || ref <= c->ref)
		return;
	from = work_chain(w, ref);
	if (from == NULL || from->merged_into != 0)
		return;
	chain_take_in(c, w->arena, from);
	forget_sketch(c);
	from->state = chain_state_name(CHAIN_merged);
	from->merged_into = c->ref;
	put_history(w, from, index);
}

struct msg_chain *
work_step(struct work *w, const struct msg_h_update *u, size_t index)
{
	enum chain_kind kind;
	struct msg_chain *c;
	uint64_t ref;

	if (chain_kind_parse(u->kind, &kind) == -1 ||
	    chain_parse(u->chain, &ref) == -1)
		return NULL;
	c = kind == KIND_create || kind == KIND_branch ?
	    begin_chain(w, u, ref) : work_chain(w, ref);
	if (c == NULL || !slice_eq(c->domain, w->envelope->domain))
		return NULL;
	if (kind == KIND_extend)
		extend_chain(w, u, c);
	else if (kind == KIND_merge)
		merge_chain(w, u, c, index);
	else if (kind == KIND_conclude) {
		c->state = chain_state_name(CHAIN_concluded);
		holder(c)->index = true;
	}
	if (kind <= KIND_branch) {
		c->turns++;
		chain_touch_thread(c, w->arena, w->thread);
	}
	put_history(w, c, index);
	bring_forward(w, c);
	return c;
}

void
work_claim(struct work *w, struct msg_chain *c, const struct topic *claim)
{
	struct work_chain *h = holder(c);

	h->learns = grow(w->arena, h->learns, h->n_learns, &h->cap_learns,
	    sizeof(h->learns[0]));
	h->learns[h->n_learns++] = *claim;
	c->claims++;
	h->dirty = true;
	forget_sketch(c);
}

/* ---- the index ---- */

struct hit {
	uint64_t ref, weight;
};

static size_t
add_hit(struct hit *hits, size_t n, size_t most, uint64_t ref, uint64_t weight)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (hits[i].ref == ref) {
			hits[i].weight += weight;
			return n;
		}
	if (n < most)
		hits[n++] = (struct hit){ ref, weight };
	return n;
}

static size_t
look_up_words(struct work *w, const struct msg_strs *words,
    const struct msg_u64s *weights, uint64_t scale, struct hit *hits, size_t n,
    size_t most)
{
	struct msg_chain_refs refs;
	struct key k;
	size_t i, at;

	for (i = 0; i < words->count && i < WORK_LOOKUP_WORDS; i++) {
		k = word_key(&w->stream_key, words->at[i]);
		if (!get(w, TABLE_chain_words, &k, MSG_chain_refs, &refs))
			continue;
		for (at = 0; at < refs.chains.count; at++)
			n = add_hit(hits, n, most, refs.chains.at[at],
			    i < weights->count ? weights->at[i] * scale : 1);
	}
	return n;
}

size_t
work_look_up(struct work *w, const struct topic *claim, uint64_t *refs,
    size_t most)
{
	enum { HITS = 2 * WORK_LOOKUP_WORDS * WORK_POSTINGS };
	struct hit hits[HITS], best;
	size_t i, n, at, found = 0;

	/* Entities' weights are of another scale; a name says as much as a word. */
	n = look_up_words(w, &claim->entities, &claim->entity_weights, 8, hits,
	    0, HITS);
	n = look_up_words(w, &claim->keywords, &claim->weights, 1, hits, n,
	    HITS);
	for (; found < most && n > 0; found++) {
		for (i = 1, at = 0; i < n; i++)
			if (hits[i].weight > hits[at].weight ||
			    (hits[i].weight == hits[at].weight &&
				hits[i].ref > hits[at].ref))
				at = i;
		best = hits[at];
		hits[at] = hits[--n];
		refs[found] = best.ref;
	}
	return found;
}

static void
index_words(struct work *w, const struct msg_chain *c,
    const struct msg_strs *words, size_t most)
{
	struct key stream = chain_stream_key(c), k;
	struct msg_chain_refs refs;
	size_t i;

	for (i = 0; i < words->count && i < most; i++) {
		k = word_key(&stream, words->at[i]);
		refs = (struct msg_chain_refs){ 0 };
		(void)get(w, TABLE_chain_words, &k, MSG_chain_refs, &refs);
		(void)refs_to_front(&refs.chains, w->arena, c->ref,
		    WORK_POSTINGS);
		memo_put(w->st, TABLE_chain_words, key_slice(&k),
		    MSG_chain_refs, &refs);
	}
}

/* ---- what time brings ---- */

/*
 * When a stream's first check is due, once it was looked up, is known until
 * the batch ends: only note_due brings it nearer.
 */
static void
know_due(struct work *w, bool there, const struct db_entry *first)
{
	const struct key *prefix = &w->stream_key;
	struct row *row = w->stream_row;

	row->due_first = INT64_MAX;
	row->due_known = true;
	if (!there || first->key.len < prefix->len ||
	    memcmp(first->key.ptr, prefix->bytes, prefix->len) != 0)
		return;
	if (first->key.len == prefix->len + 16)
		row->due_first = due_of(first->key, prefix->len);
	else
		row->due_known = false;
}

static void
note_due(struct work *w, struct slice key)
{
	struct slice stream = slice_of(key.ptr, key.len - 16);
	struct row *row = memo_find(w->st, TABLE_chain_streams, stream);
	int64_t due = due_of(key, stream.len);

	if (due < row->due_first)
		row->due_first = due;
}

static size_t
look_for_due(struct work *w, bool domain, struct work_due *out, size_t most)
{
	struct key prefix = domain ? domain_key(w->envelope->domain) :
				     w->stream_key;
	int64_t now = domain ? w->envelope->ts : w->stream.clock;
	struct key end = due_key(prefix, now, UINT64_MAX);
	struct db_cursor *c;
	struct db_entry e;
	struct msg_error why;
	size_t n = 0, seen = 0;
	bool there;

	c = db_cursor(stage_tables(w->st),
	    domain ? TABLE_chain_live_due : TABLE_chain_due);
	for (there = db_seek(c, key_slice(&prefix), &e);
	     there && n < most && slice_cmp(e.key, key_slice(&end)) <= 0;
	     there = db_next(c, &e), seen++) {
		if (e.key.len != prefix.len + 16 || msg_decode_as(
			arena_dup(w->arena, e.value), w->arena, MSG_chain_due,
			&out[n].what, &why) == -1)
			continue;
		out[n].due = due_of(e.key, prefix.len);
		n++;
	}
	if (!domain && seen == 0)
		know_due(w, there, &e);
	db_cursor_close(&c);
	return n;
}

/* Most entries find nothing due. */
size_t
work_due(struct work *w, bool domain, struct work_due *out, size_t most)
{
	if (!domain && w->stream_row->due_known &&
	    w->stream.clock < w->stream_row->due_first)
		return 0;
	return look_for_due(w, domain, out, most);
}

void
work_check(struct work *w, const struct msg_h_check *check, size_t index)
{
	struct msg_chain *c;
	uint64_t ref;

	if (chain_parse(check->chain, &ref) == -1)
		return;
	c = work_chain(w, ref);
	if (c == NULL)
		return;
	unschedule(w, chain_stream_key(c), c->domain, check->due, ref);
	if (slice_is(check->result, "dormant")) {
		c->state = chain_state_name(CHAIN_dormant);
		put_history(w, c, HISTORY_CHECK | index);
		holder(c)->index = true;
	} else if (check->next != 0)
		schedule_chain(w, c, check->next);
}

/* ---- sessions ---- */

static struct work_session *
add_session(struct work *w)
{
	struct work_session *s = arena_alloc(w->arena, sizeof(*s));

	w->sessions = grow(w->arena, w->sessions, w->n_sessions,
	    &w->cap_sessions, sizeof(w->sessions[0]));
	w->sessions[w->n_sessions++] = s;
	return s;
}

static struct key
own_session_key(const struct msg_session *s)
{
	return session_key(s->domain, s->id, s->user, s->room);
}

struct msg_session *
work_session_at(struct work *w, struct slice key)
{
	struct msg_session s;
	struct key k;
	size_t i;

	for (i = 0; i < w->n_sessions; i++) {
		k = own_session_key(&w->sessions[i]->s);
		if (slice_eq(key_slice(&k), key))
			return &w->sessions[i]->s;
	}
	key_init(&k);
	key_add_bytes(&k, key);
	if (!get(w, TABLE_sessions, &k, MSG_session, &s))
		return NULL;
	add_session(w)->s = s;
	return &w->sessions[w->n_sessions - 1]->s;
}

struct msg_session *
work_session(struct work *w, struct slice id, struct slice user,
    struct slice room)
{
	struct key k = session_key(w->envelope->domain, id, user, room);

	return work_session_at(w, key_slice(&k));
}

size_t
work_sessions_named(struct work *w, struct slice id, struct msg_session **out,
    size_t most)
{
	struct key prefix = key_hashed(w->envelope->domain, id);
	struct db_cursor *c;
	struct db_entry e;
	size_t n = 0;
	bool there;

	memo_flush(w->st);
	c = db_cursor(stage_tables(w->st), TABLE_sessions);
	for (there = db_seek(c, key_slice(&prefix), &e);
	     there && n < most && e.key.len >= prefix.len &&
	     memcmp(e.key.ptr, prefix.bytes, prefix.len) == 0;
	     there = db_next(c, &e)) {
		out[n] = work_session_at(w, e.key);
		if (out[n] != NULL)
			n++;
	}
	db_cursor_close(&c);
	return n;
}

static uint64_t
session_due_id(const struct msg_session *s)
{
	struct key k = own_session_key(s);

	return XXH3_64bits(k.bytes, k.len) | DUE_SESSION;
}

static void
schedule_session(struct work *w, const struct msg_session *s, int64_t due)
{
	struct key k = own_session_key(s);

	schedule(w, key_stream(s->domain, s->user, s->room), s->domain, due,
	    session_due_id(s), s->live, &(struct msg_chain_due){
		.session = arena_dup(w->arena, key_slice(&k)) });
}

static void
end_session(struct work *w, struct msg_session *s,
    const struct msg_h_session *event)
{
	struct msg_chain *c;
	size_t i;

	s->ended = event->ended;
	s->why = event->why;
	s->summary = event->summary;
	s->open = event->open;
	if (slice_eq(w->stream.session, s->id))
		w->stream.session = SLICE_NONE;
	w->stream.has = 0;
	if (event->checks_at == 0)
		return;
	for (i = 0; i < s->touched.count; i++) {
		c = work_chain(w, s->touched.at[i]);
		if (c != NULL && chain_state(c) == CHAIN_active)
			schedule_chain(w, c, event->checks_at);
	}
}

struct msg_session *
work_session_event(struct work *w, const struct msg_h_session *event)
{
	struct msg_session *s = work_session(w, event->session, event->user,
	    event->room);

	if (s == NULL && slice_is(event->event, "begun")) {
		s = &add_session(w)->s;
		*s = (struct msg_session){
			.domain = w->envelope->domain,
			.id = event->session,
			.user = event->user,
			.room = event->room,
			.started = w->envelope->ts,
			.last = w->envelope->ts,
		};
		if (w->envelope->session.len == 0)
			w->stream.session = s->id;
	}
	if (s == NULL)
		return NULL;
	s->has = 0;
	((struct work_session *)s)->dirty = true;
	if (event->due != 0)
		unschedule(w, key_stream(s->domain, s->user, s->room),
		    s->domain, event->due, session_due_id(s));
	if (slice_is(event->event, "ended")) {
		end_session(w, s, event);
		return s;
	}
	if (slice_is(event->event, "resumed"))
		s->ended = 0;
	if (!slice_is(event->event, "touched"))
		s->live = w->envelope->live;
	if (event->next != 0)
		schedule_session(w, s, event->next);
	return s;
}

void
work_session_touch(struct work *w, struct msg_session *s, uint64_t turns,
    uint64_t thread)
{
	s->has = 0;
	if (w->envelope->ts > s->last)
		s->last = w->envelope->ts;
	if (w->envelope->ts < s->started)
		s->started = w->envelope->ts;
	s->turns += turns;
	if (thread != 0)
		(void)refs_to_front(&s->threads, w->arena, thread,
		    WORK_SESSION_LIST);
	s->timeout_ms = w->e->sections[STAGE_ingest].as->s_ingest.timeout_ms;
	if (w->envelope->live && !s->live) {
		s->live = true;
		schedule_session(w, s, s->last + (int64_t)s->timeout_ms);
	}
	((struct work_session *)s)->dirty = true;
}

void
work_session_chain(struct work *w, struct msg_session *s, uint64_t ref,
    bool concluded)
{
	size_t i;

	for (i = 0; i < s->touched.count && s->touched.at[i] != ref; i++)
		;
	if (i == s->touched.count)
		s->n_touched++;
	(void)refs_to_front(&s->touched, w->arena, ref, WORK_SESSION_LIST);
	if (concluded)
		(void)refs_to_front(&s->concluded, w->arena, ref,
		    WORK_SESSION_LIST);
}

/* ---- writing ---- */

static void
write_puts(struct work *w)
{
	struct db_txn *txn = stage_tables(w->st);
	const struct work_put *p;
	size_t i;

	for (i = 0; i < w->n_puts; i++) {
		p = &w->puts[i];
		if (p->msg == NULL) {
			db_delete(txn, p->table, p->key);
			continue;
		}
		if (p->table == TABLE_chain_said) {
			memo_put(w->st, p->table, p->key, p->id, p->msg);
			continue;
		}
		db_put_msg(txn, p->table, p->key, p->id, p->msg);
		if (p->table == TABLE_chain_due)
			note_due(w, p->key);
	}
}

static void
write_chain(struct work *w, struct work_chain *c)
{
	struct key k = key_u64(c->c.ref);

	settle(w, c);
	c->c.has = 0;
	if (c->dirty)
		memo_put(w->st, TABLE_chains, key_slice(&k), MSG_chain, &c->c);
	if (!c->index)
		return;
	index_words(w, &c->c, &c->c.keywords, WORK_INDEX_WORDS);
	index_words(w, &c->c, &c->c.entities, CHAIN_ENTITIES);
}

void
work_write(struct work *w)
{
	struct key k;
	size_t i;

	write_puts(w);
	for (i = 0; i < w->n_chains; i++)
		write_chain(w, w->chains[i]);
	for (i = 0; i < w->n_sessions; i++) {
		if (!w->sessions[i]->dirty)
			continue;
		k = own_session_key(&w->sessions[i]->s);
		memo_put(w->st, TABLE_sessions, key_slice(&k), MSG_session,
		    &w->sessions[i]->s);
	}
	/* A tick for a whole domain is no stream's own. */
	if (w->e->entry.id != MSG_tick || w->envelope->user.len > 0 ||
	    w->envelope->room.len > 0)
		memo_put(w->st, TABLE_chain_streams, key_slice(&w->stream_key),
		    MSG_chain_stream, &w->stream);
	if (w->talk_dirty)
		memo_put(w->st, TABLE_chain_talks, key_slice(&w->talk_key),
		    MSG_chain_talk, &w->talk);
}
