/*
 * lineage - what is remembered, refined and consolidated by command
 */
#include "compactor/lineage.h"

#include "common/text.h"
#include "common/when.h"
#include "compactor/similar.h"
#include "compactor/tokens.h"
#include "compactor/weight.h"

enum {
	PREVIEW_CHARACTERS = 80,
	NAMED_BYTES = 60,	/* of an id in an error's words */
	FOLLOWED_MOST = 10,	/* refinements to the latest of a line */
};

/* ---- names ---- */

/*
 * What nobody would have as an id: blanks, control characters, or what begins
 * as an artifact's key and goes wrong.
 */
static bool
is_malformed(struct slice name)
{
	uint64_t seq, n;
	size_t i;

	for (i = 0; i < name.len; i++)
		if ((unsigned char)name.ptr[i] <= ' ' || name.ptr[i] == 0x7f)
			return true;
	if (name.len < 2 || name.ptr[0] != 'a' || artifact_parse(name, &seq,
		&n) == 0)
		return name.len == 0;
	for (i = 1; i < name.len; i++)
		if (name.ptr[i] != '.' && (name.ptr[i] < '0' ||
			name.ptr[i] > '9'))
			return false;
	/* "a12" may be anybody's id, "a12." and "a.0" are slips. */
	return memchr(name.ptr, '.', name.len) != NULL;
}

static struct key
forgotten_key(struct slice domain, uint64_t seq)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, domain);
	key_add_u64(&k, seq);
	return k;
}

/*
 * Whether a key is that of an artifact whose entry was forgotten: what was made
 * of it stays, and goes on naming it.
 */
static bool
is_forgotten(struct compact *c, struct slice name)
{
	struct msg_place p;
	struct key k;
	uint64_t seq, n;

	if (artifact_parse(name, &seq, &n) == -1)
		return false;
	k = forgotten_key(c->envelope->domain, seq);
	return compact_get(c, TABLE_forgotten_entries, &k, MSG_place, &p);
}

/* The artifact, or NULL after saying what is wrong with its name. */
static const struct msg_artifact *
find(struct compact *c, const char *field, struct slice name)
{
	const struct msg_artifact *a = compact_find(c, name);
	int len = (int)text_cut(name, NAMED_BYTES);

	if (a != NULL)
		return a;
	if (is_malformed(name))
		compact_refuse(c, "VALIDATION_ERROR", "VALIDATION_ERROR",
		    "%s: '%.*s' is no artifact's id: give a key (a12.0) or the "
		    "sender's id", field, len, name.ptr);
	else
		compact_refuse(c, "NOT_FOUND", "THOUGHT_NOT_FOUND",
		    "%s: there is no artifact '%.*s' in this domain: 'skein "
		    "artifacts' lists them", field, len, name.ptr);
	return NULL;
}

/* ---- memory ---- */

static uint64_t
weight_of(const struct compact *c, const struct msg_artifact *a)
{
	return weight_now(a->weight, a->weight_at, c->ts,
	    c->conf->weight_half_life * WHEN_DAY_MS);
}

/* The sources' keys, each once; false: a name is wrong, and it was said. */
static bool
find_sources(struct compact *c, const struct msg_memory *m,
    struct msg_strs *keys)
{
	const struct msg_artifact *a;
	size_t i;

	if (m->refines.len > 0 && is_forgotten(c, m->refines)) {
		strs_add(keys, c->arena, m->refines);
		return true;
	}
	if (m->refines.len > 0) {
		a = find(c, "refines", m->refines);
		if (a != NULL)
			strs_add(keys, c->arena, a->key);
		return a != NULL;
	}
	for (i = 0; i < m->consolidates.count; i++) {
		if (is_forgotten(c, m->consolidates.at[i])) {
			strs_add(keys, c->arena, m->consolidates.at[i]);
			continue;
		}
		a = find(c, "consolidates", m->consolidates.at[i]);
		if (a == NULL)
			return false;
		if (!strs_has(keys, a->key))
			strs_add(keys, c->arena, a->key);
	}
	if (m->consolidates.count > 0 && keys->count < 2) {
		compact_refuse(c, "VALIDATION_ERROR", "MIN_CONSOLIDATION",
		    "consolidates: needs at least two different artifacts");
		return false;
	}
	return true;
}

/* A refinement is what its source was; of several, what they all were. */
static struct slice
type_of(struct compact *c, const struct msg_strs *sources)
{
	struct slice type = SLICE_NONE;
	const struct msg_artifact *a;
	size_t i;

	for (i = 0; i < sources->count; i++) {
		a = compact_read(c, sources->at[i]);
		if (a == NULL)
			continue;	/* forgotten */
		if (type.len > 0 && !slice_eq(type, a->type))
			return SLICE("note");
		type = a->type;
	}
	return type.len == 0 ? SLICE("note") : type;
}

