/*
 * sentence - where the sentences of a turn begin and end
 */
#include "classify/sentence.h"

#include <assert.h>

#include "common/text.h"

struct splitter {
	struct arena *a;
	struct slice text;
	struct sentence *list;
	size_t count, cap;
};

static int
byte_at(struct slice s, size_t i)
{
	return i < s.len ? (unsigned char)s.ptr[i] : 0;
}

static bool
is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* The marker of a list item is not part of what the item says. */
static size_t
skip_marker(struct slice s, size_t at, size_t end)
{
	size_t i = at;

	if (at + 1 < end && strchr("-*+#", s.ptr[at]) != NULL) {
		while (i < end && s.ptr[i] == s.ptr[at])
			i++;
		return i < end && s.ptr[i] == ' ' ? i : at;
	}
	if (at + 3 < end && memcmp(s.ptr + at, "\xe2\x80\xa2", 3) == 0)
		return at + 3;
	while (i < end && i < at + 3 && is_digit(s.ptr[i]))
		i++;
	if (i > at && i + 1 < end && (s.ptr[i] == '.' || s.ptr[i] == ')') &&
	    s.ptr[i + 1] == ' ')
		return i + 1;
	return at;
}

static size_t
skip_space(struct slice s, size_t at, size_t end)
{
	size_t pos = at;
	int32_t cp;

	while (pos < end) {
		at = pos;
		if (!text_next(s, &pos, &cp) || text_class(cp) != TEXT_SPACE)
			return at;
	}
	return end;
}

/* Trims and keeps the sentence; past the limit it joins the last one. */
static void
add_sentence(struct splitter *p, size_t at, size_t end)
{
	struct sentence *more;
	size_t item;

	at = skip_space(p->text, at, end);
	item = skip_marker(p->text, at, end);
	if (item > at)
		at = skip_space(p->text, item, end);
	while (end > at && (unsigned char)p->text.ptr[end - 1] <= ' ')
		end--;
	if (end == at)
		return;
	if (p->count == SENTENCE_MAX) {
		p->list[p->count - 1].len = end - p->list[p->count - 1].at;
		return;
	}
	if (p->count == p->cap) {
		p->cap = p->cap == 0 ? 8 : p->cap * 2;
		more = arena_room(p->a, p->cap * sizeof(*more));
		if (p->count > 0)
			memcpy(more, p->list, p->count * sizeof(*more));
		p->list = more;
	}
	p->list[p->count++] = (struct sentence){ at, end - at };
}

/* Words that end in a dot and go on. */
static bool
is_abbreviation(struct slice word)
{
	static const char *const words[] = {
		"al", "approx", "bzgl", "ca", "cf", "dr", "est", "etc", "evtl",
		"fig", "ggf", "inc", "jr", "ltd", "max", "min", "mr", "mrs",
		"ms", "mt", "nr", "no", "prof", "sec", "sr", "st", "usw", "vgl",
		"vs", "z",
	};

	/* A lone letter: initials, "e.g", "i.e", "d.h". */
	if (word.len == 1)
		return is_letter(word.ptr[0]) && word.ptr[0] != 'I';
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (text_is_word(word, words[i]))
			return true;
	return false;
}

/* The word that ends at `end`, a dot within it being a border too. */
static struct slice
word_before(struct slice s, size_t from, size_t end)
{
	size_t at = end;

	while (at > from && end - at < 8 && is_letter(byte_at(s, at - 1)))
		at--;
	return slice_of(s.ptr + at, end - at);
}

static bool
starts_lower(struct slice s, size_t at, size_t end)
{
	size_t pos = at;
	int32_t cp;

	return pos < end && text_next(s, &pos, &cp) && cp >= 'a' && cp <= 'z';
}

/*
 * Does the dot at `dot` end a sentence?  `next` is where the text goes on
 * behind it and any closing signs.
 */
static bool
dot_ends(struct slice s, size_t from, size_t dot, size_t next, size_t end)
{
	struct slice word = word_before(s, from, dot);
	size_t after = skip_space(s, next, end);
	bool numbered;

	if (next < end && (unsigned char)s.ptr[next] > ' ')
		return false;		/* v1.2, file.txt, example.com */
	if (after == end)
		return true;
	if (word.len == 0) {
		/* "1. first": the number opens a list item, it ends nothing. */
		numbered = dot > from && is_digit(s.ptr[dot - 1]) &&
		    dot - skip_space(s, from, dot) <= 3;
		return !numbered || skip_space(s, from, dot) == dot;
	}
	if (!is_abbreviation(word))
		return true;
	/* "No." and "etc." may end one; a lower-case word says it does not. */
	if (text_is_word(word, "no") || text_is_word(word, "min") ||
	    text_is_word(word, "max") || text_is_word(word, "sec") ||
	    text_is_word(word, "est"))
		return !is_digit(byte_at(s, after));
	if (text_is_word(word, "etc") || text_is_word(word, "usw") ||
	    text_is_word(word, "inc") || text_is_word(word, "ltd"))
		return !starts_lower(s, after, end);
	return false;
}

static bool
is_closer(int32_t cp)
{
	return cp == '"' || cp == '\'' || cp == ')' || cp == ']' ||
	    cp == '}' || cp == 0x201d || cp == 0x2019 || cp == 0xbb ||
	    cp == 0x300d || cp == 0x300f || cp == 0xff09 || cp == '*' ||
	    cp == '_';
}

