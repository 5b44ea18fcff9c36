/*
 * options - a verb's options, declared in a table
 *
 * "--name value" or "--name=value", anywhere among the operands; "--" ends
 * them.  What is wrong is said with what to do instead.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

struct cli;

enum option_kind {
	OPTION_END,
	OPTION_FLAG,	/* bool */
	OPTION_TEXT,	/* struct slice */
	OPTION_NUMBER,	/* uint64_t */
	OPTION_TIME,	/* int64_t, milliseconds; of a date its beginning */
	OPTION_UNTIL	/* the same; of a date its end */
};

struct option_spec {
	const char *name;	/* without the dashes */
	enum option_kind kind;
	void *into;
	bool *given;		/* NULL: nobody asks */
};

enum { OPERANDS_ANYWHERE = 1000000 };

/*
 * Takes the options out of argv[1..]; operands stay, in order, and *argc is
 * one more than their number.  After `free_operands` of them all the rest are
 * operands: they are another program's.  0, or 2 after saying why.
 */
int options_read(const struct cli *cli, const struct option_spec *specs,
    int free_operands, int *argc, char **argv)
    __attribute__((warn_unused_result));

/* A number from 0 up; 0, or 2 after saying that it is none. */
int options_number(const struct cli *cli, const char *name, const char *value,
    uint64_t *out) __attribute__((warn_unused_result));
/* The end of a date, or a time; 0, or -1: it is neither. */
int options_until(struct slice text, int64_t *out)
    __attribute__((warn_unused_result));
/* Whether a value, if there is one, is among words; 0, or 2 after saying so. */
int options_one_of(const struct cli *cli, const char *name, struct slice value,
    const char *words) __attribute__((warn_unused_result));

#endif
