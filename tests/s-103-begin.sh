#!/bin/bash
# s-103-begin - starting a conversation from what is known (seed 2, "Starting a new conversation")

. "$(dirname "$0")/lib.sh"
quiet() { "$@" >/dev/null 2>&1; }
ok 'the pipeline comes up' quiet up

cat <<'J' | skein send --wait >/dev/null
{"user":"pat","thread":"research","ts":"2025-06-10T10:00:00Z","text":"Help me choose a payment gateway for the payment integration"}
{"user":"pat","thread":"research","role":"assistant","ts":"2025-06-10T10:01:00Z","text":"Stripe and PayPal are the usual ones. Stripe has better webhooks."}
{"user":"pat","thread":"research","ts":"2025-06-10T10:02:00Z","text":"Which Stripe API version should we use?"}
{"user":"pat","thread":"research","role":"assistant","ts":"2025-06-10T10:03:00Z","text":"Use Stripe API v2023-10."}
{"user":"pat","thread":"research","ts":"2025-06-10T10:04:00Z","text":"perfect, that answers it. I'll go with Stripe for the payment integration"}
{"user":"pat","thread":"research","ts":"2025-06-10T10:04:20Z","text":"What is the webhook endpoint?"}
{"user":"pat","thread":"research","role":"assistant","ts":"2025-06-10T10:04:40Z","text":"The webhook endpoint is /api/webhooks/stripe."}
{"user":"pat","thread":"research","ts":"2025-06-10T10:05:00Z","text":"Great, thanks. I need to implement the refund logic, can you help me with that?"}
{"user":"pat","thread":"design","ts":"2025-06-06T10:00:00Z","text":"I need to design REST endpoints for the checkout and payment flow"}
{"user":"pat","thread":"design","role":"assistant","ts":"2025-06-06T10:01:00Z","text":"Start with POST /checkout and POST /payments."}
{"user":"pat","thread":"design","ts":"2025-06-06T10:02:00Z","text":"that works, the endpoints are done, thanks"}
{"user":"pat","thread":"garden","ts":"2025-06-07T10:00:00Z","text":"What is the best month to plant tomatoes?"}
{"user":"pat","thread":"garden","role":"assistant","ts":"2025-06-07T10:01:00Z","text":"May."}
J
now=2025-06-13T10:05:00Z
begin() { skein begin 'I want to work on the payment integration' --user pat --now $now "$@"; }

page=$(begin </dev/null)
like "$page" 'I found related context:.*RELATED CHATS:.*1\. "' 'related chats are shown'
like "$page" '\(3 days ago\)' '  with their age'
like "$page" 'Summary: ' '  their summary'
like "$page" 'Artifacts: [0-9]+ \(.*open effort' '  and artifacts by type and state'
like "$page" 'RELEVANT ARTIFACTS:.*\[' 'and relevant artifacts'
like "$page" '1\. Continue ".*" \(has open effort\)' 'option 1: continue, with the open effort'
like "$page" '2\. Fork from "' 'option 2: fork'
like "$page" '3\. New chat with selected artifacts' 'option 3: a new chat with selected artifacts'
like "$page" '4\. Start fresh \(no prior context\)' 'option 4: fresh'
like "$page" 'RELEVANT ARTIFACTS:.*\[fact\] The webhook endpoint is /api/webhooks/stripe' '  also what the best chat knows in other words'
like "$page" 'RELEVANT ARTIFACTS:.*\[effort:open\] Implement the refund logic' '  and what it has still to do'
ok 'what has nothing to do with it is not among the first' test "$(grep -n tomatoes <<<"$page" | head -1 | cut -d: -f1 || echo 99)" != 3

research=$(skein threads --json | jq -r 'select(.id == "research") | .key')
is "$(begin --choose 1 --json | jq -r .thread)" "$research" '> 1: the chat is continued'
is "$(begin --choose 'just continue' --json | jq -r .thread)" "$research" '> just continue: the most relevant'
forked=$(begin --choose 2 --json | jq -r .result)
is "$(skein threads --json | jq -r "select(.key == \"$forked\" or .id == \"$forked\") | .parent")" design '> 2: forked, history is shared'
is "$(skein turns --thread "$forked" --json | jq -rs 'map(.text) | length')" 3 '  up to the point'
printf '{"user":"pat","thread":"%s","ts":"2025-06-13T11:00:00Z","text":"only in the fork"}\n' "$forked" | skein send --wait >/dev/null
is "$(skein turns --thread design --json | grep -c 'only in the fork')" 0 '  and each goes on by itself'
is "$(skein turns --thread "$forked" --json | wc -l)" 4 '  the fork sees both'

