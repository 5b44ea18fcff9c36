#!/bin/bash
#
# bench-chains - what a turn costs the chainer, as history grows
#
#   BENCH_CHAINS    chains in the store, several sizes  (1000 100000 1000000)
#   BENCH_TURNS     turns of a run  (10000)
#   BENCH_DIR       where stores are made  (/tmp)
#
# The chainer's own processor time for a feed of turns of one user, half of
# them on topics of old, with so many sleeping chains in the store; and beside
# it a stage that passes the same feed on.  Adds to $BENCH_JSON.

. "$(dirname "$0")/lib.sh"
turns=${BENCH_TURNS:-10000}

feed() {
  awk -v n="$turns" 'BEGIN {
    srand(7)
    for (i = 0; i < n; i++) {
      if (i % 2) text = sprintf("gadget%d and gadget%d need the new gadget%d soon", rand() * 20000, rand() * 20000, rand() * 20000)
      else text = sprintf("item%d beside box%d shows a colour", i, i)
      printf "{\"user\":\"bench\",\"thread\":\"t%d\",\"ts\":%.0f,\"text\":\"%s\"}\n", i / 10, 1700000000000 + i * 60000, text
    }
  }'
}

# Nanoseconds of processor time of the chainer, the system's for it included.
spent() { cat "/proc/$(sed -n 's/^pid //p' "$SKEIN_HOME/run/chainer.status")"/task/*/schedstat | awk '{ n += $1 } END { printf "%.0f\n", n }'; }

# run NAME CHAINS [COMMAND]: microseconds of processor time a turn
run() {
  local before
  export SKEIN_HOME=$scratch/$1
  mkdir -p -m 700 "$SKEIN_HOME"
  [[ -z ${3:-} ]] || sed "s#skein-chainer#$3#" scripts/stages >"$SKEIN_HOME/stages"
  skein up >/dev/null || exit 1
  if (($2 > 0)); then
    skein down >/dev/null
    "$bench/bench-chains" fill "$SKEIN_HOME/db/chainer" "$2" || exit 1
    skein up >/dev/null || exit 1
  fi
  before=$(spent)
  skein send --wait "$scratch/feed" >/dev/null || exit 1
  awk -v t="$(($(spent) - before))" -v n="$turns" 'BEGIN { printf "%.2f\n", t / 1e3 / n }'
  skein down >/dev/null
  rm -rf "$SKEIN_HOME"
}

feed >"$scratch/feed"
pass=$(run pass 0 "$bench/bench-chains") || exit 1
figure 'chains: passing a turn on' "$pass" us
least='' most=''
for n in ${BENCH_CHAINS:-1000 100000 1000000}; do
  cost=$(run "n$n" "$n") || exit 1
  figure "chains: a turn, $n chains in the store" "$cost" us
  : "${least:=$cost}" "${most:=$cost}"
  least=$(awk "BEGIN { print ($cost < $least) ? $cost : $least }")
  most=$(awk "BEGIN { print ($cost > $most) ? $cost : $most }")
done
ratio=$(divide "$most" "$least")
figure 'chains: dearest size to cheapest' "$ratio" ratio '<= 1.5' "$(holds "$ratio <= 1.5")"
figure 'chains: a turn to passing it on' "$(divide "$least" "$pass" 1)" ratio
