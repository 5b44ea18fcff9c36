#!/bin/bash
# Linking decisions with a second opinion: the score and a model's verdict, as
# entries of type answer; nothing waits for them.
. "$(dirname "$0")/lib.sh"

export SKEIN_ASSESS=on SKEIN_ASSESS_MODEL=none
mkdir -p -m 700 "$SKEIN_HOME"
sed '/^assess/d' "$TESTS/../scripts/stages" >"$SKEIN_HOME/stages" # answers are ours here
up || exit 1

# say USER TIME TEXT [ROLE]: a turn on an implicit channel
say() {
  jq -cn --arg user "$1" --arg ts "2025-11-$2" --arg text "$3" --arg role "${4-user}" \
    '{user: $user, channel: "sms", ts: $ts, text: $text, role: $role}' | skein send --wait >"$SCRATCH/ack"
  seq=$(jq .seq "$SCRATCH/ack")
}

# answer LINK RELATED CONFIDENCE [DOMAIN]
answer() {
  jq -cn --arg q "link:$1" --argjson related "$2" --argjson confidence "$3" --arg domain "${4-default}" \
    '{type: "answer", domain: $domain, ts: "2025-11-05T23:00:00Z", question: $q, model: "m", answer: ({related: $related,
      confidence: $confidence, reasoning: "because", key_signals: ["the same city", "a follow-up"]} | tojson)}' |
    skein send --wait >"$SCRATCH/ack"
  seq=$(jq .seq "$SCRATCH/ack")
}

entry() { echo "$1" | skein send --wait >"$SCRATCH/ack"; seq=$(jq .seq "$SCRATCH/ack"); }
latest() { skein links --json --after "$seq" | jq -r "select(.thread == \"t$1\") | $2"; }
section() { skein show "$seq" --json | jq -r ".sections.linker | $1"; }

say ann 05T10:00:00Z "What's the weather in New York?"
say ann 05T10:01:00Z 'Sunny, high 72.' assistant
say ann 05T10:45:00Z 'Oh, and what is it on Thursday?'
a=$seq
is "$(section '.questions[0] | "\(.key) \(.prompt_version)"')" "link:l$a 1" 'a decision is a question for assess'
is "$(section '.questions[0].previous | join("|")')" "user: What's the weather in New York?|assistant: Sunny, high 72." \
  '  with the turns of the thread before'
is "$(section '.questions[0].current | join("|")')" 'user: Oh, and what is it on Thursday?' '  and those of this one'
like "$(section '.questions[0].prompt')" 'semantically related' '  and the instruction'
is "$(latest "$a" '"\(.decision) \(.agreement) \(.llm_confidence)"')" 'LINK null null' 'nothing waits for the answer'

answer "l$a" true 0.92
is "$(latest "$a" '"\(.decision) \(.agreement) \(.confidence) \(.llm_confidence)"')" 'LINK YES high 0.92' \
  'both say link: high confidence'
is "$(latest "$a" '"\(.revises) \(.by) \(.model) \(.key_signals | join(","))"')" "l$a answer m the same city,a follow-up" \
  '  in a decision that revises the first'
is "$(skein threads --json | jq -c "select(.key == \"t$a\").cross_thread_episodes")" "[\"x$a\"]" '  and the episode stays'
say ann 05T10:46:00Z 'Cloudy.' assistant
is "$(section '.questions')" null 'what has its verdict is not asked again'
is "$(latest "$a" '"\(.agreement) \(.turn)"')" 'YES 2' '  and keeps it when it is looked at again'

say bob 05T10:00:00Z 'The oak table needs sanding before I varnish it'
say bob 05T10:45:00Z 'What about the door?'
b=$seq
is "$(latest "$b" '"\(.decision) \(.algorithmic_score > 0.7)"')" 'LINK true' 'a follow-up by its form'
answer "l$b" false 0.99
is "$(latest "$b" '"\(.decision) \(.agreement) \(.confidence)"')" "DON'T_LINK NO uncertain" \
  'they differ: uncertain, the surer one, here the model, wins'
is "$(skein episodes --json --type cross_thread --user bob | wc -l)" 0 '  and the episode is no more'
is "$(skein threads --json | jq -c "select(.key == \"t$b\").cross_thread_episodes")" '[]' '  in the thread neither'
answer "l$b" false 0.10
is "$(latest "$b" '"\(.decision) \(.agreement)"')" 'LINK NO' 'a later answer revises again; now the score is surer'

say cy 05T10:00:00Z 'How do I prune a rose bush in autumn?'
say cy 05T11:00:00Z 'Which fertiliser is good for roses?'
c=$seq
is "$(latest "$c" .decision)" "DON'T_LINK" 'too little in common for the score'
answer "l$c" true 0.95
is "$(latest "$c" '"\(.decision) \(.agreement)"')" 'LINK NO' '  a sure model links it'
is "$(skein episodes --json --type cross_thread --user cy | jq -c .linked_threads)" "[\"t$((c - 1))\",\"t$c\"]" '  with an episode'
say dee 05T10:00:00Z 'How do I prune a rose bush in autumn?'
say dee 05T11:00:00Z 'Which fertiliser is good for roses?'
d=$seq
answer "l$d" false 0.8
is "$(latest "$d" '"\(.decision) \(.agreement) \(.confidence)"')" "DON'T_LINK YES high" 'both say no: high confidence'

# Answers that cannot be used change nothing.
n=$(skein links --json --all | wc -l)
answer l99999 true 0.9
is "$(section .error)" unknown_question 'nobody asked that'
answer "l$c" true 0.9 other
is "$(skein show "$seq" --json --domain other | jq -r .sections.linker.error)" unknown_question 'an answer from another domain is none'
answer "l$d" true 1.5
is "$(section '"\(.error): \(.message)"')" 'bad_answer: its confidence must be from 0 to 1' 'nor is one out of range'
entry "{\"type\":\"answer\",\"ts\":\"2025-11-05T23:00:00Z\",\"question\":\"link:l$d\",\"answer\":\"yes\"}"
is "$(section .error)" bad_answer 'nor one that is no JSON'
entry '{"type":"answer","ts":"2025-11-05T23:00:00Z","question":"act:1.0","answer":"{}"}'
is "$(section .)" '{}' "another stage's is not our business"
is "$(skein links --json --all | wc -l)" "$n" 'none of them made a decision'

skein check --deep >"$SCRATCH/check" 2>&1 || sed 's/^/# /' "$SCRATCH/check"
digest >"$SCRATCH/before"
skein rebuild --from linker >/dev/null 2>&1
digest >"$SCRATCH/after"
ok 'made again it is the same' cmp -s "$SCRATCH/before" "$SCRATCH/after"

down
export SKEIN_HOME=$SCRATCH/alone SKEIN_ASSESS=off
up || exit 1
say ann 05T10:00:00Z "What's the weather in New York?"
say ann 05T10:45:00Z 'Oh, and what is it on Thursday?'
is "$(section '.questions')" null 'without assess nothing is asked'
answer "l$seq" true 0.9
is "$(section .error)" unknown_question '  and nothing that answers is believed'
done_testing
