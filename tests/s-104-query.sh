#!/bin/bash
# s-104-query - questions are answered by workers: none holds up another, none is lost but with its worker

. "$(dirname "$0")/lib.sh"
quiet() { "$@" >/dev/null 2>&1; }
export SKEIN_QUERY_TIMEOUT=3
ok 'the pipeline comes up' quiet up
for i in {1..50}; do
  printf '{"user":"u%d","ts":"2025-01-01T10:%02d:00Z","text":"message number %d about the login service"}\n' $((i % 5)) $((i % 60)) "$i"
done | skein send --wait >/dev/null
skein remember 'the login service needs two replicas' >/dev/null

# What the first question needs is there before it: the table of vectors is open for searching only.
ready() { grep -qs embed.bin $(pgrep -f "worker --home $SKEIN_HOME" | sed 's#.*#/proc/&/maps#'); }
ok 'a worker that nobody asks opens the index' wait_for 10 ready

for verb in 'search login' 'context --user u1' 'begin login' turns threads requests conversations sessions chains artifacts \
  episodes skills links tuning rejects 'show 1.0'; do
  # shellcheck disable=SC2086
  is "$(skein ask --json $verb | jq -cS . | head -c 2000)" \
    "$(skein $verb --json </dev/null | jq -cS . | head -c 2000)" "ask $verb is $verb"
done
ok 'ask status is answered' quiet skein ask status
is "$(skein ask turns --limit 2)" "$(skein turns --limit 2)" 'as text for people too'

out=$(skein ask send 2>&1)
is "$?" 2 'what writes is no question'
like "$out" 'no verb that only reads' '  and it says so'
out=$(skein ask begin login --choose 2 2>&1)
is "$?" 2 'nor is an option that writes'
out=$(skein ask turns --nonsense 2>&1)
is "$?" 2 'a wrong option is told as the verb tells it'
out=$(skein ask show nosuch 2>&1)
is "$?" 1 'so is what is not there'

# after=SEQ waits for the store.
skein ask search lateword --after 52 --json >"$SCRATCH/late" &
late=$!
is "$(skein ask turns --limit 1 --json | wc -l)" 1 'a question that waits for the store holds up no other'
printf '{"user":"u1","ts":"2025-01-01T12:00:00Z","text":"the lateword has come"}\n' | skein send >/dev/null
wait $late
is "$(jq -r .text "$SCRATCH/late" | head -1)" 'the lateword has come' 'and is answered when it is there'

# An answer is given again without a worker, until something changes.
workers() { pgrep -f "skein-query worker --home $SKEIN_HOME|worker --home $SKEIN_HOME"; }
weight() { skein artifacts --json | jq 'select(.summary | test("two replicas")) | .weight * 1000 | round'; }
asked() { timeout 2 skein ask context --query 'how many replicas does the login service need' --json | jq -r .text; }
before=$(weight)
first=$(asked)
like "$first" 'two replicas' 'a context is made'
kill -STOP $(workers)
is "$(asked)" "$first" 'and given again while no worker is there to make it'
kill -CONT $(workers)
used_twice() { [ "$(weight)" -ge $((before + 400)) ]; }
ok 'that it was used twice is known' wait_for 10 used_twice
printf '{"user":"u1","ts":"2025-01-01T12:01:00Z","text":"the login service now needs seven replicas"}\n' | skein send --wait >/dev/null
like "$(asked)" 'seven replicas' 'what was said since is in the next one'

# What is said of artifacts is kept by what it is made of: a turn that changes none makes no line anew.
# The broker tells of itself once a second: a count is read when it has told of all answers so far.
beat() { sed -n 's/^beat //p' "$SKEIN_HOME/run/query.status"; }
beaten() { [ "$(beat)" -gt "$1" ]; }
lines() {
  wait_for 10 beaten "$(beat)"
  skein status --json | jq -r 'select(.stage == "query").note' | grep -oE "[0-9]+ $1" | cut -d' ' -f1
}
more() { [ "$(lines "$1")" -gt "$2" ]; }
known() { skein ask context --thread notes --json --no-used | jq -r '.parts[] | select(.kind == "artifact").text'; }
say() { printf '{"user":"u9","thread":"notes","ts":"2025-01-01T13:0%d:00Z","text":"%s"}\n' "$1" "$2" | skein send --wait >/dev/null; }
say 0 'some words'
skein attach notes "$(skein remember 'the cluster has nine nodes' --json | jq -r .result)" >/dev/null
made=$(lines made)
first=$(known)
like "$first" 'nine nodes' 'a thread has an artifact'
ok '  and a line was made for it' wait_for 5 more made "$made"
made=$(lines made) kept=$(lines kept)
say 1 'other words'
is "$(known)" "$first" 'after another turn it reads the same'
ok '  and was kept' wait_for 5 more kept "$kept"
is "$(lines made)" "$made" '  nothing was made anew'
skein refine "$(skein artifacts --json | jq -r 'select(.summary | test("nine nodes")).key')" 'the cluster has ten nodes' >/dev/null
like "$(known)" 'ten nodes' 'what was changed is told'
ok '  and made anew' wait_for 5 more made "$made"

# The domain of a kept answer is what it is about, not what a word looks like.
elsewhere() { skein ask context --domain other --query --domain --json --no-used | jq -r .text; }
printf '{"domain":"other","user":"u1","ts":"2025-01-01T14:00:00Z","text":"the option --domain is odd"}\n' | skein send --wait >/dev/null
like "$(elsewhere)" 'is odd' 'a query may read like an option'
printf '{"domain":"other","user":"u1","ts":"2025-01-01T14:01:00Z","text":"now the domain option is fine"}\n' | skein send --wait >/dev/null
like "$(elsewhere)" 'is fine' '  and what is said in its domain is in the next answer'

# A worker that dies takes its own answer along, and nothing else.
victim=$(workers | head -1)
ok 'there is a worker' test -n "$victim"
kill -STOP $(workers)
skein ask search replicas >"$SCRATCH/lost" 2>&1 &
lost=$!
sleep 0.3
is "$(skein ask turns --limit 1 --json | wc -l)" 1 'with one stopped another is started'
kill -KILL "$victim"
wait $lost
is "$?" 1 'the question of a killed worker fails'
like "$(cat "$SCRATCH/lost")" 'died' '  and says why'
is "$(skein ask turns --limit 1 --json | wc -l)" 1 'the next one is answered'
kill -CONT $(workers) 2>/dev/null

# Many at once.
for _ in {1..20}; do skein ask search login --json | wc -l & done >"$SCRATCH/many"
wait
is "$(sort -u "$SCRATCH/many" | wc -l)" 1 'many at once are all answered alike'
# Garbage on its sockets.
head -c 1000 /dev/urandom | timeout 2 "$SKEIN_TESTBIN/raw-post" "$SKEIN_HOME/run/query.sock" >/dev/null 2>&1
is "$(skein ask turns --limit 1 --json | wc -l)" 1 'garbage on the socket does no harm'
down
is "$(workers | wc -l)" 0 'no worker is left behind'
done_testing
