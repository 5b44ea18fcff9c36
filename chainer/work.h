/*
 * work - the chainer's own tables, as one entry sees and changes them
 *
 * Records are copied where they change, and written together at the end.
 * Deciding and applying take the same steps through here; only applying
 * writes.  So what a later claim of an entry sees of an earlier one is what
 * the tables will hold, and what was decided need not be gone through again.
 */
#ifndef CHAINER_WORK_H
#define CHAINER_WORK_H

#include "chainer/chain.h"
#include "chainer/window.h"
#include "common/stage.h"

enum {
	WORK_RECENT = 16,	/* chains at hand for a stream */
	WORK_TALK_RECENT = 8,	/* for a thread or room */
	WORK_POSTINGS = 16,	/* chains under one word of the index */
	WORK_INDEX_WORDS = 12,	/* of a chain; and all its entities */
	WORK_LOOKUP_WORDS = 8,	/* of a claim; and as many entities */
	WORK_RING = 128,	/* turns remembered of a thread or room */
	WORK_SESSION_LIST = 32,	/* chains and threads of a session */
};

struct work;

/* Leaves the tables alone until work_write. */
struct work *work_open(struct stage *st, const struct stage_entry *e);
struct arena *work_arena(const struct work *w);
uint64_t work_seq(const struct work *w);
int64_t work_ts(const struct work *w);
int64_t work_dormant_ms(const struct work *w);
/* The entry's stream, the clock already moved to this entry. */
struct msg_chain_stream *work_stream(struct work *w);
/* Its talk: the room's, else the thread's, else what its parent's left. */
struct msg_chain_talk *work_talk(struct work *w);
/* A turn of the talk, `back` turns ago (0: the last); false: not kept. */
bool work_said(struct work *w, size_t back, struct msg_said *out);
void work_say(struct work *w, const struct msg_said *said);
/* What was heard of the talk so far, for reply.h; and a turn of that. */
struct window_view work_heard(struct work *w);
bool work_heard_turn(struct work *w, const struct window_turn *turn,
    struct msg_said *out);

/* A chain, or NULL: there is none.  What was merged leads to where it went. */
const struct msg_chain *work_chain(struct work *w, uint64_t ref);
const struct msg_chain *work_follow(struct work *w, uint64_t ref);
/* Where a merged one led when it was last a candidate; else the same. */
uint64_t work_merged(uint64_t ref);
/* As work_follow; with all that is asked of most, but for their words. */
struct work_view {
	const struct msg_chain *chain;
	const struct sketch *sketch;
	uint64_t ref;
	int64_t last_extended;
	enum chain_state state;	/* as of now */
};
bool work_candidate(struct work *w, uint64_t ref, struct work_view *out);
/*
 * They will be candidates: said early, and once more before they are, so that
 * memory need not be waited for.
 */
void work_approach(struct work *w, const uint64_t *refs, size_t n);
void work_approach_nearer(struct work *w);
/* As it is at this entry's time, whether a check has said so or not. */
enum chain_state work_state(const struct work *w, const struct msg_chain *c);
/* The chain whose talk a thread is in, by the thread's key; 0: none. */
uint64_t work_thread_chain(struct work *w, uint64_t thread);

/*
 * Takes one step of a chain's life, of which kind and chain are named in the
 * update; `index` is its place in the section.  The claims are added one by
 * one.  What does not fit is left undone: a section may have come from
 * elsewhere.
 */
const struct msg_chain *work_step(struct work *w, enum chain_kind kind,
    uint64_t ref, const struct msg_h_update *u, size_t index);
void work_claim(struct work *w, uint64_t ref, const struct topic *claim);
/* Chains that hold words of the claim, by the index; how many of `most`. */
size_t work_look_up(struct work *w, const struct topic *claim, uint64_t *refs,
    size_t most);

/* ---- what time brings ---- */

/* What is due by now, at most `most`: of the stream, or the domain's live. */
struct work_due {
	int64_t due;
	struct msg_chain_due what;
};
size_t work_due(struct work *w, bool domain, struct work_due **out,
    size_t most);
/* After those were seen to: if all are gone, the next one is known. */
void work_due_done(struct work *w, size_t n);
void work_check(struct work *w, const struct msg_h_check *check, size_t index);

/* ---- sessions ---- */

struct msg_session *work_session(struct work *w, struct slice id,
    struct slice user, struct slice room);
struct msg_session *work_session_at(struct work *w, struct slice key);
/* All of a name, whoever's; how many of `most`. */
size_t work_sessions_named(struct work *w, struct slice id,
    struct msg_session **out, size_t most);
struct msg_session *work_session_event(struct work *w,
    const struct msg_h_session *event);
void work_session_touch(struct work *w, struct msg_session *s, uint64_t turns,
    uint64_t thread);
void work_session_chain(struct work *w, struct msg_session *s, uint64_t ref,
    bool concluded);

/* Writes all that was changed. */
void work_write(struct work *w);

#endif
