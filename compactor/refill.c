/*
 * refill - a package's own program, which may word an artifact better
 */
#include "compactor/refill.h"

#include <jansson.h>

#include "common/coprocess.h"
#include "common/json.h"
#include "common/log.h"
#include "compactor/package_impl.h"

enum {
	ANSWER_LIMIT = 1024 * 1024,
	VALUE_BYTES = 2000,	/* of a field that a program fills */
};

/* ---- the question ---- */

static void
write_field(struct buf *out, const struct package *p,
    const struct msg_a_field *f)
{
	const struct package_field *is = package_field(p, f->name);
	bool list = is != NULL && (is->type == TYPE_of_list ||
	    is->type == TYPE_of_turns);

	json_put_str(out, f->name);
	buf_adds(out, list ? ":[" : ":");
	for (size_t i = 0; i < f->values.count && (list || i == 0); i++) {
		buf_adds(out, i > 0 ? "," : "");
		json_put_str(out, f->values.at[i]);
	}
	if (!list && f->values.count == 0)
		buf_adds(out, "null");
	buf_adds(out, list ? "]" : "");
}

static void
write_text(struct buf *out, const char *name, struct slice value)
{
	buf_addf(out, "\"%s\":", name);
	json_put_str(out, value);
	buf_addc(out, ',');
}

static void
write_line(struct buf *out, const struct package *p,
    const struct msg_artifact *a)
{
	buf_addc(out, '{');
	write_text(out, "package", p->name);
	write_text(out, "domain", a->domain);
	write_text(out, "user", a->user);
	buf_adds(out, "\"fields\":{");
	for (size_t i = 0; i < a->n_fields; i++) {
		buf_adds(out, i > 0 ? "," : "");
		write_field(out, p, &a->fields[i]);
	}
	buf_adds(out, "},");
	write_text(out, "summary", a->summary);
	write_text(out, "resolution", a->resolution);
	buf_addf(out, "\"confidence\":%llu}\n",
	    (unsigned long long)a->confidence);
}

/* ---- the answer ---- */

static bool
is_value(json_t *json)
{
	return json_is_string(json) &&
	    json_string_length(json) <= VALUE_BYTES;
}

static void
add_value(struct compact *c, struct msg_strs *values, json_t *json)
{
	if (json_string_length(json) > 0)
		strs_add(values, c->arena, arena_dup(c->arena,
		    slice_of(json_string_value(json),
			json_string_length(json))));
}

/* One string, or several where the schema has a list; false: neither. */
static bool
read_values(struct compact *c, const struct package_field *f, json_t *json,
    struct msg_strs *values)
{
	json_t *item;
	size_t i;

	if (is_value(json)) {
		add_value(c, values, json);
		return true;
	}
	if (!json_is_array(json) || json_array_size(json) > f->most)
		return false;
	json_array_foreach(json, i, item) {
		if (!is_value(item))
			return false;
		add_value(c, values, item);
	}
	return true;
}

/* All of it is good, or none of it is taken. */
static int
read_answer(struct compact *c, const struct package *p, json_t *json,
    struct msg_artifact *a)
{
	json_t *fields = json_object_get(json, "fields"), *value;
	json_t *sure = json_object_get(json, "confidence");
	struct msg_artifact changed = *a;
	const char *name;

	if (!json_is_object(json) || (fields != NULL &&
	    !json_is_object(fields)) || (sure != NULL &&
	    (!json_is_integer(sure) || json_integer_value(sure) < 0 ||
	    json_integer_value(sure) > 1000)))
		return -1;
	json_object_foreach(fields, name, value) {
		const struct package_field *f = package_field(p,
		    slice_str(name));
		struct msg_strs values = { NULL, 0 };

		if (f == NULL || !read_values(c, f, value, &values))
			return -1;
		artifact_set_field(&changed, c->arena, arena_cstr(c->arena,
		    f->name), values.at, values.count);
	}
	if (sure != NULL)
		changed.confidence = (uint64_t)json_integer_value(sure);
	*a = changed;
	return 0;
}

static void
breathe(void *data)
{
	stage_breathe(data);
}

static int
ask(struct compact *c, struct coprocess *process, const struct package *p,
    struct msg_artifact *a)
{
	struct slice answer;
	struct buf line;
	json_t *json;
	int rc;

	if (coprocess_is_out_of_step(process))
		coprocess_end(process);
	buf_init(&line, SIZE_MAX / 4);
	write_line(&line, p, a);
	rc = coprocess_ask(process, buf_slice(&line),
	    c->conf->package_timeout * 1000, breathe, c->st, &answer);
	if (rc == 0) {
		json = json_loadb(answer.ptr, answer.len, 0, NULL);
		rc = read_answer(c, p, json, a);
		json_decref(json);
	}
	buf_release(&line);
	return rc;
}

void
package_refill(struct compact *c, const struct package *p,
    struct msg_artifact *a)
{
	struct packages *set = c->packages;
	struct coprocess **process = &set->filters[p - set->list];

	if (p->filter.len == 0)
		return;
	if (*process == NULL)
		*process = coprocess_open(arena_cstr(&set->arena, p->filter),
		    ANSWER_LIMIT);
	if (ask(c, *process, p, a) == 0)
		return;
	log_warnx("seq %llu: the filter of package %.*s gave no answer that "
		  "can be used: the built-in filling stays",
	    (unsigned long long)c->seq, SLICE_ARG(p->name));
	stage_count(c->st, COUNTER_package_faults, 1);
}
