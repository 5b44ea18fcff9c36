/*
 * search - find turns, artifacts, threads, episodes and skills
 *
 * Reads only.  An open search keeps the segments of a home mapped and the
 * entries behind the last segment border indexed in memory, so whoever asks
 * more than once keeps it open: each run first follows the store's cursor.
 *
 * The transactions are the caller's.  All that a result points to lives in
 * the arena it was given, so it outlives them.
 *
 *   words       any of them; the more, the rarer and the closer the better
 *   "a phrase"  must be there, word for word; stop words count
 *   pre*        any word that begins so
 */
#ifndef STORE_SEARCH_H
#define STORE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/conf.h"
#include "common/db.h"
#include "common/msg.h"

/* The numbers are part of segment files: append only. */
enum search_kind {
	SEARCH_TURN = 0,
	SEARCH_ARTIFACT = 1,
	SEARCH_THREAD = 2,
	SEARCH_EPISODE = 3,
	SEARCH_SKILL = 4,
	SEARCH_KINDS
};

#define SEARCH_IN(kind) (1u << (kind))
enum { SEARCH_IN_ALL = (1 << SEARCH_KINDS) - 1 };

const char *search_kind_name(enum search_kind kind);	/* "turn" ... */
/* A list as --in takes it: "turns,artifacts"; 0, or -1 at an unknown word. */
int search_kinds_parse(struct slice list, unsigned *in)
    __attribute__((warn_unused_result));

/*
 * One open transaction each.  All but shared may be NULL: without ingest's
 * tables a turn's neighbours are known within a segment only, without the
 * compactor's a weight is the one that was indexed, without the store's
 * everything is indexed in memory and nothing is known to be superseded.
 */
struct search_view {
	struct db_txn *shared, *ingest, *compactor, *store;
};

/* What is asked.  Begin with SEARCH_ALL; an empty filter leaves all in. */
struct search_query {
	struct slice domain;
	struct slice text;
	unsigned in;			/* SEARCH_IN(kind) | ... */
	uint64_t limit;
	uint64_t thread;		/* its seq; 0: any */
	struct slice user, room, channel, role, type, status, tag;
	int64_t since_ms, until_ms;	/* both inclusive */
	int64_t as_of_ms;		/* as it stood then */
	int64_t now_ms;			/* recency is counted from here; 0: from
					   the newest document of the domain */
	bool lexical;			/* without dense similarity */
	bool wordless;			/* hits need not say which words */
	bool padded;			/* also what has little to do with it */
	bool spoken;			/* a person's words: a title in quotes is
					   no phrase that must be there */
};

#define SEARCH_ALL                                                          \
	((struct search_query){ .domain = SLICE("default"),                 \
		.in = SEARCH_IN_ALL, .limit = 10, .since_ms = INT64_MIN,    \
		.until_ms = INT64_MAX, .as_of_ms = INT64_MAX })

/* What each signal added to the score; their sum is the score before it is
   brought to 0..1 and before lineage. */
struct search_why {
	double terms, dense, recency, weight, neighbour;
	struct msg_strs words;		/* the query's that were found */
};

struct search_hit {
	enum search_kind kind;
	uint64_t seq, i;		/* the version: entry, and place there */
	struct slice key;		/* 12.0, a12.0, t12, p12, k12.0 */
	struct slice id;		/* the sender's own, or empty */
	struct slice text;		/* whole */
	int64_t ts;
	double score;			/* 0..1 */
	struct search_why why;
	uint64_t thread;		/* 0: of none */
	uint64_t turn;			/* a turn's number in its thread */
	struct slice user, room, channel, role, type, status;
	struct msg_strs tags;
	uint64_t weight;		/* thousandths; 0: it has none */
	bool superseded;
	struct slice refined_by;	/* the newest; empty: by nothing */
	/* An artifact, episode or skill whole, as of that version; else NULL. */
	const struct msg_artifact *artifact;
	const struct msg_episode *episode;
	const struct msg_skill *skill;
};

struct search_result {
	struct search_hit *hits;	/* the best first */
	size_t n_hits;
	uint64_t upto;			/* the last entry that was looked at */
	uint64_t candidates;		/* documents that were ranked */
	bool dense;			/* similarity took part */
};

struct search;

/* `conf` must outlive it.  Never fails: what is not there is not found. */
struct search *search_open(const struct conf *conf);
void search_close(struct search **s);
/* Brings it up to the store's cursor as of the view; run does so itself. */
void search_follow(struct search *s, const struct search_view *view);
/*
 * Brings the index's files into memory, a few megabytes, for who has nothing
 * better to do; false: they all are.
 */
bool search_warm(struct search *s);
/*
 * Whether a run since the last call had to do without vectors that are still
 * to come: the same again would find more one day, though nothing was said.
 */
bool search_lacked(struct search *s);
/* 0, or -1 with the reason: the query cannot be read. */
int search_run(struct search *s, const struct search_view *view,
    const struct search_query *query, struct arena *arena,
    struct search_result *out, struct buf *why)
    __attribute__((warn_unused_result));
/* The same asked of other kinds too: what both need is found out once. */
struct search_also {
	unsigned in;
	uint64_t limit;
	struct search_result found;
};
int search_run_both(struct search *s, const struct search_view *view,
    const struct search_query *query, struct search_also *also,
    struct arena *arena, struct search_result *out, struct buf *why)
    __attribute__((warn_unused_result));

/* Appends a hit as the JSON object that `skein search --json` prints. */
void search_hit_json(struct buf *out, const struct search_hit *hit,
    struct slice thread_name);

#endif
