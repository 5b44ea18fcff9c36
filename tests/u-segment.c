/*
 * u-segment - postings, segments, and that merging is indexing at once
 */
#include "store/segment.h"

#include <stdlib.h>

#include "common/xmalloc.h"
#include "store/index.h"
#include "store/merge.h"
#include "store/segments.h"
#include "tests/tap.h"

static struct tokeniser *tokeniser;
static struct arena arena;
static uint64_t dice = 88172645463325252u;

static uint64_t
roll(uint64_t below)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice % below;
}

/* ---- postings ---- */

static bool
same_back(const uint32_t *docs, const uint8_t *codes, size_t n,
    uint32_t limit)
{
	static const char padding[POSTING_PADDING];
	uint32_t block[POSTING_BLOCK];
	uint8_t counts[POSTING_BLOCK];
	struct posting_reader r;
	size_t got, at = 0;
	bool same = true;
	struct buf b;

	buf_init(&b, SIZE_MAX / 4);
	posting_encode(&b, docs, codes, n);
	buf_add(&b, padding, sizeof(padding));
	posting_open(&r, slice_of(b.ptr, b.len - sizeof(padding)), n, limit);
	while ((got = posting_next(&r, block, counts)) > 0 && same) {
		same = at + got <= n && memcmp(docs + at, block,
		    got * sizeof(block[0])) == 0 &&
		    memcmp(codes + at, counts, got) == 0;
		at += got;
	}
	buf_release(&b);
	return same && at == n;
}

static void
test_postings(void)
{
	static const uint32_t gaps[] = { 1, 2, 7, 1000, 1u << 20 };
	enum { MOST = 1000 };
	uint32_t docs[MOST], last;
	uint8_t codes[MOST];
	size_t i, n, g;
	bool good = true;

	for (g = 0; g < sizeof(gaps) / sizeof(gaps[0]); g++)
		for (n = 0; n <= MOST; n += n < 300 ? 1 : 37) {
			last = 0;
			for (i = 0; i < n; i++) {
				last += (i > 0) + (uint32_t)roll(gaps[g]);
				docs[i] = last;
				codes[i] = (uint8_t)(1 + (roll(8) == 0 ?
				    roll(15) : 0));
			}
			good = good && same_back(docs, codes, n,
			    INT32_MAX);
		}
	ok(good, "lists of all lengths and gaps come back");
	docs[0] = 5;
	codes[0] = 1;
	ok(!same_back(docs, codes, 1, 5), "a document past the end does not");
	ok(posting_code(1) == 1 && posting_code(8) == 8 &&
	    posting_code(9) == 8 && posting_code(1000) == 15,
	    "counts are exact up to eight");
}

static void
test_norms(void)
{
	bool rising = true;
	uint64_t n;

	for (n = 1; n < 20000; n++)
		rising = rising && norm_length(norm_of(CLASS_PERSON, n)) >=
		    norm_length(norm_of(CLASS_PERSON, n - 1));
	ok(rising, "a longer text has no smaller norm");
	ok(norm_class(norm_of(CLASS_MADE, 77)) == CLASS_MADE, "the class");
	ok(norm_length(norm_of(CLASS_PERSON, 31)) == 31.0f,
	    "short lengths are exact");
}

/* ---- segments ---- */

static const char *const words[] = { "alpha", "beta", "gamma", "delta",
	"epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu" };

/* Document `seq` of a made-up log: the same each time. */
static void
make_document(uint64_t seq, struct document *d)
{
	struct slice text;
	uint64_t kept = dice;
	size_t i;

	dice = seq * 0x9e3779b97f4a7c15u + 1;
	*d = (struct document){
		.kind = roll(10) == 0 ? SEARCH_ARTIFACT : SEARCH_TURN,
		.seq = seq,
		.thread = 1 + roll(20),
		.turn = seq,
		.ts = 1700000000000 + (int64_t)seq * 1000,
		.domain = slice_str(roll(3) == 0 ? "other" : "default"),
		.user = arena_printf(&arena, "user%llu",
		    (unsigned long long)roll(5)),
		.role = SLICE("user"),
	};
	if (d->kind == SEARCH_ARTIFACT) {
		d->class = CLASS_MADE;
		d->key = arena_printf(&arena, "a%llu.0",
		    (unsigned long long)seq);
	}
	text = arena_printf(&arena, "rare%llu", (unsigned long long)seq);
	for (i = roll(12); i > 0; i--)
		text = arena_printf(&arena, "%.*s %s", SLICE_ARG(text),
		    words[roll(12)]);
	d->texts[d->n_texts++] = text;
	dice = kept;
}

