/*
 * stance - what a user's turn does to the work at hand, by a small model
 */
#include "compactor/stance.h"

static const char *const afters[] = {
#define AFTER(name) #name,
	STANCE_AFTERS(AFTER)
#undef AFTER
};

const struct linear_spec stance_spec = {
	.name = "stance",
	.n_classes = STANCE_COUNT,
	.n_contexts = AFTER_COUNT,
	.contexts = afters,
};

struct stances
stance_read(struct linear *m, struct slice text, enum stance_after after)
{
	struct stances out;

	linear_read(m, text, after, out.lead);
	return out;
}
