/*
 * process - what the supervisor asks of every process it runs
 *
 * One of a name on a home, and none that outlives its supervisor.
 */
#ifndef COMMON_PROCESS_H
#define COMMON_PROCESS_H

#include <ev.h>
#include <stdbool.h>

#include "common/conf.h"

/*
 * Takes run/NAME.lock; ends the process if another has it.  The descriptor
 * must stay open for as long as the process lives.
 */
int process_lock(const struct conf *conf, const char *name);

/* `on_end` is called when the supervisor is gone. */
struct process_lifeline {
	ev_io pipe;
	void (*on_end)(void *data);
	void *data;
};

/*
 * Dies with the supervisor (unless `apart`: it is not its child), and hears of
 * its end through the lifeline, where there is one.
 */
void process_watch(struct process_lifeline *l, struct ev_loop *loop,
    bool apart, void (*on_end)(void *data), void *data);

#endif
