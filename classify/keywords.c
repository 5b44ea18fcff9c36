/*
 * keywords - the words of a statement, and which of them tell its topic
 */
#include "classify/keywords.h"

#include <assert.h>
#include <errno.h>
#include <libstemmer.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/xmalloc.h"

enum {
	FILE_BYTES_MAX = 16 * 1024 * 1024,
	WEIGHT_MAX = 100000,
	SHORT_WEIGHT = 4000,	/* of an unknown word of one or two letters */
	NUMBER_WEIGHT = 5000,
	PAIR_WEIGHT = 7000,	/* of two characters of an unspaced script */
	PARTS_MAX = 16,		/* of one identifier, path or address */
	KNOWN_PAIRS = 4096,	/* a power of two */
	KNOWN_BYTES = 24,	/* longer words are not kept among them */
	CLASS_BITS = 2,		/* of a word's value; its roles are above */
};

/* Words with a number each; open addressing, never more than half full. */
struct word_table {
	struct word_slot {
		struct slice word;	/* into the file's bytes; len 0: free */
		unsigned value;
	} *slots;
	size_t count, cap;
};

/*
 * What was found out about a word the last time.  People use the same words
 * again and again, and the stemmer costs more than all the rest.
 */
struct known_word {
	unsigned char word_len, stem_len;	/* word_len 0: free */
	bool prefix;		/* the stem is the word's beginning */
	bool known;		/* the lexicon has seen the stem */
	bool contraction;
	unsigned char class;
	unsigned roles;
	unsigned weight;	/* of the stem */
	char word[KNOWN_BYTES];
	char stem[KNOWN_BYTES];	/* last: read where it is no prefix only */
};

struct lexicon {
	struct buf idf_file;
	struct buf stop_file;
	struct word_table idf;
	struct word_table words;	/* their class and roles */
	struct sb_stemmer *stemmer;
	struct known_word (*known)[2];	/* KNOWN_PAIRS, by hash */
	unsigned unknown;	/* the weight of a stem never seen */
};

static size_t
hash_word(struct slice s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ h >> 32);
}

static struct word_slot *
table_slot(const struct word_table *t, struct slice word)
{
	size_t i = hash_word(word) & (t->cap - 1);

	while (t->slots[i].word.len > 0 && !slice_eq(t->slots[i].word, word))
		i = (i + 1) & (t->cap - 1);
	return &t->slots[i];
}

static void
table_grow(struct word_table *t)
{
	struct word_table bigger = { .cap = t->cap == 0 ? 1024 : t->cap * 2 };

	bigger.slots = xcalloc(bigger.cap, sizeof(*bigger.slots));
	bigger.count = t->count;
	for (size_t i = 0; i < t->cap; i++)
		if (t->slots[i].word.len > 0)
			*table_slot(&bigger, t->slots[i].word) = t->slots[i];
	free(t->slots);
	*t = bigger;
}

/* The value of a word, 0 if it is new. */
static unsigned *
table_put(struct word_table *t, struct slice word)
{
	struct word_slot *slot;

	if (t->count * 2 >= t->cap)
		table_grow(t);
	slot = table_slot(t, word);
	if (slot->word.len == 0) {
		slot->word = word;
		t->count++;
	}
	return &slot->value;
}

static bool
table_get(const struct word_table *t, struct slice word, unsigned *value)
{
	const struct word_slot *slot;

	if (t->cap == 0 || word.len == 0)
		return false;
	slot = table_slot(t, word);
	if (slot->word.len == 0)
		return false;
	*value = slot->value;
	return true;
}

static int
read_file(const char *dir, const char *name, struct buf *out)
{
	char *path = xasprintf("%s/%s", dir, name);
	int rc;

	buf_init(out, FILE_BYTES_MAX);
	rc = buf_read_file(out, path);
	if (rc == -1 && out->over)
		log_warnx("%s: longer than %d bytes", path, FILE_BYTES_MAX);
	else if (rc == -1)
		log_warn("%s", path);
	free(path);
	return rc;
}

static bool
next_line(struct slice *rest, struct slice *line)
{
	const char *nl;

	if (rest->len == 0)
		return false;
	nl = memchr(rest->ptr, '\n', rest->len);
	line->ptr = rest->ptr;
	line->len = nl == NULL ? rest->len : (size_t)(nl - rest->ptr);
	rest->ptr += line->len + (nl != NULL);
	rest->len -= line->len + (nl != NULL);
	return true;
}

static bool
parse_weight(struct slice s, unsigned *weight)
{
	unsigned v = 0;

	if (s.len == 0 || s.len > 6)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
		v = v * 10 + (unsigned)(s.ptr[i] - '0');
	}
	*weight = v;
	return v <= WEIGHT_MAX;
}

