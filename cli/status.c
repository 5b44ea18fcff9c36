/*
 * status - the stages, how far each is, and the store's room
 *
 * From three places, so that something can always be said: the supervisor's
 * HOME/run/supervisor.status, each stage's own HOME/run/STAGE.status, and the
 * cursors in the store.  Works when everything is down.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/table.h"
#include "common/json.h"

enum { NAME_BYTES = 32, STAGES_MOST = 64 };

struct stage_status {
	char name[NAME_BYTES + 1];
	long long pid, since_ms;
	unsigned long long restarts, rate, memory_bytes;
	char state[NAME_BYTES + 1];		/* the stage's own word */
	char supervised[NAME_BYTES + 1];	/* the supervisor's */
	char last_exit[NAME_BYTES + 1];
	char note[200];
	bool alive;
};

struct status {
	struct cli *cli;
	struct stage_status stages[STAGES_MOST];
	size_t n_stages;
	pid_t supervisor;
};

/* ---- reading ---- */

static struct stage_status *
stage_of(struct status *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->n_stages; i++)
		if (strcmp(s->stages[i].name, name) == 0)
			return &s->stages[i];
	if (s->n_stages == STAGES_MOST || strlen(name) > NAME_BYTES)
		return NULL;
	snprintf(s->stages[i].name, sizeof(s->stages[i].name), "%s", name);
	s->n_stages++;
	return &s->stages[i];
}

static void
read_supervisor(struct status *s)
{
	char *path = conf_path(&s->cli->conf, "run/supervisor.status");
	char line[512], name[NAME_BYTES + 1], state[NAME_BYTES + 1];
	char last_exit[NAME_BYTES + 1];
	FILE *file = fopen(path, "re");
	struct stage_status *stage;
	unsigned long long restarts;
	long long pid, since;

	free(path);
	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL) {
		last_exit[0] = '\0';
		if (sscanf(line, "stage %32s pid %lld since %lld restarts "
			"%llu state %32s last_exit %32s", name, &pid, &since,
			&restarts, state, last_exit) < 5)
			continue;
		stage = stage_of(s, name);
		if (stage == NULL)
			continue;
		stage->pid = pid;
		stage->since_ms = since;
		stage->restarts = restarts;
		snprintf(stage->supervised, sizeof(stage->supervised), "%s",
		    state);
		if (strcmp(last_exit, "-") != 0)
			snprintf(stage->last_exit, sizeof(stage->last_exit),
			    "%s", last_exit);
	}
	fclose(file);
}

static void
read_own(struct status *s, struct stage_status *stage)
{
	char *path = conf_path(&s->cli->conf, "run/%s.status", stage->name);
	FILE *file = fopen(path, "re");
	char line[512];

	free(path);
	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		(void)sscanf(line, "pid %lld", &stage->pid);
		(void)sscanf(line, "since %lld", &stage->since_ms);
		(void)sscanf(line, "rate %llu", &stage->rate);
		(void)sscanf(line, "state %32s", stage->state);
		if (strncmp(line, "note ", 5) == 0)
			snprintf(stage->note, sizeof(stage->note), "%.*s",
			    (int)sizeof(stage->note) - 1, line + 5);
	}
	fclose(file);
}

/* One that has died stays in the table of processes until it is buried. */
static void
look_at_process(struct stage_status *stage)
{
	char path[64], line[256], state;
	unsigned long long kib;
	FILE *file;

	stage->alive = stage->pid > 0 &&
	    (kill((pid_t)stage->pid, 0) == 0 || errno == EPERM);
	snprintf(path, sizeof(path), "/proc/%lld/status", stage->pid);
	file = stage->alive ? fopen(path, "re") : NULL;
	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "State: %c", &state) == 1)
			stage->alive = state != 'Z' && state != 'X';
		if (sscanf(line, "RssAnon: %llu kB", &kib) == 1)
			stage->memory_bytes = kib * 1024;
	}
	fclose(file);
}

