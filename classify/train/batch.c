/*
 * batch - the features of many utterances at once, for the training script
 *
 * Built by train-acts into a shared library with the shipped extractor, so
 * that training sees exactly what inference will see.
 */
#include "classify/features.h"

/* Prototype here: the only caller is not written in C. */
uint64_t batch_features(const char *blob, const uint64_t *at,
    const uint8_t *same, uint64_t count, uint32_t *keys, uint64_t room,
    uint64_t *ends);

/*
 * Item i's text is blob[at[2i], at[2i + 1]), the turn before it follows up to
 * at[2i + 2].  Its keys come group by group; ends[i * GROUP_COUNT + g] says
 * where group g ends.  Returns how many keys there are; those past `room` are
 * counted only.
 */
uint64_t
batch_features(const char *blob, const uint64_t *at, const uint8_t *same,
    uint64_t count, uint32_t *keys, uint64_t room, uint64_t *ends)
{
	static struct features f;
	uint64_t n = 0;

	for (uint64_t i = 0; i < count; i++, at += 2) {
		features_extract(&f, slice_of(blob + at[0], at[1] - at[0]),
		    slice_of(blob + at[1], at[2] - at[1]), same[i] != 0);
		for (unsigned g = 0; g < GROUP_COUNT; g++) {
			for (unsigned k = 0; k < f.count; k++) {
				if (feature_group(f.list[k].kind) != g)
					continue;
				if (n < room)
					keys[n] = f.list[k].key;
				n++;
			}
			*ends++ = n;
		}
	}
	return n;
}
