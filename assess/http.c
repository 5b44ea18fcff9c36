/*
 * http - requests to one endpoint, on the loop
 */
#include "assess/http.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assess/budget.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/xmalloc.h"

enum {
	REPLY_BYTES = 1024 * 1024,	/* a longer one is none of ours */
	KEY_BYTES = 4096
};

struct request {
	struct http *http;
	CURL *easy;
	http_done *done;
	void *data;
	struct buf body;
	int64_t retry_after_ms;
	struct request *next, **link;
};

struct http {
	struct ev_loop *loop;
	const struct conf *conf;
	char *address;
	bool loopback;
	CURLM *multi;
	struct curl_slist *headers;
	ev_timer timer;
	struct request *requests;
	size_t under_way;
};

struct watched {
	struct http *http;
	ev_io io;
};

/* ---- what is asked for ---- */

/* Key and length of what was read; checks that it can be a header's value. */
static char *
take_key(char *text, ssize_t len, const char *path, struct buf *why)
{
	ssize_t i;

	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	for (i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			break;
	if (len <= 0 || i < len) {
		(void)buf_addf(why, "assess_key_file: %s: no key in it (one "
		    "line of printable characters)", path);
		return NULL;
	}
	text[len] = '\0';
	return xstrdup(text);
}

char *
http_read_key(const char *path, struct buf *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char text[KEY_BYTES + 1];
	struct stat st;
	char *key = NULL;
	ssize_t len;

	if (fd == -1 || fstat(fd, &st) == -1)
		(void)buf_addf(why, "assess_key_file: %s: %s", path,
		    strerror(errno));
	else if (!S_ISREG(st.st_mode) || (st.st_mode & 077) != 0 ||
	    (st.st_uid != geteuid() && st.st_uid != 0))
		(void)buf_addf(why, "assess_key_file: %s: must be a file that "
		    "its owner alone can read: chmod 600", path);
	else {
		len = read(fd, text, KEY_BYTES);
		key = take_key(text, len, path, why);
		sodium_memzero(text, sizeof(text));
	}
	if (fd != -1)
		close(fd);
	return key;
}

static bool
is_loopback(const char *host)
{
	struct in_addr address;

	return strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
	    (inet_pton(AF_INET, host, &address) == 1 &&
		ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET);
}

char *
http_address(const char *endpoint, bool with_key, bool *loopback,
    struct buf *why)
{
	static const char path[] = "/chat/completions";
	CURLU *url = curl_url();
	char *scheme = NULL, *host = NULL, *address = NULL;
	size_t len = strlen(endpoint);

	if (url == NULL || curl_url_set(url, CURLUPART_URL, endpoint, 0) != 0 ||
	    curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != 0 ||
	    curl_url_get(url, CURLUPART_HOST, &host, 0) != 0 ||
	    (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0))
		(void)buf_addf(why, "assess_endpoint: '%s' is no http:// or "
		    "https:// address", endpoint);
	else if (with_key && strcmp(scheme, "http") == 0 && !is_loopback(host))
		(void)buf_addf(why, "assess_endpoint: the key would cross the "
		    "network in the clear: use https://");
	else {
		*loopback = is_loopback(host);
		while (len > 0 && endpoint[len - 1] == '/')
			len--;
		address = len >= sizeof(path) - 1 &&
			memcmp(endpoint + len - (sizeof(path) - 1), path,
			    sizeof(path) - 1) == 0 ?
		    xasprintf("%.*s", (int)len, endpoint) :
		    xasprintf("%.*s%s", (int)len, endpoint, path);
	}
	curl_free(scheme);
	curl_free(host);
	curl_url_cleanup(url);
	return address;
}

/* ---- the end of a request ---- */

static void
request_free(struct request *r)
{
	*r->link = r->next;
	if (r->next != NULL)
		r->next->link = r->link;
	r->http->under_way--;
	(void)curl_multi_remove_handle(r->http->multi, r->easy);
	curl_easy_cleanup(r->easy);
	buf_release(&r->body);
	free(r);
}

static void
finish(struct request *r, CURLcode code)
{
	struct http_reply reply = { .retry_after_ms = r->retry_after_ms };
	http_done *done = r->done;
	void *data = r->data;
	struct buf body = r->body;
	long status = 0;

	if (code == CURLE_OK)
		(void)curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE,
		    &status);
	else
		reply.error = body.over ? "its answer is too long" :
					  curl_easy_strerror(code);
	reply.status = (int)status;
	reply.excessive = body.over || code == CURLE_OPERATION_TIMEDOUT;
	reply.body = buf_slice(&body);
	/* Before the call: whoever is told may begin the next one. */
	buf_init(&r->body, 0);
	request_free(r);
	done(data, &reply);
	buf_release(&body);
}

