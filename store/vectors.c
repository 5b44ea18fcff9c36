/*
 * vectors - what the documents of a segment are about, in numbers
 */
#include "store/vectors.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/log.h"
#include "common/xmalloc.h"
#include "store/bring.h"
#include "store/embed_remote.h"
#include "store/segments.h"

#define VECTORS_MAGIC { 's', 'k', 'e', 'i', 'n', 'v', 'e', 'c' }
enum {
	VECTORS_FORMAT = 1,
	CACHE_SLOTS = 1 << 16, CACHE_MOST = 1 << 15
};

struct vectors_header {
	char magic[8];
	uint64_t format, dims, model, n_domains, length, hash;
	uint64_t segment;		/* its hash */
};

struct vectors_domain {
	uint64_t n_docs, at;
};

struct vectors {
	const char *bytes;	/* of a file, or NULL */
	size_t len, dims, brought;
	size_t n_domains;
	struct {
		int8_t *at;
		int64_t *sum;
		bool lacking;
		uint64_t version;	/* of the pool they were gathered from */
	} *made;		/* in memory */
};

uint64_t
vectors_model(const struct embed *embed)
{
	const char *id = embed_id(embed);

	return XXH3_64bits(id, strlen(id));
}

char *
vectors_path(const char *segment_path, uint64_t model)
{
	return xasprintf("%.*s-%016llx.vec",
	    (int)(strlen(segment_path) - strlen(".seg")), segment_path,
	    (unsigned long long)model);
}

bool
vectors_name_parse(const char *name, struct segment_name *out,
    unsigned long long *model)
{
	unsigned long long first, hash;
	int end = 0;

	if (sscanf(name, "%1u-%12llu-%16llx-%16llx.vec%n", &out->level,
		&first, &hash, model, &end) != 4 || end == 0 ||
	    name[end] != '\0')
		return false;
	out->first = first;
	out->hash = hash;
	return true;
}

static struct embed *
open_shipped(const struct conf *conf)
{
	char *path = conf_data_path(conf, "embed.bin");
	struct embed *embed = NULL;
	struct buf why;

	buf_init(&why, 4096);
	if (path != NULL && access(path, R_OK) == 0) {
		embed = embed_open(path, &why);
		if (embed == NULL)
			log_warnx("%s: words alone are searched",
			    buf_cstr(&why));
	}
	buf_release(&why);
	free(path);
	return embed;
}

static struct embed *
open_remote(const struct conf *conf)
{
	struct embed_remote *remote;

	if (conf->embed_model[0] == '\0' || conf->embed_dims % 16 != 0) {
		log_warnx("embed_endpoint needs embed_model, and embed_dims "
			  "in whole sixteens: words alone are searched");
		return NULL;
	}
	remote = embed_remote_open(conf);
	return embed_of_remote(&remote);
}

struct embed *
embed_open_set(const struct conf *conf)
{
	return conf->embed_endpoint[0] != '\0' ? open_remote(conf) :
						 open_shipped(conf);
}

/* ---- open and close ---- */

static bool
fits(uint64_t at, uint64_t len, uint64_t room)
{
	return at <= room && len <= room - at;
}

static bool
is_of(const struct vectors *v, const struct segment *s,
    const struct embed *embed)
{
	static const char magic[8] = VECTORS_MAGIC;
	struct vectors_header h;
	struct vectors_domain d;
	struct section x;
	size_t i;

	if (v->len < sizeof(h))
		return false;
	memcpy(&h, v->bytes, sizeof(h));
	if (memcmp(h.magic, magic, sizeof(magic)) != 0 ||
	    h.format != VECTORS_FORMAT || h.dims != embed_dims(embed) ||
	    h.model != vectors_model(embed) || h.length != v->len ||
	    h.segment != segment_hash(s) ||
	    h.n_domains != segment_domains(s) ||
	    !fits(sizeof(h), h.n_domains * sizeof(d), v->len))
		return false;
	for (i = 0; i < h.n_domains; i++) {
		memcpy(&d, v->bytes + sizeof(h) + i * sizeof(d), sizeof(d));
		if (!section_at(s, i, &x) || x.n_docs != d.n_docs ||
		    d.at % 8 != 0 || !fits(d.at, h.dims * 8 +
			d.n_docs * h.dims, v->len))
			return false;
	}
	return true;
}

