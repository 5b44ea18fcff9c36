/*
 * command - an entry that asks for something, and what became of it
 */
#include "cli/command.h"

#include <stdio.h>

#include "common/json.h"
#include "common/sender.h"
#include "common/when.h"
#include "store/query.h"

struct outcome {
	struct arena arena;
	bool has_ack;
	uint64_t seq;
	struct slice id, key, result, guidance;
	struct slice code, message, class;
};

const char *
command_error_class(struct slice code)
{
	static const char *const validation[] = { "MUTUAL_EXCLUSION",
		"MIN_CONSOLIDATION", "VALIDATION_ERROR" };
	size_t i;

	for (i = 0; i < sizeof(validation) / sizeof(validation[0]); i++)
		if (slice_is(code, validation[i]))
			return "VALIDATION_ERROR";
	if (code.len > 10 && memcmp(code.ptr + code.len - 10, "_NOT_FOUND",
		10) == 0)
		return "NOT_FOUND";
	return NULL;
}

/* ---- the entry ---- */

void
command_begin(struct command *c, struct cli *cli)
{
	*c = (struct command){ .cli = cli, .domain = SLICE("default") };
	arena_init(&c->arena);
	buf_init(&c->json, SIZE_MAX / 4);
}

void
command_end(struct command *c)
{
	buf_release(&c->json);
	arena_release(&c->arena);
}

void
command_type(struct command *c, const char *type)
{
	buf_clear(&c->json);
	buf_addf(&c->json, "{\"type\":\"%s\"", type);
}

void
command_put(struct command *c, const char *name, struct slice value)
{
	buf_addf(&c->json, ",\"%s\":", name);
	json_put_str(&c->json, value);
}

void
command_put_list(struct command *c, const char *name,
    const struct msg_strs *values)
{
	size_t i;

	buf_addf(&c->json, ",\"%s\":[", name);
	for (i = 0; i < values->count; i++) {
		buf_adds(&c->json, i > 0 ? "," : "");
		json_put_str(&c->json, values->at[i]);
	}
	buf_addc(&c->json, ']');
}

static void
put_envelope(struct command *c)
{
	const struct {
		const char *name;
		struct slice value;
	} fields[] = { { "domain", c->domain }, { "user", c->user },
		{ "room", c->room }, { "session", c->session }, { "id", c->id },
		{ "agent_id", c->agent_id }, { "agent_name", c->agent_name } };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].value.len > 0)
			command_put(c, fields[i].name, fields[i].value);
	if (c->has_ts)
		buf_addf(&c->json, ",\"ts\":%lld", (long long)c->ts);
	buf_addc(&c->json, '}');
}

/* ---- what became of it ---- */

static void
on_result(void *data, const struct msg_ack *ack)
{
	struct outcome *o = data;

	o->has_ack = true;
	o->seq = ack->seq;
	o->id = arena_dup(&o->arena, ack->id);
	o->key = arena_dup(&o->arena, ack->key);
	o->code = arena_dup(&o->arena, ack->code);
	o->message = arena_dup(&o->arena, ack->message);
}

/* Somebody waits for a command: not as long as a feed of entries may. */
static int64_t
patience_of(const struct cli *cli)
{
	enum { DOWN_S = 5 };

	return cli_supervisor(cli) != 0 || cli->conf.client_patience < DOWN_S ?
	    cli->conf.client_patience : DOWN_S;
}

static int
send(const struct command *c, struct outcome *o)
{
	const struct cli *cli = c->cli;
	struct conf conf = cli->conf;
	struct sender *sender;
	int rc;

	conf.client_patience = patience_of(cli);
	if (cli_expect_pipeline(cli, conf.client_patience) == -1)
		return 1;
	sender = sender_open(&conf, on_result, o);
	rc = sender_post_json(sender, buf_slice(&c->json));
	if (rc == 0)
		rc = sender_flush(sender);
	sender_close(&sender);
	if (rc == 0 && o->has_ack)
		return 0;
	return cli_fail(cli, "ingest has not answered for %lld s: is the "
	    "pipeline up? See 'skein status'",
	    (long long)conf.client_patience);
}

/* A section's text field by name; empty: it has none. */
static struct slice
section_text(const struct msg *section, const char *name)
{
	const struct msg_spec *spec = msg_spec(section->id);
	size_t i;

	for (i = 0; spec != NULL && i < spec->n_fields; i++)
		if (spec->fields[i].type == TYPE_str &&
		    strcmp(spec->fields[i].name, name) == 0)
			return *(const struct slice *)
			    ((const char *)section->as +
				spec->fields[i].offset);
	return SLICE_NONE;
}

static void
take(struct outcome *o, struct slice *into, struct slice text)
{
	if (into->len == 0 && text.len > 0)
		*into = arena_dup(&o->arena, text);
}

