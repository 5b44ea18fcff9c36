/*
 * reply - which earlier message of a room a new one answers
 *
 * Where several people speak in one place, their conversations interleave.
 * For a new message and the last ones of the room this tells its antecedent,
 * or that it begins a conversation; the message's chain is then the
 * antecedent's.  It goes by who addresses whom, whose turn it is, how long ago
 * and how far back a message stands, shared words, and what was chosen before.
 * It knows no channel: times are measured in the room's own recent gaps, words
 * weighed by how often the window has them.
 *
 * Pure: no store, no clock, no floating point; the same window and message
 * give the same verdict on every machine.  Where the sender has said what a
 * message answers (reply_to), obey that and do not ask here.
 */
#ifndef CHAINER_REPLY_H
#define CHAINER_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buf.h"

enum {
	REPLY_WINDOW = 100,	/* messages back; older ones are not looked at */
	REPLY_TEXT_BYTES = 4096,	/* of a message; what is behind is not read */
	REPLY_MENTIONS = 4,
	REPLY_WORDS = 24,
	REPLY_NAME_BYTES = 32,
	REPLY_FAR = 999,	/* how far back: not in the window */
};

enum reply_flag {
	REPLY_QUESTION = 1 << 0,
	REPLY_THANKS = 1 << 1,
	REPLY_GREETING = 1 << 2,
	REPLY_ANSWER = 1 << 3,		/* begins with yes, no, ok … */
	REPLY_ALL = 1 << 4,		/* speaks to anyone */
	REPLY_MORE = 1 << 5,		/* begins as a continuation */
	REPLY_ADDRESSED = 1 << 6,	/* begins with mentions[0] */
	REPLY_STRANGER = 1 << 7,	/* begins with a name not in the window */
};

/*
 * One message, as much as later ones need of it.  It holds no pointers and no
 * padding is left unset, so its bytes may be kept and read back on the same
 * machine; from the same inputs come the same bytes.
 */
struct reply_message {
	uint64_t speaker;	/* hash of the folded name */
	int64_t ts_ms;
	uint64_t chain;		/* the caller's number; 0: none */
	uint64_t answered;	/* speaker of its antecedent; 0: began one */
	uint64_t mentions[REPLY_MENTIONS];	/* speakers of the window */
	uint64_t sketch;	/* a bit for each word: no common bit, no word */
	uint32_t words[REPLY_WORDS];	/* hashes, ascending, no stop words */
	uint16_t flags;		/* enum reply_flag */
	uint16_t length;	/* in words, stop words and all */
	uint8_t mention_count;
	uint8_t word_count;
	uint8_t name_len;
	uint8_t spare;
	char name[REPLY_NAME_BYTES];	/* folded, for later mentions; cut */
};

/*
 * Fills `m` from a message's speaker (any stable name), time and text;
 * `window`, oldest first, says who may be meant by a name in the text.  The
 * scratch arena may be reset afterwards.  Leaves chain and answered 0.
 */
void reply_read(struct reply_message *m, struct arena *scratch,
    struct slice speaker, int64_t ts_ms, struct slice text,
    const struct reply_message *window, size_t n);

struct reply_model;

/*
 * NULL when the file cannot be read or is not weights for this build; the
 * reason is then in `why`, one line.
 */
struct reply_model *reply_model_open(const char *path, struct buf *why)
    __attribute__((warn_unused_result));
struct reply_model *reply_model_parse(struct slice text, struct buf *why)
    __attribute__((warn_unused_result));
void reply_model_close(struct reply_model **m);

struct reply_verdict {
	int antecedent;		/* index into the window; -1: begins a new one */
	int score;		/* how likely its chain is, in thousandths */
	int runner_up;		/* antecedent in the next likely chain; -1: new */
};

/*
 * Chooses for `now`, which reply_read filled with the same window (oldest
 * first; of more than REPLY_WINDOW messages the last count).  The caller then
 * calls reply_settle, gives `now` its chain, and appends it to the window.
 */
void reply_choose(const struct reply_model *model,
    const struct reply_message *window, size_t n,
    const struct reply_message *now, struct reply_verdict *out);
/*
 * After reply_choose: where few have spoken, the first word of one more that is
 * for somebody who has not answers nobody.  Apart from it, as the weights were
 * learnt with its choices.
 */
void reply_turn_away(const struct reply_message *window, size_t n,
    const struct reply_message *now, struct reply_verdict *v);
/* Notes in `now` whom it answers, which later choices look at. */
void reply_settle(struct reply_message *now,
    const struct reply_message *window, const struct reply_verdict *verdict);

/*
 * Why this verdict, as one line: what can be said of the antecedent, then how
 * much each group of features put it ahead of the runner-up, in thousandths of
 * log odds:
 *	answers bob, 3 back, 912: it addresses that speaker by name; they share
 *	words (against the next likely: names +2310 turns -120 …)
 */
void reply_explain(const struct reply_model *model,
    const struct reply_message *window, size_t n,
    const struct reply_message *now, const struct reply_verdict *verdict,
    struct buf *out);

/*
 * For training and tests: the features of every candidate looked at, in
 * `rows`, and its index in the window in `index` (-1: new, always the first).
 * Returns their number.
 */
enum {
#define FEATURE(name, group, neutral) REPLY_F_##name,
#include "chainer/reply.def"
	REPLY_FEATURES,
	REPLY_CANDIDATES = 40,
};
size_t reply_features(const struct reply_message *window, size_t n,
    const struct reply_message *now,
    int16_t rows[REPLY_CANDIDATES][REPLY_FEATURES],
    int index[REPLY_CANDIDATES]);
const char *reply_feature_name(unsigned feature);

#endif
