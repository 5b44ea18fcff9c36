/*
 * begin_print - what there is to begin from, for people and as JSON
 */
#include "common/json.h"
#include "common/when.h"
#include "store/begin.h"
#include "store/context_impl.h"

static void
put_counts(struct buf *out, const struct begin_chat *chat)
{
	size_t i;

	buf_addf(out, "%llu", (unsigned long long)chat->artifacts);
	if (chat->n_counts == 0)
		return;
	buf_adds(out, " (");
	for (i = 0; i < chat->n_counts; i++) {
		const struct begin_count *c = &chat->counts[i];

		buf_addf(out, "%s%llu %.*s%s%.*s%s", i > 0 ? ", " : "",
		    (unsigned long long)c->count, SLICE_ARG(c->status),
		    c->status.len > 0 ? " " : "", SLICE_ARG(c->type),
		    c->count == 1 ? "" : "s");
	}
	buf_addc(out, ')');
}

static void
put_chat(struct buf *out, const struct begin *b, size_t i)
{
	const struct begin_chat *chat = &b->chats[i];
	struct arena arena;

	arena_init(&arena);
	buf_addf(out, "  %zu. \"%.*s\" (%.*s ago)\n", i + 1,
	    SLICE_ARG(chat->name), SLICE_ARG(context_span(&arena,
		b->now_ms - chat->last_ms)));
	if (chat->summary.len > 0)
		buf_addf(out, "     Summary: %.*s\n",
		    SLICE_ARG(chat->summary));
	buf_adds(out, "     Artifacts: ");
	put_counts(out, chat);
	buf_adds(out, "\n");
	arena_release(&arena);
}

/* What was remembered may have several lines. */
static void
put_in_line(struct buf *out, struct slice text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		buf_addc(out, text.ptr[i] == '\n' ? ' ' : text.ptr[i]);
}

static void
put_artifact(struct buf *out, const struct begin *b, size_t i)
{
	const struct begin_artifact *a = &b->artifacts[i];
	bool open = slice_is(a->type, "effort");

	buf_addf(out, "  %zu. [%.*s%s%.*s] ", i + 1, SLICE_ARG(a->type),
	    open ? ":" : "", SLICE_ARG(open ? a->status : SLICE_NONE));
	put_in_line(out, a->summary);
	if (a->resolution.len > 0) {
		buf_adds(out, " => ");
		put_in_line(out, a->resolution);
	}
	buf_addc(out, '\n');
}

static void
put_options(struct buf *out, const struct begin *b)
{
	int go_on = begin_to_continue(b), fork = begin_to_fork(b);

	buf_adds(out, "Options:\n");
	if (go_on != -1)
		buf_addf(out, "  1. Continue \"%.*s\"%s\n",
		    SLICE_ARG(b->chats[go_on].name),
		    b->chats[go_on].open_effort.len > 0 ?
			" (has open effort)" : "");
	if (fork != -1)
		buf_addf(out, "  2. Fork from \"%.*s\"\n",
		    SLICE_ARG(b->chats[fork].name));
	if (b->n_artifacts > 0)
		buf_adds(out, "  3. New chat with selected artifacts\n");
	buf_adds(out, "  4. Start fresh (no prior context)\n");
}

void
begin_print(struct buf *out, const struct begin *b)
{
	size_t i;

	if (b->n_chats + b->n_artifacts == 0) {
		buf_adds(out, "Nothing related was found.\n\n");
		put_options(out, b);
		return;
	}
	buf_adds(out, "I found related context:\n");
	if (b->n_chats > 0)
		buf_adds(out, "\nRELATED CHATS:\n");
	for (i = 0; i < b->n_chats; i++)
		put_chat(out, b, i);
	if (b->n_artifacts > 0)
		buf_adds(out, "\nRELEVANT ARTIFACTS:\n");
	for (i = 0; i < b->n_artifacts; i++)
		put_artifact(out, b, i);
	buf_addc(out, '\n');
	put_options(out, b);
}

/* ---- JSON ---- */

static void
put_member(struct buf *out, const char *name, struct slice text)
{
	buf_addf(out, ",\"%s\":", name);
	if (text.len > 0)
		json_put_str(out, text);
	else
		buf_adds(out, "null");
}

static void
put_chat_json(struct buf *out, const struct begin_chat *chat)
{
	char stamp[WHEN_TEXT_BYTES];
	size_t i;

	when_format(chat->last_ms, stamp);
	buf_addf(out, "{\"thread\":\"t%llu\"",
	    (unsigned long long)chat->thread);
	put_member(out, "name", chat->name);
	put_member(out, "summary", chat->summary);
	put_member(out, "open_effort", chat->open_effort);
	buf_addf(out, ",\"last_activity_at\":\"%s\",\"score\":%.3f,"
	    "\"artifacts\":%llu,\"counts\":[", stamp, chat->score,
	    (unsigned long long)chat->artifacts);
	for (i = 0; i < chat->n_counts; i++) {
		buf_addf(out, "%s{\"count\":%llu", i > 0 ? "," : "",
		    (unsigned long long)chat->counts[i].count);
		put_member(out, "type", chat->counts[i].type);
		put_member(out, "status", chat->counts[i].status);
		buf_addc(out, '}');
	}
	buf_adds(out, "]}");
}

static void
put_artifact_json(struct buf *out, const struct begin_artifact *a)
{
	buf_adds(out, "{\"key\":");
	json_put_str(out, a->key);
	put_member(out, "type", a->type);
	put_member(out, "status", a->status);
	put_member(out, "summary", a->summary);
	put_member(out, "resolution", a->resolution);
	buf_adds(out, ",\"thread\":");
	if (a->thread != 0)
		buf_addf(out, "\"t%llu\"", (unsigned long long)a->thread);
	else
		buf_adds(out, "null");
	buf_addf(out, ",\"score\":%.3f}", a->score);
}

void
begin_json(struct buf *out, const struct begin *b)
{
	int go_on = begin_to_continue(b), fork = begin_to_fork(b);
	size_t i;

	buf_adds(out, "{\"chats\":[");
	for (i = 0; i < b->n_chats; i++) {
		buf_adds(out, i > 0 ? "," : "");
		put_chat_json(out, &b->chats[i]);
	}
	buf_adds(out, "],\"artifacts\":[");
	for (i = 0; i < b->n_artifacts; i++) {
		buf_adds(out, i > 0 ? "," : "");
		put_artifact_json(out, &b->artifacts[i]);
	}
	buf_adds(out, "],\"options\":{\"continue\":");
	if (go_on != -1)
		buf_addf(out, "\"t%llu\"",
		    (unsigned long long)b->chats[go_on].thread);
	else
		buf_adds(out, "null");
	buf_adds(out, ",\"fork\":");
	if (fork != -1)
		buf_addf(out, "\"t%llu\"",
		    (unsigned long long)b->chats[fork].thread);
	else
		buf_adds(out, "null");
	buf_addf(out, ",\"with\":%s,\"fresh\":true}}\n",
	    b->n_artifacts > 0 ? "true" : "false");
}
