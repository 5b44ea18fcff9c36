/*
 * compact - one entry, as the compactor decides about it or applies it
 *
 * Holds the artifacts that an entry reads and changes, on top of the tables as
 * of the entry before.  Each is read when first asked for and copied; who
 * changes one changes the copy, and compact_finish puts all changed ones into
 * the section, each once and whole, in the order they were first changed.
 * Nothing here writes a table but compact_apply.
 *
 * All that is given out lives as long as the arena: until the entry is done.
 * Everything is of the entry's domain: an artifact of another is not there.
 */
#ifndef COMPACTOR_COMPACT_H
#define COMPACTOR_COMPACT_H

#include "common/rows.h"
#include "common/stage.h"

struct compact_held;
struct similar;
struct linear;
struct effort_rank;
struct similar_known;

struct packages;
struct package_hits;
struct effort_notes;
struct effort_taken;
struct due_times;
struct digests;

/* What the stage reads once at start and keeps: its stage_state. */
struct compact_tools {
	struct packages *packages;
	struct similar *similar;	/* compactor/similar.h */
	struct linear *stance;		/* compactor/stance.h */
	struct linear *how;		/* compactor/effort_how.h */
	struct effort_rank *rank;	/* compactor/effort_rank.h */
	/* Of tables whose records change with every other entry; or NULL. */
	struct rows *rows[TABLE_COUNT];
	/*
	 * See compactor/due_times.h: of TABLE_kept_due, of TABLE_episode_dues,
	 * and when the first of a stream's open efforts will have been idle.
	 */
	struct due_times *kept_times, *episode_times, *idle_times;
	struct digests *digests;	/* compactor/digests.h */
	/* For one entry, from deciding to applying: */
	uint64_t noted_seq, noted_resets;	/* which it is */
	struct key stream;
	struct effort_notes *notes;	/* of its turns */
	struct effort_taken *taken;	/* effort_state.h; NULL: nothing */
	struct similar_known *known;	/* similar.c's own */
};

struct compact {
	struct stage *st;
	const struct stage_entry *e;
	const struct conf *conf;
	struct arena *arena;
	const struct msg_envelope *envelope;	/* domain, user, room, ts */
	uint64_t seq;
	int64_t ts;
	uint64_t thread;		/* the entry's own; 0: it is in none */
	struct msg_s_compactor *section;	/* under construction */
	/*
	 * What packages_open gave, from the stage's state, and what their
	 * triggers gave on this entry's turns: see compactor/package_decide.h
	 * (package_opens, package_fill, package_decide after the efforts, and
	 * package_apply).
	 */
	struct packages *packages;
	struct package_hits *hits;	/* package_decide.c's own */
	struct similar *similar;	/* from the state too; NULL: none */
	struct linear *stance, *how;	/* likewise */
	struct effort_rank *rank;	/* likewise */
	struct rows *const *rows;	/* likewise, by table */
	struct due_times *kept_times, *episode_times, *idle_times;
	struct digests *digests;
	struct effort_notes *notes;	/* of its turns; NULL: none are kept */
	/* compact.c's own */
	struct compact_held **held;
	size_t n_held, cap_held;
	uint64_t n_new;
	uint64_t n_changed;
	struct key stream;		/* the entry's own: domain, user, room */
};

void compact_open(struct compact *c, struct stage *st,
    const struct stage_entry *e, struct msg_s_compactor *section);
/* Moves what was changed into the section; false: there is nothing to say. */
bool compact_finish(struct compact *c);
/* Puts the section's artifacts, touches and weights into the tables. */
void compact_apply(struct compact *c);

/* ---- the turns of the entry ---- */

struct compact_turn {
	size_t i;			/* its place in the entry */
	uint64_t number;		/* within its thread, from 1 */
	int64_t ts;
	struct slice role;		/* never empty */
	struct slice user;		/* who speaks, or whom it answers */
	struct slice text;
	const struct msg_c_turn *does;	/* never NULL; what classify said */
	const struct msg_h_turn *flows;	/* never NULL; what the chainer said */
	struct effort_notes *notes;	/* effort_notes.c's own; NULL: none */
};

