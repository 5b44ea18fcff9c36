/*
 * episodes_store - the tables of linked threads, as one entry sees them
 */
#include "common/when.h"
#include "linker/batch.h"
#include "linker/episodes.h"

/* ---- keys ---- */

static struct key
numbered_key(struct slice domain, uint64_t number)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, domain);
	key_add_u64(&k, number);
	return k;
}

/* ---- reading ---- */

void
threads_open(struct threads *t, struct link *l)
{
	*t = (struct threads){ .l = l };
	batch_domain(l, &t->domain);
}

static struct msg_link_thread *
remember(struct threads *t, const struct msg_link_thread *p)
{
	struct msg_link_thread *kept = arena_room(t->l->arena, sizeof(*kept));
	struct msg_link_thread **grown;

	if (t->n_known == t->cap_known) {
		t->cap_known = t->cap_known == 0 ? 8 : t->cap_known * 2;
		grown = arena_array(t->l->arena, t->cap_known, sizeof(*grown));
		if (t->n_known > 0)
			memcpy(grown, t->known, t->n_known * sizeof(*grown));
		t->known = grown;
	}
	*kept = *p;
	kept->has = 0;
	t->known[t->n_known++] = kept;
	return kept;
}

static struct msg_link_thread *
find_known(const struct threads *t, uint64_t key)
{
	size_t i;

	for (i = 0; i < t->n_known; i++)
		if (t->known[i]->key == key)
			return t->known[i];
	return NULL;
}

struct msg_link_thread *
threads_get(struct threads *t, uint64_t key)
{
	struct msg_link_thread p, *known = find_known(t, key);

	if (known != NULL)
		return known;
	if (key == 0 || !batch_thread(t->l, key, &p))
		return NULL;
	return remember(t, &p);
}

struct msg_link_thread *
threads_set(struct threads *t, const struct msg_link_thread *p)
{
	struct msg_link_thread *known = find_known(t, p->key);

	if (known == NULL)
		return remember(t, p);
	*known = *p;
	return known;
}

struct msg_link_thread *
threads_begin(struct threads *t, uint64_t key)
{
	const struct msg_envelope *env = &t->l->e->entry.as->envelope;
	struct msg_link_thread p = {
		.key = key,
		.domain = env->domain,
		.user = env->room.len > 0 ? SLICE_NONE : env->user,
		.room = env->room,
	};

	return remember(t, &p);
}

struct score_rules
threads_rules(const struct threads *t)
{
	const struct conf *c = t->l->conf;
	struct score_rules r = { { (unsigned)c->link_keyword,
		(unsigned)c->link_entity, (unsigned)c->link_topic,
		(unsigned)c->link_recency }, (unsigned)c->link_threshold };
	size_t i;

	if (t->domain.in_force == 0 || t->domain.weights.count != SCORE_TERMS)
		return r;
	for (i = 0; i < SCORE_TERMS; i++)
		r.weights[i] = (unsigned)t->domain.weights.at[i];
	r.threshold = (unsigned)t->domain.threshold;
	return r;
}

uint64_t
threads_prompt_version(const struct threads *t)
{
	return t->domain.prompt_version == 0 ? 1 : t->domain.prompt_version;
}

const struct msg_link *
threads_link(struct threads *t, struct slice key)
{
	const struct msg_s_linker *s = t->l->section;
	struct msg_link *link;
	uint64_t seq, n;
	size_t i;

	for (i = 0; i < s->n_links; i++)
		if (slice_eq(s->links[i].key, key))
			return &s->links[i];
	if (threads_key(key, 'l', &seq, &n) == -1 || n != 0)
		return NULL;
	link = arena_alloc(t->l->arena, sizeof(*link));
	if (!batch_link(t->l, seq, link) ||
	    !slice_eq(link->domain, t->l->e->entry.as->envelope.domain))
		return NULL;
	link->has = 0;
	return link;
}

