/*
 * subtask - an agent that another set to work
 *
 * A reply may call a tool that starts an agent ("task_tools").  The agent's
 * own first call has one message, and its text is the prompt of that tool
 * call.  Prompts are compared by a hash that white space does not change.
 */
#ifndef LINKER_SUBTASK_H
#define LINKER_SUBTASK_H

#include "linker/exchange.h"

/* What an entry tells without settings: its lone message as a prompt. */
void subtask_read_self(struct exchange *ex);
/* Task calls among its messages, into the section; how many its reply has. */
void subtask_read_calls(struct exchange *ex);
/* The newest call in the window whose reply has this prompt. */
void subtask_match(struct exchange *ex, struct msg_call *c,
    struct match *best);
/* Later lone messages that this entry's task calls may have begun. */
void subtask_later(struct exchange *ex,
    void (*offer)(struct exchange *ex, struct msg_call *c,
	const struct match *m));
void subtask_index(struct exchange *ex);

#endif
