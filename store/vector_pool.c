/*
 * vector_pool - an endpoint's vectors that are in no piece's file yet
 */
#include "store/vector_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/log.h"
#include "common/xmalloc.h"
#include "store/segments.h"
#include "store/vectors.h"

#define POOL_MAGIC { 's', 'k', 'e', 'i', 'n', 'p', 'o', 'l' }
enum { POOL_FORMAT = 1 };

struct pool_header {
	char magic[8];
	uint64_t format, dims, model, epoch;
};

struct pool_record {		/* and the vector behind it */
	uint64_t text, vector;
};

struct vector_pool {
	char *dir, *path;
	size_t dims;
	uint64_t model, epoch;
	ino_t inode;		/* of the file as it was read */
	bool there;		/* it is of this epoch */
	uint64_t version;	/* another one after each change */
	struct buf records;
	uint8_t *used;		/* since the last trim, a byte a record */
	size_t used_room;
	uint32_t *slots;	/* places of records, plus one */
	size_t n_slots;
};

struct vector_pool *
vector_pool_open(const char *dir, const struct embed *embed)
{
	struct vector_pool *p = xcalloc(1, sizeof(*p));

	p->dir = xstrdup(dir);
	p->dims = embed_dims(embed);
	p->model = vectors_model(embed);
	p->path = xasprintf("%s/pool-%016llx.vec", dir,
	    (unsigned long long)p->model);
	buf_init(&p->records, SIZE_MAX / 4);
	return p;
}

void
vector_pool_close(struct vector_pool **p)
{
	if (*p == NULL)
		return;
	buf_release(&(*p)->records);
	free((*p)->used);
	free((*p)->slots);
	free((*p)->dir);
	free((*p)->path);
	free(*p);
	*p = NULL;
}

bool
vector_pool_name_parse(const char *name, unsigned long long *model)
{
	int end = 0;

	return sscanf(name, "pool-%16llx.vec%n", model, &end) == 1 &&
	    end > 0 && name[end] == '\0';
}

/* ---- in memory ---- */

static size_t
record_bytes(const struct vector_pool *p)
{
	return sizeof(struct pool_record) + p->dims;
}

static size_t
count(const struct vector_pool *p)
{
	return p->records.len / record_bytes(p);
}

static struct pool_record
record_at(const struct vector_pool *p, size_t i)
{
	struct pool_record r;

	memcpy(&r, p->records.ptr + i * record_bytes(p), sizeof(r));
	return r;
}

static const int8_t *
vector_at(const struct vector_pool *p, size_t i)
{
	return (const int8_t *)p->records.ptr + i * record_bytes(p) +
	    sizeof(struct pool_record);
}

/* Its slot, or the empty one where it belongs. */
static uint32_t *
find_slot(const struct vector_pool *p, uint64_t text)
{
	size_t at = text & (p->n_slots - 1);

	while (p->slots[at] != 0 &&
	    record_at(p, p->slots[at] - 1).text != text)
		at = (at + 1) & (p->n_slots - 1);
	return &p->slots[at];
}

static void
put_slots(struct vector_pool *p, size_t from)
{
	struct pool_record r;
	size_t i;

	for (i = from; i < count(p); i++) {
		r = record_at(p, i);
		/* What a power cut has left is nobody's. */
		if (r.vector == XXH3_64bits(vector_at(p, i), p->dims))
			*find_slot(p, r.text) = (uint32_t)i + 1;
	}
}

/* Makes records from `from` on findable. */
static void
note_records(struct vector_pool *p, size_t from)
{
	size_t n = count(p), room = p->n_slots == 0 ? 1024 : p->n_slots;

	while (room < 2 * n)
		room *= 2;
	if (room != p->n_slots) {
		free(p->slots);
		p->slots = xcalloc(room, sizeof(p->slots[0]));
		p->n_slots = room;
		from = 0;
	}
	if (n > p->used_room) {
		p->used = xrealloc(p->used, room);
		memset(p->used + p->used_room, 0, room - p->used_room);
		p->used_room = room;
	}
	put_slots(p, from);
}

static void
drop_records(struct vector_pool *p)
{
	buf_clear(&p->records);
	if (p->n_slots > 0)
		memset(p->slots, 0, p->n_slots * sizeof(p->slots[0]));
	if (p->used_room > 0)
		memset(p->used, 0, p->used_room);
}

const int8_t *
vector_pool_find(struct vector_pool *p, struct slice text)
{
	uint32_t place;

	if (p->n_slots == 0)
		return NULL;
	place = *find_slot(p, XXH3_64bits(text.ptr, text.len));
	if (place == 0)
		return NULL;
	p->used[place - 1] = 1;
	return vector_at(p, place - 1);
}

/* ---- the file ---- */

static bool
read_header(const struct vector_pool *p, int fd)
{
	static const char magic[8] = POOL_MAGIC;
	struct pool_header h;

	return pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) &&
	    memcmp(h.magic, magic, sizeof(magic)) == 0 &&
	    h.format == POOL_FORMAT && h.dims == p->dims &&
	    h.model == p->model && h.epoch == p->epoch;
}

/* Whole records behind those that were read. */
static void
read_records(struct vector_pool *p, int fd, size_t size)
{
	size_t room = size - sizeof(struct pool_header) - p->records.len;
	size_t wanted = room - room % record_bytes(p), got = 0;
	char *at = buf_room(&p->records, wanted);
	ssize_t n = 1;

	while (at != NULL && got < wanted && n > 0) {
		n = pread(fd, at + got, wanted - got, (off_t)(
		    sizeof(struct pool_header) + p->records.len + got));
		if (n == -1 && errno == EINTR)
			n = 1;
		else if (n > 0)
			got += (size_t)n;
	}
	p->records.len += got - got % record_bytes(p);
}

