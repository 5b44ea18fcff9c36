/*
 * package - artifact types as files: what sets one off, what it holds
 *
 * A package is one readable file NAME.package: lines of a key word and what it
 * governs, '#' begins a comment.  See classify/pattern.h for patterns.
 *
 *	package NAME		the type of the artifacts it makes
 *	version N
 *	about TEXT		one line for people
 *	life effort		made when an effort ends, of that effort's turns
 *	life answer		made when a question has been answered: the
 *				question is its opening, the answer resolves it
 *	life turn		made at once, of the turn that sets it off
 *	confidence N		thousandths: less sure than this makes nothing
 *	class %NAME = a | b~	a class of words, this file's own
 *	macro @NAME = PATTERN	a piece of pattern, likewise
 *	opens [NAME]		a trigger that begins one; several: any of them
 *	concludes [NAME]	a trigger that ends one; none: as efforts end
 *	  acts A B		the turn's act is one of these
 *	  flags F -G		it has F and has not G: see classify/acts.def
 *	  role user		who speaks; none: user
 *	  dated WHEN		it names a time: past, future or any; or begun,
 *				the day or the morning of which it is said
 *	  match PATTERN		a sentence matches; several lines: any of them
 *	  unless PATTERN	no sentence may match
 *	  confidence N		how sure it is then; the surest trigger counts
 *	  yes TEXT		must match, tried when the file is read
 *	  no TEXT		must not match, tried too
 *	field NAME TYPE [required]	text, list, number, time or turns
 *	  from PLACES		of which turns: opening, work, attempts,
 *				resolving, or all; with user or assistant only
 *				of theirs
 *	  by WAY		how: see below; several lines: the first that
 *				gives something
 *	  most N		of a list, how many values at most
 *	summary TEXT		with {field} for a field's value; pieces in
 *	resolution TEXT		[ ] are left out where a field in them is empty
 *	subject {field}		equal for artifacts that may disagree
 *	expires {field}		a time after which it is over
 *	filter COMMAND		a program that may word it better: see
 *				compactor/refill.h
 *
 * Ways: goal, resolution, statement, sentence, answer, question, subject,
 * source, confidence, claims, steps, error, time, turns, entities KIND...,
 * match PATTERN; see PACKAGE_WAYS.
 *
 * What a file asks for and nobody knows refuses the file, with its name, the
 * line and the reason; the other packages work without it.  A file of the home
 * replaces the shipped one of the same name; an empty one takes it away.
 */
#ifndef COMPACTOR_PACKAGE_H
#define COMPACTOR_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classify/acts.h"
#include "common/buf.h"
#include "common/conf.h"

enum package_life { LIFE_effort, LIFE_answer, LIFE_turn };

/* Where a turn stands in what becomes the artifact. */
enum package_place {
	PLACE_opening = 1 << 0,
	PLACE_work = 1 << 1,		/* in between */
	PLACE_attempt = 1 << 2,		/* something was tried */
	PLACE_resolving = 1 << 3,
	PLACE_all = (1 << 4) - 1,
};

enum package_role { ROLE_user = 1, ROLE_assistant = 2, ROLE_any = 3 };
enum package_dated { DATED_not, DATED_any, DATED_past, DATED_future,
	DATED_begun };

enum { MATCH_NONE = -1 };

struct package_trigger {
	struct slice name;
	unsigned line;
	bool concludes;		/* else it opens */
	unsigned acts;		/* a bit for each act; 0: any */
	unsigned flags, bars;	/* enum act_flag */
	enum package_role role;
	enum package_dated dated;
	unsigned confidence;
	int match, unless;	/* pattern ids, or MATCH_NONE */
};

enum package_type { TYPE_of_text, TYPE_of_list, TYPE_of_number, TYPE_of_time,
	TYPE_of_turns };

/*    name        what it gives */
#define PACKAGE_WAYS(WAY)                                                    \
	WAY(goal,       "what is to be reached, in the speaker's words")     \
	WAY(resolution, "the sentence that resolves")                        \
	WAY(statement,  "the sentence that says most")                       \
	WAY(sentence,   "the sentence that set the trigger off")             \
	WAY(answer,     "the statement, behind its question if it is short") \
	WAY(question,   "the question that is asked")                        \
	WAY(subject,    "what the question or the statement is about")       \
	WAY(source,     "who says it, or what the turn refers to")           \
	WAY(confidence, "how sure it is, from 0 to 1")                       \
	WAY(claims,     "each of its statements")                            \
	WAY(steps,      "the items of a list")                               \
	WAY(error,      "the error that is named or pasted")                 \
	WAY(time,       "the first time it names")                           \
	WAY(turns,      "the turn's number")                                 \
	WAY(entities,   "what it names, of the kinds given")                 \
	WAY(match,      "each sentence that matches the pattern")

enum package_way {
#define WAY(name, what) WAY_##name,
	PACKAGE_WAYS(WAY)
#undef WAY
	WAY_COUNT
};

struct package_by {
	enum package_way way;
	unsigned kinds;		/* entities: a bit for each enum entity_kind */
	int match;
};

struct package_field {
	struct slice name;
	unsigned line;
	enum package_type type;
	bool required;
	unsigned places;	/* enum package_place */
	enum package_role role;
	struct package_by *by;
	size_t n_by;
	size_t most;
};

/* All of it lives as long as the packages are open. */
struct package {
	struct slice name, version, about, file;
	bool shipped;		/* not the home's own */
	bool built_in;		/* its type is one that skein itself makes */
	enum package_life life;
	unsigned confidence;
	struct package_trigger *triggers;
	size_t n_triggers;
	struct package_field *fields;
	size_t n_fields;
	struct slice summary, resolution, subject, expires;	/* templates */
	struct slice filter;
};

/* A file that is not a package, and why. */
struct package_refused {
	struct slice name;	/* as the file's name has it */
	struct slice why;	/* "file:line: reason" */
};

struct packages;

/*
 * Reads the shipped packages and HOME/packages.  Refused ones are kept for
 * those who ask.  NULL with the reason: there are none at all.
 */
struct packages *packages_open(const struct conf *conf, struct buf *why);
/* Logs those that were refused: at the start of the stage. */
void packages_report(const struct packages *packages);
void packages_close(struct packages **packages);

struct package_source {
	struct slice name;	/* the file's, for messages */
	struct slice text;
	bool shipped;
};
/* The same of texts; a later one of the same name replaces. */
struct packages *packages_parse(const struct package_source *sources,
    size_t count);

size_t packages_count(const struct packages *packages);
/* Is there one of a type that the compactor itself does not make? */
bool packages_more(const struct packages *packages);
const struct package *packages_at(const struct packages *packages, size_t i);
/* NULL: there is none of that type. */
const struct package *packages_find(const struct packages *packages,
    struct slice type);
size_t packages_refused(const struct packages *packages);
const struct package_refused *packages_refused_at(
    const struct packages *packages, size_t i);

const struct package_field *package_field(const struct package *p,
    struct slice name);
const char *package_life_name(enum package_life life);
const char *package_type_name(enum package_type type);
const char *package_way_name(enum package_way way);
/* Types whose life cycle the compactor itself keeps. */
bool package_is_built_in(struct slice type);

#endif
