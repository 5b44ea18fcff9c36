/*
 * pattern_words - the words that patterns name, and sets of them
 */
#include <stdlib.h>
#include <string.h>

#include "classify/pattern_impl.h"
#include "classify/scan.h"
#include "common/xmalloc.h"

void *
pattern_grow(void *items, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return items;
	*room = *room == 0 ? 16 : *room * 2;
	return xrealloc(items, *room * size);
}

int
pattern_fail(struct buf *why, const char *what, struct slice about)
{
	/* A reason too long for its buffer is still a refusal. */
	if (buf_addf(why, "%s: '%.*s'", what, SLICE_ARG(about)) < 0)
		why->over = true;
	return -1;
}

static void
table_put(struct patterns *p, uint32_t number)
{
	size_t slot = p->words[number].hash & p->table_mask;

	while (p->table[slot].word != 0)
		slot = (slot + 1) & p->table_mask;
	p->table[slot] = (struct word_slot){ p->words[number].hash,
		number + 1 };
}

void
pattern_table_grow(struct patterns *p)
{
	size_t slots = p->table_mask == 0 ? 1024 : (p->table_mask + 1) * 2;

	free(p->table);
	p->table = xcalloc(slots, sizeof(*p->table));
	p->table_mask = slots - 1;
	for (uint32_t i = 0; i < p->word_count; i++)
		if (p->words[i].kind <= W_prefix)
			table_put(p, i);
}

uint32_t
pattern_word_find(const struct patterns *p, enum word_kind kind, struct slice text,
    uint32_t hash)
{
	size_t slot = hash & p->table_mask;

	for (; p->table[slot].word != 0; slot = (slot + 1) & p->table_mask) {
		const struct word *w = &p->words[p->table[slot].word - 1];

		if (p->table[slot].hash == hash && w->kind == kind &&
		    slice_eq(w->text, text))
			return p->table[slot].word - 1;
	}
	return UINT32_MAX;
}

uint32_t
pattern_word_add(struct patterns *p, enum word_kind kind, struct slice text)
{
	uint32_t hash = scan_hash(text), at = UINT32_MAX;

	if (kind <= W_prefix)
		at = pattern_word_find(p, kind, text, hash);
	if (at != UINT32_MAX)
		return at;
	p->words = pattern_grow(p->words, p->word_count, &p->word_room,
	    sizeof(*p->words));
	at = (uint32_t)p->word_count++;
	p->words[at] = (struct word){
		.text = arena_dup(&p->arena, text), .kind = kind,
		.hash = hash, .set = SET_NONE, .only_leans = p->leaning,
	};
	if (kind == W_prefix && text.len > 0)
		p->prefix_first[(unsigned char)text.ptr[0]] = true;
	if (kind <= W_prefix) {
		if (p->word_count * 2 > p->table_mask)
			pattern_table_grow(p);
		else
			table_put(p, at);
	}
	return at;
}

uint32_t
pattern_set_new(struct patterns *p)
{
	p->sets = pattern_grow(p->sets, p->set_count, &p->set_room, sizeof(*p->sets));
	p->sets[p->set_count] = (struct set){ 0 };
	return (uint32_t)p->set_count++;
}

void
pattern_set_add(struct patterns *p, uint32_t set, uint32_t word)
{
	struct set *s = &p->sets[set];

	s->words = pattern_grow(s->words, s->count, &s->room, sizeof(*s->words));
	s->words[s->count++] = word;
}

uint32_t
pattern_set_of_word(struct patterns *p, uint32_t word)
{
	if (p->words[word].set == SET_NONE) {
		uint32_t set = pattern_set_new(p);

		pattern_set_add(p, set, word);
		p->words[word].set = set;
	}
	return p->words[word].set;
}

/* ---- as they are written in a pattern: forms and spellings ---- */

static void
set_add_spelt(struct patterns *p, uint32_t set, struct slice text,
    enum pattern_lang lang)
{
	uint32_t at = pattern_word_add(p, W_word, text);

