/*
 * reply - which earlier message of a room a new one answers
 *
 * The weights (reply_model.c) give each candidate (reply_features.c) a score in
 * log odds; here the scores become a choice, and the choice is put into words.
 */
#include "chainer/reply.h"

#include "chainer/reply_model.h"

/* 65536 e^(-x / 1000): how much less likely x thousandths of log odds are. */
static uint32_t
likelihood(int32_t x)
{
	static const uint32_t table[32] = {	/* 65536 / 2^(i / 32) */
		65536, 64132, 62757, 61413, 60097, 58809, 57549, 56316,
		55109, 53928, 52773, 51642, 50535, 49452, 48393, 47356,
		46341, 45348, 44376, 43425, 42495, 41584, 40693, 39821,
		38968, 38133, 37316, 36516, 35734, 34968, 34219, 33486,
	};
	uint64_t steps = (uint64_t)x * 46166 / 1000000;

	return steps >= 32 * 17 ? 0 : table[steps % 32] >> (steps / 32);
}

/*
 * The candidates of one chain stand for each other: whichever of them is
 * answered, the message goes there.  So their likelihoods are added, and the
 * best candidate of the likeliest chain is the antecedent.
 */
struct conversation {
	uint64_t chain;
	uint32_t mass;
	size_t best;		/* candidate */
};

static size_t
group_by_chain(const struct reply_message *window, const int *index,
    const int32_t *scores, size_t count, struct conversation *all)
{
	size_t known = 0;
	int32_t top = scores[0];

	for (size_t c = 1; c < count; c++)
		if (scores[c] > top)
			top = scores[c];
	for (size_t c = 0; c < count; c++) {
		uint64_t chain = index[c] < 0 ? 0 : window[index[c]].chain;
		size_t g = 0;

		while (g < known && (chain == 0 || all[g].chain != chain))
			g++;
		if (g == known)
			all[known++] = (struct conversation){ chain, 0, c };
		all[g].mass += likelihood(top - scores[c]);
		if (scores[c] > scores[all[g].best])
			all[g].best = c;
	}
	return known;
}

/*
 * A place where only few have ever spoken.  The crowded rooms that the weights
 * know teach nothing about it: there one mostly goes on with one's own.
 */
enum {
	FEW = 3,		/* beside the speaker */
	OPENING_WORDS = 4,	/* that tell something, in a question */
};

/* How many beside the speaker, up to FEW + 1; and whether he was heard. */
static size_t
count_others(const struct reply_message *window, size_t n,
    const struct reply_message *now, bool *spoke)
{
	uint64_t seen[FEW];
	size_t known = 0, k;

	*spoke = false;
	for (size_t i = 0; i < n; i++) {
		if (window[i].speaker == now->speaker) {
			*spoke = true;
			continue;
		}
		for (k = 0; k < known && seen[k] != window[i].speaker; k++)
			continue;
		if (k == FEW)
			return FEW + 1;
		if (k == known)
			seen[known++] = window[i].speaker;
	}
	return known;
}

static bool
share_word(const struct reply_message *a, const struct reply_message *b)
{
	for (int i = 0, k = 0; i < a->word_count && k < b->word_count;) {
		if (a->words[i] == b->words[k])
			return true;
		if (a->words[i] < b->words[k])
			i++;
		else
			k++;
	}
	return false;
}

/* A question that asks enough to stand alone, or a word to somebody else. */
static bool
looks_away(const struct reply_message *last, const struct reply_message *now)
{
	for (size_t i = 0; i < now->mention_count; i++)
		if (now->mentions[i] != last->speaker)
			return true;
	return (now->flags & (REPLY_STRANGER | REPLY_ALL)) != 0 ||
	    ((now->flags & REPLY_QUESTION) &&
	    now->word_count >= OPENING_WORDS &&
	    !share_word(last, now));
}

/*
 * Among few the first word of one more is an answer; and of two, who has just
 * been spoken to answers that.  Later either may begin anew.
 */
