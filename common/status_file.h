/*
 * status_file - HOME/run/NAME.status, what a process tells about itself
 *
 * Lines of a word and its value.  The supervisor takes a beat that stands
 * still for a process that no longer answers; `skein status` reads the rest.
 */
#ifndef COMMON_STATUS_FILE_H
#define COMMON_STATUS_FILE_H

#include <stdint.h>

#include "common/buf.h"
#include "common/conf.h"

struct status_file {
	const char *name;
	const char *state;
	const char *note;		/* what people should know, or "" */
	uint64_t beat, cursor, rate;
	int64_t since_ms;
	const uint64_t *counters;	/* COUNTER_COUNT of them */
	struct slice more;		/* further lines */
};

void status_file_write(const struct conf *conf, const struct status_file *s);
void status_file_remove(const struct conf *conf, const char *name);

#endif
