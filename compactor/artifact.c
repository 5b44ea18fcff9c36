/*
 * artifact - an artifact's key, turns, fields and lists
 */
#include "compactor/compact.h"

/* ---- lists ---- */

/* Lists are short and grow by one: copied, as others may hold the old one. */
void *
list_grown(struct arena *arena, const void *at, size_t n, size_t size)
{
	void *grown = arena_array(arena, n + 1, size);

	if (n > 0)
		memcpy(grown, at, n * size);
	return grown;
}

void
strs_add(struct msg_strs *list, struct arena *arena, struct slice s)
{
	list->at = list_grown(arena, list->at, list->count, sizeof(s));
	list->at[list->count++] = s;
}

bool
strs_has(const struct msg_strs *list, struct slice s)
{
	size_t i;

	/* Words of one length mostly begin with different letters. */
	for (i = 0; i < list->count; i++)
		if (list->at[i].len == s.len && (s.len == 0 ||
			(list->at[i].ptr[0] == s.ptr[0] &&
			    memcmp(list->at[i].ptr, s.ptr, s.len) == 0)))
			return true;
	return false;
}

/* ---- keys ---- */

/* Made for every other turn: printf would take longer than all the rest. */
struct slice
artifact_key(struct arena *arena, uint64_t seq, uint64_t n)
{
	char text[2 + 2 * DIGITS_U64], *end = text + sizeof(text), *at;

	at = digits_before(end, n);
	*--at = '.';
	at = digits_before(at, seq);
	*--at = 'a';
	return arena_dup(arena, slice_of(at, (size_t)(end - at)));
}

/* Digits up to `end`, as artifact_key writes them: no sign, no leading 0. */
static int
read_number(const char **p, const char *end, uint64_t *out)
{
	const char *from = *p;
	uint64_t n = 0;

	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
		if (n > (UINT64_MAX - 9) / 10)
			return -1;
		n = n * 10 + (uint64_t)(**p - '0');
	}
	if (*p == from || (*from == '0' && *p - from > 1))
		return -1;
	*out = n;
	return 0;
}

int
artifact_parse(struct slice key, uint64_t *seq, uint64_t *n)
{
	const char *p = key.ptr, *end = key.ptr + key.len;

	if (key.len < 4 || *p++ != 'a' || read_number(&p, end, seq) == -1 ||
	    p == end || *p++ != '.' || read_number(&p, end, n) == -1 ||
	    p != end || *seq == 0)
		return -1;
	return 0;
}

/* ---- an artifact's parts ---- */

/* Turns come in order but for late ones: the last range nearly always fits. */
void
artifact_add_turn(struct msg_u64s *turns, struct arena *arena, uint64_t number)
{
	size_t i = turns->count;
	uint64_t *at;

	while (i > 0 && turns->at[i - 2] > number)
		i -= 2;
	if (i > 0 && number <= turns->at[i - 1])
		return;
	at = arena_array(arena, turns->count + 2, sizeof(at[0]));
	if (turns->count > 0)
		memcpy(at, turns->at, turns->count * sizeof(at[0]));
	if (i > 0 && at[i - 1] + 1 == number) {
		at[i - 1] = number;
		if (i < turns->count && at[i] == number + 1) {
			at[i - 1] = at[i + 1];
			memmove(&at[i], &at[i + 2],
			    (turns->count - i - 2) * sizeof(at[0]));
			turns->count -= 2;
		}
	} else if (i < turns->count && at[i] == number + 1) {
		at[i] = number;
	} else {
		memmove(&at[i + 2], &at[i], (turns->count - i) * sizeof(at[0]));
		at[i] = at[i + 1] = number;
		turns->count += 2;
	}
	turns->at = at;
}

void
artifact_add_elsewhere(struct msg_u64s *turns, struct arena *arena,
    uint64_t thread, uint64_t number)
{
	size_t n = turns->count;
	uint64_t *at;

	if (n > 0 && turns->at[n - 3] == thread &&
	    number >= turns->at[n - 2] && number <= turns->at[n - 1])
		return;
	at = arena_array(arena, n + 3, sizeof(at[0]));
	if (n > 0)
		memcpy(at, turns->at, n * sizeof(at[0]));
	turns->at = at;
	if (n > 0 && at[n - 3] == thread && at[n - 1] + 1 == number) {
		at[n - 1] = number;
		return;
	}
	at[n] = thread;
	at[n + 1] = at[n + 2] = number;
	turns->count += 3;
}

void
artifact_set_field(struct msg_artifact *a, struct arena *arena,
    const char *name, const struct slice *values, size_t count)
{
	struct msg_a_field field = { .name = slice_str(name) };
	struct msg_a_field *fields;
	size_t i;

	for (i = 0; i < count; i++)
		strs_add(&field.values, arena, values[i]);
	for (i = 0; i < a->n_fields; i++)
		if (slice_is(a->fields[i].name, name))
			break;
	fields = list_grown(arena, a->fields, a->n_fields, sizeof(field));
	fields[i] = field;
	a->fields = fields;
	if (i == a->n_fields)
		a->n_fields++;
}

struct msg_strs
artifact_field(const struct msg_artifact *a, const char *name)
{
	size_t i;

	for (i = 0; i < a->n_fields; i++)
		if (slice_is(a->fields[i].name, name))
			return a->fields[i].values;
	return (struct msg_strs){ 0 };
}
