/*
 * sender - a client's side of sending entries to ingest
 */
#include "common/sender.h"

#include <jansson.h>
#include <sodium.h>
#include <stdlib.h>

#include "common/bus.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/xmalloc.h"

enum {
	PROBE_MS = 300,
	GATHER_ENTRIES = 64,	/* most that go in one frame */
	GATHER_BYTES = 256 * 1024
};

/*
 * Posts under way stand in a ring by number: first <= unsent <= next.
 * Those before `unsent` are on the wire.
 */
struct sender {
	const struct conf *conf;
	void (*on_result)(void *data, const struct msg_ack *ack);
	void *data;
	struct bus *bus;
	struct bus_socket *dealer;
	unsigned char nonce[16];
	struct buf *ring;
	size_t window;
	uint64_t first, unsent, next;
	bool doubtful;		/* no answer for a while: what was sent? */
	int64_t heard_ms;	/* the last answer */
	int64_t probed_ms;
	struct buf frame, record;
	struct arena arena;
};

struct sender *
sender_open(const struct conf *conf,
    void (*on_result)(void *, const struct msg_ack *), void *data)
{
	struct sender *s = xcalloc(1, sizeof(*s));
	size_t i;

	if (sodium_init() == -1)
		fatalx(1, "libsodium cannot start");
	randombytes_buf(s->nonce, sizeof(s->nonce));
	s->conf = conf;
	s->on_result = on_result;
	s->data = data;
	s->window = (size_t)conf->client_window;
	s->ring = xcalloc(s->window, sizeof(s->ring[0]));
	for (i = 0; i < s->window; i++)
		buf_init(&s->ring[i], SIZE_MAX / 4);
	s->first = s->unsent = s->next = 1;
	buf_init(&s->frame, SIZE_MAX / 4);
	buf_init(&s->record, SIZE_MAX / 4);
	arena_init(&s->arena);
	s->bus = bus_open();
	s->dealer = bus_socket(s->bus, BUS_DEALER);
	bus_limit(s->dealer, (int)conf->client_window * 2);
	if (bus_connect(s->dealer, conf->home, "ingest.sock") == -1)
		fatal(1, "cannot connect to %s/run/ingest.sock", conf->home);
	s->heard_ms = s->probed_ms = steady_ms();
	return s;
}

static int
send_post(struct sender *s, const struct msg_post *post)
{
	struct slice part;

	buf_clear(&s->frame);
	if (msg_encode(&s->frame, MSG_post, post) == -1)
		return 0;
	part = buf_slice(&s->frame);
	return bus_send(s->dealer, &part, 1);
}

/* Sends posts from `number` on in one frame; how many, or 0: no room. */
static uint64_t
send_frame(struct sender *s, uint64_t number, uint64_t most)
{
	struct slice more[GATHER_ENTRIES];
	struct msg_post post = {
		.nonce = slice_of((char *)s->nonce, sizeof(s->nonce)),
		.number = number,
		.settled = s->first - 1,
		.body = buf_slice(&s->ring[number % s->window]),
		.more = { more, 0 },
	};
	size_t bytes = post.body.len;
	uint64_t n;

	for (n = 1; n < most && n < GATHER_ENTRIES && bytes < GATHER_BYTES;
	     n++) {
		more[n - 1] = buf_slice(&s->ring[(number + n) % s->window]);
		bytes += more[n - 1].len;
	}
	post.more.count = n - 1;
	return send_post(s, &post) ? n : 0;
}

static void
send_unsent(struct sender *s)
{
	uint64_t n;

	while (s->unsent < s->next) {
		n = send_frame(s, s->unsent, s->next - s->unsent);
		if (n == 0)
			break;
		s->unsent += n;
	}
}

static void
take_reply(struct sender *s, const struct msg_reply *reply)
{
	size_t i;

	s->heard_ms = steady_ms();
	for (i = 0; i < reply->n_acks; i++) {
		/* A result that came twice, or past one that was lost. */
		if (reply->acks[i].number != s->first || s->first == s->unsent)
			continue;
		s->on_result(s->data, &reply->acks[i]);
		buf_clear(&s->ring[s->first % s->window]);
		s->first++;
	}
	if (reply->expect >= s->first && reply->expect < s->unsent)
		s->unsent = reply->expect;
	else if (s->doubtful)
		s->unsent = s->first;
	s->doubtful = false;
}