static void
take_finished(struct http *h)
{
	struct request *r = NULL;
	CURLMsg *m;
	CURLcode code;
	int left;

	while ((m = curl_multi_info_read(h->multi, &left)) != NULL) {
		if (m->msg != CURLMSG_DONE)
			continue;
		code = m->data.result;
		(void)curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &r);
		finish(r, code);
	}
}

/* ---- libcurl on libev ---- */

static void
on_socket(struct ev_loop *loop, ev_io *w, int events)
{
	struct http *h = w->data;
	int running, mask = (events & EV_READ ? CURL_CSELECT_IN : 0) |
	    (events & EV_WRITE ? CURL_CSELECT_OUT : 0);

	(void)loop;
	(void)curl_multi_socket_action(h->multi, w->fd, mask, &running);
	take_finished(h);
}

static void
on_timer(struct ev_loop *loop, ev_timer *w, int events)
{
	struct http *h = w->data;
	int running;

	(void)loop;
	(void)events;
	(void)curl_multi_socket_action(h->multi, CURL_SOCKET_TIMEOUT, 0,
	    &running);
	take_finished(h);
}

static int
watch_timer(CURLM *multi, long timeout_ms, void *data)
{
	struct http *h = data;

	(void)multi;
	ev_timer_stop(h->loop, &h->timer);
	if (timeout_ms >= 0) {
		ev_timer_set(&h->timer, (double)timeout_ms / 1000., 0.);
		ev_timer_start(h->loop, &h->timer);
	}
	return 0;
}

static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *data,
    void *of_socket)
{
	struct http *h = data;
	struct watched *w = of_socket;

	(void)easy;
	if (w != NULL)
		ev_io_stop(h->loop, &w->io);
	if (what == CURL_POLL_REMOVE) {
		free(w);
		(void)curl_multi_assign(h->multi, fd, NULL);
		return 0;
	}
	if (w == NULL) {
		w = xcalloc(1, sizeof(*w));
		ev_init(&w->io, on_socket);
		w->io.data = h;
		(void)curl_multi_assign(h->multi, fd, w);
	}
	ev_io_set(&w->io, fd, (what & CURL_POLL_IN ? EV_READ : 0) |
	    (what & CURL_POLL_OUT ? EV_WRITE : 0));
	ev_io_start(h->loop, &w->io);
	return 0;
}

static size_t
take_body(char *bytes, size_t size, size_t count, void *data)
{
	struct request *r = data;

	return buf_add(&r->body, bytes, size * count) == 0 ? size * count : 0;
}

/* The header's value if it is this one, trimmed; else SLICE_NONE. */
static struct slice
header_value(struct slice line, const char *name)
{
	size_t len = strlen(name);

	if (line.len <= len || line.ptr[len] != ':' ||
	    strncasecmp(line.ptr, name, len) != 0)
		return SLICE_NONE;
	line = slice_of(line.ptr + len + 1, line.len - len - 1);
	while (line.len > 0 && (unsigned char)line.ptr[0] <= ' ')
		line = slice_of(line.ptr + 1, line.len - 1);
	while (line.len > 0 && (unsigned char)line.ptr[line.len - 1] <= ' ')
		line.len--;
	return line;
}

static size_t
take_header(char *bytes, size_t size, size_t count, void *data)
{
	struct slice line = slice_of(bytes, size * count);
	struct slice ms = header_value(line, "retry-after-ms");
	struct slice value = header_value(line, "retry-after");
	struct request *r = data;
	int64_t wait_ms = 0;

	if (ms.len > 0)
		wait_ms = pace_retry_after_ms(ms);
	else if (value.len > 0)
		wait_ms = pace_retry_after(value, wall_ms());
	if (wait_ms > r->retry_after_ms)
		r->retry_after_ms = wait_ms;
	return size * count;
}

/* ---- the interface ---- */

