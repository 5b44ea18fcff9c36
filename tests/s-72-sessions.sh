#!/bin/bash
# Sessions and the time between them: summaries at once, checks a day later,
# silence, ticks; and all of it the same after a crash and when made again.
. "$(dirname "$0")/lib.sh"

# Says what is wrong, if anything, as remarks.
sound() {
  skein check --deep >"$SCRATCH/check" 2>&1 || { sed 's/^/# /' "$SCRATCH/check"; return 1; }
}
export SKEIN_RESTART_DELAY_MIN=10 SKEIN_RESTART_DELAY_MAX=50

up || exit 1
send() {
  skein send --wait >"$SCRATCH/acks" || sed 's/^/# /' "$SCRATCH/acks"
  seq=$(jq -s 'map(.seq) | max' "$SCRATCH/acks")
}
section() { skein show "$1" --json | jq -c ".sections.chainer | ${2:-.}"; }
session() { skein sessions --json "${@:3}" | jq -c "select(.id == \"$1\") | $2"; }

send <<'E'
{"user":"ann","session":"mon","thread":"a","ts":"2024-03-01T09:00:00Z","text":"The login page shows an error after the django update"}
{"user":"ann","session":"mon","thread":"a","ts":"2024-03-01T09:01:00Z","role":"assistant","text":"Include the auth urls again in urls.py."}
{"user":"ann","session":"mon","thread":"a","ts":"2024-03-01T09:02:00Z","text":"That fixed it, thanks!"}
{"user":"ann","session":"mon","thread":"b","ts":"2024-03-01T09:03:00Z","text":"Now I want to plan the garden fence and its foundation"}
{"type":"session_end","user":"ann","session":"mon","ts":"2024-03-01T09:10:00Z"}
E
is "$(section 1 '.sessions[0] | [.event,.session]')" '["begun","mon"]' 'a session begins with its first turn'
is "$(section 5 '.sessions[0] | [.event,.why,.concluded,.open,.touched]')" \
  '["ended","session_end",["c1.0"],["c4.0"],["c4.0","c1.0"]]' 'session_end makes the summary at once'
like "$(section 5 '.sessions[0].summary')" '4 turns, 2 chains. Concluded: .*django update.*Open: .*garden fence' '  in words'
is "$(section 5 '.sessions[0].checks_at')" '"2024-03-02T09:10:00Z"' '  and looks at its chains a day later'
is "$(session mon '[.ended,.turns,.threads,.concluded,.open]')" \
  '["2024-03-01T09:10:00Z",4,["b","a"],["c1.0"],["c4.0"]]' 'skein sessions has it all'
like "$(skein sessions)" 'mon +ann .*Concluded:' '  for people too'

# the check outlives a restart, and comes on event time
down && up
send <<'E'
{"type":"tick","user":"ann","ts":"2024-03-02T09:02:59Z"}
{"type":"tick","user":"ann","ts":"2024-03-02T09:03:00Z"}
{"type":"tick","user":"ann","ts":"2024-03-02T09:10:00Z"}
E
is "$(section 6 '.checks')" '[{"chain":"c1.0","due":"2024-03-02T09:00:00Z","result":"over"}]' 'a moment before, nothing sleeps'
is "$(section 7 '.checks')" '[{"chain":"c4.0","due":"2024-03-02T09:03:00Z","result":"dormant"}]' 'a day after its last claim a chain does'
is "$(section 8 '.checks')" '[{"chain":"c4.0","due":"2024-03-02T09:10:00Z","result":"over"}]' "the session's own check finds it done"

# without an end of its own
send <<'E'
{"user":"bob","thread":"c","ts":"2024-03-01T10:00:00Z","text":"Compare oat milk and soy milk for my coffee"}
{"user":"bob","thread":"c","ts":"2024-03-01T10:30:00Z","text":"Is oat milk sweeter than soy milk?"}
{"user":"bob","thread":"c","ts":"2024-03-01T11:00:00.001Z","text":"Which oat milk foams best?"}
{"user":"bob","session":"named","thread":"c","ts":"2024-03-01T11:10:00Z","text":"And which soy milk?"}
{"user":"bob","session":"named","thread":"c","ts":"2024-03-01T12:10:00Z","text":"And almond milk?"}
E
is "$(section 10 '.sessions')" null 'at its timeout a session goes on'
is "$(section 11 '[.sessions[] | [.event,.session,.why]]')" \
  '[["ended","s9","silence"],["begun","s11",null]]' 'past it the next entry finds it over, and begins another'
is "$(session s9 '[.ended,.turns,.why]')" '["2024-03-01T11:00:00Z",2,"silence"]' '  over since its timeout'
is "$(section 13 '[.sessions[] | [.event,.session]]')" '[["ended","s11"],["ended","named"],["resumed","named"]]' \
  'a named one is resumed'
