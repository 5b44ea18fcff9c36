/*
 * reply_features - what the choice of an antecedent looks at
 *
 * The window is read twice.  Once to number its speakers and chains and to find
 * which of the new message's words stand in each message; then from the newest
 * back, with running counts, to write the features of each message that could
 * be answered: all of the most recent ones, and of the older ones those that
 * have something to do with the new message.  "A new conversation" is always a
 * candidate.  The features themselves are listed in reply.def.
 */
#include "chainer/reply.h"

#include <assert.h>

enum {
	SLOTS = 512,		/* speakers named or speaking, chains: by hash */
	RECENT = 15,		/* candidates whatever they are */
	OWN_LAST = 3,		/* of the speaker's own */
	LAST = 4,		/* of each other kind of older candidate */
	CROWD = 20,		/* messages that tell how busy the room is */
	NOBODY = -1,
};

struct speaker {
	int after;		/* messages after the one looked at */
	int called_after;	/* messages by others that name this one … */
	int answered_after;	/* … that answered this one */
	int exchanges;		/* with now's speaker, by name, both ways */
	int exchange_rank;	/* how far back the last of them is */
	int last;		/* index of the last message, or -1 */
	int first;
	int said;
};

struct chain {
	int size, after, own, last;
	uint32_t shared;	/* now's words in it */
	bool called;		/* somebody now names speaks in it */
};

/* The window as the new message sees it. */
struct scene {
	const struct reply_message *window, *now;
	int n;
	int self;		/* number of now's speaker */
	int own_last, called_last;
	int64_t gap_ms;
	int weight[REPLY_WORDS], weight_all;
	int best_overlap;
	int crowd;
	int named, busiest;	/* messages that name one; of who says most */
	uint64_t key[SLOTS];	/* speakers and chains share the table */
	int16_t number[SLOTS];
	int speaker_count, chain_count;
	int speaker_of[REPLY_WINDOW], chain_of[REPLY_WINDOW];
	uint32_t shared[REPLY_WINDOW];	/* now's words in the message, as bits */
	int overlap[REPLY_WINDOW];
	struct speaker speaker[REPLY_WINDOW + 1];
	struct chain chain[REPLY_WINDOW];
};

/* Sixteenths of the logarithm to base 2, straight between powers of two. */
static int
log_of(int64_t x)
{
	int top;

	if (x < 1)
		return 0;
	top = 63 - __builtin_clzll((unsigned long long)x);
	return top * 16 + (int)(((x << 4) >> top) & 15);
}

static int16_t
capped(int x, int most)
{
	return (int16_t)(x > most ? most : x);
}

/*
 * The number of a speaker or chain of the window, counted from 0, or NOBODY.
 * With `next` one not yet known gets that number.
 */
static int
number_of(struct scene *s, uint64_t id, bool chain, int next)
{
	uint64_t key = (id * 2 + chain) * 0x9e3779b97f4a7c15 | 1;
	unsigned i = key >> 55;

	_Static_assert(SLOTS == 512, "nine bits choose the slot");
	while (s->key[i] != 0 && s->key[i] != key)
		i = (i + 1) % SLOTS;
	if (s->key[i] == key)
		return s->number[i];
	if (next != NOBODY) {
		s->key[i] = key;
		s->number[i] = (int16_t)next;
	}
	return next;
}

static int
speaker_number(struct scene *s, uint64_t id)
{
	int number = number_of(s, id, false, s->speaker_count);

	if (number == s->speaker_count)
		s->speaker[s->speaker_count++] = (struct speaker){
			.last = -1, .exchange_rank = REPLY_FAR };
	return number;
}

static int
chain_number(struct scene *s, uint64_t id)
{
	int number = id == 0 ? s->chain_count :
	    number_of(s, id, true, s->chain_count);

	if (number == s->chain_count)
		s->chain[s->chain_count++] = (struct chain){ .last = -1 };
	return number;
}

/* Does `m` name the speaker?  0 no, 1 somewhere, 2 as the one addressed. */
static int
calls(const struct reply_message *m, uint64_t speaker)
{
	for (int i = 0; i < m->mention_count; i++)
		if (m->mentions[i] == speaker)
			return i == 0 && (m->flags & REPLY_ADDRESSED) ? 2 : 1;
	return 0;
}

static uint32_t
shared_words(const struct reply_message *m, const struct reply_message *now)
{
	uint32_t shared = 0;

	if ((m->sketch & now->sketch) == 0)
		return 0;
	for (int i = 0, k = 0; i < m->word_count && k < now->word_count; ) {
		if (m->words[i] == now->words[k])
			shared |= (uint32_t)1 << k;
		if (m->words[i] <= now->words[k])
			i++;
		else
			k++;
	}
	return shared;
}

