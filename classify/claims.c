/*
 * claims - the statements of a turn: what each is about and what it names
 *
 * The subject is picked without a parser.  Terms with content that stand side
 * by side make a chunk; stop words, light verbs and signs part them.  The
 * first chunk that is about as rare as the rarest is the subject, together
 * with the one a preposition ties to it: "a 401 error from the auth service"
 * gives "401 error auth service".
 */
#include "classify/claims.h"

#include <assert.h>
#include <stdlib.h>

#include "classify/dates.h"
#include "common/xmalloc.h"

enum {
	ENTITY_BONUS = 4000,	/* what has a name makes a better subject */
	SALIENT_PERCENT = 60,	/* of the rarest chunk's weight */
};

struct claims_engine {
	struct lexicon *lexicon;
};

int
claims_open(struct claims_engine **out, const char *dir)
{
	struct claims_engine *engine = xcalloc(1, sizeof(*engine));

	if (lexicon_open(&engine->lexicon, dir) < 0) {
		free(engine);
		return -1;
	}
	dates_teach(engine->lexicon);
	entities_teach(engine->lexicon);
	lexicon_add_role(engine->lexicon, ROLE_TIE, "a about an at between by "
	    "for from in into its my of on our over some that the their this "
	    "to via with without your der die das den dem des von mit im für "
	    "bei de du la le del в на с из от для の 的");
	*out = engine;
	return 0;
}

void
claims_close(struct claims_engine **engine)
{
	if (*engine != NULL)
		lexicon_close(&(*engine)->lexicon);
	free(*engine);
	*engine = NULL;
}

/*
 * A date is kept as an entity.  Its words would only tie together whatever
 * was said of some yesterday.
 */
static void
unweigh_dates(struct term *terms, const struct entity *entities, size_t n)
{
	for (size_t e = 0; e < n; e++)
		if (entities[e].kind == ENTITY_DATE)
			for (size_t t = 0; t < entities[e].terms; t++)
				terms[entities[e].term + t].weight = 0;
}

/* Terms first to end, end not among them. */
struct chunk {
	size_t first, end;
	unsigned weight;	/* of its heaviest term */
};

/* What a term is to the one who picks a subject. */
enum {
	MARK_named = 1,		/* part of an entity that is no date */
	MARK_dated = 2,		/* part of a date */
	MARK_spoken_to = 4,	/* whom the statement addresses */
	MARK_content = 8,
	MARK_vague = 16,	/* goes on with a chunk, but begins none */
};

struct picker {
	const struct term *terms;
	size_t count;
	unsigned char *marks;	/* per term */
	bool any_name;		/* those spoken to may be the subject, too */
};

/* "Hey John, …", "…, Anna!", "bob: …", "@bob …" */
static bool
is_address(const struct picker *p, const struct entity *e)
{
	size_t end = e->term + e->terms;
	bool opens = e->term == 0 ||
	    p->terms[e->term - 1].kind == TEXT_PUNCT ||
	    (e->term == 1 && p->terms[0].class == TERM_STOP);
	bool closes = end == p->count || p->terms[end].kind == TEXT_PUNCT ||
	    p->terms[end].kind == TEXT_EMOJI;

	if (e->kind == ENTITY_MENTION)
		return e->term == 0;
	return e->kind == ENTITY_PERSON && opens && closes;
}

static void
mark_entity(struct picker *p, const struct entity *e)
{
	unsigned mark = e->kind == ENTITY_DATE ? MARK_dated : MARK_named;

	if (is_address(p, e))
		mark |= MARK_spoken_to;
	for (size_t i = e->term; i < e->term + e->terms; i++)
		p->marks[i] |= mark;
}

static bool
is_adverb(const struct term *t)
{
	return t->kind == TEXT_WORD && t->folded.len > 4 &&
	    memcmp(t->folded.ptr + t->folded.len - 2, "ly", 2) == 0;
}

static unsigned
content_mark(const struct term *t, unsigned marks)
{
	if (marks & MARK_dated)
		return 0;
	if (marks & MARK_named)
		return MARK_content;
	if (t->class == TERM_VAGUE)
		return t->kind == TEXT_WORD ? MARK_vague : 0;
	return t->class == TERM_CONTENT && t->kind != TEXT_WHEN &&
	    !is_adverb(t) ? MARK_content : 0;
}

static void
mark_terms(struct picker *p, struct arena *a, const struct entity *entities,
    size_t n)
{
	p->marks = arena_alloc(a, p->count);
	for (size_t e = 0; e < n; e++)
		mark_entity(p, &entities[e]);
	for (size_t i = 0; i < p->count; i++)
		p->marks[i] |= content_mark(&p->terms[i], p->marks[i]);
}

static bool
is_content(const struct picker *p, size_t i)
{
	return (p->marks[i] & MARK_content) &&
	    (p->any_name || !(p->marks[i] & MARK_spoken_to));
}

static bool
next_chunk(const struct picker *p, size_t from, struct chunk *c)
{
	size_t i = from;
	unsigned weight;

	while (i < p->count && !is_content(p, i))
		i++;
	if (i == p->count)
		return false;
	*c = (struct chunk){ .first = i };
	for (; i < p->count; i++) {
		if (!is_content(p, i) && !(p->marks[i] & MARK_vague))
			break;
		weight = p->terms[i].weight +
		    (p->marks[i] & MARK_named ? ENTITY_BONUS : 0);
		if (weight > c->weight)
			c->weight = weight;
	}
	c->end = i;
	return true;
}

