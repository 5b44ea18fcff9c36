/*
 * effort_state - what is at hand in a thread: its efforts, its last turns
 */
#include "compactor/effort_state.h"

#include <strings.h>

#include "common/text.h"
#include "compactor/effort_words.h"
#include "compactor/summary.h"

/* ---- reading and writing ---- */

static bool
read_thread(struct effort_state *s, uint64_t thread)
{
	struct key k = key_u64(thread);

	return thread != 0 && compact_share(s->c, TABLE_effort_threads, &k,
	    MSG_a_thread, &s->thread);
}

/*
 * A fork shares what was open; its turns are counted anew, so that nothing of
 * the parent's numbers may be left.
 */
static void
inherit(struct effort_state *s)
{
	struct msg_a_work *w;
	size_t i;

	s->thread.turns = 0;
	s->thread.n_asked = 0;
	s->thread.n_loose = 0;
	s->thread.n_last = s->thread.n_last > 0 ? 1 : 0;
	for (i = 0; i < s->thread.n_works; i++) {
		w = &s->thread.works[i];
		w->last = w->trying_turn = w->report_turn = 0;
		w->tokens = w->from = 0;
		w->recent.count = 0;
		w->n_lines = 0;
	}
}

void
effort_state_read_thread(struct effort_state *s, struct compact *c,
    uint64_t thread)
{
	size_t i;

	*s = (struct effort_state){ .c = c };
	if (!read_thread(s, thread))
		s->thread = (struct msg_a_thread){ 0 };
	s->thread.has = 0;
	for (i = 0; i < s->thread.n_works; i++)
		s->thread.works[i].has = 0;
	for (i = 0; i < s->thread.n_loose; i++)
		s->thread.loose[i].has = 0;
}

void
effort_state_read(struct effort_state *s, struct compact *c)
{
	const struct msg *placed = &c->e->sections[STAGE_ingest];
	uint64_t parent = placed->id == MSG_s_ingest ?
	    placed->as->s_ingest.parent_thread : 0;

	effort_state_read_thread(s, c, c->thread);
	if (s->thread.turns > 0 || parent == 0)
		return;
	effort_state_read_thread(s, c, parent);
	inherit(s);
}

const struct msg_a_stream *
effort_stream(struct effort_state *s)
{
	if (!s->has_stream && !compact_share(s->c, TABLE_effort_streams,
		&s->c->stream, MSG_a_stream, &s->stream))
		s->stream = (struct msg_a_stream){ 0 };
	s->has_stream = true;
	return &s->stream;
}

void
effort_state_write(struct effort_state *s, uint64_t thread)
{
	struct key k = key_u64(thread);

	if (thread != 0)
		compact_put(s->c, TABLE_effort_threads, &k, MSG_a_thread,
		    &s->thread);
}

/* ---- from deciding to applying ---- */

struct effort_taken {
	struct msg_a_thread thread;
	struct msg_a_turn is;
};

/* What was asked is in the section: it is settled when that is applied. */
void
effort_state_keep(const struct effort_state *s,
    const struct msg_a_thread *before, const struct msg_a_turn *is)
{
	struct compact_tools *tools = stage_state(s->c->st);
	struct effort_taken *taken;

	if (tools == NULL)
		return;
	taken = arena_alloc(s->c->arena, sizeof(*taken));
	taken->thread = s->thread;
	taken->thread.asked = before->asked;
	taken->thread.n_asked = before->n_asked;
	memcpy(&taken->is, is, sizeof(*is));
	tools->taken = taken;
}

bool
effort_state_kept(struct effort_state *s, struct compact *c)
{
	const struct compact_tools *tools = stage_state(c->st);
	const struct effort_taken *taken = tools == NULL ? NULL : tools->taken;
	const struct msg_s_compactor *section = c->section;

	if (taken == NULL || section->n_artifacts > 0 ||
	    section->n_turns != 1 || memcmp(&taken->is, &section->turns[0],
		sizeof(taken->is)) != 0)
		return false;
	*s = (struct effort_state){ .c = c, .thread = taken->thread };
	return true;
}

/* ---- efforts at hand ---- */

bool
effort_is_open(const struct msg_a_work *w)
{
	return w != NULL && slice_is(w->status, "open");
}

struct msg_a_work *
effort_work(const struct effort_state *s, struct slice key)
{
	size_t i;

	if (key.len == 0)
		return NULL;
	for (i = 0; i < s->thread.n_works; i++)
		if (slice_eq(s->thread.works[i].key, key))
			return &s->thread.works[i];
	return NULL;
}

/* Where another may go: the oldest that is over, else the oldest. */
static size_t
place_for_one(const struct effort_state *s)
{
	size_t i;

	for (i = s->thread.n_works; i > 0; i--)
		if (!effort_is_open(&s->thread.works[i - 1]))
			return i - 1;
	return s->thread.n_works - 1;
}

