/*
 * episodes_join - which threads make an episode, and what it says of them
 *
 * A thread goes on with at most one other; an episode is what hangs together
 * by that.  When a link comes or goes, the threads of the episodes on both its
 * ends are put together anew: a group keeps the oldest key that was in it, and
 * a key that no group has is no more.  The groups are small (EPISODE_THREADS):
 * the oldest threads leave an episode that has more.
 */
#include "linker/episodes.h"

enum {
	CIRCLE_MOST = 2 * EPISODE_THREADS + 2,
	MICRO_PARTS = 3,
	MICRO_BYTES = 600,
	MESO_PARTS = 6,
	MESO_BYTES = 2000,
	NAME_BYTES = 80,
	EPISODE_WORDS = 24,
	EPISODE_KEYS = 32,
};

struct circle {
	struct msg_link_thread *at[CIRCLE_MOST];
	size_t group[CIRCLE_MOST];
	size_t n;
	struct slice keys[CIRCLE_MOST];	/* of the episodes they were in */
	size_t n_keys;
};

/* ---- what an episode says ---- */

static bool
has(const struct msg_strs *list, struct slice word)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (slice_eq(list->at[i], word))
			return true;
	return false;
}

/* Texts one after the other, each a sentence; what does not fit is cut. */
static struct slice
join_texts(struct arena *arena, struct slice (*of)(struct arena *,
    const struct msg_link_thread *), struct msg_link_thread *const *threads,
    size_t n, size_t most)
{
	struct slice text, out;
	struct buf b;
	size_t i;

	buf_init(&b, SIZE_MAX / 4);
	for (i = 0; i < n; i++) {
		text = profile_cut(arena, of(arena, threads[i]),
		    most / n);
		if (text.len == 0)
			continue;
		if (b.len > 0)
			buf_addc(&b, ' ');
		buf_addslice(&b, text);
		if (strchr(".!?", text.ptr[text.len - 1]) == NULL)
			buf_addc(&b, '.');
	}
	out = arena_dup(arena, buf_slice(&b));
	buf_release(&b);
	return out;
}

/*
 * A summary tells what came of a thread; what goes on with it wants to know
 * what it was about as well.
 */
static struct slice
micro_of(struct arena *arena, const struct msg_link_thread *p)
{
	char *both;

	if (p->micro.len == 0 || p->opening.len == 0 ||
	    memmem(p->micro.ptr, p->micro.len, p->opening.ptr,
		p->opening.len) != NULL)
		return profile_summary(p);
	both = arena_room(arena, p->opening.len + 1 + p->micro.len);
	memcpy(both, p->opening.ptr, p->opening.len);
	both[p->opening.len] = ' ';
	memcpy(both + p->opening.len + 1, p->micro.ptr, p->micro.len);
	return slice_of(both, p->opening.len + 1 + p->micro.len);
}

static struct slice
meso_of(struct arena *arena, const struct msg_link_thread *p)
{
	return p->meso.len > 0 ? p->meso : micro_of(arena, p);
}

static struct slice
macro_of(struct arena *arena, const struct msg_link_thread *p)
{
	(void)arena;
	return p->macro;
}

/* Each word once, thread by thread. */
static struct msg_strs
join_lists(struct arena *arena, const struct msg_strs *(*of)(
    const struct msg_link_thread *), struct msg_link_thread *const *threads,
    size_t n, size_t most)
{
	struct msg_strs out = { arena_array(arena, most, sizeof(struct slice)),
		0 };
	const struct msg_strs *list;
	size_t i, k;

	for (i = 0; i < n; i++) {
		list = of(threads[i]);
		for (k = 0; k < list->count && out.count < most; k++)
			if (!has(&out, list->at[k]))
				out.at[out.count++] = list->at[k];
	}
	return out;
}

static const struct msg_strs *
skills_of(const struct msg_link_thread *p)
{
	return &p->skills;
}

static const struct msg_strs *
artifacts_of(const struct msg_link_thread *p)
{
	return &p->artifacts;
}

static const struct msg_strs *
entities_of(const struct msg_link_thread *p)
{
	return &p->entities;
}

