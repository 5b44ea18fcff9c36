/*
 * package_impl - what the files of package share; nobody else includes this
 *
 *	package.c        folders, the set of packages
 *	package_read.c   one file to a package
 *	package_field.c  its fields
 *	package_check.c  what only a whole file shows: templates, examples
 *	trigger.c        all triggers of all packages in one pass
 */
#ifndef COMPACTOR_PACKAGE_IMPL_H
#define COMPACTOR_PACKAGE_IMPL_H

#include "classify/pattern.h"
#include "common/coprocess.h"
#include "compactor/package.h"

/* A pattern as a file has it, until all are compiled together. */
struct package_pattern {
	struct slice text;
	unsigned line;
	int id;			/* within the file */
};

enum definition_kind { DEFINE_class, DEFINE_macro };

struct package_definition {
	enum definition_kind kind;
	struct slice name, body;
	unsigned line;
};

struct package_example {
	struct slice text;
	unsigned line;
	size_t trigger;
	bool yes;
};

/* A package with what is needed to compile it. */
struct package_draft {
	struct package package;
	struct slice text;	/* of the file */
	struct package_pattern *patterns;
	size_t n_patterns;
	struct package_definition *definitions;
	size_t n_definitions;
	struct package_example *examples;
	size_t n_examples;
	int n_ids;
	bool empty;		/* no line but comments: it takes one away */
};

struct packages {
	struct arena arena;
	struct package *list;
	size_t count;
	bool more;			/* some are not built in */
	struct package_refused *refused;
	size_t n_refused;
	size_t n_triggers;		/* of all packages */
	struct patterns *patterns;	/* NULL: no package has any */
	uint64_t *wanted;		/* ids of patterns, for who looks */
	struct trigger_plan *plans;	/* trigger.c's own; NULL: none yet */
	struct coprocess **filters;	/* by package; NULL: not asked yet */
};

/* ---- reading a file, line by line ---- */

/* What indented lines belong to. */
enum inside { INSIDE_none, INSIDE_trigger, INSIDE_field };

struct reader {
	struct arena *arena;
	struct package_draft *out;
	struct slice file;
	unsigned line;
	enum inside inside;
	struct buf *why;
	bool named;
};

#define REFUSE(r, ...) package_refuse((r)->file, (r)->line, (r)->why, \
    __VA_ARGS__)

/* Takes the first word off a line. */
struct slice reader_take(struct slice *rest);
bool reader_is_name(struct slice s);
/* An array of the arena, with one more zeroed item at its end. */
void *reader_grow(struct reader *r, void *items, size_t *count, size_t size);
/* Each returns 0, or -1 after REFUSE. */
int reader_number(struct reader *r, struct slice text, unsigned least,
    unsigned most, unsigned *out);
/* A pattern of the id, which is given out with its first. */
int reader_pattern(struct reader *r, struct slice text, int *id);
int reader_role(struct reader *r, struct slice word, enum package_role *out);
/* "field ..." and the lines under it. */
int reader_field(struct reader *r, struct slice rest);
int reader_of_field(struct reader *r, struct slice key, struct slice rest);

/* ---- the whole ---- */

/* All in the arena; 0, or -1 with "file:line: reason". */
int package_read(struct arena *arena, const struct package_source *source,
    struct package_draft *out, struct buf *why);
int package_check(struct arena *arena, const struct package_draft *draft,
    struct buf *why);
/*
 * Adds a file's patterns to a set; ids begin at `base`.  Names of classes and
 * macros are the file's own: `suffix` tells them from those of other files.
 */
int package_compile(struct arena *arena, const struct package_draft *draft,
    struct patterns *set, int base, size_t suffix, struct buf *why);
/* "file:line: reason" into why; -1. */
int package_refuse(struct slice file, unsigned line, struct buf *why,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