static int
load_idf(struct lexicon *l)
{
	struct slice rest = buf_slice(&l->idf_file), line, word;
	unsigned number = 0, weight;
	const char *tab;

	while (next_line(&rest, &line)) {
		number++;
		tab = memchr(line.ptr, '\t', line.len);
		if (tab == NULL || tab == line.ptr)
			goto broken;
		word = slice_of(line.ptr, (size_t)(tab - line.ptr));
		if (!parse_weight(slice_of(tab + 1, line.len - word.len - 1),
		    &weight))
			goto broken;
		if (slice_is(word, "#unknown"))
			l->unknown = weight;
		else
			*table_put(&l->idf, word) = weight;
	}
	if (l->unknown > 0)
		return 0;
	log_warnx("idf.tsv: no line #unknown");
	return -1;
broken:
	log_warnx("idf.tsv: line %u: not a stem, a tab and a weight", number);
	return -1;
}

static bool
parse_section(struct slice line, unsigned *class)
{
	if (slice_is(line, "[stop]"))
		*class = TERM_STOP;
	else if (slice_is(line, "[light]"))
		*class = TERM_LIGHT;
	else if (slice_is(line, "[vague]"))
		*class = TERM_VAGUE;
	else
		return false;
	return true;
}

/* A word has one class, the first it was given, and any number of roles. */
static void
add_words(struct lexicon *l, struct slice words, unsigned bits)
{
	size_t i, start;
	unsigned *value;

	for (i = 0; i < words.len; i++) {
		start = i;
		while (i < words.len && words.ptr[i] != ' ')
			i++;
		if (i == start)
			continue;
		value = table_put(&l->words,
		    slice_of(words.ptr + start, i - start));
		if (bits >> CLASS_BITS != 0 ||
		    (*value & ((1 << CLASS_BITS) - 1)) == TERM_CONTENT)
			*value |= bits;
	}
}

static int
load_stopwords(struct lexicon *l)
{
	struct slice rest = buf_slice(&l->stop_file), line;
	unsigned number = 0, class = TERM_CONTENT;

	while (next_line(&rest, &line)) {
		number++;
		if (line.len == 0 || line.ptr[0] == '#')
			continue;
		if (line.ptr[0] == '[') {
			if (parse_section(line, &class))
				continue;
			log_warnx("stopwords.txt: line %u: no such section",
			    number);
			return -1;
		}
		if (class == TERM_CONTENT) {
			log_warnx("stopwords.txt: line %u: before any section",
			    number);
			return -1;
		}
		add_words(l, line, class);
	}
	return 0;
}

void
lexicon_add_role(struct lexicon *l, unsigned role, const char *words)
{
	add_words(l, slice_str(words), role << CLASS_BITS);
}

int
lexicon_open(struct lexicon **out, const char *dir)
{
	struct lexicon *l = xcalloc(1, sizeof(*l));

	l->stemmer = sb_stemmer_new("english", "UTF_8");
	if (l->stemmer == NULL)
		fatalx(EX_RETRY, "no memory for the stemmer");
	l->known = xcalloc(KNOWN_PAIRS, sizeof(*l->known));
	if (read_file(dir, "idf.tsv", &l->idf_file) < 0 || load_idf(l) < 0 ||
	    read_file(dir, "stopwords.txt", &l->stop_file) < 0 ||
	    load_stopwords(l) < 0) {
		lexicon_close(&l);
		return -1;
	}
	*out = l;
	return 0;
}

void
lexicon_close(struct lexicon **lexicon)
{
	struct lexicon *l = *lexicon;

	*lexicon = NULL;
	if (l == NULL)
		return;
	sb_stemmer_delete(l->stemmer);
	buf_release(&l->idf_file);
	buf_release(&l->stop_file);
	free(l->idf.slots);
	free(l->words.slots);
	free(l->known);
	free(l);
}

/* Only what looks like an English word is stemmed as one. */
static bool
is_stemmable(struct slice folded)
{
	for (size_t i = 0; i < folded.len; i++)
		if ((folded.ptr[i] < 'a' || folded.ptr[i] > 'z') &&
		    folded.ptr[i] != '\'')
			return false;
	return folded.len > 2 && folded.len <= 40;
}