static struct segment *
build(uint64_t first, uint64_t last)
{
	struct index *ix = index_new(tokeniser);
	struct document d;
	struct buf bytes;
	uint64_t seq;

	index_clear(ix, first - 1);
	for (seq = first; seq <= last; seq++) {
		make_document(seq, &d);
		index_add(ix, seq, &d, seq % 50 != 0);
	}
	buf_init(&bytes, SIZE_MAX / 4);
	index_write(ix, first, last, &bytes);
	index_free(&ix);
	return segment_take(&bytes);
}

static void
test_reading(void)
{
	struct segment *s = build(1, 1000);
	struct section x, other;
	struct section_term term;
	struct document d;
	uint32_t doc, n = 0;
	uint64_t seq;
	bool good = true;

	ok(s != NULL && segment_is_sound(s), "a segment");
	ok(segment_first(s) == 1 && segment_last(s) == 1000, "its range");
	ok(segment_domains(s) == 2 && section_open(s, SLICE("default"), &x) &&
	    section_open(s, SLICE("other"), &other) &&
	    !section_open(s, SLICE("none"), &other), "its domains");
	(void)section_open(s, SLICE("other"), &other);
	for (seq = 1; seq <= 1000; seq++) {
		make_document(seq, &d);
		if (seq % 50 == 0 || slice_is(d.domain, "other"))
			continue;
		n++;
		good = good && section_find(&x, seq, d.kind, 0, &doc) &&
		    (uint64_t)section_value(&x, COLUMN_THREAD, doc) ==
			d.thread &&
		    section_value(&x, COLUMN_TS, doc) == d.ts &&
		    slice_eq(section_string(&x, section_value(&x,
			COLUMN_USER, doc)), d.user) &&
		    slice_eq(section_string(&x, section_value(&x,
			COLUMN_KEY, doc)), d.key) &&
		    section_term(&x, arena_printf(&arena, "rare%llu",
			(unsigned long long)seq), &term) && term.df == 1 &&
		    !section_term(&other, arena_printf(&arena, "rare%llu",
			(unsigned long long)seq), &term);
	}
	ok(good && n == x.n_docs, "every document with all it has, in its "
	    "domain alone");
	ok(section_find_string(&x, SLICE("user3")) >= 0 &&
	    section_find_string(&x, SLICE("user9")) == -1, "strings");
	segment_close(&s);
}

static void
test_prefix(void)
{
	struct segment *s = build(1, 1000);
	struct term_iterator it;
	struct section_term term;
	struct section x;
	char before[TERM_BYTES + 1] = "";
	uint64_t n = 0;
	bool rising = true;

	(void)section_open(s, SLICE("default"), &x);
	terms_seek(&it, &x, SLICE_NONE);
	while (terms_next(&it, &term)) {
		rising = rising && slice_cmp(slice_str(before),
		    term.term) < 0;
		memcpy(before, term.term.ptr, term.term.len);
		before[term.term.len] = '\0';
		n++;
	}
	ok(rising && n == x.n_terms, "all terms in order");
	terms_seek(&it, &x, SLICE("rare99"));
	for (n = 0; terms_next(&it, &term) &&
	     slice_starts(term.term, "rare99"); n++)
		;
	ok(n > 3 && n < 12, "those that begin alike");
	terms_seek(&it, &x, SLICE("zzz"));
	ok(!terms_next(&it, &term), "none behind the last");
	segment_close(&s);
}

static void
test_links(void)
{
	struct segment *s = build(1, 400);
	uint32_t doc, back;
	struct section x;
	bool good = true;
	int64_t gap;

	(void)section_open(s, SLICE("default"), &x);
	for (doc = 0; doc < x.n_docs; doc++) {
		gap = section_value(&x, COLUMN_PREV, doc);
		if (gap == 0)
			continue;
		back = doc - (uint32_t)gap;
		good = good && section_value(&x, COLUMN_THREAD, back) ==
		    section_value(&x, COLUMN_THREAD, doc) &&
		    section_value(&x, COLUMN_NEXT, back) == gap &&
		    section_value(&x, COLUMN_KIND, back) == SEARCH_TURN;
	}
	ok(good, "turns of a thread know one another");
	segment_close(&s);
}

