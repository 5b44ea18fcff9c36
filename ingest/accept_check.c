/*
 * accept_check - whether the fields of an entry are what they may be
 */
#include "ingest/accept_check.h"

#include "common/injected.h"
#include "common/text.h"

/* ---- one field ---- */

/* What a thought refines or consolidates is a matter of its own codes. */
static const char *
code_for(const char *field, const char *code)
{
	return strcmp(field, "refines") == 0 ||
		strcmp(field, "consolidates") == 0 ? "VALIDATION_ERROR" : code;
}

static int
check_name(const struct conf *conf, const char *field, struct slice s,
    struct refusal *refusal)
{
	size_t i;

	if (s.len > (size_t)conf->max_name)
		return refuse(refusal, code_for(field, "too_large"),
		    "%s: %zu bytes, at most max_name = %lld", field, s.len,
		    (long long)conf->max_name);
	for (i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f)
			return refuse(refusal, code_for(field, "bad_value"),
			    "%s: has a control character", field);
	return 0;
}

/* Fields that identify something; all other strings are text. */
static bool
is_name(const char *field)
{
	static const char *const names[] = { "domain", "id", "user", "channel",
		"room", "session", "thread", "as", "reply_to", "at", "refines",
		"agent_id", "artifact", "link", "target", "question", "kind",
		"role", "verdict", "what", "consolidates", "artifacts",
		"response_id", "previous_response_id", "model", "name",
		"agent_name" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (field[0] == names[i][0] && strcmp(field, names[i]) == 0)
			return true;
	return false;
}

static int
check_str(const struct conf *conf, const char *field, struct slice s,
    struct refusal *refusal)
{
	if (memchr(s.len > 0 ? s.ptr : "x", 0, s.len) != NULL)
		return refuse(refusal, "nul", "%s: has a NUL byte", field);
	if (s.len == 0)
		return refuse(refusal, code_for(field, "bad_value"),
		    "%s: is empty", field);
	if (is_name(field))
		return check_name(conf, field, s, refusal);
	if (s.len > (size_t)conf->max_text * 1024)
		return refuse(refusal, "too_large",
		    "%s: %zu bytes, at most max_text = %lld KiB", field, s.len,
		    (long long)conf->max_text);
	return 0;
}

static int
check_strs(const struct conf *conf, const char *field,
    const struct msg_strs *strs, struct refusal *refusal)
{
	size_t i;

	if (strs->count == 0 || strs->count > (size_t)conf->max_list)
		return refuse(refusal, strcmp(field, "consolidates") == 0 &&
			strs->count == 0 ? "MIN_CONSOLIDATION" : "bad_value",
		    "%s: has %zu items, must have 1 to max_list = %lld", field,
		    strs->count, (long long)conf->max_list);
	for (i = 0; i < strs->count; i++)
		if (check_str(conf, field, strs->at[i], refusal) == -1)
			return -1;
	return 0;
}

int
accept_check_fields(const struct conf *conf, const struct msg_spec *spec,
    const void *msg, struct refusal *refusal)
{
	const struct msg_field *f;
	const void *value;
	size_t i;
	int rc;

	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		value = (const char *)msg + f->offset;
		rc = 0;
		if (!msg_has_tag(msg, f->tag))
			continue;
		if (f->type == TYPE_str)
			rc = check_str(conf, f->name,
			    *(const struct slice *)value, refusal);
		else if (f->type == TYPE_strs)
			rc = check_strs(conf, f->name, value, refusal);
		if (rc == -1)
			return -1;
	}
	return 0;
}

static int
check_one_of(const char *field, struct slice value, const char *const *words,
    struct refusal *refusal)
{
	struct buf list;
	size_t i;

	buf_init(&list, 200);
	for (i = 0; words[i] != NULL; i++) {
		if (slice_is(value, words[i])) {
			buf_release(&list);
			return 0;
		}
		buf_addf(&list, "%s%s", i > 0 ? ", " : "", words[i]);
	}
	refuse(refusal, "bad_value", "%s: '%.*s' is not one of %s", field,
	    (int)text_cut(value, 40), value.ptr, buf_cstr(&list));
	buf_release(&list);
	return -1;
}

