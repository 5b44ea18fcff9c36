/*
 * conf - the settings of params.def, from file, environment and flags
 */
#include "common/conf.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"
#include "common/xmalloc.h"

struct param {
	const char *name;
	const char *unit;	/* NULL: a text */
	const char *text;	/* a text's default */
	const char *words;	/* all it may be, or NULL: anything */
	const char *what;
	int64_t value, least, most;
	size_t offset;
	bool keyed;
};

static const struct param params[] = {
#define NUMBER(label, measure, initial, min, max, prose)                  \
	{ .name = #label,                                                 \
	  .unit = #measure,                                               \
	  .value = initial,                                               \
	  .least = min,                                                   \
	  .most = max,                                                    \
	  .what = prose,                                                  \
	  .offset = offsetof(struct conf, label) },
#define KEYED(label, measure, initial, min, max, prose)                   \
	{ .name = #label,                                                 \
	  .unit = #measure,                                               \
	  .value = initial,                                               \
	  .least = min,                                                   \
	  .most = max,                                                    \
	  .what = prose,                                                  \
	  .keyed = true,                                                  \
	  .offset = offsetof(struct conf, label) },
#define TEXT(label, initial, prose)                                       \
	{ .name = #label,                                                 \
	  .text = initial,                                                \
	  .what = prose,                                                  \
	  .offset = offsetof(struct conf, label) },
#define CHOICE(label, initial, choices, prose)                            \
	{ .name = #label,                                                 \
	  .text = initial,                                                \
	  .words = choices,                                               \
	  .what = prose,                                                  \
	  .offset = offsetof(struct conf, label) },
#include "common/params.def"
};

enum { N_PARAMS = sizeof(params) / sizeof(params[0]) };

struct conf_keyed {
	struct conf_keyed *next;
	const struct param *param;
	char *kind;		/* "user" or "channel" */
	char *key;
	int64_t value;
};

static int64_t *
number_at(struct conf *c, const struct param *p)
{
	return (int64_t *)(void *)((char *)c + p->offset);
}

static char **
text_at(struct conf *c, const struct param *p)
{
	return (char **)(void *)((char *)c + p->offset);
}

/* $HOME, or where the system says that this user lives. */
static const char *
user_home(void)
{
	const char *home = getenv("HOME");
	struct passwd *user;

	if (home != NULL && home[0] != '\0')
		return home;
	user = getpwuid(getuid());
	return user != NULL ? user->pw_dir : "/";
}

void
conf_init(struct conf *c, const char *home)
{
	size_t i;

	*c = (struct conf){ 0 };
	if (home == NULL)
		home = getenv("SKEIN_HOME");
	if (home != NULL && home[0] != '\0')
		c->home = xstrdup(home);
	else
		c->home = xasprintf("%s/.skein", user_home());
	for (i = 0; i < N_PARAMS; i++) {
		if (params[i].unit != NULL)
			*number_at(c, &params[i]) = params[i].value;
		else
			*text_at(c, &params[i]) = xstrdup(params[i].text);
	}
}

void
conf_release(struct conf *c)
{
	struct conf_keyed *k, *next;
	size_t i;

	for (i = 0; i < N_PARAMS; i++)
		if (params[i].unit == NULL)
			free(*text_at(c, &params[i]));
	for (k = c->keyed; k != NULL; k = next) {
		next = k->next;
		free(k->kind);
		free(k->key);
		free(k);
	}
	free(c->home);
	*c = (struct conf){ 0 };
}

static const struct param *
param_named(struct slice name)
{
	size_t i;

	for (i = 0; i < N_PARAMS; i++)
		if (slice_is(name, params[i].name))
			return &params[i];
	return NULL;
}

static int
fail(struct conf_error *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	return -1;
}

static int
parse_number(const struct param *p, const char *value, int64_t *out,
    const char *place, struct conf_error *why)
{
	long long n;
	char *end;

	errno = 0;
	n = strtoll(value, &end, 10);
	if (end == value || *end != '\0' || errno != 0)
		return fail(why, "%s: %s: '%s' is not a whole number", place,
		    p->name, value);
	if (n < p->least || n > p->most)
		return fail(why, "%s: %s: %lld is not between %lld and %lld %s",
		    place, p->name, n, (long long)p->least,
		    (long long)p->most, p->unit);
	*out = n;
	return 0;
}

static int
check_word(const struct param *p, const char *value, const char *place,
    struct conf_error *why)
{
	const char *word = p->words, *end;

