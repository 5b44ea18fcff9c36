#!/bin/bash
# Facts, events, reminders, decisions and notes: what is kept, when, and for how
# long; and what disagrees.
. "$(dirname "$0")/lib.sh"

entry() { jq -cn "$1" | skein send --wait >"$SCRATCH/ack"; seq=$(jq .seq "$SCRATCH/ack"); }
# say USER TIME TEXT [ROLE]: a turn of the thread of that user, in March 2024
say() {
  jq -cn --arg u "$1" --arg ts "2024-03-$2" --arg t "$3" --arg r "${4:-user}" \
    '{user: $u, thread: $u, ts: $ts, text: $t, role: $r}' | skein send --wait >"$SCRATCH/ack"
  seq=$(jq .seq "$SCRATCH/ack")
}
kept() { skein artifacts --json --user "$1" | jq -r "${2:-[.type, .status, .summary] | join(\" / \")}" | paste -sd'|'; }

up || exit 1

# ---- facts wait for their conclusion ----

say ann 01T09:00:00Z "what's the capital of France?"
say ann 01T09:00:10Z 'The capital of France is Paris.' assistant
is "$(kept ann)" '' 'a question that was answered is no fact yet'
say ann 01T09:00:20Z 'thanks'
is "$(kept ann)" 'fact / resolved / The capital of France is Paris' 'with thanks it is one'
is "$(kept ann '[.source_ref, .fields.source, (.confidence * 1000 | floor)] | join(" ")')" 'ann:1-2 assistant 750' \
  '  with its source, its turns and a confidence'
say bob 01T10:00:00Z 'Which port does the billing proxy listen on?'
say bob 01T10:00:10Z 'The billing proxy listens on port 8443.' assistant
say bob 01T10:00:20Z 'The firewall has to let it through then.'
is "$(kept bob '[.type, .summary] | join(" / ")')" 'fact / The billing proxy listens on port 8443' 'so it is when the asker goes on'
ok '  a little less surely' test "$(kept bob '.confidence * 1000 | floor')" -lt 750
say cy 01T11:00:00Z 'Which port does the billing proxy listen on?'
say cy 01T11:00:10Z 'The billing proxy listens on port 80.' assistant
say cy 01T11:00:20Z "no, that's wrong"
is "$(kept cy)" '' 'an answer that is turned down is none'
say cy 01T11:00:30Z 'Sorry: the billing proxy listens on port 8443.' assistant
say cy 01T11:00:40Z 'yes, thanks'
is "$(kept cy '.summary')" 'The billing proxy listens on port 8443' '  the better one is'
say dee 01T12:00:00Z 'Who maintains the deploy scripts?'
say dee 01T12:00:10Z 'The platform team maintains the deploy scripts.' assistant
entry '{type: "close", thread: "dee", ts: "2024-03-01T12:10:00Z"}'
is "$(kept dee '.summary')" 'The platform team maintains the deploy scripts' 'closing the thread concludes what was answered'
say eve 01T12:00:00Z 'Who maintains the deploy scripts?'
say eve 01T12:00:30Z 'I will ask around.'
is "$(kept eve)" '' 'what nobody answers becomes nothing'

# ---- decisions ----

say fay 02T09:00:00Z "I'll go with option A"
is "$(kept fay)" "decision / resolved / I'll go with option A" 'a choice is a decision'
say xat 02T09:00:00Z "We'll use Postgres instead of MySQL"
say xat 02T09:00:30Z 'Good choice.' assistant
is "$(kept xat)" "decision / resolved / We'll use Postgres instead of MySQL" '  also one against another, and it opens no effort'
say xia 02T09:00:00Z 'it prints dollars instead of euros'
is "$(kept xia '[.type, .status] | join(" ")')" 'effort open' '  what happens in place of another thing is a problem'
say gil 02T09:00:00Z 'maybe we should use Postgres'
is "$(kept gil)" '' 'weighing is none'

# ---- events and reminders ----

