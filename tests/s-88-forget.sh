#!/bin/bash
# s-88-forget - what is forgotten is gone from every table, and nothing else is

. "$(dirname "$0")/lib.sh"
quiet() { "$@" >/dev/null 2>&1; }
export SKEIN_TICK_INTERVAL=0
ok 'the pipeline comes up' quiet up

say() { # USER MINUTE TEXT [MORE]
  printf '{"user":"%s","ts":"2025-03-01T%02d:%02d:00Z","text":"%s"%s}\n' "$1" $((10 + $2 / 60)) $(($2 % 60)) "$3" "${4:-}"
}
{
  say ann 0 'I am getting a zanzibarcode error in the login service'
  say ann 1 'restart the frobnicator daemon please'
  say ben 2 'my quokkaphone is broken'
  say ann 3 'the frobnicator works now, thanks' 
  say ann 4 'a marmaladeword in a chosen thread' ',"thread":"work","id":"w1"'
  say ben 5 'a reply of ben in that thread' ',"thread":"work","id":"w2"'
  say ann 6 'something else in that thread' ',"thread":"work","id":"w3"'
  say eve 7 'another domain altogether' ',"domain":"other"'
} | skein send --wait >/dev/null
ok 'it is all there' test "$(skein turns --json | wc -l)" = 7

# found WORD: how many files of the store hold it
found() { grep -rlaF -- "$1" "$SKEIN_HOME/db" | wc -l; }
settled() { quiet skein turns --after "$(skein status --json | jq -s 'map(select(.stage == "ingest") | .cursor) | .[0]')"; }

ok 'a word of a turn is in the store' test "$(found marmaladeword)" != 0
is "$(skein forget turn w1 --json | jq -r '.result')" '1 entry, 1 turn' 'one turn is forgotten'
settled
is "$(skein turns --json | grep -c marmaladeword)" 0 'and is in no list'
is "$(skein turns --thread work --json | jq -rs 'map(.id) | join(" ")')" 'w2 w3' 'its thread goes on under its name'
ok 'the store is sound' quiet skein check
ok 'and holds nothing of it' quiet skein check --forgotten
printf '{"user":"ann","ts":"2025-03-01T10:08:00Z","thread":"work","id":"w4","text":"one more"}\n' | skein send --wait >/dev/null
is "$(skein turns --thread work --json | jq -rs 'map(.id) | join(" ")')" 'w2 w3 w4' 'a later turn finds the thread'

before=$(skein digest)
skein rebuild --from classify >/dev/null
is "$(skein digest)" "$before" 'a replay of the log as it stands gives the same store'

is "$(skein forget user ann --json | jq -r '.result')" '5 entries, 5 turns' 'a user is forgotten' 
settled
is "$(skein turns --json | jq -rs 'map(.user) | unique | join(" ")')" ben 'and nobody else'
is "$(skein turns --json | grep -c 'zanzibarcode\|frobnicator')" 0 'nothing of it is listed'
is "$(skein artifacts --json | grep -c 'zanzibarcode\|frobnicator')" 0 'nor in what was made of it'
is "$(skein chains --json | grep -c 'zanzibarcode\|frobnicator')" 0 'nor in chains'
is "$(skein turns --thread work --json | jq -rs 'map(.id) | join(" ")')" 'w2' 'others keep their words in a shared thread'
ok 'the store is sound' quiet skein check
ok 'and holds nothing of it' quiet skein check --forgotten
before=$(skein digest)
skein rebuild --from classify >/dev/null
is "$(skein digest)" "$before" 'a replay of the log as it stands gives the same store'

is "$(printf 'quokkaphone\nzanzibarcode\n' | skein check --forgotten --text - --json | jq -rs 'map(select(.check == "forgotten")) | length > 0')" true 'a word that is still there is found'
ok 'one that is not, is not' quiet skein check --forgotten --text zanzibarcode
ok 'pages that are free are given back' quiet skein compact
is "$(stat -c %a "$SKEIN_HOME/db/shared/data.mdb")" 600 '  and nobody else can read the store'
is "$(found zanzibarcode)" 0 'no file of the store holds it any more'
is "$(found marmaladeword)" 0 'nor what was forgotten before'
ok 'what was not forgotten is there' test "$(found quokkaphone)" != 0
ok 'the pipeline is up again' quiet skein status
is "$(skein digest)" "$before" 'and the store as it was'

