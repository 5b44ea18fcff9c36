/*
 * coprocess - a program in any language, asked line by line
 *
 * One line in, one line out.  Started when it is first needed and again after
 * it died; none of it outlives the process that asks: between the two stands a
 * guard that takes the whole group with it.
 */
#ifndef COMMON_COPROCESS_H
#define COMMON_COPROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

struct coprocess;

/* The command is the shell's and borrowed; longer answers are none. */
struct coprocess *coprocess_open(const char *command, size_t answer_limit);
void coprocess_close(struct coprocess **process);

/* Has it answered nothing since it was started, or is it not running? */
bool coprocess_is_fresh(const struct coprocess *process);
/* It has spoken unasked: what it says next would be about something else. */
bool coprocess_is_out_of_step(const struct coprocess *process);
/* Ends it; the next question starts it anew. */
void coprocess_end(struct coprocess *process);

/*
 * Sends the line, which ends in a newline, and waits for one: 0, and the answer
 * without its end, until the next call; -1 when it died or was silent for
 * timeout_ms, and it is ended.  `breathe` (may be NULL) is called meanwhile.
 */
int coprocess_ask(struct coprocess *process, struct slice line,
    int64_t timeout_ms, void (*breathe)(void *), void *data,
    struct slice *answer) __attribute__((warn_unused_result));

#endif
