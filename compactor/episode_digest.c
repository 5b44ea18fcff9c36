/*
 * episode_digest - the little of a thread that its compaction is made of
 */
#include "compactor/episode_digest.h"

#include "common/text.h"
#include "compactor/summary.h"

enum {
	KEYWORDS_A_CLAIM = 6,	/* the heaviest of it */
	ENTITY_WEIGHT = 1000,
	LINE_LEAST = 2000,	/* a statement that tells less is none */
	WEIGHT_ENOUGH = 1000000000,	/* a word cannot get heavier */
	PACKED_HEAD = 11,	/* of an item, before its text */
};

/* ---- lists ---- */

/* All lists of a digest are as long as this at most, but for damage. */
static void *
room_for(struct arena *own, const void *at, size_t count, size_t size)
{
	size_t most = count > DIGEST_ARTIFACTS ? count : DIGEST_ARTIFACTS;
	void *room;

	if (count == 0)
		return NULL;
	room = arena_array(own, most, size);
	return memcpy(room, at, count * size);
}

static void
own_strs(struct msg_strs *list, struct arena *own)
{
	list->at = room_for(own, list->at, list->count, sizeof(list->at[0]));
}

static void
own_u64s(struct msg_u64s *list, struct arena *own)
{
	list->at = room_for(own, list->at, list->count, sizeof(list->at[0]));
}

void
digest_own(struct msg_episode_digest *d, struct arena *own)
{
	own_strs(&d->people, own);
	own_strs(&d->keywords, own);
	own_u64s(&d->weights, own);
	own_strs(&d->entities, own);
	own_u64s(&d->entity_weights, own);
	own_strs(&d->artifacts, own);
	own_strs(&d->changed, own);
	d->lines = room_for(own, d->lines, d->n_lines, sizeof(d->lines[0]));
}

/* What is too long for the table is so here already. */
static struct slice
keep_str(struct arena *own, struct slice s)
{
	return arena_dup(own, s.len <= UINT16_MAX ? s :
	    slice_of(s.ptr, text_cut(s, UINT16_MAX)));
}

/* To the end of a list that is not full. */
static void
add_str(struct msg_strs *list, struct arena *own, struct slice s)
{
	if (list->at == NULL)
		list->at = arena_array(own, DIGEST_ARTIFACTS,
		    sizeof(list->at[0]));
	list->at[list->count++] = s;
}

static void
add_u64(struct msg_u64s *list, struct arena *own, uint64_t n)
{
	if (list->at == NULL)
		list->at = arena_array(own, DIGEST_ARTIFACTS,
		    sizeof(list->at[0]));
	list->at[list->count++] = n;
}

/* ---- what is said most ---- */

static size_t
lightest(const struct msg_u64s *weights)
{
	const uint64_t *at = weights->at;
	size_t i, n = weights->count, least = 0;

	for (i = 1; i < n; i++)
		least = at[i] < at[least] ? i : least;
	return least;
}

/*
 * Adds weight to a word.  A new one takes the lightest one's place and half of
 * its weight, so that what comes often late can still get in.
 */
static void
add_weight(struct msg_strs *words, struct msg_u64s *weights,
    struct arena *own, size_t most, struct slice word, uint64_t weight)
{
	size_t i, n = words->count < weights->count ? words->count :
	    weights->count;

	for (i = 0; i < n; i++)
		if (slice_eq(words->at[i], word)) {
			if (weights->at[i] < WEIGHT_ENOUGH)
				weights->at[i] += weight;
			return;
		}
	word = keep_str(own, word);
	if (words->count < most) {
		while (weights->count < words->count)
			add_u64(weights, own, 0);
		weights->count = words->count;
		add_str(words, own, word);
		add_u64(weights, own, weight);
	} else {
		i = lightest(weights);
		weights->at[i] = weights->at[i] / 2 + weight;
		words->at[i] = word;
	}
}

static void
take_words(struct msg_episode_digest *d, struct arena *own,
    const struct msg_c_claim *claim)
{
	size_t i;

	for (i = 0; i < claim->keywords.count && i < KEYWORDS_A_CLAIM &&
	     i < claim->weights.count; i++)
		add_weight(&d->keywords, &d->weights, own, DIGEST_KEYWORDS,
		    claim->keywords.at[i], claim->weights.at[i]);
	for (i = 0; i < claim->n_entities; i++)
		add_weight(&d->entities, &d->entity_weights, own,
		    DIGEST_ENTITIES, claim->entities[i].normal,
		    ENTITY_WEIGHT);
}

/* The heaviest first. */
static void
sort_words(struct msg_strs *words, struct msg_u64s *weights)
{
	uint64_t weight;
	struct slice word;
	size_t i, k;

	for (i = 1; i < words->count && i < weights->count; i++) {
		word = words->at[i];
		weight = weights->at[i];
		for (k = i; k > 0 && weights->at[k - 1] < weight; k--) {
			words->at[k] = words->at[k - 1];
			weights->at[k] = weights->at[k - 1];
		}
		words->at[k] = word;
		weights->at[k] = weight;
	}
}

