/*
 * exchange_path - a call's prefixes, the longest first
 *
 * An entry holds only what it added; the rest of its messages stand in the
 * entries that added them.  So a path is followed from record to record.
 */
#include "linker/exchange.h"

static size_t
path_size(const struct msg_call_path *r)
{
	return r->hashes.len / CALL_HASH_BYTES;
}

/*
 * The first entry that began with the same message.  A prefix has one first
 * message, so whoever shares the prefix finds the same root, on whichever way.
 */
static uint64_t
find_root(struct link *l, const struct msg_exchange *x,
    struct msg_call_path *parent)
{
	struct key k = key_u64(x->parent_seq);
	struct msg_call_ref first;

	*parent = (struct msg_call_path){ 0 };
	if (x->known > 0)
		/* What was forgotten is a root to those who came after it. */
		return link_get(l, TABLE_call_paths, &k, MSG_call_path,
		    parent) ? parent->root : x->parent_seq;
	if (x->n_added == 0)
		return l->e->seq;
	k = calls_first_key(x->domain, x->added[0].hash);
	return link_get(l, TABLE_call_firsts, &k, MSG_call_ref, &first) ?
	    first.seq : l->e->seq;
}

void
path_read(struct link *l, struct msg_call_path *out,
    struct msg_call_path *parent)
{
	const struct msg_exchange *x = &l->e->entry.as->exchange;
	char *hashes, *roles;
	size_t i;

	hashes = arena_alloc(l->arena, x->n_added * CALL_HASH_BYTES + 1);
	roles = arena_alloc(l->arena, x->n_added + 1);
	for (i = 0; i < x->n_added; i++) {
		if (x->added[i].hash.len == CALL_HASH_BYTES)
			memcpy(hashes + i * CALL_HASH_BYTES,
			    x->added[i].hash.ptr, CALL_HASH_BYTES);
		roles[i] = x->added[i].role.len > 0 ? x->added[i].role.ptr[0] :
						      'u';
	}
	*out = (struct msg_call_path){
		.known = x->known,
		.parent_seq = x->parent_seq,
		.parent_i = x->parent_i,
		.hashes = slice_of(hashes, x->n_added * CALL_HASH_BYTES),
		.roles = slice_of(roles, x->n_added),
		.replied = x->n_added > 0 && x->added[x->n_added - 1].reply,
		.root = find_root(l, x, parent),
	};
}

static bool
path_load(struct path *p, uint64_t seq)
{
	const struct msg_call_path *parent = exchange_parent_path(p->ex);
	struct key k = key_u64(seq);

	p->seq = seq;
	if (parent != NULL && seq == exchange_path(p->ex)->parent_seq)
		p->at = *parent;
	else if (seq == 0 || !link_get(exchange_link(p->ex), TABLE_call_paths,
		&k, MSG_call_path, &p->at))
		return false;
	return p->at.roles.len == path_size(&p->at);
}

static bool
path_stand(struct path *p, uint64_t i)
{
	if (i >= path_size(&p->at))
		return false;
	p->i = i;
	p->hash = slice_of(p->at.hashes.ptr + i * CALL_HASH_BYTES,
	    CALL_HASH_BYTES);
	p->role = p->at.roles.ptr[i];
	return true;
}

/* To the last message that the record did not add itself. */
static bool
path_leave(struct path *p)
{
	uint64_t seq = p->at.parent_seq, i = p->at.parent_i;

	/* Parents are earlier entries: this comes to an end. */
	return seq < p->seq && path_load(p, seq) && path_stand(p, i);
}

bool
path_begin(struct path *p, struct exchange *ex, const struct msg_call *c)
{
	size_t own;

	*p = (struct path){ .ex = ex, .depth = c->depth };
	if (c->seq == exchange_self(ex)->seq) {
		p->at = *exchange_path(ex);
		p->seq = c->seq;
	} else if (!path_load(p, c->seq))
		return false;
	p->root = p->at.root;
	own = path_size(&p->at) - (p->at.replied ? 1 : 0);
	return own > 0 ? path_stand(p, own - 1) : path_leave(p);
}

uint64_t
path_runs(const struct path *p)
{
	return p->runs == 1 && !p->spoke ? 2 : p->runs;
}

struct prefix
path_prefix(const struct path *p)
{
	return (struct prefix){ p->root, p->depth, p->hash };
}

bool
path_back(struct path *p)
{
	bool speaks = p->role == 'a';

	if (p->depth <= 1)
		return false;
	p->depth--;
	if (speaks && !p->spoke)
		p->runs++;
	p->spoke = speaks;
	return p->i > 0 ? path_stand(p, p->i - 1) : path_leave(p);
}
