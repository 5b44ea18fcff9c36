/*
 * package_field - the fields of a package: what each holds, how it is filled
 */
#include "classify/entities.h"
#include "compactor/package_impl.h"

enum {
	VALUES_MOST = 8,	/* of a list that does not say */
	VALUES_LIMIT = 64,
};

int
reader_field(struct reader *r, struct slice rest)
{
	static const char *const types[] = { "text", "list", "number", "time",
		"turns" };
	struct package *p = &r->out->package;
	struct slice name = reader_take(&rest), type = reader_take(&rest);
	size_t k = 0;

	if (!reader_is_name(name))
		return REFUSE(r, "a field has a name of small letters, not "
		    "'%.*s'", SLICE_ARG(name));
	if (package_field(p, name) != NULL)
		return REFUSE(r, "field '%.*s' is defined twice, first in line "
		    "%u", SLICE_ARG(name), package_field(p, name)->line);
	while (k < 5 && !slice_is(type, types[k]))
		k++;
	if (k == 5)
		return REFUSE(r, "a field is text, list, number, time or "
		    "turns, not '%.*s'", SLICE_ARG(type));
	if (rest.len > 0 && !slice_is(rest, "required"))
		return REFUSE(r, "'%.*s' is not understood: required, or "
		    "nothing", SLICE_ARG(rest));
	p->fields = reader_grow(r, p->fields, &p->n_fields, sizeof(*p->fields));
	p->fields[p->n_fields - 1] = (struct package_field){ .name = name,
		.line = r->line, .type = (enum package_type)k,
		.required = rest.len > 0, .places = 0, .role = ROLE_any,
		.most = k == TYPE_of_list || k == TYPE_of_turns ?
		    VALUES_MOST : 1 };
	r->inside = INSIDE_field;
	return 0;
}

static int
read_from(struct reader *r, struct package_field *f, struct slice rest)
{
	static const struct {
		const char *name;
		unsigned place;
	} places[] = { { "opening", PLACE_opening }, { "work", PLACE_work },
		{ "attempts", PLACE_attempt },
		{ "resolving", PLACE_resolving }, { "all", PLACE_all } };

	while (rest.len > 0) {
		struct slice word = reader_take(&rest);
		size_t k = 0;

		if (slice_is(word, "user") || slice_is(word, "assistant")) {
			if (reader_role(r, word, &f->role) < 0)
				return -1;
			continue;
		}
		while (k < 5 && !slice_is(word, places[k].name))
			k++;
		if (k == 5)
			return REFUSE(r, "from opening, work, attempts, "
			    "resolving, all, user or assistant, not '%.*s'",
			    SLICE_ARG(word));
		f->places |= places[k].place;
	}
	return 0;
}

static int
read_kinds(struct reader *r, struct package_by *by, struct slice rest)
{
	if (rest.len == 0)
		return REFUSE(r, "entities of which kinds? See "
		    "classify/entities.h");
	while (rest.len > 0) {
		struct slice word = reader_take(&rest);
		int kind = 0;

		while (kind < ENTITY_KINDS && !slice_is(word,
		    entity_kind_name((enum entity_kind)kind)))
			kind++;
		if (kind == ENTITY_KINDS)
			return REFUSE(r, "no such kind of entity: '%.*s'",
			    SLICE_ARG(word));
		by->kinds |= 1u << kind;
	}
	return 0;
}

static int
read_by(struct reader *r, struct package_field *f, struct slice rest)
{
	struct slice name = reader_take(&rest);
	struct package_by *by;
	int way = 0;

	while (way < WAY_COUNT &&
	    !slice_is(name, package_way_name((enum package_way)way)))
		way++;
	if (way == WAY_COUNT)
		return REFUSE(r, "no such way to fill a field: '%.*s'",
		    SLICE_ARG(name));
	f->by = reader_grow(r, f->by, &f->n_by, sizeof(*f->by));
	by = &f->by[f->n_by - 1];
	*by = (struct package_by){ (enum package_way)way, 0, MATCH_NONE };
	if (way == WAY_match)
		return reader_pattern(r, rest, &by->match);
	if (way == WAY_entities)
		return read_kinds(r, by, rest);
	if (rest.len > 0)
		return REFUSE(r, "'%.*s' takes nothing behind it",
		    SLICE_ARG(name));
	return 0;
}

int
reader_of_field(struct reader *r, struct slice key, struct slice rest)
{
	struct package *p = &r->out->package;
	struct package_field *f = &p->fields[p->n_fields - 1];
	unsigned most;

	if (slice_is(key, "from"))
		return read_from(r, f, rest);
	if (slice_is(key, "by"))
		return read_by(r, f, rest);
	if (slice_is(key, "most")) {
		if (f->type != TYPE_of_list && f->type != TYPE_of_turns)
			return REFUSE(r, "only a list has more than one value");
		if (reader_number(r, rest, 1, VALUES_LIMIT, &most) < 0)
			return -1;
		f->most = most;
		return 0;
	}
	return REFUSE(r, "no such key word in a field: '%.*s'",
	    SLICE_ARG(key));
}
