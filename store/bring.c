/*
 * bring - the pages of a mapped file, before somebody waits for them
 *
 * The first questions of a process would pay for a thousand page faults each.
 */
#include "store/bring.h"

#include <stdint.h>
#include <sys/mman.h>

enum { BRING_BYTES = 16 << 20 };	/* whole pages, a few milliseconds */

bool
bring(const void *at, size_t len, size_t *done)
{
	void *from = (char *)(uintptr_t)at + *done;
	size_t part = len - *done < BRING_BYTES ? len - *done : BRING_BYTES;

	if (*done >= len)
		return false;
	*done += part;
#ifdef MADV_POPULATE_READ
	if (madvise(from, part, MADV_POPULATE_READ) == 0)
		return true;
#endif
	/* An older kernel: then at least from the disk.  It is advice only. */
	(void)!madvise(from, part, MADV_WILLNEED);
	return true;
}
