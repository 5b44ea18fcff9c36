/*
 * skein-embed - vectors of texts, by an OpenAI-compatible endpoint
 *
 * Started by who needs vectors where embed_endpoint is set, and ends with it:
 * see embed_remote.h for what is said between them.  Each vector is brought to
 * the length that the shipped table's have, and rounded to int8.  What fails is
 * said once on standard error, and is an answer.  See skein-store(8).
 */
#include <curl/curl.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "assess/http.h"
#include "common/json.h"
#include "common/log.h"
#include "common/stage.h"
#include "common/xmalloc.h"
#include "store/embed.h"
#include "store/embed_remote.h"

enum { REPLY_BYTES = 64 << 20 };

struct embedder {
	struct conf conf;
	CURL *easy;
	char *address;
	struct curl_slist *headers;
	struct buf body;
	bool told;		/* that it fails */
};

/* Once, until it works again. */
static int
complain(struct embedder *e, const char *what)
{
	if (!e->told)
		log_warnx("%s: %s: similarity has to wait", e->address, what);
	e->told = true;
	return -1;
}

/* ---- the endpoint ---- */

/* The same rules as assess has; its words name another setting. */
static void
find_address(struct embedder *e)
{
	static const char path[] = "/embeddings";
	const char *endpoint = e->conf.embed_endpoint, *words;
	size_t len = strlen(endpoint), cut = sizeof(path) - 1;
	bool loopback;
	struct buf why;
	char *checked;

	buf_init(&why, 4096);
	checked = http_address(endpoint, e->conf.embed_key_file[0] != '\0',
	    &loopback, &why);
	if (checked == NULL) {
		words = strchr(buf_cstr(&why), ':');
		fatalx(EX_REFUSE, "embed_endpoint%s", words != NULL ? words :
		    " is no address");
	}
	free(checked);
	while (len > 0 && endpoint[len - 1] == '/')
		len--;
	if (len >= cut && memcmp(endpoint + len - cut, path, cut) == 0)
		len -= cut;
	e->address = xasprintf("%.*s%s", (int)len, endpoint, path);
	buf_release(&why);
}

static void
make_headers(struct embedder *e)
{
	const char *name = e->conf.embed_key_file, *words;
	char *path, *key, *line;
	struct buf why;

	e->headers = curl_slist_append(NULL, "Content-Type: application/json");
	if (name[0] == '\0')
		return;
	buf_init(&why, 4096);
	path = name[0] == '/' ? xstrdup(name) : conf_path(&e->conf, "%s", name);
	key = http_read_key(path, &why);
	if (key == NULL) {
		words = strchr(buf_cstr(&why), ':');
		fatalx(EX_REFUSE, "embed_key_file%s", words != NULL ? words :
		    ": cannot be read");
	}
	line = xasprintf("Authorization: Bearer %s", key);
	e->headers = curl_slist_append(e->headers, line);
	free(line);
	free(key);
	free(path);
	buf_release(&why);
}

static size_t
take_body(char *bytes, size_t size, size_t count, void *data)
{
	return buf_add(data, bytes, size * count) == 0 ? size * count : 0;
}

static void
open_endpoint(struct embedder *e)
{
	find_address(e);
	make_headers(e);
	e->easy = curl_easy_init();
	if (e->easy == NULL || e->headers == NULL ||
	    curl_easy_setopt(e->easy, CURLOPT_URL, e->address) != 0 ||
	    curl_easy_setopt(e->easy, CURLOPT_HTTPHEADER, e->headers) != 0 ||
	    curl_easy_setopt(e->easy, CURLOPT_WRITEFUNCTION, take_body) != 0 ||
	    curl_easy_setopt(e->easy, CURLOPT_WRITEDATA, &e->body) != 0 ||
	    curl_easy_setopt(e->easy, CURLOPT_NOSIGNAL, 1L) != 0 ||
	    curl_easy_setopt(e->easy, CURLOPT_TIMEOUT,
		(long)e->conf.embed_timeout) != 0)
		fatalx(EX_RETRY, "libcurl cannot be made ready");
}

/* The reply's body in e->body; 0, or -1 after saying why. */
static int
post(struct embedder *e, struct slice body)
{
	char words[64];
	long status = 0;
	CURLcode code;

	buf_clear(&e->body);
	if (curl_easy_setopt(e->easy, CURLOPT_POSTFIELDSIZE_LARGE,
		(curl_off_t)body.len) != 0 ||
	    curl_easy_setopt(e->easy, CURLOPT_POSTFIELDS, body.ptr) != 0)
		return complain(e, "a request could not be made");
	code = curl_easy_perform(e->easy);
	if (code != CURLE_OK)
		return complain(e, curl_easy_strerror(code));
	(void)curl_easy_getinfo(e->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200)
		return 0;
	snprintf(words, sizeof(words), "it answers %ld", status);
	return complain(e, words);
}

