/*
 * query_conversations - the trees that calls of LLM APIs make
 */
#include "store/query_conversations.h"

#include <stdlib.h>

#include "common/json.h"
#include "common/xmalloc.h"

enum {
	TALKS_KEPT = 32,
	CALLS_KEPT = 200000,	/* over all of them */
	WALK = 10000000,	/* past any conversation: tables are damaged */
};

struct talks {
	struct talk *at[TALKS_KEPT];	/* the latest first */
	size_t n;
	uint64_t thread, root;		/* of the last turn: where it leads */
};

static void
talk_free(struct talk *t)
{
	arena_release(&t->arena);
	free(t->calls);
	free(t->by_seq);
	free(t);
}

struct talks *
talks_new(void)
{
	struct talks *t = xmalloc(sizeof(*t));

	*t = (struct talks){ .n = 0 };
	return t;
}

void
talks_free(struct talks **t)
{
	size_t i;

	if (*t == NULL)
		return;
	for (i = 0; i < (*t)->n; i++)
		talk_free((*t)->at[i]);
	free(*t);
	*t = NULL;
}

/* ---- reading ---- */

static bool
load_call(struct query *q, uint64_t seq, struct arena *arena,
    struct msg_call *out)
{
	struct key k = key_u64(seq);
	struct msg_error why;
	struct slice record;

	return seq != 0 && db_get(q->linker, TABLE_calls, key_slice(&k),
	    &record) && msg_decode_as(arena_dup(arena, record), arena, MSG_call,
	    out, &why) == 0 && out->n_place == 1;
}

/* The call that began the conversation; 0: there is no such call. */
static uint64_t
find_root(struct query *q, uint64_t seq)
{
	struct msg_call c;
	struct arena arena;
	uint64_t root = 0, n;

	arena_init(&arena);
	for (n = 0; n < WALK && load_call(q, seq, &arena, &c); n++) {
		root = c.place->node;
		seq = root != c.seq ? root : c.place->parent;
		arena_reset(&arena);
	}
	arena_release(&arena);
	return root;
}

static void
add_call(struct talk *t, const struct msg_call *c, size_t parent)
{
	struct talk_call *n;

	if (t->n_calls == t->room) {
		t->room = t->room == 0 ? 16 : 2 * t->room;
		t->calls = xrealloc(t->calls, t->room * sizeof(t->calls[0]));
	}
	n = &t->calls[t->n_calls++];
	*n = (struct talk_call){
		.seq = c->seq,
		.ts = c->ts,
		.parent = parent,
		.retry = c->place->node != c->seq,
		.opens = c->place->opens.len > 0,
		.aside = c->place->aside,
		.branch = c->place->opens,
		.strategy = c->place->strategy,
		.why = c->place->why,
		.task = c->place->task,
		.tasks = c->tasks,
	};
}

/* All calls below the root, a generation after the other. */
static void
read_calls(struct talk *t, struct query *q)
{
	struct db_cursor *cursor;
	struct msg_call c;
	struct db_entry e;
	struct key k;
	size_t i;
	bool more;

	if (!load_call(q, t->root, &t->arena, &c))
		return;
	add_call(t, &c, TALK_NONE);
	cursor = db_cursor(q->linker, TABLE_call_children);
	for (i = 0; i < t->n_calls && t->n_calls < WALK; i++) {
		if (t->calls[i].retry)
			continue;
		k = key_u64(t->calls[i].seq);
		for (more = db_seek(cursor, key_slice(&k), &e);
		     more && e.key.len == k.len + 16 &&
		     memcmp(e.key.ptr, k.bytes, k.len) == 0;
		     more = db_next(cursor, &e))
			if (load_call(q, key_read_u64(e.key, k.len + 8),
				&t->arena, &c))
				add_call(t, &c, i);
	}
	db_cursor_close(&cursor);
}

static bool
is_before(const struct talk_call *a, const struct talk_call *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->seq < b->seq;
}

/*
 * A call and its retries are one node, named after the earliest of them; the
 * one that happened to arrive first has kept its place.
 */