static void
receive(struct sender *s)
{
	struct bus_message m;
	struct msg_reply reply;
	struct msg_error why;

	while (bus_receive(s->dealer, &m)) {
		if (m.count == 1 && msg_decode_as(m.parts[0], &s->arena,
			MSG_reply, &reply, &why) == 0)
			take_reply(s, &reply);
		arena_reset(&s->arena);
	}
}

/*
 * One step of waiting.  After a silence the first post under way is sent
 * alone: its answer tells whether ingest is there, and what it has.
 */
int
sender_step(struct sender *s, int timeout_ms)
{
	int64_t now;

	send_unsent(s);
	if (bus_wait(s->dealer, timeout_ms))
		receive(s);
	now = steady_ms();
	if (now - s->heard_ms > s->conf->client_patience * 1000)
		return -1;
	if (s->first < s->unsent && now - s->heard_ms >= PROBE_MS &&
	    now - s->probed_ms >= PROBE_MS) {
		(void)send_frame(s, s->first, 1);
		s->probed_ms = now;
		s->doubtful = true;
	}
	return 0;
}

int
sender_post(struct sender *s, struct slice body)
{
	struct buf *slot;

	if (s->first == s->next)
		s->heard_ms = steady_ms();	/* nothing was owed until now */
	while (s->next - s->first >= s->window)
		if (sender_step(s, PROBE_MS) == -1)
			return -1;
	slot = &s->ring[s->next % s->window];
	buf_clear(slot);
	if (buf_addslice(slot, body) == -1)
		return -1;
	s->next++;
	if (s->first == s->unsent || s->next - s->unsent >= GATHER_ENTRIES) {
		send_unsent(s);
		/* Answers are taken as they come, so that none piles up. */
		receive(s);
	}
	return 0;
}

/* What the flat reader leaves: lists, escapes of all kinds, many members. */
static bool
read_tree(struct sender *s, struct slice text, enum msg_id *id,
    union msg_any *entry, json_t **tree)
{
	json_t *json = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES,
	    NULL);
	const char *type = json_string_value(json_object_get(json, "type"));
	const struct msg_spec *spec = msg_spec(MSG_turn);
	struct msg_error why;

	*tree = json;
	if (json_object_get(json, "type") != NULL)
		spec = type == NULL ? NULL : msg_spec_named(slice_str(type));
	if (!json_is_object(json) || spec == NULL || !msg_is_entry(spec->id) ||
	    spec->id == MSG_exchange)
		return false;
	*id = spec->id;
	/* What is ignored is said in the answer, by ingest. */
	return msg_json_unknown(json, *id, NULL, 0) == 0 &&
	    msg_from_json(json, &s->arena, *id, entry, true, &why) == 0;
}

/* The record of a JSON entry in s->record; false: let ingest read the JSON. */
static bool
to_record(struct sender *s, struct slice text)
{
	union msg_any *entry = arena_alloc(&s->arena, sizeof(*entry));
	json_t *tree = NULL;
	enum msg_id id;
	bool good;

	buf_clear(&s->record);
	good = (msg_from_flat_json(text, &s->arena, &id, entry) ||
		   read_tree(s, text, &id, entry, &tree)) &&
	    msg_encode(&s->record, id, entry) == 0;
	json_decref(tree);
	arena_reset(&s->arena);
	return good;
}

int
sender_post_json(struct sender *s, struct slice json)
{
	return sender_post(s, to_record(s, json) ? buf_slice(&s->record) : json);
}

int
sender_flush(struct sender *s)
{
	while (s->first < s->next)
		if (sender_step(s, PROBE_MS) == -1)
			return -1;
	return 0;
}

uint64_t
sender_owed(const struct sender *s)
{
	return s->next - s->first;
}

void
sender_close(struct sender **sender)
{
	struct sender *s = *sender;
	struct msg_post bye = { .bye = true };
	size_t i;

	if (s == NULL)
		return;
	bye.nonce = slice_of((char *)s->nonce, sizeof(s->nonce));
	bye.settled = s->first - 1;
	if (s->first == s->next)
		(void)send_post(s, &bye);
	bus_linger(s->dealer, 200);
	bus_close(&s->bus);
	for (i = 0; i < s->window; i++)
		buf_release(&s->ring[i]);
	free(s->ring);
	buf_release(&s->frame);
	buf_release(&s->record);
	arena_release(&s->arena);
	free(s);
	*sender = NULL;
}