struct vectors *
vectors_map(const char *path, const struct segment *s,
    const struct embed *embed)
{
	struct vectors *v = xcalloc(1, sizeof(*v));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = MAP_FAILED;
	struct stat st;

	if (fd != -1 && fstat(fd, &st) == 0 && st.st_size > 0) {
		v->len = (size_t)st.st_size;
		at = mmap(NULL, v->len, PROT_READ, MAP_SHARED, fd, 0);
	}
	if (fd != -1)
		close(fd);
	if (at == MAP_FAILED) {
		free(v);
		return NULL;
	}
	v->bytes = at;
	v->dims = embed_dims(embed);
	v->n_domains = segment_domains(s);
	if (!is_of(v, s, embed)) {
		vectors_free(v);
		return NULL;
	}
	return v;
}

struct vectors *
vectors_new(size_t n_domains)
{
	struct vectors *v = xcalloc(1, sizeof(*v));

	v->n_domains = n_domains;
	v->made = xcalloc(n_domains + 1, sizeof(v->made[0]));
	return v;
}

void
vectors_free(struct vectors *v)
{
	size_t i;

	if (v == NULL)
		return;
	if (v->bytes != NULL)
		munmap((void *)(uintptr_t)v->bytes, v->len);
	for (i = 0; v->made != NULL && i < v->n_domains; i++) {
		free(v->made[i].at);
		free(v->made[i].sum);
	}
	free(v->made);
	free(v);
}

bool
vectors_bring(struct vectors *v)
{
	return v->bytes != NULL && bring(v->bytes, v->len, &v->brought);
}

bool
vectors_are_made(const struct vectors *v)
{
	return v->made != NULL;
}

bool
vectors_is_sound(const struct vectors *v)
{
	struct vectors_header h;

	memcpy(&h, v->bytes, sizeof(h));
	return XXH3_64bits(v->bytes + sizeof(h), v->len - sizeof(h)) ==
	    h.hash;
}

const int8_t *
vectors_of(const struct vectors *v, size_t domain, const int64_t **sum)
{
	struct vectors_domain d;

	if (v->made != NULL) {
		*sum = v->made[domain].sum;
		return v->made[domain].at;
	}
	memcpy(&d, v->bytes + sizeof(struct vectors_header) +
	    domain * sizeof(d), sizeof(d));
	*sum = (const int64_t *)(const void *)(v->bytes + d.at);
	return (const int8_t *)v->bytes + d.at + v->dims * 8;
}

/* ---- the cache ---- */

void
vector_cache_release(struct vector_cache *cache)
{
	free(cache->keys);
	free(cache->vectors);
	*cache = (struct vector_cache){ 0 };
}

/* The vector's slot; *there: it holds it already. */
static int8_t *
cache_slot(struct vector_cache *cache, const struct section *x, uint32_t doc,
    size_t dims, bool *there)
{
	const int64_t id[3] = { section_value(x, COLUMN_SEQ, doc),
		section_value(x, COLUMN_KIND, doc),
		section_value(x, COLUMN_I, doc) };
	uint64_t key = XXH3_64bits(id, sizeof(id)) | 1;
	size_t at = (key >> 1) % CACHE_SLOTS;

	if (cache->keys == NULL || cache->n >= CACHE_MOST) {
		vector_cache_release(cache);
		cache->keys = xcalloc(CACHE_SLOTS, sizeof(cache->keys[0]));
		cache->vectors = xmalloc(CACHE_SLOTS * dims);
	}
	while (cache->keys[at] != 0 && cache->keys[at] != key)
		at = (at + 1) % CACHE_SLOTS;
	*there = cache->keys[at] == key;
	if (!*there) {
		cache->keys[at] = key;
		cache->n++;
	}
	return cache->vectors + at * dims;
}

/* ---- making ---- */

/* Empty: it was forgotten. */
static struct slice
doc_text(const struct section *x, uint32_t doc, struct db_txn *shared,
    struct arena *arena)
{
	uint64_t seq = (uint64_t)section_value(x, COLUMN_SEQ, doc);
	int64_t kind = section_value(x, COLUMN_KIND, doc);
	struct stage_entry e;
	struct document d;