size_t compact_turn_count(const struct compact *c);
struct compact_turn compact_turn(const struct compact *c, size_t i);
/* What the section says of the turn: effort, artifacts, why; to be filled. */
struct msg_a_turn *compact_a_turn(struct compact *c, size_t i);
/* The turn opened, changed or ended this artifact. */
void compact_tell(struct compact *c, size_t i, struct slice key);

/* ---- artifacts ---- */

/*
 * A new one, named for this entry, of this thread, user or room, open, an
 * original of weight 1.0, made now.  It has no summary yet.
 */
struct msg_artifact *compact_new(struct compact *c, struct slice type);
/* A new one with what was drafted of it when it could not be made yet. */
struct msg_artifact *compact_new_drafted(struct compact *c, struct slice type,
    const struct msg_artifact *draft);
/* As it is now, changes of this entry included; NULL: there is none. */
const struct msg_artifact *compact_read(struct compact *c, struct slice key);
/* The same, to be changed: it will be in the section. */
struct msg_artifact *compact_change(struct compact *c, struct slice key);
/* By key, or by the sender's id of the command that made it. */
const struct msg_artifact *compact_find(struct compact *c, struct slice name);
/* The i-th of those that this entry makes or changes so far; NULL: no more. */
struct msg_artifact *compact_changed(struct compact *c, size_t i);
/* A turn of this entry is one of the artifact's own. */
void compact_join(struct compact *c, struct slice key,
    const struct compact_turn *turn);
/* Its weight as of this entry, in thousandths, and how often it was used. */
void compact_weigh(struct compact *c, struct slice key, uint64_t weight,
    uint64_t uses);
/* A new state: status is what is shown, state what the history says. */
void compact_state(struct compact *c, struct msg_artifact *a,
    struct slice status, struct slice state, struct slice text);

/* "a12.0" and back; -1: it is no artifact's key. */
struct slice artifact_key(struct arena *arena, uint64_t seq, uint64_t n);
int artifact_parse(struct slice key, uint64_t *seq, uint64_t *n)
    __attribute__((warn_unused_result));
/* Adds a turn's number to ranges first, last, first, last ... in order. */
void artifact_add_turn(struct msg_u64s *turns, struct arena *arena,
    uint64_t number);
/* The same of a turn in another thread: thread, first, last, thread ... */
void artifact_add_elsewhere(struct msg_u64s *turns, struct arena *arena,
    uint64_t thread, uint64_t number);
/* A field of its package's schema, one value or several; replaced if there. */
void artifact_set_field(struct msg_artifact *a, struct arena *arena,
    const char *name, const struct slice *values, size_t count);
/* The field's values; none when it has no such field. */
struct msg_strs artifact_field(const struct msg_artifact *a, const char *name);

/* ---- small helps ---- */

/* A copy of an array with room for one more: others may hold the old one. */
void *list_grown(struct arena *arena, const void *at, size_t n, size_t size);
/* A string at the end of a list. */
void strs_add(struct msg_strs *list, struct arena *arena, struct slice s);
bool strs_has(const struct msg_strs *list, struct slice s);
/* The outcome of a command that could not be carried out. */
void compact_refuse(struct compact *c, const char *class, const char *code,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A record of the own tables, copied: it outlives the next write. */
bool compact_get(struct compact *c, enum table_id table, const struct key *k,
    enum msg_id id, void *out);
/* The same, its lists as rows_share_at has them. */
bool compact_share(struct compact *c, enum table_id table, const struct key *k,
    enum msg_id id, void *out);
void compact_put(struct compact *c, enum table_id table, const struct key *k,
    enum msg_id id, const void *msg);

#endif