const struct msg_link *
threads_latest(struct threads *t, const struct msg_link *link)
{
	struct key k = numbered_key(link->domain, link->number);
	const struct msg_link *latest;
	struct msg_place p;

	if (link->revised_by.len == 0 ||
	    !link_get(t->l, TABLE_link_numbers, &k, MSG_place, &p))
		return link;
	latest = threads_link(t, threads_name(t->l->arena, 'l', p.seq));
	return latest != NULL ? latest : link;
}

const struct msg_link *
threads_link_numbered(struct threads *t, uint64_t number)
{
	struct key k = numbered_key(t->l->e->entry.as->envelope.domain,
	    number);
	struct msg_place p;

	if (!link_get(t->l, TABLE_link_numbers, &k, MSG_place, &p))
		return NULL;
	return threads_link(t, threads_name(t->l->arena, 'l', p.seq));
}

bool
threads_episode(struct threads *t, struct slice key, struct msg_episode *out)
{
	const struct msg_s_linker *s = t->l->section;
	uint64_t seq, n;
	size_t i;

	for (i = s->n_episodes; i > 0; i--)
		if (slice_eq(s->episodes[i - 1].key, key)) {
			*out = s->episodes[i - 1];
			return out->linked_threads.count > 0;
		}
	return threads_key(key, 'x', &seq, &n) == 0 &&
	    batch_episode(t->l, seq, n, out);
}

bool
threads_tuning(struct threads *t, uint64_t number, struct msg_tuning *out)
{
	struct key k = numbered_key(t->l->e->entry.as->envelope.domain,
	    number);

	return link_get(t->l, TABLE_tunings, &k, MSG_tuning, out);
}

size_t
threads_candidates(struct threads *t, const struct msg_link_thread *p,
    uint64_t out[LINK_CANDIDATES])
{
	int64_t window = t->l->conf->link_window * WHEN_HOUR_MS;

	return batch_recent(t->l, batch_stream(t->l, p),
	    p->created_at - window, p->created_at, p->key, out,
	    LINK_CANDIDATES);
}

/* How rare its words are. */
static unsigned *
rarity_of(struct threads *t, struct batch_stream *stream, enum batch_kind kind,
    const uint64_t *words, size_t n_words, uint64_t fresh)
{
	unsigned *out = arena_room(t->l->arena, n_words * sizeof(*out));
	uint64_t all = batch_count(t->l, stream, BATCH_THREADS, 0), n;
	size_t i;

	for (i = 0; i < n_words; i++)
		batch_fetch_count(t->l, stream, kind, words[i]);
	for (i = 0; i < n_words; i++) {
		n = batch_count(t->l, stream, kind, words[i]);
		/* The thread itself is among them once it is written. */
		if (n > 0 && (fresh >> i & 1) == 0)
			n--;
		out[i] = score_rarity(n, all);
	}
	return out;
}

void
threads_self(struct threads *t, const struct msg_link_thread *p,
    struct profile_fresh fresh, const struct profile_hashes *hashes,
    struct score_self *out)
{
	struct batch_stream *stream = batch_stream(t->l, p);
	unsigned *keywords = rarity_of(t, stream, BATCH_WORD, hashes->keywords,
	    p->keywords.count, fresh.keywords);
	unsigned *entities = rarity_of(t, stream, BATCH_NAME, hashes->entities,
	    p->entities.count, fresh.entities);

	score_prepare(out, p, hashes, keywords, entities);
}

/* ---- writing ---- */

static bool
is_latest(const struct msg_link *link)
{
	return link->revised_by.len == 0;
}

/* What a decision's number leads to, unless it does already. */
static void
write_number(struct threads *t, const struct msg_link *link, uint64_t seq)
{
	const struct msg_link *was = batch_peek_link(t->l, seq);
	struct msg_place place = { .seq = seq };
	struct key k;

	if (was != NULL && is_latest(was) && was->number == link->number &&
	    slice_eq(was->domain, link->domain))
		return;
	k = numbered_key(link->domain, link->number);
	link_put_later(t->l, TABLE_link_numbers, &k, MSG_place, &place);
}

