/*
 * keywords - the words of a statement, and which of them tell its topic
 *
 * A lexicon (stop words, and how rare each stem is) turns a statement into
 * terms: its tokens, folded, stemmed and weighed.  Keywords are the heaviest
 * of them.  English is stemmed; other scripts go by Unicode rules alone, and
 * scripts without spaces give pairs of characters
 * (Katakana whole words).
 */
#ifndef CLASSIFY_KEYWORDS_H
#define CLASSIFY_KEYWORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "classify/sentence.h"
#include "classify/sift.h"
#include "common/buf.h"
#include "common/text.h"

enum {
	KEYWORDS_MAX = 24,	/* a claim's heaviest; the lighter are left out */
	KEYWORD_BYTES = 128,	/* longer tokens count by their parts only */
	TERMS_MAX = 1024,	/* of one statement; words behind are not read */
};

struct lexicon;

/*
 * What a word can be besides its class, so that one look into the lexicon
 * tells all.  Each role is given out by the file that uses it.
 */
enum term_role {
	ROLE_DATE = 1 << 0,		/* may begin a date */
	ROLE_DATE_WEAK = 1 << 1,	/* the same, if a date word follows */
	ROLE_DATE_PART = 1 << 2,	/* may stand inside one */
	ROLE_PAST = 1 << 3,		/* tells that a statement is in the past */
	ROLE_FUTURE = 1 << 4,		/* … in the future */
	ROLE_FIRST_NAME = 1 << 5,
	ROLE_PLACE = 1 << 6,
	ROLE_PRODUCT = 1 << 7,
	ROLE_CAPITAL = 1 << 8,		/* a name only with a capital */
	ROLE_TITLE = 1 << 9,		/* a person's name follows */
	ROLE_PERSON_CUE = 1 << 10,	/* the same, less surely */
	ROLE_SPEECH = 1 << 11,		/* what persons do */
	ROLE_PLACE_CUE = 1 << 12,	/* a place follows */
	ROLE_GOING = 1 << 13,		/* a place follows the "to" after it */
	ROLE_NAME_LINK = 1 << 14,	/* stands inside names: of, von, de */
	ROLE_GERMAN = 1 << 15,
	ROLE_TIE = 1 << 16,		/* joins the parts of a subject */
	ROLE_DATE_CUE = 1 << 17,	/* a date may follow */
	ROLE_DATE_TAIL = 1 << 18,	/* makes a date of the number before it */
	ROLE_ERROR_CUE = 1 << 19,	/* makes an error of a number beside it */
};

/* Reads idf.tsv and stopwords.txt in dir.  -1, logged, if they are broken. */
int lexicon_open(struct lexicon **out, const char *dir)
    __attribute__((warn_unused_result));
void lexicon_close(struct lexicon **l);
/* Gives a role to words, folded, with one space between; they must last. */
void lexicon_add_role(struct lexicon *l, unsigned role, const char *words);

enum term_class {
	TERM_CONTENT,
	TERM_LIGHT,		/* a keyword of half the weight, no subject */
	TERM_VAGUE,		/* the same, but may end a subject */
	TERM_STOP,		/* stop words and punctuation */
};

struct term {
	size_t at;		/* into the text of the turn */
	size_t len;
	enum text_kind kind;
	enum term_class class;
	struct slice text;	/* borrowed from the turn */
	struct slice folded;
	struct slice stem;
	unsigned weight;	/* thousandths; 0 for stop words */
	unsigned roles;		/* enum term_role */
	bool capital;		/* begins with one */
	bool known;		/* the lexicon has seen the stem */
	bool code;		/* stands in backticks */
};

/* The terms of a sentence; quoted passages in it are left out. */
size_t terms_of(struct lexicon *l, struct arena *a, struct slice text,
    const struct sifted *sifted, struct sentence sentence, struct term **out);

struct keyword {
	struct slice stem;
	unsigned weight;	/* thousandths */
};

/* Heaviest first, the earlier first on a tie, no stem twice. */
size_t keywords_of(struct lexicon *l, struct arena *a,
    const struct term *terms, size_t count, struct keyword **out);

#endif
