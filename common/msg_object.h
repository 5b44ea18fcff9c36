/*
 * msg_object - msgpack-c's objects, between the files of msg
 */
#ifndef COMMON_MSG_OBJECT_H
#define COMMON_MSG_OBJECT_H

#include <msgpack.h>

#include "common/msg.h"

/* The whole of `bytes` as one object, until the next call; 0, or -1. */
MSG_CHECK int msg_unpack_object(struct slice bytes, msgpack_object *out,
    struct msg_error *why);
/* A string's or a binary's bytes. */
struct slice msg_object_slice(const msgpack_object *o);

#endif
