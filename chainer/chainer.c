/*
 * chainer - assign claims to thought chains
 *
 * Passes entries on: it has nothing to say about them yet, and invents
 * nothing.  See skein-chainer(8).
 */
#include "common/stage.h"

static const struct stage_spec chainer = {
	.id = STAGE_chainer,
	.env = ENV_chainer,
	.derived = TABLE_chainer_derived,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &chainer);
}
