/*
 * u-assess-http - where requests go, and whose key goes with them
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assess/http.h"
#include "tests/tap.h"

static void
test_addresses(void)
{
	static const struct {
		const char *endpoint;
		bool key;
		const char *address;	/* NULL: refused */
		bool loopback;
	} rows[] = {
		{ "http://127.0.0.1:8080/v1", false,
		    "http://127.0.0.1:8080/v1/chat/completions", true },
		{ "http://localhost/v1///", true,
		    "http://localhost/v1/chat/completions", true },
		{ "http://[::1]:9/v1", true, "http://[::1]:9/v1/chat/completions",
		    true },
		{ "https://api.example.org/v1/chat/completions", true,
		    "https://api.example.org/v1/chat/completions", false },
		{ "http://example.org/v1", false,
		    "http://example.org/v1/chat/completions", false },
		{ "http://example.org/v1", true, NULL, false },
		{ "http://127.evil.example/v1", true, NULL, false },
		{ "file:///etc/passwd", false, NULL, false },
		{ "ftp://example.org/", false, NULL, false },
		{ "", false, NULL, false },
		{ "example.org", false, NULL, false },
	};
	struct buf why;
	bool loopback;
	char *address;
	size_t i;

	buf_init(&why, 4096);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_clear(&why);
		loopback = false;
		address = http_address(rows[i].endpoint, rows[i].key, &loopback,
		    &why);
		ok(rows[i].address == NULL ?
			address == NULL && why.len > 0 :
			address != NULL &&
			    strcmp(address, rows[i].address) == 0 &&
			    loopback == rows[i].loopback,
		    "endpoint '%s'%s", rows[i].endpoint,
		    rows[i].key ? " with a key" : "");
		free(address);
	}
	buf_release(&why);
}

static void
write_key(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd == -1 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    fchmod(fd, mode) == -1)
		ok(false, "%s can be written", path);
	close(fd);
}

static void
key_is(const char *path, const char *want, const char *what)
{
	struct buf why;
	char *key;

	buf_init(&why, 4096);
	key = http_read_key(path, &why);
	if (want == NULL)
		ok(key == NULL && why.len > 0 &&
			strstr(buf_cstr(&why), "sk-") == NULL,
		    "%s: refused, and not told", what);
	else
		is(key, want, what);
	free(key);
	buf_release(&why);
}

static void
test_keys(void)
{
	char path[] = "/tmp/u-assess-http.XXXXXX";
	int fd = mkstemp(path);

	close(fd);
	write_key(path, "sk-1234\n", 0600);
	key_is(path, "sk-1234", "a key without its line's end");
	write_key(path, "sk-1234", 0400);
	key_is(path, "sk-1234", "one that cannot be written");
	write_key(path, "sk-1234\n", 0640);
	key_is(path, NULL, "one that a group can read");
	write_key(path, "sk-1234\n", 0604);
	key_is(path, NULL, "one that all can read");
	write_key(path, "", 0600);
	key_is(path, NULL, "an empty file");
	write_key(path, "sk-12\nX-Evil: 1\n", 0600);
	key_is(path, NULL, "a key of two lines");
	write_key(path, "sk-12 34\n", 0600);
	key_is(path, NULL, "a key with a space");
	key_is("/tmp", NULL, "a folder");
	(void)unlink(path);
	key_is(path, NULL, "a file that is not there");
}

int
main(void)
{
	test_addresses();
	test_keys();
	return done();
}
