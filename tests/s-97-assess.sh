#!/bin/bash
# A model's second opinion: asked at an endpoint on loopback that answers well,
# slowly, wrongly, with errors and not at all; and nothing ever waits for it.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip_all 'needs python3'

# ---- the endpoint ----

ep=$SCRATCH/endpoint
mkdir "$ep"
answers() { echo "$*" >"$ep/mode.new" && mv "$ep/mode.new" "$ep/mode"; }
requests() { cat "$ep/requests" 2>/dev/null; }
asked() { requests | wc -l; }
# endpoint_up: starts it, on the port that it had before if it had one
endpoint_up() {
  local port
  port=$(cat "$ep/port" 2>/dev/null)
  rm -f "$ep/port" "$ep/life"
  mkfifo "$ep/life"
  python3 "$TESTS/http-endpoint.py" "$ep" $port <"$ep/life" &
  endpoint=$!
  exec {life}>"$ep/life"
  wait_for 10 test -s "$ep/port"
}
endpoint_down() {
  exec {life}>&-
  wait "$endpoint"
}
answers good
endpoint_up || exit 1
trap 'kill "$endpoint" 2>/dev/null; cleanup' EXIT

# ---- the pipeline ----

# setting NAME VALUE: in the home's own file; counts from the next restart
setting() {
  sed -i "/^$1 =/d" "$SKEIN_HOME/skein.conf"
  echo "$1 = $2" >>"$SKEIN_HOME/skein.conf"
}
# new_home NAME: asks about every turn that the model of acts decides
new_home() {
  export SKEIN_HOME=$SCRATCH/$1
  mkdir -p -m 700 "$SKEIN_HOME"
  cat >"$SKEIN_HOME/skein.conf" <<CONF
ask_below = 1000
assess = on
assess_endpoint = http://127.0.0.1:$(<"$ep/port")/v1
assess_model = tester
assess_kinds = act
assess_retries = 0
assess_timeout = 20
assess_backoff_max = 1
CONF
}
# turn NAME: in a thread of its own; its key
turn() {
  jq -nc --arg t "$1" '{thread: $t, user: "u", text: "I had a weird experience yesterday",
    ts: "2025-11-05T12:00:00Z"}' | skein send --wait | jq -r .key
}
level() { skein turns --json | jq -r "select(.key == \"$1\").level"; }
is_answered() { [[ $(level "$1") == answer ]]; }
number() { skein status --json | jq -r "select(.assess) | \"\(.$1)\""; }
stat_is() { [[ $(number "$1") == "$2" ]]; }
note() { skein status --json | jq -r 'select(.stage == "assess").note'; }
note_has() { [[ $(note) == *"$1"* ]]; }
in_log() { (($(grep -c -- "$1" "$SKEIN_HOME/log/assess.log") >= ${2:-1})); }
answers_in_log() { skein export 2>/dev/null | jq -c 'select(.type == "answer")'; }
pid_of() { sed -n 's/^pid //p' "$SKEIN_HOME/run/assess.status" 2>/dev/null; }
# ms COMMAND...: how long it takes
ms() {
  local from=${EPOCHREALTIME/./}
  "$@" >/dev/null
  echo $(((${EPOCHREALTIME/./} - from) / 1000))
}

# ---- off ----

new_home off
setting assess off
up || exit 1
turn a >/dev/null
like "$(skein status)" 'assess +off' 'off by default, and status says so'
quiet() { "$@" >/dev/null 2>&1; }
ok 'which is no fault' quiet skein status
ok '... nor does a restart wait for it' skein restart assess
is "$(asked)" 0 'nothing is asked'
down

# ---- a good answer ----

new_home on
(umask 077; echo 'sk-secret-1234' >"$SKEIN_HOME/key")
setting assess_key_file key
up || exit 1
key=$(turn good)
ok 'a turn in doubt is asked about, and revised' wait_for 10 is_answered "$key"
is "$(skein turns --json | jq -c "select(.key == \"$key\") | [.act, .confidence]")" '["request",0.9]' 'as the model says'
requests | tail -1 >"$SCRATCH/request"
is "$(jq -r '[.path, .key, .name] | join(" ")' "$SCRATCH/request")" \
  '/v1/chat/completions Bearer sk-secret-1234 act' 'asked as an OpenAI-compatible endpoint is'
is "$(jq -c '.asked | [.model, .response_format.type, .response_format.json_schema.strict, .max_tokens, .stream]' "$SCRATCH/request")" \
  '["tester","json_schema",true,1024,false]' 'with a JSON schema'
is "$(jq -r .given.turn.text "$SCRATCH/request")" 'I had a weird experience yesterday' 'and the turn'
answers_in_log >"$SCRATCH/answer"
is "$(jq -c '[.question, .id, .user, .ts, .model, .answer]' "$SCRATCH/answer")" \
  "[\"act:$key\",\"assess/act:$key\",\"u\",\"2025-11-05T12:00:00Z\",\"tester-1\",\"{\\\"act\\\":\\\"request\\\",\\\"confidence\\\":0.900}\"]" \
  'the answer is an entry, of the time and user of the turn'
