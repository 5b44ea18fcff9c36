#!/bin/bash
# What turns do and what they are about, through the real pipeline.
. "$(dirname "$0")/lib.sh"

# said: rows of "text|act|flags|level" on standard input, each a thread's first
# turn.  Sends them, and fails with a diff unless the pipeline says the same; an
# empty level is not compared.
said() {
  local name=$1 domain=d$((++domains))
  cat >"$SCRATCH/want"
  jq -Rc --arg d "$domain" 'split("|") | {domain: $d, thread: "row-\(input_line_number)",
    user: "u", text: .[0]}' "$SCRATCH/want" | skein send --wait >/dev/null
  skein turns --json --domain "$domain" | jq -r '[.text, .act,
    ([if .concludes then "concludes" else empty end, if .decides then "decides" else empty end,
      if .opens then "opens" else empty end, if .returns then "returns" else empty end] | join(" ")),
    .level] | join("|")' >"$SCRATCH/got"
  awk -F'|' -v OFS='|' 'NR == FNR { level[NR] = $4; next } level[FNR] == "" { $4 = "" } 1' \
    "$SCRATCH/want" "$SCRATCH/got" >"$SCRATCH/cut"
  is "$(diff "$SCRATCH/want" "$SCRATCH/cut")" '' "$name"
}
domains=0

# turn TEXT [JSON]: one turn, sent and waited for; its key
turn() { jq -nc --arg t "$1" "{text: \$t} + ${2:-{\}}" | skein send --wait | jq -r .key; }
row() { skein turns --json | jq -c "select(.key == \"$1\") | $2"; }
why() { skein show "$1" --why --json | jq -c ".explained | $2"; }
flags='[.concludes, .decides, .opens, .returns]'

up || exit 1

# ---- the seed's tables, word for word ----

said 'subject does not matter, structure does' <<'END'
hello how are you?|greeting||
lets solve a bug|request|opens|
i want to learn about ww2|request|opens|
i got in a bad fight with my gf|inform||
what's the capital of France?|question||
that fixed it, thanks!|accept|concludes|
I'll go with option A|commit|decides|
END
said 'dialogue acts' <<'END'
hi|greeting||
hello|greeting||
what is X?|question||
help me with X|request|opens|
I did X yesterday|inform||
I'll do X|commit||
that works, thanks|accept|concludes|
no that's not it|reject||
END
said 'the cascade: rules decide what is plain, the model the rest' <<'END'
lets debug this auth issue|request|opens|rule
I had a weird experience yesterday|inform||model
I want to learn about WW2|request|opens|rule
WW2 started in 1939|inform||
END

# ---- what came before counts ----

cat >"$SCRATCH/talks.jsonl" <<'END'
{"thread":"a","user":"u","text":"I'm getting a 401 error"}
{"thread":"a","user":"u","role":"assistant","text":"Is the token still valid?"}
{"thread":"a","user":"u","text":"yes"}
{"thread":"a","user":"u","role":"assistant","text":"I renewed the token and restarted the server."}
{"thread":"a","user":"u","text":"Oh! Token was expired, works now!"}
{"thread":"b","user":"u","text":"lets fix the login page"}
{"thread":"b","user":"u","role":"assistant","text":"You could clear the cache of the browser."}
{"thread":"b","user":"u","text":"thanks"}
{"thread":"b","user":"u","text":"no that's not it"}
END
skein send --wait "$SCRATCH/talks.jsonl" >/dev/null
talk() { skein turns --json --thread "$1" | jq -r '"\(.act) \(.concludes)"' | paste -sd,; }
is "$(talk a)" 'inform false,question false,accept false,inform false,accept true' \
  'a plain yes to a question is an answer; that it works concludes'