# From any point: what came later is the other side's alone, and a fork of a fork sees all that it shares.
skein fork research --at 4 --as early --user pat >/dev/null
early=$(skein context --thread early --no-used --budget 2000)
like "$early" 'Latest turns:.*Use Stripe API v2023-10' 'a fork at an earlier turn has what was said before'
is "$(skein context --thread early --no-used --format json | jq -r '.parts + .left_out | .[].text' | grep -c 'refund logic')" 0 '  and nothing that came of later turns'
skein fork early --as again --user pat >/dev/null
is "$(skein context --thread again --no-used --budget 2000)" "$early" 'a fork of a fork sees the same'
second=$(skein turns --thread again --json | jq -rs '.[1].key')
skein fork again --at "$second" --as sooner --user pat >/dev/null
is "$(skein turns --thread sooner --json | jq -rs 'map(.key) | join(" ")')" \
  "$(skein turns --thread research --json | jq -rs '.[0:2] | map(.key) | join(" ")')" 'it is forked at a turn that it shares'
later=$(skein turns --thread research --json | jq -rs '.[4].key')
out=$(skein fork again --at "$later" --as later --user pat 2>&1)
is "$?" 1 '  not at one that it does not share'

n=$(begin --json </dev/null | jq '.artifacts | length')
ok 'there are several artifacts to choose from' test "$n" -ge 2
skein begin 'I want to work on the payment integration' --user pat --choose '3, include 1,2' --as imported >/dev/null
keys=$(begin --json </dev/null | jq -r '.artifacts[0:2] | map(.key) | join(" ")')
for key in $keys; do
  ok "> 3, include 1,2: $key is in the new chat" test "$(skein context --thread imported --no-used | grep -c "($key)")" = 1
done
is "$(skein artifacts --thread imported --json | jq -r 'select(.source_ref | startswith("research:")) | .key' | sort | paste -sd' ')" \
  "$(tr ' ' '\n' <<<"$keys" | sort | paste -sd' ')" '  which lists them, and where they come from'
skein begin 'I want to work on the payment integration' --user pat --choose '3, exclude 1' --as without >/dev/null
ok '> 3, exclude 1: it is not in the new chat' test "$(skein context --thread without --no-used | grep -c "(${keys%% *})")" = 0
is "$(skein threads --json | jq -r 'select(.id == "without") | .turn_count')" 0 '  which begins without a turn'
new=$(begin --choose '3, include 1' --json | jq -r .thread)
is "$(skein context --thread "$new" --no-used | grep -c "(${keys%% *})")" 1 '  and whose name is told'
is "$(begin --choose '3, include 1' --as spoken | tail -1)" spoken '  to people too'
ok '> 4: fresh' test -n "$(begin --choose 4 --json | jq -r .thread)"

out=$(skein begin '  ' 2>&1)
is "$?" 2 'an empty intent is asked wrongly'
out=$(begin --choose 7 2>&1)
is "$?" 1 'an answer that is none is refused'
like "$out" "'3, include 1,2'" '  with those that are'
out=$(begin --choose '3, include 99' 2>&1)
like "$out" 'there is no artifact 99' 'so is an artifact that is not there'
like "$(skein begin 'quantum chromodynamics lattice' --domain empty </dev/null)" 'Nothing related was found' 'nothing related is said'
like "$(skein begin 'go on with "the payment gateway thing"' --user pat --now $now </dev/null)" 'RELATED CHATS:.*payment gateway' 'quotes of an intent are no phrase'
# On a terminal it asks.
like "$(printf 'nonsense\n4\n' | script -qec "skein begin 'payment integration' --user pat --now $now" /dev/null 2>/dev/null | tr -d '\r')" \
  'answer 1, 2.*> ' 'on a terminal it asks until it understands'
# Names.
skein rename design 'API Design Session' >/dev/null
like "$(begin </dev/null)" 'API Design Session' 'a chat bears the name it was given'
ok 'the store is sound' quiet skein check
down
done_testing
