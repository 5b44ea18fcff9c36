/*
 * describe - what a turn does and what it is about, as a section holds it
 *
 * Pure: rules, model and word lists in, a c_turn out.  Everything lives in the
 * arena or in the turn's text.
 */
#ifndef CLASSIFY_DESCRIBE_H
#define CLASSIFY_DESCRIBE_H

#include "classify/acts.h"
#include "classify/sentence.h"
#include "classify/sift.h"
#include "classify/thread_state.h"
#include "common/conf.h"
#include "common/msg.h"

struct engine;

/* A turn as the cascade reads it: what describe_turn makes its section of. */
struct reading {
	struct sifted sifted;
	struct sentence *sentences;	/* as many as turn has */
	struct act_turn turn;
};

/*
 * Opens the shipped rules, the home's own (HOME/acts.rules, if there are any),
 * the model's weights and the word lists.  NULL with the reason: file, line.
 * Without weights the rules work alone.
 */
struct engine *engine_open(const struct conf *conf, struct buf *why);
void engine_close(struct engine **engine);
/* NULL: there are no weights. */
const struct model *engine_model(const struct engine *engine);

enum speaker speaker_of(struct slice role);
/* What is known of the thread before this turn, for the cascade. */
struct act_context talk_context(const struct msg_talk *talk,
    struct slice user, struct slice role, struct arena *arena);
void read_turn(const struct engine *engine, struct arena *arena,
    struct slice text, const struct act_context *context, struct reading *out);
void describe_turn(struct engine *engine, struct arena *arena,
    struct slice text, const struct act_context *context, int64_t ts_ms,
    unsigned ask_below, struct msg_c_turn *out);
/* The thread after this turn.  Needs nothing but what the section says. */
void talk_after(struct msg_talk *talk, struct slice user, struct slice role,
    struct slice text, const struct msg_c_turn *turn, struct arena *arena);

#endif
