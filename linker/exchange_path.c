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

void
path_read(struct link *l, struct msg_call_path *out)
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
	};
}

static bool
path_load(struct path *p, uint64_t seq)
{
	struct key k = key_u64(seq);

	p->seq = seq;
	return seq != 0 && link_get(p->l, TABLE_call_paths, &k, MSG_call_path,
	    &p->at) && p->at.roles.len == path_size(&p->at);
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

	*p = (struct path){ .l = exchange_link(ex), .depth = c->depth };
	if (c->seq == exchange_self(ex)->seq) {
		p->at = *exchange_path(ex);
		p->seq = c->seq;
	} else if (!path_load(p, c->seq))
		return false;
	own = path_size(&p->at) - (p->at.replied ? 1 : 0);
	return own > 0 ? path_stand(p, own - 1) : path_leave(p);
}

uint64_t
path_runs(const struct path *p)
{
	return p->runs == 1 && !p->spoke ? 2 : p->runs;
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