static int
weight_of(const struct scene *s, uint32_t shared)
{
	int sum = 0;

	for (; shared != 0; shared &= shared - 1)
		sum += s->weight[__builtin_ctz(shared)];
	return sum;
}

/*
 * The room's pace: the mean of the last gaps, without the two longest, since
 * a night's pause tells nothing about it.
 */
static int64_t
gap_of(const struct scene *s)
{
	int64_t sum = 0, longest = 0, second = 0, later = s->now->ts_ms;
	int count = 0;

	for (int j = s->n - 1; j >= 0 && count < CROWD; j--, count++) {
		int64_t gap = later - s->window[j].ts_ms;

		later = s->window[j].ts_ms;
		if (gap < 0)
			gap = 0;
		sum += gap;
		if (gap > longest) {
			second = longest;
			longest = gap;
		} else if (gap > second)
			second = gap;
	}
	if (count > 4) {
		sum -= longest + second;
		count -= 2;
	}
	return count > 0 && sum / count > 0 ? sum / count : 1;
}

static int
time_in_gaps(const struct scene *s, int64_t from_ms)
{
	int64_t ms = s->now->ts_ms - from_ms;

	return ms < 0 ? 0 : log_of(1 + ms * 16 / s->gap_ms);
}

static void
weigh_words(struct scene *s)
{
	int df[REPLY_WORDS] = { 0 };

	for (int j = 0; j < s->n; j++)
		for (uint32_t w = s->shared[j]; w != 0; w &= w - 1)
			df[__builtin_ctz(w)]++;
	s->weight_all = 0;
	for (int k = 0; k < s->now->word_count; k++) {
		s->weight[k] = log_of(4 * s->n / (df[k] + 1)) - 16;
		if (s->weight[k] < 1)
			s->weight[k] = 1;
		s->weight_all += s->weight[k];
	}
	s->best_overlap = 0;
	for (int j = 0; j < s->n; j++) {
		s->overlap[j] = weight_of(s, s->shared[j]);
		if (s->overlap[j] > s->best_overlap)
			s->best_overlap = s->overlap[j];
	}
}

/* Reads message j, oldest first: who speaks, to whom, in which chain. */
static void
scene_add(struct scene *s, int j)
{
	const struct reply_message *m = &s->window[j];
	int me = speaker_number(s, m->speaker);
	struct chain *c;

	s->speaker_of[j] = me;
	if (s->speaker[me].last < 0)
		s->speaker[me].first = j;
	s->speaker[me].last = j;
	if (++s->speaker[me].said > s->busiest)
		s->busiest = s->speaker[me].said;
	s->named += m->mention_count > 0;
	s->chain_of[j] = chain_number(s, m->chain);
	c = &s->chain[s->chain_of[j]];
	s->shared[j] = shared_words(m, s->now);
	c->size++;
	c->last = j;
	c->shared |= s->shared[j];
	c->own += me == s->self;
	c->called |= calls(s->now, m->speaker) > 0;
	for (int i = 0; i < m->mention_count; i++) {
		int to = number_of(s, m->mentions[i], false, NOBODY);
		int with = me == s->self ? to : to == s->self ? me : NOBODY;

		if (to == s->self)
			s->called_last = j;
		if (with == NOBODY)
			continue;
		s->speaker[with].exchanges++;
		s->speaker[with].exchange_rank = s->n - j;
	}
}

static void
scene_set(struct scene *s, const struct reply_message *window, size_t n,
    const struct reply_message *now)
{
	uint64_t seen[REPLY_WINDOW / 64 + 1] = { 0 };

	if (n > REPLY_WINDOW) {
		window += n - REPLY_WINDOW;
		n = REPLY_WINDOW;
	}
	s->window = window;
	s->now = now;
	s->n = (int)n;
	s->speaker_count = s->chain_count = 0;
	s->named = s->busiest = 0;
	memset(s->key, 0, sizeof(s->key));
	s->called_last = -1;
	s->self = speaker_number(s, now->speaker);
	for (int j = 0; j < s->n; j++)
		scene_add(s, j);
	s->own_last = s->speaker[s->self].last;
	s->gap_ms = gap_of(s);
	weigh_words(s);
	s->crowd = 0;
	for (int j = s->n - 1; j >= 0 && j >= s->n - CROWD; j--) {
		int who = s->speaker_of[j];

		s->crowd += !(seen[who / 64] >> (who % 64) & 1);
		seen[who / 64] |= (uint64_t)1 << (who % 64);
	}
}

#define PUT(feature, value) (row[REPLY_F_##feature] = (int16_t)(value))
#define HAS(message, flag) (((message)->flags & REPLY_##flag) != 0)

static const int16_t neutral[REPLY_FEATURES] = {
#define FEATURE(name, group, value) value,
#include "chainer/reply.def"
};

