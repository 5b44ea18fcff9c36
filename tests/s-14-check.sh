#!/bin/bash
# `skein check` is silent on a sound store and finds planted damage; a store of
# every schema version opens.
. "$(dirname "$0")/lib.sh"
export SKEIN_MAP_SIZE=1   # homes are copied often
BASE=$SCRATCH/home
quiet() { "$@" >/dev/null 2>&1; }

up || exit 1
skein send --wait "$TESTS/data/every-type.jsonl" >/dev/null
is "$(skein check --json | jq -c '[.ok,.findings,.entries,.turns,.threads]')" '[true,0,26,17,10]' \
  'a running store is sound'
ok 'and so says check --deep' quiet skein check --deep
is "$(ls "$SKEIN_HOME/run" | grep -c check)" 0 'which leaves nothing behind'
while :; do echo '{"text":"load","user":"load"}'; done 2>/dev/null | head -20000 | skein send >/dev/null &
load=$!
sound=0
for i in 1 2 3 4 5 6; do skein check >"$SCRATCH/out" 2>&1 && sound=$((sound + 1)); done
is "$sound" 6 'it is sound at any time under load'
wait $load
skein check --after 20026 >"$SCRATCH/out"
like "$(cat "$SCRATCH/out")" '^sound: 20026 entries, 20017 turns' 'and after it'
down
rm -rf "$BASE"
up
skein send --wait "$TESTS/data/every-type.jsonl" >/dev/null
# A stage that rejects everything, for rows in rejects.
skein replace classify --exec false >/dev/null 2>&1
echo '{"text":"to be rejected","user":"rex","ts":"2025-11-05T15:00:00Z"}' | skein send --wait >/dev/null
echo '{"text":""}' | skein send >/dev/null
is "$(skein rejects --json | jq -r 'select(.kind == "reject") | "\(.seq) \(.stage)"')" '27 classify' \
  'a rejected entry is listed'
down
ok 'a rejected entry is no damage' quiet skein check

# finds NAME PATTERN DAMAGE...: each damage is a line for tests/damage
finds() {
  local name=$1 pattern=$2 line out
  shift 2
  rm -rf "$SCRATCH/hurt"
  mkdir -p "$SCRATCH/hurt"
  cp -r "$BASE/db" "$SCRATCH/hurt/"
  for line; do
    # shellcheck disable=SC2086
    "$SKEIN_TESTBIN/damage" "$SCRATCH/hurt" $line || echo "# damage failed: $line"
  done
  out=$(skein --home "$SCRATCH/hurt" check 2>&1)
  ok "$name: exit 1" test $? = 1
  like "$out" "$pattern" "$name: said"
}

finds 'log: a gap' 'gap: log: 6 follows 4' 'delete log 5'
finds 'log: its end is missing' 'gap: log ends at 26, the cursor is 27' 'delete log 27'
finds 'log: an entry too many' 'beyond: log has 28, past the cursor 27' 'copy log 27 28'
finds 'log: a garbled entry' 'record: log 5: cannot be read' 'garble log 5'
for table in s_ingest s_classify s_chainer s_compactor s_linker s_store; do
  finds "$table: a gap" "gap: $table: 8 follows 6" "delete $table 7"
  finds "$table: a section too many" "beyond: $table has 28" "copy $table 1 28"
  finds "$table: a garbled section" "record: $table 3: cannot be read" "garble $table 3"
done
finds 'arrivals: a gap' 'gap: arrivals: 3 follows 1' 'delete arrivals 2'
finds 'cursors: one ahead of the stage before' 'cursors: store stands at 30, past linker at 27' \
  'set cursors store seq 30'
finds 'cursors: one behind its sections' 'beyond: s_store has 27, past the cursor 26' \
  'set cursors store seq 26'
finds 'cursors: one lost' 'beyond: s_store has 1, past the cursor 0' 'delete cursors store'
finds 'meta: gone' 'is no store of skein|does not say what it is' 'delete meta store'
finds 'rejects: a row is missing' 'rejects: classify rejected 27, but' 'delete rejects first'
finds 'rejects: a section is no rejection' 'its section does not' 'set s_classify 27 rejected 0'
finds 'systems: a text is missing' 'systems: entry 9: its system text' 'delete systems first'
finds 'exchange: its parent is not earlier' 'parent: entry 10 continues 10, which is not' \
  'set log 10 parent_seq 10'
