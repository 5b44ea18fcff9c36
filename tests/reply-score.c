/*
 * reply-score - antecedents for a stream of messages, for measuring
 *
 * usage: reply-score [-w] WEIGHTS < STREAM
 *        reply-score -n COUNT WEIGHTS < STREAM
 *        reply-score -f OUT [-l LINKS] < STREAM
 *
 * STREAM has JSON lines {"doc","id","ts","speaker","text","system","eval"}.
 * Prints {"doc","id","parent"} for those with eval; -w adds why.  -n does it
 * all COUNT times over and prints the processor time a message takes instead.
 * -f writes what the choice looks at into OUT, for training: for each candidate
 * of each message with eval the number of its document, the ids of message and
 * candidate (both the same for "new") as int32, then its features as int16; with
 * the conversations of LINKS, lines as printed here, as what was decided before.
 */
#include <err.h>
#include <jansson.h>
#include <time.h>
#include <unistd.h>

#include "chainer/reply.h"
#include "common/when.h"
#include "common/xmalloc.h"

struct line {
	json_t *json;		/* owns the texts */
	struct slice doc, speaker, text;
	int64_t ts_ms;
	int id, parent;
	bool notice, eval;
};

struct lines {
	struct line *list;
	size_t count, room;
};

/* A document under way: its last messages and their ids. */
struct room {
	struct reply_message window[2 * REPLY_WINDOW];
	int id[2 * REPLY_WINDOW];
	size_t n;
	int doc;
};

static struct slice
text_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value))
		return SLICE_NONE;
	return slice_of(json_string_value(value), json_string_length(value));
}

/*
 * "=== name has joined": what a server says, no speech.  "=== name nods" is
 * somebody's, as an action.
 */
static bool
is_notice(struct slice text)
{
	static const char *const signs[] = { " has joined #", " has left #",
	    " has quit ", " is now known as ", " entered the room", " left the room",
	    " mode (", "=== mode", "=== Topic", "=== #", " sets mode", " [#",
	    "@", " changed the topic" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (memmem(text.ptr, text.len, signs[i], strlen(signs[i])))
			return true;
	return false;
}

static void
line_set(struct line *l, json_t *json)
{
	struct slice when = text_of(json, "ts");

	*l = (struct line){ .json = json, .doc = text_of(json, "doc"),
		.speaker = text_of(json, "speaker"),
		.text = text_of(json, "text"),
		.id = (int)json_integer_value(json_object_get(json, "id")),
		.eval = json_is_true(json_object_get(json, "eval")) };
	l->parent = l->id;
	if (json_is_true(json_object_get(json, "system"))) {
		size_t skip = 5 + l->speaker.len;

		l->notice = is_notice(l->text);
		if (!l->notice && l->text.len > skip)
			l->text = slice_of(l->text.ptr + skip,
			    l->text.len - skip);
	}
	l->ts_ms = WHEN_PARSE;
}
