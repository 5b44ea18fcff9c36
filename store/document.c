/*
 * document - what of an entry can be found: its turns, and what came of it
 */
#include "store/document.h"

#include "common/injected.h"

static size_t
turn_count(const struct msg *entry)
{
	if (entry->id == MSG_turn)
		return 1;
	return entry->id == MSG_exchange ? entry->as->exchange.n_added : 0;
}

static enum document_class
class_of(struct slice role)
{
	if (slice_is(role, "assistant"))
		return CLASS_ASSISTANT;
	if (slice_is(role, "tool") || slice_is(role, "system"))
		return CLASS_MACHINE;
	return CLASS_PERSON;
}

bool
document_is_noise(enum document_class class)
{
	return class == CLASS_MACHINE;
}

static void
add_text(struct document *d, struct slice text)
{
	if (text.len > 0 && d->n_texts < DOCUMENT_TEXTS)
		d->texts[d->n_texts++] = text;
}

/* Several as one text: tags, the values of fields. */
static void
add_texts(struct document *d, const struct msg_strs *strs,
    struct arena *arena)
{
	struct slice all = SLICE_NONE;
	size_t i, len = 0;
	char *out;

	for (i = 0; i < strs->count; i++)
		len += strs->at[i].len + 1;
	if (len == 0)
		return;
	out = arena_alloc(arena, len);
	for (i = 0; i < strs->count; i++) {
		memcpy(out + all.len, strs->at[i].ptr, strs->at[i].len);
		all.len += strs->at[i].len;
		out[all.len++] = ' ';
	}
	all.ptr = out;
	add_text(d, all);
}

/* ---- each kind ---- */

static void
turn_document(const struct stage_entry *e, size_t i, struct arena *arena,
    struct document *d)
{
	const struct msg_envelope *env = &e->entry.as->envelope;
	const struct msg *placed = &e->sections[STAGE_ingest];
	bool single = e->entry.id == MSG_turn;
	struct slice role = single ? e->entry.as->turn.role :
				     e->entry.as->exchange.added[i].role;

	if (role.len == 0)
		role = SLICE("user");
	*d = (struct document){
		.kind = SEARCH_TURN,
		.class = class_of(role),
		.seq = e->seq,
		.i = i,
		.ts = env->ts,
		.domain = env->domain,
		.user = env->user,
		.room = env->room,
		.channel = env->channel,
		.session = env->session,
		.role = role,
	};
	if (d->class == CLASS_PERSON)
		d->speaker = env->user;
	if (placed->id == MSG_s_ingest) {
		d->thread = placed->as->s_ingest.thread;
		d->turn = placed->as->s_ingest.first_turn + i;
	}
	d->title = injected_strip(single ? e->entry.as->turn.text :
	    e->entry.as->exchange.added[i].text, arena);
	if (d->title.len == 0)
		d->class = CLASS_MACHINE;
	add_text(d, d->title);
}

static void
artifact_document(const struct stage_entry *e, const struct msg_artifact *a,
    size_t i, struct arena *arena, struct document *d)
{
	size_t k;

	*d = (struct document){
		.kind = SEARCH_ARTIFACT,
		.class = CLASS_MADE,
		.seq = e->seq,
		.i = i,
		.key = a->key,
		.thread = a->thread,
		.ts = a->updated_at,
		.domain = a->domain,
		.user = a->user,
		.room = a->room,
		.type = a->type,
		.status = a->status,
		.tags = a->tags,
		.title = a->summary,
		.body = a->resolution,
	};
	add_text(d, a->summary);
	add_text(d, a->resolution);
	add_texts(d, &a->tags, arena);
	for (k = 0; k < a->n_fields; k++)
		add_texts(d, &a->fields[k].values, arena);
}

