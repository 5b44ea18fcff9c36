/*
 * continuation - a conversation that goes on from a summary of itself
 */
#include "linker/continuation.h"

#include "common/when.h"
#include "linker/sketch.h"

enum {
	CANDIDATES = 64,	/* replies compared with one continuation */
	ROWS = 16,		/* taken under one shingle, the newest */
	LEAST_SHARE = 200,	/* thousandths of the core are the reply's */
	LEAST_SHINGLES = 3,	/* fewer say nothing and are not kept */
};

#define STRETCH_MS (2 * WHEN_HOUR_MS)

/* ---- reading ---- */

/* The first user message, where the entry has it. */
static struct slice
first_text(const struct exchange *ex)
{
	const struct msg_exchange *x =
	    &exchange_link(ex)->e->entry.as->exchange;
	size_t i;

	if (x->known > 0)
		return SLICE_NONE;
	for (i = 0; i < x->n_added; i++)
		if (slice_is(x->added[i].role, "user"))
			return x->added[i].text;
	return SLICE_NONE;
}

void
continuation_read(struct exchange *ex)
{
	const struct conf *conf = exchange_link(ex)->conf;
	struct msg_l_call *place = call_place(exchange_self(ex));
	struct slice text = first_text(ex), rest;
	size_t at, len;

	if (!exchange_has_mark(text, conf->continuation_marks, &at, &len))
		return;
	place->core = at + len + 1;
	place->core_end = text.len;
	rest = slice_of(text.ptr + at + len, text.len - at - len);
	if (exchange_has_mark(rest, conf->continuation_ends, &at, &len))
		place->core_end = place->core - 1 + at;
}

/* What is inside <summary>, else the whole: the analysis may be dropped. */
static struct slice
reply_core(struct slice text)
{
	static const char open[] = "<summary>", shut[] = "</summary>";
	const char *from, *to, *end = text.ptr + text.len;

	from = text.len == 0 ? NULL :
	    memmem(text.ptr, text.len, open, sizeof(open) - 1);
	if (from == NULL)
		return text;
	from += sizeof(open) - 1;
	to = memmem(from, (size_t)(end - from), shut, sizeof(shut) - 1);
	return slice_of(from, (size_t)((to != NULL ? to : end) - from));
}

static void
own_sketches(struct exchange *ex, struct msg_call_sketch *reply,
    struct msg_call_sketch *core)
{
	struct link *l = exchange_link(ex);
	const struct msg_exchange *x = &l->e->entry.as->exchange;
	const struct msg_l_call *place = call_place(exchange_self(ex));
	struct slice text = first_text(ex);

	*reply = *core = (struct msg_call_sketch){ 0 };
	if (exchange_path(ex)->replied)
		sketch_make(l->arena, reply_core(x->added[x->n_added - 1].text),
		    SKETCH_REPLY, reply);
	if (place->core > 0 && place->core_end >= place->core - 1 &&
	    place->core_end <= text.len)
		sketch_make(l->arena, slice_of(text.ptr + place->core - 1,
		    place->core_end - (place->core - 1)), SKETCH_CORE, core);
}

static struct key
sketch_key(uint64_t seq, bool core)
{
	return key_u64(seq << 1 | (core ? 1 : 0));
}

/* A call's sketch, from the tables or, of the entry in hand, from its text. */
static bool
get_sketch(struct exchange *ex, const struct msg_call *c, bool core,
    struct msg_call_sketch *out)
{
	struct key k = sketch_key(c->seq, core);
	struct msg_call_sketch reply, own;

	if (c->seq != exchange_self(ex)->seq)
		return link_get(exchange_link(ex), TABLE_call_sketches, &k,
		    MSG_call_sketch, out);
	own_sketches(ex, &reply, &own);
	*out = core ? own : reply;
	return out->count >= LEAST_SHINGLES;
}

/* ---- comparing ---- */

static int64_t
window_ms(struct exchange *ex)
{
	return exchange_link(ex)->conf->compact_window * WHEN_HOUR_MS;
}

