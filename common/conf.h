/*
 * conf - the settings of params.def, from file, environment and flags
 *
 * Read once at start.  A later source wins: HOME/skein.conf, then SKEIN_X_Y,
 * then --x-y=value.  A wrong setting is refused with its place and the reason.
 */
#ifndef COMMON_CONF_H
#define COMMON_CONF_H

#include <stdint.h>

#include "common/buf.h"

struct conf_keyed;		/* one `name.user.U = n` line */

struct conf {
	char *home;
#define NUMBER(name, unit, value, least, most, what) int64_t name;
#define TEXT(name, value, what) char *name;
#include "common/params.def"
	struct conf_keyed *keyed;
};

struct conf_error {
	char text[512];
};

/* Defaults, and the home: `home`, else $SKEIN_HOME, else ~/.skein. */
void conf_init(struct conf *c, const char *home);
void conf_release(struct conf *c);
/* Each returns 0, or -1 with file, line and reason. */
int conf_read_file(struct conf *c, const char *path, struct conf_error *why);
int conf_read_env(struct conf *c, struct conf_error *why);
/* One "--x-y" or "--x-y=value"; 1: it was no setting. */
int conf_read_flag(struct conf *c, const char *flag, struct conf_error *why);
/*
 * All three in order, for a program's main: takes --home and settings out of
 * argv, leaves the rest.  Exits with `refuse` (2, or EX_REFUSE for stages) on
 * a wrong one; with 0 it warns, and the setting is as it was.
 */
void conf_load(struct conf *c, int *argc, char **argv, int refuse);
/* The inactivity timeout for a user on a channel, the narrowest that is set. */
int64_t conf_inactivity_minutes(const struct conf *c, struct slice user,
    struct slice channel);
/* HOME/name, to be freed. */
char *conf_path(const struct conf *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * A file or folder that is shipped beside the programs: in data_dir, else
 * where this program's own place leads.  To be freed; NULL if there is none.
 */
char *conf_data_path(const struct conf *c, const char *name);
/* skein.conf with every setting at its default, commented. */
void conf_print_defaults(struct buf *out);

#endif