void
threads_write_links(struct threads *t)
{
	const struct msg_s_linker *s = t->l->section;
	struct msg_link_thread *p;
	const struct msg_link *link;
	uint64_t seq, n;
	size_t i;

	for (i = 0; i < s->n_links; i++) {
		link = &s->links[i];
		if (threads_key(link->key, 'l', &seq, &n) == -1)
			continue;	/* a section may come from elsewhere */
		if (is_latest(link))
			write_number(t, link, seq);
		batch_put_link(t->l, seq, link);
		p = is_latest(link) ? threads_get(t, link->thread) : NULL;
		if (p == NULL)
			continue;
		if (!slice_eq(p->link, link->key))
			p->watched = 0;
		p->link = link->key;
		p->linked_to = decision_is_link(link->decision) ?
		    link->candidate : 0;
	}
}

static void
leave_episode(struct threads *t, const struct msg_episode *e)
{
	struct msg_link_thread *p;
	size_t i;

	for (i = 0; i < e->linked_threads.count; i++) {
		p = threads_get(t, e->linked_threads.at[i]);
		if (p != NULL && slice_eq(p->episode, e->key))
			p->episode = SLICE_NONE;
	}
}

void
threads_write_episodes(struct threads *t)
{
	const struct msg_s_linker *s = t->l->section;
	const struct msg_episode *e;
	struct msg_link_thread *p;
	struct msg_episode was;
	uint64_t seq, n;
	size_t i, m;

	for (i = 0; i < s->n_episodes; i++) {
		if (threads_key(s->episodes[i].key, 'x', &seq, &n) == -1)
			continue;
		if (batch_episode(t->l, seq, n, &was))
			leave_episode(t, &was);
	}
	for (i = 0; i < s->n_episodes; i++) {
		e = &s->episodes[i];
		if (threads_key(e->key, 'x', &seq, &n) == -1)
			continue;
		batch_put_episode(t->l, seq, n, e);
		for (m = 0; m < e->linked_threads.count; m++) {
			p = threads_get(t, e->linked_threads.at[m]);
			if (p != NULL)
				p->episode = e->key;
		}
	}
}

void
threads_write_domain(struct threads *t)
{
	const struct msg_s_linker *s = t->l->section;
	struct slice domain = t->l->e->entry.as->envelope.domain;
	struct key k;
	size_t i;

	if (s->n_links == 0 && s->n_tunings == 0)
		return;
	for (i = 0; i < s->n_links; i++)
		if (s->links[i].number > t->domain.decisions)
			t->domain.decisions = s->links[i].number;
	for (i = 0; i < s->n_tunings; i++) {
		k = numbered_key(domain, s->tunings[i].number);
		link_put(t->l, TABLE_tunings, &k, MSG_tuning, &s->tunings[i]);
		threads_tuned(&t->domain, &s->tunings[i]);
		if (s->tunings[i].undoes == 0)
			t->domain.looked_at = t->domain.decisions;
	}
	batch_put_domain(t->l, &t->domain);
}

/* Those that the thread has not had. */
static void
count_words(struct threads *t, struct batch_stream *stream,
    enum batch_kind kind, const uint64_t *words, uint64_t fresh)
{
	for (; fresh != 0; fresh &= fresh - 1)
		batch_count_up(t->l, stream, kind,
		    words[__builtin_ctzll(fresh)]);
}

void
threads_write(struct threads *t, const struct msg_link_thread *p,
    const struct msg_link_thread *was, const struct profile_hashes *hashes,
    struct profile_fresh fresh)
{
	struct batch_stream *stream = batch_stream(t->l, p);

	if (was == NULL)
		batch_count_up(t->l, stream, BATCH_THREADS, 0);
	count_words(t, stream, BATCH_WORD, hashes->keywords, fresh.keywords);
	count_words(t, stream, BATCH_NAME, hashes->entities, fresh.entities);
	batch_active(t->l, p, was);
	batch_put_card(t->l, p, hashes);
}
