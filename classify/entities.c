/*
 * entities - what a statement names
 */
#include "classify/entities.h"

#include <assert.h>

#include "classify/dates.h"

enum { RARE_WEIGHT = 9000 };	/* a capital at the start says something */

const char *
entity_kind_name(enum entity_kind kind)
{
	static const char *const names[] = {
		"name", "person", "place", "product", "file", "identifier",
		"error", "version", "quantity", "date", "url", "email",
		"mention",
	};

	assert(kind < ENTITY_KINDS);
	return names[kind];
}

static void
teach_names(struct lexicon *l)
{
	lexicon_add_role(l, ROLE_FIRST_NAME, "aaron adam ahmed alex alice "
	    "amanda amy andrea andrew angela anna anne anthony audrey barbara "
	    "ben benjamin betty bob brandon brian bruce calvin carl carlos "
	    "carol caroline catherine charles charlie chris christine "
	    "christopher claire daniel dave david deborah diana dmitry donald "
	    "dorothy edward elena elizabeth ella emily emma eric ethan eva "
	    "evan fatima frank gary george gina greg hannah hans harry "
	    "heather helen henry igor ivan jack jacob james jane jason jeff "
	    "jen jennifer jenny jessica jim joanna joe john jolene jon "
	    "jonathan jose joseph josh juan julia julie karen kate katherine "
	    "kelly ken kevin kim klaus laura lauren lee leo linda lisa liu "
	    "louis lucas lucy luis luke margaret maria marie mark martin mary "
	    "matt matthew max megan melanie michael michelle miguel mike "
	    "mohammed nancy natasha nate nathan nick nicole nina noah olga "
	    "oliver olivia oscar patricia patrick paul pedro peter phil "
	    "philip priya rachel raj rebecca richard robert ryan sam samantha "
	    "samuel sandra sara sarah scott sean sergey sharon simon sophia "
	    "sophie stephanie stephen steve steven susan tanya teresa thomas "
	    "tim timothy tom tony victor victoria walter wei william yuki zoe");
	lexicon_add_role(l, ROLE_PLACE, "africa alabama alaska america "
	    "amsterdam arizona asia athens atlanta auckland australia austria "
	    "bangkok barcelona bavaria beijing belgium berlin boston brazil "
	    "brooklyn brussels budapest cairo california canada chicago chile "
	    "china cologne colombia colorado copenhagen dallas delhi denmark "
	    "denver detroit dubai dublin edinburgh egypt england estonia "
	    "europe finland florida france frankfurt geneva germany greece "
	    "hamburg hawaii helsinki hungary iceland illinois india indonesia "
	    "iran iraq ireland israel istanbul italy japan kenya korea kyiv "
	    "lisbon london madrid malaysia manchester manhattan melbourne "
	    "mexico miami michigan milan minnesota montreal morocco moscow "
	    "mumbai munich nairobi netherlands nevada nigeria norway ohio "
	    "oregon oslo ottawa pakistan paris peru philadelphia philippines "
	    "poland portland portugal prague rome russia scotland seattle "
	    "seoul shanghai singapore spain stockholm sweden switzerland "
	    "sydney taipei taiwan texas thailand tokyo toronto uk ukraine usa "
	    "utah vancouver vienna vietnam virginia wales warsaw washington "
	    "zurich москва россия");
	lexicon_add_role(l, ROLE_PRODUCT, "android angular ansible apache aws "
	    "azure bitbucket bluetooth c# c++ centos chrome chromium clang "
	    "cmake cuda debian django docker dropbox ebay elasticsearch excel "
	    "express.js facebook fastapi fedora ffmpeg figma firebase firefox "
	    "gcc gentoo github gitlab gmail gnome google gradle grafana "
	    "graphql grpc html instagram ios ipad iphone java javascript "
	    "jenkins jira jquery jupyter jwt kafka kde kotlin kubernetes "
	    "laravel linkedin linux lmdb macbook macos mariadb maven "
	    "memcached microsoft mongodb mysql netflix next.js nginx node.js "
	    "nodejs npm numpy nvidia oauth openssl oracle outlook pandas "
	    "paypal photoshop php playstation postfix postgres postgresql "
	    "powershell prometheus python pytorch rabbitmq react reddit redis "
	    "redux rust samba sap scala shopify slack spotify sqlite stripe "
	    "supabase svelte systemd tensorflow terraform tesla twilio "
	    "twitter typescript uber ubuntu vercel vscode vue vue.js webpack "
	    "whatsapp wikipedia wordpress xbox xcode youtube zeromq zoom");
}

