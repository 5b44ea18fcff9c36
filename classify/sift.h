/*
 * sift - whose words a turn's text is made of
 *
 * Divides a text into spans: the speaker's own words, and what is not theirs:
 * code, quotes, tool output, machine text, addresses.  The spans cover the
 * whole text in order, without gaps.  It decides by shapes only, in linear
 * time; it does not read what the words say.
 */
#ifndef CLASSIFY_SIFT_H
#define CLASSIFY_SIFT_H

#include <stdbool.h>
#include <stddef.h>

#include "classify/acts.h"
#include "common/buf.h"

enum sift_kind {
	SIFT_OWN,
	SIFT_CODE,		/* fenced, indented, `inline` */
	SIFT_QUOTE,		/* lines after '>', long passages in quotes */
	SIFT_TOOL,		/* logs, stack traces, prompts, tool results */
	SIFT_MACHINE,		/* reminders, injected context, preambles */
	SIFT_URL,
};

struct sift_span {
	size_t at;
	size_t len;
	enum sift_kind kind;
	bool block;		/* whole lines: ends the sentence before it */
};

struct sifted {
	struct sift_span *spans;	/* of the arena */
	size_t count;
};

const char *sift_kind_name(enum sift_kind kind);

/* What a tool says is TOOL, what the system says MACHINE, all of it. */
struct sifted sift_text(struct arena *a, struct slice text,
    enum speaker speaker);

/* The index of the span that holds the byte at `at`; count if none does. */
size_t sift_find(const struct sifted *sifted, size_t at);

/*
 * The own words between at and at+len, each foreign span left out and a space
 * put in its place.  Borrowed from text where no foreign span is inside.
 */
struct slice sift_own(struct arena *a, struct slice text,
    const struct sifted *sifted, size_t at, size_t len);

#endif
