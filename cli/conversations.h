/*
 * conversations - the trees that calls of LLM APIs make
 */
#ifndef CLI_CONVERSATIONS_H
#define CLI_CONVERSATIONS_H

#include "cli/cli.h"

/*
 * The linker commits its tables a moment after its sections: waits until they
 * are as far, or a second.
 */
void conversations_settle(struct db *shared, struct db *linker);

#endif