static void
name_nodes(struct talk *t)
{
	struct talk_call *c, *node, was;
	size_t i;

	for (i = 1; i < t->n_calls; i++) {
		c = &t->calls[i];
		node = &t->calls[c->parent];
		if (!c->retry)
			continue;
		if (is_before(c, node)) {
			was = *c;
			c->seq = node->seq;
			c->ts = node->ts;
			node->seq = was.seq;
			node->ts = was.ts;
		}
		if (c->tasks > node->tasks)
			node->tasks = c->tasks;
		c->tasks = 0;
	}
	for (i = 1; i < t->n_calls; i++)
		if (t->calls[i].retry)
			t->calls[i].why = arena_printf(&t->arena,
			    "the same call as %llu", (unsigned long long)
			    t->calls[t->calls[i].parent].seq);
}

/* ---- naming ---- */

static int
by_time(const void *a, const void *b, void *data)
{
	const struct talk *t = data;
	const struct talk_call *x = &t->calls[*(const size_t *)a];
	const struct talk_call *y = &t->calls[*(const size_t *)b];

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int
by_number(const void *a, const void *b, void *data)
{
	const struct talk *t = data;
	uint64_t x = t->calls[*(const size_t *)a].seq;
	uint64_t y = t->calls[*(const size_t *)b].seq;

	return x < y ? -1 : x > y;
}

static size_t *
sorted(const struct talk *t, int (*order)(const void *, const void *, void *))
{
	size_t *list = xmalloc((t->n_calls + 1) * sizeof(list[0])), i;

	for (i = 0; i < t->n_calls; i++)
		list[i] = i;
	qsort_r(list, t->n_calls, sizeof(list[0]), order, (void *)t);
	return list;
}

/* Which number each reply's first task call has; how many there are. */
static uint64_t
number_tasks(const struct talk *t, const size_t *order, uint64_t *first)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < t->n_calls; i++) {
		first[order[i]] = n;
		n += t->calls[order[i]].tasks;
	}
	return n;
}

/* Two agents may have begun with the same call: the later one is past all. */
static uint64_t
task_number(const struct talk_call *c, const uint64_t *first, bool *taken,
    uint64_t n_tasks, uint64_t *extra)
{
	uint64_t n = c->parent != TALK_NONE && c->task > 0 ?
	    first[c->parent] + c->task : 0;

	if (n == 0 || n > n_tasks || taken[n - 1])
		return n_tasks + ++*extra;
	taken[n - 1] = true;
	return n;
}

static void
name_branches(struct talk *t)
{
	size_t *order = sorted(t, by_time), i;
	uint64_t *first = xmalloc((t->n_calls + 1) * sizeof(first[0]));
	uint64_t n_tasks = number_tasks(t, order, first), extra = 0;
	uint64_t branches = 1, compacts = 0, n;
	bool *taken = arena_alloc(&t->arena, n_tasks + 1);
	struct talk_call *c;

	for (i = 0; i < t->n_calls; i++) {
		c = &t->calls[order[i]];
		if (slice_is(c->branch, "branch"))
			n = ++branches;
		else if (slice_is(c->branch, "compact"))
			n = ++compacts;
		else if (slice_is(c->branch, "subtask"))
			n = task_number(c, first, taken, n_tasks, &extra);
		else
			continue;
		c->branch = arena_printf(&t->arena, "%.*s_%llu",
		    SLICE_ARG(c->branch), (unsigned long long)n);
	}
	free(first);
	free(order);
}

/* Parents come before their children here, so one pass hands names down. */
static void
hand_down(struct talk *t)
{
	struct talk_call *c, *parent;
	size_t i;

	for (i = 1; i < t->n_calls; i++) {
		c = &t->calls[i];
		parent = &t->calls[c->parent];
		c->task_parent = slice_starts(c->branch, "subtask_") ?
		    parent->seq : parent->task_parent;
		if (!c->opens)
			c->branch = parent->branch;
	}
}

static struct talk *
talk_build(struct query *q, uint64_t root)
{
	struct talk *t = xmalloc(sizeof(*t));

	*t = (struct talk){ .root = root };
	arena_init(&t->arena);
	read_calls(t, q);
	name_nodes(t);
	name_branches(t);
	if (t->n_calls > 0 && !t->calls[0].opens)
		t->calls[0].branch = SLICE("main");
	hand_down(t);
	t->by_seq = sorted(t, by_number);
	return t;
}