like "$(talk b)" 'greeting false,reject false$' 'thanks alone concludes nothing, and a no neither'
key=$(skein turns --json --thread a | jq -r 'select(.concludes).key')
is "$(why "$key" '[.before.act, .before.effort_open, .before.solution_offered]')" \
  '["inform",true,true]' '--why knows what the stage knew of the thread'
is "$(why "$key" .differs)" false 'and comes to the same verdict again'
skein fork a --as a-fork >/dev/null 2>&1 ||
  echo '{"type":"fork","thread":"a","as":"a-fork"}' | skein send --wait >/dev/null
key=$(turn 'that fixed it' '{"thread":"a-fork","user":"u"}')
is "$(why "$key" '[.before.act, .differs]')" '["accept",false]' 'a fork goes on from where its parent is'

# ---- several sentences ----

key=$(turn "Thanks. Can you also add a test for token.c? I'll review it tomorrow.")
is "$(row "$key" '[.act, (.sentences | map(.act) | join(" "))]')" \
  '["request","greeting request commit"]' 'an act for each sentence and one for the whole'
is "$(row "$key" '.sentences | map(.text) | join("/")')" \
  "\"Thanks./Can you also add a test for token.c?/I'll review it tomorrow.\"" 'and where each is'

# ---- not the speaker's own words ----

key=$(turn $'It prints this:\n```\nthat fixed it, thanks!\nlets build a rocket\n```\nWhy?')
is "$(row "$key" "$flags")" '[false,false,false,false]' 'code in a fence concludes and opens nothing'
is "$(why "$key" '.set_aside | map(.kind)')" '["code"]' 'it is set aside as code'
key=$(turn $'> that fixed it, thanks!\n> I want to learn about WW2\nHe wrote that on Monday.')
is "$(row "$key" "$flags")" '[false,false,false,false]' 'a quote concludes and opens nothing'
is "$(why "$key" '[.set_aside[].kind] | unique')" '["quote"]' 'it is set aside as a quote'
key=$(turn $'The build says\n2025-11-05 12:00:01 ERROR main: let us fix this, it works now\n2025-11-05 12:00:02 INFO done')
is "$(row "$key" "$flags")" '[false,false,false,false]' 'nor does a log'
is "$(why "$key" '[.set_aside[].kind] | unique')" '["tool"]' 'it is set aside as output of a tool'
key=$(turn 'All tests passed. Works now.' '{"role":"tool","thread":"tool"}')
is "$(row "$key" '[.act, .concludes, (.claims | length)]')" '["none",false,0]' 'what a tool says is nobody’s act'
for text in $'<skein-context>\nthat fixed it, thanks!\nI want to learn about WW2\n</skein-context>' \
  $'<system-reminder>\nPlease fix the build. I decided on option A.\n</system-reminder>'; do
  key=$(turn "$text")
  is "$(row "$key" "[.act, (.claims | length), $flags]")" '["none",0,[false,false,false,false]]' \
    "${text%%$'\n'*} is nobody's words"
  is "$(why "$key" '[.machine, .set_aside[0].kind]')" '[true,"machine"]' 'and machine text'
done
key=$(turn $'<system-reminder>It works now, thanks!</system-reminder>\nPlease translate this page into French')
is "$(row "$key" '[.act, .concludes]')" '["request",false]' 'what stands beside a reminder still counts'

# ---- exchanges ----

key=$(echo '{"type":"exchange","user":"u","messages":[{"role":"user","content":"lets debug this auth issue"},
  {"role":"assistant","content":"The token was expired, I renewed it."},
  {"role":"user","content":"<system-reminder>be brief</system-reminder>\nworks now, thanks!"}],
  "response":{"role":"assistant","content":"Glad to hear."}}' | tr -d '\n' | skein send --wait | jq -r .seq)
is "$(skein turns --json | jq -r "select(.seq == $key) | \"\(.act) \(.opens) \(.concludes)\"" | head -3 | paste -sd,)" \
  'request true false,inform false false,accept false true' 'each message of an exchange, in its order'
