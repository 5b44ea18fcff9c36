#!/bin/bash
# Thought chains: every branch of the logic and every arrow of the life cycle,
# through the real stages, on event time.
. "$(dirname "$0")/lib.sh"

# Says what is wrong, if anything, as remarks.
sound() {
  skein check --deep >"$SCRATCH/check" 2>&1 || { sed 's/^/# /' "$SCRATCH/check"; return 1; }
}

new_home() {
  down
  export SKEIN_HOME=$SCRATCH/$1
  mkdir -p -m 700 "$SKEIN_HOME"
  up || exit 1
}

# say USER TIME TEXT [NAME VALUE]...: a turn of the thread of that user
say() {
  local user=$1 ts=$2 text=$3
  shift 3
  jq -cn --arg user "$user" --arg ts "2024-03-$ts" --arg text "$text" \
    'reduce range(0; $ARGS.positional | length; 2) as $i ({user: $user, thread: $user, ts: $ts, text: $text};
      .[$ARGS.positional[$i]] = $ARGS.positional[$i + 1])' \
    --args "$@" | skein send --wait >"$SCRATCH/ack" || sed 's/^/# /' "$SCRATCH/ack"
  seq=$(jq .seq "$SCRATCH/ack")
}

entry() { echo "$1" | skein send --wait >"$SCRATCH/ack"; seq=$(jq .seq "$SCRATCH/ack"); }
chain() { skein turns --json --after "$seq" "$@" | jq -r "select(.seq == $seq).chain"; }
steps() { skein show "$seq" --json | jq -r '.sections.chainer.updates[]? | "\(.kind) \(.chain)"' | paste -sd' '; }
reason() { skein show "$seq" --json | jq -r '.sections.chainer.updates[0].reason'; }
state() { skein chains --json "${@:2}" | jq -r "select(.key == \"$1\").state"; }

new_home one
say ann 01T09:00:00Z 'I want to plan a trip to Lisbon in May'
is "$(steps)" 'create c1.0' 'the first claim begins a chain'
is "$(reason)" 'New topic: "Lisbon"' '  with its topic'
say ann 01T09:01:00Z 'How many days would you like to stay?' role assistant
is "$(steps)" 'extend c1.0' 'an answer continues it'
say ann 01T09:02:00Z 'Five days'
is "$(chain)" c1.0 'a short reply follows the turn before'
say ann 01T09:03:00Z 'By the way, my dishwasher leaks water on the kitchen floor'
is "$(steps)" 'create c4.0' 'what is far from all begins another'
say ann 01T09:04:00Z 'Check the door seal of the dishwasher first.' role assistant
is "$(chain)" c4.0 'the answer is about that'
say ann 01T09:05:00Z 'That fixed it, thanks!'
is "$(steps)" 'extend c4.0 conclude c4.0' 'an explicit end concludes the chain of the turn'
is "$(state c4.0)" concluded '  which is then concluded'
say ann 01T09:06:00Z "You're welcome, enjoy the dry kitchen floor!" role assistant
is "$(chain) $(state c4.0)" 'c4.0 concluded' 'talk after the end belongs to it and does not take it up again'
say ann 01T09:07:00Z 'Back to Lisbon: which hotel near the metro should we book for the trip?'
is "$(steps)" 'extend c1.0' 'a return continues the older chain'

# time passes
say ann 02T09:02:00Z 'The hotel in Lisbon needs a metro station'
is "$(skein show "$seq" --json | jq -c '[.sections.chainer.checks[] | [.chain, .result, .next]]')" \
  '[["c1.0","extended","2024-03-02T09:07:00Z"]]' 'a check that finds a chain extended does nothing but look again'
say ann 03T11:00:00Z 'Our neighbour bought a huge trampoline for the garden'
is "$(skein show "$seq" --json | jq -c '[.sections.chainer.checks[] | [.chain, .result]]')" \
  '[["c4.0","over"],["c1.0","dormant"]]' \
  'a day after its last claim a chain is dormant, on the time of entries; of one that is concluded nothing is to be said'
is "$(state c1.0)" dormant '  and says so'
is "$(steps)" "create c$seq.0" 'a new topic beside a sleeper'
trampoline=c$seq.0
say ann 03T11:10:00Z 'For the trip to Lisbon in May we need a hotel near the metro'
is "$(steps)" 'extend c1.0' 'its words revive it'
like "$(reason)" '^Revived chain about "Lisbon"' '  and the reason says so'
is "$(state c1.0)" active '  it is active again'
is "$(skein show c1.0 --json | jq -r '[.history[].kind] | join(" ")')" \
  'create extend extend extend extend dormant extend' 'show CHAIN tells its story'
say ann 03T11:20:00Z 'Going back to the dishwasher: the door seal leaks water again'
is "$(steps)" 'extend c4.0' 'a turn that returns takes a concluded chain up'
is "$(state c4.0)" active '  which is active again'
say ann 03T11:21:00Z 'ok, it works now, thanks!'
is "$(state c4.0)" concluded 'and is concluded again'
say ann 03T11:30:00Z 'How do I clean the filter of the dishwasher on the kitchen floor?'
is "$(skein show "$seq" --json | jq -r '.sections.chainer.updates[0] | "\(.kind) \(.from)"')" 'branch c4.0' \
  'a new question about what is concluded branches off it'

