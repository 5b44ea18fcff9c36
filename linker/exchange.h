/*
 * exchange - calls of LLM APIs, joined to conversations
 *
 * A call is an exchange as the linker knows it: what it can be recognised by,
 * and its place.  A place says which call it continues, by which strategy, and
 * whether a branch opens there.  Conversation and branch are not stored: they
 * follow from the parents (store/query_conversations.c), so that a parent that
 * arrives late moves one record and not a whole tree.
 *
 * Deciding: choose a parent for the call among those that came before it
 * (exchange_match.c), ask which later ones would rather have this call as
 * theirs (exchange_adopt.c), then say which child of each node that was
 * touched stays on its branch (branch.c).  What was changed is collected here
 * and becomes the section.
 *
 * Earlier means by ts, then by seq: a call that arrives late may be the parent
 * of one that is there already, never of one that was made before it.
 */
#ifndef LINKER_EXCHANGE_H
#define LINKER_EXCHANGE_H

#include "linker/link.h"

enum {
	CALL_HASH_BYTES = 16,
	CALL_WAITS = 512,	/* prefixes under which a call is kept for a
				   parent that may still come */
	CALL_STEPS = 512,	/* prefixes looked at for the nearest one */
	CALL_SYSTEMS = 16,	/* system texts compared under one prefix */
	CALL_TRIES = 16,	/* calls passed over because they are others' */
	CALL_ADOPTED = 4096,	/* calls looked at for one late parent */
};

enum strategy {
#define STRATEGY(symbol, name, counter, what) STRATEGY_##symbol,
#include "linker/strategies.def"
	STRATEGY_COUNT
};

struct slice strategy_name(enum strategy s);
enum strategy strategy_named(struct slice name);
bool strategy_is_on(const struct conf *conf, enum strategy s);

/* A possible parent, and what speaks for it. */
struct match {
	enum strategy strategy;
	struct msg_call *call;	/* NULL: none */
	uint64_t depth;		/* messages that it accounts for */
	bool direct;		/* no call between the two is missing */
	uint64_t task;		/* subtask: which call of its reply */
	uint64_t score;		/* compact: likeness in thousandths */
	uint64_t weight;	/* compact: how much text was alike */
};

struct exchange;

/* Reads the facts of the entry in hand; its place is still empty. */
struct exchange *exchange_open(struct link *l);
struct msg_call *exchange_self(struct exchange *ex);
struct link *exchange_link(const struct exchange *ex);
/* The entry's own messages, as they will stand in call_paths. */
const struct msg_call_path *exchange_path(const struct exchange *ex);
/* And those it goes on from; NULL: none, or they are no more. */
const struct msg_call_path *exchange_parent_path(const struct exchange *ex);

/* A call by its seq, to be changed in place; NULL: there is none. */
struct msg_call *exchange_call(struct exchange *ex, uint64_t seq);
struct msg_l_call *call_place(struct msg_call *c);
/* Its place was changed: it goes into the section. */
void exchange_touch(struct exchange *ex, struct msg_call *c);
/* Whether this entry has changed it. */
bool exchange_touched(const struct exchange *ex, uint64_t seq);
/* All that were touched: this call first, then in the order of touching. */
size_t exchange_changed(struct exchange *ex, struct msg_call ***out);

/*
 * Whether an earlier entry may have had the whole of its messages: ingest knew
 * the last of them, or did not ask, because a lone message is no evidence.
 */
bool exchange_is_known(const struct exchange *ex);

/* Where one of the marks, separated by '|', stands first in the list. */
bool exchange_has_mark(struct slice text, const char *marks, size_t *at,
    size_t *len);

/* By ts, then by seq. */
bool call_is_before(const struct msg_call *a, const struct msg_call *b);
/* Nothing joins different users who share no room. */
bool call_may_join(const struct msg_call *a, const struct msg_call *b);
/* The same session, named by both. */
bool call_same_session(const struct msg_call *a, const struct msg_call *b);
bool call_same_system(const struct msg_call *a, const struct msg_call *b);