static struct match
compare(struct exchange *ex, struct msg_call *c, struct msg_call *by,
    const struct msg_call_sketch *core)
{
	const struct conf *conf = exchange_link(ex)->conf;
	uint64_t least = (uint64_t)conf->compact_words - SKETCH_WORDS + 1;
	struct match m = { .strategy = c->depth == 1 ? STRATEGY_compact :
						       STRATEGY_first_user };
	struct msg_call_sketch reply;
	uint64_t share;

	if (by == NULL || !match_is_on(ex, m.strategy) ||
	    !call_is_before(by, c) || !call_may_join(by, c) ||
	    c->ts - by->ts > window_ms(ex) ||
	    !get_sketch(ex, by, false, &reply) || reply.count < least ||
	    core->count < least)
		return m;
	m.score = sketch_likeness(&reply, core, &m.weight, &share);
	if (m.score >= (uint64_t)conf->compact_likeness && share >= LEAST_SHARE)
		m.call = by;
	return m;
}

struct match
continuation_worth(struct exchange *ex, struct msg_call *c, struct msg_call *by)
{
	struct msg_call_sketch core;

	if (!get_sketch(ex, c, true, &core))
		return (struct match){ .strategy = STRATEGY_new };
	return compare(ex, c, by, &core);
}

/* ---- the index ---- */

static int64_t
stretch_of(int64_t ts)
{
	int64_t n = ts / STRETCH_MS;

	return ts % STRETCH_MS < 0 ? n - 1 : n;
}

static enum table_id
word_table(bool core)
{
	return core ? TABLE_call_cores : TABLE_call_words;
}

/*
 * There is a reply with every call and a continuation now and then.  Replies
 * stand by stretches of time, so that a call's puts are near each other
 * whatever the size of the table; who looks for one asks each stretch.  Every
 * reply looks for continuations: in a table of their own, so that the words of
 * replies can wait for the end of the batch.
 */
static struct key
word_key(struct slice domain, uint64_t shingle, bool core, int64_t ts,
    uint64_t seq)
{
	struct key k = key_domain(domain);

	if (!core)
		key_add_i64(&k, stretch_of(ts));
	key_add_u64(&k, shingle);
	key_add_i64(&k, ts);
	key_add_u64(&k, seq);
	return k;
}

struct found {
	uint64_t seq[CANDIDATES];
	size_t n;
};

static void
add_found(struct found *f, uint64_t seq)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->seq[i] == seq)
			return;
	if (f->n < CANDIDATES)
		f->seq[f->n++] = seq;
}

/*
 * Calls under a shingle between two times, the newest first; for replies both
 * lie in one stretch.
 */
static void
look_up(struct exchange *ex, uint64_t shingle, bool core, int64_t from,
    int64_t to, struct found *f)
{
	struct link *l = exchange_link(ex);
	struct slice domain = exchange_self(ex)->domain;
	struct key low = word_key(domain, shingle, core, from, 0);
	struct key high = word_key(domain, shingle, core, to, UINT64_MAX);
	struct db_cursor *cursor = db_cursor(stage_tables(l->st),
	    word_table(core));
	struct db_entry e;
	bool more = db_seek_back(cursor, key_slice(&high), &e);
	size_t n;

	for (n = 0; more && n < ROWS && e.key.len == low.len &&
	     slice_cmp(e.key, key_slice(&low)) >= 0; n++) {
		add_found(f, key_read_u64(e.key, low.len - 8));
		more = db_prev(cursor, &e);
	}
	db_cursor_close(&cursor);
}

/* The end of the latest stretch with any reply that begins at or before. */
static bool
find_stretch(struct exchange *ex, int64_t *to)
{
	struct key k = word_key(exchange_self(ex)->domain, UINT64_MAX, false,
	    *to, UINT64_MAX);
	struct db_cursor *cursor = db_cursor(
	    stage_tables(exchange_link(ex)->st), TABLE_call_words);
	size_t stretch = k.len - 32;
	struct db_entry e;
	int64_t found;
	bool there;

	there = db_seek_back(cursor, key_slice(&k), &e) &&
	    e.key.len == k.len && memcmp(e.key.ptr, k.bytes, stretch) == 0;
	if (there) {
		found = key_read_i64(e.key, stretch);
		if (found < stretch_of(*to))
			*to = (found + 1) * STRETCH_MS - 1;
	}
	db_cursor_close(&cursor);
	return there;
}

