/*
 * check_index - the search index against the store's list and the log
 *
 * Each piece that the store lists must be there, of its own or inside a larger
 * one, whole and undamaged, and so must its vectors, where there are some.
 * --deep makes each from the log again and compares the hashes.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cli/check.h"
#include "store/segments.h"
#include "store/vectors.h"

static void
check_vectors(struct check *c, const struct segment *s, const char *path,
    const struct embed *embed)
{
	char *file = vectors_path(path, vectors_model(embed));
	struct vectors *v = vectors_map(file, s, embed);

	if (access(file, F_OK) == 0 && (v == NULL || !vectors_is_sound(v)))
		check_finding(c, "index", "%s is damaged: 'skein rebuild "
		    "--from store' makes it again", file);
	vectors_free(v);
	free(file);
}

/* Files of row `at`: its own, and larger ones that begin there. */
static void
check_piece(struct check *c, const char *dir, const struct segment_list *list,
    size_t at, const struct embed *embed)
{
	struct segment *s;
	unsigned level;
	uint64_t hash;
	char *path;
	size_t n;

	for (level = 0; level < SEGMENT_LEVELS; level++) {
		if (!segment_list_hash(list, at, level, &hash, &n))
			break;
		path = segment_path(dir, level, list->rows[at].first, hash);
		s = segment_map(path);
		if (s != NULL && (!segment_is_sound(s) ||
			(level == 0 && segment_hash(s) != hash)))
			check_finding(c, "index", "%s is damaged: remove it "
			    "and start the store stage anew, or 'skein "
			    "rebuild --from store': it is made again from "
			    "the log", path);
		else if (s == NULL && access(path, F_OK) == 0)
			check_finding(c, "index", "%s is no segment: remove "
			    "it and start the store stage anew", path);
		else if (s != NULL && embed != NULL)
			check_vectors(c, s, path, embed);
		segment_close(&s);
		free(path);
	}
	if (!segments_hold(dir, list, at))
		check_finding(c, "index", "the segment of entries %llu to "
		    "%llu is not there: start the store stage anew, it makes "
		    "it from the log",
		    (unsigned long long)list->rows[at].first,
		    (unsigned long long)list->rows[at].last);
}

static void
check_against_log(struct check *c, const struct segment_list *list)
{
	struct tokeniser *tokeniser = tokeniser_new();
	struct segment *s;
	size_t i;

	for (i = 0; i < list->n; i++) {
		s = segment_make(c->txns[ENV_shared], tokeniser,
		    list->rows[i].first, list->rows[i].last, NULL, NULL);
		if (segment_hash(s) != list->rows[i].hash)
			check_finding(c, "index", "the segment of entries "
			    "%llu to %llu is not what the log gives: 'skein "
			    "rebuild --from store' makes it again",
			    (unsigned long long)list->rows[i].first,
			    (unsigned long long)list->rows[i].last);
		segment_close(&s);
	}
	tokeniser_free(&tokeniser);
}

void
check_index(struct check *c, bool deep)
{
	char *dir = segments_dir(&c->cli->conf);
	struct embed *embed = embed_open_set(&c->cli->conf);
	struct segment_list list = { 0 };
	size_t i;

	segment_list_read(&list, c->txns[ENV_store]);
	for (i = 0; i < list.n; i++) {
		if (list.rows[i].first != i * SEGMENT_SPAN + 1 ||
		    list.rows[i].last != (i + 1) * SEGMENT_SPAN)
			check_finding(c, "index", "a segment of entries %llu "
			    "to %llu, which is no range of one",
			    (unsigned long long)list.rows[i].first,
			    (unsigned long long)list.rows[i].last);
		check_piece(c, dir, &list, i, embed);
	}
	if (deep)
		check_against_log(c, &list);
	segment_list_release(&list);
	if (embed != NULL)
		embed_close(&embed);
	free(dir);
}