/* One that cannot live has left no note that still counts. */
static void
note_death(struct stage_status *stage)
{
	if (!stage->alive && (strcmp(stage->supervised, "refused") == 0 ||
	    strcmp(stage->supervised, "backoff") == 0))
		snprintf(stage->note, sizeof(stage->note),
		    "last exit %s: see log/%s.log, log/supervisor.log",
		    stage->last_exit, stage->name);
}

static void
read_stages(struct status *s)
{
	enum stage_id id;
	size_t i;

	for (id = 0; id < STAGE_COUNT; id++)
		(void)stage_of(s, stage_name(id));
	s->supervisor = cli_supervisor(s->cli);
	/* What a killed supervisor left says nothing of now. */
	if (s->supervisor != 0)
		read_supervisor(s);
	for (i = 0; i < s->n_stages; i++) {
		read_own(s, &s->stages[i]);
		look_at_process(&s->stages[i]);
		note_death(&s->stages[i]);
	}
}

static const char *
state_of(const struct stage_status *stage)
{
	if (stage->alive)
		return stage->state[0] != '\0' ? stage->state : "starting";
	if (stage->supervised[0] != '\0' &&
	    strcmp(stage->supervised, "up") != 0)
		return stage->supervised;
	return "down";
}

/* One that a setting switches off is as it should be. */
static bool
is_well(const struct stage_status *stage)
{
	return strcmp(state_of(stage), "ready") == 0 ||
	    strcmp(state_of(stage), "off") == 0;
}

/* ---- stages ---- */

static void
stage_row(const struct stage_status *stage, struct db *shared,
    struct arena *arena, struct row *row)
{
	uint64_t cursor, head;
	enum stage_id id;

	row_begin(row, arena);
	row_text(row, "stage", slice_str(stage->name));
	row_text(row, "state", slice_str(state_of(stage)));
	row_bool(row, "up", strcmp(state_of(stage), "ready") == 0);
	if (stage->alive) {
		row_number(row, "pid", (uint64_t)stage->pid);
		row_time(row, "since", stage->since_ms);
	} else {
		row_null(row, "pid");
		row_null(row, "since");
	}
	if (shared != NULL && stage_named(slice_str(stage->name), &id) == 0) {
		cursor = cli_cursor(shared, id);
		head = cli_cursor(shared, STAGE_ingest);
		row_number(row, "cursor", cursor);
		row_number(row, "lag", head > cursor ? head - cursor : 0);
	} else {
		row_null(row, "cursor");
		row_null(row, "lag");
	}
	row_number(row, "rate", stage->alive ? stage->rate : 0);
	if (stage->alive)
		row_number(row, "memory_bytes", stage->memory_bytes);
	else
		row_null(row, "memory_bytes");
	row_number(row, "restarts", stage->restarts);
	row_maybe(row, "last_exit", slice_str(stage->last_exit));
	row_maybe(row, "note", slice_str(stage->note));
	row_text(row, "memory", stage->alive ? arena_printf(arena, "%.1f MB",
	    (double)stage->memory_bytes / 1e6) : SLICE(""));
}

static bool
print_stages(struct status *s, struct db *shared)
{
	static const struct table_column columns[] = {
		{ "stage", "STAGE", false }, { "state", "STATE", false },
		{ "pid", "PID", true }, { "since", "SINCE", false },
		{ "cursor", "CURSOR", true }, { "lag", "LAG", true },
		{ "rate", "RATE/S", true }, { "memory", "MEMORY", true },
		{ "restarts", "RESTARTS", true }, { "note", "NOTE", false },
		{ NULL, NULL, false } };
	bool all_up = true;
	struct arena arena;
	struct table table;
	struct buf line;
	struct row row;
	size_t i;

	arena_init(&arena);
	table_init(&table, s->cli, columns);
	buf_init(&line, SIZE_MAX / 4);
	for (i = 0; i < s->n_stages; i++) {
		all_up = all_up && is_well(&s->stages[i]);
		stage_row(&s->stages[i], shared, &arena, &row);
		if (s->cli->json) {
			row.count--;	/* the words for people */
			row_to_json(&line, &row);
			puts(buf_cstr(&line));
			buf_clear(&line);
		} else
			table_add(&table, &row);
		arena_reset(&arena);
	}
	table_print(&table);
	table_release(&table);
	buf_release(&line);
	arena_release(&arena);
	return all_up;
}

