#!/bin/bash
# Calls that are made to be taken for others, or to take long.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/exchange.sh"

hash_of() { where "$1" hash; }
raw() { jq -cn --arg id "$1" --arg ts "2024-03-$2" --argjson messages "$3" '{type: "exchange", id: $id, ts: $ts, $messages, response: "ok"}'; }
user() { jq -cn '{role: "user", content: $ARGS.positional | map({type: "text", text: .})}' --args "$@"; }

fresh one
# borders
{
  raw two 01T09:00:00Z "[$(user a b)]"
  raw forged-1 01T10:00:00Z "[$(user $'a\nT1:b')]"
  raw forged-2 01T11:00:00Z "[$(user $'a\n\nT1:b\n')]"
  raw forged-3 01T12:00:00Z "[$(user $'M4:user\nT1:a\nT1:b')]"
  raw joined 01T13:00:00Z "[$(user ab)]"
  raw spread 01T14:00:00Z "[$(user a),$(user b)]"
  raw one-inside 01T15:00:00Z "[$(user $'a\nM4:user\nT1:b')]"
} | post
is "$(skein requests --json | jq -r .hash | sort | uniq -d)" '' 'no text forges a border'

# space, and tags that never end
spaces=$(printf '%50000s' '')
{
  DOMAIN=x call plain 02T09:00:00Z sys ok 'what is this?'
  DOMAIN=x call spaced 02T10:00:00Z sys ok "what is this?$spaces"
  DOMAIN=x call inside 02T11:00:00Z sys ok "what${spaces}is this?"
  DOMAIN=x call open 02T12:00:00Z sys ok "<system-reminder>$spaces what is this?"
  DOMAIN=x call many 02T13:00:00Z sys ok "$(printf '<system-reminder>%.0s' {1..5000})"
} >"$SCRATCH/spaces"
start=$SECONDS
post <"$SCRATCH/spaces"
ok 'fifty thousand spaces and open tags take no time' test $((SECONDS - start)) -lt 5
DOMAIN=x
is "$(hash_of spaced)" "$(hash_of plain)" 'space at the end does not count'
is "$(skein requests --domain x --json | jq -r .hash | sort -u | wc -l)" 4 'space inside and open reminders do'
is "$(skein requests --domain x --json | jq -r 'select(.id != "plain") | .match.strategy' | sort -u)" new 'equal words at another time are a conversation of their own'

# ten megabytes
big=$(jq -cn '[range(2000) | {role: (if . % 2 == 0 then "user" else "assistant" end), content: ("\(.) " + ("word " * 1000))}]')
DOMAIN=big
{
  jq -c '{type: "exchange", domain: "big", id: "big", ts: "2024-03-03T09:00:00Z", messages: .[:-1], response: .[-1].content}' <<<"$big"
  jq -c '{type: "exchange", domain: "big", id: "next", ts: "2024-03-03T09:01:00Z", messages: (. + [{role: "user", content: "and?"}]), response: "so"}' <<<"$big"
} >"$SCRATCH/big"
ok 'ten megabytes' test "$(head -1 "$SCRATCH/big" | wc -c)" -gt 10000000
start=$SECONDS
post <"$SCRATCH/big"
ok '  take no long time' test $((SECONDS - start)) -lt 30
is "$(where next match.strategy parent known added)" 'exact big 2000 2' '  and the next call adds two messages to them'

# equal timestamps
DOMAIN=equal
{
  call e1 04T09:00:00Z sys A q1
  call e2 04T09:00:00Z sys B q1 A q2
  call e3 04T09:00:00Z sys C q1 A q2 B q3
  call e2b 04T09:00:00Z sys B q1 A q2b
  call e5 04T09:00:00Z sys E q1 A q2 B q3 C q4 D q5
  call e4 04T09:00:00Z sys D q1 A q2 B q3 C q4
} | post
is "$(where e2 parent branch) $(where e3 parent branch) $(where e2b parent branch)" 'e1 main e2 main e1 branch_2' 'equal times: by seq'
is "$(where e5 match.strategy parent) $(where e4 parent)" 'nearest e3 e3' 'what came later is not the parent of what was there'

# a thousand forks
DOMAIN=forks
call root 05T09:00:00Z sys A q1 >"$SCRATCH/root"
jq -c --argjson n 1000 'range($n) as $i | .id = "f\($i)" | .ts = "2024-03-05T10:\($i / 60 | floor | tostring | if length < 2 then "0" + . else . end):\($i % 60 | tostring | if length < 2 then "0" + . else . end)Z"
  | .messages += [{role: "assistant", content: [{type: "text", text: "A"}]}, {role: "user", content: "fork \($i)"}]' "$SCRATCH/root" >"$SCRATCH/forks"
start=$SECONDS
cat "$SCRATCH/root" "$SCRATCH/forks" | post
ok 'a thousand forks of one parent' test $((SECONDS - start)) -lt 20
is "$(skein requests --domain forks --json | jq -r .parent | sort | uniq -c | awk '{print $1, $2}' | sort -n | paste -sd' ')" '1 null 1000 root' '  are all its children'
is "$(skein requests --domain forks --json | jq -r .branch | sort -u | wc -l)" 1000 '  each on a branch of its own, the first on main'
fresh late
start=$SECONDS
cat "$SCRATCH/forks" "$SCRATCH/root" | post
ok 'and of one that arrives after them' test $((SECONDS - start)) -lt 20
is "$(skein requests --domain forks --json | jq -r .branch | sort -u | wc -l)" 1000 '  with the same branches'
is "$(skein requests --domain forks --json | jq -r .conversation | sort -u | wc -l)" 1 '  in one conversation'
before=$(digest)
skein rebuild --from linker >/dev/null
is "$(digest)" "$before" 'a rebuild gives the same'

# two domains
for d in left right; do
  DOMAIN=$d call a 06T09:00:00Z sys A q1
  DOMAIN=$d MORE='{"session":"s"}' call b 06T09:01:00Z sys B q1 A q2
done | post
DOMAIN=right call c 06T09:02:00Z sys C q1 A q2 B q3 | post
is "$(DOMAIN=right where c conversation)" "$(DOMAIN=right where a conversation)" 'the same words in two domains: each its own'
is "$(DOMAIN=left where b conversation)" "$(DOMAIN=left where a conversation)" '  tree'
ok '  and no other' test "$(DOMAIN=left where a conversation)" != "$(DOMAIN=right where a conversation)"

# two users
{
  DOMAIN=shared MORE='{"user":"ann"}' call ann 07T09:00:00Z sys Welcome. start
  DOMAIN=shared MORE='{"user":"bob"}' call bob 07T09:01:00Z sys Welcome. start
  DOMAIN=shared MORE='{"user":"ann"}' call ann2 07T09:02:00Z sys Ok start Welcome. 'my question'
} | post
is "$(DOMAIN=shared where ann2 parent)" ann 'equal words of another user do not count, newer or not'
done_testing
