#!/bin/bash
# A thread that grows without an end: checkpoints before the budget is passed.
. "$(dirname "$0")/lib.sh"

export SKEIN_CHECKPOINT_TOKENS=400
up || exit 1

# long FROM TO: turns of one long effort, a question and an answer in turn
long() {
  jq -cn --argjson from "$1" --argjson to "$2" 'range($from; $to) | {user: "ann", thread: "long",
    role: (if . % 2 == 1 then "user" else "assistant" end), ts: (1709280000 + . * 30 | todate),
    text: (if . == 1 then "I want to migrate our database from MySQL to Postgres"
      elif . % 2 == 1 then "The table orders\(.) has \(. * 1000) rows and a column price\(.) of type money, what about that one?"
      else "Convert the column price\(. - 1) of orders\(. - 1) to numeric and copy the rows in batches of \(. * 100)." end)}' |
    skein send --wait >/dev/null
}
all() { skein artifacts --json --thread long | jq -c "$1"; }
check='select(.checkpoint)'

long 1 8
is "$(all "$check | .key" | wc -l)" 0 'within the budget there is no checkpoint'
long 8 41
n=$(all "$check | .key" | wc -l)
ok 'before it is passed there are some' test "$n" -ge 2
effort=$(all 'select(.type == "effort" and .parent == null and .status == "open") | .key')
is "$(all "$check | .parent" | sort -u)" "$effort" '  of the effort, which is open still'
is "$(all "$check | .source_ref | sub(\"^[^:]*:\"; \"\") | split(\"-\")[0] | tonumber" | head -n 1)" 1 '  the oldest turns first'
is "$(all "$check | .source_ref | sub(\"^[^:]*:\"; \"\")" | tr -d '"' |
  awk -F- 'NR > 1 && $1 != last + 1 { bad = 1 } { last = $2 } END { print bad + 0, (last < 40) }')" '0 1' \
  '  without gaps, and the latest turns stay as they are'
like "$(all "$check | .summary" | head -n 1)" 'Postgres|orders' '  in the words that were said'
ok '  each much smaller than what it stands for' \
  test "$(all "$check | .token_count" | sort -n | tail -n 1)" -le 200

# Never more than the budget outside of artifacts: by the turns' own numbers.
for ((i = 1; i <= 40; i++)); do skein show "$i" --json; done | jq -rs '
  [.[] | {n: .seq, tokens: .sections.compactor.turns[0].tokens,
    to: ([.sections.compactor.artifacts[]? | select(.checkpoint) | .turns[-1]] | max // 0)}] as $t |
  [range(0; $t | length) as $i | ($t[0:$i + 1] | map(.to) | max) as $to | $t[0:$i + 1] | map(select(.n > $to).tokens) | add] | max' >"$SCRATCH/most"
ok "  at no time is more than the budget left as it was ($(cat "$SCRATCH/most"))" test "$(cat "$SCRATCH/most")" -le 400

# One turn alone that is too much, and talk that is no effort.
jq -cn '{user: "bob", thread: "big", ts: "2024-03-02T09:00:00Z", text: ("I need to fix the parser. " + ([range(0; 200) | "The rule number \(.) is ambiguous."] | join(" ")))},
  {user: "bob", thread: "big", ts: "2024-03-02T09:01:00Z", text: "It fails for empty input."}' | skein send --wait >/dev/null
is "$(skein artifacts --json --thread big | jq -r 'select(.checkpoint) | .source_ref')" big:1-1 'a turn larger than the budget'
jq -cn 'range(1; 40) | {user: "cy", thread: "chat", ts: (1709290000 + . * 30 | todate),
  text: "The garden of house number \(.) has roses, tulips and a pond with \(.) fish."}' | skein send --wait >/dev/null
ok 'talk that belongs to no effort has checkpoints of its own' \
  test "$(skein artifacts --json --thread chat | jq -r 'select(.checkpoint and .parent == null) | .key' | wc -l)" -ge 1

skein digest | grep -v '^cursors ' >"$SCRATCH/before"
skein rebuild --from compactor >/dev/null 2>&1
skein digest | grep -v '^cursors ' >"$SCRATCH/after"
is "$(diff "$SCRATCH/before" "$SCRATCH/after")" '' 'a rebuild gives the same'
down
done_testing