/* ---- vectors ---- */

/* To a length of EMBED_LENGTH, rounded. */
static int
round_vector(struct embedder *e, json_t *numbers, int8_t *out)
{
	size_t dims = (size_t)e->conf.embed_dims, i;
	double square = 0.0, v;

	if (json_array_size(numbers) != dims)
		return complain(e, "its vectors are not of embed_dims numbers");
	for (i = 0; i < dims; i++) {
		v = json_number_value(json_array_get(numbers, i));
		square += v * v;
	}
	if (!(square > 0.0) || !isfinite(square))
		return complain(e, "a vector has no length");
	for (i = 0; i < dims; i++) {
		v = json_number_value(json_array_get(numbers, i)) *
		    EMBED_LENGTH / sqrt(square);
		out[i] = (int8_t)lrint(fmax(-127.0, fmin(127.0, v)));
	}
	return 0;
}

/* data[] may come in any order: each says where it belongs. */
static int
take_vectors(struct embedder *e, size_t n, int8_t *out)
{
	json_t *root = json_loadb(e->body.ptr, e->body.len, 0, NULL), *item;
	json_t *data = json_object_get(root, "data");
	size_t dims = (size_t)e->conf.embed_dims, i;
	bool *there = xcalloc(n, sizeof(there[0]));
	json_int_t place;
	int rc = 0;

	if (json_array_size(data) != n)
		rc = complain(e, "its answer has not a vector for each text");
	for (i = 0; i < n && rc == 0; i++) {
		item = json_array_get(data, i);
		place = json_is_integer(json_object_get(item, "index")) ?
		    json_integer_value(json_object_get(item, "index")) :
		    (json_int_t)i;
		if (place < 0 || (size_t)place >= n || there[place])
			rc = complain(e, "its answer cannot be read");
		else
			rc = round_vector(e, json_object_get(item,
			    "embedding"), out + (size_t)place * dims);
		if (rc == 0)
			there[place] = true;
	}
	free(there);
	json_decref(root);
	return rc;
}

/* ---- who asks ---- */

/* false: the other side has gone. */
static bool
read_all(void *out, size_t len)
{
	char *at = out;
	ssize_t n;

	while (len > 0) {
		n = read(STDIN_FILENO, at, len);
		if (n == 0 || (n == -1 && errno != EINTR))
			return false;
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool
write_all(const void *bytes, size_t len)
{
	const char *at = bytes;
	ssize_t n;

	while (len > 0) {
		n = write(STDOUT_FILENO, at, len);
		if (n == -1 && errno != EINTR)
			return false;
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* A request's JSON out of a question; false: there is none any more. */
static bool
read_question(struct embedder *e, struct buf *request, uint32_t *n)
{
	char text[REMOTE_TEXT_BYTES];
	uint32_t i, len;

	if (!read_all(n, sizeof(*n)) || *n == 0 || *n > REMOTE_TEXTS)
		return false;
	buf_clear(request);
	buf_adds(request, "{\"model\":");
	json_put_str(request, slice_str(e->conf.embed_model));
	buf_adds(request, ",\"encoding_format\":\"float\",\"input\":[");
	for (i = 0; i < *n; i++) {
		if (!read_all(&len, sizeof(len)) || len > sizeof(text) ||
		    !read_all(text, len))
			return false;
		buf_adds(request, i > 0 ? "," : "");
		/* Endpoints refuse an empty text. */
		json_put_str(request, len > 0 ? slice_of(text, len) :
						SLICE(" "));
	}
	buf_adds(request, "]}");
	return true;
}

int
main(int argc, char **argv)
{
	struct embedder e = { 0 };
	struct buf request;
	unsigned char good;
	uint32_t n;
	int8_t *out;

	log_open("embed", LOG_INFO);
	conf_load(&e.conf, &argc, argv, EX_REFUSE);
	buf_init(&e.body, REPLY_BYTES);
	buf_init(&request, SIZE_MAX / 4);
	open_endpoint(&e);
	out = xcalloc(REMOTE_TEXTS, (size_t)e.conf.embed_dims);
	while (read_question(&e, &request, &n)) {
		good = post(&e, buf_slice(&request)) == 0 &&
		    take_vectors(&e, n, out) == 0;
		e.told = e.told && good == 0;
		if (!write_all(&good, 1) || (good == 1 &&
			!write_all(out, n * (size_t)e.conf.embed_dims)))
			break;
	}
	free(out);
	curl_easy_cleanup(e.easy);
	curl_slist_free_all(e.headers);
	free(e.address);
	buf_release(&e.body);
	buf_release(&request);
	conf_release(&e.conf);
	return 0;
}