static void
put_own(const struct scene *s, int16_t row[REPLY_FEATURES])
{
	const struct reply_message *last = &s->window[s->own_last];
	bool called = false;

	PUT(own_greeted, HAS(last, GREETING));
	PUT(own_thanked, HAS(last, THANKS));
	PUT(own_chain_rank, s->n - s->chain[s->chain_of[s->own_last]].last);
	for (int c = 0; c < s->chain_count; c++)
		called |= s->chain[c].called && s->chain[c].own > 0;
	PUT(own_chain_called, called);
}

/* What is the same for all candidates. */
static void
put_now(const struct scene *s, int own_count, int16_t row[REPLY_FEATURES])
{
	const struct reply_message *now = s->now;

	memcpy(row, neutral, sizeof(neutral));
	PUT(now_calls, HAS(now, ADDRESSED) ? 2 : now->mention_count > 0 ? 1 :
	    HAS(now, STRANGER) ? 3 : 0);
	PUT(now_question, HAS(now, QUESTION));
	PUT(now_thanks, HAS(now, THANKS));
	PUT(now_greeting, HAS(now, GREETING));
	PUT(now_answer, HAS(now, ANSWER));
	PUT(now_all, HAS(now, ALL));
	PUT(now_more, HAS(now, MORE));
	PUT(now_length, capped(now->length, 60));
	PUT(own_count, capped(own_count, 20));
	if (s->own_last >= 0) {
		PUT(own_rank, s->n - s->own_last);
		PUT(own_time, time_in_gaps(s, s->window[s->own_last].ts_ms));
		put_own(s, row);
	}
	if (s->n > 0)
		PUT(room_named, s->named * 64 / s->n);
	PUT(room_speakers, s->speaker_count);
	PUT(room_busiest, s->busiest);
	PUT(room_chains, s->chain_count);
	if (s->called_last >= 0)
		PUT(called_rank, s->n - s->called_last);
	PUT(called_fresh, s->called_last > s->own_last);
	PUT(crowd, s->crowd);
	PUT(best_overlap, capped(s->best_overlap, 600));
	if (s->n > 0)
		PUT(silence, time_in_gaps(s, s->window[s->n - 1].ts_ms));
}

static void
put_who(const struct scene *s, int j, int16_t row[REPLY_FEATURES])
{
	const struct reply_message *m = &s->window[j], *now = s->now;
	const struct speaker *they = &s->speaker[s->speaker_of[j]];
	int to_them = calls(now, m->speaker), to_now = calls(m, now->speaker);

	PUT(now_to_them, to_them);
	PUT(they_to_now, to_now);
	PUT(now_to_other, now->mention_count > 0 && to_them == 0);
	PUT(they_to_other, to_now > 0 ? 0 : m->mention_count > 0 ? 1 :
	    HAS(m, STRANGER) ? 2 : 0);
	PUT(same_addressee, m->mention_count > 0 && now->mention_count > 0 &&
	    m->mentions[0] == now->mentions[0]);
	PUT(called_after, capped(s->speaker[s->self].called_after, 20));
	PUT(they_called_after, capped(they->called_after, 20));
	PUT(exchanges, capped(they->exchanges, 20));
	PUT(exchange_rank, they->exchange_rank);
	if (s->own_last >= 0)
		PUT(own_last_to_them,
		    calls(&s->window[s->own_last], m->speaker));
	PUT(their_last_to_now, calls(&s->window[they->last], now->speaker));
}

static void
put_turns(const struct scene *s, int j, int16_t row[REPLY_FEATURES])
{
	const struct reply_message *m = &s->window[j];
	const struct speaker *they = &s->speaker[s->speaker_of[j]];
	int own = s->speaker[s->self].after, rank = s->n - j;
	bool same = s->speaker_of[j] == s->self;
	int64_t ms = s->now->ts_ms - m->ts_ms;

	PUT(rank, rank);
	PUT(time, time_in_gaps(s, m->ts_ms));
	PUT(seconds, ms < 0 ? 0 : log_of(1 + ms / 1000));
	PUT(same_speaker, same);
	PUT(own_after, own);
	PUT(their_after, they->after);
	PUT(others_between, rank - 1 - own - (same ? 0 : they->after));
	PUT(their_first, they->first == j);
}

static void
put_kind(const struct scene *s, int j, int16_t row[REPLY_FEATURES])
{
	const struct reply_message *m = &s->window[j];

	PUT(their_question, HAS(m, QUESTION));
	PUT(their_thanks, HAS(m, THANKS));
	PUT(their_greeting, HAS(m, GREETING));
	PUT(their_answer, HAS(m, ANSWER));
	PUT(their_all, HAS(m, ALL));
	PUT(their_more, HAS(m, MORE));
	PUT(their_length, capped(m->length, 60));
	PUT(overlap, capped(s->overlap[j], 600));
	PUT(overlap_share, s->weight_all > 0 ?
	    s->overlap[j] * 64 / s->weight_all : 0);
	PUT(overlap_best, s->overlap[j] > 0 &&
	    s->overlap[j] == s->best_overlap);
}