/* The older ones name what takes their place; the latest is the last. */
static void
supersede(struct compact *c, const struct msg_strs *sources, struct slice key)
{
	struct msg_artifact *a;
	size_t i;

	for (i = 0; i < sources->count; i++) {
		if (compact_read(c, sources->at[i]) == NULL)
			continue;	/* forgotten */
		a = compact_change(c, sources->at[i]);
		strs_add(&a->refined_by, c->arena, key);
		if (a->refined_by.count > LINEAGE_REFINERS) {
			a->refined_by.at++;
			a->refined_by.count--;
		}
	}
}

static uint64_t
inherited(struct compact *c, const struct msg_strs *sources)
{
	uint64_t *weights = arena_array(c->arena, sources->count,
	    sizeof(weights[0]));
	const struct msg_artifact *a;
	size_t i, n = 0;

	for (i = 0; i < sources->count; i++) {
		a = compact_read(c, sources->at[i]);
		if (a != NULL)
			weights[n++] = weight_of(c, a);
	}
	return n == 0 ? WEIGHT_FIRST : weight_inherited(weights, n);
}

/* Up to the border of a word, where it is too long to be read at a glance. */
static struct slice
shortened(struct compact *c, struct slice text)
{
	size_t len = text_cut(text, LINEAGE_SUMMARY);

	if (len == text.len)
		return text;
	while (len > LINEAGE_SUMMARY / 2 && text.ptr[len] != ' ')
		len--;
	len = text_cut(text, len);
	return arena_printf(c->arena, "%.*s …", (int)len, text.ptr);
}

static struct msg_artifact *
keep(struct compact *c, const struct msg_memory *m,
    const struct msg_strs *sources)
{
	struct msg_artifact *a = compact_new(c, type_of(c, sources));
	struct similar *words = c->similar;

	a->summary = shortened(c, m->text);
	if (a->summary.ptr != m->text.ptr)
		artifact_set_field(a, c->arena, "statement", &m->text, 1);
	if (m->context.len > 0)
		artifact_set_field(a, c->arena, "context", &m->context, 1);
	a->confidence = 1000;
	a->id = m->id;
	a->agent_id = m->agent_id;
	a->agent_name = m->agent_name;
	a->token_count = tokens_of(c->conf, a->summary);
	if (words != NULL)
		similar_tags(words, c->arena, m->text, LINEAGE_TAGS, &a->tags);
	if (sources->count > 0) {
		a->thought_type = m->refines.len > 0 ? SLICE("refinement") :
						       SLICE("consolidation");
		a->source_ids = *sources;
		a->weight = inherited(c, sources);
	}
	compact_state(c, a, SLICE("resolved"), a->thought_type, SLICE_NONE);
	return a;
}

/* The latest of the line that the artifact is in. */
static const struct msg_artifact *
latest(struct compact *c, const struct msg_artifact *a)
{
	const struct msg_artifact *next = a;
	size_t steps;

	for (steps = 0; next != NULL && steps < FOLLOWED_MOST; steps++) {
		a = next;
		if (a->refined_by.count == 0)
			break;
		next = compact_read(c,
		    a->refined_by.at[a->refined_by.count - 1]);
	}
	return a;
}

static struct slice
preview(struct slice text)
{
	size_t pos = 0, n = 0;
	int32_t cp;

	while (n < PREVIEW_CHARACTERS && text_next(text, &pos, &cp) &&
	    cp != '\n')
		n++;
	return slice_of(text.ptr, pos);
}

/* Nothing is merged by itself: who sent it decides. */
static void
advise(struct compact *c, const struct msg_artifact *a)
{
	const struct msg_artifact *other;
	struct msg_similar_doc doc;
	struct similar_hit hit;
	struct slice begins;

	if (c->similar == NULL)
		return;
	doc = similar_doc(c, a->summary);
	if (similar_find(c, SIMILAR_statement, a->user, a->room, &doc, &hit,
		1) == 0 || hit.likeness <= (uint64_t)c->conf->similar_above)
		return;
	other = compact_read(c, artifact_key(c->arena, hit.seq, hit.n));
	if (other == NULL)
		return;
	other = latest(c, other);
	begins = preview(other->summary);
	c->section->guidance = arena_printf(c->arena, "A similar statement "
	    "exists: %.*s, \"%.*s%s\". To put this in its place: skein refine "
	    "%.*s \"...\"", SLICE_ARG(other->key), SLICE_ARG(begins),
	    begins.len < other->summary.len ? "…" : "",
	    SLICE_ARG(other->key));
}

/* What is refined may have been refined before: both stay, and it is said. */
static void
mention_others(struct compact *c, const struct msg_artifact *a,
    const struct msg_strs *sources)
{
	const struct msg_artifact *source = compact_read(c, sources->at[0]);
	size_t n = source == NULL ? 0 : source->refined_by.count;

	if (sources->count != 1 || n < 2)
		return;
	c->section->guidance = arena_printf(c->arena, "%.*s was refined "
	    "before, by %.*s: skein consolidate %.*s,%.*s \"...\" makes one of "
	    "the two", SLICE_ARG(source->key),
	    SLICE_ARG(source->refined_by.at[n - 2]),
	    SLICE_ARG(source->refined_by.at[n - 2]), SLICE_ARG(a->key));
}