/* ---- one type ---- */

static int
check_turn(struct msg_turn *t, struct refusal *refusal)
{
	static const char *const roles[] = { "user", "assistant", "system",
		"tool", NULL };
	static const char *const kinds[] = { "explicit", "implicit", NULL };

	if (t->role.len == 0)
		t->role = SLICE("user");
	if (t->kind.len == 0)
		t->kind = t->thread.len > 0 ? SLICE("explicit") :
					      SLICE("implicit");
	if (check_one_of("role", t->role, roles, refusal) == -1 ||
	    check_one_of("kind", t->kind, kinds, refusal) == -1)
		return -1;
	if (slice_is(t->kind, "implicit") && t->thread.len > 0)
		return refuse(refusal, "bad_value",
		    "kind: is implicit, but a thread is given");
	if (slice_is(t->kind, "explicit") && t->thread.len == 0 &&
	    t->session.len == 0)
		return refuse(refusal, "missing",
		    "thread: is missing: an explicit turn names its thread, "
		    "or a session");
	if (msg_has_tag(t, MSGTAG_turn_inactivity_timeout_minutes) &&
	    (t->inactivity_timeout_minutes < 1 ||
		t->inactivity_timeout_minutes > 525600))
		return refuse(refusal, "bad_value",
		    "inactivity_timeout_minutes: must be 1 to 525600");
	return 0;
}

static int
check_memory(struct msg_memory *m, struct arena *arena,
    struct refusal *refusal)
{
	size_t i;

	m->text = injected_strip(m->text, arena);
	if (m->text.len == 0)
		return refuse(refusal, "bad_value", "text: is nothing but "
		    "what was handed out or put in: it is not taken in again");
	if (m->refines.len > 0 && m->consolidates.count > 0)
		return refuse(refusal, "MUTUAL_EXCLUSION",
		    "refines, consolidates: only one of the two may be given");
	if (m->consolidates.count == 0)
		return 0;
	for (i = 1; i < m->consolidates.count; i++)
		if (!slice_eq(m->consolidates.at[i], m->consolidates.at[0]))
			return 0;
	return refuse(refusal, "MIN_CONSOLIDATION",
	    "consolidates: needs at least two different ids");
}

int
accept_check_type(enum msg_id type, union msg_any *e, struct arena *arena,
    struct refusal *refusal)
{
	static const char *const verdicts[] = { "right", "wrong", NULL };
	static const char *const targets[] = { "user", "thread", "turn",
		"artifact", "domain", NULL };

	switch (type) {
	case MSG_turn:
		return check_turn(&e->turn, refusal);
	case MSG_memory:
		return check_memory(&e->memory, arena, refusal);
	case MSG_close:
		if ((e->close.thread.len > 0) == (e->close.artifact.len > 0))
			return refuse(refusal, "missing",
			    "thread, artifact: exactly one is needed");
		return 0;
	case MSG_reopen:
		if ((e->reopen.thread.len > 0) == (e->reopen.artifact.len > 0))
			return refuse(refusal, "missing",
			    "thread, artifact: exactly one is needed");
		return 0;
	case MSG_feedback:
		return check_one_of("verdict", e->feedback.verdict, verdicts,
		    refusal);
	case MSG_forget:
		if (check_one_of("what", e->forget.what, targets,
			refusal) == -1)
			return -1;
		if (e->forget.target.len == 0 &&
		    !slice_is(e->forget.what, "domain"))
			return refuse(refusal, "missing",
			    "target: is missing: which %.*s?",
			    SLICE_ARG(e->forget.what));
		return 0;
	case MSG_session_end:
		if (e->session_end.session.len == 0)
			return refuse(refusal, "missing",
			    "session: is missing");
		return 0;
	case MSG_tick:
		if (e->tick.user.len == 0 && e->tick.room.len == 0)
			return refuse(refusal, "missing",
			    "user: is missing: a sender's tick is for one "
			    "user or room");
		return 0;
	default:
		return 0;
	}
}
