/*
 * begin - what there is to begin from, when somebody says what they want
 */
#include "store/begin.h"

#include <stdlib.h>

#include "store/query_artifacts.h"

enum { HITS = 60 };

/* ---- chats ---- */

static struct begin_chat *
find_chat(struct begin_chat *chats, size_t *n, size_t room, uint64_t thread)
{
	size_t i;

	for (i = 0; i < *n; i++)
		if (chats[i].thread == thread)
			return &chats[i];
	if (*n == room)
		return NULL;
	chats[*n] = (struct begin_chat){ .thread = thread };
	return &chats[(*n)++];
}

static int
by_score(const void *a, const void *b)
{
	const struct begin_chat *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->thread > y->thread ? -1 : 1;
}

/* A chat is as good as what was found of it; what was kept counts most. */
static double
hit_share(const struct search_hit *h)
{
	return h->kind == SEARCH_TURN ? 0.4 * h->score : h->score;
}

static void
count_artifact(struct begin_chat *chat, const struct msg_artifact *a)
{
	bool effort = slice_is(a->type, "effort");
	struct slice status = effort ? a->status : SLICE_NONE;
	size_t i;

	if (a->parent.len > 0 || a->checkpoint || a->refined_by.count > 0)
		return;
	chat->artifacts++;
	if (effort && slice_is(status, "open") && chat->open_effort.len == 0)
		chat->open_effort = a->key;
	for (i = 0; i < chat->n_counts; i++)
		if (slice_eq(chat->counts[i].type, a->type) &&
		    slice_eq(chat->counts[i].status, status))
			break;
	if (i == BEGIN_COUNTS)
		return;	/* rarer types are in the total */
	if (i == chat->n_counts)
		chat->counts[chat->n_counts++] = (struct begin_count){
			a->type, status, 0 };
	chat->counts[i].count++;
}

static void
describe_chat(const struct context_view *view, struct arena *arena,
    struct begin_chat *chat)
{
	struct msg_episode_digest digest = { 0 };
	struct msg_episode episode = { 0 };
	struct msg_thread thread = { 0 };
	struct key k = key_u64(chat->thread);
	struct msg_artifact a;
	size_t i;

	(void)db_get_msg(view->q->ingest, TABLE_threads, key_slice(&k),
	    MSG_thread, arena, &thread);
	chat->last_ms = thread.last_activity_at;
	if (view->compactor != NULL) {
		(void)db_get_msg(view->compactor, TABLE_episodes,
		    key_slice(&k), MSG_episode, arena, &episode);
		(void)query_digest(view->compactor, chat->thread, arena,
		    &digest);
	}
	chat->name = thread.name.len > 0 ? thread.name :
	    episode.name.len > 0 ? episode.name : digest.name;
	chat->summary = episode.micro;
	if (chat->summary.len == 0 && digest.n_lines > 0)
		chat->summary = digest.lines[0].text;
	for (i = 0; i < digest.artifacts.count; i++)
		if (query_artifact(view->q, view->compactor,
			digest.artifacts.at[i], &a))
			count_artifact(chat, &a);
}

static void
find_chats(const struct context_view *view, const struct search_result *found,
    struct arena *arena, struct begin *out)
{
	struct begin_chat chats[HITS];
	struct begin_chat *chat;
	size_t i, n = 0;

	for (i = 0; i < found->n_hits; i++) {
		if (found->hits[i].thread == 0)
			continue;
		chat = find_chat(chats, &n, HITS, found->hits[i].thread);
		/* The best hit counts whole, others help a little. */
		if (chat != NULL)
			chat->score = chat->score == 0 ?
			    hit_share(&found->hits[i]) :
			    chat->score + 0.1 * hit_share(&found->hits[i]);
	}
	qsort(chats, n, sizeof(chats[0]), by_score);
	for (i = 0; i < n && out->n_chats < BEGIN_CHATS; i++) {
		describe_chat(view, arena, &chats[i]);
		out->chats[out->n_chats++] = chats[i];
	}
}

/* ---- artifacts ---- */

static void
add_artifact(struct begin *out, const struct msg_artifact *a, double score)
{
	size_t i;

	if (out->n_artifacts == BEGIN_ARTIFACTS || a->parent.len > 0 ||
	    a->checkpoint || slice_is(a->status, "expired"))
		return;
	for (i = 0; i < out->n_artifacts; i++)
		if (slice_eq(out->artifacts[i].key, a->key))
			return;
	out->artifacts[out->n_artifacts++] = (struct begin_artifact){
		.key = a->key, .type = a->type, .status = a->status,
		.summary = a->summary, .resolution = a->resolution,
		.thread = a->thread, .score = score };
}

static void
find_artifacts(const struct search_result *found, struct begin *out)
{
	size_t i;

	for (i = 0; i < found->n_hits; i++)
		if (found->hits[i].kind == SEARCH_ARTIFACT &&
		    found->hits[i].artifact != NULL &&
		    !found->hits[i].superseded)
			add_artifact(out, found->hits[i].artifact,
			    found->hits[i].score);
}

/* What stands in an artifact's place now. */
static bool
read_newest(const struct context_view *view, struct slice key,
    struct msg_artifact *out)
{
	enum { STEPS_MOST = 64 };
	size_t i;

	for (i = 0; i < STEPS_MOST; i++) {
		if (!query_artifact(view->q, view->compactor, key, out))
			return false;
		if (out->refined_by.count == 0)
			return true;
		key = out->refined_by.at[out->refined_by.count - 1];
	}
	return false;
}