is "$(why "$key.2" .before.role)" '"assistant"' 'after the one before it'

# ---- other languages ----

said 'English rules and the model force no act on other languages' <<'END'
ich habe gestern einen neuen Rechner gekauft und er ist sehr schnell|inform||none
hier nous avons visité un musée et mangé au restaurant|inform||none
昨日新しい自転車を買いました|none||none
END
key=$(turn 'Der Server 10.0.0.7 antwortet nicht, siehe https://example.org/a?b=1')
is "$(row "$key" '[.claims[].entities[]? | .kind] | index("url") != null')" true 'but what they name is found'

# ---- claims ----

key=$(turn 'The deploy of api-gateway 2.4.1 failed with ECONNREFUSED after 30 seconds yesterday in src/net/dial.go' \
  '{"ts":"2025-11-05T12:00:00Z"}')
is "$(row "$key" '[.claims[0].entities[] | "\(.kind) \(.normal)"] | map(select(test("^(version|error|date|file)"))) | sort')" \
  '["date 2025-11-04","error econnrefused","file src/net/dial.go","version 2.4.1"]' \
  'entities have normal forms, dates are of the time of the turn'

# ---- show --why, for people ----

page=$(skein show "$key" --why)
for part in 'The deploy of api-gateway' $'\nAct        inform' $'\nFlags      none' 'inform 0\.[0-9]+' \
  'in thousandths of log odds' $'\nClaims' 'date 2025-11-04'; do
  like "$page" "$part" "the page has ${part//$'\n'/}"
done
key=$(skein turns --json --domain d3 | jq -r 'select(.text | startswith("lets")).key')
like "$(skein show "$key" --domain d3 --why)" 'rule [a-z-]+ \(acts\.rules:[0-9]+\)' 'a rule is named with its line'
like "$(skein turns --domain d3)" ' request  lets debug' 'lists show acts plainly'

# ---- level 3: a question, an answer, a revision ----

is "$(skein turns --json | jq -c 'select(.revised_by != null)')" '' 'nothing is revised'
down
home=$SKEIN_HOME
export SKEIN_HOME=$SCRATCH/asks SKEIN_ASK_BELOW=600
up || exit 1
turn 'I had a weird experience yesterday' '{"thread":"ask","user":"u"}' >/dev/null
key=$(turn 'hmm maybe the blue one' '{"thread":"ask","user":"u"}')
first=$(row "$key" '[.act, .confidence, .level]')
is "$(why "$key" .asks)" true 'an uncertain turn asks'
is "$(why "$(turn 'lets solve a bug' '{"thread":"ask2"}')" .asks)" false 'a sure one does not'
answer() { # ANSWER [QUESTION [DOMAIN]]: its seq
  jq -nc --arg a "$1" --arg q "${2:-act:$key}" --arg d "${3:-default}" \
    '{type: "answer", domain: $d, question: $q, answer: $a}' | skein send --wait | jq .seq
}
error() { skein show "$1" --domain "${2:-default}" --json | jq -r .sections.classify.error; }
for bad in 'no JSON' '{}' '{"act":"dance","confidence":0.9}' '{"act":"request","confidence":7}' \
  '{"act":"request"' '{"act":["request"]}'; do
  is "$(error "$(answer "$bad")")" 'needs an act and a confidence of 0 to 1' "a wrong answer is refused: $bad"
done
is "$(error "$(answer '{"act":"reject","confidence":1}' act:999999.0)")" 'nobody asked this' 'as is one to no question'
is "$(error "$(answer '{"act":"reject","confidence":1}' "act:$key" other)" other)" 'nobody asked this' \
  'and one from another domain'
is "$(row "$key" '[.act, .confidence, .level]')" "$first" 'none of them changes anything'
seq=$(answer '{"act":"accept","confidence":0.7}')
seq=$(answer '{"act":"request","confidence":0.9}')
is "$(row "$key" '[.act, .confidence == 0.9, .level, .revised_by]')" "[\"request\",true,\"answer\",$seq]" \
  'the latest answer revises the turn'
