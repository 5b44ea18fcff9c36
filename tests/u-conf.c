/*
 * u-conf - settings: file, environment, flags, and what is wrong with them
 */
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/conf.h"
#include "common/xmalloc.h"
#include "tests/tap.h"

static struct test {
	char folder[64];
	char *path;
} t = { .folder = "/tmp/skein-u-conf.XXXXXX" };

static void
write_file(const char *text)
{
	FILE *file = fopen(t.path, "w");

	if (file == NULL || fputs(text, file) == EOF || fclose(file) == EOF)
		abort();
}

static void
test_defaults(void)
{
	struct conf c;
	struct conf_error why;
	char *path;

	conf_init(&c, t.folder);
#define NUMBER(name, unit, value, least, most, what)                        \
	ok(c.name == (value) && (value) >= (least) && (value) <= (most) &&  \
	    (what)[0] != '\0', "%s: its default is in its range", #name);
#define TEXT(name, value, what) is(c.name, value, #name ": its default");
#include "common/params.def"
	is_int(conf_read_file(&c, "/nonexistent/skein.conf", &why), 0,
	    "no file is no mistake");
	path = conf_path(&c, "run/%s.sock", "ingest");
	ok(strncmp(path, t.folder, strlen(t.folder)) == 0 &&
	    strstr(path, "/run/ingest.sock") != NULL, "a path below the home");
	free(path);
	conf_release(&c);
}

/* Every default, uncommented, is a file that is read without complaint. */
static void
test_printed(void)
{
	struct conf c;
	struct conf_error why = { "" };
	struct buf out, file;
	char *line, *next;

	conf_init(&c, t.folder);
	buf_init(&out, 1 << 20);
	buf_init(&file, 1 << 20);
	conf_print_defaults(&out);
	for (line = out.ptr; *line != '\0'; line = next) {
		next = strchr(line, '\n') + 1;
		if (line[0] == '#' && line[1] != ' ')
			line++;
		buf_add(&file, line, (size_t)(next - line));
	}
#define NUMBER(name, unit, value, least, most, what)                    \
	ok(strstr(file.ptr, #name " = ") != NULL, "%s is printed", #name);
#define TEXT(name, value, what)                                         \
	ok(strstr(file.ptr, #name " = ") != NULL, "%s is printed", #name);
#include "common/params.def"
	write_file(file.ptr);
	is_int(conf_read_file(&c, t.path, &why), 0, "and reads back");
	is(why.text, "", "without complaint");
	buf_release(&out);
	buf_release(&file);
	conf_release(&c);
}

static void
test_file(void)
{
	struct conf c;
	struct conf_error why;

	conf_init(&c, t.folder);
	write_file("# a comment\n\n  batch_entries =  7  \n\tlog_level=debug\n"
	    "max_text = 2\n   # another\nmax_text = 3");
	is_int(conf_read_file(&c, t.path, &why), 0, "a file");
	is_int(c.batch_entries, 7, "a number, with space around it");
	is(c.log_level, "debug", "a text");
	is_int(c.max_text, 3, "the later line wins; the last needs no newline");
	conf_release(&c);
}

/* The reason for the file's text, with its folder taken off. */
static void
refuse_file(const char *text, const char *want)
{
	struct conf_error why = { "" };
	struct conf c;
	int rc;

	conf_init(&c, t.folder);
	write_file(text);
	rc = conf_read_file(&c, t.path, &why);
	ok(rc == -1 && strncmp(why.text, t.path, strlen(t.path)) == 0,
	    "refused with its file");
	is(rc == -1 ? why.text + strlen(t.path) : "accepted", want,
	    "and line and reason");
	conf_release(&c);
}

static void
test_wrong_lines(void)
{
	refuse_file("nonsense = 1\n", ":1: there is no setting 'nonsense'");
	refuse_file("# c\n\nbatch_entries = 1x\n",
	    ":3: batch_entries: '1x' is not a whole number");
	refuse_file("batch_entries = \n",
	    ":1: batch_entries: '' is not a whole number");
	refuse_file("batch_entries = 1.5\n",
	    ":1: batch_entries: '1.5' is not a whole number");
	refuse_file("batch_entries = 99999999999999999999\n",
	    ":1: batch_entries: '99999999999999999999' is not a whole number");
	refuse_file("batch_entries = 0\n",
	    ":1: batch_entries: 0 is not between 1 and 65536 entries");
	refuse_file("batch_entries = -5\n",
	    ":1: batch_entries: -5 is not between 1 and 65536 entries");
	refuse_file("batch_entries = 65537\n",
	    ":1: batch_entries: 65537 is not between 1 and 65536 entries");
	refuse_file("max_text = 1\njust words\n",
	    ":2: 'just words' is not 'setting = value'");
	refuse_file("= 5\n", ":1: there is no setting ''");
	refuse_file("Batch_Entries = 5\n",
	    ":1: there is no setting 'Batch_Entries'");
	refuse_file("log_level = loud\n",
	    ":1: log_level: 'loud' is not one of: debug info warn");
	refuse_file("log_level =\n",
	    ":1: log_level: '' is not one of: debug info warn");
}

static void
test_wrong_keyed(void)
{
	refuse_file("batch_entries.user.ann = 5\n",
	    ":1: 'batch_entries.user.ann' is no setting: batch_entries is the "
	    "same for all");
	refuse_file("inactivity_timeout.ann = 5\n",
	    ":1: 'inactivity_timeout.ann' is no setting "
	    "(inactivity_timeout.user.NAME, inactivity_timeout.channel.NAME "
	    "are)");
	refuse_file("inactivity_timeout.user. = 5\n",
	    ":1: 'inactivity_timeout.user.' is no setting "
	    "(inactivity_timeout.user.NAME, inactivity_timeout.channel.NAME "
	    "are)");
	refuse_file("inactivity_timeout. = 5\n",
	    ":1: 'inactivity_timeout.' is no setting "
	    "(inactivity_timeout.user.NAME, inactivity_timeout.channel.NAME "
	    "are)");
	refuse_file("inactivity_timeout.user.ann = soon\n",
	    ":1: inactivity_timeout: 'soon' is not a whole number");
	refuse_file("inactivity_timeout.user.ann = 0\n",
	    ":1: inactivity_timeout: 0 is not between 1 and 525600 minutes");
	refuse_file("nonsense.user.ann = 1\n",
	    ":1: there is no setting 'nonsense'");
}

static void
test_unreadable(void)
{
	struct conf_error why = { "" };
	struct conf c;

	conf_init(&c, t.folder);
	ok(conf_read_file(&c, t.folder, &why) == -1 &&
	    strstr(why.text, "s a directory") != NULL, "a folder: %s", why.text);
	conf_release(&c);
	refuse_file("max_text = 1\nmax\x01_text = 2\n",
	    ":2: there is no setting 'max\x01_text'");
}

static void
test_environment(void)
{
	struct conf c;
	struct conf_error why = { "" };

	conf_init(&c, t.folder);
	setenv("SKEIN_BATCH_ENTRIES", "9", 1);
	setenv("SKEIN_LOG_LEVEL", "warn", 1);
	is_int(conf_read_env(&c, &why), 0, "from the environment");
	is_int(c.batch_entries, 9, "a number");
	is(c.log_level, "warn", "a text");
	setenv("SKEIN_BATCH_ENTRIES", "many", 1);
	is_int(conf_read_env(&c, &why), -1, "a wrong one is refused");
	is(why.text, "SKEIN_BATCH_ENTRIES: batch_entries: 'many' is not a "
	    "whole number", "with its name");
	unsetenv("SKEIN_BATCH_ENTRIES");
	unsetenv("SKEIN_LOG_LEVEL");
	conf_release(&c);
}

static void
test_flags(void)
{
	struct conf c;
	struct conf_error why = { "" };

	conf_init(&c, t.folder);
	is_int(conf_read_flag(&c, "--batch-entries=11", &why), 0, "a flag");
	is_int(c.batch_entries, 11, "is set");
	is_int(conf_read_flag(&c, "--inactivity-timeout.user.a-b=11", &why), 0,
	    "a keyed flag");
	is_int(conf_inactivity_minutes(&c, SLICE("a-b"), SLICE_NONE), 11,
	    "whose key stays as it is");
	is_int(conf_read_flag(&c, "--nonsense=1", &why), 1, "no setting");
	is_int(conf_read_flag(&c, "--", &why), 1, "no setting at all");
	is_int(conf_read_flag(&c, "-x", &why), 1, "another's option");
	is_int(conf_read_flag(&c, "word", &why), 1, "an argument");
	is_int(conf_read_flag(&c, "--batch-entries", &why), -1, "no value");
	is(why.text, "--batch-entries: needs a value: --batch-entries=VALUE",
	    "which is said");
	is_int(conf_read_flag(&c, "--batch-entries=0", &why), -1, "wrong");
	is(why.text, "--batch-entries=0: batch_entries: 0 is not between 1 and "
	    "65536 entries", "with place and reason");
	conf_release(&c);
}

/* Two spellings of nothing: neither may put a store below the root. */
static void
test_without_home(void)
{
	const struct passwd *user = getpwuid(getuid());
	char *want = xasprintf("%s/.skein",
	    user != NULL ? user->pw_dir : "/");
	struct conf c;

	unsetenv("HOME");
	conf_init(&c, NULL);
	is(c.home, want, "no $HOME: where the system says");
	conf_release(&c);
	setenv("HOME", "", 1);
	conf_init(&c, NULL);
	is(c.home, want, "an empty one: the same");
	conf_release(&c);
	free(want);
}

static void
test_precedence(void)
{
	char name[] = "test", flag[] = "--max-text=3", word[] = "word";
	char dashes[] = "--", kept[] = "--max-text=4", home[] = "--home";
	char *argv[] = { name, home, t.folder, flag, word, dashes, kept, NULL };
	int argc = 7;
	struct conf c;

	write_file("max_text = 1\nmax_name = 17\nmax_list = 5\n");
	setenv("SKEIN_MAX_TEXT", "2", 1);
	setenv("SKEIN_MAX_NAME", "18", 1);
	setenv("SKEIN_HOME", "/nowhere", 1);
	conf_load(&c, &argc, argv, 2);
	is(c.home, t.folder, "--home before SKEIN_HOME");
	is_int(c.max_text, 3, "a flag wins over the environment");
	is_int(c.max_name, 18, "the environment over the file");
	is_int(c.max_list, 5, "the file over the default");
	is_int(argc, 4, "settings are taken out of the arguments");
	ok(strcmp(argv[1], "word") == 0 && strcmp(argv[2], "--") == 0 &&
	    strcmp(argv[3], "--max-text=4") == 0 && argv[4] == NULL,
	    "what is behind -- is left alone");
	conf_release(&c);
	unsetenv("SKEIN_MAX_TEXT");
	unsetenv("SKEIN_MAX_NAME");
	conf_init(&c, NULL);
	is(c.home, "/nowhere", "SKEIN_HOME without --home");
	conf_release(&c);
	unsetenv("SKEIN_HOME");
	setenv("HOME", "/home/somebody", 1);
	conf_init(&c, NULL);
	is(c.home, "/home/somebody/.skein", "else ~/.skein");
	conf_release(&c);
	test_without_home();
}

/* A program with a wrong setting ends with the code it was told. */
static void
test_refused_program(void)
{
	char name[] = "test", home[] = "--home", flag[] = "--max-text=0";
	char *argv[] = { name, home, t.folder, flag, NULL };
	int argc = 4, status;
	struct conf c;
	pid_t pid;

	write_file("");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (freopen("/dev/null", "w", stderr) == NULL)
			_exit(1);
		conf_load(&c, &argc, argv, 100);
		_exit(0);
	}
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) == 100, "a program is told to end with 100");
}

static void
test_timeouts(void)
{
	struct conf c;
	struct conf_error why;

	conf_init(&c, t.folder);
	write_file("inactivity_timeout = 20\n"
	    "inactivity_timeout.channel.sms = 60\n"
	    "inactivity_timeout.user.ann = 5\n"
	    "inactivity_timeout.user.ann = 6\n"
	    "inactivity_timeout.user.b.c = 7\n"
	    "inactivity_timeout.channel.ann = 8\n");
	is_int(conf_read_file(&c, t.path, &why), 0, "keyed timeouts");
	is_int(conf_inactivity_minutes(&c, SLICE("bob"), SLICE("web")), 20,
	    "global");
	is_int(conf_inactivity_minutes(&c, SLICE("bob"), SLICE("sms")), 60,
	    "channel before global");
	is_int(conf_inactivity_minutes(&c, SLICE("ann"), SLICE("sms")), 6,
	    "user before channel, and the later line of two");
	is_int(conf_inactivity_minutes(&c, SLICE("b.c"), SLICE_NONE), 7,
	    "a name may have a dot");
	is_int(conf_inactivity_minutes(&c, SLICE("x"), SLICE("ann")), 8,
	    "a channel with a user's name is a channel");
	conf_release(&c);
}

int
main(void)
{
	if (mkdtemp(t.folder) == NULL)
		abort();
	t.path = xasprintf("%s/skein.conf", t.folder);
	test_defaults();
	test_printed();
	test_file();
	test_wrong_lines();
	test_wrong_keyed();
	test_unreadable();
	test_environment();
	test_flags();
	test_precedence();
	test_refused_program();
	test_timeouts();
	unlink(t.path);
	rmdir(t.folder);
	free(t.path);
	return done();
}
