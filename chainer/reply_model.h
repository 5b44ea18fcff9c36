/*
 * reply_model - the weights behind the antecedent's choice: trees
 *
 * Made by chainer/train; this knows their form and nothing of how they came.
 */
#ifndef CHAINER_REPLY_MODEL_H
#define CHAINER_REPLY_MODEL_H

#include "chainer/reply.h"

/* Thousandths of log odds for each row of features. */
void reply_model_score(const struct reply_model *m,
    int16_t (*rows)[REPLY_FEATURES], size_t count, int32_t *scores);

#endif
