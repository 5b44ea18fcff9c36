#!/bin/bash
# Tries of one call are one node, whatever the order in which they arrive.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/exchange.sh"

# Each kind in a domain of its own, so that one pipeline takes all orders.
kind() {
  case $1 in
    chain)	# the first is too far from the last: only the middle joins them
      call a 01T09:00:00Z sys '' q1
      call b 01T09:00:40Z sys '' q1
      call c 01T09:01:20Z sys C q1
      call child 01T09:02:00Z sys D q1 C q2 ;;
    answered)	# two tries of one that got no reply, the first of them answered
      call a 01T09:00:00Z sys '' q1
      call b 01T09:00:20Z sys B q1
      call c 01T09:00:40Z sys '' q1
      call child 01T09:02:00Z sys D q1 B q2 ;;
    deep)	# with a parent, children of two tries, and a branch
      call p 01T08:59:00Z sys P q1
      call a 01T09:00:00Z sys '' q1 P q2
      call b 01T09:00:50Z sys '' q1 P q2
      call c 01T09:01:40Z sys C q1 P q2
      call other 01T09:01:50Z sys O q1 P q3
      call child 01T09:02:00Z sys D q1 P q2 C q4 ;;
    session)	# hours apart, but of one session
      MORE='{"session":"s"}' call a 01T09:00:00Z sys A q1
      MORE='{"session":"s"}' call b 01T12:00:00Z sys B q1
      MORE='{"session":"s"}' call c 01T15:00:00Z sys C q1
      MORE='{"session":"s"}' call child 01T16:00:00Z sys D q1 B q2 ;;
  esac
}

# orders N: every order of the numbers from 1 to N, a line each
orders() {
  awk -v n="$1" 'function go(done, used, i) {
      if (split(done, x, " ") == n) { print done; return }
      for (i = 1; i <= n; i++) if (index(used, "," i ",") == 0) go(done " " i, used i ",")
    }
    BEGIN { go("", ",") }'
}

fresh home
for kind in chain answered deep session; do
  DOMAIN=$kind-0 kind $kind | post
  want=$(DOMAIN=$kind-0 places)
  tries=$(grep -c ' retry ' <<<"$want")
  is "$tries" 2 "$kind: in order the second and the third are retries"
  kind $kind >"$SCRATCH/calls"
  n=$(wc -l <"$SCRATCH/calls")
  orders "$n" >"$SCRATCH/orders"
  # All of four; of six calls every thirtieth of the 720.
  [[ $n -gt 4 ]] && awk 'NR % 30 == 1' "$SCRATCH/orders" >"$SCRATCH/few" && mv "$SCRATCH/few" "$SCRATCH/orders"
  jq -cn --slurpfile calls "$SCRATCH/calls" --rawfile orders "$SCRATCH/orders" --arg kind "$kind" '
    $orders | rtrimstr("\n") | split("\n") | to_entries[] | "\($kind)-\(.key + 1)" as $domain
    | .value | ltrimstr(" ") | split(" ")[] | $calls[tonumber - 1] | .domain = $domain' | post
  i=0 wrong=
  while read -r order; do
    i=$((i + 1))
    [[ $(DOMAIN=$kind-$i places) == "$want" ]] || wrong+=" ($order)"
  done <"$SCRATCH/orders"
  is "$wrong" '' "$kind: $i orders of arrival end in the same nodes"
done
before=$(digest)
skein rebuild --from linker >/dev/null
is "$(digest)" "$before" 'a rebuild gives the same'
ok 'the tables agree with each other' skein check
done_testing
