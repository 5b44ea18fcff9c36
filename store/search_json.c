/*
 * search_json - a hit as JSON
 */
#include "common/json.h"
#include "common/when.h"
#include "store/search.h"

static void
put_text(struct buf *out, const char *name, struct slice s)
{
	buf_addf(out, ",\"%s\":", name);
	if (s.len > 0)
		json_put_str(out, s);
	else
		buf_adds(out, "null");
}

static void
put_list(struct buf *out, const char *name, const struct msg_strs *list)
{
	size_t i;

	buf_addf(out, ",\"%s\":[", name);
	for (i = 0; i < list->count; i++) {
		buf_adds(out, i > 0 ? "," : "");
		json_put_str(out, list->at[i]);
	}
	buf_addc(out, ']');
}

static void
put_why(struct buf *out, const struct search_why *why)
{
	buf_addf(out, ",\"why\":{\"terms\":%.4f,\"dense\":%.4f,"
	    "\"recency\":%.4f,\"weight\":%.4f,\"neighbour\":%.4f",
	    why->terms, why->dense, why->recency, why->weight,
	    why->neighbour);
	put_list(out, "words", &why->words);
	buf_addc(out, '}');
}

void
search_hit_json(struct buf *out, const struct search_hit *hit,
    struct slice thread_name)
{
	char when[WHEN_TEXT_BYTES];

	when_format(hit->ts, when);
	buf_addf(out, "{\"id\":");
	if (hit->id.len > 0)
		json_put_str(out, hit->id);
	else
		buf_adds(out, "null");
	put_text(out, "key", hit->key);
	buf_addf(out, ",\"seq\":%llu,\"kind\":\"%s\",\"score\":%.6f",
	    (unsigned long long)hit->seq, search_kind_name(hit->kind),
	    hit->score);
	put_text(out, "text", hit->text);
	buf_addf(out, ",\"ts\":\"%s\"", when);
	put_why(out, &hit->why);
	put_text(out, "thread", thread_name);
	put_text(out, "user", hit->user);
	put_text(out, "room", hit->room);
	put_text(out, "channel", hit->channel);
	put_text(out, "role", hit->role);
	put_text(out, "type", hit->type);
	put_text(out, "status", hit->status);
	put_list(out, "tags", &hit->tags);
	if (hit->weight > 0)
		buf_addf(out, ",\"weight\":%llu.%03llu",
		    (unsigned long long)hit->weight / 1000,
		    (unsigned long long)hit->weight % 1000);
	else
		buf_adds(out, ",\"weight\":null");
	buf_addf(out, ",\"superseded\":%s", hit->superseded ? "true" :
							      "false");
	put_text(out, "refined_by", hit->refined_by);
	buf_addc(out, '}');
}
