/*
 * skill - when X, did Y, worked: what a thread shows for the next time
 */
#include "compactor/skill.h"

#include "common/text.h"
#include "compactor/similar.h"

enum {
	SITUATION_WORDS = 5,	/* a goal with fewer is told with its tags */
	SITUATION_TAGS = 4,
};

/* A situation and what was done about it, as one artifact shows it. */
struct lesson {
	struct slice when, did;
	bool worked;
	struct slice artifact;
};

/* ---- keys ---- */

/* "k12.0" has the form of an artifact's key. */
static int
skill_parse(struct arena *arena, struct slice key, uint64_t *seq, uint64_t *n)
{
	char *as;

	if (key.len < 2 || key.ptr[0] != 'k')
		return -1;
	as = arena_cstr(arena, key);
	as[0] = 'a';
	return artifact_parse(slice_of(as, key.len), seq, n);
}

static struct slice
skill_key(struct arena *arena, uint64_t seq, uint64_t n)
{
	return arena_printf(arena, "k%llu.%llu", (unsigned long long)seq,
	    (unsigned long long)n);
}

/* ---- what an artifact shows ---- */

static bool
has_failed(const struct msg_artifact *a)
{
	return a->n_history > 0 &&
	    slice_is(a->history[a->n_history - 1].status, "failed");
}

/* What helped: the attempt that worked, else the words that resolved it. */
static struct slice
what_helped(struct compact *c, const struct msg_artifact *a)
{
	const struct msg_artifact *attempt;
	size_t i;

	for (i = a->attempts.count; i > 0; i--) {
		attempt = compact_read(c, a->attempts.at[i - 1]);
		if (attempt != NULL && !has_failed(attempt) &&
		    slice_is(attempt->status, "resolved"))
			return attempt->summary;
	}
	return a->resolution;
}

/*
 * The goal; where it has few words of its own ("Debug this error"), with what
 * it was about, or one situation could not be told from another.
 */
static struct slice
situation(struct compact *c, const struct msg_artifact *a)
{
	struct msg_similar_doc doc = similar_doc(c, a->summary);
	struct slice folded = text_fold(c->arena, a->summary), when;
	size_t i, n = 0;
	struct buf b;

	if (doc.stems.count >= SITUATION_WORDS)
		return a->summary;
	buf_init(&b, SIZE_MAX / 4);
	buf_addslice(&b, a->summary);
	for (i = 0; i < a->tags.count && n < SITUATION_TAGS; i++) {
		if (memmem(folded.ptr, folded.len, a->tags.at[i].ptr,
			a->tags.at[i].len) != NULL)
			continue;
		buf_adds(&b, n++ == 0 ? " (" : ", ");
		buf_addslice(&b, a->tags.at[i]);
	}
	buf_adds(&b, n > 0 ? ")" : "");
	when = arena_dup(c->arena, buf_slice(&b));
	buf_release(&b);
	return when;
}

/* False: it shows nothing. */
static bool
learn(struct compact *c, const struct msg_artifact *a, struct lesson *out)
{
	const struct msg_artifact *parent;

	*out = (struct lesson){ .artifact = a->key };
	if (!slice_is(a->type, "effort") || a->checkpoint ||
	    !slice_is(a->status, "resolved"))
		return false;
	if (a->parent.len > 0) {
		parent = compact_read(c, a->parent);
		if (parent == NULL || !has_failed(a))
			return false;
		out->when = situation(c, parent);
		out->did = a->summary;
	} else {
		out->when = situation(c, a);
		out->did = what_helped(c, a);
		out->worked = true;
	}
	return out->when.len > 0 && out->did.len > 0 &&
	    !slice_eq(out->when, out->did);
}

/* ---- recognising ---- */

static bool
are_alike(struct compact *c, struct slice x, struct slice y)
{
	struct msg_similar_doc a, b;

	if (slice_eq(x, y))
		return true;
	a = similar_doc(c, x);
	b = similar_doc(c, y);
	return similar_cosine(&a, &b) >= SKILL_ALIKE;
}

static bool
is_same(struct compact *c, const struct msg_skill *s, const struct lesson *l)
{
	return s->worked == l->worked && are_alike(c, s->when, l->when) &&
	    are_alike(c, s->did, l->did);
}

static bool
is_whose(const struct msg_skill *s, const struct msg_episode_digest *d)
{
	return slice_eq(s->room, d->room) &&
	    (d->room.len > 0 || slice_eq(s->user, d->user));
}

