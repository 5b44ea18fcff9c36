/*
 * engine - classify's engine on the shipped data, for tests that need turns
 */
#ifndef TESTS_ENGINE_H
#define TESTS_ENGINE_H

#include <stdlib.h>

#include "classify/describe.h"
#include "common/conf.h"
#include "tests/tap.h"

/* NULL after a failed check that says why. */
static inline struct engine *
test_engine(void)
{
	struct engine *engine = NULL;
	struct conf_error wrong;
	struct conf conf;
	struct buf why;

	buf_init(&why, 4096);
	conf_init(&conf, "/nonexistent");
	setenv("SKEIN_DATA_DIR", SKEIN_SOURCE_DIR "/classify/data", 1);
	if (conf_read_env(&conf, &wrong) == 0)
		engine = engine_open(&conf, &why);
	if (!ok(engine != NULL, "rules, weights and word lists open"))
		printf("# %s\n", buf_cstr(&why));
	buf_release(&why);
	conf_release(&conf);
	return engine;
}

#endif
