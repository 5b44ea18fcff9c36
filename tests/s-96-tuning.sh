#!/bin/bash
# What came of linking decisions, and the score refitted on it: feedback,
# behaviour, history, undoing; all of it the same when it is made again.
. "$(dirname "$0")/lib.sh"

export SKEIN_LINK_TUNE_EVERY=40
up || exit 1

# say USER TIME TEXT [ROLE]: a turn on an implicit channel
say() {
  jq -cn --arg user "$1" --arg ts "2025-11-$2" --arg text "$3" --arg role "${4-user}" \
    '{user: $user, channel: "sms", ts: $ts, text: $text, role: $role}' | skein send --wait >"$SCRATCH/ack"
  seq=$(jq .seq "$SCRATCH/ack")
}
latest() { skein links --json --after "$seq" | jq -r "select(.thread == \"t$1\") | $2"; }
outcome() { latest "$1" '"\(.decision) \(.outcome) \(.outcome_why)"'; }

# Behaviour.
say ann 05T10:00:00Z "What's the weather in New York?"
say ann 05T10:45:00Z 'Oh, and what is it on Thursday?'
a=$seq
is "$(outcome "$a")" 'LINK null null' 'at first nothing is known'
say ann 05T10:46:00Z 'Cloudy, 60 degrees.' assistant
is "$(outcome "$a")" 'LINK null null' 'an answer tells nothing'
say ann 05T10:47:00Z 'And will it be windy?'
is "$(outcome "$a")" 'LINK CORRECT continued' 'who goes on shows that the link was right'
say ann 05T10:48:00Z "No, that's not what I meant."
is "$(outcome "$a")" 'LINK INCORRECT denied' 'unless he says otherwise'
say bob 05T10:00:00Z "What's the weather in New York?"
say bob 05T10:45:00Z 'Oh, and what is it on Thursday?'
b=$seq
say bob 05T10:46:00Z 'How do I sharpen a bread knife with a whetstone?'
is "$(skein links --json --all --after "$seq" | jq -r "select(.key == \"l$b\") | \"\(.outcome) \(.outcome_why)\"")" \
  'INCORRECT switched' 'a switch of topic shows that it was wrong'
is "$(latest "$b" '"\(.decision) \(.by)"')" "DON'T_LINK score" '  and the score no longer says so either'
say cy 05T10:00:00Z 'How do I prune a rose bush in autumn?'
say cy 05T11:00:00Z 'Which fertiliser is good for roses?'
c=$seq
say cy 05T11:01:00Z "Didn't we talk about this?"
is "$(outcome "$c")" "DON'T_LINK INCORRECT recalled" '"didn'\''t we talk about this?" shows that a link is missing'
say dee 05T10:00:00Z 'How do I prune a rose bush in autumn?'
say dee 05T11:00:00Z 'My laptop battery drains overnight'
d=$seq
say dee 05T11:01:00Z 'It is a three year old thinkpad'
is "$(outcome "$d")" "DON'T_LINK CORRECT fresh" 'who goes on with something new shows that none is'

# Feedback.
say eve 05T10:00:00Z "What's the weather in New York?"
say eve 05T10:45:00Z 'Oh, and what is it on Thursday?'
b=$seq
is "$(skein feedback "l$b" wrong --json | jq -r '.result // .error.code')" "l$((seq + 1))" 'feedback that a link is wrong'
seq=$((seq + 1))
is "$(latest "$b" '"\(.decision) \(.outcome) \(.by) \(.revises)"')" "DON'T_LINK CORRECT feedback l$b" '  takes it back'
is "$(skein links --json --all | jq -r "select(.key == \"l$b\") | \"\(.outcome) \(.outcome_why)\"")" 'INCORRECT feedback' \
  '  and is on the record'
is "$(skein episodes --json --type cross_thread --user eve | wc -l)" 0 '  the episode is no more'
skein feedback "l$c" wrong >/dev/null
is "$(outcome "$c")" 'LINK CORRECT feedback' 'that one is missing makes it'
is "$(skein feedback "l$d" right --json | jq -r .result)" "l$d" 'that none is missing stays with the decision'
is "$(outcome "$d")" "DON'T_LINK CORRECT feedback" '  which it confirms'
is "$(skein feedback l99999 right 2>/dev/null --json | jq -r .error.code)" unknown_link 'of what is not there nothing can be said'
say eve 05T10:48:00Z 'Oh, and what is it on Thursday?'
is "$(latest "$b" '"\(.decision) \(.by)"')" "DON'T_LINK feedback" 'what a user decided no score changes'
is "$(skein tuning --json | wc -l)" 0 'too few decisions to tune anything'

