/*
 * store - index what the other stages wrote
 *
 * Passes entries on: it has nothing to say about them yet, and invents
 * nothing.  See skein-store(8).
 */
#include "common/stage.h"

static const struct stage_spec store = {
	.id = STAGE_store,
	.env = ENV_store,
	.derived = TABLE_store_derived,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &store);
}
