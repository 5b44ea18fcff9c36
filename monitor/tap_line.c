/*
 * tap_line - a frame as one line: for people, or as a JSON object
 *
 *   11-15 02:47:13.120  classify      42  turn      ann       t17     text ...
 *   time (UTC)          stage        seq  type      user      thread
 */
#include <utf8proc.h>

#include "common/json.h"
#include "common/text.h"
#include "common/when.h"
#include "monitor/tap.h"

enum { USER_COLUMNS = 10, THREAD_COLUMNS = 8, LEAST_TEXT_COLUMNS = 20 };

static const char reset[] = "\033[0m", dim[] = "\033[2m", red[] = "\033[1;31m";

/* ---- cells ---- */

/* Text is somebody's: nothing in it may move a terminal's cursor. */
static bool
is_unfit(int32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ||
	    (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	    (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

static unsigned
columns_of(int32_t cp)
{
	int width = is_unfit(cp) ? 1 : utf8proc_charwidth(cp);

	return width < 0 ? 0 : (unsigned)width;
}

static bool
fits(struct slice text, unsigned width)
{
	unsigned used = 0;
	size_t pos = 0;
	int32_t cp;

	while (used <= width && text_next(text, &pos, &cp))
		used += columns_of(cp);
	return used <= width;
}

static void
put_cp(struct buf *out, int32_t cp)
{
	utf8proc_uint8_t bytes[4];
	utf8proc_ssize_t len;

	if (is_unfit(cp)) {
		buf_addc(out, ' ');
		return;
	}
	len = utf8proc_encode_char(cp, bytes);
	buf_add(out, bytes, (size_t)len);
}

void
tap_cell(struct buf *out, struct slice text, unsigned width, bool pad)
{
	bool whole = width == 0 || fits(text, width);
	unsigned used = 0, room = whole ? width : width - 1;
	size_t pos = 0;
	int32_t cp;

	while (text_next(text, &pos, &cp)) {
		if (width > 0 && used + columns_of(cp) > room)
			break;
		put_cp(out, cp);
		used += columns_of(cp);
	}
	if (!whole) {
		buf_adds(out, "\u2026");
		used++;
	}
	for (; pad && used < width; used++)
		buf_addc(out, ' ');
}

/* ---- for people ---- */

static void
put_time(struct buf *out, int64_t ms)
{
	struct when_date d = when_date(when_day_of(ms));
	int64_t in_day = ms - when_days(d) * WHEN_DAY_MS;

	if (ms == 0) {
		buf_adds(out, "                  ");
		return;
	}
	buf_addf(out, "%02d-%02d %02d:%02d:%02d.%03d", d.month, d.day,
	    (int)(in_day / WHEN_HOUR_MS), (int)(in_day / WHEN_MINUTE_MS % 60),
	    (int)(in_day / 1000 % 60), (int)(in_day % 1000));
}

static void
put_head(struct buf *out, const struct tap_options *o, enum stage_id stage,
    int64_t at)
{
	if (o->colour)
		buf_adds(out, dim);
	put_time(out, at);
	if (o->colour)
		buf_addf(out, "%s  \033[3%dm", reset, (int)stage % 6 + 1);
	else
		buf_adds(out, "  ");
	buf_addf(out, "%-9s", stage_name(stage));
	if (o->colour)
		buf_adds(out, reset);
}

static void
put_thread(struct buf *out, const struct tap_frame *f)
{
	const struct msg *section = &f->sections[STAGE_ingest];
	char thread[32] = "-";

	if (section->id == MSG_s_ingest && section->as->s_ingest.thread > 0)
		snprintf(thread, sizeof(thread), "t%llu",
		    (unsigned long long)section->as->s_ingest.thread);
	tap_cell(out, slice_str(thread), THREAD_COLUMNS, true);
}

/* The words of an entry: its text, or else its fields. */
static void
put_words(struct buf *out, const struct msg *entry)
{
	const struct msg_exchange *x = &entry->as->exchange;

	switch (entry->id) {
	case MSG_turn:
		buf_addslice(out, entry->as->turn.text);
		break;
	case MSG_memory:
		buf_addslice(out, entry->as->memory.text);
		break;
	case MSG_exchange:
		buf_addf(out, "%llu known, %zu new",
		    (unsigned long long)x->known, x->n_added);
		if (x->n_added > 0) {
			buf_adds(out, ": ");
			buf_addslice(out, x->added[x->n_added - 1].text);
		}
		break;
	default:
		msg_print(out, entry->id, entry->as);
	}
}

static void
put_stats(struct buf *out, const struct msg_stats *stats)
{
	size_t i;

	buf_addf(out, "state=%.*s", SLICE_ARG(stats->state));
	for (i = 0; i < stats->counters.count && i < COUNTER_COUNT; i++)
		if (stats->counters.at[i] > 0)
			buf_addf(out, " %s=%llu", counter_name(i),
			    (unsigned long long)stats->counters.at[i]);
}

/* What follows the columns before it, cut to the terminal. */
static void
put_rest(struct buf *out, const struct tap_options *o, struct slice rest,
    unsigned before)
{
	unsigned width = 0;

	if (o->columns > 0)
		width = o->columns > before + LEAST_TEXT_COLUMNS ?
		    o->columns - before : LEAST_TEXT_COLUMNS;
	tap_cell(out, rest, width, false);
	buf_addc(out, '\n');
}

static void
put_human(struct buf *out, const struct tap_options *o,
    const struct tap_frame *f)
{
	unsigned before = 18 + 2 + 9 + 2 + 8 + 2 + 8;
	struct buf rest;
	const char *type;

	type = f->kind == KIND_entry ? msg_spec(f->record.id)->name :
				       tap_kind_name(f->kind);
	put_head(out, o, f->stage, f->at != 0 ? f->at : f->arrived);
	buf_addf(out, "  %8llu  %-8s", (unsigned long long)f->seq, type);
	if (strlen(type) > 8)
		before += (unsigned)strlen(type) - 8;
	buf_init(&rest, SIZE_MAX / 4);
	if (f->kind == KIND_entry) {
		buf_adds(out, "  ");
		tap_cell(out, f->record.as->envelope.user, USER_COLUMNS, true);
		buf_adds(out, "  ");
		put_thread(out, f);
		before += 4 + USER_COLUMNS + THREAD_COLUMNS;
		tap_verdict(&rest, f);
		put_words(&rest, &f->record);
	} else if (f->kind == KIND_stats)
		put_stats(&rest, &f->record.as->stats);
	if (rest.len > 0) {
		buf_adds(out, "  ");
		before += 2;
	}
	put_rest(out, o, buf_slice(&rest), before);
	buf_release(&rest);
}

/* ---- JSON ---- */

static void
put_json_time(struct buf *out, const char *name, int64_t ms)
{
	char stamp[WHEN_TEXT_BYTES];

	when_format(ms, stamp);
	if (ms == 0)
		buf_addf(out, ",\"%s\":null", name);
	else
		buf_addf(out, ",\"%s\":\"%s\"", name, stamp);
}

static void
put_json_entry(struct buf *out, const struct tap_frame *f)
{
	const char *comma = "";
	int id;

	buf_addf(out, ",\"type\":\"%s\",\"entry\":",
	    msg_spec(f->record.id)->name);
	msg_to_json(out, f->record.id, f->record.as, false);
	buf_adds(out, ",\"sections\":{");
	for (id = 0; id < STAGE_COUNT; id++) {
		if (f->sections[id].id == MSG_none)
			continue;
		buf_addf(out, "%s\"%s\":", comma, stage_name(id));
		msg_to_json(out, f->sections[id].id, f->sections[id].as, false);
		comma = ",";
	}
	buf_addc(out, '}');
	put_json_time(out, "arrived", f->arrived);
}

static void
put_json_stats(struct buf *out, const struct msg_stats *stats)
{
	size_t i;

	buf_adds(out, ",\"state\":");
	json_put_str(out, stats->state);
	buf_adds(out, ",\"counters\":{");
	for (i = 0; i < stats->counters.count && i < COUNTER_COUNT; i++)
		buf_addf(out, "%s\"%s\":%llu", i > 0 ? "," : "",
		    counter_name(i), (unsigned long long)stats->counters.at[i]);
	buf_addc(out, '}');
}

static void
put_json(struct buf *out, const struct tap_frame *f)
{
	buf_addf(out, "{\"stage\":\"%s\",\"kind\":\"%s\",\"seq\":%llu",
	    stage_name(f->stage), tap_kind_name(f->kind),
	    (unsigned long long)f->seq);
	if (f->kind == KIND_entry)
		put_json_entry(out, f);
	else if (f->kind == KIND_stats)
		put_json_stats(out, &f->record.as->stats);
	put_json_time(out, "at", f->at);
	buf_adds(out, "}\n");
}

void
tap_line(struct buf *out, const struct tap_options *o,
    const struct tap_frame *f)
{
	if (o->json)
		put_json(out, f);
	else
		put_human(out, o, f);
}

void
tap_line_lost(struct buf *out, const struct tap_options *o,
    enum stage_id stage, uint64_t lost, int64_t at)
{
	if (o->json) {
		buf_addf(out, "{\"lost\":%llu,\"stage\":\"%s\"",
		    (unsigned long long)lost, stage_name(stage));
		put_json_time(out, "at", at);
		buf_adds(out, "}\n");
		return;
	}
	put_head(out, o, stage, at);
	buf_addf(out, "  %slost=%llu%s\n", o->colour ? red : "",
	    (unsigned long long)lost, o->colour ? reset : "");
}
