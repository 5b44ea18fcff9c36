#!/bin/bash
# Sections are dropped and made again; candidates run in the shadow.
. "$(dirname "$0")/pipeline.sh"

content() { skein digest; }

new_home one
up || exit 1
entries 3000 >"$SCRATCH/in"
send "$SCRATCH/in" "$SCRATCH/acks"
head=$(jq -s 'map(.seq // 0) | max' "$SCRATCH/acks")
content >"$SCRATCH/before"

for stage in classify chainer compactor linker store; do
  out=$(skein rebuild --from "$stage" 2>&1)
  ok "rebuild from $stage" test $? = 0
  is "$out" "rebuilt from $stage up to $head" '  waits until it is done, silently into a pipe'
  content >"$SCRATCH/after"
  ok '  gives the same content' cmp -s "$SCRATCH/before" "$SCRATCH/after"
  sound '  and a sound store'
done

ok 'a terminal shows a line of progress' \
  grep -q "store at $head of $head (100%)" <(script -qec 'skein rebuild --from store' /dev/null </dev/null)

# Entries are accepted meanwhile.
entries 2000 seed=2 domain=more >"$SCRATCH/more"
skein send "$SCRATCH/more" >"$SCRATCH/more.acks" 2>&1 &
client=$!
skein rebuild --from classify --no-wait >"$SCRATCH/out"
like "$(cat "$SCRATCH/out")" 'the pipeline is making it again' '--no-wait returns at once'
is "$(skein rebuild --from linker --json | jq -c '[.from,.done]')" '["linker",true]' 'as JSON, under load'
wait $client
last=$(jq -s 'map(.seq // 0) | max' "$SCRATCH/more.acks")
quiet_after() { skein turns --after "$last" --limit 1 >/dev/null; }
ok 'what came meanwhile has passed the store' quiet_after
sound 'and the store is sound'
content >"$SCRATCH/before"

# With the pipeline down.
down
out=$(skein rebuild --from chainer)
is "$out" "dropped from chainer on: the pipeline is down, 'skein up' will make it again" 'when down it says so'
sound 'what is left is sound'
is "$(skein status --json | jq -r 'select(.stage == "chainer") | "\(.cursor) \(.lag)"')" "0 $last" 'status shows how far behind'
up
ok 'up does the work' wait_for 20 quiet_after
content >"$SCRATCH/after"
ok 'with the same result' cmp -s "$SCRATCH/before" "$SCRATCH/after"
out=$(skein rebuild --from ingest 2>&1)
is "$?" 2 'ingest is not rebuilt'
like "$out" 'part of the log' 'and the reason is said'

# Rejects of a stage go with its sections.
skein replace linker --exec false >/dev/null 2>&1
echo '{"text":"unlucky","user":"u"}' | skein send --wait >/dev/null
is "$(skein rejects --json | jq -r 'select(.kind == "reject").stage' | sort -u)" linker 'a filter that dies rejects'
skein replace linker --back >/dev/null 2>&1
skein rebuild --from linker >/dev/null
is "$(skein rejects --json | jq -r 'select(.kind == "reject").stage' | sort -u)" '' 'a rebuild forgets the rejects'
sound 'sound'

# Shadows.
is "$(skein shadow chainer --from 1 --count 500 --once "$SKEIN_TESTBIN/probe-stage" | tail -1)" \
  '{"compared":500,"differ":0}' 'a candidate that is the same build does not differ'
is "$(skein shadow linker --from 1 --count 100 --once | tail -1)" \
  '{"compared":100,"differ":0}' 'the default candidate is the stage itself'
out=$(skein shadow linker --from=1 --count=3 --once --exec 'while read -r l; do echo "{\"message\":\"s_none\"}"; done' 2>/dev/null | tail -1)
like "$out" '"compared":3' 'a filter can be the candidate'
out=$(skein shadow linker --once no-such-program 2>&1)
is "$?" 1 'a candidate that is not there'
like "$out" 'there is no such program' 'is said'
is "$(ls "$SKEIN_HOME/run" | grep -c shadow)" 0 'shadows leave nothing behind'
sound 'and commit nothing'
down
done_testing
