#!/bin/bash
# Episodes: when threads are compacted, what the summaries say, what skills are
# drawn from them, and that all of it leads back to the turns.
. "$(dirname "$0")/lib.sh"

new_home() {
  down
  export SKEIN_HOME=$SCRATCH/$1
  mkdir -p -m 700 "$SKEIN_HOME"
  up || exit 1
}

# say USER THREAD TIME ROLE TEXT: a turn; without a thread on an implicit channel
say() {
  jq -cn --arg user "$1" --arg thread "$2" --arg ts "2024-03-$3" --arg role "$4" --arg text "$5" \
    '{user: $user, ts: $ts, role: $role, text: $text} + if $thread == "" then {} else {thread: $thread} end'
}
send() { skein send --wait >"$SCRATCH/acks" || sed 's/^/# /' "$SCRATCH/acks"; }
tick() { echo "{\"type\":\"tick\",\"user\":\"$1\",\"ts\":\"2024-03-$2\"}" | send; }
# of EPISODE FILTER: of its JSON
of() { skein episodes --json "${@:3}" | jq -c "select(.key == \"$1\") | $2"; }

new_home one
{
  say ann '' 01T09:00:00Z user 'Hello! I want to plan a trip to Lisbon in May'
  say ann '' 01T09:01:00Z assistant 'How many days would you like to stay in Lisbon?'
} | send
is "$(of p1 '[.episode_type, .linked_threads, .compactions, .name, .turn_count]')" \
  '["primary",["t1"],0,"Plan a trip to Lisbon in May",2]' 'every thread has its primary episode, with a name, from the first turn on'
is "$(skein threads --json | jq -c '[.primary_episode_id, .name, .summary]')" '["p1","Plan a trip to Lisbon in May",null]' \
  '  and says so'

# 6.4 Episodes compacted on trigger
say ann '' 01T10:00:00Z user 'My bicycle has a flat tyre in the front' | send
is "$(of p1 '[.trigger, .compactions, .compacted_turns, .compacted_at]')" '["ended",1,2,"2024-03-01T10:00:00Z"]' \
  'Episodes compacted on trigger: the thread ended, a new one begins'
is "$(of p3 .trigger)" null '  the new one is not'
tick ann 01T10:30:00Z
is "$(of p3 .trigger)" null '  exactly its timeout is not the end'
tick ann 01T10:30:01Z
is "$(of p3 '[.trigger, .compactions]')" '["ended",1]' 'Episodes compacted on trigger: its timeout has passed'
tick ann 02T10:30:01Z
is "$(of p3 .compactions)" 1 '  once, as nothing has come since'
for ((i = 1; i <= 110; i++)); do
  say bob long "04T08:00:$((10 + i % 50))Z" user "Step $i of the recipe needs $i grams of flour"
done | send
is "$(skein episodes --json --user bob | jq -c '[.trigger, .compactions, .compacted_turns, .turn_count]')" '["size",2,100,110]' \
  'Episodes compacted on trigger: every 50 turns'
say cy day 04T08:00:00Z user 'We watch the oven all day long' | send
for h in 04T20:00:00 05T07:59:59; do say cy day ${h}Z user 'The oven is still hot' | send; done
is "$(skein episodes --json --user cy | jq -c '[.trigger, .compacted_turns]')" '["ended",2]' \
  '  what is silent for its timeout has ended, also a thread that was selected'
jq -cn '{user: "dee", thread: "slow", ts: "2024-03-04T08:00:00Z", text: "The experiment with the yeast begins", inactivity_timeout_minutes: 100000}' | send
say dee slow 05T07:59:59Z user 'The yeast grows' | sed 's/}$/,"inactivity_timeout_minutes":100000}/' | send
is "$(skein episodes --json --user dee | jq -c .trigger)" null '  a day is not over'
say dee slow 05T08:00:00Z user 'The yeast still grows' | sed 's/}$/,"inactivity_timeout_minutes":100000}/' | send
is "$(skein episodes --json --user dee | jq -c '[.trigger, .compacted_turns]')" '["age",2]' \
  'Episodes compacted on trigger: 24 hours'
say eve shut 04T08:00:00Z user 'Let us order new chairs for the office' | send
out=$(skein close shut --json)
is "$(jq -r .result <<<"$out") $(skein episodes --json --user eve | jq -c '[.trigger, .compactions]')" 'shut ["closed",1]' \
  'Episodes compacted on trigger: closed by command'
skein close shut >/dev/null
is "$(skein episodes --json --user eve | jq .compactions)" 1 '  and not again when nothing has come'

# 6.4 Summaries generated correctly
{
  say fay t1 06T09:00:00Z user 'Can you help me debug this error? The billing API returns 401 Unauthorized'
  say fay t1 06T09:01:00Z assistant 'Try restarting the gateway.'
  say fay t1 06T09:02:00Z user 'No, that did not work, I still get the 401.'
  say fay t1 07T09:03:00Z assistant 'Then refresh the access token, it may have expired.'
  say fay t1 07T09:04:00Z user 'That fixed it, the 401 error is gone. Thanks!'
} | send
thread=$(skein threads --json --user fay | jq -r .key)
p=p${thread#t}
skein close t1 >/dev/null
micro=$(of "$p" .micro)
like "$micro" '^"2024-03-06 to 2024-03-07: Debug this error' 'Summaries generated correctly: micro has the dates and the goal'
like "$micro" 'resolved: refresh the access token' '  and how it ended'
ok '  in one to three sentences' test "$(grep -o '[.?!…]\( \|"$\)' <<<"$micro" | wc -l)" -le 3
meso=$(of "$p" .meso)
like "$meso" '5 turns of fay and assistant' 'Summaries generated correctly: meso says who and how much'
like "$meso" 'did not help: try restarting the gateway' '  and what was tried in vain'
macro=$(of "$p" .macro)
like "$macro" '1 effort: 1 resolved, 0 open' 'Summaries generated correctly: macro has the patterns'
like "$macro" 'Worked: when .*: refresh the access token' '  what worked'
like "$macro" 'Did not work: when .*: try restarting the gateway' '  and what did not'
is "$(skein threads --json --user fay | jq -c '[.name, .summary == '"$micro"']')" '["Debug this error",true]' \
  "the thread has its main effort's name, and the summary"