void
digest_sort(struct msg_episode_digest *d)
{
	sort_words(&d->keywords, &d->weights);
	sort_words(&d->entities, &d->entity_weights);
}

/* ---- what tells most ---- */

static uint64_t
content_of(const struct msg_c_claim *claim)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < claim->weights.count && i < KEYWORDS_A_CLAIM; i++)
		sum += claim->weights.at[i];
	return sum;
}

static size_t
least_telling(const struct msg_episode_digest *d)
{
	size_t i, least = 0;

	for (i = 1; i < d->n_lines; i++)
		if (d->lines[i].content < d->lines[least].content)
			least = i;
	return least;
}

/* In the order of turns; the one that tells least makes room. */
static void
add_line(struct msg_episode_digest *d, struct arena *own,
    const struct msg_episode_line *line)
{
	size_t least;

	if (d->lines == NULL)
		d->lines = arena_array(own, DIGEST_LINES,
		    sizeof(d->lines[0]));
	if (d->n_lines == DIGEST_LINES) {
		least = least_telling(d);
		memmove(&d->lines[least], &d->lines[least + 1],
		    (d->n_lines - least - 1) * sizeof(d->lines[0]));
		d->n_lines--;
	}
	d->lines[d->n_lines] = *line;
	d->lines[d->n_lines++].text = arena_dup(own, line->text);
}

/* The turn's statement that tells most. */
static void
take_line(struct msg_episode_digest *d, struct arena *own,
    const struct compact_turn *t)
{
	const struct msg_c_claim *claim, *best = NULL;
	uint64_t content, most = LINE_LEAST;
	size_t i;

	for (i = 0; i < t->does->n_claims; i++) {
		claim = &t->does->claims[i];
		content = content_of(claim);
		if (content > most && claim->at <= t->text.len &&
		    claim->len <= t->text.len - claim->at) {
			most = content;
			best = claim;
		}
	}
	if (best == NULL || (d->n_lines == DIGEST_LINES &&
		most <= d->lines[least_telling(d)].content))
		return;
	add_line(d, own, &(struct msg_episode_line){
		.turn = t->number,
		.content = most,
		.text = slice_of(t->text.ptr + best->at,
		    text_cut(slice_of(t->text.ptr + best->at, best->len),
			DIGEST_LINE_BYTES)),
	});
}

/* ---- names ---- */

/* In the words of the first who says what it is about. */
static bool
take_name(struct msg_episode_digest *d, struct arena *own,
    struct arena *arena, const struct compact_turn *t)
{
	struct summary_turn turn = { .text = t->text, .role = t->role,
		.does = t->does };
	struct slice name;

	if (d->name.len > 0 || d->turns > DIGEST_NAMED_BY ||
	    !slice_is(t->role, "user") ||
	    t->does->machine || t->does->n_claims == 0)
		return false;
	name = summary_goal(arena, &turn).text;
	if (name.len > 0)
		name = summary_shorten(arena, name, CUT_asking,
		    DIGEST_NAME_WORDS);
	if (name.len > 0)
		d->name = arena_dup(own, name);
	return name.len > 0;
}

static void
take_person(struct msg_episode_digest *d, struct arena *own,
    const struct compact_turn *t)
{
	struct slice who = slice_is(t->role, "user") ? t->user : t->role;

	if (who.len == 0 || d->people.count >= DIGEST_PEOPLE ||
	    strs_has(&d->people, who))
		return;
	add_str(&d->people, own, keep_str(own, who));
}

/* ---- the whole ---- */

bool
digest_take(struct msg_episode_digest *d, struct arena *own,
    struct arena *arena, const struct compact_turn *t)
{
	size_t i;

	d->turns++;
	if (d->fresh++ == 0 || t->ts < d->fresh_at)
		d->fresh_at = t->ts;
	if (t->ts > d->last_at)
		d->last_at = t->ts;
	if (t->ts < d->first_at)
		d->first_at = t->ts;
	if (slice_is(t->role, "system") || slice_is(t->role, "tool"))
		return false;
	take_person(d, own, t);
	if (t->does->machine)
		return false;
	for (i = 0; i < t->does->n_claims; i++)
		take_words(d, own, &t->does->claims[i]);
	take_line(d, own, t);
	return take_name(d, own, arena, t);
}

/* To the end of a list, which is full with DIGEST_ARTIFACTS. */
static void
to_end(struct msg_strs *list, struct arena *own, struct slice s)
{
	size_t i, n = 0;

	for (i = 0; i < list->count; i++)
		if (!slice_eq(list->at[i], s))
			list->at[n++] = list->at[i];
	list->count = n;
	if (n >= DIGEST_ARTIFACTS) {
		memmove(list->at, list->at + 1, (n - 1) * sizeof(s));
		list->count = n - 1;
	}
	add_str(list, own, keep_str(own, s));
}

void
digest_take_artifact(struct msg_episode_digest *d, struct arena *own,
    struct slice key)
{
	to_end(&d->changed, own, key);
	if (strs_has(&d->artifacts, key))
		return;
	to_end(&d->artifacts, own, key);
}