say hal 04T09:00:00Z 'We released version 2.0 yesterday'
is "$(kept hal '[.type, .status, (.expires_at // "-")] | join(" ")')" 'event resolved -' 'what happened is an event at once'
say hal 04T09:00:30Z 'i got in a bad fight with my gf'
say hal 04T09:00:40Z 'The ocean is deep.'
is "$(kept hal .type)" event 'a bare statement makes none'
say ida 04T09:00:00Z 'I have a dentist appointment tomorrow at 3pm'
is "$(kept ida '[.type, .status, .expires_at] | join(" ")')" 'event open 2024-03-05T15:00:00Z' 'what is to come is a reminder'
say ida 05T14:59:00Z 'hello'
is "$(kept ida .status)" open '  open until its time'
say hal 06T09:00:00Z 'hello'
is "$(kept ida .status)" open "  not over by another's time"
say ida 05T15:00:00Z 'hello'
is "$(kept ida .status)" expired '  then it has expired'
say joe 04T09:00:00Z 'remind me to submit the tax return on Friday'
is "$(kept joe '[.status, .expires_at] | join(" ")')" 'open 2024-03-08T23:59:59.999Z' 'a day is over at its end'
entry '{type: "tick", user: "joe", ts: "2024-03-09T00:00:00Z"}'
is "$(kept joe .status)" expired '  and a tick is time enough'
say joe 10T09:00:00Z 'good morning'
like "$(skein context --thread joe --no-used)" 'tax return.*\(overdue since 2024-03-08\)' '  for a while it is told as overdue'
is "$(SKEIN_REMINDER_OVERDUE=0 skein context --thread joe --no-used | grep -c overdue)" 0 '  unless that is not wanted'
say joe 20T09:00:00Z 'good morning'
is "$(skein context --thread joe --no-used | grep -c overdue)" 0 '  and then no more'
say zoe 04T09:00:00Z 'Remind me to call the dentist on Friday'
say zoe 04T09:00:30Z "I'll remind you to call the dentist on Friday." assistant
say zoe 04T09:01:00Z 'thanks!'
is "$(kept zoe)" 'event / open / Remind me to call the dentist on Friday (2024-03-08)' 'what the assistant repeats is no second one'
say kim 04T09:00:00Z 'also, remind me to call mom later'
is "$(kept kim '[.type, .status, (.expires_at // "-")] | join(" ")')" 'event open -' 'a reminder without a time stays'
entry "{type: \"close\", artifact: \"a$seq.0\", ts: \"2024-03-05T09:00:00Z\"}"
is "$(kept kim .status)" resolved '  until it is closed'
say lea 04T09:00:00Z 'please remember that the deploy key is in the safe'
is "$(kept lea .type)" note 'what is to be kept in mind is a note'

# ---- what disagrees ----

ask() {
  say "$1" "$2:00Z" 'Which port does the staging server use?'
  say "$1" "$2:10Z" "The staging server uses port $3." assistant
  say "$1" "$2:20Z" 'thanks'
}
ask max 07T09:00 8080
ask max 07T10:00 9090
is "$(kept max '[.key, (.conflicts_with | join(","))] | join(" ")')" \
  "$(kept max .key | sed -E 's/(.*)\|(.*)/\1 \2|\2 \1/')" 'two answers that disagree are both kept and name each other'
is "$(kept max '[.status, .superseded] | join(" ")')" 'resolved false|resolved false' '  neither takes the place of the other'
ask max 07T11:00 9090
is "$(kept max '.conflicts_with | length')" '2|1|1' '  one that agrees names only the other'
ask ned 07T12:00 7070
is "$(kept ned '.conflicts_with | length')" 0 "  another user's is nobody's business"

# ---- what people say ----

say pia 08T09:00:00Z 'how many grams is a cup of flour?'
say pia 08T09:00:10Z 'About 120 grams of flour.' assistant
say pia 08T09:00:20Z 'and sugar'
say pia 08T09:00:30Z 'A cup of sugar is about 200 grams.' assistant
say pia 08T09:00:40Z 'danke'
is "$(kept pia .summary)" 'About 120 grams of flour|A cup of sugar is about 200 grams' 'the same is asked of another thing in two words'
say quin 08T10:00:00Z 'and the customer signed yesterday!!'
say quin 08T10:01:00Z 'btw marketing launched the new site this morning'
is "$(kept quin '[.type, .status] | join(" ")')" 'event resolved|event resolved' 'news of the day are events, whoever made them'
say ray 08T10:00:00Z 'football was boring yesterday'
say ray 08T10:01:00Z 'the war ended in 1945'
is "$(kept ray .type)" '' '  an opinion and history are none'
say sue 08T10:00:00Z 'pickup is next tuesday at 4pm'
say sue 08T10:01:00Z 'retro is moved to wednesday 14:00'
is "$(kept sue '.expires_at[0:16]')" '2024-03-12T16:00|2024-03-13T14:00' 'when something takes place is a reminder'
say tea 08T10:00:00Z 'OK, we go with Redis streams'
say tea 08T10:01:00Z 'alright, decided: we keep the cache'
is "$(kept tea .type)" 'decision|decision' 'a choice in plain words'
say una 08T10:00:00Z 'We had dal last time, maybe we take the soup'
is "$(kept una 'select(.type == "decision") | .type')" '' '  what may be is none'

# ---- the same again ----

skein digest | grep -v '^cursors ' >"$SCRATCH/before"
skein rebuild --from compactor >/dev/null 2>&1
skein digest | grep -v '^cursors ' >"$SCRATCH/after"
is "$(diff "$SCRATCH/before" "$SCRATCH/after")" '' 'a rebuild gives the same'
down
done_testing
