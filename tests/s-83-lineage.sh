#!/bin/bash
# Lineage: what is remembered, refined and consolidated; the acceptance
# criteria by name, through the real stages.
. "$(dirname "$0")/lib.sh"

new_home() {
  down
  export SKEIN_HOME=$SCRATCH/$1
  mkdir -p -m 700 "$SKEIN_HOME"
  up || exit 1
}

# command VERB ARGUMENTS...: its outcome into out, its exit code into rc
command_() {
  out=$(skein "$@" --json 2>"$SCRATCH/err")
  rc=$?
}
result() { jq -r .result <<<"$out"; }
# of KEY FIELD: a field of an artifact
of() { skein artifacts --json "${@:3}" | jq -c "select(.key == \"$1\") | $2"; }
code() { jq -r '"\(.error.code) \(.error.class)"' <<<"$out"; }
# used KEY TIMES: by that many entries
used() {
  local i
  for ((i = 0; i < $2; i++)); do
    echo "{\"type\":\"used\",\"artifacts\":[\"$1\"],\"ts\":\"2024-03-01T10:00:00Z\"}"
  done | skein send --wait >/dev/null
}
at=(--ts 2024-03-01T10:00:00Z)

new_home one
command_ remember 'Status and role are both monitored by the watcher' "${at[@]}" --agent-name Iris --id first
is "$rc $(result) $(jq -c '[.id, .seq, .guidance]' <<<"$out")" '0 a1.0 ["first",1,null]' \
  'AC8: a contribution without refines or consolidates is stored, and answered with its key'
is "$(of a1.0 '[.thought_type, .source_ids, .weight, .superseded, .refined_by, .type, .status]')" \
  '["original",[],1,false,null,"note","resolved"]' 'AC8:   as an original with no sources, of weight 1.0'
used a1.0 12
is "$(of a1.0 '[.weight, .uses]')" '[4,12]' 'use makes it heavier, a quarter each time'

command_ refine first 'Only the role is monitored by the watcher, the status is not' "${at[@]}"
b=$(result)
is "$(of "$b" '[.thought_type, .source_ids, .weight]')" '["refinement",["a1.0"],2]' \
  'AC1: a refinement names its source and begins with half of its weight'
is "$(of a1.0 '[.superseded, .refined_by]')" "[true,\"$b\"]" 'AC3: the older one is marked, and kept'
command_ remember 'The coffee machine is on the second floor' "${at[@]}"
c=$(result)
command_ refine "$c" 'The coffee machine is on the third floor' "${at[@]}"
is "$(of "$(result)" .weight)" 1 'AC1: but never less than 1.0'

command_ consolidate "$b,$c" 'The watcher sees roles; coffee is upstairs' "${at[@]}"
d=$(result)
is "$(of "$d" '[.thought_type, .source_ids, .weight]')" "[\"consolidation\",[\"$b\",\"$c\"],1]" \
  'AC2: a consolidation names all its sources'
used "$b" 36
used "$c" 4
command_ consolidate "$c,$b" 'The watcher sees roles, and the coffee machine is upstairs' "${at[@]}"
is "$(of "$b" .weight) $(of "$c" .weight) $(of "$(result)" .weight)" '10 2 3' \
  'AC2: and begins with half of their mean; no weight passes 10'
is "$(of "$b" '[.superseded, .refined_by]')" "[true,\"$(result)\"]" '  the newest is the one that is named'

# lineage
for text in B C; do
  command_ refine "${last:-a1.0}" "Chain $text of the watcher"
  last=$(result)
done
command_ remember 'The archive is kept in the cellar under the stairs'
A=$(result)
command_ refine "$A" 'The archive is kept in the attic'
B=$(result)
command_ refine "$B" 'The archive was thrown away'
C=$(result)
is "$(skein lineage "$B" --json | jq -c '[.thought_id, [.chain[] | [.thought_id, .depth]], .truncated]')" \
  "[\"$B\",[[\"$A\",-1],[\"$B\",0],[\"$C\",1]],false]" 'AC5: from the middle of a chain, both ways'
is "$(skein lineage "$A" --json | jq -c '[.chain[].depth]')" '[0,1,2]' 'AC5: from its beginning'
is "$(skein lineage "$C" --json | jq -c '[.chain[] | [.depth, .source_ids, .thought_type]]')" \
  "[[-2,[],\"original\"],[-1,[\"$A\"],\"refinement\"],[0,[\"$B\"],\"refinement\"]]" 'AC5: and from its end'
like "$(skein lineage "$A")" 'DEPTH.*original.*The archive is kept' 'for people as a table'
long=$(printf 'ä%.0s' {1..200})
command_ remember "$long"
is "$(skein lineage "$(result)" --json | jq '.chain[0].content_preview | length')" 80 'a preview has 80 characters, not bytes'
is "$(skein lineage first --json | jq -r '.chain[0] | "\(.contributor) \(.id)"')" 'Iris first' 'who contributed it, by whose id'

command_ remember 'Twelve steps lead down into the vault'
first=$(result)
key=$first
for ((i = 1; i <= 12; i++)); do
  command_ refine "$key" "The vault has $i more steps"
  key=$(result)
done
is "$(skein lineage "$first" --json | jq -c '[(.chain | length), .chain[-1].depth, .truncated]')" '[10,9,true]' \
  'AC6: a chain of 12 refinements shows 10 from the first, and says that it goes on'
