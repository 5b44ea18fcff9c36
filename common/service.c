/*
 * service - the frame of a process that is no stage of the pipeline
 */
#include "common/service.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_impl.h"

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
	enum log_level level = LOG_INFO;

	*s = (struct service){ .name = name, .lock_fd = -1,
		.state = "starting" };
	buf_init(&s->more, 4096);
	log_open(name, LOG_INFO);
	conf_load(&s->conf, &argc, argv, EX_REFUSE);
	read_options(s, what, argc, argv);
	if (strcmp(s->conf.log_level, "debug") == 0)
		level = LOG_DEBUG;
	else if (strcmp(s->conf.log_level, "warn") == 0)
		level = LOG_WARN;
	log_open(name, level);
	if (s->log_path != NULL)
		log_file(s->log_path, (size_t)s->conf.log_size * 1024,
		    (unsigned)s->conf.log_keep);
}

static void
make_home(const struct service *s)
{
	char *run = conf_path(&s->conf, "run");

	umask(077);
	if ((mkdir(s->conf.home, 0700) == -1 && errno != EEXIST) ||
	    (mkdir(run, 0700) == -1 && errno != EEXIST))
		fatal(EX_REFUSE, "%s", run);
	free(run);
}

/* ---- the end ---- */

static void
end(void *service)
{
	struct service *s = service;

	s->state = "stopping";
	ev_break(s->loop, EVBREAK_ALL);
}

static void
on_signal(struct ev_loop *loop, ev_signal *w, int events)
{
	(void)loop;
	(void)events;
	end(w->data);
}

static void
watch_signals(struct service *s)
{
	ev_signal_init(&s->on_term, on_signal, SIGTERM);
	ev_signal_init(&s->on_int, on_signal, SIGINT);
	s->on_term.data = s->on_int.data = s;
	ev_signal_start(s->loop, &s->on_term);
	ev_signal_start(s->loop, &s->on_int);
	signal(SIGPIPE, SIG_IGN);
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
	char *path = conf_path(&s->conf, "run/%s.status", s->name);
	char *fresh = conf_path(&s->conf, "run/%s.status.new", s->name);
	FILE *file = fopen(fresh, "we");
	enum counter i;

	s->beat++;
	if (file != NULL) {
		fprintf(file, "pid %d\nstate %s\nbeat %llu\ncursor %llu\n"
		    "since %lld\nnote %s\n", (int)getpid(), s->state,
		    (unsigned long long)s->beat, (unsigned long long)s->cursor,
		    (long long)s->since_ms, s->note);
		for (i = 0; i < COUNTER_COUNT; i++)
			if (s->counters[i] > 0)
				fprintf(file, "count.%s %llu\n",
				    counter_name(i),
				    (unsigned long long)s->counters[i]);
		fputs(buf_cstr(&s->more), file);
		/* A full disk must not stop us: the old file stays. */
		if (fclose(file) == 0 && rename(fresh, path) == -1)
			log_warn("%s", path);
	}
	free(path);
	free(fresh);
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
	make_home(s);
	s->loop = ev_default_loop(0);
	if (s->loop == NULL)
		fatalx(EX_RETRY, "libev cannot start");
	watch_signals(s);
	process_watch(&s->lifeline, s->loop, false, end, s);
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

static void
unlink_status(const struct service *s)
{
	char *path = conf_path(&s->conf, "run/%s.status", s->name);

	if (unlink(path) == -1 && errno != ENOENT)
		log_warn("%s", path);
	free(path);
}

void
service_release(struct service *s)
{
	if (s->loop != NULL) {
		unlink_status(s);
		ev_loop_destroy(s->loop);
		close(s->lock_fd);
	}
	buf_release(&s->more);
	conf_release(&s->conf);
}
