/*
 * classify - say what a turn does and what it is about
 *
 * Passes entries on: it has nothing to say about them yet, and invents
 * nothing.  See skein-classify(8).
 */
#include "common/stage.h"

static const struct stage_spec classify = {
	.id = STAGE_classify,
	.env = ENV_classify,
	.derived = TABLE_classify_derived,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &classify);
}