void
vector_pool_look(struct vector_pool *p, uint64_t epoch)
{
	int fd = open(p->path, O_RDONLY | O_CLOEXEC);
	size_t head = sizeof(struct pool_header), before;
	bool other;
	struct stat st = { 0 };

	if (fd != -1 && fstat(fd, &st) == -1)
		st = (struct stat){ 0 };
	other = p->inode != st.st_ino || p->epoch != epoch ||
	    (size_t)st.st_size < head + p->records.len;
	if (other)
		drop_records(p);
	before = count(p);
	p->epoch = epoch;
	p->inode = st.st_ino;
	p->there = fd != -1 && read_header(p, fd);
	if (p->there && (size_t)st.st_size > head + p->records.len) {
		read_records(p, fd, (size_t)st.st_size);
		note_records(p, before);
	}
	if (fd != -1)
		close(fd);
	p->version += other || count(p) != before;
}

uint64_t
vector_pool_version(const struct vector_pool *p)
{
	return p->version;
}

static void
put_header(const struct vector_pool *p, struct buf *out)
{
	struct pool_header h = { .magic = POOL_MAGIC, .format = POOL_FORMAT,
		.dims = p->dims, .model = p->model, .epoch = p->epoch };

	buf_add(out, &h, sizeof(h));
}

/* The file anew, of what is in memory. */
static int
save(struct vector_pool *p)
{
	struct stat st;
	struct buf out;
	int rc;

	buf_init(&out, SIZE_MAX / 4);
	put_header(p, &out);
	buf_addslice(&out, buf_slice(&p->records));
	rc = segment_save_bytes(p->dir, p->path, buf_slice(&out));
	buf_release(&out);
	if (rc == 0)
		rc = stat(p->path, &st);
	p->inode = rc == 0 ? st.st_ino : 0;
	p->there = rc == 0;
	return rc;
}

static int
append(struct vector_pool *p, struct slice bytes)
{
	off_t end = (off_t)(sizeof(struct pool_header) + p->records.len);
	int fd = open(p->path, O_WRONLY | O_CLOEXEC), rc = -1;

	/* Half a record may be there, of one who was killed. */
	if (fd != -1 && ftruncate(fd, end) == 0 &&
	    pwrite(fd, bytes.ptr, bytes.len, end) == (ssize_t)bytes.len)
		rc = 0;
	if (fd != -1)
		close(fd);
	return rc;
}

int
vector_pool_add(struct vector_pool *p, const struct slice *texts, size_t n,
    const int8_t *vectors)
{
	size_t before = count(p), i;
	struct pool_record r;
	struct buf more;
	int rc = 0;

	buf_init(&more, SIZE_MAX / 4);
	for (i = 0; i < n; i++, vectors += p->dims) {
		r = (struct pool_record){
			.text = XXH3_64bits(texts[i].ptr, texts[i].len),
			.vector = XXH3_64bits(vectors, p->dims) };
		buf_add(&more, &r, sizeof(r));
		buf_add(&more, vectors, p->dims);
	}
	if (!p->there)
		rc = save(p);
	if (rc == 0)
		rc = append(p, buf_slice(&more));
	if (rc == 0)
		buf_addslice(&p->records, buf_slice(&more));
	buf_release(&more);
	note_records(p, before);
	for (i = before; i < count(p); i++)
		p->used[i] = 1;
	return rc;
}

int
vector_pool_ask(struct vector_pool *p, const struct embed *embed,
    const struct slice *texts, size_t n, int8_t *out)
{
	struct slice missing[EMBED_MANY];
	size_t places[EMBED_MANY], i, n_missing = 0;
	const int8_t *found;
	int8_t *made;
	int rc = 0;

	for (i = 0; i < n; i++) {
		found = vector_pool_find(p, texts[i]);
		if (found != NULL) {
			memcpy(out + i * p->dims, found, p->dims);
		} else {
			missing[n_missing] = texts[i];
			places[n_missing++] = i;
		}
	}
	if (n_missing == 0)
		return 0;
	made = xmalloc(n_missing * p->dims);
	rc = embed_many(embed, missing, n_missing, made);
	if (rc == 0)
		rc = vector_pool_add(p, missing, n_missing, made);
	for (i = 0; i < n_missing && rc == 0; i++)
		memcpy(out + places[i] * p->dims, made + i * p->dims, p->dims);
	free(made);
	return rc;
}

void
vector_pool_begin(struct vector_pool *p)
{
	if (p->used_room > 0)
		memset(p->used, 0, p->used_room);
	/* A file of another epoch may be of what was forgotten. */
	if (!p->there && unlink(p->path) == -1 && errno != ENOENT)
		log_warn("%s", p->path);
}

int
vector_pool_trim(struct vector_pool *p)
{
	size_t i, kept = 0, n = count(p);

	for (i = 0; i < n; i++)
		if (p->used[i] != 0) {
			memmove(p->records.ptr + kept * record_bytes(p),
			    p->records.ptr + i * record_bytes(p),
			    record_bytes(p));
			kept++;
		}
	if (kept == n)
		return 0;
	p->records.len = kept * record_bytes(p);
	memset(p->slots, 0, p->n_slots * sizeof(p->slots[0]));
	vector_pool_begin(p);
	note_records(p, 0);
	return save(p);
}
