/*
 * episode_make - a primary episode, made of a thread's digest
 */
#include "compactor/episode_make.h"

#include "compactor/episode_digest.h"
#include "compactor/episode_words.h"
#include "compactor/skill.h"

struct slice
episode_key(struct arena *arena, uint64_t thread)
{
	return arena_printf(arena, "p%llu", (unsigned long long)thread);
}

/* In place of what the section had of it. */
static void
put_episode(struct compact *c, const struct msg_episode *e)
{
	struct msg_s_compactor *s = c->section;
	struct msg_episode *all;
	size_t i;

	for (i = 0; i < s->n_episodes; i++)
		if (slice_eq(s->episodes[i].key, e->key)) {
			s->episodes[i] = *e;
			return;
		}
	all = arena_array(c->arena, s->n_episodes + 1, sizeof(all[0]));
	if (s->n_episodes > 0)
		memcpy(all, s->episodes, s->n_episodes * sizeof(all[0]));
	all[s->n_episodes++] = *e;
	s->episodes = all;
}

struct msg_episode
episode_outline(struct arena *arena, uint64_t thread,
    const struct msg_episode_digest *d)
{
	uint64_t *linked = arena_alloc(arena, sizeof(*linked));

	*linked = thread;
	return (struct msg_episode){
		.key = episode_key(arena, thread),
		.domain = d->domain,
		.user = d->user,
		.room = d->room,
		.episode_type = SLICE("primary"),
		.linked_threads = { linked, 1 },
		.turn_count = d->turns,
		.created_at = d->first_at,
		.last_activity_at = d->last_at,
		.name = d->name,
	};
}

void
episode_make(struct compact *c, uint64_t thread, struct msg_episode_digest *d,
    const char *trigger)
{
	struct msg_episode old = { 0 }, e = episode_outline(c->arena, thread,
	    d);
	struct msg_episode_digest told;
	struct key k = key_u64(thread);

	(void)compact_get(c, TABLE_episodes, &k, MSG_episode, &old);
	e.trigger = slice_str(trigger);
	e.compacted_turns = d->turns;
	e.compactions = old.compactions + 1;
	e.compacted_at = c->ts;
	e.skills = old.skills;
	digest_sort(d);
	/* The digest may go on. */
	told = *d;
	digest_own(&told, c->arena);
	e.artifacts = told.artifacts;
	e.keywords = told.keywords;
	e.weights = told.weights;
	e.entities = told.entities;
	skill_decide(c, d, e.key, &e.skills);
	if (e.skills.count > EPISODE_SKILLS) {
		e.skills.at += e.skills.count - EPISODE_SKILLS;
		e.skills.count = EPISODE_SKILLS;
	}
	episode_word(c, d, &e);
	put_episode(c, &e);
}