/* ---- exchange_path.c: a call's prefixes, the longest first ---- */

/*
 * A prefix is found under the root of its path, by its depth: what belongs to
 * a conversation lies together, and nearly all that is asked for is of those
 * that go on.  By its hash alone each would be on a page of its own.
 */
struct prefix {
	uint64_t root;
	uint64_t depth;		/* how many messages it has */
	struct slice hash;
};
struct path {
	struct exchange *ex;
	uint64_t root;
	struct msg_call_path at;	/* the record that the step is in */
	uint64_t seq, i;
	struct slice hash;		/* of this prefix */
	uint64_t depth;			/* how many messages it has */
	char role;			/* of its last message */
	uint64_t runs;		/* how often the assistant speaks behind it */
	bool spoke;		/* the message behind it was the assistant's */
};
/* Of the entry in hand, or of a call that is there; at its whole request. */
bool path_begin(struct path *p, struct exchange *ex, const struct msg_call *c);
/* One message shorter; false: there is none. */
bool path_back(struct path *p);
/*
 * How many calls there were behind this prefix, but for the last: 0 where the
 * assistant has not spoken since, 1 where it spoke once and at once.
 */
uint64_t path_runs(const struct path *p);
struct prefix path_prefix(const struct path *p);
/* Of the entry in hand: its record, and that of the entry it goes on from. */
void path_read(struct link *l, struct msg_call_path *out,
    struct msg_call_path *parent);

/* ---- exchange_match.c: the best parent ---- */

/* Of the entry in hand. */
void match_choose(struct exchange *ex, struct match *best);
/* Whether a is the better parent of c. */
bool match_better(const struct msg_call *c, const struct match *a,
    const struct match *b);
/* What its present parent is worth to it. */
struct match match_present(struct exchange *ex, struct msg_call *c);
/* A prefix match of `by`, whose request or reply ends at that prefix. */
struct match match_prefix(struct exchange *ex, struct msg_call *c,
    struct msg_call *by, uint64_t depth, bool reply, uint64_t runs);
/* b repeats a. */
bool match_is_retry(const struct exchange *ex, const struct msg_call *a,
    const struct msg_call *b);
bool match_is_on(const struct exchange *ex, enum strategy s);
/* Makes it c's place. */
void match_settle(struct exchange *ex, struct msg_call *c,
    const struct match *m);

/* ---- exchange_adopt.c: later calls that this one is the parent of ---- */

void adopt_later(struct exchange *ex);

/* ---- branch.c: which child stays on its parent's branch ---- */

void branch_settle(struct exchange *ex);

/* ---- exchange_calls.c: the tables by which calls are found ---- */

struct key calls_end_key(const struct prefix *p, const struct msg_call *c,
    bool session, int64_t ts, uint64_t seq);
struct key calls_wait_key(const struct prefix *p, int64_t ts, uint64_t seq);
struct key calls_first_key(struct slice domain, struct slice hash);
/* What the entry in hand ends with: its messages, or its reply. */
struct prefix calls_end(struct exchange *ex, bool reply);
struct key calls_child_key(uint64_t node, int64_t ts, uint64_t seq);
struct key calls_session_key(const struct msg_call *c, int64_t ts,
    uint64_t seq);
struct key calls_response_key(struct slice domain, struct slice response,
    bool waits, int64_t ts, uint64_t seq);
struct key calls_prompt_key(struct slice domain, struct slice prompt,
    bool waits, int64_t ts, uint64_t seq, uint64_t task);
struct key calls_root_key(struct slice domain, int64_t ts, uint64_t seq);
struct key calls_task_key(struct slice domain, struct slice hash);
void calls_add(struct exchange *ex);
/*
 * A call of the tables moves: it leaves where it was, then its place is
 * changed, then it enters.  What it is filed under depends on the node of its
 * parent, which may move as well: all leave before any place is changed.
 */
void calls_leave(struct exchange *ex, struct msg_call *c);
void calls_enter(struct exchange *ex, struct msg_call *c,
    uint64_t depth_before);

#endif