static void
put_chain(const struct scene *s, int j, int16_t row[REPLY_FEATURES])
{
	const struct reply_message *m = &s->window[j], *now = s->now;
	const struct speaker *they = &s->speaker[s->speaker_of[j]];
	const struct chain *c = &s->chain[s->chain_of[j]];
	bool same = m->speaker == now->speaker;

	if (s->own_last >= 0) {
		PUT(own_last_answered, !same &&
		    s->window[s->own_last].answered == m->speaker);
		PUT(chain_own_last,
		    s->chain_of[s->own_last] == s->chain_of[j]);
	}
	PUT(they_answered_now, !same && m->answered == now->speaker);
	PUT(they_answered_self, m->answered == m->speaker);
	PUT(they_answered_other, m->answered != 0 &&
	    m->answered != m->speaker && m->answered != now->speaker);
	PUT(answered_after, capped(they->answered_after, 20));
	PUT(chain_after, capped(c->after, 30));
	PUT(chain_own, capped(c->own, 20));
	PUT(chain_size, capped(c->size, 50));
	PUT(chain_rank, s->n - c->last);
	PUT(chain_overlap, capped(weight_of(s, c->shared), 600));
	PUT(chain_called, c->called);
}

/* Message j is behind us: what lies before it sees it as later. */
static void
pass_by(struct scene *s, int j)
{
	const struct reply_message *m = &s->window[j];
	int me = s->speaker_of[j], to;

	s->speaker[me].after++;
	s->chain[s->chain_of[j]].after++;
	for (int i = 0; i < m->mention_count; i++) {
		to = number_of(s, m->mentions[i], false, NOBODY);
		if (to != NOBODY)
			s->speaker[to].called_after++;
	}
	if (m->answered != 0 && m->answered != m->speaker) {
		to = number_of(s, m->answered, false, NOBODY);
		if (to != NOBODY)
			s->speaker[to].answered_after++;
	}
}

/* How many older candidates of each kind were taken. */
struct taken {
	int overlap, addressee;
};

static bool
could_be(const struct scene *s, int j, struct taken *taken)
{
	const struct reply_message *m = &s->window[j], *now = s->now;
	const struct speaker *they = &s->speaker[s->speaker_of[j]];

	if (s->n - j <= RECENT)
		return true;
	if (s->speaker_of[j] == s->self && they->after < OWN_LAST)
		return true;
	if (now->mention_count > 0 && they->after < LAST &&
	    calls(now, m->speaker))
		return true;
	if (m->mention_count > 0 && s->speaker[s->self].called_after < LAST &&
	    calls(m, now->speaker))
		return true;
	if (they->exchanges > 0 && they->after == 0)
		return true;
	if (s->overlap[j] > 0 && 2 * s->overlap[j] >= s->best_overlap &&
	    taken->overlap < LAST) {
		taken->overlap++;
		return true;
	}
	if (m->mention_count > 0 && now->mention_count > 0 &&
	    m->mentions[0] == now->mentions[0] && taken->addressee < LAST) {
		taken->addressee++;
		return true;
	}
	return false;
}

size_t
reply_features(const struct reply_message *window, size_t n,
    const struct reply_message *now,
    int16_t rows[REPLY_CANDIDATES][REPLY_FEATURES],
    int index[REPLY_CANDIDATES])
{
	int skipped = n > REPLY_WINDOW ? (int)(n - REPLY_WINDOW) : 0;
	struct taken taken = { 0, 0 };
	int own_count = 0;
	size_t count = 1;
	struct scene s;

	scene_set(&s, window, n, now);
	for (int j = 0; j < s.n; j++)
		own_count += s.speaker_of[j] == s.self;
	put_now(&s, own_count, rows[0]);
	for (int j = s.n - 1; j >= 0 && count < REPLY_CANDIDATES; j--) {
		if (could_be(&s, j, &taken)) {
			memcpy(rows[count], rows[0], sizeof(rows[0]));
			put_turns(&s, j, rows[count]);
			put_who(&s, j, rows[count]);
			put_kind(&s, j, rows[count]);
			put_chain(&s, j, rows[count]);
			index[count++] = j + skipped;
		}
		pass_by(&s, j);
	}
	rows[0][REPLY_F_is_new] = 1;
	index[0] = -1;
	return count;
}

const char *
reply_feature_name(unsigned feature)
{
	static const char *const names[REPLY_FEATURES] = {
#define FEATURE(name, group, value) #name,
#include "chainer/reply.def"
	};

	assert(feature < REPLY_FEATURES);
	return names[feature];
}
