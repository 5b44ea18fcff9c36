/*
 * linker - relate threads and conversations
 *
 * Passes entries on: it has nothing to say about them yet, and invents
 * nothing.  See skein-linker(8).
 */
#include "common/stage.h"

static const struct stage_spec linker = {
	.id = STAGE_linker,
	.env = ENV_linker,
	.derived = TABLE_linker_derived,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &linker);
}