finds 'exchange: its parent is no exchange' 'parent: entry 10 continues message 5.1, which' \
  'set log 10 parent_seq 5'
finds 'exchange: another depth' 'parent: entry 10 continues message 9.1, which' 'set log 10 known 3'
finds 'threads: one is gone' 'threads: entry 4 is in thread t4, which is not there' 'delete threads 4'
finds 'threads: its parent is gone' 't6 has the parent t4, which is not there' 'delete threads 4'
finds 'threads: one too many' 'threads: t4 stands under the key 2' 'copy threads 4 2'
finds 'threads: begun by nothing' 'threads: t2 was begun by no entry' 'copy threads 1 2' 'set threads 2 key 2'
finds 'threads: a parent that is later' 't4 has the parent t6, which is not earlier' 'set threads 4 parent 6'
finds 'threads: more shared than there is' 't6 shares 9 turns of t4, which has 2' 'set threads 6 parent_turn 9'
finds 'threads: a wrong count' 'turn_count: t4 counts 3 turns' 'set threads 4 turn_count 3'
finds 'threads: a count too small' 'turn_count: threads count 17 turns, the sections 18' 'set threads 4 turn_count 1'
finds 'threads: a wrong last entry' 'turn_count: t4: its last entry is 4' 'set threads 4 last_seq 4'
finds 'threads: garbled' 'record: threads 4: cannot be read' 'garble threads 4'
finds 'thread_turns: one is gone' 'turn 5.0 is not in thread_turns as t4 turn 2' 'delete thread_turns 4,2'
finds 'thread_turns: one too many' 'nothing accounts for the row t4 turn 3' 'copy thread_turns 4,2 4,3'
finds 'thread_turns: a hole' 't1: turn 2 follows 0' 'delete thread_turns 1,1'
finds 'thread_turns: another turn' 't4 turn 2 is 4.0 in thread_turns, but 5.0' 'set thread_turns 4,2 seq 4'
finds 's_ingest: another number of turns' 'turns: entry 5 holds 1 turns, its section says 2' \
  'set s_ingest 5 turns 2'
finds 's_ingest: another thread' 'turn 5.0 is not in thread_turns as t1 turn|t1 turn 2 is 2.0' 'set s_ingest 5 thread 1'
finds 's_ingest: does not begin its thread' 'does not agree with itself' 'set s_ingest 4 begins 0'
finds 'sent: an id is gone' 'sent: entry .*: its id is not in sent' 'delete sent first'
finds 'sent: an id leads elsewhere' 'sent: entry .*: its id leads to entry 1' 'set sent first seq 1'
finds 'sent: one too many' 'sent: nothing accounts for the row zz' 'copy sent first zz'
finds 'sent: other content' 'different content hashes' 'set sent first content_hash x'
finds 'nodes: one is gone' 'nodes: message .* is not in nodes' 'delete nodes first'
finds 'nodes: another depth' 'nodes: message .*: its node says another place' 'set nodes first depth 9'
finds 'nodes: one too many' 'nodes: nothing accounts for the row zz' 'copy nodes first zz'
finds 'spans: one is gone' 'spans: t.* is implicit, but not in spans' 'delete spans first'
finds 'spans: one too many' 'spans: nothing accounts for the row zz' 'copy spans first zz'
finds 'spans: another start' 'is implicit, but not in spans at its start' 'set threads 1 span_start 5'
finds 'thread_ids: one is gone' 'thread_ids: t4 is not found by its id' 'delete thread_ids first'
finds 'thread_ids: one too many' 'thread_ids: nothing accounts for the row zz' 'copy thread_ids first zz'
finds 'session_threads: leads to nothing' 'session_threads: nothing accounts' 'set session_threads first seq 99999'
finds 'streams: another count' 'streams: streams count' 'set streams first entries 99'
finds 'own tables: ahead of their stage' "derived: ingest's own tables are at 99" \
  'set ingest_derived follows seq 99'
finds 'a garbled refusal' 'record: refusals 1: cannot be read' 'garble refusals first'
finds 'one garbled entry is one finding' $'cannot be read[^\n]*\nnote: [^\n]*\n1 findings' 'garble log 5'

