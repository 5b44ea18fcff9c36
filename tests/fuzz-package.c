/*
 * fuzz-package - any bytes as a package file, and as turns that packages read
 *
 * A libFuzzer target.  A file must be taken or refused with file, line and
 * reason; one that was taken must stand any turn.  What stands behind the
 * first NUL is the turn's text, else the file's own text is.
 */
#include <assert.h>
#include <stdlib.h>

#include "compactor/compact.h"
#include "compactor/fill.h"
#include "compactor/tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_refused(const struct packages *set)
{
	for (size_t i = 0; i < packages_refused(set); i++)
		assert(slice_starts(packages_refused_at(set, i)->why,
		    "f.package:"));
}

/* Acts and places of claims are classify's; here they are made up. */
static void
read_turn(struct packages *set, struct arena *arena, struct slice text)
{
	struct msg_c_claim claim = { .subject = SLICE("x"), .at = 0,
		.len = text.len };
	struct msg_c_turn does = { .act = SLICE("inform"),
		.concludes = text.len % 2 == 0, .opens = text.len % 3 == 0,
		.claims = &claim, .n_claims = 1 };
	struct trigger_turn turn = { .said = { .text = text,
		.role = SLICE("user"), .does = &does },
		.number = 1 };
	struct trigger_result r;

	triggers_match(set, arena, &turn, &r);
	for (size_t i = 0; i < packages_count(set); i++) {
		const struct package *p = packages_at(set, i);
		struct msg_artifact a = { .type = p->name };

		assert(r.fires[i].opens <= 1000);
		fill_fields(arena, p, &r, &r.fires[i], PLACE_all, &a);
		fill_words(arena, p, &a);
		for (size_t k = 0; k < a.n_fields; k++)
			assert(a.fields[k].values.count > 0);
	}
	assert(tokens_estimate(text) <= 2 * text.len);
	assert(summary_goal(arena, &turn.said).text.len < 1024);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	const char *nul = size > 0 ? memchr(bytes, '\0', size) : NULL;
	size_t len = nul != NULL ? (size_t)(nul - bytes) : size;
	struct package_source source = { SLICE("f.package"),
		slice_of(bytes, len), false };
	struct packages *set = packages_parse(&source, 1);
	struct arena arena;

	arena_init(&arena);
	check_refused(set);
	read_turn(set, &arena, nul != NULL ? slice_of(nul + 1,
	    size - len - 1) : source.text);
	arena_release(&arena);
	packages_close(&set);
	return 0;
}
