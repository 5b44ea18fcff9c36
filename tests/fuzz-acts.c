/*
 * fuzz-acts - any bytes through the rules, the model and the whole cascade
 *
 * A libFuzzer target: build with -fsanitize=fuzzer,address,undefined and run
 * from the root of the tree (or set SKEIN_SOURCE_DIR).  The first byte chooses
 * what came before; the text up to the first NUL is the turn before.  When the
 * text begins with "rule " it is also read as a rules file, which must be
 * taken or refused with a reason.
 */
#include <assert.h>
#include <stdlib.h>

#include "classify/acts.h"
#include "classify/model.h"
#include "classify/rules.h"
#include "common/buf.h"
#include "common/xmalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	struct acts acts;
	struct arena arena;
} fuzz;

static void
fuzz_open(void)
{
	const char *root = getenv("SKEIN_SOURCE_DIR");
	char *rules = xasprintf("%s/classify/data/acts.rules",
	    root != NULL ? root : ".");
	char *model = xasprintf("%s/classify/data/acts.model",
	    root != NULL ? root : ".");
	const char *paths[] = { rules };
	struct buf why;

	buf_init(&why, 4096);
	fuzz.acts.rules = rules_open(paths, 1, &why);
	assert(fuzz.acts.rules != NULL);
	fuzz.acts.model = model_open(model, &why);
	arena_init(&fuzz.arena);
	buf_release(&why);
	free(rules);
	free(model);
}

static void
check_verdict(const struct act_verdict *v)
{
	assert((unsigned)v->act < ACT_COUNT);
	assert(v->flags < 16 && v->confidence <= 1000);
	assert(v->level != LEVEL_rule || v->by != NULL);
}

static void
check_turn(struct slice text, const struct act_turn *turn)
{
	size_t end = 0;

	check_verdict(&turn->whole);
	for (size_t i = 0; i < turn->count; i++) {
		assert(turn->sentences[i].at >= end);
		end = turn->sentences[i].at + turn->sentences[i].len;
		assert(end <= text.len);
		check_verdict(&turn->sentences[i].verdict);
	}
}

static void
check_rules(struct slice text)
{
	struct rules_source source = { SLICE("fuzz"), text };
	struct rules *r;
	struct buf why;

	buf_init(&why, 4096);
	r = rules_parse(&source, 1, &why);
	assert(r != NULL || why.len > 0 || why.over);
	rules_close(&r);
	buf_release(&why);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct act_context c = { 0 };
	struct slice text;
	struct act_turn turn;
	const char *nul;

	if (fuzz.acts.rules == NULL)
		fuzz_open();
	if (size == 0)
		return 0;
	c.speaker = data[0] & 3;
	c.prev_speaker = data[0] >> 2 & 1;
	c.prev_act = (enum act)(data[0] >> 3 & 7);
	c.prev_same_speaker = data[0] >> 6 & 1;
	c.effort_open = c.solution_offered = data[0] >> 7;
	text = slice_of((const char *)data + 1, size - 1);
	nul = text.len > 0 ? memchr(text.ptr, '\0', text.len) : NULL;
	if (nul != NULL) {
		c.prev_text = slice_of(text.ptr, (size_t)(nul - text.ptr));
		text = slice_of(nul + 1, text.len - c.prev_text.len - 1);
	}
	acts_turn(&fuzz.acts, &fuzz.arena, text, &c, &turn);
	check_turn(text, &turn);
	if (slice_starts(text, "rule "))
		check_rules(text);
	arena_reset(&fuzz.arena);
	return 0;
}