/* Do only prepositions and articles stand between two chunks? */
static bool
is_tied(const struct picker *p, size_t from, size_t to)
{
	if (to - from > 3)
		return false;
	for (; from < to; from++)
		if (!(p->terms[from].roles & ROLE_TIE) &&
		    !slice_is(p->terms[from].text, "-") &&
		    !slice_is(p->terms[from].text, "/") &&
		    !slice_is(p->terms[from].text, "`"))
			return false;
	return true;
}

/*
 * Appends the terms of a chunk as they are written, as long as there is room.
 * A character of an unspaced script counts for half a word.
 */
static void
add_words(const struct picker *p, const struct chunk *c, char *out,
    size_t *len, unsigned *halves)
{
	const struct term *t;
	unsigned cost;
	bool glued;

	for (size_t i = c->first; i < c->end; i++) {
		t = &p->terms[i];
		/* Characters of unspaced scripts, and signs inside a name. */
		glued = i > c->first && t[-1].at + t[-1].len == t->at;
		cost = t->kind == TEXT_CJK ? 1 : 2;
		if (*halves + cost > 2 * SUBJECT_WORDS ||
		    *len + t->len + 1 > SUBJECT_BYTES)
			return;
		if (*len > 0 && !glued)
			out[(*len)++] = ' ';
		memcpy(out + *len, t->text.ptr, t->len);
		*len += t->len;
		*halves += cost;
	}
}

static bool
find_salient(const struct picker *p, struct chunk *best)
{
	struct chunk c;
	unsigned most = 0;
	size_t from;

	for (from = 0; next_chunk(p, from, &c); from = c.end)
		if (c.weight > most)
			most = c.weight;
	for (from = 0; next_chunk(p, from, &c); from = c.end)
		if (c.weight * 100 >= most * SALIENT_PERCENT) {
			*best = c;
			return true;
		}
	return false;
}

/* Nothing but light words: the heaviest stands for the rest. */
static bool
find_any(const struct picker *p, struct chunk *best)
{
	bool found = false;

	*best = (struct chunk){ 0 };
	for (size_t i = 0; i < p->count; i++)
		if (p->terms[i].class != TERM_STOP && !is_adverb(&p->terms[i]) &&
		    (!found || p->terms[i].weight > best->weight)) {
			*best = (struct chunk){ i, i + 1, p->terms[i].weight };
			found = true;
		}
	return found;
}

static struct slice
pick_subject(struct picker *p, struct arena *a)
{
	char *out = arena_room(a, SUBJECT_BYTES + 1);
	struct chunk c, next;
	unsigned halves = 0;
	size_t len = 0;

	p->any_name = !find_salient(p, &c);
	if (p->any_name && !find_salient(p, &c)) {
		if (!find_any(p, &c))
			return SLICE_NONE;
		add_words(p, &c, out, &len, &halves);
		return slice_of(out, len);
	}
	add_words(p, &c, out, &len, &halves);
	if (next_chunk(p, c.end, &next) &&
	    is_tied(p, c.end, next.first))
		add_words(p, &next, out, &len, &halves);
	if (len == 0) {
		/* One word longer than any subject: its beginning. */
		len = text_cut(p->terms[c.first].text, SUBJECT_BYTES);
		memcpy(out, p->terms[c.first].text.ptr, len);
	}
	return slice_of(out, len);
}

static bool
make_claim(struct claims_engine *engine, struct arena *a, struct slice text,
    const struct sifted *sifted, struct sentence sentence, int64_t ts_ms,
    struct claim *claim)
{
	struct picker p = { 0 };
	struct term *terms;

	p.count = terms_of(engine->lexicon, a, text, sifted, sentence, &terms);
	p.terms = terms;
	claim->n_entities = entities_of(a, text, terms, p.count, ts_ms,
	    &claim->entities);
	unweigh_dates(terms, claim->entities, claim->n_entities);
	claim->n_keywords = keywords_of(engine->lexicon, a, terms, p.count,
	    &claim->keywords);
	if (claim->n_entities == 0 && claim->n_keywords == 0)
		return false;
	claim->statement = slice_of(text.ptr + sentence.at, sentence.len);
	mark_terms(&p, a, claim->entities, claim->n_entities);
	claim->subject = pick_subject(&p, a);
	if (claim->subject.len == 0)
		claim->subject = claim->n_entities > 0
		    ? claim->entities[0].text : claim->keywords[0].stem;
	return true;
}

void
claims_of(struct claims_engine *engine, struct arena *a, struct slice text,
    const struct sifted *sifted, const struct sentence *sentences,
    size_t n_sentences, int64_t ts_ms, struct claim **out, size_t *n_out)
{
	struct claim *claims = arena_room(a, n_sentences * sizeof(*claims));
	size_t count = 0;

	for (size_t i = 0; i < n_sentences; i++) {
		claims[count] = (struct claim){ .sentence = i };
		if (make_claim(engine, a, text, sifted, sentences[i], ts_ms,
		    &claims[count]))
			count++;
	}
	*out = claims;
	*n_out = count;
}
