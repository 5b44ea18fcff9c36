/*
 * document - what of an entry can be found: its turns, and what came of it
 *
 * A turn is a document for ever.  An artifact, an episode, a skill or a
 * thread's name is a document anew each time a section has it whole: a version
 * is named by the entry and the place in that section's list, and only the
 * latest one counts.
 */
#ifndef STORE_DOCUMENT_H
#define STORE_DOCUMENT_H

#include "common/stage.h"
#include "store/search.h"

enum { DOCUMENT_TEXTS = 8 };

/*
 * How long a text is usual depends on who wrote it: lengths are compared
 * within a class.  The numbers are part of segment files.
 */
enum document_class {
	CLASS_PERSON = 0,
	CLASS_ASSISTANT = 1,
	CLASS_MADE = 2,		/* artifacts and the like */
	CLASS_MACHINE = 3,	/* tools, system texts: found only if asked for */
	CLASS_COUNT
};

struct document {
	enum search_kind kind;
	enum document_class class;
	uint64_t seq, i;
	struct slice key;	/* what it is a version of; a turn: empty */
	uint64_t thread, turn;
	int64_t ts;
	struct slice domain, user, room, channel, session, role, type, status;
	struct msg_strs tags;
	/* Lives as long as the entry and the arena. */
	struct slice texts[DOCUMENT_TEXTS];
	size_t n_texts;
	struct slice speaker;	/* whose words they are: a turn of role user */
	struct slice title, body;	/* what is shown of it */
};

/* All of an entry's documents, in the order they are indexed. */
size_t documents_of(const struct stage_entry *e, struct arena *arena,
    struct document **out);
/* The one at a place; false: there is none. */
bool document_at(const struct stage_entry *e, struct arena *arena,
    enum search_kind kind, uint64_t i, struct document *out);
/* An episode by its place: the compactor's first, then the linker's. */
const struct msg_episode *document_episode(const struct stage_entry *e,
    uint64_t i);
/* "12.0": how a turn is named. */
struct slice document_turn_key(struct arena *arena, uint64_t seq, uint64_t i);
/* Its text for people. */
struct slice document_text(const struct document *d, struct arena *arena);
/* The text that its vector is made of. */
struct slice document_meaning(const struct document *d, struct arena *arena);
/* Hidden unless its role is asked for. */
bool document_is_noise(enum document_class class);

/*
 * The entry and those sections that documents come from; what is missing or
 * unreadable is MSG_none.  False: there is no such entry.
 */
bool document_load(struct db_txn *shared, uint64_t seq, struct arena *arena,
    struct stage_entry *out);
/* The entry alone: enough for a turn whose place is known. */
bool document_load_entry(struct db_txn *shared, uint64_t seq,
    struct arena *arena, struct stage_entry *out);

#endif
