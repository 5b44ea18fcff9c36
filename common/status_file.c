/*
 * status_file - HOME/run/NAME.status, what a process tells about itself
 */
#include "common/status_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage.h"

static void
print(FILE *file, const struct status_file *s)
{
	enum counter i;

	fprintf(file, "pid %d\nstate %s\nbeat %llu\ncursor %llu\nrate %llu\n"
	    "since %lld\nnote %s\n", (int)getpid(), s->state,
	    (unsigned long long)s->beat, (unsigned long long)s->cursor,
	    (unsigned long long)s->rate, (long long)s->since_ms, s->note);
	for (i = 0; i < COUNTER_COUNT; i++)
		if (s->counters[i] > 0)
			fprintf(file, "count.%s %llu\n", counter_name(i),
			    (unsigned long long)s->counters[i]);
	fprintf(file, "%.*s", SLICE_ARG(s->more));
}

void
status_file_write(const struct conf *conf, const struct status_file *s)
{
	char *path = conf_path(conf, "run/%s.status", s->name);
	char *fresh = conf_path(conf, "run/%s.status.new", s->name);
	FILE *file = fopen(fresh, "we");

	if (file != NULL) {
		print(file, s);
		/* A full disk must not stop anything: the old file stays. */
		if (fclose(file) == 0 && rename(fresh, path) == -1)
			log_warn("%s", path);
	}
	free(path);
	free(fresh);
}

void
status_file_remove(const struct conf *conf, const char *name)
{
	char *path = conf_path(conf, "run/%s.status", name);

	if (unlink(path) == -1 && errno != ENOENT)
		log_warn("%s", path);
	free(path);
}
