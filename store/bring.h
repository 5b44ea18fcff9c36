/*
 * bring - the pages of a mapped file, before somebody waits for them
 */
#ifndef STORE_BRING_H
#define STORE_BRING_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Brings the next few megabytes of a mapping in; *done is how much has been
 * brought, 0 at first.  False: all of it was there.
 */
bool bring(const void *at, size_t len, size_t *done);

#endif