static bool
is_full_stop(int32_t cp)
{
	switch (cp) {
	case 0x3002:	/* 。 */
	case 0xff01:	/* ！ */
	case 0xff1f:	/* ？ */
	case 0xff61:	/* ｡ */
	case 0x0964:	/* । */
	case 0x061f:	/* ؟ */
	case 0x06d4:	/* ۔ */
	case 0x203c:
	case 0x2047:
	case 0x2048:
	case 0x2049:
		return true;
	default:
		return false;
	}
}

static bool
is_stop(int32_t cp)
{
	return cp == '.' || cp == '!' || cp == '?' || cp == 0x2026 ||
	    (cp >= 0x80 && is_full_stop(cp));
}

/* A run of stops and closing signs, read once. */
struct stop {
	size_t next;		/* behind it */
	size_t dots;		/* 3 for an ellipsis of either kind */
	bool hard;		/* ! or ? among them */
	bool wide;		/* 。 and kin, which need no space behind */
};

static struct stop
read_stop(struct slice s, size_t at, size_t end)
{
	struct stop stop = { .next = at };
	size_t pos = at;
	int32_t cp;

	while (pos < end && text_next(s, &pos, &cp)) {
		if (cp == '.')
			stop.dots++;
		else if (cp == 0x2026)
			stop.dots += 3;
		else if (cp == '!' || cp == '?')
			stop.hard = true;
		else if (cp >= 0x80 && is_full_stop(cp))
			stop.wide = true;
		else if (!is_closer(cp))
			break;
		stop.next = pos;
	}
	return stop;
}

static bool
stop_ends(struct slice s, size_t from, size_t at, const struct stop *stop,
    size_t end)
{
	bool space = stop->next >= end ||
	    (unsigned char)s.ptr[stop->next] <= ' ' ||
	    (unsigned char)s.ptr[stop->next] >= 0x80;

	if (stop->wide)
		return true;
	if (stop->hard)
		return space || (stop->dots == 0 &&
		    is_letter(byte_at(s, stop->next)) && at > from &&
		    byte_at(s, at) != '?' && is_letter(byte_at(s, at - 1)));
	if (stop->dots >= 2) {
		/* "so... what now" goes on, "so... What now" does not. */
		size_t after = skip_space(s, stop->next, end);

		return after == end || (space && !starts_lower(s, after, end));
	}
	return dot_ends(s, from, at, stop->next, end);
}

/* Pictures and :-) behind the stop belong to the sentence that it ends. */
static size_t
skip_pictures(struct slice s, size_t at, size_t end)
{
	struct text_tokens t;
	struct text_token token;

	text_tokens_init(&t, slice_of(s.ptr, end));
	t.pos = at;
	while (text_tokens_next(&t, &token) && token.kind == TEXT_EMOJI &&
	    (token.at == at || memchr(s.ptr + at, '\n', token.at - at) == NULL))
		at = token.at + token.len;
	return at;
}

/* May an emoji, or the '(' , ':' … of an emoticon, stand at `at`? */
static bool
may_be_picture(struct slice s, size_t at, size_t end)
{
	int c;

	at = skip_space(s, at, end);
	c = at < end ? byte_at(s, at) : 0;
	return c >= 0xe2 || c == ':' || c == ';' || c == '=' || c == '<';
}

/* What may end a sentence, by its first byte: most bytes do not. */
static const bool may_end[256] = { ['\n'] = true, ['.'] = true, ['!'] = true,
	['?'] = true, [0x80 ... 0xff] = true };

/*
 * Cuts the own words from `at` to `end`; the sentence that is open began at
 * `from`, perhaps before a foreign span, whose signs say nothing.  Gives the
 * start of the one that is open at the end.
 */
static size_t
split_own(struct splitter *p, size_t from, size_t at, size_t end, size_t limit)
{
	struct slice s = p->text;
	size_t pos = at, next;
	struct stop stop;
	int32_t cp;

	while (pos < end) {
		if (!may_end[(unsigned char)s.ptr[pos]]) {
			pos++;
			continue;
		}
		next = pos;
		if (byte_at(s, pos) < 0x80) {
			cp = s.ptr[pos];
			next++;
		} else if (!text_next(s, &next, &cp)) {
			break;
		}
		if (cp == '\n') {
			add_sentence(p, from, pos);
			from = next;
		} else if (is_stop(cp)) {
			stop = read_stop(s, pos, end);
			next = stop.next;
			if (stop_ends(s, from > at ? from : at, pos, &stop,
			    limit)) {
				if (may_be_picture(s, next, end))
					next = skip_pictures(s, next, end);
				add_sentence(p, from, next);
				from = next;
			}
		}
		pos = next;
	}
	return from;
}

size_t
sentences_of(struct arena *a, struct slice text, const struct sifted *sifted,
    struct sentence **out)
{
	struct splitter p = { .a = a, .text = text };
	const struct sift_span *span;
	size_t from = 0, end, limit;
	bool own = false;	/* own words since `from` */

	for (size_t i = 0; i < sifted->count; i++) {
		span = &sifted->spans[i];
		end = span->at + span->len;
		if (span->block) {
			if (own)
				add_sentence(&p, from, span->at);
			from = end;
			own = false;
		} else if (span->kind == SIFT_OWN) {
			/* Inline code behind a dot is where the text goes on. */
			limit = i + 1 < sifted->count &&
			    !sifted->spans[i + 1].block ? text.len : end;
			from = split_own(&p, from, span->at, end, limit);
			own = from < end || own;
		}
	}
	if (own)
		add_sentence(&p, from, text.len);
	*out = p.list;
	return p.count;
}
