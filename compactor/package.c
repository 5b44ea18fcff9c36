/*
 * package - artifact types as files: what sets one off, what it holds
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/xmalloc.h"
#include "compactor/package_impl.h"

enum {
	FILE_MAX = 1 << 20,
	REASON_MAX = 4096,
	FILES_MAX = 1000,	/* of a folder */
};

#define SUFFIX ".package"

const char *
package_life_name(enum package_life life)
{
	static const char *const names[] = { [LIFE_effort] = "effort",
		[LIFE_answer] = "answer", [LIFE_turn] = "turn" };

	return names[life];
}

const char *
package_type_name(enum package_type type)
{
	static const char *const names[] = { [TYPE_of_text] = "text",
		[TYPE_of_list] = "list", [TYPE_of_number] = "number",
		[TYPE_of_time] = "time", [TYPE_of_turns] = "turns" };

	return names[type];
}

const char *
package_way_name(enum package_way way)
{
	static const char *const names[] = {
#define WAY(name, what) [WAY_##name] = #name,
		PACKAGE_WAYS(WAY)
#undef WAY
	};

	return names[way];
}

bool
package_is_built_in(struct slice type)
{
	static const char *const names[] = { "effort", "fact", "event",
		"decision", "note" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_is(type, names[i]))
			return true;
	return false;
}

const struct package_field *
package_field(const struct package *p, struct slice name)
{
	for (size_t i = 0; i < p->n_fields; i++)
		if (slice_eq(p->fields[i].name, name))
			return &p->fields[i];
	return NULL;
}

/* ---- the set ---- */

/* "…/bugreport.package" is bugreport's. */
static struct slice
name_of_file(struct slice file)
{
	const char *slash = memrchr(file.ptr, '/', file.len);
	size_t from = slash != NULL ? (size_t)(slash - file.ptr) + 1 : 0;
	size_t len = file.len - from, suffix = sizeof(SUFFIX) - 1;

	if (len > suffix && memcmp(file.ptr + file.len - suffix, SUFFIX,
	    suffix) == 0)
		len -= suffix;
	return slice_of(file.ptr + from, len);
}

static struct package_draft *
draft_find(struct package_draft *list, size_t count, struct slice name)
{
	for (size_t i = 0; i < count; i++)
		if (slice_eq(list[i].package.name, name))
			return &list[i];
	return NULL;
}

static void
keep_refused(struct packages *set, struct slice file, const struct buf *why)
{
	struct package_refused *r = &set->refused[set->n_refused++];

	r->name = arena_dup(&set->arena, name_of_file(file));
	r->why = arena_dup(&set->arena, buf_slice(why));
}

/*
 * A file that is refused takes nothing away: the shipped package of that name
 * goes on working.
 */
static size_t
take_source(struct packages *set, const struct package_source *source,
    struct package_draft *list, size_t count)
{
	struct package_draft draft, *old;
	struct slice name;
	struct buf why;

	buf_init(&why, REASON_MAX);
	if (package_read(&set->arena, source, &draft, &why) < 0) {
		keep_refused(set, source->name, &why);
		buf_release(&why);
		return count;
	}
	buf_release(&why);
	name = draft.empty ? name_of_file(source->name) : draft.package.name;
	old = draft_find(list, count, name);
	if (old != NULL && draft.empty) {
		*old = list[count - 1];
		return count - 1;
	}
	if (draft.empty)
		return count;
	*(old != NULL ? old : &list[count]) = draft;
	return count + (old == NULL);
}

static int
by_name(const void *a, const void *b)
{
	const struct package_draft *x = a, *y = b;

	return slice_cmp(x->package.name, y->package.name);
}

/* Ids were counted within the file: now they are the set's. */
static void
shift_ids(struct package *p, int base)
{
	for (size_t i = 0; i < p->n_triggers; i++) {
		if (p->triggers[i].match != MATCH_NONE)
			p->triggers[i].match += base;
		if (p->triggers[i].unless != MATCH_NONE)
			p->triggers[i].unless += base;
	}
	for (size_t i = 0; i < p->n_fields; i++)
		for (size_t k = 0; k < p->fields[i].n_by; k++)
			if (p->fields[i].by[k].match != MATCH_NONE)
				p->fields[i].by[k].match += base;
}

/* Each compiled alone before, so what fails here is a limit of the whole. */
static void
join(struct packages *set, struct package_draft *list, size_t count)
{
	struct buf why;
	int base = 0;

	set->list = arena_array(&set->arena, count, sizeof(*set->list));
	buf_init(&why, REASON_MAX);
	for (size_t i = 0; i < count; i++) {
		if (package_compile(&set->arena, &list[i], set->patterns, base,
		    i, &why) < 0)
			fatalx(EX_REFUSE, "%s", buf_cstr(&why));
		set->list[i] = list[i].package;
		set->list[i].built_in =
		    package_is_built_in(set->list[i].name);
		set->more |= !set->list[i].built_in;
		shift_ids(&set->list[i], base);
		base += list[i].n_ids;
		set->n_triggers += set->list[i].n_triggers;
	}
	set->count = count;
	set->filters = arena_array(&set->arena, count, sizeof(*set->filters));
	if (base > 0 && patterns_compile(set->patterns, &why) < 0)
		fatalx(EX_REFUSE, "packages: %s", buf_cstr(&why));
	if (base == 0)
		patterns_free(&set->patterns);
	else
		set->wanted = arena_array(&set->arena,
		    patterns_id_words(set->patterns), sizeof(*set->wanted));
	buf_release(&why);
}

