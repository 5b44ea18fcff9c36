#!/bin/bash
#
# bench-linker - what an exchange costs: its hash pass, its linking
#
#   BENCH_CALLS     calls in the store, several sizes  (1000 1000000)
#   BENCH_DEPTHS    messages of a request  (10 30 100 300 1000)
#   BENCH_DIR       where stores are made  (/tmp)
#
# Processor time, without processes: see bench-linker.c.  Adds to $BENCH_JSON.

. "$(dirname "$0")/lib.sh"

read -r own raw < <("$bench/bench-linker" hash 16) || exit 1
figure 'linker: normal form and hashes' "$own" MB/s '>= 300' "$(holds "$own >= 300 || $own * 2 >= $raw")"
figure 'linker: the raw hash on as many bytes' "$raw" MB/s

extremes() { awk 'NR == 1 { least = most = $1 } { if ($1 < least) least = $1; if ($1 > most) most = $1 } END { printf "%.2f\n", most / least }'; }

for n in ${BENCH_DEPTHS:-10 30 100 300 1000}; do
  mkdir -p "$scratch/depth-$n"
  read -r n us < <("$bench/bench-linker" depth "$scratch/depth-$n" "$n") || exit 1
  figure "linker: a request of $n messages, $((n - 2)) known" "$us" us
  echo "$us" >>"$scratch/depths"
done
ratio=$(extremes <"$scratch/depths")
figure 'linker: dearest depth to cheapest' "$ratio" ratio '<= 1.5' "$(holds "$ratio <= 1.5")"

mkdir -p "$scratch/stores"
"$bench/bench-linker" store "$scratch/stores" ${BENCH_CALLS:-1000 1000000} >"$scratch/calls" || exit 1
rm -rf "$scratch/stores"
while read -r n us whole; do
  figure "linker: a call, $n calls in the store" "$us" us
  figure "linker: the same with its commit, $n calls" "$whole" us
done <"$scratch/calls"
ratio=$(awk '{ print $2 }' "$scratch/calls" | extremes)
figure 'linker: dearest size to cheapest' "$ratio" ratio '<= 1.5' "$(holds "$ratio <= 1.5")"
ratio=$(awk '{ print $3 }' "$scratch/calls" | extremes)
figure 'linker: the same with commits' "$ratio" ratio '<= 1.5' "$(holds "$ratio <= 1.5")"
