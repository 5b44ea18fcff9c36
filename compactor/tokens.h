/*
 * tokens - how many tokens a text needs in a model's context
 *
 * An estimate, not a tokenizer: one pass that knows words, digits, signs,
 * scripts and runs of encoded bytes apart, each with a rate measured against
 * a common byte-pair vocabulary.  Within a quarter of the truth for prose, code
 * and logs in most scripts; who must not pass a limit keeps TOKENS_MARGIN of
 * it back.  Integers only: the same text gives the same number everywhere.
 *
 * Models differ.  `token_calibration` has a factor for each whose true usage is
 * known, `token_model` names the one that is talked to.
 */
#ifndef COMPACTOR_TOKENS_H
#define COMPACTOR_TOKENS_H

#include <stdint.h>

#include "common/buf.h"
#include "common/conf.h"

enum {
	TOKENS_MARGIN = 15,	/* percent of a budget that an estimate spares */
	TOKENS_MESSAGE = 4,	/* what a message needs besides its text */
};

/* Without calibration. */
uint64_t tokens_estimate(struct slice text);
/*
 * The factor for a model, in thousandths, of "name=1300 na=1100": that of the
 * longest name the model begins with, whatever its case, or 1000.  -1 with the
 * reason if the list is broken.
 */
int tokens_factor(struct slice list, struct slice model, uint64_t *factor,
    struct buf *why) __attribute__((warn_unused_result));
/* The settings, once at start: 0, or -1 with the reason. */
int tokens_check(const struct conf *conf, struct buf *why)
    __attribute__((warn_unused_result));
/* The estimate for the model of the settings, which were checked. */
uint64_t tokens_of(const struct conf *conf, struct slice text);
/* The same for a text whose estimate is known. */
uint64_t tokens_scaled(const struct conf *conf, uint64_t estimate);

#endif