	/* What a turn says stands in the entry. */
	if ((kind == SEARCH_TURN ? document_load_entry(shared, seq, arena, &e) :
		document_load(shared, seq, arena, &e)) &&
	    document_at(&e, arena, (enum search_kind)kind,
		(uint64_t)section_value(x, COLUMN_I, doc), &d))
		return document_meaning(&d, arena);
	return SLICE_NONE;
}

/* Documents from `doc` to before `end`. */
static void
make_some(const struct section *x, uint32_t doc, uint32_t end,
    struct db_txn *shared, const struct embed *embed,
    struct vector_cache *cache, int8_t *out)
{
	size_t dims = embed_dims(embed);
	bool there = false;
	int8_t *slot;
	struct arena arena;

	arena_init(&arena);
	for (; doc < end; doc++, out += dims) {
		slot = cache == NULL ? out : cache_slot(cache, x, doc, dims,
		    &there);
		if (!there)
			(void)embed_text(embed, doc_text(x, doc, shared,
			    &arena), slot);
		if (slot != out)
			memcpy(out, slot, dims);
		arena_reset(&arena);
	}
	arena_release(&arena);
}

/* The same for a file: many at once, and -1 where that fails. */
static int
make_batches(const struct section *x, uint32_t doc, uint32_t end,
    struct db_txn *shared, const struct embed *embed,
    struct vector_pool *pool, int8_t *out)
{
	struct slice texts[EMBED_MANY];
	struct arena arena;
	int rc = 0;
	size_t n;

	arena_init(&arena);
	while (rc == 0 && doc < end) {
		for (n = 0; n < EMBED_MANY && doc < end; n++, doc++)
			texts[n] = doc_text(x, doc, shared, &arena);
		rc = pool == NULL ? embed_many(embed, texts, n, out) :
		    vector_pool_ask(pool, embed, texts, n, out);
		out += n * embed_dims(embed);
		arena_reset(&arena);
	}
	arena_release(&arena);
	return rc;
}

static void
sum_up(const int8_t *vectors, uint32_t n, size_t dims, int64_t *sum)
{
	uint32_t doc;
	size_t i;

	memset(sum, 0, dims * sizeof(sum[0]));
	for (doc = 0; doc < n; doc++, vectors += dims)
		for (i = 0; i < dims; i++)
			sum[i] += vectors[i];
}

void
vectors_make(struct vectors *v, const struct section *x,
    struct db_txn *shared, const struct embed *embed,
    struct vector_cache *cache)
{
	size_t dims = embed_dims(embed);

	v->made[x->place].at = xmalloc((size_t)x->n_docs * dims + 1);
	v->made[x->place].sum = xmalloc(dims * sizeof(int64_t));
	make_some(x, 0, x->n_docs, shared, embed, cache,
	    v->made[x->place].at);
	sum_up(v->made[x->place].at, x->n_docs, dims,
	    v->made[x->place].sum);
}

bool
vectors_gather(struct vectors *v, const struct section *x,
    struct db_txn *shared, const struct embed *embed,
    struct vector_pool *pool)
{
	size_t dims = embed_dims(embed), i = x->place;
	const int8_t *found;
	struct arena arena;
	uint32_t doc;

	if (v->made[i].at != NULL && (!v->made[i].lacking ||
		v->made[i].version == vector_pool_version(pool)))
		return !v->made[i].lacking;
	if (v->made[i].at == NULL) {
		v->made[i].at = xcalloc((size_t)x->n_docs + 1, dims);
		v->made[i].sum = xmalloc(dims * sizeof(int64_t));
	}
	v->made[i].version = vector_pool_version(pool);
	v->made[i].lacking = false;
	arena_init(&arena);
	for (doc = 0; doc < x->n_docs; doc++) {
		found = vector_pool_find(pool, doc_text(x, doc, shared,
		    &arena));
		if (found != NULL)
			memcpy(v->made[i].at + (size_t)doc * dims, found, dims);
		else
			v->made[i].lacking = true;
		arena_reset(&arena);
	}
	arena_release(&arena);
	sum_up(v->made[i].at, x->n_docs, dims, v->made[i].sum);
	return !v->made[i].lacking;
}

/* ---- files ---- */