	for (;; word = end + 1) {
		end = strchrnul(word, ' ');
		if (slice_is(slice_of(word, (size_t)(end - word)), value))
			return 0;
		if (*end == '\0')
			return fail(why, "%s: %s: '%s' is not one of: %s",
			    place, p->name, value, p->words);
	}
}

static int
set_keyed(struct conf *c, const struct param *p, struct slice rest,
    const char *value, const char *place, struct conf_error *why)
{
	const char *dot = memchr(rest.ptr, '.', rest.len);
	struct conf_keyed *k;
	struct slice kind;
	int64_t n;

	if (!p->keyed)
		return fail(why, "%s: '%s.%.*s' is no setting: %s is the same "
		    "for all", place, p->name, SLICE_ARG(rest), p->name);
	kind = slice_of(rest.ptr, dot == NULL ? 0 : (size_t)(dot - rest.ptr));
	if (kind.len + 1 >= rest.len ||
	    !(slice_is(kind, "user") || slice_is(kind, "channel")))
		return fail(why,
		    "%s: '%s.%.*s' is no setting (%s.user.NAME, "
		    "%s.channel.NAME are)", place, p->name, SLICE_ARG(rest),
		    p->name, p->name);
	if (parse_number(p, value, &n, place, why) == -1)
		return -1;
	k = xcalloc(1, sizeof(*k));
	k->param = p;
	k->kind = xasprintf("%.*s", SLICE_ARG(kind));
	k->key = xasprintf("%.*s", (int)(rest.len - kind.len - 1), dot + 1);
	k->value = n;
	k->next = c->keyed;	/* the latest is found first, and so wins */
	c->keyed = k;
	return 0;
}

/* name is as in params.def; place is "skein.conf:12", "SKEIN_X" or "--x". */
static int
set(struct conf *c, struct slice name, const char *value, const char *place,
    struct conf_error *why)
{
	const char *dot = memchr(name.ptr, '.', name.len);
	struct slice base = name;
	const struct param *p;

	if (dot != NULL)
		base.len = (size_t)(dot - name.ptr);
	p = param_named(base);
	if (p == NULL)
		return fail(why, "%s: there is no setting '%.*s'", place,
		    SLICE_ARG(base));
	if (dot != NULL)
		return set_keyed(c, p,
		    slice_of(dot + 1, name.len - base.len - 1), value, place,
		    why);
	if (p->unit != NULL)
		return parse_number(p, value, number_at(c, p), place, why);
	if (p->words != NULL && check_word(p, value, place, why) == -1)
		return -1;
	free(*text_at(c, p));
	*text_at(c, p) = xstrdup(value);
	return 0;
}

static char *
trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return s;
}

static int
read_line(struct conf *c, char *line, const char *place, struct conf_error *why)
{
	char *name, *equals;

	name = trim(line);
	if (*name == '\0' || *name == '#')
		return 0;
	equals = strchr(name, '=');
	if (equals == NULL)
		return fail(why, "%s: '%s' is not 'setting = value'", place,
		    name);
	*equals = '\0';
	name = trim(name);
	return set(c, slice_str(name), trim(equals + 1), place, why);
}

int
conf_read_file(struct conf *c, const char *path, struct conf_error *why)
{
	size_t cap = 0, number = 0;
	char *line = NULL, *place;
	int rc = 0;
	FILE *file;

	file = fopen(path, "re");
	if (file == NULL)
		return errno == ENOENT ? 0 :
		    fail(why, "%s: %s", path, strerror(errno));
	while (rc == 0 && getline(&line, &cap, file) != -1) {
		place = xasprintf("%s:%zu", path, ++number);
		rc = read_line(c, line, place, why);
		free(place);
	}
	if (rc == 0 && ferror(file))
		rc = fail(why, "%s: %s", path, strerror(errno));
	free(line);
	fclose(file);
	return rc;
}

int
conf_read_env(struct conf *c, struct conf_error *why)
{
	const char *value;
	char name[64];
	size_t i, j;

	for (i = 0; i < N_PARAMS; i++) {
		snprintf(name, sizeof(name), "SKEIN_%s", params[i].name);
		for (j = 0; name[j] != '\0'; j++)
			name[j] = (char)toupper((unsigned char)name[j]);
		value = getenv(name);
		if (value != NULL &&
		    set(c, slice_str(params[i].name), value, name, why) == -1)
			return -1;
	}
	return 0;
}

