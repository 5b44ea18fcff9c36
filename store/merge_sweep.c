/*
 * merge_sweep - the files of the index that nobody needs any more
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"
#include "store/merge_impl.h"
#include "store/vectors.h"

/* A larger file holds all of it, or the log says otherwise by now. */
static bool
is_needless(struct merging *m, const struct segment_name *name)
{
	uint64_t hash, start, last = name->first +
	    segment_span(name->level) - 1;
	unsigned level;
	bool larger = false;
	size_t at, n;
	char *path;

	if (name->level >= SEGMENT_LEVELS)
		return true;
	if (last > segment_list_end(&m->list))
		return false;	/* of entries that are being made again */
	at = (name->first - 1) / SEGMENT_SPAN;
	if (m->list.rows[at].first != name->first ||
	    !segment_list_hash(&m->list, at, name->level, &hash, &n) ||
	    hash != name->hash)
		return true;
	for (level = name->level + 1; level < SEGMENT_LEVELS && !larger;
	     level++) {
		start = (name->first - 1) / segment_span(level) *
		    segment_span(level);
		if (!segment_list_hash(&m->list, start / SEGMENT_SPAN, level,
			&hash, &n))
			break;
		path = segment_path(m->dir, level, start + 1, hash);
		larger = access(path, R_OK) == 0;
		free(path);
	}
	return larger;
}

/* Vectors go with their piece, and when a newer table has made others. */
static bool
are_needless(struct merging *m, const char *file)
{
	struct segment_name name;
	unsigned long long model;
	char *path, *now;
	bool needless;

	if (vector_pool_name_parse(file, &model))
		return m->embed != NULL && (m->pool == NULL ||
		    model != vectors_model(m->embed));
	if (!vectors_name_parse(file, &name, &model))
		return false;
	path = segment_path(m->dir, name.level, name.first, name.hash);
	needless = access(path, F_OK) == -1;
	if (!needless && m->embed != NULL &&
	    model != vectors_model(m->embed)) {
		now = vectors_path(path, vectors_model(m->embed));
		needless = access(now, F_OK) == 0;
		free(now);
	}
	free(path);
	return needless;
}

void
merge_sweep(struct merging *m)
{
	DIR *d = opendir(m->dir);
	const struct dirent *file;
	struct segment_name name;

	while (d != NULL && (file = readdir(d)) != NULL)
		if ((segment_name_parse(file->d_name, &name) ?
			is_needless(m, &name) :
			are_needless(m, file->d_name)) &&
		    unlinkat(dirfd(d), file->d_name, 0) == -1 &&
		    errno != ENOENT)
			log_warn("%s/%s", m->dir, file->d_name);
	if (d != NULL)
		closedir(d);
}