# Forty users, whose second thread goes on with the first in words that are too
# few for the plain threshold, or is about something else.
awk 'BEGIN {
  n = split("anvil banjo cactus donkey easel falcon gravel helmet igloo jacket", w, " ")
  for (u = 1; u <= 44; u++) {
    a = w[u % n + 1]; b = u % 2 ? a : w[(u + 3) % n + 1]
    printf "{\"user\":\"u%d\",\"channel\":\"sms\",\"ts\":\"2025-11-06T10:00:00Z\",\"text\":\"My cousin painted the old %s and two %ss\"}\n", u, a, a
    printf "{\"user\":\"u%d\",\"channel\":\"sms\",\"ts\":\"2025-11-06T11:00:00Z\",\"text\":\"Where could somebody buy another %s\"}\n", u, b
  }
}' >"$SCRATCH/days"
head -n 60 "$SCRATCH/days" | skein send --wait >/dev/null
give() {
  skein links --json --since 2025-11-06T00:00:00Z | jq -c 'select(.outcome == null) |
    {type: "feedback", link: .key, ts: "2025-11-06T12:00:00Z",
     verdict: (if (.user[1:] | tonumber % 2 == 1) == (.decision == "LINK") then "right" else "wrong" end)}' | skein send --wait >/dev/null
}
plain=$(skein links --json | jq -r 'select(.user == "u1").decision')
is "$plain" "DON'T_LINK" 'one word in common is too little for the plain score'
give
tail -n +61 "$SCRATCH/days" | skein send --wait >/dev/null
is "$(skein tuning --json | jq -c '[.number, .kept, .in_force, .previous_threshold]')" '[1,true,true,0.7]' \
  'after so many decisions the score is refitted'
is "$(skein tuning --json | jq -c '.metrics | keys')" \
  '["accuracy_after","accuracy_before","false_negative_rate_after","false_negative_rate_before","false_positive_rate_after","false_positive_rate_before"]' \
  '  with what it was and what it is'
is "$(skein tuning --json | jq '.metrics.accuracy_after > .metrics.accuracy_before')" true \
  '  better on decisions that were held back'
like "$(skein tuning --json | jq -r .reason)" 'false negative rate was 100.0%, is [0-9]{1,2}.[0-9]%' '  and the reason'
like "$(skein tuning)" 'NO +WHEN +KEPT' '  as a table'
is "$(skein links --json | jq -r 'select(.user == "u43") | "\(.decision) \(.tuning)"')" 'LINK 1' 'what was missed before is linked now'
is "$(skein links --json | jq -r 'select(.user == "u44").decision')" "DON'T_LINK" '  and nothing else'

is "$(skein tuning --undo --json | jq -r .result)" 2 'tuning --undo'
is "$(skein tuning --json | jq -c '[.number, .undoes, .in_force, .new_threshold]')" $'[1,null,false,'"$(skein tuning --json | jq -s '.[0].new_threshold')"$']\n[2,1,false,0.7]' \
  '  goes back to what was before, on the record'
skein tuning --undo >"$SCRATCH/out" 2>&1
is "$? $(grep -c 'no tuning is in force' "$SCRATCH/out")" '1 1' '  and not further'
jq -c '.ts = (.ts | sub("11-06"; "11-08")) | .user = "v" + .user' "$SCRATCH/days" | head -n 2 | skein send --wait >/dev/null
is "$(skein links --json | jq -r 'select(.user == "vu1") | "\(.decision) \(.threshold) \(.tuning)"')" "DON'T_LINK 0.7 0" \
  '  the plain score decides again'
is "$(skein tuning --json --domain other | wc -l)" 0 'another domain is tuned by itself'

digest >"$SCRATCH/before"
skein rebuild --from linker >/dev/null 2>&1
digest >"$SCRATCH/after"
ok 'made again it is the same' cmp -s "$SCRATCH/before" "$SCRATCH/after"
done_testing
