/*
 * segments - the files of the search index, and which of them count
 */
#include "store/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/xmalloc.h"
#include "store/index.h"

void
segment_list_read(struct segment_list *list, struct db_txn *store)
{
	struct db_cursor *c = db_cursor(store, TABLE_segments);
	struct msg_segment row;
	struct msg_error why;
	struct arena arena;
	struct db_entry e;

	arena_init(&arena);
	list->n = 0;
	while (db_next(c, &e)) {
		arena_reset(&arena);
		if (e.key.len != 8 || msg_decode_as(e.value, &arena,
			MSG_segment, &row, &why) == -1)
			break;
		if (list->n == list->room) {
			list->room = list->room == 0 ? 64 : list->room * 2;
			list->rows = xrealloc(list->rows, list->room *
			    sizeof(list->rows[0]));
		}
		list->rows[list->n++] = (struct segment_row){
			key_read_u64(e.key, 0), row.last, row.hash,
			row.bytes };
	}
	db_cursor_close(&c);
	arena_release(&arena);
}

void
segment_list_release(struct segment_list *list)
{
	free(list->rows);
	*list = (struct segment_list){ 0 };
}

uint64_t
segment_span(unsigned level)
{
	uint64_t span = SEGMENT_SPAN;

	while (level-- > 0)
		span *= SEGMENT_FAN;
	return span;
}

uint64_t
segment_list_end(const struct segment_list *list)
{
	uint64_t end = 0;
	size_t i;

	for (i = 0; i < list->n && list->rows[i].first == end + 1; i++)
		end = list->rows[i].last;
	return end;
}

bool
segment_list_hash(const struct segment_list *list, size_t at, unsigned level,
    uint64_t *hash, size_t *n)
{
	uint64_t span = segment_span(level), first = list->rows[at].first;
	uint64_t end = first - 1;
	XXH3_state_t *state;
	size_t i;

	if (level == 0) {
		*hash = list->rows[at].hash;
		*n = 1;
		return true;
	}
	if ((first - 1) % span != 0)
		return false;
	state = XXH3_createState();
	XXH3_64bits_reset(state);
	for (i = at; i < list->n && list->rows[i].first == end + 1 &&
	     end - (first - 1) < span; i++) {
		XXH3_64bits_update(state, &list->rows[i].hash,
		    sizeof(list->rows[i].hash));
		end = list->rows[i].last;
	}
	*hash = XXH3_64bits_digest(state);
	*n = i - at;
	XXH3_freeState(state);
	return end - (first - 1) == span;
}

char *
segments_dir(const struct conf *conf)
{
	return conf_path(conf, "db/segments");
}

char *
segment_path(const char *dir, unsigned level, uint64_t first, uint64_t hash)
{
	return xasprintf("%s/%u-%012llu-%016llx.seg", dir, level,
	    (unsigned long long)first, (unsigned long long)hash);
}

bool
segment_name_parse(const char *name, struct segment_name *out)
{
	unsigned long long first, hash;
	int end = 0;

	if (sscanf(name, "%1u-%12llu-%16llx.seg%n", &out->level, &first,
		&hash, &end) != 3 || end == 0 || name[end] != '\0')
		return false;
	out->first = first;
	out->hash = hash;
	return true;
}

static bool
is_there(const char *path)
{
	struct segment *s = segment_map(path);
	bool sound = s != NULL && segment_is_sound(s);

	segment_close(&s);
	return sound;
}

static int
write_all(int fd, struct slice bytes)
{
	size_t done = 0;
	ssize_t n;

	while (done < bytes.len) {
		n = write(fd, bytes.ptr + done, bytes.len - done);
		if (n == -1 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return fsync(fd);
}

static int
sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd == -1 ? -1 : fsync(fd);

	if (fd != -1)
		close(fd);
	return rc;
}

int
segment_save(const char *dir, const char *path, const struct segment *s)
{
	if (is_there(path))
		return 0;
	return segment_save_bytes(dir, path, segment_slice(s));
}

int
segment_save_bytes(const char *dir, const char *path, struct slice bytes)
{
	char *temporary;
	int fd, rc;

	if (mkdir(dir, 0700) == -1 && errno != EEXIST)
		return -1;
	temporary = xasprintf("%s.%d.tmp", path, (int)getpid());
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	rc = fd == -1 ? -1 : write_all(fd, bytes);
	if (fd != -1)
		close(fd);
	if (rc == 0)
		rc = rename(temporary, path);
	if (rc == -1)
		(void)unlink(temporary);
	free(temporary);
	return rc == 0 ? sync_dir(dir) : -1;
}

/* ---- made from the log ---- */

struct segment *
segment_make(struct db_txn *shared, struct tokeniser *tokeniser,
    uint64_t first, uint64_t last, void (*beat)(void *data), void *data)
{
	struct index *ix = index_new(tokeniser);
	struct document *docs;
	struct stage_entry e;
	struct segment *s;
	struct arena arena;
	struct buf bytes;
	uint64_t seq;

	arena_init(&arena);
	index_clear(ix, first - 1);
	for (seq = first; seq <= last; seq++) {
		if (document_load(shared, seq, &arena, &e))
			index_add(ix, seq, docs, documents_of(&e, &arena,
			    &docs));
		arena_reset(&arena);
		if (beat != NULL)
			beat(data);
	}
	buf_init(&bytes, SIZE_MAX / 4);
	index_write(ix, first, last, &bytes);
	s = segment_take(&bytes);
	index_free(&ix);
	arena_release(&arena);
	return s;
}

bool
segments_hold(const char *dir, const struct segment_list *list, size_t at)
{
	uint64_t hash, start;
	unsigned level;
	size_t n, from;
	char *path;
	bool there = false;

	for (level = 0; level < SEGMENT_LEVELS && !there; level++) {
		start = (list->rows[at].first - 1) /
		    segment_span(level) * segment_span(level);
		from = at - (list->rows[at].first - 1 - start) / SEGMENT_SPAN;
		if (!segment_list_hash(list, from, level, &hash, &n))
			break;
		path = segment_path(dir, level, list->rows[from].first, hash);
		there = access(path, R_OK) == 0;
		free(path);
	}
	return there;
}
