/*
 * effort_how_marks - what is seen of a sentence that may tell how it ended
 *
 * Each mark says one thing, whatever the others say; what they are worth
 * together is learnt (effort_rank.h).
 */
#include "compactor/effort_how_impl.h"
#include "compactor/summary.h"

enum {
	LABEL_BYTES = 30,	/* "What I changed: ..." */
	LONG_WORDS_BYTES = 120,	/* some eighteen words */
	CROWD = 6,		/* sentences: more is a long turn */
};

static bool
bit(uint64_t bits, size_t i)
{
	return (bits >> i & 1) != 0;
}

/* ---- what speaks against it ---- */

static bool
is_plan(const struct told *k)
{
	PHRASE_LIST(let_me, "let me");
	PHRASE_LIST(let_know, "let me know");
	PHRASE_LIST(plans, "i'll", "we'll", "i will", "we will", "i'm going",
	    "i'm gonna", "i am going", "let's", "next steps", "next step",
	    "looking", "checking", "gimme", "give me", "one moment", "a moment",
	    "working on it", "should be ok", "should be fine", "should be back",
	    "should be fixed", "should be over", "should be good",
	    "should be up", "is on it", "i suggest", "i propose", "i see");

	/* "I deployed it, let me roll back" */
	return words_begin(k->w, k->first + 4, &plans) ||
	    (words_have(k->w, &let_me) && !words_have(k->w, &let_know));
}

/* "You want a table for two": what is asked for, said once more. */
static bool
is_recap(const struct told *k)
{
	return k->other && (k->confirms || words_recap(k->w));
}

/* Of tests, where it is not tests that are wanted. */
static bool
is_proof(const struct told *k, const struct msg_a_work *w)
{
	WORD_LIST(tests, "tests", "test", "suite", "suites", "coverage",
	    "linter", "lint", "typecheck", "pytest", "checks", "verified");
	size_t i, end = k->first + 5;
	bool tells = false;

	/* "I replaced it, and all tests pass" tells of it only then. */
	for (i = k->first; i < k->w->count && i < end && !tells; i++)
		tells = words_one_of(k->w, i, &tests);
	for (i = 0; i < w->keywords.count && tells; i++)
		tells = !word_one_of(w->keywords.at[i], &tests);
	return tells;
}

/* "## Changes", "**Root cause.**": markup that classify has left out. */
static bool
is_titled(const struct told *k)
{
	const char *text = k->t->text.ptr;
	size_t at = k->s.at, end = k->s.at + k->s.len;
	bool marked = false;

	while (at < end && strchr("#* \t_", text[at]) != NULL)
		at++;
	for (; at > 0 && text[at - 1] != '\n'; at--) {
		if (strchr("#* \t_", text[at - 1]) == NULL)
			return false;
		marked = marked || text[at - 1] == '#' ||
		    (text[at - 1] == '*' && at > 1 && text[at - 2] == '*');
	}
	if (!marked)
		return false;
	if (text[end - 1] == '*')
		return true;
	while (end < k->t->text.len && strchr(".: ", text[end]) != NULL)
		end++;
	return end >= k->t->text.len || text[end] == '\n' ||
	    text[end] == '*' || text[end] == '_';
}

/* Of a table. */
static bool
is_row(const struct told *k)
{
	const char *text = k->t->text.ptr;
	size_t at = k->s.at;

	while (at > 0 && text[at - 1] == ' ')
		at--;
	return k->text.ptr[0] == '|' || (at > 0 && text[at - 1] == '|');
}

static bool
is_heading(const struct told *k)
{
	struct slice text = k->text;

	while (text.len > 0 && strchr(" \t*_`", text.ptr[text.len - 1]) != NULL)
		text.len--;
	return text.len == 0 || text.ptr[text.len - 1] == ':' ||
	    text.ptr[0] == '#' || is_titled(k);
}

static bool
is_beside(const struct told *k)
{
	PHRASE_LIST(asides, "one thing", "note that", "to note", "as before",
	    "unchanged", "untouched", "the rest", "the others", "other errors",
	    "by the way", "btw", "still", "reverted my", "cleaned up",
	    "follow-up", "up to you", "once you", "unless", "follow up",
	    "the next deploy");

	return words_have(k->w, &asides);
}