# whose it is
say bob 03T11:31:00Z 'I want to plan a trip to Lisbon in May'
is "$(chain)" "c$seq.0" "another user's words are another chain"
say ann 03T11:32:00Z 'I want to plan a trip to Lisbon in May' domain other
is "$(chain --domain other)" "c$seq.0" 'and so are those of another domain'
is "$(skein show c1.0 --domain other 2>&1 >/dev/null | grep -c 'there is no')" 1 'which cannot see it'
is "$(skein chains --json --user bob | wc -l)" 1 'chains of a user'
is "$(skein chains --json --state concluded | jq -r .key)" c4.0 'chains by state'
is "$(skein chains --json --limit 1 | wc -l)" 1 'the newest'

# explicit ends and reopening
say cy 04T08:00:00Z 'Please review the quarterly budget spreadsheet for marketing'
cy=c$seq.0
entry '{"type":"close","thread":"cy","ts":"2024-03-04T08:10:00Z"}'
is "$(steps)" "conclude $cy" 'closing a thread concludes its chain'
entry '{"type":"reopen","thread":"cy","ts":"2024-03-04T08:20:00Z"}'
is "$(steps) $(state "$cy")" "extend $cy active" 'reopening it takes the chain up again'
say cy 08T08:00:00Z 'yes'
is "$(steps)" "extend $cy" 'a short reply days later revives what it answers'
is "$(skein chains --json --user cy | jq -r .revivals)" 2 '  which is counted'

# replies and rooms
say dee 04T09:00:00Z 'The printer in the office prints blank pages' id p1
printer=c$seq.0
say dee 04T09:01:00Z 'By the way, the coffee machine needs descaling'
say dee 04T09:02:00Z 'Did you shake the toner cartridge?' reply_to p1 role assistant
is "$(chain)" "$printer" 'reply_to decides what a turn follows'
n=$seq
cat >"$SCRATCH/room" <<'R'
{"room":"help","user":"ann","ts":"2024-03-05T10:00:00Z","text":"my wifi card is not found after the kernel upgrade"}
{"room":"help","user":"bob","ts":"2024-03-05T10:00:10Z","text":"how can I mount an ntfs partition at boot?"}
{"room":"help","user":"cy","ts":"2024-03-05T10:00:20Z","text":"ann: which wifi card is it?"}
{"room":"help","user":"dee","ts":"2024-03-05T10:00:30Z","text":"bob: add the ntfs partition to /etc/fstab"}
{"room":"help","user":"ann","ts":"2024-03-05T10:00:40Z","text":"cy: a broadcom 4312"}
R
skein send --wait "$SCRATCH/room" >/dev/null
is "$(skein turns --json | jq -r "select(.seq > $n).chain" | paste -sd' ')" \
  "c$((n + 1)).0 c$((n + 2)).0 c$((n + 1)).0 c$((n + 2)).0 c$((n + 1)).0" 'in a room who answers whom decides'
is "$(skein chains --json | jq -r 'select(.room == "help").key' | wc -l)" 2 '  two conversations'
say ann 05T10:10:00Z 'my wifi card is not found after the kernel upgrade' id own
ok "  a room's chain stays in the room" test "$(chain)" != "c$((n + 1)).0"

# what words mean: returns that repeat none, near words that are no return
say fay 05T12:00:00Z 'I have some money to invest, as a total beginner' thread f
funds=c$seq.0
say fay 05T12:00:30Z 'Keep a reserve for three months, then put the rest into a broad fund' thread f role assistant
say fay 05T12:01:00Z 'New question. Why does my bicycle chain skip in the highest gear?' thread f
bike=c$seq.0
is "$(chain)" "$bike" 'what shifts may be said in a sentence of its own'
say fay 05T12:01:30Z 'The smallest cog is worn, or the cable needs tension' thread f role assistant
say fay 05T12:02:00Z 'Would stocks or bonds be better in the long run?' thread f
is "$(chain)" "$funds" 'a return is found by its meaning, no word repeated'
like "$(skein show "$seq.0" --why)" "$funds .*keyword 0,.* meaning [1-9][0-9]+" '  and --why says so'
like "$(skein show "$seq.0" --why)" "course: $funds by [0-9]+: [a-z]" '  what spoke for it'
like "$(skein show "$seq.0" --why)" "$bike .* course -?[0-9]+" '  and each chain its score'
say fay 05T12:03:00Z 'I replaced the rear wheel and both pedals as well' thread f
is "$(chain)" "$bike" '  and back again'
say fay 08T12:03:00Z 'should I sell the shares when the market falls?' thread f
is "$(chain)" "$funds" '  after days as well'
say fay 08T13:00:00Z 'which one is cheaper?' thread g
ok '  but few words do not lead to another thread' test "$(chain)" != "$bike" -a "$(chain)" != "$funds"