void
entities_teach(struct lexicon *l)
{
	teach_names(l);
	lexicon_add_role(l, ROLE_CAPITAL, "apache excel express.js java maven "
	    "oracle outlook react rust slack stripe uber zoom");
	lexicon_add_role(l, ROLE_TITLE, "mr mrs ms dr prof professor sir "
	    "uncle aunt herr frau captain president mister doctor coach "
	    "madame señor");
	lexicon_add_role(l, ROLE_PERSON_CUE, "friend wife husband brother "
	    "sister son daughter mother father mom dad boss colleague "
	    "coworker manager neighbor named boyfriend girlfriend cousin hey "
	    "hi hello thanks partner teammate roommate heisse");
	lexicon_add_role(l, ROLE_SPEECH, "said says told asked thinks thought "
	    "wants wanted replied mentioned suggested likes loves agreed "
	    "wrote called sagte сказал сказала");
	lexicon_add_role(l, ROLE_PLACE_CUE, "in near visit visited visiting "
	    "leaving outside across throughout в");
	lexicon_add_role(l, ROLE_GOING, "moved move moving travel traveled "
	    "travelled traveling trip flew fly flying flight drove drive went "
	    "going go back been");
	lexicon_add_role(l, ROLE_NAME_LINK, "of de von van der da la le al del");
	lexicon_add_role(l, ROLE_ERROR_CUE, "error errors errno status code "
	    "http response unauthorized forbidden fehler ошибка");
	lexicon_add_role(l, ROLE_GERMAN, "der das und ist nicht ein eine ich "
	    "mit wir wird auf den dem einen für");
}

struct finder {
	struct arena *a;
	struct slice text;
	const struct term *terms;
	size_t count;
	struct date_frame dates;
	bool german;		/* where all nouns have capitals */
	bool shouting;		/* where all words have */
	struct entity *list;
	size_t found;
};

static bool
has_role(const struct finder *f, size_t i, unsigned role)
{
	return i < f->count && (f->terms[i].roles & role) != 0;
}

static bool
is_at(const struct finder *f, size_t i, const char *word)
{
	return i < f->count && slice_is(f->terms[i].folded, word);
}

static bool
is_any(const struct finder *f, size_t i, const char *const *words)
{
	for (; *words != NULL; words++)
		if (is_at(f, i, *words))
			return true;
	return false;
}

static void
add_entity(struct finder *f, enum entity_kind kind, size_t i, size_t terms,
    struct slice normal)
{
	const struct term *first = &f->terms[i];
	const struct term *last = &f->terms[i + terms - 1];
	struct entity *e;

	if (f->found == ENTITIES_MAX)
		return;
	e = &f->list[f->found++];
	*e = (struct entity){ .kind = kind, .normal = normal, .at = first->at,
		.len = last->at + last->len - first->at, .term = i,
		.terms = terms };
	e->text = slice_of(f->text.ptr + e->at, e->len);
}

/* "Bob's" names Bob. */
static struct slice
drop_possessive(struct slice s)
{
	if (s.len > 2 && s.ptr[s.len - 2] == '\'' && s.ptr[s.len - 1] == 's')
		s.len -= 2;
	return s;
}

static struct slice
join_folded(const struct finder *f, size_t i, size_t terms)
{
	struct slice word, out = drop_possessive(f->terms[i].folded);

	for (size_t t = i + 1; t < i + terms; t++) {
		word = f->terms[t].folded;
		if (t + 1 == i + terms)
			word = drop_possessive(word);
		out = arena_printf(f->a, "%.*s %.*s", SLICE_ARG(out),
		    SLICE_ARG(word));
	}
	return out;
}