static void
remember(struct compact *c, const struct msg_memory *m)
{
	struct msg_strs sources = { 0 };
	struct msg_artifact *a;

	if (m->refines.len > 0 && m->consolidates.count > 0) {
		compact_refuse(c, "VALIDATION_ERROR", "MUTUAL_EXCLUSION",
		    "refines, consolidates: only one of the two may be given");
		return;
	}
	if (!find_sources(c, m, &sources))
		return;
	a = keep(c, m, &sources);
	supersede(c, &sources, a->key);
	c->section->result = a->key;
	if (sources.count == 0)
		advise(c, a);
	else
		mention_others(c, a, &sources);
}

/* ---- use ---- */

static void
add_result(struct compact *c, struct slice key)
{
	struct slice so_far = c->section->result;

	c->section->result = so_far.len == 0 ? key :
	    arena_printf(c->arena, "%.*s,%.*s", SLICE_ARG(so_far),
		SLICE_ARG(key));
}

/* One use an entry, however often it is named; a late one adds the same. */
static void
use(struct compact *c, const struct msg_artifact *a)
{
	struct msg_s_compactor *s = c->section;
	int64_t at = a->weight_at > c->ts ? a->weight_at : c->ts;

	compact_weigh(c, a->key, weight_used(weight_of(c, a)), a->uses + 1);
	s->weights[s->n_weights - 1].at = at;
}

static void
take_use(struct compact *c, const struct msg_used *u)
{
	struct msg_strs done = { 0 };
	const struct msg_artifact *a;
	size_t i, missing = 0;

	for (i = 0; i < u->artifacts.count; i++) {
		a = compact_find(c, u->artifacts.at[i]);
		if (a == NULL) {
			missing++;
			continue;
		}
		if (strs_has(&done, a->key))
			continue;
		strs_add(&done, c->arena, a->key);
		use(c, a);
		add_result(c, a->key);
	}
	if (done.count == 0)
		(void)find(c, "artifacts", u->artifacts.at[0]);
	else if (missing > 0)
		c->section->guidance = arena_printf(c->arena,
		    "%zu of them are not there", missing);
}

/* ---- attach ---- */

static void
attach(struct compact *c, const struct msg_attach *t)
{
	const struct msg_artifact *a;
	size_t i;

	if (c->thread == 0)
		return;
	for (i = 0; i < t->artifacts.count; i++) {
		a = find(c, "artifacts", t->artifacts.at[i]);
		if (a == NULL) {
			c->section->attached = (struct msg_strs){ 0 };
			c->section->result = SLICE_NONE;
			return;
		}
		if (strs_has(&c->section->attached, a->key))
			continue;
		strs_add(&c->section->attached, c->arena, a->key);
		add_result(c, a->key);
	}
}

static void
apply_attached(struct compact *c)
{
	const struct msg_strs *more = &c->section->attached;
	struct key k = key_u64(c->thread);
	struct msg_attached kept = { 0 };
	size_t i;

	if (more->count == 0 || c->thread == 0)
		return;
	(void)compact_get(c, TABLE_attachments, &k, MSG_attached, &kept);
	for (i = 0; i < more->count; i++)
		if (!strs_has(&kept.artifacts, more->at[i]))
			strs_add(&kept.artifacts, c->arena, more->at[i]);
	if (kept.artifacts.count > LINEAGE_ATTACHED) {
		kept.artifacts.at += kept.artifacts.count - LINEAGE_ATTACHED;
		kept.artifacts.count = LINEAGE_ATTACHED;
	}
	db_put_msg(stage_tables(c->st), TABLE_attachments, key_slice(&k),
	    MSG_attached, &kept);
}

/* ---- the whole ---- */

void
lineage_decide(struct compact *c)
{
	switch (c->e->entry.id) {
	case MSG_memory:
		remember(c, &c->e->entry.as->memory);
		return;
	case MSG_used:
		take_use(c, &c->e->entry.as->used);
		return;
	case MSG_attach:
		attach(c, &c->e->entry.as->attach);
		return;
	default:
		return;
	}
}

/* A goal is no statement: two efforts with one goal are not one. */
static bool
is_statement(const struct msg_artifact *a)
{
	return !slice_is(a->type, "effort") && a->summary.len > 0;
}

void
lineage_apply(struct compact *c)
{
	const struct msg_s_compactor *s = c->section;
	struct msg_similar_doc doc;
	uint64_t seq, n;
	size_t i;

	apply_attached(c);
	for (i = 0; i < s->n_artifacts && c->similar != NULL; i++) {
		if (!is_statement(&s->artifacts[i]) ||
		    artifact_parse(s->artifacts[i].key, &seq, &n) == -1 ||
		    seq != c->seq)
			continue;
		doc = similar_doc(c, s->artifacts[i].summary);
		similar_add(c, SIMILAR_statement, s->artifacts[i].user,
		    s->artifacts[i].room, &doc, seq, n);
	}
}

void
lineage_forgotten(struct stage *st, struct slice domain, uint64_t seq)
{
	struct msg_place p = { .seq = seq };
	struct key k = forgotten_key(domain, seq);

	db_put_msg(stage_tables(st), TABLE_forgotten_entries, key_slice(&k),
	    MSG_place, &p);
}