static void
answer_few(const struct reply_message *window, size_t n,
    const struct reply_message *now, struct reply_verdict *v)
{
	size_t from = n > REPLY_WINDOW ? n - REPLY_WINDOW : 0, others;
	const struct reply_message *last = &window[n - 1];
	bool spoke;

	if (last->speaker == now->speaker || looks_away(last, now))
		return;
	others = count_others(window + from, n - from, now, &spoke);
	if (v->antecedent < 0 ? spoke || others > FEW : others > 1 ||
	    window[v->antecedent].speaker != now->speaker)
		return;
	v->runner_up = v->antecedent;
	v->antecedent = (int)n - 1;
}

void
reply_turn_away(const struct reply_message *window, size_t n,
    const struct reply_message *now, struct reply_verdict *v)
{
	size_t from = n > REPLY_WINDOW ? n - REPLY_WINDOW : 0;
	bool spoke;

	if (v->antecedent < 0 || !(now->flags & REPLY_STRANGER) ||
	    share_word(&window[v->antecedent], now) ||
	    count_others(window + from, n - from, now, &spoke) > FEW || spoke)
		return;
	v->runner_up = v->antecedent;
	v->antecedent = -1;
}

void
reply_choose(const struct reply_model *model,
    const struct reply_message *window, size_t n,
    const struct reply_message *now, struct reply_verdict *out)
{
	int16_t rows[REPLY_CANDIDATES][REPLY_FEATURES];
	int32_t scores[REPLY_CANDIDATES];
	int index[REPLY_CANDIDATES];
	size_t count = reply_features(window, n, now, rows, index);
	struct conversation all[REPLY_CANDIDATES];
	size_t known, first = 0, second = 0;
	uint64_t sum = 0;

	reply_model_score(model, rows, count, scores);
	known = group_by_chain(window, index, scores, count, all);
	for (size_t g = 0; g < known; g++) {
		sum += all[g].mass;
		if (all[g].mass > all[first].mass)
			first = g;
	}
	for (size_t g = 0; g < known; g++)
		if (g != first && (second == first ||
		    all[g].mass > all[second].mass))
			second = g;
	out->antecedent = index[all[first].best];
	out->runner_up = index[all[second].best];
	out->score = (int)(all[first].mass * UINT64_C(1000) / sum);
	if (n > 0)
		answer_few(window, n, now, out);
}

void
reply_settle(struct reply_message *now, const struct reply_message *window,
    const struct reply_verdict *verdict)
{
	now->answered = verdict->antecedent < 0 ? 0 :
	    window[verdict->antecedent].speaker;
}

/* What can be said of a candidate in words: a feature within two bounds. */
struct fact {
	unsigned feature;
	int16_t least, most;
	const char *words;
};

static const struct fact pair_facts[] = {
	{ REPLY_F_same_speaker, 1, 1, "its speaker goes on" },
	{ REPLY_F_now_to_them, 2, 2, "it addresses that speaker by name" },
	{ REPLY_F_now_to_them, 1, 1, "it names that speaker" },
	{ REPLY_F_they_to_now, 1, 2, "that message names its speaker" },
	{ REPLY_F_same_addressee, 1, 1, "both address the same person" },
	{ REPLY_F_exchange_rank, 1, 20, "the two have just named each other" },
	{ REPLY_F_they_answered_now, 1, 1, "that message answered its speaker" },
	{ REPLY_F_chain_own_last, 1, 1, "its speaker was last in that chain" },
	{ REPLY_F_chain_called, 1, 1, "the one it names speaks in that chain" },
	{ REPLY_F_overlap, 1, INT16_MAX, "they share words" },
	{ REPLY_F_their_question, 1, 1, "that message asks" },
	{ REPLY_F_rank, 1, 1, "it comes right after" },
};

