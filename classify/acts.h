/*
 * acts - the dialogue act of a turn and of its sentences
 *
 * Pure logic: no sockets, no store, no clock.  The cascade is rules first,
 * then the model for what no rule decides.  Confidence and scores are
 * integers in thousandths, so that they compare alike on every machine.
 */
#ifndef CLASSIFY_ACTS_H
#define CLASSIFY_ACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

struct model;
struct sentence;
struct sifted;
struct rule_info;
struct rules;

enum act {
#define ACT(number, name, what) ACT_##name = number,
#include "classify/acts.def"
	ACT_COUNT
};

enum act_flag {
#define FLAG(bit, name, what) FLAG_##name = 1 << bit,
#include "classify/acts.def"
};

enum act_flag_bit {
#define FLAG(bit, name, what) FLAG_BIT_##name = bit,
#include "classify/acts.def"
};

enum act_level { LEVEL_none, LEVEL_rule, LEVEL_model, LEVEL_answer };
enum speaker { SPEAKER_user, SPEAKER_assistant, SPEAKER_system, SPEAKER_tool };

/* What came before in the same thread, as the stage remembers it. */
struct act_context {
	struct slice prev_text;		/* own words of the turn before, or none */
	enum act prev_act;
	bool prev_same_speaker;		/* the same person said both */
	enum speaker prev_speaker;
	enum speaker speaker;
	bool effort_open;		/* a turn that opens was seen, none concluded since */
	bool solution_offered;		/* the other side has proposed or done something since */
	bool together;			/* several people speak, and say "we" */
	bool weighed;			/* and have weighed what to do */
};

struct act_verdict {
	enum act act;
	unsigned flags;			/* enum act_flag */
	unsigned confidence;		/* 0..1000 */
	enum act_level level;
	struct slice rule;		/* the rule's name when level is rule */
	int scores[ACT_COUNT];		/* the model's, thousandths, sum about 1000 */
	bool scored;			/* scores are set: the model was asked */
	/* How it came about, for --why; NULL or borrowed from the rules. */
	const struct rule_info *by;	/* the rule for the act, even if overruled */
	const struct rule_info *flag_by[4];
	bool english;			/* enough of it for English rules */
	bool foreign;			/* rather another language */
	int leaning;			/* to weighing, or below zero to telling */
	bool together;			/* it says "we" */
	bool alone;			/* it says "I" */
};

/* One sentence of a turn: where it is in the text, and what it does. */
struct act_sentence {
	size_t at;
	size_t len;
	struct act_verdict verdict;
};

/*
 * A turn.  Of its sentences' acts the whole has the most consequential: a
 * request or question (the later of them), else a rejection, an undertaking,
 * an acceptance, a statement, a greeting, nothing.  Where no rule is sure of
 * that, the model is asked about the whole.  It has the flags of all of them;
 * but what a later sentence rejects is no longer concluded.
 */
struct act_turn {
	struct act_verdict whole;
	size_t deciding;		/* the sentence that gave the act */
	struct act_sentence *sentences;	/* of the arena */
	size_t count;
};

/*
 * The cascade.  A rule that is sure enough decides alone.  Else the model is
 * asked, and the surer of the two decides; flags are the rules' alone.  Without
 * a model what no rule decides has level none and a low confidence.  Borrows
 * both; model may be NULL.
 */
struct acts {
	struct rules *rules;
	const struct model *model;
};

/* The sentence is the speaker's own words, one sentence of them. */
void acts_sentence(const struct acts *acts, struct slice sentence,
    const struct act_context *context, struct act_verdict *out);
/* The text is all of a turn, with its code, quotes and what else is in it. */
void acts_turn(const struct acts *acts, struct arena *arena, struct slice text,
    const struct act_context *context, struct act_turn *out);

/* The same, for who has sifted the text and cut it into sentences already. */
void acts_read(const struct acts *acts, struct arena *arena, struct slice text,
    const struct sifted *sifted, const struct sentence *found, size_t count,
    const struct act_context *context, struct act_turn *out);

const char *act_name(enum act act);
int act_parse(struct slice name, enum act *out);	/* 0, or -1: no such act */
const char *act_flag_name(unsigned bit_index);		/* 0..3 */

#endif