static void
episode_document(const struct stage_entry *e, const struct msg_episode *p,
    size_t i, struct document *d)
{
	*d = (struct document){
		.kind = SEARCH_EPISODE,
		.class = CLASS_MADE,
		.seq = e->seq,
		.i = i,
		.key = p->key,
		.thread = p->linked_threads.count > 0 ?
		    p->linked_threads.at[0] : 0,
		.ts = p->last_activity_at,
		.domain = p->domain,
		.user = p->user,
		.room = p->room,
		.type = p->episode_type,
		.title = p->name,
		.body = p->meso.len > 0 ? p->meso : p->micro,
	};
	add_text(d, p->name);
	add_text(d, p->micro);
	add_text(d, p->meso);
	add_text(d, p->macro);
}

static void
skill_document(const struct stage_entry *e, const struct msg_skill *k,
    size_t i, struct document *d)
{
	*d = (struct document){
		.kind = SEARCH_SKILL,
		.class = CLASS_MADE,
		.seq = e->seq,
		.i = i,
		.key = k->key,
		.ts = k->updated_at,
		.domain = k->domain,
		.user = k->user,
		.room = k->room,
		.title = k->when,
		.body = k->did,
	};
	add_text(d, k->when);
	add_text(d, k->did);
}

/* A thread's name, where an entry gives it one. */
static bool
thread_document(const struct stage_entry *e, struct arena *arena,
    struct document *d)
{
	const struct msg_envelope *env = &e->entry.as->envelope;
	const struct msg *placed = &e->sections[STAGE_ingest];
	struct slice name = SLICE_NONE;

	if (e->entry.id == MSG_rename)
		name = e->entry.as->rename.name;
	else if (e->entry.id == MSG_fork)
		name = e->entry.as->fork.name;
	if (name.len == 0 || placed->id != MSG_s_ingest ||
	    placed->as->s_ingest.thread == 0 ||
	    placed->as->s_ingest.error.len > 0)
		return false;
	*d = (struct document){
		.kind = SEARCH_THREAD,
		.class = CLASS_MADE,
		.seq = e->seq,
		.key = arena_printf(arena, "t%llu",
		    (unsigned long long)placed->as->s_ingest.thread),
		.thread = placed->as->s_ingest.thread,
		.ts = env->ts,
		.domain = env->domain,
		.user = env->user,
		.room = env->room,
		.channel = env->channel,
		.title = name,
	};
	add_text(d, name);
	return true;
}

/* ---- an entry ---- */

static size_t
episode_count(const struct stage_entry *e)
{
	const struct msg *primary = &e->sections[STAGE_compactor];
	const struct msg *cross = &e->sections[STAGE_linker];

	return (primary->id == MSG_s_compactor ?
		       primary->as->s_compactor.n_episodes : 0) +
	    (cross->id == MSG_s_linker ? cross->as->s_linker.n_episodes : 0);
}

const struct msg_episode *
document_episode(const struct stage_entry *e, uint64_t i)
{
	const struct msg *primary = &e->sections[STAGE_compactor];
	size_t n = primary->id == MSG_s_compactor ?
	    primary->as->s_compactor.n_episodes : 0;

	if (i < n)
		return &primary->as->s_compactor.episodes[i];
	return &e->sections[STAGE_linker].as->s_linker.episodes[i - n];
}

size_t
documents_of(const struct stage_entry *e, struct arena *arena,
    struct document **out)
{
	const struct msg *made = &e->sections[STAGE_compactor];
	const struct msg_s_compactor *s = NULL;
	size_t n = turn_count(&e->entry) + 1 + episode_count(e), k, at = 0;
	struct document *docs;