static struct slice
stem_word(struct lexicon *l, struct arena *a, struct slice folded)
{
	const sb_symbol *stem;
	size_t len;

	if (!is_stemmable(folded))
		return folded;
	stem = sb_stemmer_stem(l->stemmer, (const sb_symbol *)folded.ptr,
	    (int)folded.len);
	if (stem == NULL)
		fatalx(EX_RETRY, "no memory to stem");
	len = (size_t)sb_stemmer_length(l->stemmer);
	/* Most stems are a prefix of their word: no copy. */
	if (len <= folded.len && memcmp(stem, folded.ptr, len) == 0)
		return slice_of(folded.ptr, len);
	return arena_dup(a, slice_of((const char *)stem, len));
}

static enum term_class
class_of(const struct lexicon *l, struct slice folded, unsigned *roles)
{
	unsigned value = TERM_CONTENT;

	table_get(&l->words, folded, &value);
	*roles = value >> CLASS_BITS;
	return value & ((1 << CLASS_BITS) - 1);
}

static unsigned
weigh_stem(const struct lexicon *l, struct slice stem, bool *known)
{
	unsigned weight = l->unknown;

	*known = table_get(&l->idf, stem, &weight);
	return !*known && stem.len <= 2 ? SHORT_WEIGHT : weight;
}

/* "what've", "who'd": a stop word and a bit of a verb. */
static bool
is_contraction(const struct lexicon *l, struct slice folded)
{
	const char *at = memchr(folded.ptr, '\'', folded.len);
	unsigned roles;

	return at != NULL && class_of(l, slice_of(folded.ptr,
	    (size_t)(at - folded.ptr)), &roles) == TERM_STOP;
}

/* Finds out all about a word but its own letters; gives its stem. */
static struct slice
learn_word(struct lexicon *l, struct arena *a, struct slice folded,
    struct known_word *w)
{
	struct slice stem;

	w->class = class_of(l, folded, &w->roles);
	w->contraction = w->class == TERM_CONTENT && is_contraction(l, folded);
	/* "Bob's" is as much a name as Bob. */
	if (w->class != TERM_STOP && !w->contraction && folded.len > 3 &&
	    memcmp(folded.ptr + folded.len - 2, "'s", 2) == 0)
		class_of(l, slice_of(folded.ptr, folded.len - 2), &w->roles);
	stem = stem_word(l, a, folded);
	w->weight = weigh_stem(l, stem, &w->known);
	return stem;
}

static bool
is_word(const struct known_word *w, struct slice folded)
{
	return slice_eq(slice_of(w->word, w->word_len), folded);
}

static void
keep_word(struct lexicon *l, struct arena *a, struct slice folded,
    struct known_word *w)
{
	struct slice stem = learn_word(l, a, folded, w);

	assert(stem.len <= KNOWN_BYTES);
	memcpy(w->word, folded.ptr, folded.len);
	w->word_len = (unsigned char)folded.len;
	memcpy(w->stem, stem.ptr, stem.len);
	w->stem_len = (unsigned char)stem.len;
	w->prefix = stem.ptr == folded.ptr;
}

/* What is known of a word, and its stem.  `room` is for those not kept. */
static const struct known_word *
look_up(struct lexicon *l, struct arena *a, struct slice folded,
    struct known_word *room, struct slice *stem)
{
	struct known_word *w;

	/* No stem is longer than its word, so both fit or neither. */
	if (folded.len == 0 || folded.len > KNOWN_BYTES) {
		*stem = learn_word(l, a, folded, room);
		return room;
	}
	/* The one learnt last stands first; the other is still known. */
	w = l->known[hash_word(folded) & (KNOWN_PAIRS - 1)];
	if (!is_word(w, folded) && !is_word(++w, folded)) {
		*w = w[-1];
		keep_word(l, a, folded, --w);
	}
	*stem = w->prefix ? slice_of(folded.ptr, w->stem_len) :
	    arena_dup(a, slice_of(w->stem, w->stem_len));
	return w;
}

static unsigned
class_weight(enum term_class class, unsigned weight)
{
	return class == TERM_LIGHT || class == TERM_VAGUE ? weight / 2 : weight;
}

static void
fill_word(struct lexicon *l, struct arena *a, struct term *t)
{
	const struct known_word *w;
	struct known_word room;
	struct slice stem;

	/* Folding can shorten a word, but not to a quarter. */
	t->folded = t->len > 4 * KEYWORD_BYTES ? t->text
	    : text_fold(a, t->text);
	t->class = TERM_STOP;
	if (t->folded.len == 0 || t->folded.len > KEYWORD_BYTES)
		return;
	w = look_up(l, a, t->folded, &room, &stem);
	t->roles = w->roles;
	if (w->class == TERM_STOP || w->contraction)
		return;
	t->class = w->class;
	t->stem = stem;
	t->known = w->known;
	t->weight = class_weight(t->class, w->weight);
}