static bool
is_denied(const struct told *k)
{
	WORD_LIST(nots, "no", "not", "doesn't", "don't", "didn't", "isn't",
	    "wasn't", "won't", "can't", "cannot", "never", "nothing");

	return words_say(k->w, &nots);
}

static bool
leaves_choice(const struct told *k)
{
	WORD_LIST(options, "either", "options", "ways", "or");

	return words_say(k->w, &options);
}

/* "Done.", "finished": of one that does it for him it has to be more. */
static bool
is_empty(const struct told *k)
{
	if (memchr(k->text.ptr, '`', k->text.len) != NULL)
		return false;
	return k->content == 0 ||
	    (k->ends && k->content < 2 && k->w->count < 4) ||
	    (slice_is(k->t->role, "assistant") && k->w->count < 3);
}

static bool
is_unsure(const struct told *k)
{
	PHRASE_LIST(perhaps, "maybe", "perhaps", "probably", "usually",
	    "typically", "mostly", "likely", "might", "may", "could", "i think",
	    "i guess", "i suppose", "possible", "possibly", "often",
	    "most likely");

	return words_have(k->w, &perhaps);
}

static bool
is_conditional(const struct told *k)
{
	PHRASE_LIST(ifs, "if", "unless", "when", "otherwise", "in case");

	return words_begin(k->w, k->first + 1, &ifs);
}

/* ---- headings ---- */

/* By the words of a heading or of a label, the first of its sentence. */
static enum told_part
part_of(const struct words *w, size_t n)
{
	WORD_LIST(fix, "fix", "fixes", "fixed", "change", "changes", "changed",
	    "did", "solution", "done", "new", "summary", "overview",
	    "implementation", "implemented", "resolution", "answer", "how",
	    "work", "added", "updates", "result", "deployed", "released",
	    "finished");
	WORD_LIST(cause, "cause", "reason", "why", "finding", "findings",
	    "found", "problem", "issue", "diagnosis", "analysis", "background",
	    "before", "wrong", "happened", "symptom", "context");
	WORD_LIST(rest, "test", "tests", "testing", "tested", "verification",
	    "verified", "checks", "checked", "next", "open", "note", "notes",
	    "didn't", "follow-up", "follow-ups", "remaining", "not", "side",
	    "caveats", "todo", "plan", "numbers", "usage", "see", "kept",
	    "left", "risks", "later", "benchmarks", "options", "questions",
	    "steps");

	if (words_say_within(w, n, &rest))
		return PART_rest;
	if (words_say_within(w, n, &cause))
		return PART_cause;
	return words_say_within(w, n, &fix) ? PART_fix : PART_none;
}

/* How many words are before a colon near its beginning; 0: it has no label. */
static size_t
label_words(const struct told *k)
{
	const char *colon = memmem(k->text.ptr,
	    k->text.len < LABEL_BYTES ? k->text.len : LABEL_BYTES, ": ", 2);
	size_t i = 0;

	while (colon != NULL && i < k->w->count && k->w->at[i].ptr < colon)
		i++;
	return i;
}

/* ---- reading ---- */

/* What the sentence read last is to those behind it. */
static void
pass_by(struct told *k)
{
	bool item = told_item(k);

	if (is_heading(k)) {
		k->part = part_of(k->w, k->w->count);
		k->titled = is_titled(k);
	} else if (!k->titled && !item)
		k->part = PART_none;	/* "Here is what changed:" is over */
	k->item_before = item;
}

void
told_read(struct told *k, size_t i)
{
	if (i > 0)
		pass_by(k);
	else {
		k->part = PART_none;
		k->titled = false;
		k->item_before = false;
	}
	k->i = i;
	k->s = turn_sentence(k->t, i);
	k->text = sentence_text(k->t, &k->s);
	k->w = sentence_words(k->t, i, k->room);
	k->first = told_lead(k->w);
	k->content = sentence_content(k->t, i);
}

size_t
told_count(const struct told *k)
{
	size_t n = sentence_count(k->t);

	return n < TOLD_MOST ? n : TOLD_MOST;
}

/* What a sentence is worth depends on what those behind it do. */
static void
survey(struct told *k)
{
	size_t i, n = told_count(k);

	for (i = 0; i < n; i++) {
		told_read(k, i);
		k->deeds |= (uint64_t)told_deed(k) << i;
		k->bids |= (uint64_t)(k->other && told_to_do(k)) << i;
		k->causes |= (uint64_t)told_cause(k) << i;
	}
}

