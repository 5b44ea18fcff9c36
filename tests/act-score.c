/*
 * act-score - the model's verdict on utterances, for measuring it
 *
 * usage: act-score [-s | -w | -n COUNT] WEIGHTS < FILE
 *
 * Reads JSON lines with text, prev_text and prev_speaker_same and prints one
 * act a line; -s adds all scores; -w prints why.  -n scores the lines COUNT
 * times over and prints the processor time a call takes instead.
 */
#include <err.h>
#include <time.h>
#include <unistd.h>

#include "classify/model.h"
#include "common/xmalloc.h"
#include "tests/json-text.h"

/* By name here, so that this program needs nothing of the cascade. */
static const char *const names[] = {
#define ACT(number, name, what) [number] = #name,
#include "classify/acts.def"
};

struct line {
	json_t *json;		/* owns the texts */
	struct slice text;
	struct act_context ctx;
};

struct lines {
	struct line *list;
	size_t count, room;
};

static void
lines_read(struct lines *all, FILE *in)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, in)) > 0) {
		json_error_t error;
		json_t *json = json_loadb(line, (size_t)len, 0, &error);
		struct line *one;

		if (json == NULL)
			errx(1, "line %zu: %s", all->count + 1, error.text);
		if (all->count == all->room) {
			all->room = all->room * 2 + 64;
			all->list = xrealloc(all->list,
			    all->room * sizeof(*all->list));
		}
		one = &all->list[all->count++];
		*one = (struct line){ .json = json,
			.text = text_of(json, "text"),
			.ctx = { .prev_text = text_of(json, "prev_text"),
			    .prev_same_speaker = json_is_true(json_object_get(
				json, "prev_speaker_same")) } };
	}
	free(line);
}

static void
print_verdicts(const struct model *m, const struct lines *all, bool scores,
    bool why)
{
	struct buf out;

	buf_init(&out, 1 << 16);
	for (size_t i = 0; i < all->count; i++) {
		const struct line *one = &all->list[i];
		int score[ACT_COUNT];

		model_score(m, one->text, &one->ctx, score);
		printf("%s", names[model_best(score)]);
		for (int a = 0; scores && a < ACT_COUNT; a++)
			printf(" %s=%d", names[a], score[a]);
		if (why) {
			buf_clear(&out);
			model_explain(m, one->text, &one->ctx, 8, &out);
			printf(" | %.*s\n%s", SLICE_ARG(one->text), buf_cstr(&out));
		}
		putchar('\n');
	}
	buf_release(&out);
}

static void
print_time(const struct model *m, const struct lines *all, long times)
{
	struct timespec from, to;
	long long sum = 0;
	double us;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (long n = 0; n < times; n++)
		for (size_t i = 0; i < all->count; i++) {
			int score[ACT_COUNT];

			model_score(m, all->list[i].text, &all->list[i].ctx, score);
			sum += score[0];
		}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	us = (double)(to.tv_sec - from.tv_sec) * 1e6 +
	    (double)(to.tv_nsec - from.tv_nsec) / 1e3;
	printf("%.2f us a call, %zu texts, sum %lld\n",
	    us / (double)times / (double)all->count, all->count, sum);
}

int
main(int argc, char **argv)
{
	struct lines all = { 0 };
	bool scores = false, why = false;
	struct buf reason;
	struct model *m;
	long times = 0;
	int c;

	while ((c = getopt(argc, argv, "swn:")) != -1) {
		if (c == 's')
			scores = true;
		else if (c == 'w')
			why = true;
		else if (c == 'n')
			times = strtol(optarg, NULL, 10);
		else
			return 2;
	}
	if (optind + 1 != argc)
		errx(2, "usage: act-score [-s | -w | -n COUNT] WEIGHTS < FILE");
	buf_init(&reason, 4096);
	m = model_open(argv[optind], &reason);
	if (m == NULL)
		errx(1, "%s", buf_cstr(&reason));
	lines_read(&all, stdin);
	if (times > 0)
		print_time(m, &all, times);
	else
		print_verdicts(m, &all, scores, why);
	for (size_t i = 0; i < all.count; i++)
		json_decref(all.list[i].json);
	free(all.list);
	buf_release(&reason);
	model_close(&m);
	return 0;
}