static bool
is_kana(struct slice s, unsigned char second_low, unsigned char second_high)
{
	return s.len == 3 && (unsigned char)s.ptr[0] == 0xe3 &&
	    (unsigned char)s.ptr[1] >= second_low &&
	    (unsigned char)s.ptr[1] <= second_high;
}

static bool
is_hiragana(struct slice s)
{
	return is_kana(s, 0x81, 0x81) || (is_kana(s, 0x82, 0x82) &&
	    (unsigned char)s.ptr[2] <= 0x9f);
}

static bool
is_katakana(struct slice s)
{
	return is_kana(s, 0x82, 0x83) && !is_hiragana(s);
}

static void
fill_term(struct lexicon *l, struct arena *a, struct term *t)
{
	size_t pos = 0;
	int32_t cp;

	switch (t->kind) {
	case TEXT_PUNCT:
	case TEXT_EMOJI:
		t->class = TERM_STOP;
		t->folded = t->text;
		return;
	case TEXT_CJK:
		t->folded = text_fold(a, t->text);
		t->stem = t->folded;
		t->class = class_of(l, t->folded, &t->roles);
		/* Hiragana is mostly endings and particles. */
		if (is_hiragana(t->text))
			t->class = TERM_STOP;
		t->weight = t->class == TERM_STOP ? 0 : PAIR_WEIGHT / 2;
		return;
	case TEXT_NUMBER:
	case TEXT_WHEN:
		t->folded = t->stem = text_fold(a, t->text);
		t->class = t->kind == TEXT_WHEN || t->len == 1 ? TERM_LIGHT
		    : TERM_CONTENT;
		t->weight = t->kind == TEXT_WHEN ? 0 :
		    t->len > 2 ? NUMBER_WEIGHT : NUMBER_WEIGHT / 2;
		return;
	case TEXT_WORD:
		if (text_next(t->text, &pos, &cp))
			t->capital = text_is_upper(cp);
		fill_word(l, a, t);
		return;
	default:
		if (text_next(t->text, &pos, &cp))
			t->capital = text_is_upper(cp);
		t->folded = text_fold(a, t->text);
		/* For its roles only: node.js is a product. */
		class_of(l, t->folded, &t->roles);
		t->stem = t->folded;
		if (t->kind == TEXT_PATH)
			t->stem.len = text_path_len(t->folded);
		t->class = TERM_CONTENT;
		t->weight = l->unknown;
	}
}

size_t
terms_of(struct lexicon *l, struct arena *a, struct slice text,
    const struct sifted *sifted, struct sentence sentence, struct term **out)
{
	size_t cap = sentence.len / 2 + 2, count = 0, span;
	const struct sift_span *in;
	struct text_tokens tokens;
	struct text_token token;
	struct term *terms;

	/* Words are longer than that; the array grows only for odd texts. */
	if (cap > TERMS_MAX)
		cap = TERMS_MAX;
	if (cap > 64 && cap > sentence.len / 4)
		cap = sentence.len / 4 > 64 ? sentence.len / 4 : 64;
	/* Each is filled when it is taken. */
	terms = arena_room(a, cap * sizeof(*terms));
	text_tokens_init(&tokens,
	    slice_of(text.ptr, sentence.at + sentence.len));
	tokens.pos = sentence.at;
	span = sift_find(sifted, sentence.at);
	while (count < TERMS_MAX && text_tokens_next(&tokens, &token)) {
		while (sifted->spans[span].at + sifted->spans[span].len <=
		    token.at)
			span++;
		in = &sifted->spans[span];
		if (in->block || in->kind == SIFT_QUOTE) {
			tokens.pos = in->at + in->len;
			continue;
		}
		if (count == cap) {
			struct term *more = arena_room(a, TERMS_MAX *
			    sizeof(*more));

			memcpy(more, terms, count * sizeof(*more));
			terms = more;
			cap = TERMS_MAX;
		}
		terms[count] = (struct term){ .at = token.at,
			.len = token.len, .kind = token.kind,
			.text = text_token_slice(&tokens, &token),
			.code = in->kind == SIFT_CODE };
		fill_term(l, a, &terms[count++]);
	}
	*out = terms;
	return count;
}

/* The heaviest so far, sorted. */
struct keyword_list {
	struct keyword list[KEYWORDS_MAX];
	size_t count;
};