/* ---- assess ---- */

/* What its status file says beyond that of a stage. */
struct assess_status {
	unsigned long long asked, answered, bad, failed, given_up;
	unsigned long long open, budget, budget_left, tokens_today;
};

static bool
read_assess(const struct status *s, struct assess_status *a)
{
	char *path = conf_path(&s->cli->conf, "run/assess.status");
	FILE *file = fopen(path, "re");
	char line[512];

	*a = (struct assess_status){ 0 };
	free(path);
	if (file == NULL)
		return false;
	while (fgets(line, sizeof(line), file) != NULL) {
		(void)sscanf(line, "count.asked %llu", &a->asked);
		(void)sscanf(line, "count.answered %llu", &a->answered);
		(void)sscanf(line, "count.bad %llu", &a->bad);
		(void)sscanf(line, "count.failed %llu", &a->failed);
		(void)sscanf(line, "count.given_up %llu", &a->given_up);
		(void)sscanf(line, "open %llu", &a->open);
		(void)sscanf(line, "budget %llu", &a->budget);
		(void)sscanf(line, "budget_left %llu", &a->budget_left);
		(void)sscanf(line, "tokens_today %llu", &a->tokens_today);
	}
	fclose(file);
	return true;
}

static void
print_assess(struct status *s)
{
	const struct stage_status *stage = stage_of(s, "assess");
	struct assess_status a;

	if (stage == NULL || !stage->alive || !read_assess(s, &a))
		return;
	if (s->cli->json) {
		printf("{\"assess\":\"%s\",\"asked\":%llu,\"answered\":%llu,"
		       "\"bad\":%llu,\"failed\":%llu,\"given_up\":%llu,"
		       "\"open\":%llu,\"budget\":%llu,\"budget_left\":%llu,"
		       "\"tokens_today\":%llu}\n", state_of(stage), a.asked,
		    a.answered, a.bad, a.failed, a.given_up, a.open, a.budget,
		    a.budget_left, a.tokens_today);
		return;
	}
	printf("assess   asked %llu, answered %llu, wrong %llu, failed %llu, "
	       "given up %llu; %llu open\n", a.asked, a.answered, a.bad,
	    a.failed, a.given_up, a.open);
	printf("         %llu of %llu requests left today, %llu tokens spent"
	       "%s%s\n", a.budget_left, a.budget, a.tokens_today,
	    stage->note[0] != '\0' ? "\n         " : "", stage->note);
}

/* ---- the store ---- */

struct readers {
	unsigned long long slots, reading, oldest_lag;
	long long oldest_pid;
};

/* A line of the readers' list: "pid thread transaction"; without one, "-". */
struct reader {
	long long pid;
	unsigned long long transaction;		/* 0: it is not reading */
};

static bool
next_reader(const char **line, struct reader *out)
{
	const char *at = *line;
	int n = 0;

	for (; n < 1 && at != NULL && *at != '\0';
	     at = strchr(at, '\n'), at += at != NULL) {
		out->transaction = 0;
		n = sscanf(at, "%lld %*s %llu", &out->pid, &out->transaction);
	}
	*line = at;
	return n >= 1;
}

/*
 * Our own transaction is the newest there is, so the others' age is counted
 * from it.
 */
