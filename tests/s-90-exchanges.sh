#!/bin/bash
# Calls of LLM APIs find their conversations: every strategy, in both shapes,
# and each one switched off.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/exchange.sh"

summary='Your task is to create a detailed summary of the conversation so far.'
core='The user wants a parser for the log format. We wrote the tokeniser, fixed the escape bug in lexer.c and agreed to add fuzz tests next.'
mark='This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.'

# A reply that sets an agent to work, in the shape of the day.
task() {
  if [[ $SHAPE == anthropic ]]; then
    jq -cn --arg p "$1" '[{type: "text", text: "I will ask around."}, {type: "tool_use", id: "toolu_1", name: "Task", input: {description: "look", prompt: $p}}]'
  else
    jq -cn --arg p "$1" '{content: "I will ask around.", tool_calls: [{id: "call_1", type: "function", function: {name: "Task", arguments: ({description: "look", prompt: $p} | tojson)}}]}'
  fi
}

# One of each kind.
everything() {
  call hello 01T09:00:00Z kind 'Hi.' hello
  call exact 01T09:01:00Z kind 'Sure.' hello Hi. 'help me'
  call fallback 01T09:02:00Z 'another system' 'Yes.' hello Hi. 'help me' Sure. 'go on'
  call summarise 01T09:03:00Z 'You are a helpful AI assistant tasked with summarizing conversations.' \
    "<analysis>Long.</analysis><summary>$core</summary>" hello Hi. 'help me' Sure. 'go on' Yes. "$summary"
  call nearest 01T09:04:00Z kind 'Then.' hello Hi. 'help me' Sure. 'go on' Yes. a b c d e
  call lone 01T09:05:00Z kind 'Fresh.' "$mark"$'\n\nSummary:\n'"$core"$'\n\nIf you need specific details from before, read the log.'
  call first 01T09:06:00Z kind 'Right.' "$mark"$'\n\nSummary:\n'"$core" 'kept words' 'and now?'
  call agents 01T09:07:00Z kind "$(task 'Find every caller of parse_line and list them.')" 'who calls it?'
  call agent 01T09:08:00Z 'you are an agent' 'Three.' 'Find every caller of parse_line and list them.'
  call lost 01T09:09:00Z kind '' 'is anybody there?'
  call again 01T09:09:30Z kind 'Yes.' 'is anybody there?'
  MORE='{"session":"s1"}' call one 01T09:10:00Z kind 'One.' 'first thing'
  MORE='{"session":"s1"}' call two 01T09:11:00Z kind 'Two.' 'an unrelated second'
  MORE='{"previous_response_id":"msg_hello"}' call named 01T09:12:00Z kind 'Well.' 'go on from there'
  call other 01T09:13:00Z kind 'New.' 'something else altogether'
}

for SHAPE in anthropic openai; do
  everything >"$SCRATCH/$SHAPE.calls"
  fresh $SHAPE
  post <"$SCRATCH/$SHAPE.calls"
  is "$(where hello match.strategy parent branch)" 'new null main' "$SHAPE: nothing before it: new"
  is "$(where exact match.strategy parent branch)" 'exact hello main' 'prefix and system: exact'
  is "$(where fallback match.strategy parent branch)" 'fallback exact main' 'prefix under another system: fallback'
  is "$(where summarise match.strategy parent branch)" 'summarise fallback main' 'a summary is asked for: the system does not count'
  is "$(where nearest match.strategy parent branch)" 'nearest fallback main' 'calls in between are missing: nearest; the summary pushed nobody'
  is "$(where lone match.strategy parent branch)" 'compact summarise compact_1' 'a lone continuation: compact'
  is "$(where first match.strategy parent branch)" 'compact-first-user summarise compact_2' 'one with words kept: compact-first-user'
  is "$(where agent match.strategy parent branch subtask task_parent)" 'subtask agents subtask_1 true agents' 'the prompt of a task call: subtask'
  is "$(where again match.strategy parent branch conversation)" "retry null main $(where lost conversation)" 'an equal call, soon: retry'
  is "$(where two match.strategy parent)" 'session one' 'nothing but the session: session'
  is "$(where named match.strategy parent branch conversation)" "response hello branch_2 $(where hello conversation)" \
    'a response named: response, whatever the words'
  is "$(where other match.strategy parent)" 'new null' 'nothing at all: new'
  is "$(where exact parent_hash)" "$(where hello hash)" "parent_hash is the parent's hash"
  is "$(skein requests --json | jq -r 'select(.match.why == "" or .match.why == null).id')" '' 'every match says why'
done
counted() { [[ $(sed -n 's/^count.link_\(exact\|nearest\|new\) //p' "$SKEIN_HOME/run/linker.status" | paste -sd' ') == '1 1 5' ]]; }
ok 'each strategy is counted' wait_for 10 counted
is "$(skein show --hash exact --json | jq -r '.hashed.messages[].form')" $'M4:user\nT5:hello\n\nM9:assistant\nT3:Hi.\n\nM4:user\nT7:help me\n\nM9:assistant\nT5:Sure.' \
  'show --hash: what was hashed, also of messages that an earlier call brought'
is "$(skein show --hash exact --json | jq -r '.hashed | .system, .messages[2].hash')" "kind"$'\n\n'"$(where exact hash)" \
  '  and of the system text; the hash is the one of the third message'
before=$(digest)
skein rebuild --from linker >/dev/null
is "$(digest)" "$before" 'a rebuild gives the same'

# each switched off
all='response retry subtask compact exact summarise fallback nearest compact-first-user session'
for off in $all; do
  fresh "no-$off" SKEIN_LINK_STRATEGIES="${all/$off/}"
  post <"$SCRATCH/anthropic.calls"
  case $off in
    exact) is "$(where exact match.strategy)" fallback 'without exact: fallback takes it' ;;
    summarise) is "$(where summarise match.strategy)" fallback 'without summarise: fallback takes it' ;;
    fallback) is "$(where fallback match.strategy)" nearest 'without fallback: nearest takes it' ;;
    compact-first-user) is "$(where first match.strategy)" new "without $off: new" ;;
    *)
      id=$(jq -r ".$off" <<<'{"response":"named","retry":"again","subtask":"agent","compact":"lone","nearest":"nearest","session":"two"}')
      is "$(where "$id" match.strategy)" new "without $off: new"
      ;;
  esac
done
done_testing
