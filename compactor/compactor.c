/*
 * compactor - turn what was concluded into artifacts
 *
 * Passes entries on: it has nothing to say about them yet, and invents
 * nothing.  See skein-compactor(8).
 */
#include "common/stage.h"

static const struct stage_spec compactor = {
	.id = STAGE_compactor,
	.env = ENV_compactor,
	.derived = TABLE_compactor_derived,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &compactor);
}