is "$(why "$key" '[.act, .original.act, .original.level]')" '["request","inform","model"]' \
  'what it was before stays visible'
like "$(skein show "$key" --why)" 'at first inform' 'for people too'
like "$(skein turns --thread ask)" ' request ' 'and lists show the latest'
same() { digest; }
before=$(same)
skein rebuild --from classify >/dev/null 2>&1
is "$(same)" "$before" 'a replay gives the same, answers included'
is "$(row "$key" .act)" '"request"' 'and the turn is still revised'
down
unset SKEIN_ASK_BELOW
SKEIN_HOME=$home

# ---- rules of one's own ----

cat >"$SKEIN_HOME/acts.rules" <<'END'
rule ship-it
	act accept
	flags concludes
	confidence 990
	priority 990
	match ^ ship it $
	yes ship it
	no do not ship it yet
END
up || exit 1
key=$(turn 'Ship it!')
is "$(row "$key" '[.act, .level, .concludes]')" '["accept","rule",true]' "a user's own rule works"
is "$(why "$key" '[.rule.name, .rule.line]')" '["ship-it",1]' 'and is named'
down

sed -i 's/^\tyes ship it/\tyes hello there/' "$SKEIN_HOME/acts.rules"
skein up >"$SCRATCH/up.out" 2>&1
like "$(cat "$SCRATCH/up.out" "$SKEIN_HOME"/log/*classify* 2>/dev/null)" 'acts\.rules:[0-9]+: ' \
  'a rule whose example does not match is refused with file and line'
like "$(skein status 2>&1)" 'classify +refused' 'and the supervisor says that the stage is refused'
down
printf 'rule broken\n\tact dance\n' >"$SKEIN_HOME/acts.rules"
timeout 10 skein-classify --home "$SKEIN_HOME" >"$SCRATCH/out" 2>&1
is "$?" 100 'the stage itself exits 100'
like "$(<"$SCRATCH/out")" 'acts\.rules:2: .*dance' 'naming the line and what is wrong'
rm "$SKEIN_HOME/acts.rules"

# ---- without weights ----

data=$SCRATCH/data
mkdir "$data"
share=$(cd "$SKEIN_BIN/../share" && pwd)
for f in acts.rules idf.tsv stopwords.txt; do cp -L "$share/$f" "$data/"; done
cp -L "$share"/*.package "$data/"
export SKEIN_DATA_DIR=$data
up || exit 1
key=$(turn 'that fixed it, thanks!')
is "$(row "$key" '[.act, .level, .concludes]')" '["accept","rule",true]' 'without weights the rules work alone'
is "$(row "$(turn 'I had a weird experience yesterday')" .level)" '"none"' 'and the rest is a guess'
echo junk >"$data/acts.model"
down
skein up >"$SCRATCH/up.out" 2>&1
like "$(skein status 2>&1)" 'classify +refused' 'broken weights are refused'
down
unset SKEIN_DATA_DIR

# ---- memory ----

export SKEIN_HOME=$SCRATCH/memory
up || exit 1
flood() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
  print "{\"thread\":\"m" i % 50 "\",\"user\":\"u\",\"text\":\"Login of user" i " fails with E" i \
    " in src/f" i ".c, can you look at version 2." i "? It worked on Monday.\"}" }' | skein send --wait >/dev/null; }
rss() { awk '/^RssAnon/ { print $2 }' "/proc/$(stage_pid classify)/status"; }
flood 3000
first=$(rss)
flood 12000
# What was freed is kept for a while by a build with sanitizers.
sanitized && first=$((first + 65536))
ok "memory is flat: $first KiB after 3,000 turns, $(rss) after 15,000" test "$(rss)" -le $((first + 1024))
down
done_testing