/* ---- finding ---- */

static size_t
place_of(const struct talk *t, uint64_t seq)
{
	size_t low = 0, high = t->n_calls, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->calls[t->by_seq[mid]].seq < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->n_calls && t->calls[t->by_seq[low]].seq == seq ?
	    t->by_seq[low] : TALK_NONE;
}

/* To the front; what is then too much goes. */
static const struct talk *
keep(struct talks *kept, size_t i, struct talk *t)
{
	size_t calls = 0, n;

	if (i == kept->n && kept->n == TALKS_KEPT)
		talk_free(kept->at[--kept->n]);
	if (i >= kept->n)
		i = kept->n++;
	memmove(kept->at + 1, kept->at, i * sizeof(kept->at[0]));
	kept->at[0] = t;
	for (n = 0; n < kept->n; n++)
		calls += kept->at[n]->n_calls;
	while (kept->n > 1 && calls > CALLS_KEPT) {
		calls -= kept->at[--kept->n]->n_calls;
		talk_free(kept->at[kept->n]);
	}
	return t;
}

const struct talk *
query_talk(struct query *q, uint64_t seq, size_t *at)
{
	struct talks *kept = q->talks;
	const struct talk *t;
	uint64_t root;
	size_t i;

	if (q->linker == NULL)
		return NULL;
	for (i = 0; i < kept->n; i++) {
		*at = place_of(kept->at[i], seq);
		if (*at != TALK_NONE)
			return keep(kept, i, kept->at[i]);
	}
	root = find_root(q, seq);
	if (root == 0)
		return NULL;
	/* One that is kept has grown since. */
	for (i = 0; i < kept->n && kept->at[i]->root != root; i++)
		;
	if (i < kept->n)
		talk_free(kept->at[i]);
	t = keep(kept, i, talk_build(q, root));
	*at = place_of(t, seq);
	return *at != TALK_NONE ? t : NULL;
}

/* ---- rows ---- */

struct slice
talk_key(struct arena *arena, const struct talk *t)
{
	return arena_printf(arena, "v%llu", (unsigned long long)t->root);
}

/* The entry that began the thread that this one was forked from, if it was. */
static uint64_t
first_entry(struct query *q, uint64_t thread)
{
	struct stage_entry e;
	const struct msg *placed = &e.sections[STAGE_ingest];
	size_t n;

	for (n = 0; n < WALK; n++) {
		query_entry(q, thread, &e);
		if (e.entry.id == MSG_exchange || placed->id != MSG_s_ingest ||
		    placed->as->s_ingest.parent_thread == 0)
			break;
		thread = placed->as->s_ingest.parent_thread;
	}
	return thread;
}

struct slice
query_conversation(struct query *q, const struct stage_entry *e)
{
	const struct msg *placed = &e->sections[STAGE_ingest];
	const struct talk *t;
	uint64_t first = e->seq, thread;
	size_t at;

	if (q->linker == NULL || placed->id != MSG_s_ingest)
		return SLICE_NONE;
	thread = placed->as->s_ingest.thread;
	if (e->entry.id != MSG_exchange) {
		if (q->talks->thread != thread)
			q->talks->root = first_entry(q, thread);
		q->talks->thread = thread;
		first = q->talks->root;
	}
	t = query_talk(q, first, &at);
	if (t != NULL)
		return talk_key(&q->arena, t);
	return first == e->seq && e->entry.id == MSG_exchange ? SLICE_NONE :
	    arena_printf(&q->arena, "v%llu", (unsigned long long)first);
}

/* What a call is called: the sender's id, else skein's key. */
static struct slice
call_name(struct query *q, uint64_t seq, struct slice *hash)
{
	struct stage_entry e;

	query_entry(q, seq, &e);
	if (e.entry.id != MSG_exchange)
		return SLICE_NONE;
	if (hash != NULL)
		*hash = e.entry.as->exchange.hash;
	if (e.entry.as->exchange.id.len > 0)
		return e.entry.as->exchange.id;
	return arena_printf(&q->arena, "%llu.0", (unsigned long long)seq);
}

