/*
 * pass-stage - any stage, with nothing to say: `pass-stage NAME [OPTIONS]`
 *
 * For tests of one stage that want the others out of the way.
 */
#include "common/stage.h"

#define STAGE(name, what)                        \
	{ .id = STAGE_##name, .env = ENV_##name, \
		.derived = TABLE_##name##_derived },
static const struct stage_spec stages[] = {
#include "common/stages.def"
};

int
main(int argc, char **argv)
{
	enum stage_id id;

	if (argc < 2 || stage_named(slice_str(argv[1]), &id) == -1)
		return 2;
	argv[1] = argv[0];
	return stage_main(argc - 1, argv + 1, &stages[id]);
}
