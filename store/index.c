/*
 * index - documents on their way into a segment
 */
#include "store/index.h"

#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>

#include "common/text.h"
#include "common/when.h"
#include "common/xmalloc.h"
#include "store/segment.h"
#include "store/wish.h"

enum { NO_NODE = UINT32_MAX, STRING_COLUMNS = COLUMN_COUNT -
	COLUMN_FIRST_STRING };

struct index_doc {
	int64_t values[COLUMN_FIRST_STRING];
	uint32_t strings[STRING_COLUMNS];	/* places in index.strings */
	uint8_t norm;
};

struct index_domain {
	struct slice name;
	struct index_doc *docs;
	uint32_t n, room;
};

struct index_term {
	uint64_t hash;
	struct slice term;
	uint32_t domain;
	uint32_t last;		/* node */
	uint32_t doc;		/* of that */
	uint32_t df;
};

struct index_node {
	uint32_t before, doc, count;
};

/* Open addressing: each slot is a place in an array, plus one. */
struct places {
	uint32_t *slots;
	size_t n_slots;		/* a power of two */
};

struct index {
	struct tokeniser *tokeniser;
	uint32_t number;		/* notes of this one are ours */
	uint64_t upto;
	struct arena arena;
	struct index_domain *domains;
	uint32_t n_domains, domains_room;
	struct places domain_places, term_places, string_places;
	struct index_term *terms;
	uint32_t n_terms, terms_room;
	struct index_node *nodes;
	uint32_t n_nodes, nodes_room;
	struct slice *strings;
	uint32_t n_strings, strings_room;
	bool dated;			/* dates are those of `day` */
	int64_t day;
	struct token dates[INDEX_DATE_TERMS];
	uint64_t date_notes[INDEX_DATE_TERMS];
};

struct index *
index_new(struct tokeniser *tokeniser)
{
	struct index *ix = xcalloc(1, sizeof(*ix));

	ix->tokeniser = tokeniser;
	ix->number = tokeniser_number(tokeniser);
	arena_init(&ix->arena);
	return ix;
}

static void
places_clear(struct places *p)
{
	if (p->n_slots > 0)
		memset(p->slots, 0, p->n_slots * sizeof(p->slots[0]));
}

void
index_clear(struct index *ix, uint64_t upto)
{
	uint32_t i;

	for (i = 0; i < ix->n_domains; i++)
		free(ix->domains[i].docs);
	ix->n_domains = ix->n_terms = ix->n_nodes = ix->n_strings = 0;
	places_clear(&ix->domain_places);
	places_clear(&ix->term_places);
	places_clear(&ix->string_places);
	arena_reset(&ix->arena);
	ix->number = tokeniser_number(ix->tokeniser);
	ix->dated = false;
	ix->upto = upto;
}

void
index_free(struct index **ix)
{
	if (*ix == NULL)
		return;
	index_clear(*ix, 0);
	arena_release(&(*ix)->arena);
	free((*ix)->domains);
	free((*ix)->domain_places.slots);
	free((*ix)->term_places.slots);
	free((*ix)->string_places.slots);
	free((*ix)->terms);
	free((*ix)->nodes);
	free((*ix)->strings);
	free(*ix);
	*ix = NULL;
}

/* ---- tables ---- */

static void *
grown(void *array, uint32_t n, uint32_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room == 0 ? 64 : *room * 2;
	return xrealloc(array, *room * size);
}

static void
places_put(struct places *p, uint64_t hash, uint32_t place)
{
	size_t at = hash & (p->n_slots - 1);

	while (p->slots[at] != 0)
		at = (at + 1) & (p->n_slots - 1);
	p->slots[at] = place + 1;
}

/* Room for one more than n; true: the slots are empty and to be filled. */
static bool
places_grow(struct places *p, uint32_t n)
{
	if (n * 2 < p->n_slots)
		return false;
	p->n_slots = p->n_slots == 0 ? 256 : p->n_slots * 2;
	free(p->slots);
	p->slots = xcalloc(p->n_slots, sizeof(p->slots[0]));
	return true;
}