send <<'E'
{"type":"session_end","session":"named","ts":"2024-03-01T12:20:00Z"}
{"type":"session_end","session":"nobody's","ts":"2024-03-01T12:20:00Z"}
E
is "$(session named '[.ended,.why]')" '["2024-03-01T12:20:00Z","session_end"]' 'an end that does not say whose'
is "$(section "$seq" '')" '{}' 'an end of nothing'

# much at once is done in portions
for ((i = 0; i < 40; i++)); do
  echo "{\"user\":\"many\",\"thread\":\"m$i\",\"ts\":\"2024-03-01T10:00:00Z\",\"text\":\"gadget$i widget$i sprocket$i\"}"
done >"$SCRATCH/many"
send <"$SCRATCH/many"
send <<<'{"type":"tick","user":"many","ts":"2024-03-03T10:00:00Z"}'
is "$(section "$seq" '.checks | length')" 31 'one entry makes a bounded number of checks'
send <<<'{"type":"tick","user":"many","ts":"2024-03-03T10:00:01Z"}'
is "$(skein chains --json --user many --state dormant | wc -l)" 40 'the next the rest'
send <<<'{"user":"many","thread":"back","ts":"2024-03-03T10:01:00Z","text":"gadget3 and widget3"}'
is "$(skein turns --json --user many --thread back | jq -r .chain)" \
  "$(skein turns --json --user many --thread m3 | jq -r .chain)" 'the oldest is found by its words'
ok 'the store is sound' sound

# made again, and with the chainer killed while it works
skein digest | grep -v '^cursors ' >"$SCRATCH/before"
skein rebuild --from chainer >/dev/null 2>&1
skein digest | grep -v '^cursors ' >"$SCRATCH/after"
ok 'a rebuild gives the same' cmp -s "$SCRATCH/before" "$SCRATCH/after"

# ticks move what is live, and nothing else
down
export SKEIN_HOME=$SCRATCH/ticking
mkdir -p -m 700 "$SKEIN_HOME"
SKEIN_TICK_INTERVAL=1 SKEIN_LIVE_WINDOW=86400 SKEIN_CHAIN_DORMANT=1 up || exit 1
send <<E
{"user":"live","ts":"$(date -u -d '-5 hours' +%FT%TZ)","text":"The greenhouse needs a new glass roof"}
{"user":"past","ts":"2024-03-01T10:00:00Z","text":"The greenhouse needs a new glass roof"}
E
asleep() { [[ $(skein chains --json --state dormant | jq -r .user) == live ]]; }
ok "a domain's tick: a live chain sleeps" wait_for 20 asleep
is "$(skein chains --json --state active | jq -r .user)" past "  last year's does not"
is "$(skein sessions --json | jq -r 'select(.ended != null).user')" live '  likewise its session'

feed() {
  jq -c '.doc as $d | .turns | to_entries[] | {user: $d, thread: $d, text: .value[2],
    role: (if .value[0] == "u" then "user" else "assistant" end),
    ts: (1700000000000 + (($d[1:] | tonumber) * 11 + .key) * 3000000)}' \
    "$TESTS/../chainer/eval/dialogues.jsonl"
  jq -c '.doc as $d | .turns | to_entries[] | {user: (.value[0] + $d), room: "all", text: .value[2],
    ts: (1700000000000 + (($d[1:] | tonumber) * 3 + .key) * 60000)}' "$TESTS/../chainer/eval/dialogues.jsonl"
}
feed >"$SCRATCH/feed"
run_feed() {
  export SKEIN_HOME=$SCRATCH/$1
  mkdir -p -m 700 "$SKEIN_HOME"
  up || exit 1
  skein send --wait "$SCRATCH/feed" >/dev/null &
  client=$!
}
down
run_feed calm
wait $client
down
digest >"$SCRATCH/calm.digest"
SKEIN_BATCH_ENTRIES=7 run_feed crash
for ((kills = 0; kills < 8; kills++)); do
  read -rt 0.15 <> <(:)
  pid=$(stage_pid chainer) && kill -KILL "$pid" 2>/dev/null
done
wait $client
down
ok 'with the chainer killed again and again, in small batches: the same' \
  diff <(digest) "$SCRATCH/calm.digest"
up
skein rebuild --from chainer >/dev/null 2>&1 &
rebuild=$!
read -rt 0.2 <> <(:)
pid=$(stage_pid chainer) && kill -KILL "$pid" 2>/dev/null
wait $rebuild
down
ok 'and while it is made again' diff <(digest | grep -v '^cursors ') <(grep -v '^cursors ' "$SCRATCH/calm.digest")
done_testing
