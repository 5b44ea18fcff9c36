/*
 * chain - what a chain is, how it grows, and which one a claim belongs to
 *
 * Pure: records and numbers in, a choice out; where records are kept is
 * work.c's business.
 *
 *	               returns, or near to it again
 *	        ┌──────────────────────────────────────────┐
 *	        ▼              24 h without a claim        │
 *	create ─► active ──────────────────────────────► dormant
 *	branch     │  ▲ │
 *	           │  │ └── concludes ──► concluded ──┐
 *	           │  └───────── returns, reopen ─────┘
 *	           └── merge ──► merged (into another)
 */
#ifndef CHAINER_CHAIN_H
#define CHAINER_CHAIN_H

#include "chainer/distance.h"

enum {
	CHAIN_KEYWORDS = 32,	/* a chain remembers its heaviest */
	CHAIN_ENTITIES = 16,
	CHAIN_THREADS = 8,	/* and the latest threads */
	CHAIN_N_BITS = 20,	/* of a ref: the number within its entry */
	CHAIN_TOPIC_BYTES = 120,
};

/* A chain's number: the entry that began it, and which of that entry's. */
uint64_t chain_ref(uint64_t seq, uint64_t n);
/* "c12.0", in the arena. */
struct slice chain_name(struct arena *arena, uint64_t ref);
/* 0, or -1: it is no chain's name. */
int chain_parse(struct slice name, uint64_t *ref)
    __attribute__((warn_unused_result));

enum chain_state {
	CHAIN_active,
	CHAIN_dormant,
	CHAIN_concluded,
	CHAIN_merged
};
struct slice chain_state_name(enum chain_state state);
enum chain_state chain_state(const struct msg_chain *c);

struct topic chain_topic(const struct msg_chain *c);
/*
 * Older words fade, the claim's are added, the lightest fall off.  With the
 * chain's sketch, and the claim's in its topic: the chain's new one; else NULL.
 */
const struct sketch *chain_learn(struct msg_chain *c, struct arena *arena,
    const struct topic *claim, const struct sketch *known);
/* Takes in all that another has learned; with both sketches, as above. */
const struct sketch *chain_take_in(struct msg_chain *c, struct arena *arena,
    const struct sketch *known, const struct msg_chain *other,
    const struct sketch *others);
void chain_touch_thread(struct msg_chain *c, struct arena *arena,
    uint64_t thread);
/* Moves n to the front of a bounded list; what falls off, or 0. */
uint64_t refs_to_front(struct msg_u64s *list, struct arena *arena, uint64_t n,
    size_t most);

/* ---- choosing ---- */

struct chain_rules {
	enum formula formula;
	unsigned continue_below, branch_below, revive_below, merge_below;
};

/* What turn and wording say, beside the words that tell the topic. */
struct chain_signs {
	bool assistant;		/* it answers; users lead */
	bool inside;		/* an earlier claim of the same turn */
	bool answers;		/* the turn before asked, this one tells */
	bool asks;		/* a question or a request */
	bool asked;		/* the turn before did */
	bool yes_no;		/* is, are, does, would …: about something known */
	bool replies;		/* accepts, rejects, promises */
	bool brief;		/* a few words */
	bool opens, returns;	/* as classify has it */
	bool leans, shifts;	/* see cues.h */
	bool names;		/* it names someone or something */
	bool after_end;		/* the turn before sounded like an end */
	bool meant;		/* meanings are compared: see meaning.h */
};

struct candidate {
	const struct msg_chain *chain;
	uint64_t ref;		/* the chain's */
	enum chain_state state;	/* as of now, marked or not */
	bool adjacent;
	bool here;		/* lately spoken of in the same talk */
	struct terms terms;
	const struct sketch *sketch;	/* the chain's, or NULL */
};

/*
 * What the signs add to the score of the chain of the turn before, or of any
 * other; `fresh` is the weight of the claim's words that it does not know.
 */
int chain_cue(const struct chain_signs *signs, const struct candidate *c,
    uint64_t fresh);

enum chain_kind {
	KIND_extend,
	KIND_create,
	KIND_branch,
	KIND_merge,
	KIND_conclude
};
struct slice chain_kind_name(enum chain_kind kind);
int chain_kind_parse(struct slice name, enum chain_kind *out)
    __attribute__((warn_unused_result));

struct choice {
	enum chain_kind kind;
	const struct candidate *to;	/* extended, or branched from */
	const struct candidate *tied;	/* becomes one with it, or NULL */
	bool revives;
	struct slice reason;
};

/* Before "quoted"after, in the arena. */
struct slice chain_quote(struct arena *arena, const char *before,
    struct slice quoted, const char *after);
/* Nearest first; equal ones in the order they came in. */
void candidates_sort(struct candidate *c, size_t n);
/*
 * Both take sorted candidates and look only at those of their kind: active
 * ones and what is concluded, then dormant ones.  false: none is near enough.
 */
bool choose_active(const struct chain_rules *rules,
    const struct chain_signs *signs, const struct topic *claim,
    const struct candidate *c, size_t n, struct arena *arena,
    struct choice *out);
bool choose_dormant(const struct chain_rules *rules,
    const struct chain_signs *signs, const struct topic *claim,
    const struct candidate *c, size_t n, struct arena *arena,
    struct choice *out);
/*
 * Where the course is known: to one of the talk's chains, whatever its state;
 * or, as something new, off the nearest of those that it shares words with.
 */
void choose_course(const struct chain_rules *rules,
    const struct chain_signs *signs, const struct topic *claim,
    const struct candidate *to, const struct candidate *c, size_t n,
    struct arena *arena, struct choice *out);
bool choose_branch(const struct chain_rules *rules,
    const struct candidate *c, size_t n, struct arena *arena,
    struct choice *out);
void choose_new(const struct topic *claim, struct arena *arena,
    struct choice *out);

#endif
