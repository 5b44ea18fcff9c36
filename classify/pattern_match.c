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
	uint32_t at = pattern_word_find(p, W_word, slice_of(s->word, s->len),
	    s->hash);
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
		if (count == p->said_room)
			p->said = pattern_grow(p->said, count, &p->said_room,
			    sizeof(*p->said));
		p->said[count++] = scan_next(&s) <= SCAN_number ?
		    word_known(p, &s, out) : sign[s.kind];
	} while (s.kind != SCAN_end);
	return count;
}

/* Up to 64 groups on their way through a text; sets of them are bits. */
struct walkers {
	struct walk *walks;
	const uint16_t *symbols;	/* by word: theirs */
	size_t symbols_apart;
	uint64_t on;			/* those under way */
	uint64_t found;
};

/*
 * Groups that go on by one word.  Bits are kept instead of asked about: no
 * processor could guess the answer.
 */
static inline void
walkers_step(struct walkers *w, uint64_t which, uint32_t word, bool first)
{
	const uint16_t *symbols = w->symbols + word * w->symbols_apart;
	uint64_t bit;

	for (w->on = which; which != 0; which ^= bit) {
		size_t g = (size_t)__builtin_ctzll(which);
		struct walk *walk = &w->walks[g];
		unsigned to = automaton_step(&walk->automaton,
		    first ? PLACE_START : walk->place, symbols[g]);

		bit = which & -which;
		walk->place = (uint16_t)to;
		w->on ^= to & PLACE_RESTS ? bit : 0;
		if (__builtin_expect(to & PLACE_FOUND, 0))
			w->found |= bit;
	}
}

/* Whatever was under way is over. */
static inline void
walkers_rest(struct walkers *w)
{
	for (; w->on != 0; w->on &= w->on - 1)
		w->walks[__builtin_ctzll(w->on)].place = PLACE_IDLE;
}

/* Of the `at`-th 64 groups, those that the text has a word for. */
static uint64_t
may_have(const struct patterns *p, size_t at, struct pattern_text text)
{
	const uint64_t *needs = p->needs + at;
	uint64_t which = p->always[at];

	for (size_t i = 0; i < text.count; i++)
		which |= needs[text.words[i] * p->id_words];
	return which;
}

/* Those of them that are wanted and that the text has. */
static uint64_t
find_some(struct patterns *p, size_t at, uint64_t wanted,
    struct pattern_text text)
{
	const uint64_t *begins = p->begins + at, *wakes = p->wakes + at;
	size_t apart = p->id_words;
	const uint32_t *word = text.words, *end = text.words + text.count;
	struct walkers w = {
		.walks = p->walks + at * 64, .symbols = p->symbols + at * 64,
		.symbols_apart = p->group_count,
	};

	/* "anna: it works" begins behind the name. */
	if (text.count > 1 && word[0] == AT_other && word[1] == AT_comma) {
		walkers_step(&w, begins[word[0] * apart] & wanted, word[0],
		    true);
		walkers_rest(&w);
		word += 2;
	}
	while (word < end && *word == AT_comma)
		word++;
	if (word < end) {
		walkers_step(&w, begins[*word * apart] & wanted, *word, true);
		word++;
	}
	for (; word < end; word++)
		walkers_step(&w, w.on | (wakes[*word * apart] & wanted), *word,
		    false);
	walkers_rest(&w);
	return w.found;
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
	for (size_t i = 0; i < p->id_words; i++) {
		uint64_t which = wanted[i];

		if (which != 0)
			which &= may_have(p, i, text);
		p->found[i] = which == 0 ? 0 : find_some(p, i, which, text);
	}
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
