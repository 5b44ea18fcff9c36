/*
 * wish - what a text asks of the one it is said to
 *
 * Standing instructions ("always answer in short sentences") and preferences
 * ("I prefer trains") are what a memory is for: they are found before what is
 * merely said.  Found by their wording, English only.
 */
#ifndef STORE_WISH_H
#define STORE_WISH_H

#include <stdbool.h>

#include "common/buf.h"

/* Bits; part of segment files. */
enum wish {
	WISH_STANDING = 1,
	WISH_PREFER = 2,
};

unsigned wish_of(struct slice text);
/* Whether a question is about what the other one has said. */
bool wish_asks_back(struct slice text);

#endif
