/*
 * stage_filter - --exec: a program in any language that takes decide's place
 *
 * One JSON line in per entry, {"seq","type","entry","sections"}; one JSON line
 * out, the section: {"section":"s_classify",...}, or {} for nothing to say.
 * The runner keeps sockets, store, cursor and apply.
 *
 * A bad answer rejects that entry.  A filter that dies is started again and
 * given the same line; if the fresh one dies on it too, or falls silent past
 * exec_timeout, the entry is rejected and the stream goes on.  One that gives
 * more than a line for a line is started again before the next.
 */
#include <jansson.h>
#include <stdlib.h>

#include "common/coprocess.h"
#include "common/log.h"
#include "common/stage_impl.h"
#include "common/xmalloc.h"

enum { ANSWER_LIMIT = 64 * 1024 * 1024 };

struct filter {
	const char *command;
	struct coprocess *process;
	struct buf line;
};

struct filter *
filter_start(struct stage *st, const char *command)
{
	struct filter *f = xcalloc(1, sizeof(*f));

	(void)st;
	f->command = command;
	f->process = coprocess_open(command, ANSWER_LIMIT);
	buf_init(&f->line, SIZE_MAX / 4);
	return f;
}

void
filter_stop(struct filter **filter)
{
	struct filter *f = *filter;

	if (f == NULL)
		return;
	coprocess_close(&f->process);
	buf_release(&f->line);
	free(f);
	*filter = NULL;
}

static void
write_line(struct buf *out, const struct stage_entry *e, enum stage_id before)
{
	const char *comma = "";
	enum stage_id id;

	buf_clear(out);
	buf_addf(out, "{\"seq\":%llu,\"type\":\"%s\",\"entry\":",
	    (unsigned long long)e->seq, msg_spec(e->entry.id)->name);
	msg_to_json(out, e->entry.id, e->entry.as, false);
	buf_adds(out, ",\"sections\":{");
	for (id = 0; id < before; id++) {
		if (e->sections[id].id == MSG_none)
			continue;
		buf_addf(out, "%s\"%s\":", comma, stage_name(id));
		msg_to_json(out, e->sections[id].id, e->sections[id].as, false);
		comma = ",";
	}
	buf_adds(out, "}}\n");
}

/* The section that an answer's JSON names, in the stage's arena. */
static int
read_section(struct stage *st, json_t *json, struct msg *section,
    struct msg_error *why)
{
	const struct msg_spec *spec = msg_spec(MSG_s_none);
	const char *name = json_string_value(json_object_get(json, "section"));
	union msg_any *msg;

	if (!json_is_object(json)) {
		msg_fail(why, "the filter's answer is not a JSON object");
		return -1;
	}
	if (name != NULL)
		spec = msg_spec_named(slice_str(name));
	else if (json_object_size(json) > 0) {
		msg_fail(why, "the filter's answer has no 'section' name");
		return -1;
	}
	if (spec == NULL || strncmp(spec->name, "s_", 2) != 0) {
		msg_fail(why, "'%s' is no section", name);
		return -1;
	}
	msg = arena_alloc(&st->arena, sizeof(*msg));
	if (msg_from_json(json, &st->arena, spec->id, msg, false, why) == -1)
		return -1;
	*section = (struct msg){ spec->id, msg };
	return 0;
}

/* Strings of *section would point into the JSON tree: encode and decode. */
static int
settle_section(struct stage *st, struct msg *section, struct msg_error *why)
{
	struct slice kept;
	struct buf record;
	int rc;

	buf_init(&record, ANSWER_LIMIT);
	rc = msg_encode(&record, section->id, section->as);
	if (rc == -1)
		msg_fail(why, "the filter's section is too large");
	kept = arena_dup(&st->arena, buf_slice(&record));
	buf_release(&record);
	return rc == -1 ? -1 : msg_decode(kept, &st->arena, section, why);
}

static int
read_answer(struct stage *st, struct slice answer, struct msg *section,
    struct msg_error *why)
{
	json_error_t error;
	json_t *json = json_loadb(answer.ptr, answer.len, 0, &error);
	int rc = -1;

	if (json == NULL)
		msg_fail(why, "the filter's answer is not JSON: %s", error.text);
	else if (read_section(st, json, section, why) == 0)
		rc = settle_section(st, section, why);
	json_decref(json);
	return rc;
}

static void
breathe(void *data)
{
	status_breathe(data);
}

int
filter_decide(struct stage *st, const struct stage_entry *e,
    struct msg *section, struct msg_error *why)
{
	struct filter *f = st->filter;
	struct slice answer;
	bool was_fresh;

	write_line(&f->line, e, st->spec->id);
	if (coprocess_is_out_of_step(f->process)) {
		log_warnx("the filter gave more than one line before seq %llu: "
			  "started anew", (unsigned long long)e->seq);
		coprocess_end(f->process);
	}
	for (;;) {
		was_fresh = coprocess_is_fresh(f->process);
		if (coprocess_ask(f->process, buf_slice(&f->line),
		    st->conf.exec_timeout * 1000, breathe, st, &answer) == 0)
			return read_answer(st, answer, section, why);
		log_warnx("the filter died or fell silent at seq %llu",
		    (unsigned long long)e->seq);
		stage_count(st, COUNTER_filter_deaths, 1);
		if (was_fresh) {
			msg_fail(why, "the filter gave no answer, twice: %.100s",
			    f->command);
			return -1;
		}
	}
}