void
told_on_way(struct told *k, const struct effort_state *s,
    const struct msg_a_work *w, const struct compact_turn *t,
    struct words *room)
{
	*k = (struct told){ .t = t, .room = room,
		.other = effort_is_other(w, t),
		.reports = effort_is_report(t),
		.confirms = effort_asks_to_confirm(t),
		.answers = s->thread.n_last > 0 &&
		    slice_is(s->thread.last[0].act, "question") };
	survey(k);
}

void
told_at_end(struct told *k, const struct msg_a_work *w,
    const struct compact_turn *t, const struct how_end *end,
    struct words *room)
{
	*k = (struct told){ .t = t, .room = room,
		.other = effort_is_other(w, t), .ends = true,
		.choosing = end != NULL && end->choosing };
	survey(k);
}

/* ---- marks ---- */

bool
told_may(const struct told *k)
{
	if (k->w->count == 0 && k->content == 0)
		return false;
	if (slice_is(k->s.act, "greeting") && k->content == 0)
		return false;
	if (is_titled(k) || is_row(k))
		return false;
	/* "Your seat is booked, anything else?" */
	if (told_asked(k))
		return k->other && (told_hint(k) ||
		    (told_offer(k) && words_done(k->w)));
	return k->other || k->ends || bit(k->deeds | k->causes, k->i) ||
	    told_what_did_it(k);
}

static void
mark_place(const struct told *k, struct how_marks *m)
{
	size_t n = sentence_count(k->t);
	size_t label = label_words(k);
	enum told_part part = label > 0 ? part_of(k->w, label) : PART_none;
	bool item = told_item(k);
	const struct compact_turn *t = k->t;

	if (part == PART_none)
		part = k->part;
	m->of[MARK_ends] = !k->other && k->ends;
	m->of[MARK_way] = !k->other && !k->ends;
	m->of[MARK_person] = k->other && slice_is(t->role, "user");
	m->of[MARK_tool] = k->other && k->reports;
	m->of[MARK_answer] = k->other && k->answers;
	m->of[MARK_confirm] = k->other && k->confirms;
	m->of[MARK_alone] = k->other && n == 1;
	m->of[MARK_first] = k->other && n > 1 && k->i == 0;
	m->of[MARK_last] = k->other && n > 1 && k->i == n - 1;
	m->of[MARK_place] = at_most(k->i / 2, 4);
	m->of[MARK_crowd] = n > CROWD && k->i > 0;
	m->of[MARK_item] = item;
	m->of[MARK_top] = item && !k->item_before;
	m->of[MARK_fix] = part == PART_fix;
	m->of[MARK_cause] = part == PART_cause;
	m->of[MARK_rest] = part == PART_rest;
	m->of[MARK_follows] = k->other && k->i > 0 &&
	    bit(k->causes, k->i - 1);
	m->of[MARK_asks] = k->other && t->text.len > 0 &&
	    t->text.ptr[t->text.len - 1] == '?';
	m->of[MARK_colon] = label > 0;
}

static void
mark_kind(const struct told *k, struct how_marks *m)
{
	WORD_LIST(well, "works", "work", "worked", "working", "gone", "runs",
	    "running", "back", "fine", "good", "great", "perfect", "passes",
	    "pass", "green", "stable", "loads", "starts", "up", "again",
	    "clean", "correct", "right", "happy");
	PHRASE_LIST(gives, "here is", "here are", "here's", "this is");
	bool owner = !k->other && k->ends, deed = bit(k->deeds, k->i);
	uint64_t doing = k->deeds | k->bids;
	bool cause = bit(k->causes, k->i), did = told_what_did_it(k);

	m->of[MARK_deed] = k->other && deed;
	m->of[MARK_own_deed] = owner && deed;
	m->of[MARK_way_deed] = !k->other && !k->ends && deed;
	m->of[MARK_was] = k->other && (cause || did);
	m->of[MARK_own_was] = owner && cause;
	m->of[MARK_own_did] = owner && did;
	m->of[MARK_own_past] = owner && !cause && told_past(k);
	m->of[MARK_closes] = owner && k->s.concludes;
	m->of[MARK_well] = owner && words_say(k->w, &well);
	m->of[MARK_choosing] = k->ends && k->choosing;
	m->of[MARK_done] = k->other && deed && sentence_count(k->t) == 1;
	if (!k->other)
		return;
	m->of[MARK_came] = !deed && told_came(k);
	m->of[MARK_gives] = words_begin(k->w, k->first + 1, &gives);
	m->of[MARK_bids] = bit(k->bids, k->i);
	m->of[MARK_explains] = !bit(doing, k->i) && doing >> k->i > 0;
	m->of[MARK_acts] = bit(doing, k->i) && k->i > 0 &&
	    (doing & ((UINT64_C(1) << k->i) - 1)) == 0;
	m->of[MARK_look] = told_to_look(k);
	m->of[MARK_hint] = told_asked(k) && told_hint(k);
}

