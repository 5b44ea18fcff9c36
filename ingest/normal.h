/*
 * normal - the normal form of an exchange's messages, and their hashes
 *
 * Pure.  The same conversation is sent again with every call, and comes back
 * slightly changed: cache marks move, a trailing newline appears, reminders
 * are mixed in.  The normal form leaves out what does not count, so that the
 * hash after each message names the same prefix again.
 *
 *   counts           role; text, without trailing white space; tool calls with
 *                    id, name and input (key order aside); tool results with
 *                    id, content and error mark; anything unknown, as sorted
 *                    JSON
 *   does not count   cache_control; thinking; text blocks that are wholly
 *                    <system-reminder> or <skein-...> blocks, and messages
 *                    that hold nothing else; empty text; a message that
 *                    repeats an earlier one with the same tool ids
 *
 * Every part is written with its length before it, so that no text can forge
 * a border.  hash[i] = BLAKE2b-128(hash[i-1], normal form of message i).
 *
 * The system text has a hash of its own, over its stable part: lines that tell
 * a date or a time, a billing header and the state of a git repository are
 * left out.
 */
#ifndef INGEST_NORMAL_H
#define INGEST_NORMAL_H

#include "common/buf.h"
#include "common/msg.h"
#include "ingest/accept.h"

enum { PREFIX_HASH_BYTES = 16 };

struct normal_message {
	struct slice role;
	struct slice text;		/* plain text, in the arena */
	struct slice content;		/* JSON, where it is more than the text */
	char hash[PREFIX_HASH_BYTES];	/* of the prefix that ends here */
};

struct normal_exchange {
	struct normal_message *messages;	/* the request's */
	size_t n_messages;
	struct normal_message reply;
	bool has_reply;
	struct slice system;			/* its whole text */
	char system_hash[PREFIX_HASH_BYTES];	/* of its stable part */
	bool summary_system;			/* it asks for a summary */
	struct slice response_id;		/* the provider's, of the reply */
};

/* Reads messages, system and response of an accepted exchange's JSON. */
int normal_read(const struct conf *conf, struct json_t *exchange,
    struct arena *arena, struct normal_exchange *out, struct refusal *refusal)
    __attribute__((warn_unused_result));

/*
 * What was hashed of a message as the log keeps it, and of a system text: for
 * people to look at.
 */
void normal_form(struct slice role, struct slice text, struct slice content,
    struct buf *out);
void normal_system(struct slice text, struct buf *out);

#endif
