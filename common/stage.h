/*
 * stage - the skeleton that every stage of the pipeline runs on
 *
 * A stage's main file is a declaration: which stage it is, how it decides and
 * how it applies.  stage_main does the rest: settings, log, store, sockets,
 * signals, catching up, the loop.
 *
 *   decide(entry, earlier sections, own tables) -> section
 *   apply(entry, section) -> own tables
 *
 * A decision may read the entry, the sections of earlier stages for it, and
 * the stage's own tables as of the entry before.  It may not read another
 * stage's tables, the clock, or a random number: the same log must give the
 * same store.  Whatever apply writes must follow from the section and the
 * entry alone, because after a crash it is apply that runs again, not decide.
 */
#ifndef COMMON_STAGE_H
#define COMMON_STAGE_H

#include "common/conf.h"
#include "common/db.h"
#include "common/msg.h"

enum stage_id {
#define STAGE(name, what) STAGE_##name,
#include "common/stages.def"
	STAGE_COUNT
};

enum counter {
#define COUNTER(name, what) COUNTER_##name,
#include "common/counters.def"
	COUNTER_COUNT
};

const char *stage_name(enum stage_id id);
int stage_named(struct slice name, enum stage_id *out);	/* 0, or -1 */
enum table_id stage_section_table(enum stage_id id);
const char *counter_name(enum counter counter);
/* The least microseconds of a bucket of stats.latency: four to an octave. */
uint64_t stage_latency_floor(unsigned bucket);

/* How the settings want environments opened: durable, and of which size. */
struct db_options stage_db_options(const struct conf *conf);
/*
 * HOME/db/shared; who writes makes it where there is none.  Ends the process
 * where it cannot be opened.
 */
struct db *stage_open_shared(const struct conf *conf, bool read_only);

/* An entry with what earlier stages said of it; lives during the call. */
struct stage_entry {
	uint64_t seq;
	struct msg entry;
	struct msg sections[STAGE_COUNT];	/* MSG_none where there is none */
};

struct stage;

struct stage_spec {
	enum stage_id id;
	enum env_id env;		/* where its own tables are */
	enum table_id derived;		/* which of them says what they follow */
	unsigned unread;		/* stages whose sections it never looks
					   at, as bits: they are not decoded */
	const bool *unread_lists;	/* or NULL; likewise lists of records in
					   other sections: by msg_id */
	unsigned char last_read[STAGE_COUNT];	/* of a stage's section the tag
					   behind which it looks at nothing;
					   0: it may look at all */
	/*
	 * NULL for a stage that only passes entries on.  Sets *section to a
	 * message in st's arena; -1 with the reason sends the entry to rejects.
	 */
	int (*decide)(struct stage *st, const struct stage_entry *e,
	    struct msg *section, struct msg_error *why);
	void (*apply)(struct stage *st, const struct stage_entry *e,
	    const struct msg *section);
	/*
	 * Where apply keeps something in memory for the length of a batch:
	 * forget it, write it.  A batch may begin and never be flushed.
	 */
	void (*begin)(struct stage *st);
	void (*flush)(struct stage *st);
	/* Once, after settings and store are there; sockets not yet. */
	void (*start)(struct stage *st);
	void (*stop)(struct stage *st);
	/*
	 * Takes the place of following the stage before: called once the
	 * stage has caught up, to set up its own sources.  Only ingest has it.
	 */
	void (*listen)(struct stage *st);
};

int stage_main(int argc, char **argv, const struct stage_spec *spec);

/* For decide, apply and start. */
const struct conf *stage_conf(const struct stage *st);
/*
 * The path of a file that comes with skein, to be freed; NULL where it is not
 * there, which is then said: what is `without` it.  That is a smaller skein;
 * who finds a broken one refuses to start.
 */
char *stage_data_path(const struct stage *st, const char *name,
    const char *without);
struct db_txn *stage_tables(struct stage *st);	/* open for writing */
struct arena *stage_arena(struct stage *st);	/* until the call returns */
void stage_count(struct stage *st, enum counter counter, uint64_t more);
/* From long work: says that the stage is alive. */
void stage_breathe(struct stage *st);
void *stage_state(const struct stage *st);	/* the stage's own */
void stage_set_state(struct stage *st, void *state);

#endif
