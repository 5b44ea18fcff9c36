/*
 * embed_remote - vectors by an endpoint, through a program of its own
 *
 * Where embed_endpoint is set, vectors are an OpenAI-compatible endpoint's.
 * Nobody here talks to it: skein-embed, a child beside a pipe, does, so that a
 * process that searches links no HTTP, and one that hangs can be left.
 *
 *   to it     u32 n, then n times u32 length and text
 *   from it   a byte, 1: n times dims int8 follow; 0: there are none
 *
 * Such vectors do not follow from the log.  They stand in files named by their
 * model beside the segments and in no table.
 */
#ifndef STORE_EMBED_REMOTE_H
#define STORE_EMBED_REMOTE_H

#include "common/conf.h"

enum { REMOTE_TEXTS = 64, REMOTE_TEXT_BYTES = 8192 };

struct embed_remote;

/* Starts nothing yet.  `conf` must outlive it. */
struct embed_remote *embed_remote_open(const struct conf *conf);
void embed_remote_close(struct embed_remote **r);
/* "MODEL/DIMS". */
const char *embed_remote_id(const struct embed_remote *r);
size_t embed_remote_dims(const struct embed_remote *r);
/*
 * At most REMOTE_TEXTS; each is cut to REMOTE_TEXT_BYTES.  -1: there are none
 * to be had now, and for a while nobody is asked again.
 */
int embed_remote_many(struct embed_remote *r, const struct slice *texts,
    size_t n, int8_t *out) __attribute__((warn_unused_result));

#endif
