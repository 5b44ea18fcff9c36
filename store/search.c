/*
 * search - find turns, artifacts, threads, episodes and skills
 */
#include "store/search.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "common/xmalloc.h"
#include "store/search_impl.h"

/* ---- names ---- */

static const char *const kind_names[SEARCH_KINDS] = {
	[SEARCH_TURN] = "turn",
	[SEARCH_ARTIFACT] = "artifact",
	[SEARCH_THREAD] = "thread",
	[SEARCH_EPISODE] = "episode",
	[SEARCH_SKILL] = "skill",
};

const char *
search_kind_name(enum search_kind kind)
{
	return kind_names[kind];
}

/* One word, with or without its plural s. */
static bool
kind_parse(struct slice word, unsigned *in)
{
	size_t i, len;

	for (i = 0; i < SEARCH_KINDS; i++) {
		len = strlen(kind_names[i]);
		if (slice_starts(word, kind_names[i]) && (word.len == len ||
			(word.len == len + 1 && word.ptr[len] == 's'))) {
			*in |= SEARCH_IN(i);
			return true;
		}
	}
	return false;
}

int
search_kinds_parse(struct slice list, unsigned *in)
{
	const char *comma;
	struct slice word;

	for (*in = 0; list.len > 0;) {
		comma = memchr(list.ptr, ',', list.len);
		word = comma == NULL ? list : slice_of(list.ptr,
		    (size_t)(comma - list.ptr));
		if (!kind_parse(word, in))
			return -1;
		list = comma == NULL ? SLICE_NONE : slice_of(comma + 1,
		    list.len - word.len - 1);
	}
	return *in != 0 ? 0 : -1;
}

/* ---- open and close ---- */

struct search *
search_open(const struct conf *conf)
{
	struct search *s = xcalloc(1, sizeof(*s));

	s->conf = conf;
	s->dir = segments_dir(conf);
	s->tokeniser = tokeniser_new();
	s->embed = embed_open_set(conf);
	if (s->embed != NULL && embed_is_remote(s->embed))
		s->pool = vector_pool_open(s->dir, s->embed);
	tail_init(&s->tail, s->tokeniser);
	return s;
}

static void
drop_pieces(struct search *s)
{
	while (s->n_pieces > 0)
		segment_close(&s->pieces[--s->n_pieces].segment);
}

void
search_close(struct search **s)
{
	if (*s == NULL)
		return;
	drop_pieces(*s);
	tail_release(&(*s)->tail);
	vector_cache_release(&(*s)->cache);
	tokeniser_free(&(*s)->tokeniser);
	vector_pool_close(&(*s)->pool);
	if ((*s)->embed != NULL)
		embed_close(&(*s)->embed);
	segment_list_release(&(*s)->list);
	free((*s)->pieces);
	free((*s)->sources);
	free((*s)->scores);
	free((*s)->touched);
	free((*s)->must);
	free((*s)->speaks);
	free((*s)->taken);
	free((*s)->near);
	free((*s)->owns);
	free((*s)->dir);
	free(*s);
	*s = NULL;
}

/* ---- pieces ---- */

static struct segment *
take_open(struct search_piece *old, size_t n_old, unsigned level,
    uint64_t first, uint64_t hash)
{
	struct segment *segment = NULL;
	size_t i;

	for (i = 0; i < n_old && segment == NULL; i++)
		if (old[i].level == level && old[i].first == first &&
		    old[i].hash == hash) {
			segment = old[i].segment;
			old[i].segment = NULL;
		}
	return segment;
}

static void
add_piece(struct search *s, struct segment *segment, unsigned level,
    uint64_t first, uint64_t hash)
{
	if (s->n_pieces == s->pieces_room) {
		s->pieces_room = s->pieces_room == 0 ? 32 :
					       s->pieces_room * 2;
		s->pieces = xrealloc(s->pieces, s->pieces_room *
		    sizeof(s->pieces[0]));
	}
	s->pieces[s->n_pieces++] = (struct search_piece){ segment, level,
		first, hash };
}

/* The largest piece that begins with row `at`; how many rows it covers. */
static size_t
choose_piece(struct search *s, struct db_txn *shared, size_t at,
    struct search_piece *old, size_t n_old)
{
	const struct segment_row *row = &s->list.rows[at];
	struct segment *segment;
	uint64_t hash;
	int level;
	size_t n;
	char *path;

	for (level = SEGMENT_LEVELS - 1; level >= 0; level--) {
		if (!segment_list_hash(&s->list, at, (unsigned)level, &hash,
			&n))
			continue;
		segment = take_open(old, n_old, (unsigned)level, row->first,
		    hash);
		if (segment == NULL) {
			path = segment_path(s->dir, (unsigned)level,
			    row->first, hash);
			segment = segment_map(path);
			free(path);
		}
		if (segment != NULL) {
			add_piece(s, segment, (unsigned)level, row->first,
			    hash);
			return n;
		}
	}
	/* Its file is gone: the log still has what was in it. */
	add_piece(s, segment_make(shared, s->tokeniser, row->first, row->last,
	    NULL, NULL), 0, row->first, row->hash);
	return 1;
}

