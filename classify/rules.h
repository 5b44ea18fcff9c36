/*
 * rules - what a sentence does, as a readable file of patterns says
 *
 * A rules file is lines of a key word and what it governs; '#' begins a
 * comment.  See classify/pattern.h for patterns.
 *
 *	english WORDS		words that show a text to be English
 *	foreign WORDS		words that show it to be in another language
 *	shared WORDS		words that show neither
 *	apart WORDS		whose apostrophe counts: we'll is not well
 *	leaning N WORDS		of people who weigh what to do (above zero), who
 *				tell and arrange (below): see `weighed`
 *	class %NAME = a | b~	a class of words
 *	macro @NAME = PATTERN	a piece of pattern
 *	guard NAME		a test that rules can ask for or refuse
 *	  match PATTERN
 *	rule NAME
 *	  act ACT		none: the rule gives only flags
 *	  flags F -G		sets F; bars G, whoever else would set it
 *	  together		it says "we": see `together` below
 *	  alone			it says "I"
 *	  confidence N [room M]	thousandths: how often the rule is right; M of
 *				it where people speak with each other
 *	  priority N		of those that match, the highest gives the act
 *	  language any		also for text that is not English
 *	  when C not-D		on what came before; several lines: any of them
 *	  match PATTERN		several lines: any of them
 *	  unless GUARDS		any of them refuses the rule
 *	  needs GUARDS		all of them must match
 *	  yes TEXT		must match, tried when the file is read
 *	  no TEXT		must not match, tried too
 *	drop NAME		forgets a rule of an earlier file
 *
 * A rule or guard of a later file replaces the one of the same name.  Examples
 * are tried as if their rule's first `when` line were true.
 */
#ifndef CLASSIFY_RULES_H
#define CLASSIFY_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "classify/acts.h"
#include "common/buf.h"

/*    name              what it asks */
#define RULE_CONDITIONS(CONDITION)                                           \
	CONDITION(user,             "a user speaks")                         \
	CONDITION(assistant,        "an assistant speaks")                   \
	CONDITION(chat,             "user and assistant speak, not people")  \
	CONDITION(first,            "nothing was said before")               \
	CONDITION(same_speaker,     "the speaker goes on")                   \
	CONDITION(after_user,       "the turn before is a user's")           \
	CONDITION(after_assistant,  "the turn before is an assistant's")     \
	CONDITION(after_question,   "it was a question")                     \
	CONDITION(after_request,    "it was a request or a proposal")        \
	CONDITION(after_offer,      "it was an offer or a promise")          \
	CONDITION(names_option,     "one of its alternatives is named now")  \
	CONDITION(effort_open,      "an effort is open")                     \
	CONDITION(solution_offered, "something was proposed or done for it") \
	CONDITION(together,         "several people speak, and say we")      \
	CONDITION(weighed,          "they have weighed what to do")

struct pattern_stats;
struct rules;

/* Borrowed from the rules, for as long as they are open. */
struct rule_info {
	struct slice name;
	struct slice file;
	unsigned line;
	bool has_act;
	enum act act;
	unsigned flags;
	unsigned bars;
	unsigned confidence;
	unsigned room_confidence;
	int priority;
	bool any_language;
	bool together;
	bool alone;
	bool by_debate;		/* it asks whether something was weighed */
};

/* Until the next rules_apply. */
struct rules_verdict {
	const struct rule_info *decided;	/* gave the act, or NULL */
	const struct rule_info *flagged[4];	/* gave each flag, or NULL */
	unsigned flags;
	bool english;		/* enough of it to trust English rules */
	bool foreign;		/* rather another language */
	int leaning;		/* of its words; 0 where it is not English */
	bool together;
	bool alone;
	bool room;		/* a user after a user: room_confidence holds */
	unsigned words;
	const struct rule_info *const *fired;	/* all that matched */
	size_t fired_count;
};

struct rules_source {
	struct slice name;	/* for messages */
	struct slice text;
};

/* NULL with "file:line: reason" in `why`. */
struct rules *rules_open(const char *const *paths, size_t count,
    struct buf *why);
struct rules *rules_parse(const struct rules_source *sources, size_t count,
    struct buf *why);
void rules_close(struct rules **rules);

size_t rules_count(const struct rules *rules);

/* The automaton's size and how often its cache was cleared: for benches. */
void rules_stats(const struct rules *rules, struct pattern_stats *out);

/* Not const: the automaton's cache is filled as texts need it. */
void rules_apply(struct rules *rules, struct slice sentence,
    const struct act_context *context, struct rules_verdict *out);

#endif
