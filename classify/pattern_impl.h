/*
 * pattern_impl - what the files of pattern share; nobody else includes this
 *
 *	pattern_words.c   words, their spellings, sets of words
 *	pattern_parse.c   a pattern's text to the nodes of an automaton
 *	pattern.c         compiling
 *	pattern_needs.c   what a text must have to be looked at
 *	pattern_match.c   reading texts and matching them
 */
#ifndef CLASSIFY_PATTERN_IMPL_H
#define CLASSIFY_PATTERN_IMPL_H

#include <stdint.h>

#include "classify/automaton.h"
#include "classify/pattern.h"

enum word_kind {
	W_word, W_prefix, W_other, W_number,	/* these four are words */
	W_question, W_bang, W_stop, W_comma, W_end,
};

enum {				/* fixed places in the list of words */
	AT_other, AT_number, AT_question, AT_bang, AT_stop, AT_comma, AT_end,
};

struct word {
	struct slice text;
	enum word_kind kind;
	uint32_t hash;
	bool english, foreign, neither;
	int8_t leaning;
	bool only_leans;	/* and is in no pattern and no other list */
	uint32_t set;		/* the set of just this word, or SET_NONE */
};

enum { SET_NONE = UINT32_MAX };

struct set {
	uint32_t *words;
	size_t count, room;
	bool inverse;		/* every word but these */
	bool numbers;		/* and every word that begins with a digit */
};

struct named {
	struct slice name;
	struct slice body;	/* of a macro, written out */
	uint32_t set;		/* of a class */
};

/*
 * All patterns of one id: an automaton of their own, over symbols of their own.
 * One automaton for everything would need a state for every combination of
 * things under way, and every text would bring new ones.
 */
struct group {
	struct node *nodes;
	size_t node_count, node_room;
	uint32_t *rows;		/* by row of has[]: the set */
	size_t row_count, row_room;
	uint32_t *starts[2];	/* floating, anchored */
	size_t start_count[2], start_room[2];
	uint64_t *has;
	size_t symbols;
};

/* Where a group is in the text at hand; all that a step looks at is here. */
struct walk {
	struct automaton automaton;
	uint16_t place;		/* PLACE_IDLE: nothing is under way */
};

struct patterns {
	struct arena arena;
	struct word *words;
	size_t word_count, word_room;
	struct word_slot {
		uint32_t hash;
		uint32_t word;	/* its number + 1; 0: none */
	} *table;
	size_t table_mask;
	struct set *sets;
	size_t set_count, set_room;
	struct named *classes, *macros;
	size_t class_count, class_room, macro_count, macro_room;
	struct slice *apart;
	size_t apart_count, apart_room;
	struct group *groups;	/* by id */
	size_t group_count, group_room;
	struct group *group;	/* the one being added to */
	uint32_t any_word, any_number, comma, stops, end;	/* sets */
	uint32_t question, bang, stop;
	bool prefix_first[256];	/* there are prefixes that begin so */
	bool leaning;		/* a list of words that lean is being read */
	bool compiled;
	uint16_t *symbols;	/* by word, then by group */
	size_t id_words;	/* of a set of groups, as bits */
	/* By word: groups that it begins as a text's first; wakes anywhere. */
	uint64_t *begins, *wakes;
	/* By word: groups that need it or another; and those that need none. */
	uint64_t *needs, *always;
	uint64_t *all;		/* every group */
	/* The match at work. */
	uint32_t *said;		/* the text's words */
	size_t said_room;
	struct walk *walks;	/* by group */
	uint64_t *found;
	unsigned *hits;
};

/* Room for one more of `count` items. */
void *pattern_grow(void *items, size_t count, size_t *room, size_t size);
/* "what: 'about'" into why; -1. */
int pattern_fail(struct buf *why, const char *what, struct slice about);

void pattern_table_grow(struct patterns *p);
/* UINT32_MAX: there is no such word. */
uint32_t pattern_word_find(const struct patterns *p, enum word_kind kind,
    struct slice text, uint32_t hash);
uint32_t pattern_word_add(struct patterns *p, enum word_kind kind,
    struct slice text);
uint32_t pattern_set_new(struct patterns *p);
void pattern_set_add(struct patterns *p, uint32_t set, uint32_t word);
uint32_t pattern_set_of_word(struct patterns *p, uint32_t word);
/* Fills needs and always, when all else is compiled. */
void pattern_needs_fill(struct patterns *p);
/* "word", "word~" or "word*" into a set. */
int pattern_set_write(struct patterns *p, uint32_t set, struct slice written,
    enum pattern_lang lang, struct buf *why);

#endif