struct packages *
packages_parse(const struct package_source *sources, size_t count)
{
	struct packages *set = xcalloc(1, sizeof(*set));
	struct package_draft *list = xcalloc(count + 1, sizeof(*list));
	size_t n = 0;

	arena_init(&set->arena);
	set->patterns = patterns_new();
	set->refused = arena_array(&set->arena, count + 1,
	    sizeof(*set->refused));
	for (size_t i = 0; i < count; i++)
		n = take_source(set, &sources[i], list, n);
	/* Whatever folder they came from: their order numbers artifacts. */
	qsort(list, n, sizeof(*list), by_name);
	join(set, list, n);
	free(list);
	return set;
}

void
packages_close(struct packages **packages)
{
	struct packages *set = *packages;

	if (set == NULL)
		return;
	for (size_t i = 0; i < set->count; i++)
		coprocess_close(&set->filters[i]);
	if (set->patterns != NULL)
		patterns_free(&set->patterns);
	arena_release(&set->arena);
	free(set);
	*packages = NULL;
}

/* ---- folders ---- */

struct folder {
	struct package_source *sources;
	struct buf *texts;
	char **names;
	size_t count, room;
};

static void
add_file(struct folder *f, const char *dir, const char *name, bool shipped)
{
	char *path = xasprintf("%s/%s", dir, name);
	struct buf text;

	buf_init(&text, FILE_MAX);
	if (buf_read_file(&text, path) == -1) {
		int wrong = errno;

		/* One line that nothing can be made of says it for the list. */
		buf_clear(&text);
		text.over = false;
		buf_addf(&text, "cannot be read: %s", strerror(wrong));
	}
	if (f->count == f->room) {
		f->room = f->room == 0 ? 16 : f->room * 2;
		f->sources = xrealloc(f->sources, f->room *
		    sizeof(*f->sources));
		f->texts = xrealloc(f->texts, f->room * sizeof(*f->texts));
		f->names = xrealloc(f->names, f->room * sizeof(*f->names));
	}
	f->texts[f->count] = text;
	f->names[f->count] = path;
	f->sources[f->count++] = (struct package_source){ slice_str(path),
		buf_slice(&text), shipped };
}

static int
is_package_file(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), suffix = sizeof(SUFFIX) - 1;

	return len > suffix && entry->d_name[0] != '.' &&
	    strcmp(entry->d_name + len - suffix, SUFFIX) == 0;
}

static int
by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void
add_folder(struct folder *f, const char *dir, bool shipped)
{
	struct dirent **list = NULL;
	int count = scandir(dir, &list, is_package_file, by_bytes);

	if (count == -1 && errno != ENOENT)
		log_warn("%s", dir);
	if (count > FILES_MAX)
		log_warnx("%s: only the first %d packages are read", dir,
		    FILES_MAX);
	for (int i = 0; i < count; i++) {
		if (i < FILES_MAX)
			add_file(f, dir, list[i]->d_name, shipped);
		free(list[i]);
	}
	free(list);
}

static void
folder_release(struct folder *f)
{
	for (size_t i = 0; i < f->count; i++) {
		buf_release(&f->texts[i]);
		free(f->names[i]);
	}
	free(f->texts);
	free(f->names);
	free(f->sources);
}

struct packages *
packages_open(const struct conf *conf, struct buf *why)
{
	char *shipped = conf_data_path(conf, "effort" SUFFIX);
	char *own = conf_path(conf, "packages");
	struct folder folder = { 0 };
	struct packages *set;

	if (shipped != NULL) {
		*strrchr(shipped, '/') = '\0';
		add_folder(&folder, shipped, true);
	}
	add_folder(&folder, own, false);
	set = packages_parse(folder.sources, folder.count);
	if (set->count == 0) {
		if (buf_addf(why, "no packages in %s and %s; see data_dir",
		    shipped != NULL ? shipped : "the shipped data", own) < 0)
			why->over = true;
		packages_close(&set);
	}
	folder_release(&folder);
	free(shipped);
	free(own);
	return set;
}

void
packages_report(const struct packages *set)
{
	for (size_t i = 0; i < set->n_refused; i++)
		log_warnx("package refused: %.*s",
		    SLICE_ARG(set->refused[i].why));
}

bool
packages_more(const struct packages *set)
{
	return set->more;
}

size_t
packages_count(const struct packages *set)
{
	return set->count;
}

const struct package *
packages_at(const struct packages *set, size_t i)
{
	return i < set->count ? &set->list[i] : NULL;
}

const struct package *
packages_find(const struct packages *set, struct slice type)
{
	for (size_t i = 0; i < set->count; i++)
		if (slice_eq(set->list[i].name, type))
			return &set->list[i];
	return NULL;
}

size_t
packages_refused(const struct packages *set)
{
	return set->n_refused;
}

const struct package_refused *
packages_refused_at(const struct packages *set, size_t i)
{
	return i < set->n_refused ? &set->refused[i] : NULL;
}
