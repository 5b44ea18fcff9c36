/*
 * service - the frame of a process that is no stage of the pipeline
 */
#include "common/service.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/status_file.h"

static void
read_options(struct service *s, const char *what, int argc, char **argv)
{
	static const struct option options[] = {
		{ "log", required_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'l')
			s->log_path = optarg;
		else if (c == 'h') {
			printf("usage: skein-%s [--home DIR] [--log FILE]\n"
			       "%s; runs in the foreground.\n"
			       "Settings: --name=value, see skein.conf.\n",
			    s->name, what);
			exit(0);
		} else
			exit(EX_REFUSE);
	}
	if (optind < argc)
		fatalx(EX_REFUSE, "'%s' is not understood", argv[optind]);
}

void
service_init(struct service *s, const char *name, const char *what, int argc,
    char **argv)
{
	*s = (struct service){ .name = name, .lock_fd = -1,
		.state = "starting" };
	buf_init(&s->more, 4096);
	log_open(name, LOG_INFO);
	conf_load(&s->conf, &argc, argv, EX_REFUSE);
	read_options(s, what, argc, argv);
	process_open_log(&s->conf, name, s->log_path);
}

/* ---- the end ---- */

static void
end(void *service)
{
	struct service *s = service;

	s->state = "stopping";
	ev_break(s->loop, EVBREAK_ALL);
}

/* ---- status ---- */

void
service_note(struct service *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->note, sizeof(s->note), fmt, ap);
	va_end(ap);
}

void
service_write(struct service *s)
{
	s->beat++;
	status_file_write(&s->conf, &(struct status_file){
		.name = s->name,
		.state = s->state,
		.note = s->note,
		.beat = s->beat,
		.cursor = s->cursor,
		.since_ms = s->since_ms,
		.counters = s->counters,
		.more = buf_slice(&s->more),
	});
}

static void
on_second(struct ev_loop *loop, ev_timer *w, int events)
{
	struct service *s = w->data;

	(void)loop;
	(void)events;
	if (s->on_second != NULL)
		s->on_second(s->data);
	service_write(s);
}

/* ---- its life ---- */

void
service_start(struct service *s)
{
	process_make_home(&s->conf);
	s->loop = ev_default_loop(0);
	if (s->loop == NULL)
		fatalx(EX_RETRY, "libev cannot start");
	process_watch(&s->ending, s->loop, false, end, s);
	s->lock_fd = process_lock(&s->conf, s->name);
	s->since_ms = wall_ms();
	service_write(s);
}

void
service_run(struct service *s)
{
	ev_timer_init(&s->second, on_second, 1., 1.);
	s->second.data = s;
	ev_timer_start(s->loop, &s->second);
	s->state = "ready";
	service_write(s);
	log_info("ready");
	ev_run(s->loop, 0);
}

void
service_release(struct service *s)
{
	if (s->loop != NULL) {
		status_file_remove(&s->conf, s->name);
		ev_loop_destroy(s->loop);
		close(s->lock_fd);
	}
	buf_release(&s->more);
	conf_release(&s->conf);
}
