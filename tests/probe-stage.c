/*
 * probe-stage - a test stage with real tables, in the chainer's place
 *
 * Stands in for the logic that later stages will have: each decision depends
 * on the stage's own tables, and the tables on every entry before, so that an
 * entry lost, doubled or out of order anywhere shows in the digest.  apply
 * counts up what it finds instead of copying what decide said: applied twice
 * is then one too many.
 */
#include "common/stage.h"

enum { WORD_BYTES = 64, ENTRY_WORDS = 64 };

struct words {
	struct slice at[ENTRY_WORDS];
	size_t count;
};

/* Cut at white space and nothing else: how text is read is not the point. */
static void
add_words(struct words *w, struct slice text)
{
	size_t at = 0, end;

	while (w->count < ENTRY_WORDS) {
		while (at < text.len && (unsigned char)text.ptr[at] <= ' ')
			at++;
		for (end = at; end < text.len &&
		     (unsigned char)text.ptr[end] > ' '; end++)
			;
		if (end == at)
			break;
		w->at[w->count++] = slice_of(text.ptr + at,
		    end - at < WORD_BYTES ? end - at : WORD_BYTES);
		at = end;
	}
}

static void
find_words(const struct stage_entry *e, struct words *w)
{
	const union msg_any *entry = e->entry.as;
	size_t i;

	w->count = 0;
	switch (e->entry.id) {
	case MSG_turn:
		add_words(w, entry->turn.text);
		break;
	case MSG_exchange:
		for (i = 0; i < entry->exchange.n_added; i++)
			add_words(w, entry->exchange.added[i].text);
		break;
	case MSG_memory:
		add_words(w, entry->memory.text);
		break;
	case MSG_rename:
		add_words(w, entry->rename.name);
		break;
	default:
		break;
	}
}

static struct key
named_key(const struct stage_entry *e, struct slice name)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, e->entry.as->envelope.domain);
	key_add_bytes(&k, name);
	return k;
}

static bool
get_word(struct stage *st, const struct key *k, struct msg_probe_word *out)
{
	*out = (struct msg_probe_word){ 0 };
	return db_get_msg(stage_tables(st), TABLE_probe_words, key_slice(k),
	    MSG_probe_word, stage_arena(st), out);
}

static void
find_rarest(struct stage *st, const struct stage_entry *e,
    struct msg_s_probe *section)
{
	struct msg_probe_word word;
	struct words words;
	struct key k;
	size_t i;

	find_words(e, &words);
	for (i = 0; i < words.count; i++) {
		k = named_key(e, words.at[i]);
		(void)get_word(st, &k, &word);
		if (section->word.len > 0 && word.count >= section->seen)
			continue;
		section->word = words.at[i];
		section->seen = word.count;
	}
}

static int
decide(struct stage *st, const struct stage_entry *e, struct msg *section,
    struct msg_error *why)
{
	struct msg_s_probe *s = arena_alloc(stage_arena(st),
	    sizeof(union msg_any));
	struct msg_probe_user user = { 0 };
	struct key k;

	/* A tick is nobody's, and of a tombstone nothing is left to read. */
	if (e->entry.id == MSG_tick || e->entry.id == MSG_tombstone)
		return 0;
	if (e->sections[STAGE_ingest].id != MSG_s_ingest) {
		msg_fail(why, "there is no section of ingest");
		return -1;
	}
	s->user = e->entry.as->envelope.user;
	k = named_key(e, s->user);
	(void)db_get_msg(stage_tables(st), TABLE_probe_users, key_slice(&k),
	    MSG_probe_user, stage_arena(st), &user);
	s->nth = user.entries + 1;
	s->previous = user.last;
	find_rarest(st, e, s);
	*section = (struct msg){ MSG_s_probe, (const union msg_any *)s };
	return 0;
}

static void
apply(struct stage *st, const struct stage_entry *e, const struct msg *section)
{
	struct msg_probe_user user = { 0 };
	struct msg_probe_word word;
	struct words words;
	struct key k;
	size_t i;

	if (section->id != MSG_s_probe)
		return;
	k = named_key(e, section->as->s_probe.user);
	(void)db_get_msg(stage_tables(st), TABLE_probe_users, key_slice(&k),
	    MSG_probe_user, stage_arena(st), &user);
	user.entries++;
	user.last = e->seq;
	db_put_msg(stage_tables(st), TABLE_probe_users, key_slice(&k),
	    MSG_probe_user, &user);
	find_words(e, &words);
	for (i = 0; i < words.count; i++) {
		k = named_key(e, words.at[i]);
		if (!get_word(st, &k, &word))
			word.first = e->seq;
		word.count++;
		db_put_msg(stage_tables(st), TABLE_probe_words, key_slice(&k),
		    MSG_probe_word, &word);
	}
}

static const struct stage_spec probe = {
	.id = STAGE_chainer,
	.env = ENV_probe,
	.derived = TABLE_probe_derived,
	.decide = decide,
	.apply = apply,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &probe);
}