static uint32_t
domain_place(struct index *ix, struct slice name)
{
	uint64_t hash = XXH3_64bits(name.ptr, name.len);
	size_t at;
	uint32_t i;

	if (places_grow(&ix->domain_places, ix->n_domains))
		for (i = 0; i < ix->n_domains; i++)
			places_put(&ix->domain_places,
			    XXH3_64bits(ix->domains[i].name.ptr,
				ix->domains[i].name.len), i);
	at = hash & (ix->domain_places.n_slots - 1);
	for (; (i = ix->domain_places.slots[at]) != 0;
	     at = (at + 1) & (ix->domain_places.n_slots - 1))
		if (slice_eq(ix->domains[i - 1].name, name))
			return i - 1;
	ix->domains = grown(ix->domains, ix->n_domains, &ix->domains_room,
	    sizeof(ix->domains[0]));
	ix->domains[ix->n_domains] = (struct index_domain){
		.name = arena_dup(&ix->arena, name) };
	ix->domain_places.slots[at] = ix->n_domains + 1;
	return ix->n_domains++;
}

static uint32_t
string_place(struct index *ix, struct slice s)
{
	uint64_t hash = s.len == 0 ? 0 : XXH3_64bits(s.ptr, s.len);
	struct slice known;
	size_t at;
	uint32_t i;

	if (places_grow(&ix->string_places, ix->n_strings))
		for (i = 0; i < ix->n_strings; i++) {
			known = ix->strings[i];
			places_put(&ix->string_places, known.len == 0 ? 0 :
			    XXH3_64bits(known.ptr, known.len), i);
		}
	at = hash & (ix->string_places.n_slots - 1);
	for (; (i = ix->string_places.slots[at]) != 0;
	     at = (at + 1) & (ix->string_places.n_slots - 1))
		if (slice_eq(ix->strings[i - 1], s))
			return i - 1;
	ix->strings = grown(ix->strings, ix->n_strings, &ix->strings_room,
	    sizeof(ix->strings[0]));
	ix->strings[ix->n_strings] = arena_dup(&ix->arena, s);
	ix->string_places.slots[at] = ix->n_strings + 1;
	return ix->n_strings++;
}

