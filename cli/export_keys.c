/*
 * export_keys - keys of the store, as they will be where an export is sent to
 */
#include "cli/export_keys.h"

#include <stdlib.h>

#include "common/xmalloc.h"

void
export_keys_leave_out(struct export_keys *k, uint64_t seq)
{
	if (k->count == k->room) {
		k->room = k->room == 0 ? 64 : k->room * 2;
		k->left_out = xrealloc(k->left_out,
		    k->room * sizeof(k->left_out[0]));
	}
	k->left_out[k->count++] = seq;
}

void
export_keys_release(struct export_keys *k)
{
	free(k->left_out);
	*k = (struct export_keys){ 0 };
}

/* Where it will be; 0: nowhere. */
static uint64_t
new_seq(const struct export_keys *k, uint64_t seq)
{
	size_t low = 0, high = k->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (k->left_out[mid] < seq)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < k->count && k->left_out[low] == seq)
		return 0;
	return seq - low;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * The seq in a key: behind its letter, and behind what a question's key has
 * before a colon.  False: it is no key, but somebody's own id.
 */
static bool
find_seq(struct slice key, size_t *at, size_t *end, uint64_t *seq)
{
	size_t i = key.len;

	while (i > 0 && key.ptr[i - 1] != ':')
		i--;
	if (i < key.len && strchr("acktlpxv", key.ptr[i]) != NULL)
		i++;
	*at = i;
	i += slice_digits(key, i, seq);
	*end = i;
	if (i == *at || key.ptr[*at] == '0')
		return false;
	if (i == key.len)	/* a bare number is an id of the sender's */
		return *at > 0;
	if (key.ptr[i] != '.' || i + 1 == key.len)
		return false;
	for (i++; i < key.len; i++)
		if (!is_digit(key.ptr[i]))
			return false;
	return true;
}

/* False: what it names was left out. */
static bool
rename_key(const struct export_keys *k, struct slice *key, struct arena *arena)
{
	size_t at, end;
	uint64_t seq;

	if (!find_seq(*key, &at, &end, &seq))
		return true;
	seq = new_seq(k, seq);
	if (seq == 0)
		return false;
	*key = arena_printf(arena, "%.*s%llu%.*s", (int)at, key->ptr,
	    (unsigned long long)seq, (int)(key->len - end), key->ptr + end);
	return true;
}

static bool
rename_list(const struct export_keys *k, struct msg_strs *list,
    struct arena *arena)
{
	struct slice *kept = arena_array(arena, list->count, sizeof(kept[0]));
	size_t i, n = 0;

	for (i = 0; i < list->count; i++) {
		kept[n] = list->at[i];
		n += rename_key(k, &kept[n], arena);
	}
	list->at = kept;
	list->count = n;
	return n > 0;
}

static bool
refers(const char *name)
{
	static const char *const names[] = { "reply_to", "refines",
		"consolidates", "thread", "at", "artifact", "artifacts",
		"chain", "link", "question" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* A sender may call a thread t5 that is none of the store's. */
static bool
is_own_name(struct slice name, uint64_t thread)
{
	size_t at, end;
	uint64_t seq;

	return find_seq(name, &at, &end, &seq) && seq != thread;
}

static bool
rename_field(const struct export_keys *k, const struct msg_field *f,
    union msg_any *entry, struct arena *arena)
{
	void *value = (char *)entry + f->offset;

	if (f->type == TYPE_strs)
		return rename_list(k, value, arena);
	return f->type != TYPE_str || rename_key(k, value, arena);
}

/* Who consolidates one statement refines it. */
static void
mend_memory(struct msg_memory *m)
{
	if (m->consolidates.count != 1)
		return;
	m->refines = m->consolidates.at[0];
	m->consolidates = (struct msg_strs){ 0 };
	m->has &= ~(UINT64_C(1) << MSGTAG_memory_consolidates);
	m->has |= UINT64_C(1) << MSGTAG_memory_refines;
}

bool
export_keys_rename(const struct export_keys *k, enum msg_id id,
    union msg_any *entry, uint64_t thread, struct arena *arena)
{
	const struct msg_spec *spec = msg_spec(id);
	const struct msg_field *f;
	size_t i;

	for (i = 0; k->count > 0 && i < spec->n_fields; i++) {
		f = &spec->fields[i];
		if (!refers(f->name) || msg_is_absent(f, entry) ||
		    (strcmp(f->name, "thread") == 0 && id != MSG_fork &&
			is_own_name(*(struct slice *)
			    ((char *)entry + f->offset), thread)) ||
		    rename_field(k, f, entry, arena))
			continue;
		if (id != MSG_turn && id != MSG_memory)
			return false;
		/* What was said is kept, without what it was said to. */
		memset((char *)entry + f->offset, 0, f->type == TYPE_strs ?
		    sizeof(struct msg_strs) : sizeof(struct slice));
		entry->envelope.has &= ~(UINT64_C(1) << f->tag);
	}
	if (id == MSG_memory)
		mend_memory(&entry->memory);
	return true;
}