	/* Of what was forgotten nothing may be left. */
	if (e->entry.id == MSG_none || e->entry.id == MSG_tombstone)
		return 0;
	if (made->id == MSG_s_compactor) {
		s = &made->as->s_compactor;
		n += s->n_artifacts + s->n_skills;
	}
	docs = arena_array(arena, n, sizeof(docs[0]));
	for (k = 0; k < turn_count(&e->entry); k++)
		turn_document(e, k, arena, &docs[at++]);
	if (thread_document(e, arena, &docs[at]))
		at++;
	for (k = 0; s != NULL && k < s->n_artifacts; k++)
		artifact_document(e, &s->artifacts[k], k, arena, &docs[at++]);
	for (k = 0; k < episode_count(e); k++)
		episode_document(e, document_episode(e, k), k, &docs[at++]);
	for (k = 0; s != NULL && k < s->n_skills; k++)
		skill_document(e, &s->skills[k], k, &docs[at++]);
	*out = docs;
	return at;
}

bool
document_at(const struct stage_entry *e, struct arena *arena,
    enum search_kind kind, uint64_t i, struct document *out)
{
	struct document *docs;
	size_t n, k;

	/* Asked for by the hundred: nothing else of the entry is looked at. */
	if (kind == SEARCH_TURN) {
		if (e->entry.id == MSG_none || i >= turn_count(&e->entry))
			return false;
		turn_document(e, i, arena, out);
		return true;
	}
	n = documents_of(e, arena, &docs);
	for (k = 0; k < n; k++)
		if (docs[k].kind == kind && docs[k].i == i) {
			*out = docs[k];
			return true;
		}
	return false;
}

struct slice
document_turn_key(struct arena *arena, uint64_t seq, uint64_t i)
{
	enum { MOST = 2 * DIGITS_U64 + 1 };
	char *room = arena_room(arena, MOST), *at = room + MOST;

	at = digits_before(at, i);
	*--at = '.';
	at = digits_before(at, seq);
	return slice_of(at, (size_t)(room + MOST - at));
}

struct slice
document_text(const struct document *d, struct arena *arena)
{
	if (d->title.len == 0)
		return d->body;
	if (d->body.len == 0)
		return d->title;
	return arena_printf(arena, "%.*s\n%.*s", SLICE_ARG(d->title),
	    SLICE_ARG(d->body));
}

/* An artifact's is summary, resolution and tags; others': all they say. */
struct slice
document_meaning(const struct document *d, struct arena *arena)
{
	struct slice all = SLICE_NONE;
	size_t i, n = d->n_texts;

	if (d->kind == SEARCH_ARTIFACT)
		n = (size_t)(d->title.len > 0) + (d->body.len > 0) +
		    (d->tags.count > 0);
	if (n == 1)
		return d->texts[0];
	for (i = 0; i < n; i++)
		all = arena_printf(arena, "%.*s\n%.*s", SLICE_ARG(all),
		    SLICE_ARG(d->texts[i]));
	return all;
}

static void
load(struct db_txn *shared, enum table_id table, uint64_t seq,
    struct arena *arena, struct msg *out)
{
	struct key k = key_u64(seq);
	struct msg_error why;
	struct slice record;

	if (!db_get(shared, table, key_slice(&k), &record) ||
	    msg_decode(record, arena, out, &why) == -1)
		*out = (struct msg){ MSG_none, NULL };
}

bool
document_load_entry(struct db_txn *shared, uint64_t seq, struct arena *arena,
    struct stage_entry *out)
{
	*out = (struct stage_entry){ .seq = seq };
	load(shared, TABLE_log, seq, arena, &out->entry);
	if (out->entry.id == MSG_none || !msg_is_entry(out->entry.id)) {
		out->entry = (struct msg){ MSG_none, NULL };
		return false;
	}
	return true;
}

bool
document_load(struct db_txn *shared, uint64_t seq, struct arena *arena,
    struct stage_entry *out)
{
	if (!document_load_entry(shared, seq, arena, out))
		return false;
	load(shared, TABLE_s_ingest, seq, arena,
	    &out->sections[STAGE_ingest]);
	load(shared, TABLE_s_compactor, seq, arena,
	    &out->sections[STAGE_compactor]);
	load(shared, TABLE_s_linker, seq, arena,
	    &out->sections[STAGE_linker]);
	return true;
}
