/*
 * u-pool - an endpoint's vectors are kept until a piece has them
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/xmalloc.h"
#include "store/embed_remote.h"
#include "store/vector_pool.h"
#include "tests/tap.h"

enum { DIMS = 16 };

static struct embed *
make_embed(const struct conf *conf)
{
	struct embed_remote *remote = embed_remote_open(conf);

	return embed_of_remote(&remote);
}

static int
add(struct vector_pool *p, const char *text, int first)
{
	struct slice s = slice_str(text);
	int8_t vector[DIMS] = { (int8_t)first };

	return vector_pool_add(p, &s, 1, vector);
}

/* The first number of its vector; -1: it is not there. */
static int
found(struct vector_pool *p, const char *text)
{
	const int8_t *v = vector_pool_find(p, slice_str(text));

	return v == NULL ? -1 : v[0];
}

static off_t
size_of(const char *dir)
{
	char *command = xasprintf("ls %s/pool-*.vec 2>/dev/null", dir);
	char path[4096] = "";
	struct stat st = { 0 };
	FILE *f = popen(command, "r");

	if (f != NULL && fgets(path, sizeof(path), f) != NULL) {
		path[strcspn(path, "\n")] = '\0';
		if (stat(path, &st) == -1)
			st.st_size = 0;
	}
	if (f != NULL)
		pclose(f);
	free(command);
	return st.st_size;
}

static void
test_two(const char *dir, const struct embed *embed)
{
	struct vector_pool *writer = vector_pool_open(dir, embed);
	struct vector_pool *reader = vector_pool_open(dir, embed);
	uint64_t version;
	off_t size;

	vector_pool_look(writer, 1);
	vector_pool_look(reader, 1);
	ok(found(reader, "one") == -1, "an empty pool has nothing");
	ok(add(writer, "one", 1) == 0 && add(writer, "two", 2) == 0,
	    "vectors are added");
	version = vector_pool_version(reader);
	vector_pool_look(reader, 1);
	ok(found(reader, "one") == 1 && found(reader, "two") == 2,
	    "who looks finds them");
	ok(vector_pool_version(reader) != version, "it is another version");
	ok(add(writer, "three", 3) == 0, "another is added");
	vector_pool_look(reader, 1);
	ok(found(reader, "three") == 3 && found(reader, "one") == 1,
	    "and found beside those that were read before");
	size = size_of(dir);
	vector_pool_begin(writer);
	ok(found(writer, "two") == 2 && vector_pool_trim(writer) == 0 &&
	    size_of(dir) < size, "what is needed no more goes");
	vector_pool_look(reader, 1);
	ok(found(reader, "two") == 2 && found(reader, "one") == -1,
	    "for who reads, too");
	vector_pool_look(reader, 2);
	ok(found(reader, "two") == -1, "another epoch has none of it");
	vector_pool_look(writer, 2);
	vector_pool_begin(writer);
	ok(size_of(dir) == 0, "and its file goes when that is begun");
	vector_pool_close(&writer);
	vector_pool_close(&reader);
}

/* Killed in the middle of a record, and bits that have changed. */
static void
test_damage(const char *dir, const struct embed *embed)
{
	struct vector_pool *p = vector_pool_open(dir, embed);
	char *command;
	int i;

	vector_pool_look(p, 3);
	for (i = 0; i < 3000; i++) {
		command = xasprintf("text %d", i);
		if (add(p, command, i % 100) == -1)
			abort();
		free(command);
	}
	vector_pool_close(&p);
	command = xasprintf("cd %s && truncate -s -5 pool-*.vec", dir);
	ok(system(command) == 0, "a record is cut short");
	free(command);
	p = vector_pool_open(dir, embed);
	vector_pool_look(p, 3);
	ok(found(p, "text 2998") == 98 && found(p, "text 2999") == -1,
	    "those before it are there");
	ok(add(p, "text 2999", 7) == 0, "it is added again");
	vector_pool_close(&p);
	command = xasprintf("cd %s && printf x | dd of=$(ls pool-*.vec) bs=1 "
			    "seek=60 conv=notrunc 2>/dev/null", dir);
	ok(system(command) == 0, "a vector is damaged");
	free(command);
	p = vector_pool_open(dir, embed);
	vector_pool_look(p, 3);
	ok(found(p, "text 0") == -1 && found(p, "text 1") == 1 &&
	    found(p, "text 2999") == 7, "it alone is not found");
	vector_pool_close(&p);
}

int
main(void)
{
	char dir[] = "/tmp/skein-u-pool.XXXXXX", *command;
	char model[] = "m", none[] = "";
	struct conf conf = { .home = dir, .embed_model = model,
		.embed_dims = DIMS, .embed_endpoint = none,
		.embed_key_file = none };
	unsigned long long number;
	struct embed *embed;

	if (mkdtemp(dir) == NULL)
		abort();
	embed = make_embed(&conf);
	test_two(dir, embed);
	test_damage(dir, embed);
	ok(vector_pool_name_parse("pool-00000000000000ff.vec", &number) &&
	    number == 255, "a pool's name tells the model");
	ok(!vector_pool_name_parse("0-000000000001-00-00.vec", &number),
	    "a piece's vectors are no pool");
	embed_close(&embed);
	command = xasprintf("rm -r %s", dir);
	if (system(command) != 0)
		abort();
	free(command);
	return done();
}
