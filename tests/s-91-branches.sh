#!/bin/bash
# Branches: who stays on his parent's and who opens one, whatever the order in
# which calls arrive.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/exchange.sh"

task() {
  jq -cn '[$ARGS.positional | to_entries[] | {type: "tool_use", id: "toolu_\(.key)", name: "Task", input: {prompt: .value}}]' --args "$@"
}
summary='Your task is to create a detailed summary of the conversation so far.'
core='We compared three caches, chose the ring buffer, measured eighty thousand lookups a second and left the eviction test for tomorrow morning.'
mark='This session is being continued from a previous conversation that ran out of context.'

fresh one
{
  call a 01T09:00:00Z sys A q1
  call b 01T09:01:00Z sys B q1 A q2
  call c 01T09:02:00Z sys C q1 A q3
  call d 01T09:03:00Z sys D q1 A q4
  call b2 01T09:04:00Z sys B2 q1 A q2 B q5
  call c2 01T09:05:00Z sys C2 q1 A q3 C q6
  call regenerated 01T09:30:00Z sys 'B again' q1 A q2
} | tee -a "$SCRATCH/calls" | post
is "$(where b branch)" main "the first child stays on its parent's branch"
is "$(where c branch) $(where d branch)" 'branch_2 branch_3' 'each different one opens its own'
is "$(where b2 branch) $(where c2 branch)" 'main branch_2' 'and their children stay there'
is "$(where regenerated branch match.strategy)" 'branch_4 exact' 'an equal call with another reply, later, is a branch'

# retries
{
  call r 02T09:00:00Z sys '' r1
  call r-soon 02T09:01:00Z sys R r1
  call r-child 02T09:02:00Z sys X r1 R r2
  call late 02T10:00:00Z sys R r1
  MORE='{"session":"s"}' call s 02T11:00:00Z sys S s1
  MORE='{"session":"s"}' call s-again 02T15:00:00Z sys S s1
  MORE='{"session":"other"}' call s-other 02T15:00:10Z sys S s1
  call m 03T09:00:00Z sys M m1
  call m2 03T09:01:00Z sys '' m1 M m2
  call m2-again 03T09:01:20Z sys M2 m1 M m2
  call m3 03T09:02:00Z sys M3 m1 M m2 M2 m3
} | tee -a "$SCRATCH/calls" | post
is "$(where r-soon match.strategy branch)" 'retry main' 'an equal call within 60 s of one without reply is a retry'
is "$(where r-child parent branch conversation)" "r main $(where r conversation)" '  and its child is the child of both'
is "$(where late match.strategy)" new 'an equal message at another time begins a conversation'
is "$(where s-again match.strategy)" retry 'of the same session it is a retry at any time'
is "$(where s-other match.strategy)" new '  and of another session none'
is "$(where m2-again match.strategy parent branch)" 'retry m main' 'a retry stands where its first try does'
is "$(where m3 branch)" main '  and opens no branch'

# ties
{
  call e 03T12:00:00Z one E e1
  call e-two 03T12:10:00Z two E e1
  call e-three 03T12:20:00Z three E e1
  call e-child 03T12:30:00Z two X e1 E e2
  call e-fourth 03T12:40:00Z four X e1 E e3
} | tee -a "$SCRATCH/calls" | post
is "$(where e-child parent match.strategy)" 'e-two exact' 'of equal ends the one with the same system text is the parent'
is "$(where e-fourth parent match.strategy)" 'e-three fallback' '  else the newest'

