/*
 * episodes_say - what the section says about threads, and the keys in it
 */
#include <assert.h>

#include "linker/episodes.h"

enum { LINKS_MOST = 8 };	/* decisions that one entry can change */

struct slice
threads_name(struct arena *arena, char kind, uint64_t seq)
{
	char name[24];
	size_t at = sizeof(name);

	do
		name[--at] = (char)('0' + seq % 10);
	while ((seq /= 10) != 0);
	name[--at] = kind;
	return arena_dup(arena, slice_of(name + at, sizeof(name) - at));
}

int
threads_key(struct slice key, char kind, uint64_t *seq, uint64_t *n)
{
	uint64_t *into = seq;
	size_t i;

	*seq = 0;
	*n = 0;
	if (key.len < 2 || key.len > 40 || key.ptr[0] != kind)
		return -1;
	for (i = 1; i < key.len; i++) {
		if (key.ptr[i] == '.' && into == seq && i > 1)
			into = n;
		else if (key.ptr[i] < '0' || key.ptr[i] > '9')
			return -1;
		else
			*into = *into * 10 + (uint64_t)(key.ptr[i] - '0');
	}
	return 0;
}

struct msg_link *
threads_say_link(struct threads *t, const struct msg_link *link)
{
	struct msg_s_linker *s = t->l->section;
	size_t i;

	if (s->links == NULL)
		s->links = arena_room(t->l->arena,
		    LINKS_MOST * sizeof(s->links[0]));
	for (i = 0; i < s->n_links && !slice_eq(s->links[i].key, link->key);
	     i++)
		;
	assert(i < LINKS_MOST);
	if (i == s->n_links)
		s->n_links++;
	if (&s->links[i] != link)
		s->links[i] = *link;
	s->links[i].has = 0;
	return &s->links[i];
}

/* A list of the section with room for one more. */
static void *
longer(struct threads *t, const void *list, size_t n, size_t size)
{
	char *out = arena_array(t->l->arena, n + 1, size);

	if (n > 0)
		memcpy(out, list, n * size);
	return out;
}

void
threads_say_episode(struct threads *t, const struct msg_episode *e)
{
	struct msg_s_linker *s = t->l->section;
	size_t i;

	for (i = 0; i < s->n_episodes; i++)
		if (slice_eq(s->episodes[i].key, e->key)) {
			s->episodes[i] = *e;
			return;
		}
	s->episodes = longer(t, s->episodes, s->n_episodes, sizeof(*e));
	s->episodes[s->n_episodes++] = *e;
}

void
threads_say_tuning(struct threads *t, const struct msg_tuning *tuning)
{
	struct msg_s_linker *s = t->l->section;

	s->tunings = longer(t, s->tunings, s->n_tunings, sizeof(*tuning));
	s->tunings[s->n_tunings++] = *tuning;
}

void
threads_say_question(struct threads *t, const struct msg_q_link *q)
{
	struct msg_s_linker *s = t->l->section;

	s->questions = longer(t, s->questions, s->n_questions, sizeof(*q));
	s->questions[s->n_questions++] = *q;
}

void
threads_fail(struct threads *t, const char *code, struct slice message)
{
	t->l->section->error = slice_str(code);
	t->l->section->message = message;
}

void
threads_tuned(struct msg_link_domain *d, const struct msg_tuning *s)
{
	d->has = 0;
	d->tunings = s->number;
	d->prompt_version = s->prompt_version;
	d->prompt_signals = s->prompt_signals;
	if (!s->kept)
		return;
	d->in_force = s->undoes != 0 ? s->previous : s->number;
	d->weights = s->new_weights;
	d->threshold = s->new_threshold;
}