static void
count_readers(struct db *shared, struct readers *r)
{
	struct db_txn *txn = db_read(shared);
	unsigned long long newest = 0, oldest = 0;
	struct reader reader;
	struct buf list;
	const char *line;

	*r = (struct readers){ 0 };
	buf_init(&list, SIZE_MAX / 4);
	db_list_readers(shared, &list);
	db_abort(&txn);
	line = buf_cstr(&list);
	while (next_reader(&line, &reader)) {
		if (reader.pid == getpid()) {
			newest = reader.transaction;
			continue;
		}
		r->slots++;
		if (reader.transaction == 0)
			continue;
		r->reading++;
		if (oldest == 0 || reader.transaction < oldest) {
			oldest = reader.transaction;
			r->oldest_pid = reader.pid;
		}
	}
	if (oldest != 0 && newest > oldest)
		r->oldest_lag = newest - oldest;
	buf_release(&list);
}

static void
print_size(uint64_t bytes, const char *after)
{
	static const char *const units[] = { "MB", "GB", "TB", "PB" };
	double n = (double)bytes / 1e6;
	size_t i = 0;

	for (; n >= 1000 && i + 1 < sizeof(units) / sizeof(units[0]); i++)
		n /= 1000;
	printf("%.1f %s%s", n, units[i], after);
}

static void
print_store(const struct status *s, struct db *shared)
{
	struct db_room room;
	struct readers r;

	if (db_room(shared, &room) == -1) {
		fprintf(stderr, "skein status: the store's size cannot be "
				"read\n");
		return;
	}
	count_readers(shared, &r);
	if (s->cli->json) {
		printf("{\"store\":\"shared\",\"used_bytes\":%llu,"
		       "\"map_bytes\":%llu,\"map_limit_bytes\":%llu,"
		       "\"disk_free_bytes\":%llu,\"readers\":%llu,"
		       "\"reading\":%llu,\"oldest_reader_pid\":%lld,"
		       "\"oldest_reader_lag\":%llu}\n",
		    (unsigned long long)room.used_bytes,
		    (unsigned long long)room.map_bytes,
		    (unsigned long long)room.map_limit,
		    (unsigned long long)room.disk_free_bytes, r.slots,
		    r.reading, r.oldest_pid, r.oldest_lag);
		return;
	}
	fputs("\nstore    ", stdout);
	print_size(room.used_bytes, " used of a map of ");
	print_size(room.map_bytes, " (limit ");
	print_size(room.map_limit, "), ");
	print_size(room.disk_free_bytes, " free on the disk\n");
	printf("readers  %llu, %llu of them reading", r.slots, r.reading);
	if (r.oldest_lag > 0)
		printf("; the oldest is process %lld, %llu commits behind",
		    r.oldest_pid, r.oldest_lag);
	putchar('\n');
}

static void
print_supervisor(const struct status *s)
{
	struct buf home;

	if (s->cli->json) {
		buf_init(&home, SIZE_MAX / 4);
		json_put_str(&home, slice_str(s->cli->conf.home));
		printf("{\"supervisor\":%s,\"pid\":%lld,\"home\":%s}\n",
		    s->supervisor != 0 ? "true" : "false",
		    (long long)s->supervisor, buf_cstr(&home));
		buf_release(&home);
	} else if (s->supervisor != 0)
		printf("The supervisor runs on %s (pid %lld).\n\n",
		    s->cli->conf.home, (long long)s->supervisor);
	else
		printf("No supervisor runs on %s: 'skein up' starts one.\n\n",
		    s->cli->conf.home);
}

int
verb_status(struct cli *cli, int argc, char **argv)
{
	const struct option_spec specs[] = { { 0 } };
	struct status s = { .cli = cli };
	struct db_error why;
	struct db *shared;
	bool all_up;
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc > 1)
		return cli_usage(cli, "takes no arguments");
	read_stages(&s);
	print_supervisor(&s);
	shared = cli_try_open(cli, ENV_shared, &why);
	all_up = print_stages(&s, shared);
	if (shared != NULL)
		print_store(&s, shared);
	else
		fprintf(stderr, "skein status: %s\n", why.absent ?
		    "there is no store in the home yet" : why.text);
	print_assess(&s);
	db_close(&shared);
	return all_up ? 0 : 1;
}
