/*
 * batch_cards - what threads are compared by, as it is in memory
 *
 * A thread is looked at with many turns of others; its record is far larger,
 * and its words need not be hashed each time.  A card that finds no place in
 * its set takes that of the one which has been there longest.
 */
#include <stdlib.h>

#include "common/xmalloc.h"
#include "linker/batch.h"

enum {
	SETS = 1024,
	WAYS = 4,
	LINE_BYTES = 64,
};

struct cards {
	uint64_t threads[SETS][WAYS];	/* 0: of none */
	unsigned char next[SETS];	/* whose place is taken */
	struct score_card at[SETS][WAYS];
};

struct cards *
cards_open(void)
{
	return xcalloc(1, sizeof(struct cards));
}

void
cards_close(struct cards **cards)
{
	free(*cards);
	*cards = NULL;
}

void
cards_forget(struct cards *cards)
{
	memset(cards->threads, 0, sizeof(cards->threads));
}

/* Threads begin in bunches: their numbers are spread. */
static size_t
set_of(uint64_t thread)
{
	return (thread * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SETS;
}

static struct score_card *
find_card(struct cards *cards, uint64_t thread)
{
	size_t set = set_of(thread), way;

	for (way = 0; way < WAYS; way++)
		if (cards->threads[set][way] == thread)
			return &cards->at[set][way];
	return NULL;
}

static struct score_card *
take_card(struct cards *cards, uint64_t thread)
{
	size_t set = set_of(thread), way = cards->next[set];

	cards->next[set] = (unsigned char)((way + 1) % WAYS);
	cards->threads[set][way] = thread;
	return &cards->at[set][way];
}

const struct score_card *
batch_card(const struct link *l, uint64_t thread)
{
	struct cards *cards = batch_cards(l);
	struct score_card *card = find_card(cards, thread);
	const struct msg_link_thread *p;
	struct profile_hashes hashes;

	if (card != NULL)
		return card;
	p = batch_peek_thread(l, thread);
	if (p == NULL)
		return NULL;
	profile_hash_all(p, &hashes);
	card = take_card(cards, thread);
	score_card_fill(card, p, &hashes);
	return card;
}

void
batch_put_card(const struct link *l, const struct msg_link_thread *p,
    const struct profile_hashes *hashes)
{
	struct cards *cards = batch_cards(l);
	struct score_card *card = find_card(cards, p->key);

	if (card == NULL)
		card = take_card(cards, p->key);
	score_card_fill(card, p, hashes);
}

void
batch_fetch_card(const struct link *l, uint64_t thread)
{
	const char *at = (const char *)find_card(batch_cards(l), thread);
	size_t i;

	for (i = 0; at != NULL && i < sizeof(struct score_card);
	     i += LINE_BYTES)
		__builtin_prefetch(at + i);
}
