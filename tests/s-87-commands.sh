#!/bin/bash
# Commands: each verb is an entry; what it prints, how it fails, what it did.
. "$(dirname "$0")/lib.sh"
up || exit 1

# run VERB ARGUMENTS...: its outcome into out, its exit code into rc
run() {
  out=$(skein "$@" --json 2>"$SCRATCH/err")
  rc=$?
}
fields() { jq -c '[.result, .guidance, .error.code]' <<<"$out"; }

cat >"$SCRATCH/turns" <<'T'
{"user":"ann","thread":"T","session":"S","ts":"2024-03-01T09:00:00Z","text":"Please help me move the web server to the new rack"}
{"user":"ann","thread":"T","session":"S","ts":"2024-03-01T09:01:00Z","role":"assistant","text":"Which rack do you mean?"}
{"user":"ann","thread":"T","session":"S","ts":"2024-03-01T09:02:00Z","text":"The one near the window"}
T
skein send --wait "$SCRATCH/turns" >/dev/null

is "$(skein remember The rack key hangs at the door)" a4.0 'remember, for people: the key alone; words need no quotes'
is "$(printf 'First line.\nSecond line.\n' | skein remember - --json | jq -r .result)" a5.0 "'-' reads standard input"
is "$(skein show a5.0 --json | jq -r .artifact.summary)" $'First line.\nSecond line.' '  all of it'
run remember 'With an id of its own' --id mine --user ann --agent-id robot --agent-name Rob --context 'the move' --ts 2024-03-01T10:00:00Z
is "$rc $(jq -c '[.id, .seq, .result]' <<<"$out")" '0 ["mine",6,"a6.0"]' 'options of a memory'
is "$(skein artifacts --json --user ann --type note | jq -c '[.id, .agent_id, .agent_name, .fields, .created_at]')" \
  '["mine","robot","Rob",{"context":"the move"},"2024-03-01T10:00:00Z"]' '  are kept'
run remember 'With an id of its own' --id mine --user ann --agent-id robot --agent-name Rob --context 'the move' --ts 2024-03-01T10:00:00Z
is "$(jq -c '[.seq, .result]' <<<"$out")" '[6,"a6.0"]' 'sent again, it is the same entry with the same outcome'
is "$(skein show mine --json | jq -r .artifact.key)" a6.0 "show takes the sender's id"
long=$(printf 'word %.0s' {1..400})
run remember "$long"
is "$(skein show "$(jq -r .result <<<"$out")" --json |
  jq -c '.artifact | [(.summary | length) < 620, (.fields.statement | length), .token_count < 200]')" '[true,2000,true]' \
  'a long text is shortened, and kept whole in a field'

run attach T a4.0,mine a5.0
is "$rc $(fields)" '0 ["a4.0,a6.0,a5.0",null,null]' 'attach names what it attached'
run attach T a4.0 nothing
is "$rc $(fields)" '1 [null,null,"THOUGHT_NOT_FOUND"]' '  all of it or nothing'
run attach t99 a4.0
is "$rc $(jq -c '[.seq, .error.code, .error.class]' <<<"$out")" '1 [null,"THREAD_NOT_FOUND","NOT_FOUND"]' '  in a thread that is there'
run used mine a4.0 a99.0
is "$rc $(fields)" '0 ["a6.0,a4.0","1 of them are not there",null]' 'used names what was used'