ok 'counted in status' wait_for 5 stat_is answered 1
is "$(skein status --json | jq -r 'select(.assess) | [.asked, .bad, .failed, .open, .budget_left, .tokens_today] | join(" ")')" \
  '1 0 0 0 499 100' 'with what is left of the budget'
like "$(skein status)" 'asked 1, answered 1, wrong 0, failed 0' 'for people too'
answers fenced
key=$(turn fenced)
ok 'thoughts and code fences around it are taken off' wait_for 10 is_answered "$key"

# ---- wrong answers ----

for how in prose cut array missing extra type range garbage empty; do
  answers $how
  key=$(turn "wrong-$how")
  ok "a wrong answer is none: $how" wait_for 10 in_log "act:$key: not asked again"
  is "$(level "$key")" model "  and the turn stays as it was"
done
ok 'they are counted' wait_for 5 stat_is bad 9
answers huge
key=$(turn huge)
ok 'nor is one without end' wait_for 10 in_log "act:$key: not asked again"
is "$(answers_in_log | wc -l)" 2 'none of them came into the log'

# ---- errors ----

answers moved
turn moved >/dev/null
ok 'a redirect is not followed' wait_for 5 in_log 'says 307'
answers 429 1
key=$(turn busy)
ok 'too many requests: said in status' wait_for 8 note_has 'the endpoint says 429'
at=$(requests | jq -s '.[-1].at')
answers good
ok '... asked again' wait_for 10 is_answered "$key"
ok '... but not before Retry-After' quiet jq -es --argjson at "$at" '[.[] | select(.at > $at)][0].at - $at >= 0.9' "$ep/requests"
for status in 500 503; do
  answers $status
  key=$(turn "error-$status")
  ok "an error of the server: $status" wait_for 5 in_log "the endpoint says $status"
  answers good
  ok '... asked again' wait_for 10 is_answered "$key"
done
answers 401
key=$(turn denied)
ok 'a refused key: status says where to look' wait_for 5 note_has 'assess_key_file'
answers hangup
ok 'a connection that breaks' wait_for 8 note_has 'does not answer'
answers good
ok '... asked again' wait_for 10 is_answered "$key"
setting assess_timeout 1
skein restart assess >/dev/null
answers slow 5
took=$(ms turn slow)
ok "nobody waits for a slow one: $took ms" test "$took" -lt 4000
ok '... it is given up after assess_timeout' wait_for 8 note_has 'Timeout was reached'
setting assess_timeout 20
skein restart assess >/dev/null
endpoint_down
key=$(turn alone)
ok 'an endpoint that is not there' wait_for 8 note_has 'next try in'
ok '... does not hurt the pipeline' quiet skein status
answers good
endpoint_up
ok '... and is asked when it is back' wait_for 10 is_answered "$key"

# ---- the key ----

ok 'the key is in no log' bash -c '! grep -rq sk-secret "$SKEIN_HOME/log" "$SKEIN_HOME/db"'
chmod 644 "$SKEIN_HOME/key"
skein restart assess >"$SCRATCH/out" 2>&1
like "$(<"$SCRATCH/out")" 'chmod 600' 'a key that others can read is refused'
like "$(skein status)" 'assess +refused' 'and status says so'
key=$(turn unheard)
is "$(level "$key")" model 'while the pipeline goes on'
chmod 600 "$SKEIN_HOME/key"
ok 'mended, it runs' skein restart assess
ok '... and catches up' wait_for 10 is_answered "$key"

# ---- deaths ----

answers mute
key=$(turn killed)
is_asked() { [[ $(requests | jq -s '.[-1].mode') == '"mute"' ]]; }
wait_for 5 is_asked
kill -KILL "$(pid_of)"
answers good
ok 'killed while the model thinks: asked again' wait_for 15 is_answered "$key"
ingest=$(sed -n 's/^pid //p' "$SKEIN_HOME/run/ingest.status")
answers slow 0.5
goal="$(($(number asked) + 1)) 0"
key=$(turn stopped)
kill -STOP "$ingest"
ok 'an answer waits for ingest' wait_for 10 stat_is 'asked) \(.open' "$goal"
before=$(asked)
kill -KILL "$(pid_of)"
kill -CONT "$ingest"
ok '... also when assess is killed' wait_for 15 is_answered "$key"
is "$(asked)" "$before" '... and is not asked for again'
is "$(answers_in_log | jq -r .question | sort | uniq -d)" '' 'no question has two answers'

# ---- replay ----

wait_for 5 stat_is open 0
before=$(asked)
acts=$(skein turns --json | jq -c '[.key, .act, .level]')
skein rebuild --from classify >/dev/null 2>&1
is "$(skein turns --json | jq -c '[.key, .act, .level]')" "$acts" 'a rebuild gives the same'
# Nothing marks what does not happen: a turn after it is asked, and it alone.
answers good
key=$(turn after)
ok '... what comes after it is asked' wait_for 10 is_answered "$key"
is "$(asked)" $((before + 1)) '... and calls no model'

