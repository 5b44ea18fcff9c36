/*
 * sketch - texts that say the same but for small edits
 */
#include "linker/sketch.h"

#include <ctype.h>
#include <xxhash.h>

/* ---- words ---- */

/* Length of a word at `at`, or 0: ASCII runs, else one character. */
static size_t
word_len(struct slice s, size_t at)
{
	unsigned char c = (unsigned char)s.ptr[at];
	size_t n = 0;

	if (c >= 0xe0)		/* three bytes and more: a word by itself */
		return c >= 0xf0 ? 4 : 3;
	while (at + n < s.len) {
		c = (unsigned char)s.ptr[at + n];
		if (!isalnum(c) && (c < 0x80 || c >= 0xe0))
			break;
		n++;
	}
	return n;
}

static uint64_t
word_hash(struct slice s, size_t at, size_t len)
{
	char folded[64];
	size_t i;

	if (len > sizeof(folded))
		return XXH3_64bits(s.ptr + at, len);
	for (i = 0; i < len; i++)
		folded[i] = (char)tolower((unsigned char)s.ptr[at + i]);
	return XXH3_64bits(folded, len);
}

/* A tag: "<summary>", "</analysis>". */
static size_t
tag_len(struct slice s, size_t at)
{
	enum { TAG_BYTES = 40 };
	size_t i = at + 1;

	if (i < s.len && s.ptr[i] == '/')
		i++;
	if (i >= s.len || !isalpha((unsigned char)s.ptr[i]))
		return 0;
	while (i < s.len && i - at < TAG_BYTES &&
	    (isalnum((unsigned char)s.ptr[i]) || s.ptr[i] == '-' ||
		s.ptr[i] == '_'))
		i++;
	return i < s.len && s.ptr[i] == '>' ? i + 1 - at : 0;
}

/* ---- the smallest ---- */

/* Different hashes, in order. */
struct smallest {
	uint64_t *at;
	size_t n, most;
};

static void
keep_small(struct smallest *s, uint64_t hash)
{
	size_t low = 0, high = s->n, mid;

	if (s->n == s->most && hash >= s->at[s->n - 1])
		return;
	while (low < high) {
		mid = (low + high) / 2;
		if (s->at[mid] < hash)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < s->n && s->at[low] == hash)
		return;
	s->n += s->n < s->most;
	memmove(s->at + low + 1, s->at + low,
	    (s->n - 1 - low) * sizeof(s->at[0]));
	s->at[low] = hash;
}

void
sketch_make(struct arena *arena, struct slice text, size_t most,
    struct msg_call_sketch *out)
{
	struct smallest s = { .at = arena_array(arena, most, sizeof(uint64_t)),
		.most = most };
	uint64_t words[SKETCH_WORDS] = { 0 };
	size_t at = 0, len, n = 0;

	while (at < text.len) {
		if (text.ptr[at] == '<' && (len = tag_len(text, at)) > 0) {
			at += len;
			continue;
		}
		len = word_len(text, at);
		if (len == 0) {
			at++;
			continue;
		}
		if (len > text.len - at)
			len = text.len - at;
		memmove(words, words + 1, sizeof(words) - sizeof(words[0]));
		words[SKETCH_WORDS - 1] = word_hash(text, at, len);
		at += len;
		if (++n >= SKETCH_WORDS)
			keep_small(&s, XXH3_64bits(words, sizeof(words)));
	}
	*out = (struct msg_call_sketch){
		.mins = slice_of((char *)s.at, s.n * sizeof(s.at[0])),
		.count = s.n < most ? s.n : n - SKETCH_WORDS + 1,
	};
}

size_t
sketch_size(const struct msg_call_sketch *s)
{
	return s->mins.len / sizeof(uint64_t);
}

uint64_t
sketch_at(const struct msg_call_sketch *s, size_t i)
{
	uint64_t n;

	memcpy(&n, s->mins.ptr + i * sizeof(n), sizeof(n));
	return n;
}

uint64_t
sketch_likeness(const struct msg_call_sketch *reply,
    const struct msg_call_sketch *core, uint64_t *weight, uint64_t *share)
{
	size_t n_core = sketch_size(core), i, k = 0, found = 0, seen = 0;
	bool whole = n_core < SKETCH_CORE;
	uint64_t likeness;

	*weight = *share = 0;
	for (i = 0; i < sketch_size(reply); i++) {
		while (k < n_core && sketch_at(core, k) < sketch_at(reply, i))
			k++;
		/* Past its largest the core's sketch says nothing. */
		if (k == n_core && !whole)
			break;
		seen++;
		if (k < n_core && sketch_at(core, k) == sketch_at(reply, i))
			found++;
	}
	/* Too few to tell: the reply is a small part of the core, if any. */
	if (seen == 0 || core->count == 0 ||
	    (seen < sketch_size(reply) && seen < SKETCH_REPLY_KEYS))
		return 0;
	likeness = 1000 * found / seen;
	*weight = reply->count * found / seen;
	*share = 1000 * *weight / core->count;
	return likeness;
}