static bool
has_code(struct slice text)
{
	size_t i;

	for (i = 0; i + 1 < text.len; i++)
		if (text.ptr[i] == '`' || text.ptr[i] == '_' ||
		    text.ptr[i] == '=' || (text.ptr[i] == '/' &&
			text.ptr[i + 1] != ' '))
			return true;
	return false;
}

/* "takes 41 s", "9 of 10" */
static bool
has_figure(struct slice text)
{
	enum { UNIT_BYTES = 7 };	/* of the longest */
	WORD_LIST(units, "%", "s", "ms", "min", "h", "kb", "mb", "gb",
	    "seconds", "minutes", "hours", "times", "of", "percent", "px");
	size_t i, n;

	for (i = 1; i < text.len; i++) {
		if (text.ptr[i - 1] < '0' || text.ptr[i - 1] > '9')
			continue;
		if (text.ptr[i] == ' ')
			i++;
		/* A number may have a million digits. */
		for (n = i; n < text.len && n <= i + UNIT_BYTES &&
		     strchr(" .,;:)!", text.ptr[n]) == NULL; n++)
			;
		if (n > i && word_one_of(slice_of(text.ptr + i, n - i), &units))
			return true;
	}
	return false;
}

static void
mark_words(const struct told *k, struct how_marks *m)
{
	WORD_LIST(doers, "i", "i've", "we", "we've");
	WORD_LIST(nows, "now");
	WORD_LIST(thens, "then", "so");

	m->of[MARK_content] = at_most(k->content, 4);
	m->of[MARK_end_content] = k->ends ? at_most(k->content, 4) : 0;
	m->of[MARK_brief] = k->w->count <= 3;
	m->of[MARK_long] = k->text.len > LONG_WORDS_BYTES;
	m->of[MARK_doer] = k->first < k->w->count &&
	    words_one_of(k->w, k->first, &doers);
	m->of[MARK_now] = words_say(k->w, &nows);
	m->of[MARK_then] = k->w->count > 0 && words_one_of(k->w, 0, &thens);
	m->of[MARK_code] = has_code(k->text);
	m->of[MARK_figure] = has_figure(k->text);
}

static void
mark_against(const struct told *k, const struct msg_a_work *w,
    struct how_marks *m)
{
	WORD_LIST(wills, "will", "i'll", "he'll", "she'll", "they'll", "we'll",
	    "it'll", "you'll", "shall");
	bool heading = is_heading(k);

	m->of[MARK_empty] = is_empty(k);
	m->of[MARK_offer] = told_offer(k);
	m->of[MARK_plan] = is_plan(k);
	m->of[MARK_recap] = is_recap(k);
	m->of[MARK_proof] = is_proof(k, w);
	m->of[MARK_heading] = heading;
	m->of[MARK_leads] = heading && bit(k->deeds | k->bids, k->i);
	m->of[MARK_aside] = is_beside(k);
	m->of[MARK_denied] = k->other && is_denied(k);
	m->of[MARK_options] = leaves_choice(k);
	m->of[MARK_perhaps] = is_unsure(k);
	m->of[MARK_if_so] = is_conditional(k);
	m->of[MARK_will] = words_say(k->w, &wills);
}

void
told_marks(const struct told *k, const struct msg_a_work *w,
    struct how_marks *m)
{
	*m = (struct how_marks){ { 0 } };
	mark_place(k, m);
	mark_kind(k, m);
	mark_words(k, m);
	mark_against(k, w, m);
}