/* Key and headers; -1 with the reason. */
static int
make_headers(struct http *h, struct buf *why)
{
	const char *name = h->conf->assess_key_file;
	char *path, *key, *line;
	struct curl_slist *grown;

	h->headers = curl_slist_append(NULL, "Content-Type: application/json");
	if (name[0] == '\0')
		return h->headers == NULL ? -1 : 0;
	path = name[0] == '/' ? xstrdup(name) : conf_path(h->conf, "%s", name);
	key = http_read_key(path, why);
	free(path);
	if (key == NULL)
		return -1;
	line = xasprintf("Authorization: Bearer %s", key);
	grown = curl_slist_append(h->headers, line);
	sodium_memzero(key, strlen(key));
	sodium_memzero(line, strlen(line));
	free(key);
	free(line);
	if (grown == NULL)
		return -1;
	h->headers = grown;
	return 0;
}

struct http *
http_open(struct ev_loop *loop, const struct conf *conf, struct buf *why)
{
	struct http *h = xcalloc(1, sizeof(*h));

	h->loop = loop;
	h->conf = conf;
	ev_init(&h->timer, on_timer);
	h->timer.data = h;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0 ||
	    (h->multi = curl_multi_init()) == NULL)
		fatalx(EX_RETRY, "libcurl cannot start");
	h->address = http_address(conf->assess_endpoint,
	    conf->assess_key_file[0] != '\0', &h->loopback, why);
	if (h->address == NULL || make_headers(h, why) == -1) {
		http_close(&h);
		return NULL;
	}
	(void)curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION,
	    watch_socket);
	(void)curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	(void)curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, watch_timer);
	(void)curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	return h;
}

void
http_close(struct http **http)
{
	struct http *h = *http;

	while (h->requests != NULL)
		request_free(h->requests);
	ev_timer_stop(h->loop, &h->timer);
	(void)curl_multi_cleanup(h->multi);
	curl_slist_free_all(h->headers);
	free(h->address);
	free(h);
	*http = NULL;
	curl_global_cleanup();
}

/* Redirects are not followed: the key is for this endpoint alone. */
static bool
set_up(struct http *h, struct request *r, struct slice body)
{
	CURL *e = r->easy;
	bool good = curl_easy_setopt(e, CURLOPT_URL, h->address) == 0 &&
	    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https") == 0 &&
	    curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
		(curl_off_t)body.len) == 0 &&
	    curl_easy_setopt(e, CURLOPT_COPYPOSTFIELDS, body.ptr) == 0 &&
	    curl_easy_setopt(e, CURLOPT_HTTPHEADER, h->headers) == 0 &&
	    curl_easy_setopt(e, CURLOPT_USERAGENT, "skein") == 0 &&
	    curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "") == 0 &&
	    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L) == 0 &&
	    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT,
		(long)h->conf->assess_connect_timeout) == 0 &&
	    curl_easy_setopt(e, CURLOPT_TIMEOUT,
		(long)h->conf->assess_timeout) == 0 &&
	    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body) == 0 &&
	    curl_easy_setopt(e, CURLOPT_WRITEDATA, r) == 0 &&
	    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, take_header) == 0 &&
	    curl_easy_setopt(e, CURLOPT_HEADERDATA, r) == 0 &&
	    curl_easy_setopt(e, CURLOPT_PRIVATE, r) == 0;

	/* A proxy of the environment is not on the way to this machine. */
	return good && (!h->loopback ||
	    curl_easy_setopt(e, CURLOPT_NOPROXY, "*") == 0);
}

int
http_post(struct http *h, struct slice body, http_done *done, void *data)
{
	struct request *r = xcalloc(1, sizeof(*r));

	*r = (struct request){ .http = h, .done = done, .data = data };
	buf_init(&r->body, REPLY_BYTES);
	r->easy = curl_easy_init();
	if (r->easy == NULL || !set_up(h, r, body) ||
	    curl_multi_add_handle(h->multi, r->easy) != CURLM_OK) {
		curl_easy_cleanup(r->easy);
		buf_release(&r->body);
		free(r);
		return -1;
	}
	r->next = h->requests;
	r->link = &h->requests;
	if (r->next != NULL)
		r->next->link = &r->next;
	h->requests = r;
	h->under_way++;
	return 0;
}

size_t
http_under_way(const struct http *h)
{
	return h->under_way;
}