static const struct fact new_facts[] = {
	{ REPLY_F_own_rank, REPLY_FAR, REPLY_FAR,
	    "its speaker has not spoken of late" },
	{ REPLY_F_now_calls, 0, 0, "it names nobody" },
	{ REPLY_F_now_calls, 3, 3, "it addresses one who has not spoken of late" },
	{ REPLY_F_now_greeting, 1, 1, "it greets" },
	{ REPLY_F_now_all, 1, 1, "it speaks to anyone" },
	{ REPLY_F_now_question, 1, 1, "it asks" },
	{ REPLY_F_best_overlap, 0, 0, "no recent message shares a word" },
};

static void
say_facts(const struct fact *facts, size_t count,
    const int16_t row[REPLY_FEATURES], struct buf *out)
{
	const char *before = ": ";

	for (size_t i = 0; i < count; i++) {
		const struct fact *f = &facts[i];

		if (row[f->feature] < f->least || row[f->feature] > f->most)
			continue;
		buf_addf(out, "%s%s", before, f->words);
		before = "; ";
	}
}

enum { WHO, TURNS, TIME, WORDS, KIND, CHAIN, GROUPS };

/*
 * How far the first row is ahead of the second because of one group: the
 * distance is taken again with the group's features blanked out in both.
 */
static int
group_part(const struct reply_model *model, int16_t (*two)[REPLY_FEATURES],
    int group)
{
	static const uint8_t group_of[REPLY_FEATURES] = {
#define FEATURE(name, its_group, value) its_group,
#include "chainer/reply.def"
	};
	static const int16_t neutral[REPLY_FEATURES] = {
#define FEATURE(name, its_group, value) value,
#include "chainer/reply.def"
	};
	int16_t rows[4][REPLY_FEATURES];
	int32_t scores[4];

	memcpy(rows[0], two, 2 * sizeof(rows[0]));
	memcpy(rows[2], two, 2 * sizeof(rows[0]));
	for (unsigned f = 0; f < REPLY_FEATURES; f++)
		if (group_of[f] == group && f != REPLY_F_is_new)
			rows[2][f] = rows[3][f] = neutral[f];
	reply_model_score(model, rows, 4, scores);
	return scores[0] - scores[1] - (scores[2] - scores[3]);
}

void
reply_explain(const struct reply_model *model,
    const struct reply_message *window, size_t n,
    const struct reply_message *now, const struct reply_verdict *verdict,
    struct buf *out)
{
	static const char *const titles[GROUPS] = { [WHO] = "names",
		[TURNS] = "turns", [TIME] = "distance", [WORDS] = "words",
		[KIND] = "kind", [CHAIN] = "chains" };
	int16_t rows[REPLY_CANDIDATES][REPLY_FEATURES], two[2][REPLY_FEATURES];
	int index[REPLY_CANDIDATES];
	size_t count = reply_features(window, n, now, rows, index);

	memcpy(two[0], rows[0], sizeof(two[0]));
	memcpy(two[1], rows[0], sizeof(two[1]));
	for (size_t c = 1; c < count; c++) {
		if (index[c] == verdict->antecedent)
			memcpy(two[0], rows[c], sizeof(two[0]));
		if (index[c] == verdict->runner_up)
			memcpy(two[1], rows[c], sizeof(two[1]));
	}
	if (verdict->antecedent < 0) {
		buf_addf(out, "begins a conversation, %d", verdict->score);
		say_facts(new_facts, sizeof(new_facts) / sizeof(new_facts[0]),
		    two[0], out);
	} else {
		buf_addf(out, "answers %.*s, %d back, %d",
		    (int)window[verdict->antecedent].name_len,
		    window[verdict->antecedent].name,
		    (int)n - verdict->antecedent, verdict->score);
		say_facts(pair_facts, sizeof(pair_facts) / sizeof(pair_facts[0]),
		    two[0], out);
	}
	if (verdict->antecedent == verdict->runner_up)
		return;
	buf_adds(out, " (against the next likely:");
	for (int g = 0; g < GROUPS; g++)
		buf_addf(out, " %s %+d", titles[g], group_part(model, two, g));
	buf_adds(out, ")");
}