/* What ingest made of a wish to forget stands in a table of its own. */
static void
take_forgotten(struct query *q, struct outcome *o)
{
	struct key k = key_u64(o->seq);
	struct msg_forgotten f;

	if (!db_get_msg(q->shared, TABLE_forgets, key_slice(&k), MSG_forgotten,
		&q->arena, &f))
		return;
	if (!f.done)
		take(o, &o->result, SLICE("it waits for room on the disk"));
	else
		take(o, &o->result, arena_printf(&o->arena, "%llu %s, %llu %s",
		    (unsigned long long)f.entries,
		    f.entries == 1 ? "entry" : "entries",
		    (unsigned long long)f.turns,
		    f.turns == 1 ? "turn" : "turns"));
}

/* Whoever owns the command has said so in its section. */
static void
take_sections(struct query *q, struct outcome *o)
{
	struct stage_entry e;
	enum stage_id id;
	uint64_t thread;

	query_entry(q, o->seq, &e);
	if (e.entry.id == MSG_forget)
		take_forgotten(q, o);
	for (id = 0; id < STAGE_COUNT; id++) {
		const struct msg *s = &e.sections[id];

		if (s->id == MSG_none)
			continue;
		if (section_text(s, "error").len > 0 && o->code.len == 0) {
			take(o, &o->code, section_text(s, "error"));
			take(o, &o->message, section_text(s, "message"));
			take(o, &o->class, section_text(s, "error_class"));
		}
		take(o, &o->result, section_text(s, "result"));
		take(o, &o->guidance, section_text(s, "guidance"));
		if (s->id == MSG_s_none && s->as->s_none.rejected) {
			take(o, &o->code, SLICE("rejected"));
			take(o, &o->message, SLICE("a stage could not use it: "
			    "see 'skein rejects'"));
		}
	}
	if (o->result.len > 0 || o->code.len > 0 ||
	    e.sections[STAGE_ingest].id != MSG_s_ingest)
		return;
	thread = e.sections[STAGE_ingest].as->s_ingest.thread;
	take(o, &o->result, thread != 0 ? query_thread_name(q, thread) :
	    e.entry.id == MSG_session_end ? e.entry.as->session_end.session :
					    SLICE_NONE);
}

static int
read_outcome(const struct command *c, struct outcome *o)
{
	struct db *shared;
	struct query q;

	if (cli_wait_store(c->cli, o->seq) == -1)
		return 1;
	shared = cli_open(c->cli, ENV_shared);
	if (shared == NULL)
		return 1;
	query_open(&q, shared, NULL, c->domain);
	take_sections(&q, o);
	query_close(&q);
	db_close(&shared);
	return 0;
}

/* ---- printing ---- */

static void
put_maybe(struct buf *out, const char *name, struct slice text)
{
	buf_addf(out, ",\"%s\":", name);
	if (text.len > 0)
		json_put_str(out, text);
	else
		buf_adds(out, "null");
}

/* Who begins a chat must know where it goes on. */
static struct slice
goes_on(const struct command *c, const struct outcome *o)
{
	return c->thread.len > 0 ? c->thread : o->result;
}

static void
print_json(const struct command *c, const struct outcome *o)
{
	const char *class = o->class.len > 0 ? NULL :
					       command_error_class(o->code);
	struct buf out;

	buf_init(&out, SIZE_MAX / 4);
	buf_adds(&out, "{\"id\":");
	if (o->id.len > 0)
		json_put_str(&out, o->id);
	else
		buf_adds(&out, "null");
	if (o->seq > 0)
		buf_addf(&out, ",\"seq\":%llu", (unsigned long long)o->seq);
	else
		buf_adds(&out, ",\"seq\":null");
	if (o->code.len > 0) {
		buf_adds(&out, ",\"error\":{\"code\":");
		json_put_str(&out, o->code);
		put_maybe(&out, "message", o->message);
		put_maybe(&out, "class", class != NULL ? slice_str(class) :
							 o->class);
		buf_adds(&out, "}}");
	} else {
		put_maybe(&out, "result", o->result);
		put_maybe(&out, "guidance", o->guidance);
		if (c->option != NULL) {
			buf_addf(&out, ",\"option\":\"%s\"", c->option);
			put_maybe(&out, "thread", goes_on(c, o));
		}
		buf_addc(&out, '}');
	}
	puts(buf_cstr(&out));
	buf_release(&out);
}

static void
print(const struct command *c, const struct outcome *o)
{
	struct slice made = goes_on(c, o);

	if (c->cli->json) {
		print_json(c, o);
	} else if (o->code.len > 0) {
		cli_fail(c->cli, "%.*s: %.*s", SLICE_ARG(o->code),
		    SLICE_ARG(o->message));
	} else {
		printf("%.*s\n", SLICE_ARG(made.len > 0 ? made :
							  SLICE("done")));
		if (o->guidance.len > 0)
			printf("%.*s\n", SLICE_ARG(o->guidance));
	}
}

int
command_run(struct command *c)
{
	struct outcome o = { 0 };
	int rc;

	put_envelope(c);
	arena_init(&o.arena);
	rc = send(c, &o);
	if (rc == 0 && o.code.len == 0)
		rc = read_outcome(c, &o);
	if (rc == 0) {
		print(c, &o);
		rc = o.code.len > 0 ? 1 : 0;
	}
	arena_release(&o.arena);
	return rc;
}
