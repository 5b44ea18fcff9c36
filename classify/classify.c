/*
 * classify - say what a turn does and what it is about
 *
 * For each turn of an entry a c_turn: the act, by rules first and by a small
 * model where no rule decides, and the claims.  An answer of assess revises an
 * earlier turn that stayed uncertain.  See describe.c for a turn, rules.c and
 * model.c for the levels, claims.c for what it is about, and
 * skein-classify(8).
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "classify/describe.h"
#include "common/log.h"
#include "common/rows.h"
#include "common/stage.h"
#include "common/xmalloc.h"

/* The process's own. */
struct classify {
	struct engine *engine;
	struct rows *talks;	/* busy threads' rows, for the batch under way */
	/*
	 * What deciding made of the thread: it is what applying would make of
	 * it.  Applying alone, after a crash, finds nothing here.
	 */
	struct msg_talk decided;
	uint64_t decided_seq, decided_resets;
};

/* One turn of an entry, wherever the entry keeps it. */
struct turn {
	struct slice role, text;
};

static struct turn
turn_at(const struct stage_entry *e, size_t i)
{
	const struct msg_xmessage *m;

	if (e->entry.id == MSG_turn)
		return (struct turn){ e->entry.as->turn.role,
			e->entry.as->turn.text };
	m = &e->entry.as->exchange.added[i];
	return (struct turn){ m->role, m->text };
}

static size_t
turn_count(const struct stage_entry *e)
{
	if (e->entry.id == MSG_turn)
		return 1;
	return e->entry.id == MSG_exchange ? e->entry.as->exchange.n_added : 0;
}

static struct key
place_key(uint64_t seq, uint64_t i)
{
	struct key k = key_u64(seq);

	key_add_u64(&k, i);
	return k;
}

/* With the domain: a turn's question is not answered from another one. */
static struct key
asked_key(struct slice domain, uint64_t seq, uint64_t i)
{
	struct key k = place_key(seq, i);

	key_add_bytes(&k, domain);
	return k;
}

static bool
get_talk(struct stage *st, uint64_t thread, struct msg_talk *out)
{
	struct classify *c = stage_state(st);

	return rows_get(c->talks, stage_tables(st), thread, stage_arena(st),
	    out);
}

static void
put_talk(struct stage *st, uint64_t thread, const struct msg_talk *talk)
{
	struct classify *c = stage_state(st);

	rows_put(c->talks, stage_tables(st), thread, stage_arena(st), talk);
}

/* What was said before: in the thread, or where it branched off the parent. */
static void
read_talk(struct stage *st, const struct msg_s_ingest *place,
    struct msg_talk *talk)
{
	*talk = (struct msg_talk){ 0 };
	if (get_talk(st, place->thread, talk) || place->parent_thread == 0)
		return;
	if (!get_talk(st, place->parent_thread, talk) ||
	    talk->turns != place->parent_turn)
		*talk = (struct msg_talk){ 0 };
	talk->turns = 0;
}

static void
decide_turns(struct stage *st, const struct stage_entry *e,
    struct msg_s_classify *out)
{
	const struct msg_envelope *envelope = &e->entry.as->envelope;
	struct classify *c = stage_state(st);
	struct arena *arena = stage_arena(st);
	struct act_context context;
	struct msg_talk talk;
	struct turn turn;
	size_t i;

	read_talk(st, &e->sections[STAGE_ingest].as->s_ingest, &talk);
	out->n_turns = turn_count(e);
	out->turns = arena_room(arena, out->n_turns * sizeof(out->turns[0]));
	for (i = 0; i < out->n_turns; i++) {
		turn = turn_at(e, i);
		context = talk_context(&talk, envelope->user, turn.role, arena);
		describe_turn(c->engine, arena, turn.text, &context,
		    envelope->ts, (unsigned)stage_conf(st)->ask_below,
		    &out->turns[i]);
		talk_after(&talk, envelope->user, turn.role, turn.text,
		    &out->turns[i], arena);
	}
	c->decided = talk;
	c->decided_seq = e->seq;
	c->decided_resets = arena->resets;
}

/* {"act":"inform","confidence":0.9}; what else it says is not for us. */
static int
read_answer(const struct msg_answer *answer, struct arena *arena,
    struct msg_s_classify *out)
{
	json_t *json = json_loadb(answer->answer.ptr, answer->answer.len, 0,
	    NULL);
	const char *name = json_string_value(json_object_get(json, "act"));
	double sure = json_number_value(json_object_get(json, "confidence"));
	enum act act = ACT_none;
	int rc = name == NULL ? -1 : act_parse(slice_str(name), &act);

	json_decref(json);
	if (rc == -1 || !(sure >= 0.0 && sure <= 1.0))
		return -1;
	out->n_turns = 1;
	out->turns = arena_alloc(arena, sizeof(out->turns[0]));
	out->turns[0] = (struct msg_c_turn){
		.act = slice_str(act_name(act)),
		.confidence = (uint64_t)(sure * 1000.0 + 0.5),
		.level = SLICE("answer"),
	};
	return 0;
}