void
digest_compacted(struct msg_episode_digest *d)
{
	d->fresh = 0;
	d->fresh_at = 0;
	d->due = 0;
	d->changed.count = 0;
	d->has = 0;
}

/* ---- packing ---- */

static void
put_u32(char *at, uint64_t n)
{
	uint32_t v = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;

	at[0] = (char)(v >> 24);
	at[1] = (char)(v >> 16);
	at[2] = (char)(v >> 8);
	at[3] = (char)v;
}

static uint64_t
get_u32(const char *at)
{
	const unsigned char *p = (const unsigned char *)at;

	return (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 |
	    (uint64_t)p[2] << 8 | p[3];
}

/* How many bytes an item takes; what is too long for one is cut. */
static size_t
item_len(struct slice text)
{
	return PACKED_HEAD + text_cut(text, UINT16_MAX);
}

static void
pack_item(struct slice *out, char kind, uint64_t a, uint64_t b,
    struct slice text)
{
	char *at = (char *)(uintptr_t)out->ptr + out->len;
	size_t len = item_len(text) - PACKED_HEAD;

	at[0] = kind;
	put_u32(at + 1, a);
	put_u32(at + 5, b);
	at[9] = (char)(len >> 8);
	at[10] = (char)len;
	if (len > 0)
		memcpy(at + PACKED_HEAD, text.ptr, len);
	out->len += PACKED_HEAD + len;
}

static size_t
strs_len(const struct msg_strs *list)
{
	size_t i, len = 0;

	for (i = 0; i < list->count; i++)
		len += item_len(list->at[i]);
	return len;
}

static void
pack_strs(struct slice *out, char kind, const struct msg_strs *list,
    const struct msg_u64s *weights)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		pack_item(out, kind, weights != NULL && i < weights->count ?
		    weights->at[i] : 0, 0, list->at[i]);
}

void
digest_pack(struct msg_episode_digest *d, struct arena *arena)
{
	size_t i, len = strs_len(&d->people) + strs_len(&d->keywords) +
	    strs_len(&d->entities) + strs_len(&d->artifacts) +
	    strs_len(&d->changed);
	struct slice out = SLICE_NONE;

	for (i = 0; i < d->n_lines; i++)
		len += item_len(d->lines[i].text);
	out.ptr = arena_alloc(arena, len);
	pack_strs(&out, 'p', &d->people, NULL);
	pack_strs(&out, 'k', &d->keywords, &d->weights);
	pack_strs(&out, 'e', &d->entities, &d->entity_weights);
	pack_strs(&out, 'a', &d->artifacts, NULL);
	pack_strs(&out, 'c', &d->changed, NULL);
	for (i = 0; i < d->n_lines; i++)
		pack_item(&out, 'l', d->lines[i].turn, d->lines[i].content,
		    d->lines[i].text);
	d->packed = out;
	d->people = d->keywords = d->entities = (struct msg_strs){ 0 };
	d->artifacts = d->changed = (struct msg_strs){ 0 };
	d->weights = d->entity_weights = (struct msg_u64s){ 0 };
	d->lines = NULL;
	d->n_lines = 0;
}

static void
unpack_item(struct msg_episode_digest *d, struct arena *arena,
    const char *item, struct slice text)
{
	struct msg_u64s *weights = item[0] == 'k' ? &d->weights :
	    item[0] == 'e' ? &d->entity_weights : NULL;
	struct msg_strs *list = item[0] == 'p' ? &d->people :
	    item[0] == 'k' ? &d->keywords : item[0] == 'e' ? &d->entities :
	    item[0] == 'a' ? &d->artifacts :
	    item[0] == 'c' ? &d->changed : NULL;

	if (item[0] == 'l' && d->n_lines < DIGEST_LINES) {
		if (d->lines == NULL)
			d->lines = arena_array(arena, DIGEST_LINES,
			    sizeof(d->lines[0]));
		d->lines[d->n_lines++] = (struct msg_episode_line){
			.turn = get_u32(item + 1),
			.content = get_u32(item + 5),
			.text = text,
		};
	}
	if (list == NULL || list->count == DIGEST_ARTIFACTS)
		return;
	add_str(list, arena, text);
	if (weights != NULL)
		add_u64(weights, arena, get_u32(item + 1));
}

void
digest_unpack(struct msg_episode_digest *d, struct arena *arena)
{
	struct slice in = d->packed;
	size_t len;

	while (in.len >= PACKED_HEAD) {
		len = (size_t)(unsigned char)in.ptr[9] << 8 |
		    (unsigned char)in.ptr[10];
		if (len > in.len - PACKED_HEAD)
			break;
		unpack_item(d, arena, in.ptr,
		    slice_of(in.ptr + PACKED_HEAD, len));
		in = slice_of(in.ptr + PACKED_HEAD + len,
		    in.len - PACKED_HEAD - len);
	}
	d->packed = SLICE_NONE;
}
