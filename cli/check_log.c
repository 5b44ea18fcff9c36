/*
 * check_log - the tables that have one row for each entry
 *
 * The log, the arrivals and every stage's sections are each numbered from 1 to
 * a cursor without a gap; what an entry or a section names must be there.
 */
#include <sodium.h>

#include "cli/check.h"
#include "common/stage.h"

/* Looks at one record that decoded. */
typedef void check_record(struct check *c, enum table_id table, uint64_t seq,
    const struct msg *m);

/* Exactly 1 to `upto`, nothing beyond.  `each` may be NULL. */
static void
check_gapless(struct check *c, enum table_id table, uint64_t upto,
    check_record *each)
{
	const char *name = table_spec(table)->name;
	struct db_cursor *rows = check_rows(c, table);
	uint64_t seq, last = 0;
	struct db_entry e;
	struct msg m;

	while (db_next(rows, &e)) {
		if (e.key.len != 8) {
			check_finding(c, "key", "%s: a key of %zu bytes", name,
			    e.key.len);
			continue;
		}
		seq = key_read_u64(e.key, 0);
		if (seq > upto) {
			check_finding(c, "beyond", "%s has %llu, past the "
			    "cursor %llu", name, (unsigned long long)seq,
			    (unsigned long long)upto);
		} else if (seq != last + 1) {
			check_note_hole(c, table);
			check_finding(c, "gap", "%s: %llu follows %llu", name,
			    (unsigned long long)seq,
			    (unsigned long long)last);
		}
		last = seq;
		if (check_decode(c, table, &e, &m) && seq <= upto &&
		    each != NULL)
			each(c, table, seq, &m);
		arena_reset(&c->arena);
	}
	if (last < upto) {
		check_note_hole(c, table);
		check_finding(c, "gap", "%s ends at %llu, the cursor is %llu",
		    name, (unsigned long long)last, (unsigned long long)upto);
	}
	db_cursor_close(&rows);
}

static enum stage_id
stage_of(enum table_id table)
{
	enum stage_id id;

	for (id = 0; id < STAGE_COUNT - 1; id++)
		if (stage_section_table(id) == table)
			break;
	return id;
}

static void
each_section(struct check *c, enum table_id table, uint64_t seq,
    const struct msg *m)
{
	const char *stage = stage_name(stage_of(table));
	struct key k = key_u64(seq);

	if (m->id != MSG_s_none || !m->as->s_none.rejected)
		return;
	key_add_text(&k, slice_str(stage));
	if (!check_has(c, TABLE_rejects, key_slice(&k)))
		check_finding(c, "rejects", "%s rejected %llu, but rejects has "
		    "no row for it", stage, (unsigned long long)seq);
}

static void
check_parent(struct check *c, uint64_t seq, const struct msg_exchange *x)
{
	struct key k = key_u64(x->parent_seq);
	struct msg_exchange parent;

	if (x->parent_seq == 0) {
		if (x->known > 0)
			check_finding(c, "parent", "entry %llu continues %llu "
			    "messages, but names none",
			    (unsigned long long)seq,
			    (unsigned long long)x->known);
		return;
	}
	if (x->parent_seq >= seq) {
		check_finding(c, "parent", "entry %llu continues %llu, which "
		    "is not earlier", (unsigned long long)seq,
		    (unsigned long long)x->parent_seq);
		return;
	}
	if (!check_get(c, TABLE_log, key_slice(&k), MSG_exchange, &parent) ||
	    x->parent_i >= parent.n_added ||
	    parent.known + x->parent_i + 1 != x->known)
		check_finding(c, "parent", "entry %llu continues message "
		    "%llu.%llu, which is not there",
		    (unsigned long long)seq,
		    (unsigned long long)x->parent_seq,
		    (unsigned long long)x->parent_i);
}

/* A call without system text has the hash of nothing, and no row. */
static void
check_system(struct check *c, uint64_t seq, struct slice hash)
{
	unsigned char none[16];

	crypto_generichash(none, sizeof(none), NULL, 0, NULL, 0);
	if (hash.len == 0 ||
	    slice_eq(hash, slice_of((char *)none, sizeof(none))) ||
	    check_has(c, TABLE_systems, hash))
		return;
	check_finding(c, "systems", "entry %llu: its system text is not there",
	    (unsigned long long)seq);
}

static void
each_entry(struct check *c, enum table_id table, uint64_t seq,
    const struct msg *m)
{
	struct key k = key_u64(seq);
	struct msg_s_ingest section;

	(void)table;
	if (!msg_is_entry(m->id)) {
		check_finding(c, "record", "log %llu: a %s is no entry",
		    (unsigned long long)seq, msg_spec(m->id)->name);
		return;
	}
	if (m->as->envelope.domain.len == 0)
		check_finding(c, "record", "log %llu: has no domain",
		    (unsigned long long)seq);
	if (m->id == MSG_exchange) {
		check_parent(c, seq, &m->as->exchange);
		check_system(c, seq, m->as->exchange.system_hash);
	}
	if (!check_get(c, TABLE_s_ingest, key_slice(&k), MSG_s_ingest,
		&section))
		return;		/* s_ingest's own pass says so */
	if (c->tables && seq <= c->applied)
		check_place(c, seq, m, &section);
}

/* The other way round: each row of rejects has its section. */
static void
check_rejects(struct check *c)
{
	struct db_cursor *rows = check_rows(c, TABLE_rejects);
	struct msg_s_none section;
	struct db_entry e;
	enum stage_id id;
	struct key k;
	struct msg m;

	while (db_next(rows, &e)) {
		arena_reset(&c->arena);
		if (!check_decode(c, TABLE_rejects, &e, &m))
			continue;
		k = key_u64(m.as->reject.seq);
		if (stage_named(m.as->reject.stage, &id) == 0 &&
		    check_get(c, stage_section_table(id), key_slice(&k),
			MSG_s_none, &section) && section.rejected)
			continue;
		check_finding(c, "rejects", "a row says that %.*s rejected "
		    "%llu, its section does not",
		    SLICE_ARG(m.as->reject.stage),
		    (unsigned long long)m.as->reject.seq);
	}
	db_cursor_close(&rows);
}

void
check_log(struct check *c)
{
	enum stage_id id;

	check_gapless(c, TABLE_log, c->cursors[STAGE_ingest].seq, each_entry);
	check_gapless(c, TABLE_arrivals, c->cursors[STAGE_ingest].seq, NULL);
	for (id = 0; id < STAGE_COUNT; id++)
		check_gapless(c, stage_section_table(id), c->cursors[id].seq,
		    each_section);
	check_rejects(c);
}