static void
choose_pieces(struct search *s, struct db_txn *shared)
{
	struct search_piece *old = s->pieces;
	size_t i, n_old = s->n_pieces;

	s->pieces = NULL;
	s->n_pieces = s->pieces_room = 0;
	for (i = 0; i < s->list.n;)
		i += choose_piece(s, shared, i, old, n_old);
	for (i = 0; i < n_old; i++)
		segment_close(&old[i].segment);
	free(old);
}

/* ---- following ---- */

/* Whether the store's tables belong to the store as it stands. */
static bool
store_follows(const struct search_view *view, uint64_t *epoch, uint64_t *upto,
    uint64_t *applied)
{
	struct msg_cursor c = { 0 };
	struct msg_derived d = { 0 };
	struct arena arena;
	bool same = false;

	arena_init(&arena);
	(void)db_get_msg(view->shared, TABLE_cursors, SLICE("store"),
	    MSG_cursor, &arena, &c);
	*epoch = c.epoch;
	*upto = c.seq;
	if (view->store != NULL)
		same = db_get_msg(view->store, TABLE_store_derived,
		    SLICE("follows"), MSG_derived, &arena, &d) &&
		    d.epoch == c.epoch &&
		    d.schema == env_schema(ENV_store);
	*applied = same ? d.seq : 0;
	arena_release(&arena);
	return same;
}

static uint64_t
last_row_hash(struct db_txn *store)
{
	struct db_cursor *c = db_cursor(store, TABLE_segments);
	struct msg_segment row = { 0 };
	struct msg_error why;
	struct arena arena;
	struct db_entry e;

	arena_init(&arena);
	if (db_last(c, &e) && msg_decode_as(e.value, &arena, MSG_segment,
		&row, &why) == -1)
		row.hash = 0;
	arena_release(&arena);
	db_cursor_close(&c);
	return row.hash;
}

/* Whether other pieces may count than those chosen last. */
static bool
is_changed(struct search *s, const struct search_view *view, uint64_t epoch)
{
	uint64_t rows = db_count(view->store, TABLE_segments);
	uint64_t hash = last_row_hash(view->store);
	struct stat st = { 0 };
	bool changed;

	if (stat(s->dir, &st) == -1)
		st = (struct stat){ 0 };
	changed = !s->seen.valid || s->seen.rows != rows ||
	    s->seen.last_hash != hash || s->seen.epoch != epoch ||
	    s->seen.dir_s != st.st_mtim.tv_sec ||
	    s->seen.dir_ns != st.st_mtim.tv_nsec;
	s->seen.valid = true;
	s->seen.rows = rows;
	s->seen.last_hash = hash;
	s->seen.dir_s = st.st_mtim.tv_sec;
	s->seen.dir_ns = st.st_mtim.tv_nsec;
	return changed;
}

void
search_follow(struct search *s, const struct search_view *view)
{
	uint64_t epoch, upto, border;

	if (!store_follows(view, &epoch, &upto, &s->applied)) {
		/* It is being made again: what there is lies in the tail. */
		s->list.n = 0;
		drop_pieces(s);
		s->seen.valid = false;
	} else if (is_changed(s, view, epoch)) {
		segment_list_read(&s->list, view->store);
		choose_pieces(s, view->shared);
	}
	border = segment_list_end(&s->list);
	if (upto < border)
		upto = border;
	if (upto > border + TAIL_MOST)
		upto = border + TAIL_MOST;
	if (s->seen.epoch != epoch || s->tail.border != border ||
	    s->tail.upto > upto)
		tail_reset(&s->tail, border);
	s->seen.epoch = epoch;
	tail_follow(&s->tail, view->shared, upto);
	s->upto = upto;
}

/* The newest first: they are asked for most. */
bool
search_warm(struct search *s)
{
	struct segment *segment;
	struct vectors *v;
	size_t i;

	for (i = s->n_pieces; i-- > 0;) {
		segment = s->pieces[i].segment;
		v = segment_attached(segment);
		if (segment_bring(segment) || (v != NULL && vectors_bring(v)))
			return true;
	}
	return false;
}

bool
search_lacked(struct search *s)
{
	bool lacked = s->lacking;

	s->lacking = false;
	return lacked;
}

/* ---- a run ---- */

static void
find(struct run *r, const struct search_query *query,
    struct search_result *out)
{
	r->q = query;
	out->upto = r->s->upto;
	score_rank(r);
	hits_of(r, out);
	out->dense = r->dense.on;
	score_drop(r);
}

int
search_run_both(struct search *s, const struct search_view *view,
    const struct search_query *query, struct search_also *also,
    struct arena *arena, struct search_result *out, struct buf *why)
{
	struct run r = { .s = s, .view = view, .q = query, .arena = arena };
	struct search_query other = *query;

	*out = (struct search_result){ 0 };
	if (parse_query(s, query, arena, &r.parsed, why) == -1)
		return -1;
	search_follow(s, view);
	filter_history(&r);
	score_words(&r);
	find(&r, query, out);
	if (also != NULL) {
		other.in = also->in;
		other.limit = also->limit;
		also->found = (struct search_result){ 0 };
		find(&r, &other, &also->found);
	}
	score_clear(&r);
	return 0;
}

int
search_run(struct search *s, const struct search_view *view,
    const struct search_query *query, struct arena *arena,
    struct search_result *out, struct buf *why)
{
	return search_run_both(s, view, query, NULL, arena, out, why);
}
