/*
 * http - requests to one endpoint, on the loop
 *
 * The only file that knows libcurl.  Nothing here waits: a request is given a
 * function that is called from the loop when it is over, well or not.  The
 * endpoint's key goes into a header and nowhere else.
 */
#ifndef ASSESS_HTTP_H
#define ASSESS_HTTP_H

#include <ev.h>

#include "common/conf.h"

struct http;

struct http_reply {
	int status;		/* 0: there was none */
	bool excessive;		/* too slow, or without end */
	const char *error;	/* why there was none, in words */
	struct slice body;	/* until the call returns */
	int64_t retry_after_ms;	/* as the endpoint asks; 0: it does not */
};

typedef void http_done(void *data, const struct http_reply *reply);

/*
 * By the settings assess_*.  NULL with the reason: an endpoint that is no
 * address, a key file that others can read.
 */
struct http *http_open(struct ev_loop *loop, const struct conf *conf,
    struct buf *why);
/* What is under way is given up; its functions are not called. */
void http_close(struct http **http);
/* Posts JSON; 0, or -1: it could not even begin. */
int http_post(struct http *http, struct slice body, http_done *done,
    void *data) __attribute__((warn_unused_result));
size_t http_under_way(const struct http *http);

/* The key of a file for its owner alone, to be freed; NULL with the reason. */
char *http_read_key(const char *path, struct buf *why);
/* The address that requests go to, to be freed; NULL with the reason. */
char *http_address(const char *endpoint, bool with_key, bool *loopback,
    struct buf *why);

#endif