static uint64_t
term_hash(uint64_t hash, uint32_t domain)
{
	return hash ^ (uint64_t)domain * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t
term_place(struct index *ix, uint32_t domain, const struct token *token)
{
	uint64_t hash = term_hash(token->hash, domain);
	struct index_term *t;
	size_t at;
	uint32_t i;

	if (places_grow(&ix->term_places, ix->n_terms))
		for (i = 0; i < ix->n_terms; i++)
			places_put(&ix->term_places, ix->terms[i].hash, i);
	at = hash & (ix->term_places.n_slots - 1);
	for (; (i = ix->term_places.slots[at]) != 0;
	     at = (at + 1) & (ix->term_places.n_slots - 1)) {
		t = &ix->terms[i - 1];
		if (t->hash == hash && t->domain == domain &&
		    slice_eq(t->term, token->term))
			return i - 1;
	}
	ix->terms = grown(ix->terms, ix->n_terms, &ix->terms_room,
	    sizeof(ix->terms[0]));
	ix->term_places.slots[at] = ix->n_terms + 1;
	ix->terms[ix->n_terms] = (struct index_term){ .hash = hash,
		.term = arena_dup(&ix->arena, token->term), .domain = domain,
		.last = NO_NODE };
	return ix->n_terms++;
}

/* Most have been here before, and the tokeniser still has our note. */
static struct index_term *
find_term(struct index *ix, uint32_t domain, const struct token *token)
{
	uint32_t place;

	if (token->note != NULL && *token->note >> 32 == ix->number) {
		place = (uint32_t)*token->note;
		if (ix->terms[place].domain == domain)
			return &ix->terms[place];
	}
	place = term_place(ix, domain, token);
	if (token->note != NULL)
		*token->note = (uint64_t)ix->number << 32 | place;
	return &ix->terms[place];
}

/* ---- adding ---- */

static void
count_term(struct index *ix, uint32_t domain, uint32_t doc,
    const struct token *token)
{
	struct index_term *t = find_term(ix, domain, token);

	if (t->last != NO_NODE && t->doc == doc) {
		ix->nodes[t->last].count++;
		return;
	}
	ix->nodes = grown(ix->nodes, ix->n_nodes, &ix->nodes_room,
	    sizeof(ix->nodes[0]));
	ix->nodes[ix->n_nodes] = (struct index_node){ t->last, doc, 1 };
	t->last = ix->n_nodes++;
	t->doc = doc;
	t->df++;
}

static size_t
count_terms(struct index *ix, uint32_t domain, uint32_t doc,
    struct slice text)
{
	const struct token *tokens;
	size_t i, n = tokenise(ix->tokeniser, text, &tokens);

	for (i = 0; i < n; i++)
		count_term(ix, domain, doc, &tokens[i]);
	return n;
}

/* ---- terms that no text gives ---- */

static void
count_mark(struct index *ix, uint32_t domain, uint32_t doc,
    struct slice term)
{
	struct token token = { term, XXH3_64bits(term.ptr, term.len), NULL };

	count_term(ix, domain, doc, &token);
}

static void
count_tags(struct index *ix, uint32_t domain, uint32_t doc,
    const struct msg_strs *tags)
{
	size_t i;

	for (i = 0; i < tags->count; i++)
		count_mark(ix, domain, doc, index_tag_term(&ix->arena,
		    tags->at[i]));
}

/* Each word of two letters or more, if it names anybody. */
static void
count_speaker(struct index *ix, uint32_t domain, uint32_t doc,
    struct slice name)
{
	struct text_tokens tokens;
	struct text_token token;
	struct slice word;

	text_tokens_init(&tokens, name);
	while (text_tokens_next(&tokens, &token)) {
		if (token.kind == TEXT_PUNCT)
			continue;
		word = text_fold(&ix->arena, text_token_slice(&tokens,
		    &token));
		if (word.len >= 2 && !index_is_generic_name(word))
			count_mark(ix, domain, doc,
			    index_speaker_term(&ix->arena, word));
	}
}

/* Turns come by the day: its terms are made once. */
static void
count_date(struct index *ix, uint32_t domain, uint32_t doc, int64_t ts)
{
	struct slice terms[INDEX_DATE_TERMS];
	int64_t day = when_day_of(ts);
	size_t i;

	if (!ix->dated || ix->day != day) {
		memset(ix->date_notes, 0, sizeof(ix->date_notes));
		index_date_terms(&ix->arena, ts, terms);
		for (i = 0; i < INDEX_DATE_TERMS; i++)
			ix->dates[i] = (struct token){ terms[i],
				XXH3_64bits(terms[i].ptr, terms[i].len),
				&ix->date_notes[i] };
		ix->dated = true;
		ix->day = day;
	}
	for (i = 0; i < INDEX_DATE_TERMS; i++)
		count_term(ix, domain, doc, &ix->dates[i]);
}

static void
add_one(struct index *ix, const struct document *d)
{
	uint32_t place = domain_place(ix, d->domain), doc;
	struct index_domain *domain = &ix->domains[place];
	struct index_doc *row;
	size_t i, length = 0;

	assert(domain->n < SEGMENT_DOCS_MOST);
	domain->docs = grown(domain->docs, domain->n, &domain->room,
	    sizeof(domain->docs[0]));
	doc = domain->n++;
	for (i = 0; i < d->n_texts; i++)
		length += count_terms(ix, place, doc, d->texts[i]);
	if (d->kind == SEARCH_TURN)
		count_date(ix, place, doc, d->ts);
	if (d->speaker.len > 0)
		count_speaker(ix, place, doc, d->speaker);
	count_tags(ix, place, doc, &d->tags);
	row = &domain->docs[doc];
	*row = (struct index_doc){
		.values = {
			[COLUMN_SEQ] = (int64_t)d->seq,
			[COLUMN_I] = (int64_t)d->i,
			[COLUMN_KIND] = d->kind,
			[COLUMN_THREAD] = (int64_t)d->thread,
			[COLUMN_TURN] = (int64_t)d->turn,
			[COLUMN_TS] = d->ts,
			[COLUMN_LENGTH] = (int64_t)length,
			[COLUMN_WISH] = d->class == CLASS_PERSON &&
			    d->n_texts > 0 ? wish_of(d->texts[0]) : 0,
		},
		.norm = norm_of(d->class, length),
	};
#define STRING(column, value) \
	row->strings[column - COLUMN_FIRST_STRING] = string_place(ix, value)
	STRING(COLUMN_USER, d->user);
	STRING(COLUMN_ROOM, d->room);
	STRING(COLUMN_CHANNEL, d->channel);
	STRING(COLUMN_ROLE, d->role);
	STRING(COLUMN_TYPE, d->type);
	STRING(COLUMN_STATUS, d->status);
	STRING(COLUMN_SESSION, d->session);
	STRING(COLUMN_KEY, d->key);
#undef STRING
}

void
index_add(struct index *ix, uint64_t seq, const struct document *docs,
    size_t n)
{
	size_t i;

	assert(seq > ix->upto);
	ix->upto = seq;
	for (i = 0; i < n; i++)
		add_one(ix, &docs[i]);
}

/* ---- writing ---- */

/* Eight bytes decide most comparisons of terms without a look at them. */
struct sorted_term {
	uint32_t rank;		/* of its domain */
	uint32_t term;
	uint64_t head;
	const struct slice *text;
};

static uint64_t
head_of(struct slice s)
{
	uint64_t head = 0;
	size_t i;

	for (i = 0; i < 8; i++)
		head = head << 8 | (i < s.len ? (unsigned char)s.ptr[i] : 0);
	return head;
}

static int
compare_terms(const void *a, const void *b)
{
	const struct sorted_term *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	return slice_cmp(*x->text, *y->text);
}

struct sorted_slice {
	struct slice s;
	uint32_t place;
};

static int
compare_slices(const void *a, const void *b)
{
	const struct sorted_slice *x = a, *y = b;

	return slice_cmp(x->s, y->s);
}

/* Domains by name: their places in that order. */
static uint32_t *
sort_domains(const struct index *ix, uint32_t *ranks)
{
	struct sorted_slice *sorted = xmalloc((ix->n_domains + 1) *
	    sizeof(sorted[0]));
	uint32_t *order = xmalloc((ix->n_domains + 1) * sizeof(order[0]));
	uint32_t i;

	for (i = 0; i < ix->n_domains; i++)
		sorted[i] = (struct sorted_slice){ ix->domains[i].name, i };
	qsort(sorted, ix->n_domains, sizeof(sorted[0]), compare_slices);
	for (i = 0; i < ix->n_domains; i++) {
		order[i] = sorted[i].place;
		ranks[sorted[i].place] = i;
	}
	free(sorted);
	return order;
}

static struct sorted_term *
sort_terms(const struct index *ix, const uint32_t *ranks)
{
	struct sorted_term *sorted = xmalloc((ix->n_terms + 1) *
	    sizeof(sorted[0]));
	uint32_t i;

	for (i = 0; i < ix->n_terms; i++)
		sorted[i] = (struct sorted_term){ ranks[ix->terms[i].domain],
			i, head_of(ix->terms[i].term), &ix->terms[i].term };
	qsort(sorted, ix->n_terms, sizeof(sorted[0]), compare_terms);
	return sorted;
}

/* The strings that a domain's documents use, sorted; places are mapped. */
static void
gather_strings(const struct index *ix, const struct index_domain *domain,
    struct segment_docs *out, struct arena *arena)
{
	uint32_t *map = arena_array(arena, ix->n_strings, sizeof(map[0]));
	struct sorted_slice *used = arena_array(arena, ix->n_strings,
	    sizeof(used[0]));
	uint32_t i, n = 0, place;
	unsigned c;

	for (i = 0; i < domain->n; i++)
		for (c = 0; c < STRING_COLUMNS; c++) {
			place = domain->docs[i].strings[c];
			if (map[place] == 0) {
				used[n++] = (struct sorted_slice){
					ix->strings[place], place };
				map[place] = 1;
			}
		}
	qsort(used, n, sizeof(used[0]), compare_slices);
	out->n_strings = n;
	out->strings = arena_array(arena, n, sizeof(out->strings[0]));
	for (i = 0; i < n; i++) {
		out->strings[i] = used[i].s;
		map[used[i].place] = i;
	}
	for (i = 0; i < domain->n; i++)
		for (c = 0; c < STRING_COLUMNS; c++)
			out->columns[COLUMN_FIRST_STRING + c][i] =
			    map[domain->docs[i].strings[c]];
}

static void
gather_docs(const struct index *ix, const struct index_domain *domain,
    struct segment_docs *out, struct arena *arena)
{
	enum column c;
	uint32_t i;

	*out = (struct segment_docs){ .domain = domain->name, .n = domain->n };
	for (c = 0; c < COLUMN_COUNT; c++)
		out->columns[c] = arena_array(arena, domain->n,
		    sizeof(out->columns[c][0]));
	out->norms = arena_array(arena, domain->n, 1);
	for (i = 0; i < domain->n; i++) {
		for (c = 0; c < COLUMN_FIRST_STRING; c++)
			out->columns[c][i] = domain->docs[i].values[c];
		out->norms[i] = domain->docs[i].norm;
	}
	gather_strings(ix, domain, out, arena);
	segment_link_turns(out);
}

static void
write_term(const struct index *ix, struct segment_writer *w,
    const struct index_term *t, uint32_t *docs, uint8_t *codes)
{
	uint32_t node, n = t->df;

	for (node = t->last; node != NO_NODE; node = ix->nodes[node].before) {
		docs[--n] = ix->nodes[node].doc;
		codes[n] = (uint8_t)posting_code(ix->nodes[node].count);
	}
	writer_term(w, t->term, docs, codes, t->df);
}

void
index_write(const struct index *ix, uint64_t first, uint64_t last,
    struct buf *out)
{
	uint32_t *ranks = xmalloc((ix->n_domains + 1) * sizeof(ranks[0]));
	uint32_t *order = sort_domains(ix, ranks), i, at = 0;
	struct sorted_term *terms = sort_terms(ix, ranks);
	uint32_t *docs = xmalloc((ix->n_nodes + 1) * sizeof(docs[0]));
	uint8_t *codes = xmalloc(ix->n_nodes + 1);
	struct segment_docs table;
	struct segment_writer w;
	struct arena arena;

	arena_init(&arena);
	writer_begin(&w, out, first, last);
	for (i = 0; i < ix->n_domains; i++) {
		writer_domain(&w);
		for (; at < ix->n_terms && terms[at].rank == i; at++)
			write_term(ix, &w, &ix->terms[terms[at].term], docs,
			    codes);
		gather_docs(ix, &ix->domains[order[i]], &table, &arena);
		writer_domain_end(&w, &table);
		arena_reset(&arena);
	}
	writer_end(&w);
	arena_release(&arena);
	free(docs);
	free(codes);
	free(terms);
	free(order);
	free(ranks);
}