static bool
same_bytes(const struct segment *a, const struct segment *b)
{
	return slice_eq(segment_slice(a), segment_slice(b));
}

static void
test_merge(void)
{
	struct segment *parts[SEGMENT_FAN], *merged, *whole;
	struct buf bytes;
	size_t i;

	for (i = 0; i < SEGMENT_FAN; i++)
		parts[i] = build(i * 100 + 1, (i + 1) * 100);
	whole = build(1, SEGMENT_FAN * 100);
	buf_init(&bytes, SIZE_MAX / 4);
	ok(merge_segments(parts, SEGMENT_FAN, &bytes) == 0, "merged");
	merged = segment_take(&bytes);
	ok(same_bytes(merged, whole), "byte for byte what indexing at once "
	    "gives");
	segment_close(&merged);
	ok(merge_segments(parts + 1, 1, &bytes) == 0, "one alone");
	merged = segment_take(&bytes);
	ok(same_bytes(merged, parts[1]), "is itself");
	segment_close(&merged);
	segment_close(&parts[3]);
	parts[3] = build(301, 399);
	ok(merge_segments(parts, SEGMENT_FAN, &bytes) == -1,
	    "a gap is refused");
	buf_release(&bytes);
	for (i = 0; i < SEGMENT_FAN; i++)
		segment_close(&parts[i]);
	segment_close(&whole);
}

static void
test_empty(void)
{
	struct index *ix = index_new(tokeniser);
	struct segment *s;
	struct section x;
	struct buf bytes;

	buf_init(&bytes, SIZE_MAX / 4);
	index_clear(ix, 0);
	index_write(ix, 1, 4096, &bytes);
	s = segment_take(&bytes);
	ok(s != NULL && segment_is_sound(s) && segment_domains(s) == 0 &&
	    !section_open(s, SLICE("default"), &x),
	    "a range without documents");
	segment_close(&s);
	index_free(&ix);
}

/* Each byte changed in turn: no crash, and the hash tells. */
static void
test_damage(void)
{
	struct segment *s = build(1, 60), *damaged;
	struct slice good = segment_slice(s);
	uint32_t docs[POSTING_BLOCK], n = 0;
	uint8_t codes[POSTING_BLOCK];
	struct posting_reader r;
	struct term_iterator it;
	struct section_term term;
	struct section x;
	struct buf bytes;
	bool told = true;
	size_t i;

	for (i = 0; i < good.len; i++) {
		buf_init(&bytes, SIZE_MAX / 4);
		buf_addslice(&bytes, good);
		bytes.ptr[i] = (char)(bytes.ptr[i] ^ (1 << (i % 8)));
		damaged = segment_take(&bytes);
		if (damaged == NULL)
			continue;
		told = told && (!segment_is_sound(damaged) ||
		    i < 72 /* the header, which is looked at by itself */);
		if (section_open(damaged, SLICE("default"), &x)) {
			terms_seek(&it, &x, SLICE_NONE);
			while (terms_next(&it, &term)) {
				posting_open(&r, term.postings, term.df,
				    x.n_docs);
				while (posting_next(&r, docs, codes) > 0)
					n += x.norms[docs[0]];
			}
		}
		segment_close(&damaged);
	}
	ok(told && n > 0, "damage is told, and harms nobody");
	segment_close(&s);
}

static void
test_names(void)
{
	char *path = segment_path("", 2, 4097, UINT64_C(0xabc));
	struct segment_name name;

	is(path, "/2-000000004097-0000000000000abc.seg", "a file's name");
	ok(segment_name_parse(path + 1, &name) && name.level == 2 &&
	    name.first == 4097 && name.hash == 0xabc, "and back");
	ok(!segment_name_parse("lock", &name) &&
	    !segment_name_parse("2-000000004097-0000000000000abc.seg.1.tmp",
		&name), "others are none of ours");
	free(path);
}

int
main(void)
{
	tokeniser = tokeniser_new();
	arena_init(&arena);
	test_postings();
	test_norms();
	test_reading();
	test_prefix();
	test_links();
	test_merge();
	test_empty();
	test_damage();
	test_names();
	arena_release(&arena);
	tokeniser_free(&tokeniser);
	return done();
}
