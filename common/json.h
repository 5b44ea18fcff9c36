/*
 * json - writing JSON by hand; reading it is jansson's
 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include "common/buf.h"

/* Quoted and escaped; bytes that are not UTF-8 become U+FFFD. */
void json_put_str(struct buf *out, struct slice s);
/* Lower-case hex in quotes. */
void json_put_hex(struct buf *out, struct slice bytes);

#endif
