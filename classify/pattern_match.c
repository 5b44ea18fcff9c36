/*
 * pattern_match - a text read as the words of patterns, and the patterns in it
 */
#include "classify/pattern_impl.h"
#include "classify/scan.h"

/* Words outside the list: the longest prefix that fits speaks for them. */
static uint32_t
word_by_prefix(const struct patterns *p, const struct scan *s)
{
	uint32_t at = UINT32_MAX;

	if (s->len == 0 || !p->prefix_first[(unsigned char)s->word[0]])
		return at;
	for (size_t len = s->len; len > 0 && at == UINT32_MAX; len--) {
		struct slice head = slice_of(s->word, len);

		at = pattern_word_find(p, W_prefix, head, scan_hash(head));
	}
	return at;
}

static uint32_t
word_known(const struct patterns *p, const struct scan *s,
    struct pattern_hits *out)
{
	uint32_t at = pattern_word_find(p, W_word, slice_of(s->word, s->len), s->hash);
	const struct word *w;

	if (s->kind == SCAN_word)
		out->words++;
	out->strange += !s->ascii;
	if (at != UINT32_MAX)
		out->leaning += p->words[at].leaning;
	if (at == UINT32_MAX || p->words[at].only_leans)
		at = word_by_prefix(p, s);
	if (at == UINT32_MAX) {
		out->unknown += s->kind == SCAN_word;
		return s->kind == SCAN_number ? AT_number : AT_other;
	}
	w = &p->words[at];
	if (!w->neither && w->english != w->foreign) {
		out->english += w->english;
		out->foreign += w->foreign;
	}
	return at;
}

/* The words of a text, with what is known of them, into p->said; how many. */
static size_t
read_words(struct patterns *p, struct slice text, struct pattern_hits *out)
{
	static const uint32_t sign[] = {
		[SCAN_question] = AT_question, [SCAN_bang] = AT_bang,
		[SCAN_stop] = AT_stop, [SCAN_comma] = AT_comma,
		[SCAN_end] = AT_end,
	};
	size_t count = 0;
	struct scan s;

	scan_init(&s, text);
	do {
		p->said = pattern_grow(p->said, count, &p->said_room,
		    sizeof(*p->said));
		p->said[count++] = scan_next(&s) <= SCAN_number ?
		    word_known(p, &s, out) : sign[s.kind];
	} while (s.kind != SCAN_end);
	return count;
}

/* Whatever was under way is over. */
static void
walks_begin(struct patterns *p)
{
	for (size_t i = 0; i < p->id_words; i++) {
		for (uint64_t on = p->active[i]; on != 0; on &= on - 1)
			p->walks[i * 64 + (size_t)__builtin_ctzll(on)].place =
			    PLACE_IDLE;
		p->active[i] = 0;
	}
}

/*
 * Groups that go on by one word; those still under way.  Bits are kept instead
 * of asked about: no processor could guess the answer.
 */
static inline uint64_t
walks_step(struct patterns *p, size_t at, uint64_t which, uint32_t word,
    bool first)
{
	const uint16_t *symbols = p->symbols + word * p->group_count + at * 64;
	struct walk *walks = p->walks + at * 64;
	uint64_t on = 0, bit;

	for (; which != 0; which ^= bit) {
		unsigned g = (unsigned)__builtin_ctzll(which);
		unsigned to = automaton_step(&walks[g].automaton,
		    first ? PLACE_START : walks[g].place, symbols[g]);

		bit = which & -which;
		walks[g].place = (uint16_t)to;
		on |= to & PLACE_RESTS ? 0 : bit;
		if (to & PLACE_FOUND)
			p->found[at] |= bit;
	}
	return on;
}

static void
word_first(struct patterns *p, const uint64_t *wanted, uint32_t word)
{
	const uint64_t *begins = p->begins + word * p->id_words;

	for (size_t i = 0; i < p->id_words; i++)
		p->active[i] = walks_step(p, i, begins[i] & wanted[i], word,
		    true);
}

static void
word_next(struct patterns *p, const uint64_t *wanted, uint32_t word)
{
	const uint64_t *wakes = p->wakes + word * p->id_words;

	for (size_t i = 0; i < p->id_words; i++)
		p->active[i] = walks_step(p, i, p->active[i] |
		    (wakes[i] & wanted[i]), word, false);
}

size_t
patterns_id_words(const struct patterns *p)
{
	return p->id_words;
}

struct pattern_text
patterns_read(struct patterns *p, struct slice text, struct pattern_hits *out)
{
	struct pattern_text read;

	*out = (struct pattern_hits){ .ids = p->hits };
	read.count = read_words(p, text, out);
	read.words = p->said;
	return read;
}

struct pattern_text
patterns_keep(struct pattern_text text, struct arena *arena)
{
	uint32_t *words = arena_room(arena, text.count * sizeof(*words));

	memcpy(words, text.words, text.count * sizeof(*words));
	return (struct pattern_text){ words, text.count };
}

const uint64_t *
patterns_find(struct patterns *p, struct pattern_text text,
    const uint64_t *wanted)
{
	const uint32_t *word = text.words, *end = text.words + text.count;

	memset(p->found, 0, p->id_words * sizeof(*p->found));
	walks_begin(p);
	/* "anna: it works" begins behind the name. */
	if (text.count > 1 && word[0] == AT_other && word[1] == AT_comma) {
		word_first(p, wanted, word[0]);
		walks_begin(p);
		word += 2;
	}
	while (word < end && *word == AT_comma)
		word++;
	if (word < end)
		word_first(p, wanted, *word++);
	while (word < end)
		word_next(p, wanted, *word++);
	return p->found;
}

void
patterns_match(struct patterns *p, struct slice text, struct pattern_hits *out)
{
	struct pattern_text said = patterns_read(p, text, out);
	const uint64_t *found = patterns_find(p, said, p->all);

	for (size_t i = 0; i < p->id_words; i++)
		for (uint64_t on = found[i]; on != 0; on &= on - 1)
			p->hits[out->count++] = (unsigned)(i * 64) +
			    (unsigned)__builtin_ctzll(on);
}