static void
add_keyword(struct keyword_list *k, struct slice stem, unsigned weight)
{
	size_t at = k->count;

	if (weight == 0 || stem.len == 0 || stem.len > KEYWORD_BYTES ||
	    (at == KEYWORDS_MAX && k->list[at - 1].weight >= weight))
		return;
	for (size_t i = 0; i < k->count; i++)
		if (slice_eq(k->list[i].stem, stem))
			return;
	if (at == KEYWORDS_MAX)
		at--;
	else
		k->count++;
	for (; at > 0 && k->list[at - 1].weight < weight; at--)
		k->list[at] = k->list[at - 1];
	k->list[at] = (struct keyword){ stem, weight };
}

/* In every address, so of none. */
static bool
is_address_part(struct slice s)
{
	return slice_is(s, "http") || slice_is(s, "https") ||
	    slice_is(s, "www") || slice_is(s, "com") || slice_is(s, "org") ||
	    slice_is(s, "net");
}

static void
add_part(struct lexicon *l, struct arena *a, struct keyword_list *k,
    struct slice part)
{
	struct slice folded = text_fold(a, part), stem;
	const struct known_word *w;
	struct known_word room;

	if (folded.len < 2 || is_address_part(folded))
		return;
	w = look_up(l, a, folded, &room, &stem);
	if (w->class != TERM_STOP)
		add_keyword(k, stem, class_weight(w->class, w->weight));
}

static bool
is_part_byte(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c >= 0x80;
}

/* getUserName, src/main.c, a_b: the parts between signs and humps. */
static void
add_parts(struct lexicon *l, struct arena *a, struct keyword_list *k,
    struct slice s)
{
	unsigned parts = 0;
	size_t i = 0, start;

	while (i < s.len && parts < PARTS_MAX) {
		while (i < s.len && !is_part_byte((unsigned char)s.ptr[i]))
			i++;
		start = i;
		while (i < s.len && is_part_byte((unsigned char)s.ptr[i]) &&
		    !(i > start && s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' &&
		    s.ptr[i - 1] >= 'a' && s.ptr[i - 1] <= 'z'))
			i++;
		if (i - start < s.len && i - start <= KEYWORD_BYTES) {
			add_part(l, a, k, slice_of(s.ptr + start, i - start));
			parts++;
		}
	}
}

static bool
is_pairable(const struct term *t)
{
	return t->kind == TEXT_CJK && t->class != TERM_STOP &&
	    t->weight > 0;
}

static bool
is_neighbour(const struct term *t, const struct term *next)
{
	return is_pairable(t) && is_pairable(next) &&
	    t->at + t->len == next->at &&
	    is_katakana(t->text) == is_katakana(next->text);
}

/* A run of Katakana is a word; it is added where it begins. */
static void
add_katakana(struct keyword_list *k, const struct term *terms, size_t count,
    size_t i)
{
	size_t end = i + 1;

	if (i > 0 && is_neighbour(&terms[i - 1], &terms[i]))
		return;
	while (end < count && is_neighbour(&terms[end - 1], &terms[end]))
		end++;
	add_keyword(k, slice_of(terms[i].text.ptr, terms[end - 1].at +
	    terms[end - 1].len - terms[i].at), PAIR_WEIGHT);
}

/* Pairs of neighbours; a character that stands alone counts by itself. */
static void
add_pairs(struct keyword_list *k, struct arena *a, const struct term *terms,
    size_t count, size_t i)
{
	const struct term *t = &terms[i], *next = t + 1;
	bool before;

	if (!is_pairable(t))
		return;
	if (is_katakana(t->text)) {
		add_katakana(k, terms, count, i);
		return;
	}
	before = i > 0 && is_neighbour(t - 1, t);
	if (i + 1 < count && is_neighbour(t, next))
		add_keyword(k, arena_printf(a, "%.*s%.*s",
		    SLICE_ARG(t->folded), SLICE_ARG(next->folded)),
		    PAIR_WEIGHT);
	else if (!before)
		add_keyword(k, t->folded, t->weight);
}

size_t
keywords_of(struct lexicon *l, struct arena *a, const struct term *terms,
    size_t count, struct keyword **out)
{
	struct keyword_list k;

	k.count = 0;
	for (size_t i = 0; i < count; i++) {
		switch (terms[i].kind) {
		case TEXT_IDENTIFIER:
		case TEXT_PATH:
		case TEXT_URL:
		case TEXT_EMAIL:
		case TEXT_ERROR:
			add_keyword(&k, terms[i].stem, terms[i].weight);
			add_parts(l, a, &k, terms[i].text);
			break;
		case TEXT_CJK:
			add_pairs(&k, a, terms, count, i);
			break;
		default:
			add_keyword(&k, terms[i].stem, terms[i].weight);
		}
	}
	*out = arena_room(a, k.count * sizeof(**out));
	memcpy(*out, k.list, k.count * sizeof(**out));
	return k.count;
}
