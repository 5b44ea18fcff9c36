/*
 * injected - blocks of a text that skein or a client put in
 *
 * What was handed out once must never come back as something that was said or
 * is to be remembered.
 */
#ifndef COMMON_INJECTED_H
#define COMMON_INJECTED_H

#include "common/buf.h"

/* The text without them; the text itself where there are none. */
struct slice injected_strip(struct slice text, struct arena *arena);

#endif
