/*
 * accept_check - whether the fields of an entry are what they may be
 */
#ifndef INGEST_ACCEPT_CHECK_H
#define INGEST_ACCEPT_CHECK_H

#include "ingest/accept.h"

/* Sizes, control characters, NUL, empty ones; 0, or -1 with the refusal. */
int accept_check_fields(const struct conf *conf, const struct msg_spec *spec,
    const void *msg, struct refusal *refusal)
    __attribute__((warn_unused_result));
/*
 * What its type asks of the fields together; sets those that have a default,
 * and takes out of a memory what skein itself handed out.
 * 0, or -1 with the refusal.
 */
int accept_check_type(enum msg_id type, union msg_any *e,
    struct arena *arena, struct refusal *refusal)
    __attribute__((warn_unused_result));

#endif