/* A question of ours is "act:SEQ.I". */
static void
decide_answer(struct stage *st, const struct msg_answer *answer,
    struct msg_s_classify *out)
{
	const char *question = arena_cstr(stage_arena(st), answer->question);
	unsigned long long seq, i;
	struct slice there;
	struct key k;
	int end = 0;

	if (sscanf(question, "act:%llu.%llu%n", &seq, &i, &end) != 2 ||
	    question[end] != '\0')
		return;		/* another stage's */
	k = asked_key(answer->domain, seq, i);
	if (!db_get(stage_tables(st), TABLE_asked, key_slice(&k), &there))
		out->error = SLICE("nobody asked this");
	else if (read_answer(answer, stage_arena(st), out) == -1)
		out->error = SLICE("needs an act and a confidence of 0 to 1");
	else {
		out->revises_seq = seq;
		out->revises_i = i;
	}
}

static int
decide(struct stage *st, const struct stage_entry *e, struct msg *section,
    struct msg_error *why)
{
	union msg_any *out = arena_alloc(stage_arena(st), sizeof(*out));

	(void)why;
	*section = (struct msg){ MSG_s_classify, out };
	if (e->entry.id == MSG_answer)
		decide_answer(st, &e->entry.as->answer, &out->s_classify);
	else if (turn_count(e) > 0)
		decide_turns(st, e, &out->s_classify);
	else
		section->id = MSG_s_none;
	return 0;
}

/* The thread behind the entry. */
static void
apply_talk(struct stage *st, const struct stage_entry *e,
    const struct msg_s_classify *s)
{
	const struct msg_s_ingest *place = &e->sections[STAGE_ingest].as->s_ingest;
	struct classify *c = stage_state(st);
	struct msg_talk talk;
	struct turn turn;
	size_t i;

	if (c->decided_seq == e->seq &&
	    c->decided_resets == stage_arena(st)->resets) {
		put_talk(st, place->thread, &c->decided);
		return;
	}
	read_talk(st, place, &talk);
	for (i = 0; i < s->n_turns && i < turn_count(e); i++) {
		turn = turn_at(e, i);
		talk_after(&talk, e->entry.as->envelope.user, turn.role,
		    turn.text, &s->turns[i], stage_arena(st));
	}
	put_talk(st, place->thread, &talk);
}

static void
apply_turns(struct stage *st, const struct stage_entry *e,
    const struct msg_s_classify *s)
{
	struct msg_place asked = { .seq = e->seq };
	struct key k;
	size_t i;

	apply_talk(st, e, s);
	for (i = 0; i < s->n_turns && i < turn_count(e); i++) {
		if (!s->turns[i].asks)
			continue;
		asked.i = i;
		k = asked_key(e->entry.as->envelope.domain, e->seq, i);
		db_put_msg(stage_tables(st), TABLE_asked, key_slice(&k),
		    MSG_place, &asked);
	}
}

/* A fork goes on from what its parent was, if it is made at the end of it. */
static void
apply_fork(struct stage *st, const struct msg_s_ingest *place)
{
	struct msg_talk talk;

	read_talk(st, place, &talk);
	if (talk.role.len > 0)
		put_talk(st, place->thread, &talk);
}

static void
apply(struct stage *st, const struct stage_entry *e, const struct msg *section)
{
	const struct msg_s_classify *s = &section->as->s_classify;
	struct msg_place revision = { .seq = e->seq };
	struct key k;

	if (e->entry.id == MSG_fork)
		apply_fork(st, &e->sections[STAGE_ingest].as->s_ingest);
	if (section->id != MSG_s_classify)
		return;
	if (s->revises_seq != 0) {
		k = place_key(s->revises_seq, s->revises_i);
		db_put_msg(stage_tables(st), TABLE_revised, key_slice(&k),
		    MSG_place, &revision);
	} else if (s->n_turns > 0)
		apply_turns(st, e, s);
}

static void
start(struct stage *st)
{
	struct classify *c = xcalloc(1, sizeof(*c));
	struct buf why;

	stage_set_state(st, c);
	buf_init(&why, 4096);
	c->engine = engine_open(stage_conf(st), &why);
	if (c->engine == NULL)
		fatalx(EX_REFUSE, "%s", buf_cstr(&why));
	buf_release(&why);
	c->talks = rows_open(TABLE_talks, MSG_talk);
}

static void
stop(struct stage *st)
{
	struct classify *c = stage_state(st);

	if (c == NULL)
		return;
	rows_close(&c->talks);
	engine_close(&c->engine);
	free(c);
}

static void
begin(struct stage *st)
{
	struct classify *c = stage_state(st);

	rows_begin(c->talks);
	c->decided_seq = 0;
}

static void
flush(struct stage *st)
{
	struct classify *c = stage_state(st);

	rows_flush(c->talks, stage_tables(st));
}

static const struct stage_spec classify = {
	.id = STAGE_classify,
	.env = ENV_classify,
	.derived = TABLE_classify_derived,
	.decide = decide,
	.apply = apply,
	.begin = begin,
	.flush = flush,
	.start = start,
	.stop = stop,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &classify);
}
