#!/bin/bash
# A backup taken while the store is in use is a home; an export sent into a
# fresh home gives the same log and the same tables.
. "$(dirname "$0")/pipeline.sh"

# rows TABLE...: their lines of the digest
rows() { skein digest | grep -E "^($(IFS='|'; echo "$*")) "; }
fresh_home() {
  export SKEIN_HOME=$SCRATCH/$1
  up || exit 1
}
ingest_tables=(log systems threads thread_ids session_threads spans thread_turns streams live_domains nodes)

# ---- backup
new_home source
up || exit 1
entries 1500 >"$SCRATCH/in"
send "$SCRATCH/in" "$SCRATCH/acks"
head=$(jq -s 'map(.seq // 0) | max' "$SCRATCH/acks")
skein digest >"$SCRATCH/source.digest"
echo 'inactivity_timeout = 45' >"$SKEIN_HOME/skein.conf"
is "$(skein backup "$SCRATCH/quiet" --json | jq -c '[.dir,.seq]')" "[\"$SCRATCH/quiet\",$head]" 'a backup says what it holds'
is "$(find "$SCRATCH/quiet" -type f | sed "s#$SCRATCH/quiet/##" | sort | paste -sd ' ')" \
  'db/shared/data.mdb skein.conf' 'it is the shared environment and the settings'
is "$(stat -c %a "$SCRATCH/quiet/db/shared/data.mdb")" 600 'and for its owner only'
out=$(skein backup "$SCRATCH/quiet" 2>&1)
is "$?" 1 'it does not go over another store'
like "$out" 'has a store already' 'and says so'

entries 2000 seed=3 domain=busy >"$SCRATCH/busy"
skein send "$SCRATCH/busy" >"$SCRATCH/busy.acks" 2>&1 &
client=$!
skein backup "$SCRATCH/hot1" >/dev/null
skein backup "$SCRATCH/hot2" >/dev/null
wait $client
last=$(jq -s 'map(.seq // 0) | max' "$SCRATCH/busy.acks")
skein turns --after "$last" --limit 1 >/dev/null
down

for home in quiet hot1 hot2; do
  export SKEIN_HOME=$SCRATCH/$home
  sound "backup $home is sound as it is"
  cp "$SCRATCH/source/stages" "$SKEIN_HOME/"
  up || exit 1
  held=$(skein status --json | jq 'select(.stage == "ingest").cursor')
  ok "  the stages catch up to $held" wait_for 20 test "$(skein turns --json --after "$held" --limit 1 | wc -l)" = 1
  down
  sound '  and it is sound then'
done
export SKEIN_HOME=$SCRATCH/quiet
skein digest >"$SCRATCH/quiet.digest"
ok 'the quiet backup has the digest of its source' cmp "$SCRATCH/source.digest" "$SCRATCH/quiet.digest"
for home in hot1 hot2; do
  export SKEIN_HOME=$SCRATCH/$home
  held=$(skein status --json 2>/dev/null | jq 'select(.stage == "ingest").cursor')
  is "$(skein export --to "$held" 2>/dev/null | cksum)" \
    "$(skein --home "$SCRATCH/source" export --to "$held" 2>/dev/null | cksum)" "the log of $home is that of its source up to $held"
done

# ---- export: one of every type
new_home a
up || exit 1
skein send --wait "$TESTS/data/every-type.jsonl" >/dev/null
skein export >"$SCRATCH/a.out"
is "$(wc -l <"$SCRATCH/a.out")" 26 'a line for each entry'
rows "${ingest_tables[@]}" >"$SCRATCH/a.rows"
down
fresh_home b
skein send --wait "$SCRATCH/a.out" >"$SCRATCH/acks"
is "$(grep -c error "$SCRATCH/acks")" 0 'send takes them all again'
rows "${ingest_tables[@]}" >"$SCRATCH/b.rows"
is "$(cat "$SCRATCH/b.rows")" "$(cat "$SCRATCH/a.rows")" \
  'log, system texts, threads, turns, nodes, streams are the same, exchanges too'
skein export >"$SCRATCH/b.out"
ok 'and so is its own export' cmp "$SCRATCH/a.out" "$SCRATCH/b.out"
skein digest >"$SCRATCH/b.digest"
down
fresh_home c
skein send --wait "$SCRATCH/b.out" >/dev/null
skein digest >"$SCRATCH/c.digest"
ok 'what was exported once gives the whole digest again' cmp "$SCRATCH/b.digest" "$SCRATCH/c.digest"
is "$(skein export --domain work | jq -r .text)" 'Behind the wall.' 'one domain alone'
is "$(skein export --from 4 --to 5 | jq -r .text | paste -sd ' ')" 'Let us plan the project. Here is a plan.' 'a part of it'
down

# Without exchanges, whose content hash is over the text as it was sent, all of
# ingest is the same: what a sender left out is left out again.
grep -v '"exchange"' "$TESTS/data/every-type.jsonl" >"$SCRATCH/plain"
fresh_home d
skein send --wait "$SCRATCH/plain" >/dev/null
skein export >"$SCRATCH/d.out"
rows "${ingest_tables[@]}" s_ingest sent >"$SCRATCH/d.rows"
is "$(head -1 "$SCRATCH/d.out")" \
  '{"type":"turn","ts":"2025-11-05T10:00:00Z","user":"ann","channel":"sms","text":"Good morning, is the pump fixed?"}' \
  'what was not given is not exported'
down
fresh_home e
skein export >/dev/null 2>&1
skein send --wait "$SCRATCH/d.out" >/dev/null
rows "${ingest_tables[@]}" s_ingest sent >"$SCRATCH/e.rows"
is "$(cat "$SCRATCH/e.rows")" "$(cat "$SCRATCH/d.rows")" "ingest's sections and the ids it has seen are the same too"
is "$(skein send "$SCRATCH/d.out" | jq -r 'select(.id) | "\(.id)=\(.seq)"' | paste -sd ' ')" \
  'm2=2 m4=4 m2=10' 'an id sent again is known'
down

# ---- export: many
new_home big
up || exit 1
send "$SCRATCH/in" "$SCRATCH/big.acks"
skein export >"$SCRATCH/big.out"
rows "${ingest_tables[@]}" >"$SCRATCH/big.rows"
down
fresh_home big2
send "$SCRATCH/big.out" "$SCRATCH/big2.acks"
is "$(grep -c error "$SCRATCH/big2.acks")" 0 "$(wc -l <"$SCRATCH/big.out") mixed entries are all taken again"
is "$(rows "${ingest_tables[@]}")" "$(cat "$SCRATCH/big.rows")" 'with the same log and tables'
sound 'and sound'
down
done_testing