run fork T --at 2 --as F --name 'Other rack'
is "$rc $(fields)" '0 ["F",null,null]' 'fork names the new thread'
is "$(skein threads --json --thread F | jq -c '[.parent, .parent_turn, .name]')" '["T",2,"Other rack"]' '  which shares the history'
run fork T
like "$(jq -r .result <<<"$out")" '^t[0-9]+$' '  by its key where it was given no id'
run fork T --at 9
is "$rc $(fields)" '1 [null,null,"TURN_NOT_FOUND"]' '  of turns that are there'
run rename T The big move
is "$rc $(fields) $(skein threads --json --thread T | jq -r .name)" '0 ["T",null,null] The big move' 'rename'
effort=$(skein artifacts --json --thread T --type effort | jq -r .key)
run close "$effort" 'It stands in the new rack'
is "$rc $(skein artifacts --json --thread T --type effort | jq -c '[.status, .key == "'"$effort"'"]')" '0 ["resolved",true]' 'close of an effort'
run reopen "$effort"
is "$rc $(skein artifacts --json --thread T --type effort | jq -r .status)" '0 open' 'reopen of it'
run close T
is "$rc $(fields) $(skein threads --json --thread T | jq .closed)" '0 ["T",null,null] true' 'close of a thread'
run reopen T
is "$rc $(skein threads --json --thread T | jq .closed)" '0 false' 'reopen of it'
run close a99.0
is "$rc" 1 'close of an effort that is not there'
run session end S --user ann
is "$rc $(fields) $(skein sessions --json | jq -r 'select(.id == "S").ended != null')" '0 ["S",null,null] true' 'session end'

# asked wrongly: 2, and what to do instead
for bad in 'remember' 'refine a1.0' 'consolidate a1.0' 'close' 'rename T' 'attach T' 'used' 'fork' \
  'feedback l1 maybe' 'session' 'session end' 'remember x --no-such-option' 'lineage' 'artifacts x' 'episodes --status x'; do
  skein $bad >/dev/null 2>"$SCRATCH/err"
  is "$? $(grep -c '^skein ' "$SCRATCH/err")" '2 1' "skein $bad"
done
skein lineage a99.0 >/dev/null 2>"$SCRATCH/err"
is "$? $(cat "$SCRATCH/err")" "1 skein lineage: there is no artifact 'a99.0' in domain default: 'skein artifacts' lists them" 'what is not there: 1'
skein refine a99.0 x >"$SCRATCH/out" 2>"$SCRATCH/err"
is "$? $(cat "$SCRATCH/out")$(cut -d: -f1-3 "$SCRATCH/err")" '1 skein refine: THOUGHT_NOT_FOUND: refines' 'an error for people goes to standard error'

# lists and filters
is "$(skein artifacts --json --tag rack --type note | jq -r .key)" a4.0 'artifacts by tag'
is "$(skein artifacts --json --status resolved | jq -r .status | sort -u)" resolved 'by status'
is "$(skein artifacts --json --since 2024-03-02 --until 2099-01-01 --type note | wc -l)" 3 'by time'
is "$(skein artifacts --json --limit 2 | wc -l)" 2 'the newest'
skein refine a4.0 'The rack key hangs at the window' >/dev/null
is "$(skein artifacts --json --current | grep -c '"key":"a4.0"')" 0 'without what was superseded'
like "$(skein artifacts | head -1)" '^KEY +TYPE +STATUS' 'for people as a table'
is "$(skein turns --json --thread T | jq -r .effort | sort -u)" "$effort" 'a turn says which effort it works on'

# An effort's chain goes with it.
printf '%s\n' '{"user":"cara","thread":"C","ts":"2024-03-05T10:00:00Z","text":"help me fix the flaky printer driver install"}' \
  '{"user":"cara","thread":"C","role":"assistant","ts":"2024-03-05T10:01:00Z","text":"Reinstall the printer driver with the vendor package."}' \
  '{"user":"cara","thread":"C","ts":"2024-03-05T10:02:00Z","text":"that fixed it, the printer driver works now"}' | skein send --wait >/dev/null
e=$(skein artifacts --json --thread C --type effort | jq -rs '.[0].key')
chain=$(skein artifacts --json --thread C --type effort | jq -rs '.[0].chain')
state() { skein chains --json | jq -r "select(.chain == \"$chain\" or .key == \"$chain\") | .state"; }
is "$(state)" concluded 'a resolved effort concludes its chain'
skein reopen "$e" --ts 2024-03-05T11:00:00Z >/dev/null
is "$(state)" active 'reopening the effort takes its chain up again'
skein close "$e" 'given up' --ts 2024-03-05T12:00:00Z >/dev/null
is "$(state)" concluded 'closing it concludes the chain'
done_testing