is "$(skein lineage "$key" --json | jq -c '[(.chain | length), .chain[0].depth, .truncated]')" '[10,-9,true]' 'AC6: and so from the last'

# likeness
new_home two
command_ remember 'The staging database of the billing team listens on port 5433'
first=$(result)
command_ remember 'The billing team has its staging database listening on port 5433'
like "$(jq -r .guidance <<<"$out")" "$first, \"The staging database of the billing.*skein refine $first \"" \
  'AC7: what is much like an older statement is answered with the advice to refine it'
is "$(of "$(result)" .thought_type) $(of "$first" .superseded)" '"original" false' 'AC7: and stored as an original all the same'
command_ remember 'The staging database is backed up to tape every night at two'
is "$(jq .guidance <<<"$out")" null 'what shares a few words is not'
command_ refine "$first" 'The staging database of the billing team listens on port 6433'
is "$(jq .guidance <<<"$out")" null 'a refinement gets no such advice'
new=$(result)
command_ remember 'the staging database of the billing team listens on port 5433'
like "$(jq -r .guidance <<<"$out")" "skein refine $new " 'the latest of a line is the one to be refined'
command_ remember 'The staging database of the billing team listens on port 5433' --user bob
is "$(jq .guidance <<<"$out")" null "another user's statement is not shown"
command_ remember 'The staging database of the billing team listens on port 5433' --domain other
is "$(jq .guidance <<<"$out")" null 'nor one of another domain'
command_ refine "$first" 'And once more: port 7433'
like "$(jq -r .guidance <<<"$out")" "refined before, by $new.*consolidate $new,$(result) " 'a second refinement is told of the first'

# validation
command_ refine a999.0 'x'
is "$rc $(code)" '1 THOUGHT_NOT_FOUND NOT_FOUND' 'AC9: refining what is not there'
command_ refine no-such-thing 'x'
is "$(code)" 'THOUGHT_NOT_FOUND NOT_FOUND' '  nor by a sender'\''s id'
command_ refine "$first" 'x' --domain other
is "$(code)" 'THOUGHT_NOT_FOUND NOT_FOUND' '  nor is it there in another domain'
command_ consolidate "$first,a999.0" 'x'
is "$(code)" 'THOUGHT_NOT_FOUND NOT_FOUND' 'AC9: consolidating what is not there'
command_ remember 'x' --refines "$first" --consolidates "$first,$new"
is "$rc $(code)" '1 MUTUAL_EXCLUSION VALIDATION_ERROR' 'AC9: both at once'
is "$(echo '{"type":"memory","text":"x","refines":"a1.0","consolidates":["a1.0","a2.0"]}' | skein send |
  jq -r '"\(.error.code) \(.error.class)"')" 'MUTUAL_EXCLUSION VALIDATION_ERROR' '  however it is sent'
command_ consolidate "$first,$first" 'x'
is "$(code)" 'MIN_CONSOLIDATION VALIDATION_ERROR' 'one id twice is not two'
echo '{"type":"memory","text":"The printer is out of toner","id":"toner"}' | skein send --wait >"$SCRATCH/ack"
command_ consolidate "toner,a$(jq .seq "$SCRATCH/ack").0" 'x'
is "$(code)" 'MIN_CONSOLIDATION VALIDATION_ERROR' 'nor are two names of one artifact'
for bad in 'a1.' 'a.0' 'not an id' ''; do
  command_ refine "$bad" 'x'
  is "$rc $(code)" '1 VALIDATION_ERROR VALIDATION_ERROR' "'$bad' is no id at all"
done
n=$(skein artifacts --json | wc -l)
is "$(skein artifacts --json | jq -r 'select(.summary == "x").key' | wc -l)" 0 'nothing of all this was stored'

# time
new_home three
command_ remember 'The key is under the mat' --ts 2024-01-01T00:00:00Z
echo '{"type":"used","artifacts":["a1.0"],"ts":"2024-01-01T00:00:00Z"}' | skein send --wait >/dev/null
is "$(of a1.0 .weight)" 1.25 'a weight'
echo '{"type":"tick","user":"default","ts":"2024-01-31T00:00:00Z"}' | skein send --wait >/dev/null
is "$(of a1.0 .weight)" 0.625 '  is halved after thirty days'
echo '{"type":"tick","user":"default","ts":"2026-01-31T00:00:00Z"}' | skein send --wait >/dev/null
is "$(of a1.0 .weight)" 0.1 '  and never gone'
command_ used a1.0 --ts 2026-01-31T00:00:00Z
is "$rc $(result) $(of a1.0 .weight)" '0 a1.0 0.35' 'use counts from there'
command_ used a77.0
is "$rc $(code)" '1 THOUGHT_NOT_FOUND NOT_FOUND' 'of what is not there nothing is used'
skein digest | grep -v '^cursors ' >"$SCRATCH/before"
skein rebuild --from compactor >/dev/null 2>&1
skein digest | grep -v '^cursors ' >"$SCRATCH/after"
ok 'a replay gives the same weights, the same lineage, the same index' cmp -s "$SCRATCH/before" "$SCRATCH/after"
ok 'the store is sound' silent skein check --deep
done_testing