static void
put_match(struct query *q, const struct talk_call *c, struct row *row)
{
	struct buf json;

	buf_init(&json, SIZE_MAX / 4);
	buf_adds(&json, "{\"strategy\":");
	json_put_str(&json, c->strategy);
	buf_adds(&json, ",\"why\":");
	json_put_str(&json, c->why);
	buf_addc(&json, '}');
	row_json(row, "match", arena_dup(&q->arena, buf_slice(&json)));
	buf_release(&json);
}

void
query_talk_cells(struct query *q, uint64_t seq, struct row *row)
{
	static const char *const names[] = { "conversation", "parent",
		"branch", "subtask", "task_parent", "match", "parent_hash" };
	struct slice hash = SLICE_NONE;
	const struct talk_call *c, *place;
	const struct talk *t;
	size_t at, i;

	t = query_talk(q, seq, &at);
	if (t == NULL) {
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			row_null(row, names[i]);
		return;
	}
	c = place = &t->calls[at];
	/* A retry has its node's place. */
	if (c->retry)
		place = &t->calls[c->parent];
	row_text(row, "conversation", talk_key(&q->arena, t));
	row_maybe(row, "parent", place->parent == TALK_NONE ? SLICE_NONE :
	    call_name(q, t->calls[place->parent].seq, &hash));
	row_text(row, "branch", c->branch);
	row_bool(row, "subtask", c->task_parent != 0);
	row_maybe(row, "task_parent", c->task_parent == 0 ? SLICE_NONE :
	    call_name(q, c->task_parent, NULL));
	put_match(q, c, row);
	if (hash.len > 0)
		row_hex(row, "parent_hash", hash);
	else
		row_null(row, "parent_hash");
}

/* ---- the list ---- */

static bool
is_wanted(struct query *q, const struct talks_filter *f, const struct talk *t)
{
	struct stage_entry e;
	int64_t last = INT64_MIN;
	size_t i;

	for (i = 0; i < t->n_calls; i++)
		if (t->calls[i].ts > last)
			last = t->calls[i].ts;
	if (t->n_calls == 0 || last < f->since_ms ||
	    t->calls[0].ts > f->until_ms)
		return false;
	if (f->user.len == 0)
		return true;
	query_entry(q, t->root, &e);
	return e.entry.id == MSG_exchange &&
	    slice_eq(e.entry.as->exchange.user, f->user);
}

/* Roots, the newest first, until the limit; their number. */
static size_t
find_roots(struct query *q, const struct talks_filter *f, uint64_t **roots,
    bool *more)
{
	struct db_cursor *cursor = db_cursor(q->linker, TABLE_call_roots);
	size_t n = 0, room = 0, at;
	const struct talk *t;
	struct db_entry e;
	struct key low, high;
	bool there;

	key_init(&low);
	key_add_text(&low, q->domain);
	high = low;
	key_add_u64(&high, UINT64_MAX);
	key_add_u64(&high, UINT64_MAX);
	*more = false;
	for (there = db_seek_back(cursor, key_slice(&high), &e);
	     there && e.key.len == high.len &&
	     memcmp(e.key.ptr, low.bytes, low.len) == 0;
	     there = db_prev(cursor, &e)) {
		t = query_talk(q, key_read_u64(e.key, e.key.len - 8), &at);
		if (t == NULL || !is_wanted(q, f, t))
			continue;
		if (f->limit > 0 && n == f->limit) {
			*more = true;
			break;
		}
		if (n == room) {
			room = room == 0 ? 64 : 2 * room;
			*roots = xrealloc(*roots, room * sizeof(**roots));
		}
		(*roots)[n++] = t->root;
		arena_reset(&q->arena);
	}
	db_cursor_close(&cursor);
	return n;
}

void
query_talks(struct query *q, const struct talks_filter *f,
    void (*sink)(void *data, struct query *q, const struct talk *t),
    void *data, bool *more)
{
	uint64_t *roots = NULL;
	const struct talk *t;
	size_t n = find_roots(q, f, &roots, more), at;

	while (n > 0) {
		t = query_talk(q, roots[--n], &at);
		if (t != NULL)
			sink(data, q, t);
		arena_reset(&q->arena);
	}
	free(roots);
}