# topics of one field: the wording and what it follows tell them apart
say gil 05T14:00:00Z 'the import of the price list fails with a unicode error' thread h
import=c$seq.0
say gil 05T14:00:30Z 'Open the price list as utf-8-sig; is it from Excel?' thread h role assistant
say gil 05T14:01:00Z 'yes, from the sales team' thread h
is "$(chain)" "$import" 'an answer stays'
say gil 05T14:01:30Z 'Then tell them to save it as CSV UTF-8.' thread h role assistant
say gil 05T14:02:00Z 'also the export of the price list is much too slow, 40 seconds' thread h
export=c$seq.0
is "$(chain)" "$export" '  a new fault of the same program is its own chain, near as its words are'
say gil 05T14:02:30Z 'It asks the database once a row. Fetch all rows at once.' thread h role assistant
say gil 05T14:03:00Z 'how would I do that' thread h
is "$(chain)" "$export" '  what leans goes on'
say gil 05T14:03:30Z 'Use a join and one cursor; 2 seconds then.' thread h role assistant
say gil 05T14:04:00Z 'the import shows the unicode error again' thread h
is "$(chain)" "$import" '  and back to the first'

# an exchange with several turns
jq -cn '{type: "exchange", user: "eve", ts: "2024-03-06T10:00:00Z", messages: [
  {role: "user", content: "Explain how a heat pump works"},
  {role: "assistant", content: "A heat pump moves heat from outside into the house with a compressor."},
  {role: "user", content: "By the way, unrelated: who painted the ceiling of the Sistine Chapel?"}],
  response: {role: "assistant", content: "Michelangelo painted it."}}' | skein send --wait >"$SCRATCH/ack"
seq=$(jq .seq "$SCRATCH/ack")
is "$(skein turns --json --user eve | jq -r .chain | paste -sd' ')" "c$seq.0 c$seq.0 c$seq.1 c$seq.1" \
  'the turns of an exchange, each in its chain'

like "$(skein show 11.0 --why)" 'continue below 610, branch below 650, revive below 700' '--why gives the thresholds'
like "$(skein show 10.0 --why)" 'c1.0 +dormant +distance +[0-9]+: entity [0-9]+, keyword [0-9]+, subject [0-9]+, recency [0-9]+, adjacency [0-9]+, cue -?[0-9]+' \
  'and every term of each candidate'
ok 'the store is sound' sound

# the same again
skein digest >"$SCRATCH/before"
skein rebuild --from chainer >/dev/null 2>&1
skein digest >"$SCRATCH/after"
ok 'a rebuild gives the same chains' cmp -s "$SCRATCH/before" "$SCRATCH/after"

# the thresholds are settings; the seed's own formula
SKEIN_CHAIN_CONTINUE=300 SKEIN_CHAIN_BRANCH=950 new_home two
say ann 01T09:00:00Z 'Let us compare electric bikes for my daily commute'
say ann 01T09:01:00Z 'Which bikes have a strong motor for steep hills?'
is "$(steps)" "branch c$seq.0" 'between the thresholds: a branch'
is "$(reason)" 'Branched from "compare electric bikes" due to topic shift' '  and why'
is "$(skein chains --json | jq -r "select(.key == \"c$seq.0\").from")" c1.0 '  and from where'
SKEIN_CHAIN_FORMULA=seed SKEIN_CHAIN_CONTINUE=600 SKEIN_CHAIN_BRANCH=700 new_home three
say ann 01T09:00:00Z 'The dishwasher leaks.'
say ann 01T09:01:00Z 'The dishwasher leaks again.'
is "$(steps)" 'extend c1.0' "the seed's formula: near"
say ann 01T09:02:00Z 'Volcanoes erupt in Iceland.'
is "$(steps)" "create c3.0" '  far from all'
is "$(skein show 2 --json | jq -r .sections.chainer.formula)" seed '  by its name'

# one claim ties two chains
SKEIN_CHAIN_MERGE=900 new_home four
say ann 01T09:00:00Z 'The espresso grinder needs a new burr'
say ann 01T09:01:00Z 'Separately, the espresso machine needs descaling'
say ann 01T09:02:00Z 'The espresso grinder burr and the espresso machine descaling'
is "$(steps)" 'extend c1.0 merge c1.0' 'one claim ties two chains that are alike: they become one'
is "$(reason)" 'Takes up "espresso grinder" (in common: grinder, burr, espresso)' '  the claim goes to the nearer'
is "$(skein show "$seq" --json | jq -r '.sections.chainer.updates[1] | "\(.from) \(.reason)"')" \
  'c2.0 "espresso grinder" and "espresso machine" have become one topic' '  with a reason'
is "$(chain) $(state c2.0)" 'c1.0 merged' '  the younger into the older'
say ann 01T09:03:00Z 'And the espresso machine drips'
is "$(chain)" c1.0 '  and what follows goes there'
is "$(skein show c2.0 --json | jq -r '[.history[].kind] | join(" ")')" 'create merge' '  both tell of it'
down
done_testing
