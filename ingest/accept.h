/*
 * accept - from what a client sent to an entry that the log can take
 *
 * Pure: no sockets, no store.  Everything that can be wrong with an entry by
 * itself is found here, and said with the field and the reason.
 */
#ifndef INGEST_ACCEPT_H
#define INGEST_ACCEPT_H

#include "common/conf.h"
#include "common/msg.h"

/* Why an entry was refused: a code for programs, words for people. */
struct refusal {
	const char *code;
	struct msg_error why;
};

enum { CONTENT_HASH_BYTES = 16 };

struct accepted {
	enum msg_id type;
	union msg_any *entry;		/* in the arena; strings live in `json` */
	struct json_t *json;		/* the whole of it: accept_release */
	struct msg_strs ignored;	/* members that are no field, some */
	char content_hash[CONTENT_HASH_BYTES];
};

/* 0, or -1 with the refusal; `id` gets the sender's id if one could be read. */
int accept_entry(const struct conf *conf, struct slice body,
    int64_t arrived_ms, struct arena *arena, struct accepted *out,
    struct slice *id, struct refusal *refusal)
    __attribute__((warn_unused_result));
void accept_release(struct accepted *a);
/*
 * Makes the content hash of an exchange one over its normal form: a resend
 * with other cache marks is the same entry.
 */
struct normal_exchange;
void accept_hash_exchange(struct accepted *a, const struct normal_exchange *n);

int refuse(struct refusal *refusal, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