# Behind is no damage: it is said.
rm -rf "$SCRATCH/hurt" && mkdir "$SCRATCH/hurt" && cp -r "$BASE/db" "$SCRATCH/hurt/"
"$SKEIN_TESTBIN/damage" "$SCRATCH/hurt" set store_derived follows seq 20
out=$(skein --home "$SCRATCH/hurt" check)
ok 'own tables that are behind are sound' test $? = 0
like "$out" "note: store's own tables are at 20 of 27" 'and said'
rm -rf "$SCRATCH/hurt/db/ingest"
out=$(skein --home "$SCRATCH/hurt" check)
ok 'so are own tables that are not there' test $? = 0
like "$out" "note: ingest's own tables are not there" 'and said'

# Nor is an index whose terms an older program made: nothing of it is used.
rm -rf "$SCRATCH/hurt" && mkdir "$SCRATCH/hurt" && cp -r "$BASE/db" "$SCRATCH/hurt/"
"$SKEIN_TESTBIN/damage" "$SCRATCH/hurt" set store_derived follows schema 3
out=$(skein --home "$SCRATCH/hurt" check --deep)
ok 'own tables of an older version are sound' test $? = 0
like "$out" "note: store's own tables belong to another state of the store; it makes them again" 'and said'
quiet skein-store --home "$SCRATCH/hurt" --once
is "$(skein --home "$SCRATCH/hurt" check --deep | grep -c "store's own tables")" 0 '  and made again'

# Deep: a table that agrees with the others in number, not in content.
rm -rf "$SCRATCH/hurt" && mkdir "$SCRATCH/hurt" && cp -r "$BASE/db" "$SCRATCH/hurt/"
"$SKEIN_TESTBIN/damage" "$SCRATCH/hurt" set threads 4 name Mallory
ok 'a changed name passes the quick check' quiet skein --home "$SCRATCH/hurt" check
out=$(skein --home "$SCRATCH/hurt" check --deep)
ok 'but not the deep one' test $? = 1
like "$out" 'deep: threads is not what the sections give' 'which says where'
is "$(skein --home "$SCRATCH/hurt" check --json --deep | jq -rs '.[-1].ok')" false 'as JSON too'

# Many findings of a kind are counted, not all shown.
rm -rf "$SCRATCH/hurt" && mkdir "$SCRATCH/hurt" && cp -r "$BASE/db" "$SCRATCH/hurt/"
for i in {1..25}; do "$SKEIN_TESTBIN/damage" "$SCRATCH/hurt" garble s_linker "$i"; done
out=$(skein --home "$SCRATCH/hurt" check)
is "$(grep -c '^record: s_linker' <<<"$out")" 20 'twenty of a kind are shown'
like "$out" 'record: and 5 more' 'and the rest counted'

# Other schemas.
rm -rf "$SCRATCH/hurt" && mkdir "$SCRATCH/hurt" && cp -r "$BASE/db" "$SCRATCH/hurt/"
ok 'a store of this schema needs nothing' quiet skein --home "$SCRATCH/hurt" migrate
"$SKEIN_TESTBIN/damage" "$SCRATCH/hurt" set meta store schema 99
for verb in turns threads check 'export' 'backup x' 'rebuild --from store' 'shadow store' digest migrate; do
  # shellcheck disable=SC2086
  out=$(skein --home "$SCRATCH/hurt" $verb 2>&1)
  ok "skein $verb refuses a newer store" test $? = 1
  like "$out" 'take a newer skein' '  and says what to do'
done
out=$(skein-store --home "$SCRATCH/hurt" 2>&1)
is "$?" 100 'so does a stage, for good'

# A small store of each schema version is kept from its day on: that version's
# `skein send` of data/every-type.jsonl, then `skein backup`, and of the digest
# the line of the log.
caught_up() { [[ $(skein status --json | jq -s 'map(select(.stage) | .lag) | add') == 0 ]]; }
for old in "$TESTS"/data/store-v*; do
  v=${old##*-}
  export SKEIN_HOME=$SCRATCH/$v
  mkdir -p "$SKEIN_HOME/db/shared"
  cp "$old/data.mdb" "$SKEIN_HOME/db/shared/"
  ok "a store of schema ${v#v} opens" quiet skein migrate
  ok '  and is sound' quiet skein check
  is "$(skein digest | awk '$1 == "log"')" "$(cat "$old/log.digest")" '  and its log is what it was'
  ok '  today the stages take it up' quiet up
  ok '  and catch up' wait_for 30 caught_up
  ok '  its tables are made' quiet skein threads
  ok '  and sound' quiet skein check --deep
  down
done
done_testing
