/*
 * model - the small trained model behind the rules
 *
 * Pure arithmetic on integers: the same text gives the same scores on every
 * machine.  The weights come from classify/train; this file knows their form
 * and nothing of how they were made.
 */
#ifndef CLASSIFY_MODEL_H
#define CLASSIFY_MODEL_H

#include "classify/acts.h"
#include "common/buf.h"

struct model;

/*
 * NULL when the file cannot be read or is not weights that fit this build:
 * damaged, cut short, another version.  The reason is then in `why`, one line.
 */
struct model *model_open(const char *path, struct buf *why)
    __attribute__((warn_unused_result));
void model_close(struct model **m);

/*
 * Thousandths for each act; they sum to 1000 but for rounding.  Looks at the
 * text, at ctx->prev_text and at ctx->prev_same_speaker.  ctx may be NULL:
 * nothing came before.
 */
void model_score(const struct model *m, struct slice text,
    const struct act_context *ctx, int scores[ACT_COUNT]);
/* The act with the highest score; the lower number on a tie. */
enum act model_best(const int scores[ACT_COUNT]);

/*
 * Why the best act is the best: one line for each of the `most` features that
 * spoke most for it and, with a negative number, against it, as
 *	+1240 words "let's go"
 * in thousandths of a unit of log odds against the average act.
 */
void model_explain(const struct model *m, struct slice text,
    const struct act_context *ctx, unsigned most, struct buf *out);

#endif
