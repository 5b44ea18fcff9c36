/*
 * service - the frame of a process that is no stage of the pipeline
 *
 * Settings, log, lock, the supervisor's lifeline, signals, the status file:
 * what skein-supervise(8) asks of every process it runs.  What the process
 * does is its own: it adds its watchers to the loop between service_start and
 * service_run.
 */
#ifndef COMMON_SERVICE_H
#define COMMON_SERVICE_H

#include <ev.h>

#include "common/conf.h"
#include "common/process.h"
#include "common/stage.h"

/* It is switched off: the supervisor leaves it down, and all is well. */
enum { EX_OFF = 99 };

enum { SERVICE_NOTE_BYTES = 160 };

struct service {
	const char *name;
	const char *log_path;
	struct conf conf;
	struct ev_loop *loop;
	uint64_t counters[COUNTER_COUNT];
	uint64_t cursor;		/* shown in the status file */
	struct buf more;		/* further lines of that file */
	char note[SERVICE_NOTE_BYTES];	/* what people should know */
	const char *state;
	uint64_t beat;
	int64_t since_ms;
	int lock_fd;
	struct process_end ending;
	/* Called once a second, before the status file is written. */
	void (*on_second)(void *data);
	void *data;
	ev_timer second;
};

/* Settings, options, log; ends the process where they are wrong. */
void service_init(struct service *s, const char *name, const char *what,
    int argc, char **argv);
/* Home, lock, loop, signals; the status file says starting. */
void service_start(struct service *s);
/* Ready, then the loop, until a signal or the end of the supervisor. */
void service_run(struct service *s);
/* Also of one that was never started. */
void service_release(struct service *s);
void service_note(struct service *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Now, where a change should be seen at once. */
void service_write(struct service *s);

#endif
