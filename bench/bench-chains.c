/*
 * bench-chains - fills a store with chains, or passes entries on
 *
 *   bench-chains fill DIR COUNT    adds COUNT sleeping chains of one user to
 *                                  the chainer's tables in DIR
 *   bench-chains [OPTIONS]         is a stage in the chainer's place that has
 *                                  nothing to say: what the stage costs at least
 *
 * The pipeline must be down while it fills.  See bench-chains.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "chainer/work.h"
#include "common/log.h"
#include "common/when.h"

enum {
	WORDS = 20000,		/* the vocabulary, as the feed has it */
	CHAIN_WORDS = 10,	/* of a chain */
	A_COMMIT = 20000,
};

/* Far past any entry's number. */
#define FIRST_SEQ (UINT64_C(1) << 40)

static struct key
stream_key(void)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, SLICE("default"));
	key_add_text(&k, SLICE("u"));
	key_add_text(&k, SLICE("bench"));
	return k;
}

static void
put_word(struct db_txn *txn, struct arena *arena, struct slice word,
    uint64_t ref)
{
	struct msg_chain_refs refs = { 0 };
	struct key k = stream_key();

	key_add_u64(&k, XXH3_64bits(word.ptr, word.len));
	(void)db_get_msg(txn, TABLE_chain_words, key_slice(&k), MSG_chain_refs,
	    arena, &refs);
	(void)refs_to_front(&refs.chains, arena, ref, WORK_POSTINGS);
	db_put_msg(txn, TABLE_chain_words, key_slice(&k), MSG_chain_refs,
	    &refs);
}

static void
put_chain(struct db_txn *txn, struct arena *arena, uint64_t n)
{
	struct slice words[CHAIN_WORDS];
	uint64_t weights[CHAIN_WORDS], ref = chain_ref(FIRST_SEQ + n, 0);
	uint64_t x = n * UINT64_C(0x9e3779b97f4a7c15) + 1;
	struct key k = key_u64(ref);
	struct msg_chain c = {
		.ref = ref,
		.domain = SLICE("default"),
		.user = SLICE("bench"),
		.state = chain_state_name(CHAIN_dormant),
		.created_at = (int64_t)n * 1000,
		.last_extended = (int64_t)n * 1000,
		.keywords = { words, CHAIN_WORDS },
		.weights = { weights, CHAIN_WORDS },
		.turns = 10,
		.claims = 12,
	};
	size_t i;

	for (i = 0; i < CHAIN_WORDS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words[i] = arena_printf(arena, "gadget%u",
		    (unsigned)(x % WORDS));
		weights[i] = 10000 - i;
		put_word(txn, arena, words[i], ref);
	}
	c.topic = words[0];
	db_put_msg(txn, TABLE_chains, key_slice(&k), MSG_chain, &c);
}

static int
fill(const char *dir, uint64_t count)
{
	struct db_options options = { .map_bytes = (size_t)8 << 30,
		.map_limit = (size_t)64 << 30, .max_readers = 64 };
	struct arena arena;
	struct db_error why;
	struct db_txn *txn;
	struct db *db;
	uint64_t n;

	if (db_open(&db, dir, ENV_chainer, &options, &why) == -1)
		fatalx(1, "%s: %s", dir, why.text);
	arena_init(&arena);
	for (n = 0; n < count;) {
		txn = db_write(db);
		do {
			put_chain(txn, &arena, n);
			arena_reset(&arena);
		} while (++n < count && n % A_COMMIT != 0);
		if (db_commit(&txn) != DB_DONE)
			fatalx(1, "%s: %s", dir, db_reason(db));
	}
	arena_release(&arena);
	db_close(&db);
	return 0;
}

static const struct stage_spec pass = {
	.id = STAGE_chainer,
	.env = ENV_chainer,
	.derived = TABLE_chainer_derived,
};

int
main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "fill") == 0)
		return fill(argv[2], strtoull(argv[3], NULL, 10));
	return stage_main(argc, argv, &pass);
}
