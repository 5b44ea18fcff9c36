/*
 * check_forgotten - nothing is left of what was forgotten
 *
 * By number: of a tombstone no stage says anything, and no id leads to it.  By
 * words: given texts stand in no record of any table and in no file of the
 * index.  Words in pages that are free are a note: `skein compact` drops them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dirent.h>

#include "cli/check.h"

/* ---- by number ---- */

static void
check_tombstone(struct check *c, uint64_t seq, const struct msg_tombstone *t)
{
	struct key k = key_u64(seq);
	struct slice record;
	struct msg_error why;
	enum stage_id id;
	struct msg s;

	if (t->id.len > 0)
		check_finding(c, "forgotten", "tombstone %llu bears an id",
		    (unsigned long long)seq);
	for (id = 0; id < STAGE_COUNT; id++) {
		if (!db_get(c->txns[ENV_shared], stage_section_table(id),
			key_slice(&k), &record))
			continue;	/* not there yet */
		if (msg_decode(record, &c->arena, &s, &why) == -1)
			continue;	/* said elsewhere */
		if (s.id == MSG_s_none || (id == STAGE_ingest &&
			s.as->s_ingest.content_hash.len == 0))
			continue;
		check_finding(c, "forgotten", "%s still says something of "
		    "entry %llu", stage_name(id), (unsigned long long)seq);
	}
}

static uint64_t
check_tombstones(struct check *c)
{
	struct db_cursor *rows = check_rows(c, TABLE_log);
	struct db_entry e;
	struct msg_error why;
	uint64_t count = 0;
	struct msg m;

	for (; db_next(rows, &e); arena_reset(&c->arena)) {
		if (msg_decode(e.value, &c->arena, &m, &why) == -1 ||
		    m.id != MSG_tombstone)
			continue;
		check_tombstone(c, key_read_u64(e.key, 0), &m.as->tombstone);
		count++;
	}
	db_cursor_close(&rows);
	return count;
}

/* ---- by words ---- */

static bool
holds(struct slice where, struct slice what)
{
	return what.len > 0 &&
	    memmem(where.ptr, where.len, what.ptr, what.len) != NULL;
}

static uint64_t
search_table(struct check *c, enum table_id table, struct slice text)
{
	struct db_cursor *rows = check_rows(c, table);
	struct db_entry e;
	uint64_t found = 0;

	while (db_next(rows, &e)) {
		if (!holds(e.key, text) && !holds(e.value, text))
			continue;
		check_finding(c, "forgotten", "%s: row %s holds '%.*s'",
		    table_spec(table)->name, check_key(c, table, e.key),
		    SLICE_ARG(text));
		found++;
	}
	db_cursor_close(&rows);
	return found;
}

static bool
file_holds(int fd, struct slice text)
{
	struct stat st;
	bool found;
	void *map;

	if (fstat(fd, &st) == -1 || st.st_size == 0)
		return false;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return false;
	found = holds(slice_of(map, (size_t)st.st_size), text);
	munmap(map, (size_t)st.st_size);
	return found;
}

/* Every file of a folder of the home: a finding, or a note where it is free. */
static void
search_files(struct check *c, const char *folder, struct slice text,
    bool free_pages)
{
	char *dir = conf_path(&c->cli->conf, "%s", folder);
	DIR *d = opendir(dir);
	struct dirent *file;
	bool found;
	int fd;

	while (d != NULL && (file = readdir(d)) != NULL) {
		fd = openat(dirfd(d), file->d_name, O_RDONLY | O_CLOEXEC);
		if (fd == -1)
			continue;
		found = file_holds(fd, text);
		close(fd);
		if (found && free_pages)
			check_note(c, "%s/%s holds '%.*s' in pages that are "
			    "free: 'skein compact' gives them back", folder,
			    file->d_name, SLICE_ARG(text));
		else if (found)
			check_finding(c, "forgotten", "%s/%s holds '%.*s'",
			    folder, file->d_name, SLICE_ARG(text));
	}
	if (d != NULL)
		closedir(d);
	free(dir);
}

static void
search(struct check *c, struct slice text)
{
	uint64_t found[ENV_COUNT] = { 0 };
	enum env_id env;
	char *folder;
	size_t i;

	for (i = 0; i < TABLE_COUNT; i++)
		if (c->txns[table_spec(i)->env] != NULL)
			found[table_spec(i)->env] += search_table(c, i, text);
	search_files(c, "db/segments", text, false);
	for (env = 0; env < ENV_COUNT; env++) {
		if (found[env] > 0 || asprintf(&folder, "db/%s",
			env_name(env)) == -1)
			continue;
		search_files(c, folder, text, true);
		free(folder);
	}
}

/* Each line of standard input: what is to be gone stays out of `ps`. */
static void
search_lines(struct check *c)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, stdin)) > 0) {
		if (line[len - 1] == '\n')
			len--;
		search(c, slice_of(line, (size_t)len));
	}
	free(line);
}

void
check_forgotten(struct check *c, struct slice text)
{
	uint64_t count = check_tombstones(c);

	if (slice_is(text, "-"))
		search_lines(c);
	else if (text.len > 0)
		search(c, text);
	check_note(c, "%llu entries are tombstones", (unsigned long long)count);
}