static struct msg_a_work *
to_front(struct effort_state *s, size_t at, struct msg_a_work w)
{
	struct msg_a_work *works = s->thread.works;

	memmove(&works[1], &works[0], at * sizeof(works[0]));
	works[0] = w;
	return &works[0];
}

static struct msg_a_work *
add_work(struct effort_state *s, const struct msg_artifact *a)
{
	struct msg_a_work *grown, w = {
		.key = a->key,
		.chain = a->chain,
		.owner = a->user,
		.status = a->status,
	};
	size_t n = s->thread.n_works;

	if (n == EFFORT_WORKS)
		return to_front(s, place_for_one(s), w);
	grown = arena_array(s->c->arena, n + 1, sizeof(grown[0]));
	if (n > 0)
		memcpy(grown, s->thread.works, n * sizeof(grown[0]));
	s->thread.works = grown;
	s->thread.n_works++;
	return to_front(s, n, w);
}

/* What tells it from others, as its stream's list knows it. */
static void
recall_words(struct effort_state *s, struct msg_a_work *w)
{
	const struct msg_a_stream *stream = effort_stream(s);
	size_t i;

	for (i = 0; i < stream->n_open; i++)
		if (slice_eq(stream->open[i].key, w->key))
			w->keywords = stream->open[i].keywords;
}

struct msg_a_work *
effort_bring(struct effort_state *s, struct slice key)
{
	struct msg_a_work *w = effort_work(s, key);
	const struct msg_artifact *a;

	if (w != NULL)
		return to_front(s, (size_t)(w - s->thread.works), *w);
	a = compact_read(s->c, key);
	if (a == NULL)
		return NULL;
	w = add_work(s, a);
	recall_words(s, w);
	return w;
}

const struct msg_a_said *
effort_answered(const struct effort_state *s, const struct compact_turn *t)
{
	const struct msg_a_said *last = s->thread.last;
	size_t i;

	if (t->flows->answers_seq != 0)
		for (i = 0; i < s->thread.n_last; i++)
			if (last[i].seq == t->flows->answers_seq &&
			    last[i].i == t->flows->answers_i)
				return &last[i];
	/* In a room the turn before is anyone's. */
	if (s->c->envelope->room.len > 0 || s->thread.n_last == 0)
		return NULL;
	return &last[0];
}

bool
effort_is_other(const struct msg_a_work *w, const struct compact_turn *t)
{
	if (!slice_is(t->role, "user"))
		return slice_is(t->role, "assistant");
	return w->owner.len > 0 && t->user.len > 0 &&
	    !slice_eq(w->owner, t->user);
}

/* ---- words ---- */

/* Is the name at the beginning of the text, and ':' or ',' behind it? */
static size_t
address_len(struct slice text, struct slice name)
{
	size_t n = name.len;

	if (n == 0 || text.len < n + 2 ||
	    strncasecmp(text.ptr, name.ptr, n) != 0 ||
	    (text.ptr[n] != ':' && text.ptr[n] != ','))
		return 0;
	for (n++; n < text.len && text.ptr[n] == ' '; n++)
		;
	return n;
}

struct slice
effort_unaddressed(const struct effort_state *s, struct slice text)
{
	size_t i, n;

	if (s->c->envelope->room.len == 0)
		return text;
	for (i = 0; i < s->thread.n_last; i++) {
		n = address_len(text, s->thread.last[i].user);
		if (n > 0)
			return summary_shorten(s->c->arena,
			    slice_of(text.ptr + n, text.len - n), CUT_filler,
			    LINE_WORDS);
	}
	return text;
}

uint64_t
effort_likeness(const struct msg_strs *keywords, const struct msg_c_turn *does)
{
	enum { NAME = 5000 };	/* a name in common, as two heavy words */
	const struct msg_c_claim *claim;
	uint64_t sum = 0, bits;
	size_t i, at;

	bits = effort_word_bits(keywords);
	for (i = 0; bits != 0 && i < does->n_claims; i++) {
		claim = &does->claims[i];
		for (at = 0; at < claim->keywords.count; at++)
			if ((bits & effort_word_bit(
				claim->keywords.at[at])) != 0 &&
			    strs_has(keywords, claim->keywords.at[at]))
				sum += at < claim->weights.count ?
				    claim->weights.at[at] : 0;
		for (at = 0; at < claim->n_entities; at++)
			if ((bits & effort_word_bit(
				claim->entities[at].normal)) != 0 &&
			    !slice_is(claim->entities[at].kind, "date") &&
			    strs_has(keywords, claim->entities[at].normal))
				sum += NAME;
	}
	return sum;
}