/* The heaviest words of all, heaviest first. */
static void
join_keywords(struct arena *arena, struct msg_link_thread *const *threads,
    size_t n, struct msg_episode *e)
{
	struct slice *words = arena_array(arena, EPISODE_WORDS,
	    sizeof(*words));
	uint64_t *weights = arena_array(arena, EPISODE_WORDS,
	    sizeof(*weights));
	const struct msg_link_thread *p;
	size_t i, k, at, count = 0;

	for (i = 0; i < n; i++) {
		p = threads[i];
		for (k = 0; k < p->keywords.count && k < p->weights.count;
		     k++) {
			if (count == EPISODE_WORDS &&
			    weights[count - 1] >= p->weights.at[k])
				continue;
			if (has(&(struct msg_strs){ words, count },
				p->keywords.at[k]))
				continue;
			at = count < EPISODE_WORDS ? count++ : count - 1;
			for (; at > 0 && weights[at - 1] < p->weights.at[k];
			     at--) {
				words[at] = words[at - 1];
				weights[at] = weights[at - 1];
			}
			words[at] = p->keywords.at[k];
			weights[at] = p->weights.at[k];
		}
	}
	e->keywords = (struct msg_strs){ words, count };
	e->weights = (struct msg_u64s){ weights, count };
}

/* The first and the latest: how it began and where it stands. */
static size_t
pick(struct msg_link_thread *const *threads, size_t n,
    struct msg_link_thread **out, size_t most)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (i == 0 || n <= most || i > n - most)
			out[k++] = threads[i];
	return k;
}

static void
say_episode(struct threads *t, struct slice key,
    struct msg_link_thread *const *threads, size_t n)
{
	struct arena *arena = t->l->arena;
	struct msg_link_thread *few[MESO_PARTS] = { NULL };
	struct msg_episode e = {
		.key = key,
		.domain = threads[0]->domain,
		.user = threads[0]->user,
		.room = threads[0]->room,
		.episode_type = SLICE("cross_thread"),
		.linked_threads = { arena_array(arena, n, sizeof(uint64_t)),
		    n },
		.linked_episodes = { arena_array(arena, n,
		    sizeof(struct slice)), n },
		.created_at = threads[0]->created_at,
		.last_activity_at = threads[0]->last_activity_at,
		.name = profile_cut(arena, profile_summary(threads[0]),
		    NAME_BYTES),
	};
	size_t i, k;

	for (i = 0; i < n; i++) {
		e.linked_threads.at[i] = threads[i]->key;
		e.linked_episodes.at[i] = threads_name(arena, 'p',
		    threads[i]->key);
		e.turn_count += threads[i]->turns;
		if (threads[i]->last_activity_at > e.last_activity_at)
			e.last_activity_at = threads[i]->last_activity_at;
	}
	k = pick(threads, n, few, MICRO_PARTS);
	e.micro = join_texts(arena, micro_of, few, k, MICRO_BYTES);
	k = pick(threads, n, few, MESO_PARTS);
	e.meso = join_texts(arena, meso_of, few, k, MESO_BYTES);
	e.macro = join_texts(arena, macro_of, few, k, MESO_BYTES);
	e.skills = join_lists(arena, skills_of, threads, n, EPISODE_KEYS);
	e.artifacts = join_lists(arena, artifacts_of, threads, n,
	    EPISODE_KEYS);
	e.entities = join_lists(arena, entities_of, threads, n, EPISODE_WORDS);
	join_keywords(arena, threads, n, &e);
	threads_say_episode(t, &e);
}

/* ---- which threads ---- */

static void
add_thread(struct circle *c, struct msg_link_thread *p)
{
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < c->n; i++)
		if (c->at[i] == p)
			return;
	if (c->n < CIRCLE_MOST)
		c->at[c->n++] = p;
}

/* A thread with all that are in its episode. */
static void
add_episode(struct threads *t, struct circle *c, struct msg_link_thread *p)
{
	struct msg_episode e;
	size_t i;

	add_thread(c, p);
	if (p == NULL || p->episode.len == 0 ||
	    has(&(struct msg_strs){ c->keys, c->n_keys }, p->episode) ||
	    !threads_episode(t, p->episode, &e))
		return;
	c->keys[c->n_keys++] = p->episode;
	for (i = 0; i < e.linked_threads.count; i++)
		add_thread(c, threads_get(t, e.linked_threads.at[i]));
}

static void
sort_by_time(struct circle *c)
{
	struct msg_link_thread *p;
	size_t i, k;

	for (i = 1; i < c->n; i++) {
		p = c->at[i];
		for (k = i; k > 0 && (c->at[k - 1]->created_at >
			p->created_at || (c->at[k - 1]->created_at ==
			p->created_at && c->at[k - 1]->key > p->key)); k--)
			c->at[k] = c->at[k - 1];
		c->at[k] = p;
	}
}