bool
skill_read(struct compact *c, struct slice key, struct msg_skill *out)
{
	uint64_t seq, n;
	struct key k;
	size_t i;

	for (i = 0; i < c->section->n_skills; i++)
		if (slice_eq(c->section->skills[i].key, key)) {
			*out = c->section->skills[i];
			return true;
		}
	if (skill_parse(c->arena, key, &seq, &n) == -1)
		return false;
	k = key_pair(seq, n);
	if (!compact_get(c, TABLE_skills, &k, MSG_skill, out) ||
	    !slice_eq(out->domain, c->envelope->domain))
		return false;
	out->has = 0;
	return true;
}

/* One that is known already: of this entry, or by the index. */
static bool
recognise(struct compact *c, const struct msg_episode_digest *d,
    const struct lesson *l, struct msg_skill *out)
{
	struct similar_hit hits[SKILL_COMPARED];
	struct msg_similar_doc doc;
	size_t i, n;

	for (i = 0; i < c->section->n_skills; i++)
		if (is_whose(&c->section->skills[i], d) &&
		    is_same(c, &c->section->skills[i], l)) {
			*out = c->section->skills[i];
			return true;
		}
	doc = similar_doc(c, l->when);
	n = similar_find(c, SIMILAR_skill, d->user, d->room, &doc, hits,
	    SKILL_COMPARED);
	for (i = 0; i < n && hits[i].likeness >= SKILL_ALIKE; i++)
		if (skill_read(c, skill_key(c->arena, hits[i].seq, hits[i].n),
			out) && is_same(c, out, l))
			return true;
	return false;
}

/* ---- into the section ---- */

static void
add_place(struct msg_strs *list, struct arena *arena, struct slice key)
{
	if (strs_has(list, key))
		return;
	strs_add(list, arena, key);
	if (list->count > SKILL_PLACES) {
		list->at++;
		list->count--;
	}
}

static uint64_t
next_number(const struct compact *c)
{
	uint64_t seq, n, next = 0;
	size_t i;

	for (i = 0; i < c->section->n_skills; i++)
		if (skill_parse(c->arena, c->section->skills[i].key, &seq,
			&n) == 0 && seq == c->seq && n >= next)
			next = n + 1;
	return next;
}

/* In place of what the section had of it. */
static void
put(struct compact *c, const struct msg_skill *s)
{
	struct msg_s_compactor *section = c->section;
	struct msg_skill *all;
	size_t i;

	for (i = 0; i < section->n_skills; i++)
		if (slice_eq(section->skills[i].key, s->key)) {
			section->skills[i] = *s;
			return;
		}
	all = arena_array(c->arena, section->n_skills + 1, sizeof(all[0]));
	if (section->n_skills > 0)
		memcpy(all, section->skills,
		    section->n_skills * sizeof(all[0]));
	all[section->n_skills++] = *s;
	section->skills = all;
}

static void
take(struct compact *c, const struct msg_episode_digest *d,
    struct slice episode, const struct lesson *l, struct msg_strs *keys)
{
	struct msg_skill s;

	if (!recognise(c, d, l, &s))
		s = (struct msg_skill){
			.key = skill_key(c->arena, c->seq, next_number(c)),
			.domain = d->domain,
			.user = d->user,
			.room = d->room,
			.when = l->when,
			.did = l->did,
			.worked = l->worked,
			.created_at = c->ts,
		};
	if (!strs_has(&s.episodes, episode))
		s.evidence++;
	add_place(&s.episodes, c->arena, episode);
	add_place(&s.artifacts, c->arena, l->artifact);
	if (c->ts > s.updated_at)
		s.updated_at = c->ts;
	put(c, &s);
	add_place(keys, c->arena, s.key);
}

void
skill_decide(struct compact *c, const struct msg_episode_digest *d,
    struct slice episode, struct msg_strs *keys)
{
	const struct msg_artifact *a;
	struct lesson lesson;
	size_t i;

	if (c->similar == NULL)
		return;
	for (i = 0; i < d->changed.count; i++) {
		a = compact_read(c, d->changed.at[i]);
		if (a != NULL && learn(c, a, &lesson))
			take(c, d, episode, &lesson, keys);
	}
}

void
skill_apply(struct compact *c)
{
	const struct msg_s_compactor *s = c->section;
	struct msg_similar_doc doc;
	uint64_t seq, n;
	struct key k;
	size_t i;

	for (i = 0; i < s->n_skills; i++) {
		if (skill_parse(c->arena, s->skills[i].key, &seq, &n) == -1 ||
		    !slice_eq(s->skills[i].domain, c->envelope->domain))
			continue;
		k = key_pair(seq, n);
		db_put_msg(stage_tables(c->st), TABLE_skills, key_slice(&k),
		    MSG_skill, &s->skills[i]);
		if (seq != c->seq || c->similar == NULL)
			continue;
		doc = similar_doc(c, s->skills[i].when);
		similar_add(c, SIMILAR_skill, s->skills[i].user,
		    s->skills[i].room, &doc, seq, n);
	}
}