static const char *
unit_of(struct slice word)
{
	static const struct {
		const char *word, *unit;
	} units[] = {
		{ "$", "usd" }, { "%", "%" }, { "b", "b" },
		{ "byte", "b" }, { "bytes", "b" }, { "cent", "cent" },
		{ "cents", "cent" }, { "cm", "cm" }, { "day", "day" },
		{ "days", "day" }, { "degrees", "degree" },
		{ "dollar", "usd" }, { "dollars", "usd" }, { "euro", "eur" },
		{ "euros", "eur" }, { "eur", "eur" }, { "fps", "fps" },
		{ "ft", "ft" }, { "feet", "ft" }, { "g", "g" },
		{ "gb", "gb" }, { "gib", "gib" }, { "ghz", "ghz" },
		{ "gigabytes", "gb" }, { "h", "hour" }, { "hour", "hour" },
		{ "hours", "hour" }, { "hr", "hour" }, { "hrs", "hour" },
		{ "hz", "hz" }, { "inch", "inch" }, { "inches", "inch" },
		{ "k", "k" }, { "kb", "kb" }, { "kg", "kg" },
		{ "kib", "kib" }, { "kilometers", "km" }, { "km", "km" },
		{ "kilos", "kg" }, { "lb", "lb" }, { "lbs", "lb" },
		{ "liters", "l" }, { "m", "m" }, { "mb", "mb" },
		{ "mbps", "mbps" }, { "meter", "m" }, { "meters", "m" },
		{ "mhz", "mhz" }, { "mi", "mile" }, { "mib", "mib" },
		{ "mile", "mile" }, { "miles", "mile" },
		{ "milliseconds", "ms" }, { "min", "minute" },
		{ "mins", "minute" }, { "minute", "minute" },
		{ "minutes", "minute" }, { "mm", "mm" },
		{ "month", "month" }, { "months", "month" }, { "ms", "ms" },
		{ "ns", "ns" }, { "percent", "%" }, { "pounds", "pound" },
		{ "px", "px" }, { "qps", "qps" }, { "rpm", "rpm" },
		{ "s", "second" }, { "sec", "second" }, { "secs", "second" },
		{ "second", "second" }, { "seconds", "second" },
		{ "tb", "tb" }, { "us", "us" }, { "usd", "usd" },
		{ "w", "w" }, { "watts", "w" }, { "week", "week" },
		{ "weeks", "week" }, { "x", "x" }, { "year", "year" },
		{ "years", "year" }, { "yr", "year" }, { "yrs", "year" },
		{ "°c", "°c" }, { "°f", "°f" }, { "минут", "minute" },
		{ "часа", "hour" }, { "tage", "day" }, { "stunden", "hour" },
		{ "minuten", "minute" }, { "wochen", "week" },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (word.len > 0 && word.ptr[0] == units[i].word[0] &&
		    slice_is(word, units[i].word))
			return units[i].unit;
	return NULL;
}

/* The digits of a number without signs and separators of thousands. */
static struct slice
plain_number(struct arena *a, struct slice s)
{
	char *out = arena_alloc(a, s.len + 1);
	size_t len = 0;

	for (size_t i = 0; i < s.len; i++)
		if ((s.ptr[i] >= '0' && s.ptr[i] <= '9') || s.ptr[i] == '.' ||
		    (s.ptr[i] == '-' && i == 0))
			out[len++] = s.ptr[i];
	return slice_of(out, len);
}

static const char *
currency_of(struct slice s)
{
	if (slice_starts(s, "$"))
		return "usd";
	if (slice_starts(s, "\xe2\x82\xac"))
		return "eur";
	if (slice_starts(s, "\xc2\xa3"))
		return "gbp";
	if (slice_starts(s, "\xc2\xa5"))
		return "jpy";
	return NULL;
}

/* 10GB, 5 minutes, $20, 15%; a number alone is no entity */
static size_t
find_quantity(struct finder *f, size_t i)
{
	const struct term *t = &f->terms[i];
	struct slice tail, value;
	size_t digits, used = 1;
	const char *unit;

	if (t->kind != TEXT_NUMBER)
		return 0;
	digits = text_number_len(t->folded);
	tail = slice_of(t->folded.ptr + digits, t->folded.len - digits);
	unit = currency_of(t->text);
	if (digits == 0)
		return 0;
	if (unit == NULL && tail.len > 0)
		unit = unit_of(tail);
	if (unit == NULL && tail.len == 0 && i + 1 < f->count) {
		unit = unit_of(f->terms[i + 1].folded);
		used = 2;
	}
	if (unit == NULL)
		return 0;
	/* "$5k" and "$5 million" stay as they are written. */
	value = plain_number(f->a, slice_of(t->folded.ptr, digits));
	if (currency_of(t->text) != NULL && tail.len > 0)
		value = arena_printf(f->a, "%.*s%.*s", SLICE_ARG(value),
		    SLICE_ARG(tail));
	add_entity(f, ENTITY_QUANTITY, i, used,
	    arena_printf(f->a, "%.*s %s", SLICE_ARG(value), unit));
	return used;
}

/* "401 error", "error 500", "exit code 1", "status 404" */
static size_t
find_error_number(struct finder *f, size_t i)
{
	static const char *const before[] = {
		"error", "errno", "status", "code", "http", "response", NULL
	};
	static const char *const after[] = {
		"error", "errors", "status", "response", "unauthorized",
		"forbidden", "fehler", "ошибка", NULL
	};
	const struct term *t = &f->terms[i];
	size_t lead = i;

	if (t->kind != TEXT_NUMBER || t->len > 6 ||
	    text_number_len(t->folded) != t->folded.len)
		return 0;
	/* "error code: 5" */
	while (lead > 0 && (is_at(f, lead - 1, ":") || is_at(f, lead - 1, "#")))
		lead--;
	if (!(lead > 0 && has_role(f, lead - 1, ROLE_ERROR_CUE) &&
	    is_any(f, lead - 1, before)) && !(t->len == 3 &&
	    has_role(f, i + 1, ROLE_ERROR_CUE) && is_any(f, i + 1, after)))
		return 0;
	add_entity(f, ENTITY_ERROR, i, 1, t->folded);
	return 1;
}

static bool
is_version_word(const struct finder *f, size_t i)
{
	static const char *const words[] = { "version", "release", "v", NULL };

	return is_any(f, i, words);
}

/* What its token alone already says. */
static size_t
find_token(struct finder *f, size_t i)
{
	const struct term *t = &f->terms[i];
	enum entity_kind kind;

	switch (t->kind) {
	case TEXT_PATH:
		kind = t->roles & ROLE_PRODUCT ? ENTITY_PRODUCT : ENTITY_FILE;
		break;
	case TEXT_IDENTIFIER:
		kind = t->roles & ROLE_PRODUCT ? ENTITY_PRODUCT
		    : ENTITY_IDENTIFIER;
		break;
	case TEXT_URL:
		kind = ENTITY_URL;
		break;
	case TEXT_EMAIL:
		kind = ENTITY_EMAIL;
		break;
	case TEXT_MENTION:
		kind = ENTITY_MENTION;
		break;
	case TEXT_ERROR:
		kind = ENTITY_ERROR;
		break;
	case TEXT_VERSION:
		kind = ENTITY_VERSION;
		break;
	case TEXT_NUMBER:
		if (i == 0 || !is_version_word(f, i - 1))
			return 0;
		kind = ENTITY_VERSION;
		break;
	default:
		return 0;
	}
	/* Files and identifiers can differ by case alone. */
	if (kind == ENTITY_FILE)
		add_entity(f, kind, i, 1, slice_of(t->text.ptr,
		    text_path_len(t->text)));
	else
		add_entity(f, kind, i, 1, kind == ENTITY_URL ||
		    kind == ENTITY_IDENTIFIER ? t->text : t->folded);
	return 1;
}

static bool
is_acronym(const struct term *t)
{
	if (t->kind != TEXT_WORD || t->len < 2 || t->len > 6)
		return false;
	for (size_t i = 0; i < t->len; i++)
		if (!(t->text.ptr[i] >= 'A' && t->text.ptr[i] <= 'Z') &&
		    !(i > 0 && t->text.ptr[i] >= '0' && t->text.ptr[i] <= '9'))
			return false;
	return true;
}

static bool
is_place_cue(const struct finder *f, size_t i)
{
	return has_role(f, i, ROLE_PLACE_CUE) || (i > 0 && is_at(f, i, "to") &&
	    has_role(f, i - 1, ROLE_GOING));
}

static bool
is_name_word(const struct finder *f, size_t i)
{
	const struct term *t;

	if (i >= f->count)
		return false;
	t = &f->terms[i];
	return (t->kind == TEXT_WORD || t->kind == TEXT_IDENTIFIER) &&
	    t->capital && t->class != TERM_STOP && !t->code &&
	    t->len > 1;
}

/* A small word that may stand inside a name: Bank of America. */
static bool
is_name_link(const struct finder *f, size_t i)
{
	return has_role(f, i, ROLE_NAME_LINK) && !f->terms[i].capital;
}

/* How many terms from i on are one name. */
static size_t
name_extent(const struct finder *f, size_t i)
{
	size_t end = i + 1;

	for (;;) {
		size_t gap = 0;

		while (gap < 2 && is_name_link(f, end + gap))
			gap++;
		if (!is_name_word(f, end + gap) || is_acronym(&f->terms[end +
		    gap]))
			break;
		end += gap + 1;
		if (end - i >= 8)
			break;
	}
	return end - i;
}

/* Does a term begin a sentence, where a capital says nothing? */
static bool
is_opening(const struct finder *f, size_t i)
{
	return i == 0 || f->terms[i - 1].kind == TEXT_PUNCT ||
	    f->terms[i - 1].kind == TEXT_EMOJI;
}

static bool
has_listed(const struct finder *f, size_t i, size_t terms, unsigned role)
{
	for (size_t t = i; t < i + terms; t++)
		if (f->terms[t].roles & role)
			return true;
	return false;
}

/* "in Options": a common word with a capital is no place. */
static bool
has_rare(const struct finder *f, size_t i, size_t terms)
{
	for (size_t t = i; t < i + terms; t++)
		if (!f->terms[t].known || f->terms[t].weight >= RARE_WEIGHT)
			return true;
	return false;
}

static enum entity_kind
name_kind(const struct finder *f, size_t i, size_t terms)
{
	if (i > 0 && (has_role(f, i - 1, ROLE_TITLE) || (is_at(f, i - 1, ".") && i > 1 &&
	    has_role(f, i - 2, ROLE_TITLE))))
		return ENTITY_PERSON;
	if (has_role(f, i, ROLE_TITLE) && terms > 1)
		return ENTITY_PERSON;
	if (has_listed(f, i, terms, ROLE_PRODUCT))
		return ENTITY_PRODUCT;
	if (has_listed(f, i, terms, ROLE_PLACE))
		return ENTITY_PLACE;
	if (has_role(f, i, ROLE_FIRST_NAME) ||
	    (i > 0 && has_role(f, i - 1, ROLE_PERSON_CUE)) ||
	    (has_role(f, i + terms, ROLE_SPEECH) && terms < 3))
		return ENTITY_PERSON;
	if (i > 0 && is_place_cue(f, i - 1) && !is_acronym(&f->terms[i]) &&
	    has_rare(f, i, terms))
		return ENTITY_PLACE;
	return ENTITY_NAME;
}

/* Is one capital at the start enough to call the word a name? */
static bool
is_name_at_start(const struct finder *f, size_t i)
{
	const struct term *t = &f->terms[i];

	if (t->roles & (ROLE_FIRST_NAME | ROLE_PLACE | ROLE_PRODUCT))
		return true;
	if (is_acronym(t))
		return true;
	return t->class == TERM_CONTENT && (!t->known ||
	    t->weight >= RARE_WEIGHT) && has_role(f, i + 1, ROLE_SPEECH);
}

/* Product names that people write small as well. */
static size_t
find_small_name(struct finder *f, size_t i)
{
	const struct term *t = &f->terms[i];
	enum entity_kind kind;
	size_t used = 1;

	if (t->kind != TEXT_WORD || t->class == TERM_STOP)
		return 0;
	if ((t->roles & ROLE_PRODUCT) && (t->capital ||
	    !(t->roles & ROLE_CAPITAL)))
		kind = ENTITY_PRODUCT;
	else if ((t->roles & ROLE_PLACE) && t->len > 3)
		kind = ENTITY_PLACE;
	else
		return 0;
	/* Windows 11, python 3.12: its number belongs to it */
	if (kind == ENTITY_PRODUCT && i + 1 < f->count &&
	    (f->terms[i + 1].kind == TEXT_VERSION ||
	    (f->terms[i + 1].kind == TEXT_NUMBER && f->terms[i + 1].len <= 5 &&
	    text_number_len(f->terms[i + 1].folded) ==
	    f->terms[i + 1].folded.len && unit_of(i + 2 < f->count ?
	    f->terms[i + 2].folded : SLICE_NONE) == NULL)))
		used = 2;
	add_entity(f, kind, i, used, join_folded(f, i, used));
	return used;
}

static size_t
find_name(struct finder *f, size_t i)
{
	const struct term *t = &f->terms[i];
	enum entity_kind kind;
	size_t terms;

	if (!is_name_word(f, i) || t->kind != TEXT_WORD || f->shouting)
		return 0;
	terms = is_acronym(t) ? 1 : name_extent(f, i);
	if (terms == 1 && has_role(f, i, ROLE_TITLE))
		return 0;
	if (terms == 1 && is_opening(f, i) && !is_name_at_start(f, i) &&
	    !(i > 1 && has_role(f, i - 2, ROLE_TITLE)))
		return 0;
	/* "Please Bob": a light word at the start is not of the name. */
	if (terms > 1 && is_opening(f, i) && t->class != TERM_CONTENT &&
	    !has_role(f, i, ROLE_TITLE))
		return 0;
	kind = name_kind(f, i, terms);
	if (kind == ENTITY_NAME && terms == 1 && t->class != TERM_CONTENT)
		return 0;
	/* In German every noun has its capital. */
	if (f->german && kind == ENTITY_NAME && !is_acronym(t))
		return 0;
	add_entity(f, kind, i, terms, join_folded(f, i, terms));
	return terms;
}

static void
look_around(struct finder *f)
{
	size_t words = 0, loud = 0, signs = 0;

	for (size_t i = 0; i < f->count; i++) {
		if (f->terms[i].kind != TEXT_WORD)
			continue;
		words++;
		loud += f->terms[i].capital;
		signs += (f->terms[i].roles & ROLE_GERMAN) != 0;
	}
	f->german = signs >= 2;
	/* Headings and shouts: capitals tell nothing there. */
	f->shouting = words >= 4 && loud * 4 > words * 3;
}

/* "bob: …" at the start of a turn speaks to bob, whatever his name is. */
static size_t
find_address(struct finder *f, size_t i)
{
	const struct term *t = &f->terms[i];

	if (t->at > 0 || f->count < 3 || !is_at(f, 1, ":") ||
	    f->terms[1].at != t->len || f->terms[2].at == t->len + 1 ||
	    (t->kind != TEXT_WORD && t->kind != TEXT_IDENTIFIER) ||
	    (t->kind == TEXT_WORD && t->known && t->weight < RARE_WEIGHT &&
	    !(t->roles & ROLE_FIRST_NAME)) || t->class == TERM_STOP ||
	    t->code)
		return 0;
	add_entity(f, ENTITY_MENTION, i, 1, t->folded);
	return 1;
}

static size_t
find_date(struct finder *f, size_t i)
{
	struct slice normal;
	size_t used;

	/* What dates_read would find out, too: most words begin none. */
	if (f->terms[i].kind == TEXT_WORD &&
	    !has_role(f, i, ROLE_DATE | ROLE_DATE_WEAK))
		return 0;
	used = dates_read(&f->dates, f->a, i, &normal);
	if (used > 0)
		add_entity(f, ENTITY_DATE, i, used, normal);
	return used;
}

/* Which finders are asked follows from the kind: words are most terms. */
static size_t
find_any(struct finder *f, size_t i)
{
	size_t used = i == 0 ? find_address(f, i) : 0;

	if (used == 0)
		used = find_date(f, i);
	if (used > 0)
		return used;
	if (f->terms[i].kind == TEXT_WORD) {
		used = find_small_name(f, i);
		return used > 0 ? used : find_name(f, i);
	}
	if (f->terms[i].kind == TEXT_NUMBER)
		used = find_error_number(f, i);
	if (used == 0 && f->terms[i].kind == TEXT_NUMBER)
		used = find_quantity(f, i);
	return used > 0 ? used : find_token(f, i);
}

size_t
entities_of(struct arena *a, struct slice text, const struct term *terms,
    size_t count, int64_t ts_ms, struct entity **out)
{
	struct finder f = { .a = a, .text = text, .terms = terms,
		.count = count, .dates = dates_frame(terms, count, ts_ms) };
	size_t i = 0, used;

	f.list = arena_room(a, (count < ENTITIES_MAX ? count : ENTITIES_MAX) *
	    sizeof(*f.list));
	look_around(&f);
	while (i < count && f.found < ENTITIES_MAX) {
		used = terms[i].kind == TEXT_PUNCT ||
		    terms[i].kind == TEXT_EMOJI ? 0 : find_any(&f, i);
		i += used > 0 ? used : 1;
	}
	*out = f.list;
	return f.found;
}