/* Also by a third that has left the episode already. */
static bool
hang_together(const struct msg_link_thread *a, const struct msg_link_thread *b)
{
	return a->linked_to == b->key || b->linked_to == a->key ||
	    (a->linked_to != 0 && a->linked_to == b->linked_to);
}

/* Every thread gets the number of the first of its group. */
static void
find_groups(struct circle *c)
{
	size_t i, k, m, from, to;

	for (i = 0; i < c->n; i++)
		c->group[i] = i;
	for (i = 0; i < c->n; i++)
		for (k = i + 1; k < c->n; k++) {
			if (c->group[i] == c->group[k] ||
			    !hang_together(c->at[i], c->at[k]))
				continue;
			from = c->group[i] > c->group[k] ? c->group[i] :
							   c->group[k];
			to = c->group[i] + c->group[k] - from;
			for (m = 0; m < c->n; m++)
				if (c->group[m] == from)
					c->group[m] = to;
		}
}

/* The oldest key that one of them had and no other group took. */
static struct slice
take_key(struct threads *t, struct circle *c,
    struct msg_link_thread *const *threads, size_t n)
{
	size_t i, k, best = c->n_keys;
	uint64_t seq, number, least = UINT64_MAX;
	struct slice key;

	for (k = 0; k < c->n_keys; k++)
		for (i = 0; i < n; i++)
			if (c->keys[k].len > 0 &&
			    slice_eq(threads[i]->episode, c->keys[k]) &&
			    threads_key(c->keys[k], 'x', &seq, &number) == 0 &&
			    seq < least) {
				least = seq;
				best = k;
			}
	if (best < c->n_keys) {
		key = c->keys[best];
		c->keys[best] = SLICE_NONE;
		return key;
	}
	number = t->new_episodes++;
	if (number == 0)
		return threads_name(t->l->arena, 'x', t->l->e->seq);
	return arena_printf(t->l->arena, "x%llu.%llu",
	    (unsigned long long)t->l->e->seq, (unsigned long long)number);
}

static void
say_groups(struct threads *t, struct circle *c)
{
	struct msg_link_thread *threads[CIRCLE_MOST];
	struct slice taken[CIRCLE_MOST];
	size_t i, g, n, drop;

	for (i = 0; i < c->n; i++)
		taken[i] = SLICE_NONE;
	for (g = 0; g < c->n; g++) {
		for (i = g, n = 0; i < c->n; i++)
			if (c->group[i] == g)
				threads[n++] = c->at[i];
		if (n < 2)
			continue;
		drop = n > EPISODE_THREADS ? n - EPISODE_THREADS : 0;
		taken[g] = take_key(t, c, threads, n);
		say_episode(t, taken[g], threads + drop, n - drop);
		for (i = g; i < c->n && drop > 0; i++)
			if (c->group[i] == g) {
				c->group[i] = c->n;
				drop--;
			}
	}
	for (i = 0; i < c->n; i++)
		c->at[i]->episode = c->group[i] < c->n ? taken[c->group[i]] :
							 SLICE_NONE;
	for (i = 0; i < c->n_keys; i++)
		if (c->keys[i].len > 0)
			threads_say_episode(t, &(struct msg_episode){
			    .key = c->keys[i],
			    .domain = c->at[0]->domain,
			    .episode_type = SLICE("cross_thread") });
}

void
join_set(struct threads *t, struct msg_link_thread *p, uint64_t to)
{
	struct circle *c;

	if (p->linked_to == to)
		return;
	c = arena_alloc(t->l->arena, sizeof(*c));
	add_episode(t, c, p);
	add_episode(t, c, threads_get(t, to));
	p->linked_to = to;
	sort_by_time(c);
	find_groups(c);
	say_groups(t, c);
}

void
join_refresh(struct threads *t, const struct msg_link_thread *p)
{
	struct circle *c = arena_alloc(t->l->arena, sizeof(*c));
	struct msg_episode e;
	size_t i;

	if (!threads_episode(t, p->episode, &e))
		return;
	for (i = 0; i < e.linked_threads.count; i++)
		add_thread(c, threads_get(t, e.linked_threads.at[i]));
	if (c->n > 0)
		say_episode(t, p->episode, c->at, c->n);
}