/* Header, domains and room for all; the vectors are the caller's to fill. */
static void
begin_file(const struct segment *s, const struct embed *embed,
    struct buf *out)
{
	struct vectors_header h = { .magic = VECTORS_MAGIC };
	size_t i, dims = embed_dims(embed), bytes;
	struct vectors_domain d;
	struct section x;
	uint64_t at = sizeof(h) + segment_domains(s) * sizeof(d);
	char *room;

	buf_add(out, &h, sizeof(h));
	for (i = 0; i < segment_domains(s); i++) {
		d = (struct vectors_domain){ .at = at };
		if (section_at(s, i, &x))
			d.n_docs = x.n_docs;
		at += dims * 8 + (d.n_docs * dims + 7) / 8 * 8;
		buf_add(out, &d, sizeof(d));
	}
	bytes = at - out->len;
	room = buf_room(out, bytes);
	if (room != NULL) {
		memset(room, 0, bytes);
		out->len += bytes;
	}
}

static int8_t *
file_vectors(struct buf *out, size_t domain, size_t dims, int64_t **sum)
{
	struct vectors_domain d;

	memcpy(&d, out->ptr + sizeof(struct vectors_header) +
	    domain * sizeof(d), sizeof(d));
	*sum = (int64_t *)(void *)(out->ptr + d.at);
	return (int8_t *)out->ptr + d.at + dims * 8;
}

static void
end_file(const struct segment *s, const struct embed *embed, struct buf *out)
{
	struct vectors_header h = { .magic = VECTORS_MAGIC,
		.format = VECTORS_FORMAT, .dims = embed_dims(embed),
		.model = vectors_model(embed),
		.n_domains = segment_domains(s), .length = out->len,
		.segment = segment_hash(s) };

	h.hash = XXH3_64bits(out->ptr + sizeof(h), out->len - sizeof(h));
	memcpy(out->ptr, &h, sizeof(h));
}

/* With a view of its own. */
static int
make_part(const struct section *x, uint32_t doc, uint32_t end,
    struct db *shared, const struct embed *embed, struct vector_pool *pool,
    int8_t *out)
{
	struct db_txn *txn = db_read(shared);
	int rc = make_batches(x, doc, end, txn, embed, pool, out);

	db_abort(&txn);
	return rc;
}

int
vectors_write(const struct segment *s, struct db *shared,
    const struct embed *embed, struct vector_pool *pool, struct buf *out)
{
	/* A view of the log that is held while an endpoint thinks, grows it. */
	uint32_t most = embed_is_remote(embed) ? EMBED_MANY : SEGMENT_SPAN;
	size_t i, dims = embed_dims(embed);
	int rc = 0;
	struct section x;
	uint32_t doc, end;
	int64_t *sum;
	int8_t *at;

	begin_file(s, embed, out);
	for (i = 0; i < segment_domains(s) && rc == 0; i++) {
		if (!section_at(s, i, &x))
			continue;
		at = file_vectors(out, i, dims, &sum);
		for (doc = 0; doc < x.n_docs && rc == 0; doc = end) {
			end = x.n_docs - doc > most ? doc + most : x.n_docs;
			rc = make_part(&x, doc, end, shared, embed, pool,
			    at + (size_t)doc * dims);
		}
		sum_up(at, x.n_docs, dims, sum);
	}
	end_file(s, embed, out);
	return rc;
}

int
vectors_join(const struct segment *s, struct segment *const *parts,
    struct vectors *const *from, size_t n, const struct embed *embed,
    struct buf *out)
{
	size_t i, k, dims = embed_dims(embed), done;
	const int64_t *unused;
	const int8_t *part;
	struct section x, y;
	int64_t *sum;
	int8_t *at;

	begin_file(s, embed, out);
	for (i = 0; i < segment_domains(s); i++) {
		if (!section_at(s, i, &x))
			return -1;
		at = file_vectors(out, i, dims, &sum);
		for (k = 0, done = 0; k < n; k++) {
			if (!section_open(parts[k], segment_domain(s, i), &y))
				continue;
			part = vectors_of(from[k], y.place, &unused);
			if (done + y.n_docs > x.n_docs)
				return -1;
			memcpy(at + done * dims, part, y.n_docs * dims);
			done += y.n_docs;
		}
		if (done != x.n_docs)
			return -1;
		sum_up(at, x.n_docs, dims, sum);
	}
	end_file(s, embed, out);
	return 0;
}