# summaries, continuations, sub-tasks
{
  call t 04T09:00:00Z sys "$(task 'look into the cache' 'look into the log')" t1
  call t-b 04T09:00:20Z agent Log 'look into the log'
  call t-a 04T09:00:30Z agent Cache 'look into the cache'
  call t-a2 04T09:00:40Z agent Cache2 'look into the cache' Cache more
  call t2 04T09:01:00Z sys "$(task 'look into the tests')" t1 "$(task 'look into the cache' 'look into the log')" t2
  call t-c 04T09:01:10Z agent Tests 'look into the tests'
  call sum 04T09:02:00Z sys "$core" t1 "$(task 'look into the cache' 'look into the log')" t2 "$(task 'look into the tests')" "$summary"
  call t3 04T09:03:00Z sys T3 t1 "$(task 'look into the cache' 'look into the log')" t2 "$(task 'look into the tests')" t3
  call k 04T09:04:00Z sys K "$mark Summary: $core"
  call k2 04T09:05:00Z sys K2 "$mark Summary: $core" K k2
  call k3 04T09:06:00Z sys K3 "$mark Summary: $core" K 'k2, otherwise'
} | tee -a "$SCRATCH/calls" | post
is "$(where t-a branch task_parent) $(where t-b branch task_parent)" 'subtask_1 t subtask_2 t' 'sub-tasks by the position of the call'
is "$(where t-c branch task_parent)" 'subtask_3 t2' '  counted on through the conversation'
is "$(where t-a2 branch subtask task_parent)" 'subtask_1 true t' '  whose later calls stay there'
is "$(where sum branch match.strategy) $(where t3 branch)" 'main exact main' 'a summary does not push the next call away'
is "$(where k branch parent) $(where k2 branch)" 'compact_1 sum compact_1' 'a continuation has a branch, and its children stay'
is "$(where k3 branch)" branch_2 'but for the second of them'
is "$(skein requests --json | jq -r '.conversation' | sort | uniq -c | sort -rn | head -1 | awk '{print $1}')" 11 'all of it is one conversation'
is "$(skein conversations --json | jq -r '.branches | length - (unique | length)' | sort -u)" 0 'names are unique within a conversation'
skein conversations >"$SCRATCH/tree"
ok 'the tree is drawn' grep -q '├─ subtask_1' "$SCRATCH/tree"
ok '  within 100 columns' test "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' "$SCRATCH/tree")" -le 101

# one conversation's story
key=$(where a conversation)
skein show "$key" >"$SCRATCH/story"
is "$(head -1 "$SCRATCH/story")" "$key  2024-03-01T09:00:00Z to 2024-03-01T09:30:00Z, 7 calls, 4 branches" \
  'show tells a conversation: when, how much'
is "$(grep -c '^[a-z]' "$SCRATCH/story")" 5 '  branch by branch'
ok '  where each comes from, and why' grep -q '^branch_2, from [0-9]*: 2 of its 3 messages are those of ' "$SCRATCH/story"
is "$(grep -A2 ' b2 ' "$SCRATCH/story" | tail -2 | sed 's/^ *//')" $'q5\n> B2' '  what was asked, and the reply'
is "$(skein show "$key/branch_2" | grep -c '^  [0-9]')" 2 'or one branch of it'
is "$(skein show "$key" --json | jq -c '[.kind, .key, .calls, .branches]')" \
  "[\"conversation\",\"$key\",7,[\"main\",\"branch_2\",\"branch_3\",\"branch_4\"]]" 'as JSON too'
is "$(skein show "$key/branch_2" --turns --json | jq -r '[.turns[].text] | join(" ")')" 'q3 C q6 C2' '  with its turns'
ok 'a reply that only calls tools is told by its calls' \
  grep -q '> .*"name":"Task"' <(skein show "$(where t conversation)")
ok 'a branch that is not there is said so' eval '! skein show "$key/branch_9" 2>"$SCRATCH/err"'
ok '  with what there is to ask for' grep -q 'v12/branch_2' "$SCRATCH/err"
ok 'of another domain nothing is shown' eval '! skein show "$key" --domain other 2>/dev/null'
want=$(places)

# any order
for seed in 1 2 3; do
  fresh "shuffled-$seed"
  shuf --random-source=<(yes "$seed") "$SCRATCH/calls" | post
  is "$(places)" "$want" "arrival in any order ends in the same parents and kinds of branch ($seed)"
done
before=$(digest)
skein rebuild --from linker >/dev/null
is "$(digest)" "$before" 'a rebuild gives the same'
fresh reversed
tac "$SCRATCH/calls" | post
is "$(places)" "$want" 'also from the last to the first'
ok 'nothing is its own parent' \
  test "$(skein show a --json | jq '[.sections.linker.calls[1:][] | select(.parent == .seq)] | length')" -eq 0
is "$(skein show m --json | jq -c '[.sections.linker.calls[1:][].strategy]')" '["exact"]' \
  'a revision is filed under the entry that brought it'
done_testing