	if (lang == LANG_english)
		p->words[at].english = true;
	p->words[at].only_leans &= p->leaning;
	pattern_set_add(p, set, at);
}

static bool
is_apart(const struct patterns *p, struct slice word)
{
	for (size_t i = 0; i < p->apart_count; i++)
		if (slice_eq(p->apart[i], word))
			return true;
	return false;
}

static void
set_add_word(struct patterns *p, uint32_t set, struct slice text,
    enum pattern_lang lang)
{
	char bare[SCAN_WORD_MAX];
	size_t len = 0;

	set_add_spelt(p, set, text, lang);
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '\'')
			bare[len++] = text.ptr[i];
	if (len < text.len && len > 0 && !is_apart(p, text))
		set_add_spelt(p, set, slice_of(bare, len), lang);
}

static bool
is_vowel(char c)
{
	return c != '\0' && strchr("aeiou", c) != NULL;
}

static void
set_add_ending(struct patterns *p, uint32_t set, struct slice stem,
    const char *ending, enum pattern_lang lang)
{
	struct slice form = arena_printf(&p->arena, "%.*s%s", SLICE_ARG(stem),
	    ending);

	if (form.len <= SCAN_WORD_MAX)
		set_add_spelt(p, set, form, lang);
}

/* The regular forms of an English verb or noun; a form too many does no harm. */
static void
set_add_forms(struct patterns *p, uint32_t set, struct slice w,
    enum pattern_lang lang)
{
	char last = w.ptr[w.len - 1], before = w.len > 1 ? w.ptr[w.len - 2] : 0;
	char third = w.len > 2 ? w.ptr[w.len - 3] : 0;
	struct slice cut = slice_of(w.ptr, w.len - 1), twice;

	set_add_word(p, set, w, lang);
	if (last == 'y' && !is_vowel(before)) {
		set_add_ending(p, set, cut, "ies", lang);
		set_add_ending(p, set, cut, "ied", lang);
		set_add_ending(p, set, w, "ing", lang);
		return;
	}
	if (strchr("sxz", last) != NULL || (last == 'h' && strchr("cs", before)))
		set_add_ending(p, set, w, "es", lang);
	else
		set_add_ending(p, set, w, "s", lang);
	if (last == 'e') {
		set_add_ending(p, set, w, "d", lang);
		set_add_ending(p, set, cut, "ing", lang);
		return;
	}
	set_add_ending(p, set, w, "ed", lang);
	set_add_ending(p, set, w, "ing", lang);
	if (is_vowel(last) || strchr("wxy", last) != NULL || !is_vowel(before) ||
	    is_vowel(third))
		return;
	twice = arena_printf(&p->arena, "%.*s%c", SLICE_ARG(w), last);
	set_add_ending(p, set, twice, "ed", lang);
	set_add_ending(p, set, twice, "ing", lang);
}

static void
set_add_prefix(struct patterns *p, uint32_t set, struct slice text,
    enum pattern_lang lang)
{
	uint32_t at = pattern_word_add(p, W_prefix, text);

	if (lang == LANG_english)
		p->words[at].english = true;
	pattern_set_add(p, set, at);
}

/* "word", "word~" or "word*" into a set. */
int
pattern_set_write(struct patterns *p, uint32_t set, struct slice written,
    enum pattern_lang lang, struct buf *why)
{
	char mark = written.len > 0 ? written.ptr[written.len - 1] : 0;
	struct slice bare = written, word;
	struct scan s;

	if (mark == '~' || mark == '*')
		bare.len--;
	scan_init(&s, bare);
	if (scan_next(&s) > SCAN_number || s.len == 0)
		return pattern_fail(why, "not a word", written);
	word = arena_dup(&p->arena, slice_of(s.word, s.len));
	if (scan_next(&s) != SCAN_end)
		return pattern_fail(why, "not one word", written);
	if (mark == '~')
		set_add_forms(p, set, word, lang);
	else if (mark == '*')
		set_add_prefix(p, set, word, lang);
	else
		set_add_word(p, set, word, lang);
	return 0;
}