ok 'the store is sound' quiet skein check

# ---- the budget ----

setting assess_budget $(($(number budget) - $(number budget_left) + 2))
ok 'what was spent today stays spent' skein restart assess
before=$(asked)
for n in 1 2 3; do turn "budget-$n" >/dev/null; done
ok 'the budget can be spent' wait_for 10 note_has 'budget spent until'
like "$(skein status)" ' 0 of [0-9]+ requests left today' 'status says that nothing is left'
skein restart assess >/dev/null
ok '... nor does a restart give any back' wait_for 10 note_has 'budget spent until'
is "$(asked)" $((before + 2)) 'of three two were asked'
down

# ---- links and wordings ----

new_home others
setting ask_below 0
setting assess_kinds 'link word'
up || exit 1
rm "$ep/requests"
skein send --wait >/dev/null <<'TURNS'
{"user":"u","channel":"sms","text":"What's the weather in New York?","ts":"2025-11-05T10:00:00Z"}
{"user":"u","channel":"sms","text":"What about the weather next week?","ts":"2025-11-05T10:05:00Z"}
{"user":"u","channel":"sms","text":"Oh, and what is it on Thursday?","ts":"2025-11-05T10:45:00Z"}
{"user":"v","thread":"w","text":"I'm getting a 401 error from the login service"}
{"user":"v","thread":"w","role":"assistant","text":"Your token may be expired. Renew it."}
{"user":"v","thread":"w","text":"Token was expired, I renewed it and it works now, thanks!"}
TURNS
is_linked() { [[ $(skein links --json | jq -r 'select(.by == "answer").llm_related') == true ]]; }
ok 'two threads that may belong together are asked about' wait_for 10 is_linked
is "$(requests | jq -c 'select(.name == "link").given | [.previous_turns[0], .current_message]')" \
  "[\"user: What's the weather in New York?\",\"user: Oh, and what is it on Thursday?\"]" \
  '... with the turns of both'
is "$(skein links --json | jq -c 'select(.by == "answer") | [.decision, .agreement, .llm_confidence, .reasoning, .model]')" \
  '["LINK","YES",0.92,"Both ask about the weather.","tester-1"]' '... and the linker revises'
reworded() { skein artifacts --json | jq -c 'select(.summary | startswith("Reworded: Getting a 401"))'; }
is_reworded() { [[ -n $(reworded) ]]; }
ok 'what was resolved gets a better wording' wait_for 10 is_reworded
is "$(requests | jq -c 'select(.name == "wording" and (.given.summary | startswith("Getting"))).given |
  [.type, (.turns | length), .turns[0].text]')" \
  '["effort",3,"I'"'"'m getting a 401 error from the login service"]' '... made from its turns'
is "$(reworded | jq -r '[.thought_type, .status, .superseded] | map(tostring) | join(" ")')" \
  'refinement resolved false' '... as a refinement'
old=$(reworded | jq -r '.source_ids[0]')
is "$(skein artifacts --json | jq -c "select(.key == \"$old\") | [.summary, .superseded, .refined_by]")" \
  "[\"Getting a 401 error from the login service\",true,$(reworded | jq .key)]" '... and the older one stays, superseded'
is_summed() { skein episodes --json | jq -e 'select(.micro != null and (.micro | startswith("Reworded")))'; }
ok 'so do summaries of episodes' wait_for 10 quiet is_summed
# answer QUESTION ANSWER [DOMAIN]: by hand; what the compactor says of it
answer() {
  skein show "$(jq -nc --arg q "$1" --arg a "$2" --arg d "${3:-default}" \
    '{type: "answer", domain: $d, question: $q, answer: $a}' | skein send --wait | jq .seq)" \
    --domain "${3:-default}" --json | jq -r '.sections.compactor.message'
}
wording='{"summary":"x","resolution":"y"}'
is "$(answer "word:$old@6" "$wording")" 'the artifact has changed since it was asked about' 'not twice'
is "$(answer "word:$old@6" "$wording" other)" 'there is no such artifact' 'not from another domain'
is "$(answer word:a99.0@6 "$wording")" 'there is no such artifact' 'not of what is not there'
is "$(answer "word:$old@6" 'no JSON')" 'is no JSON object' 'nor without form'
is "$(answer word:p99@6 '{"micro":"x","meso":"y"}')" 'there is no such episode' 'an episode likewise'
wait_for 5 stat_is open 0
before=$(digest | grep -v ^cursors) asked=$(asked)
skein rebuild --from compactor >/dev/null 2>&1
is "$(digest | grep -v ^cursors)" "$before" 'a rebuild gives the same, all of it'
is "$(asked)" "$asked" 'without a model'
down
done_testing