skein rename t1 'The gateway trouble' >/dev/null
is "$(skein threads --json --user fay | jq -r .name)" 'The gateway trouble' 'unless it was given another'

# 6.4 Skills extracted from episodes
is "$(skein skills --json --user fay | jq -c '[.did, .worked, .evidence, .episodes]' | sort)" \
  "[\"Refresh the access token, it may have expired\",true,1,[\"$p\"]]
[\"Try restarting the gateway\",false,1,[\"$p\"]]" 'Skills extracted from episodes: what worked, and what did not'
{
  say fay t2 09T09:00:00Z user 'Please help me debug this error, the billing API returns 401 Unauthorized again'
  say fay t2 09T09:01:00Z assistant 'Refresh the access token, it may have expired.'
  say fay t2 09T09:02:00Z user 'That fixed it, the 401 error is gone. Thanks!'
} | send
skein close t2 >/dev/null
skill=$(skein skills --json --user fay | jq -c 'select(.worked)')
is "$(jq -c '[.evidence, (.episodes | length), (.artifacts | length)]' <<<"$skill")" '[2,2,2]' \
  'Skills extracted from episodes: the same again is more evidence for one skill'
skein reopen t2 >/dev/null
say fay t2 09T09:05:00Z user 'One more question: where is the token stored?' | send
skein close t2 >/dev/null
is "$(skein skills --json --user fay | jq -c 'select(.worked).evidence')" 2 '  but not in the same episode'
{
  say gus g 09T09:00:00Z user 'Please help me debug this error, the billing API returns 401 Unauthorized again'
  say gus g 09T09:01:00Z assistant 'Refresh the access token, it may have expired.'
  say gus g 09T09:02:00Z user 'That fixed it, the 401 error is gone. Thanks!'
} | send
skein close g >/dev/null
is "$(skein skills --json --user gus | jq .evidence) $(skein skills --json --user fay | jq -c 'select(.worked).evidence')" '1 2' \
  "another user's experience is another's"
like "$(skein skills)" 'SEEN +WORKED +WHEN' 'for people as a table'

# 6.4 Retrieval works after compaction
is "$(skein show "$p" --json --turns | jq -c '[.kind, (.turns | length), .turns[1].text]')" \
  '["episode",5,"Try restarting the gateway."]' 'Retrieval works after compaction: raw turns are there'
is "$(skein turns --json --thread t1 | wc -l)" 5 '  in the thread too'
effort=$(of "$p" '.artifacts[0]' | tr -d '"')
is "$(skein show "$effort" --json --turns | jq -c '[.artifact.source_ref, [.turns[].text | length > 0] == [true, true, true, true, true]]')" \
  '["t1:1-5",true]' 'Retrieval works after compaction: source_ref leads back to the turns'
is "$(skein show "$(jq -r .key <<<"$skill")" --json | jq -r .skill.worked)" true 'Retrieval works after compaction: a skill by its key'
is "$(skein episodes --json --thread t1 | jq -r .key)" "$p" 'the episode of a thread'
is "$(skein episodes --json --domain other | wc -l)" 0 'nothing of it in another domain'

# noise, rooms, replay
{
  say hal n 10T09:00:00Z user 'ok'
  say hal n 10T09:01:00Z user 'thanks!'
} | send
skein close n >/dev/null
is "$(skein episodes --json --user hal | jq -c '[.micro, .skills]')" '["2024-03-10: 2 turns without a topic.",[]]' 'of noise there is nothing to tell'
jq -cn '{room: "den", user: "ann", ts: "2024-03-10T09:00:00Z", text: "The projector in the den needs a new lamp"},
  {room: "den", user: "bob", ts: "2024-03-10T11:00:00Z", text: "Who has the key of the den?"}' | send
is "$(skein episodes --json | jq -c 'select(.room == "den") | [.user, .trigger]' | head -1)" '[null,"ended"]' "a room's episode is the room's"
skein digest | grep -v '^cursors ' >"$SCRATCH/before"
skein rebuild --from compactor >/dev/null 2>&1
skein digest | grep -v '^cursors ' >"$SCRATCH/after"
ok 'a rebuild gives the same episodes and skills' cmp -s "$SCRATCH/before" "$SCRATCH/after"
ok 'the store is sound' silent skein check --deep

# silence, live: a tick finds the thread ended
export SKEIN_TICK_INTERVAL=1 SKEIN_INACTIVITY_TIMEOUT=1
new_home two
jq -cn '{user: "ivy", text: "The kettle is boiling over in the kitchen", ts: ((now - 70) * 1000 | floor)}' | send
ended() { [[ $(skein episodes --json | jq -r .trigger) == ended ]]; }
ok 'a live thread is found ended by a tick' wait_for 20 ended
done_testing
