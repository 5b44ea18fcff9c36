/*
 * types - what to say where nothing has the type that was asked for
 */
#ifndef CLI_TYPES_H
#define CLI_TYPES_H

#include "cli/cli.h"

/* On standard error, unless there is a package of that name. */
void types_say_unknown(const struct cli *cli, struct slice type);

#endif