int
conf_read_flag(struct conf *c, const char *flag, struct conf_error *why)
{
	const char *equals = strchr(flag, '=');
	char *name;
	size_t i;
	int rc;

	if (strncmp(flag, "--", 2) != 0)
		return 1;
	name = equals == NULL ? xstrdup(flag + 2) :
	    xasprintf("%.*s", (int)(equals - flag - 2), flag + 2);
	for (i = 0; name[i] != '\0' && name[i] != '.'; i++)
		if (name[i] == '-')
			name[i] = '_';
	if (param_named(slice_of(name, i)) == NULL)
		rc = 1;
	else if (equals == NULL)
		rc = fail(why, "%s: needs a value: %s=VALUE", flag, flag);
	else
		rc = set(c, slice_str(name), equals + 1, flag, why);
	free(name);
	return rc;
}

static void
must(int rc, const struct conf_error *why, int refuse)
{
	if (rc == -1 && refuse == 0)
		log_warnx("%s", why->text);
	else if (rc == -1)
		fatalx(refuse, "%s", why->text);
}

/* Takes --home DIR or --home=DIR out of argv. */
static const char *
take_home(int *argc, char **argv, int refuse)
{
	const char *home = NULL;
	int i, kept = 1;

	for (i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			break;
		if (strncmp(argv[i], "--home=", 7) == 0)
			home = argv[i] + 7;
		else if (strcmp(argv[i], "--home") == 0 && i + 1 < *argc)
			home = argv[++i];
		else if (strcmp(argv[i], "--home") == 0)
			fatalx(refuse != 0 ? refuse : 2,
			    "--home: needs a folder");
		else
			argv[kept++] = argv[i];
	}
	while (i < *argc)
		argv[kept++] = argv[i++];
	argv[kept] = NULL;
	*argc = kept;
	return home;
}

void
conf_load(struct conf *c, int *argc, char **argv, int refuse)
{
	struct conf_error why;
	int i, kept = 1, rc;
	char *path;

	conf_init(c, take_home(argc, argv, refuse));
	path = conf_path(c, "skein.conf");
	must(conf_read_file(c, path, &why), &why, refuse);
	free(path);
	must(conf_read_env(c, &why), &why, refuse);
	for (i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			break;
		rc = conf_read_flag(c, argv[i], &why);
		must(rc, &why, refuse);
		if (rc == 1)
			argv[kept++] = argv[i];
	}
	while (i < *argc)
		argv[kept++] = argv[i++];
	argv[kept] = NULL;
	*argc = kept;
}

int64_t
conf_inactivity_minutes(const struct conf *c, struct slice user,
    struct slice channel)
{
	static const char *const kinds[] = { "user", "channel" };
	const struct slice keys[] = { user, channel };
	const struct conf_keyed *k;
	size_t i;

	for (i = 0; i < 2; i++)
		for (k = c->keyed; k != NULL; k = k->next)
			if (strcmp(k->kind, kinds[i]) == 0 &&
			    slice_is(keys[i], k->key))
				return k->value;
	return c->inactivity_timeout;
}

char *
conf_path(const struct conf *c, const char *fmt, ...)
{
	char name[PATH_MAX];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= sizeof(name))
		fatalx(EX_REFUSE, "a path below %s is too long", c->home);
	return xasprintf("%s/%s", c->home, name);
}

char *
conf_data_path(const struct conf *c, const char *name)
{
	/* From build/bin, from PREFIX/bin, from PREFIX/libexec/skein. */
	static const char *const ways[] = { "../share", "../share/skein",
		"../../share/skein" };
	char exe[PATH_MAX], *slash, *path;
	ssize_t len;
	size_t i;

	if (c->data_dir[0] != '\0')
		return xasprintf("%s/%s", c->data_dir, name);
	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (len == -1)
		return NULL;
	exe[len] = '\0';
	slash = strrchr(exe, '/');
	*slash = '\0';
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		path = xasprintf("%s/%s/%s", exe, ways[i], name);
		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

void
conf_print_defaults(struct buf *out)
{
	const struct param *p;
	size_t i;

	for (i = 0; i < N_PARAMS; i++) {
		p = &params[i];
		if (p->unit == NULL)
			buf_addf(out, "# %s\n#%s = %s\n\n", p->what, p->name,
			    p->text);
		else
			buf_addf(out, "# %s (%s, %lld to %lld)\n#%s = %lld\n\n",
			    p->what, p->unit, (long long)p->least,
			    (long long)p->most, p->name, (long long)p->value);
		if (p->keyed)
			buf_addf(out, "#%s.user.NAME = %lld\n"
			    "#%s.channel.NAME = %lld\n\n", p->name,
			    (long long)p->value, p->name, (long long)p->value);
	}
}
