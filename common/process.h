/*
 * process - what the supervisor asks of every process it runs
 *
 * A home to live in, a log, one process of a name, an end when it is asked for,
 * and none that outlives its supervisor.
 */
#ifndef COMMON_PROCESS_H
#define COMMON_PROCESS_H

#include <ev.h>
#include <stdbool.h>

#include "common/conf.h"

/* HOME and HOME/run, for nobody else to look into. */
void process_make_home(const struct conf *conf);
/* On standard error, or in the file at `path` where that is not NULL. */
void process_open_log(const struct conf *conf, const char *name,
    const char *path);

/*
 * Takes run/NAME.lock; ends the process if another has it.  The descriptor
 * must stay open for as long as the process lives.
 */
int process_lock(const struct conf *conf, const char *name);

/* `on_end` is called on SIGTERM and SIGINT, and when the supervisor is gone. */
struct process_end {
	ev_io lifeline;
	ev_signal on_term, on_int;
	void (*on_end)(void *data);
	void *data;
};

/*
 * Dies with the supervisor (unless `apart`: it is not its child), and hears of
 * its end through the lifeline, where there is one.
 */
void process_watch(struct process_end *e, struct ev_loop *loop, bool apart,
    void (*on_end)(void *data), void *data);

#endif