# Errors say what is missing.
for bad in 'turn nosuch' 'thread nosuch' 'artifact nosuch'; do
  # shellcheck disable=SC2086
  out=$(skein forget $bad 2>&1)
  ok "forget $bad is refused" test $? = 1
  like "$out" '_NOT_FOUND' '  by name'
done

# One message of an exchange, then its thread.
cat <<'J' | skein send --wait >/dev/null
{"type":"exchange","id":"x1","user":"kim","ts":"2025-03-01T12:00:00Z","system":"be kind to wombats","messages":[{"role":"user","content":"the platypusword is secret"}],"response":{"role":"assistant","content":[{"type":"text","text":"understood, the echidnaword"}]}}
{"type":"exchange","id":"x2","user":"kim","ts":"2025-03-01T12:01:00Z","system":"be kind to wombats","messages":[{"role":"user","content":"the platypusword is secret"},{"role":"assistant","content":"understood, the echidnaword"},{"role":"user","content":"go on"}],"response":{"role":"assistant","content":[{"type":"text","text":"going on"}]}}
J
x1=$(skein requests --json | jq -r 'select(.id == "x1") | .seq')
is "$(skein forget turn "$x1.0" --json | jq -r '.result')" '1 entry, 1 turn' 'one message of an exchange is forgotten'
settled
is "$(skein turns --user kim --json | grep -c platypusword)" 0 'it is gone'
is "$(skein turns --user kim --json | grep -c echidnaword)" 1 'the reply is not'
ok 'the store is sound' quiet skein check
is "$(skein forget user kim --json | jq -r '.result')" '2 entries, 4 turns' 'then all of it'
settled
skein compact >/dev/null
is "$(found wombats)" 0 'with the system text'

# What was made of a forgotten statement stays, and goes on naming it.
a=$(skein remember 'the wallabyport is 5433' --id first --json | jq -r .result)
b=$(skein remember 'backups run at two' --json | jq -r .result)
c=$(skein consolidate "first,$b" 'staging: port 6433, backups at two' --json | jq -r .result)
skein forget artifact "$a" >/dev/null
settled
is "$(skein artifacts --json | jq -r "select(.key == \"$c\") | .source_ids | join(\" \")")" "$a $b" 'what consolidates a forgotten statement stays'
is "$(skein artifacts --json | grep -c wallabyport)" 0 '  the statement does not'
ok '  nothing of it is left' quiet skein check --forgotten --text wallabyport

# Sent into a fresh home, nothing that is left reaches a stranger.
skein remember 'the emuhost is h1' --json | jq -r .result >"$SCRATCH/key"
skein refine "$(cat "$SCRATCH/key")" 'the emuhost is h2' >/dev/null
echo '{"user":"ann","thread":"t5","text":"a thread of its own name"}' | skein send --wait >/dev/null
skein export >"$SCRATCH/out" 2>"$SCRATCH/err"
like "$(cat "$SCRATCH/err")" 'left out: [0-9]+ commands about what is left out' 'wishes that are done are not sent on'
here=$(skein artifacts --json --current | jq -r .summary | sort)
down
SKEIN_HOME=$SCRATCH/copy
up || exit 1
is "$(skein send --wait <"$SCRATCH/out" | grep -c error)" 0 '  all of it is taken'
is "$(skein artifacts --json --current | jq -r .summary | sort)" "$here" '  what holds is the same, with other keys'
is "$(skein threads --json --user ann | jq -r 'select(.id == "t5").id')" t5 "  and a sender's own name for a thread stays"
down
SKEIN_HOME=$SCRATCH/home
up || exit 1

# The wish survives a kill between its journal and its doing.
skein forget domain --domain other >/dev/null
settled
is "$(skein turns --domain other --json | wc -l)" 0 'a domain is forgotten'
is "$(skein turns --json | wc -l)" 3 'others are not'
ok 'the store is sound' quiet skein check --deep

# An id names a memory in its own domain: the other domain's stays what it was.
for domain in east west; do
  skein remember "the $domain gate" --domain $domain --id gate >/dev/null
  skein refine gate "the $domain gate is shut" --domain $domain >/dev/null
done
skein forget artifact gate --domain east >/dev/null
settled
refined() { skein export --domain "$1" 2>/dev/null | jq -r 'select(.refines).refines'; }
is "$(refined west)" gate 'what refines by an id in another domain goes on doing so'
is "$(skein artifacts --json --domain west | jq -rs 'map(.superseded) | map(tostring) | join(" ")')" 'true false' \
  '  and the lineage there is whole'
down
done_testing
