/*
 * conversations - the story of one conversation, for `show`
 */
#ifndef CLI_CONVERSATIONS_H
#define CLI_CONVERSATIONS_H

#include "cli/cli.h"
#include "store/query_conversations.h"

struct conversations_show {
	struct query *q;
	struct slice name;	/* "v12", or one branch of it: "v12/branch_2" */
	bool json, turns;
	struct buf *out;
};

/* false: no call of the query's domain is named so. */
bool conversations_show(const struct cli *cli,
    const struct conversations_show *s);

/* ---- conversations.c, for both ---- */

/* What a message says; where that is no text, as in calls of tools, its JSON. */
struct slice conversations_said(const struct msg_xmessage *m);
/* The last message of a call's request; its sender's id, or nothing. */
struct slice conversations_text(struct query *q, uint64_t seq,
    struct slice *id);
/* On one line of so many bytes. */
void conversations_line(struct buf *out, struct slice text, size_t room);
/* "key" to "requests", without braces; of one branch, or with none of all. */
void conversations_json(struct query *q, const struct talk *t,
    struct slice branch, struct buf *out);
int64_t conversations_last(const struct talk *t);

#endif