/*
 * What the best chats know and have still to do is of use there whatever its
 * words are: "the webhook is at /api/stripe" of the payment integration.
 */
static void
add_of_chats(const struct context_view *view, struct arena *arena,
    struct begin *out)
{
	struct msg_episode_digest digest;
	struct msg_artifact a;
	size_t i, k;

	for (i = 0; i < out->n_chats && view->compactor != NULL; i++) {
		if (out->chats[i].score * 2 < out->chats[0].score ||
		    !query_digest(view->compactor, out->chats[i].thread,
			arena, &digest))
			continue;
		for (k = digest.artifacts.count; k-- > 0;)
			if (read_newest(view, digest.artifacts.at[k], &a) &&
			    (!slice_is(a.type, "effort") ||
				slice_is(a.status, "open")))
				add_artifact(out, &a, 0.0);
	}
}

int
begin_find(const struct context_view *view, struct slice domain,
    struct slice user, struct slice intent, int64_t now_ms,
    struct arena *arena, struct begin *out, struct buf *why)
{
	struct search_query query = SEARCH_ALL;
	struct search_result found;

	*out = (struct begin){ .now_ms = now_ms };
	query.domain = domain;
	query.user = user;
	query.text = intent;
	query.spoken = true;
	query.limit = HITS;
	if (search_run(view->search, &view->found, &query, arena, &found,
		why) == -1)
		return -1;
	if (view->q->ingest != NULL)
		find_chats(view, &found, arena, out);
	query.in = SEARCH_IN(SEARCH_ARTIFACT);
	if (search_run(view->search, &view->found, &query, arena, &found,
		why) == -1)
		return -1;
	find_artifacts(&found, out);
	add_of_chats(view, arena, out);
	return 0;
}

/* ---- options and answers ---- */

/* The best chat, or the best with an open effort if it is nearly as good. */
int
begin_to_continue(const struct begin *b)
{
	size_t i;

	for (i = 0; i < b->n_chats; i++)
		if (b->chats[i].open_effort.len > 0 &&
		    b->chats[i].score * 2 >= b->chats[0].score)
			return (int)i;
	return b->n_chats > 0 ? 0 : -1;
}

/* Another than the one to continue, where there is one. */
int
begin_to_fork(const struct begin *b)
{
	int first = begin_to_continue(b);

	if (b->n_chats < 2)
		return first;
	return first == 0 ? 1 : 0;
}

static bool
skip_word(struct slice *s, const char *word)
{
	size_t len = strlen(word);

	while (s->len > 0 && (*s->ptr == ' ' || *s->ptr == ',' ||
		*s->ptr == '\t')) {
		s->ptr++;
		s->len--;
	}
	if (s->len < len || strncasecmp(s->ptr, word, len) != 0)
		return false;
	s->ptr += len;
	s->len -= len;
	return true;
}

static bool
read_number(struct slice *s, size_t *out)
{
	size_t n = 0, digits = 0;

	(void)skip_word(s, "");
	for (; s->len > 0 && *s->ptr >= '0' && *s->ptr <= '9' && digits < 6;
	     s->ptr++, s->len--, digits++)
		n = n * 10 + (size_t)(*s->ptr - '0');
	*out = n;
	return digits > 0;
}

/* "include 1,2" or "exclude 3"; nothing: all of them. */
static int
read_selection(const struct begin *b, struct slice rest,
    struct begin_choice *out, struct buf *why)
{
	bool include = skip_word(&rest, "include");
	bool exclude = !include && skip_word(&rest, "exclude");
	size_t i, n;

	for (i = 0; i < b->n_artifacts; i++)
		out->chosen[i] = !include;
	while (read_number(&rest, &n)) {
		if ((!include && !exclude) || n == 0 || n > b->n_artifacts) {
			buf_addf(why, "there is no artifact %zu: they are "
			    "numbered from 1 to %zu", n, b->n_artifacts);
			return -1;
		}
		out->chosen[n - 1] = include;
	}
	if (rest.len > 0) {
		buf_addf(why, "'%.*s' is not understood: '3, include 1,2' or "
		    "'3, exclude 3'", SLICE_ARG(rest));
		return -1;
	}
	return 0;
}

int
begin_choose(const struct begin *b, struct slice answer,
    struct begin_choice *out, struct buf *why)
{
	size_t option = 0;
	int chat;

	*out = (struct begin_choice){ .option = BEGIN_FRESH };
	if (skip_word(&answer, "just continue"))
		option = b->n_chats > 0 ? BEGIN_CONTINUE : BEGIN_FRESH;
	else if (!read_number(&answer, &option) || option < 1 || option > 4) {
		buf_adds(why, "answer 1, 2, '3, include 1,2', '3, exclude 3', "
		    "4 or 'just continue'");
		return -1;
	}
	out->option = (enum begin_option)option;
	if (option == BEGIN_WITH)
		return read_selection(b, answer, out, why);
	(void)skip_word(&answer, "");
	if (answer.len > 0) {
		buf_addf(why, "'%.*s' is not understood after %zu",
		    SLICE_ARG(answer), option);
		return -1;
	}
	if (option == BEGIN_FRESH)
		return 0;
	chat = option == BEGIN_CONTINUE ? begin_to_continue(b) :
					  begin_to_fork(b);
	if (chat == -1) {
		buf_adds(why, "there is no related chat: answer 3 or 4");
		return -1;
	}
	out->thread = b->chats[chat].thread;
	return 0;
}