/* Stretch by stretch, back to the window's end. */
static void
look_back(struct exchange *ex, const struct msg_call *c,
    const struct msg_call_sketch *core, struct found *f)
{
	int64_t first = c->ts - window_ms(ex), from, to = c->ts;
	size_t i;

	while (f->n < CANDIDATES && find_stretch(ex, &to) && to >= first) {
		from = stretch_of(to) * STRETCH_MS;
		if (from < first)
			from = first;
		for (i = 0; i < sketch_size(core) && i < SKETCH_CORE_KEYS; i++)
			look_up(ex, sketch_at(core, i), false, from, to, f);
		to = from - 1;
	}
}

void
continuation_match(struct exchange *ex, struct msg_call *c, struct match *best)
{
	struct msg_call_sketch core;
	struct found f = { .n = 0 };
	struct match m;
	size_t i;

	if (call_place(c)->core == 0 || !get_sketch(ex, c, true, &core))
		return;
	look_back(ex, c, &core, &f);
	for (i = 0; i < f.n; i++) {
		m = compare(ex, c, exchange_call(ex, f.seq[i]), &core);
		if (m.call != NULL && match_better(c, &m, best))
			*best = m;
	}
}

/* Whether the domain has had any continuation at all. */
static bool
any_waits(struct exchange *ex)
{
	struct key k = word_key(exchange_self(ex)->domain, 0, true, 0, 0);
	struct db_cursor *cursor = db_cursor(
	    stage_tables(exchange_link(ex)->st), TABLE_call_cores);
	struct db_entry e;
	bool there;

	there = db_seek(cursor, key_slice(&k), &e) && e.key.len == k.len &&
	    memcmp(e.key.ptr, k.bytes, k.len - 24) == 0;
	db_cursor_close(&cursor);
	return there;
}

void
continuation_later(struct exchange *ex,
    void (*offer)(struct exchange *ex, struct msg_call *c,
	const struct match *m))
{
	struct msg_call *self = exchange_self(ex), *c;
	struct msg_call_sketch reply;
	struct found f = { .n = 0 };
	struct match m;
	size_t i;

	if (!any_waits(ex) || !get_sketch(ex, self, false, &reply))
		return;
	for (i = 0; i < sketch_size(&reply) && i < SKETCH_REPLY_KEYS; i++)
		look_up(ex, sketch_at(&reply, i), true, self->ts,
		    self->ts + window_ms(ex), &f);
	for (i = 0; i < f.n; i++) {
		c = exchange_call(ex, f.seq[i]);
		if (c == NULL)
			continue;
		m = continuation_worth(ex, c, self);
		if (m.call != NULL)
			offer(ex, c, &m);
	}
}

static void
keep(struct exchange *ex, const struct msg_call_sketch *s, bool core,
    size_t keys)
{
	struct link *l = exchange_link(ex);
	const struct msg_call *c = exchange_self(ex);
	struct msg_call_ref ref = { .seq = c->seq };
	struct key k = sketch_key(c->seq, core);
	size_t i;

	if (s->count < LEAST_SHINGLES)
		return;
	link_put_later(l, TABLE_call_sketches, &k, MSG_call_sketch, s);
	for (i = 0; i < sketch_size(s) && i < keys; i++) {
		k = word_key(c->domain, sketch_at(s, i), core, c->ts, c->seq);
		link_put_later(l, word_table(core), &k, MSG_call_ref, &ref);
	}
}

void
continuation_index(struct exchange *ex)
{
	struct msg_call_sketch reply, core;

	own_sketches(ex, &reply, &core);
	keep(ex, &reply, false, SKETCH_REPLY_KEYS);
	keep(ex, &core, true, SKETCH_CORE_KEYS);
}
