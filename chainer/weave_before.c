/*
 * weave_before - what a turn follows, and what later ones hear of it
 */
#include "chainer/weave_impl.h"

static struct slice
speaker(const struct weave_turn *t)
{
	return weave_is_people(t) && t->user.len > 0 ? t->user : t->role;
}

/* Where several speak: the latest turns, and this one as they hear it. */
void
weave_listen(struct weave *v, struct weave_turn *t)
{
	t->several = v->entry->entry.as->envelope.room.len > 0 ||
	    work_talk(v->work)->many;
	if (!t->several)
		return;
	t->heard = work_heard(v->work);
	reply_read(&t->now, work_arena(v->work), speaker(t), work_ts(v->work),
	    t->text, t->heard.heard, t->heard.n);
}

/* Digits as they are printed, up to `at`, which is moved behind them. */
static bool
read_count(struct slice s, size_t *at, uint64_t *out)
{
	size_t from = *at;

	for (*out = 0; *at < s.len && s.ptr[*at] >= '0' && s.ptr[*at] <= '9' &&
	     *at - from < 19; ++*at)
		*out = *out * 10 + (uint64_t)(s.ptr[*at] - '0');
	return *at == from + 1 || (*at > from && s.ptr[from] != '0');
}

/* By the sender's id, or skein's own key "12.0". */
static bool
find_answered(struct weave *v, struct weave_turn *t)
{
	struct msg_said said;
	uint64_t seq = 0, i = 0;
	size_t back, at = 0;
	bool keyed;

	keyed = read_count(t->reply_to, &at, &seq) && at < t->reply_to.len &&
	    t->reply_to.ptr[at++] == '.' && read_count(t->reply_to, &at, &i) &&
	    at == t->reply_to.len;
	for (back = 0; back < WORK_RING && work_said(v->work, back, &said);
	     back++)
		if (slice_eq(said.id, t->reply_to) ||
		    (keyed && said.seq == seq && said.i == i)) {
			t->before = said;
			return true;
		}
	return false;
}

/* Without weights: whoever is named, else what the speaker said last. */
static int
guess_antecedent(const struct weave_turn *t)
{
	size_t k, m;

	for (k = t->heard.n; k > 0; k--)
		for (m = 0; m < t->now.mention_count; m++)
			if (t->heard.heard[k - 1].speaker == t->now.mentions[m])
				return (int)k - 1;
	for (k = t->heard.n; k > 0; k--)
		if (t->heard.heard[k - 1].speaker == t->now.speaker)
			return (int)k - 1;
	return -1;
}

static bool
find_antecedent(struct weave *v, struct weave_turn *t)
{
	struct reply_verdict verdict = { .antecedent = -1 };

	if (v->model != NULL) {
		reply_choose(v->model, t->heard.heard, t->heard.n, &t->now,
		    &verdict);
		reply_turn_away(t->heard.heard, t->heard.n, &t->now, &verdict);
	} else
		verdict.antecedent = guess_antecedent(t);
	return verdict.antecedent >= 0 && work_heard_turn(v->work,
	    &t->heard.turn[verdict.antecedent], &t->before);
}

void
weave_find_before(struct weave *v, struct weave_turn *t)
{
	weave_listen(v, t);
	if (t->reply_to.len > 0 && find_answered(v, t))
		t->follows = true;
	else if (t->several && t->heard.n > 0 &&
	    v->rules.formula == FORMULA_shipped)
		t->follows = find_antecedent(v, t);
	else
		t->follows = work_said(v->work, 0, &t->before);
	if (!t->follows)
		return;
	t->out->answers_seq = t->before.seq;
	t->out->answers_i = t->before.i;
	t->adjacent = work_follow(v->work, t->before.chain);
}

/* Whether the user has just come to the chain; an answer does not change it. */
static bool
has_turned(struct weave *v, const struct weave_turn *t, uint64_t chain)
{
	struct msg_said last;

	if (!work_said(v->work, 0, &last))
		return true;
	return weave_is_people(t) && chain != 0 ? last.chain != chain :
						  last.turned;
}

void
weave_speak(struct weave *v, struct weave_turn *t)
{
	struct reply_verdict verdict = { .antecedent = -1 };
	struct msg_said said = {
		.seq = work_seq(v->work),
		.i = t->i,
		.ts = work_ts(v->work),
		.chain = t->chain,
		.user = t->user,
		.role = t->role,
		.act = t->c->act,
		.closing = t->out->closing,
		.asks = course_asks(t->text),
		.id = t->id,
	};
	size_t k;

	said.turned = has_turned(v, t, said.chain);
	if (t->several) {
		for (k = 0; k < t->heard.n; k++)
			if (t->heard.turn[k].seq == t->out->answers_seq &&
			    t->heard.turn[k].i == t->out->answers_i)
				verdict.antecedent = (int)k;
		reply_settle(&t->now, t->heard.heard, &verdict);
		t->now.chain = said.chain;
		said.heard = arena_dup(work_arena(v->work),
		    slice_of((const char *)&t->now, sizeof(t->now)));
	}
	work_say(v->work, &said);
}

