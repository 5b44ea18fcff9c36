#!/bin/bash
#
# bench-spine - speed of the spine, as ratios to the raw limit of this machine
#
#   BENCH_ENTRIES   entries of a throughput run        (100000)
#   BENCH_ROUNDS    runs of each kind, interleaved     (3)
#   BENCH_SECONDS   of a latency run at 1,000/s        (10)
#   BENCH_SOME      entries at the first look at memory  (200000)
#   BENCH_MANY      entries at the second, and at start-up  (1000000)
#   BENCH_DIR       where stores are made: the disk that is measured  (/tmp)
#
# Prints a table with goals, and adds a JSON line per figure to $BENCH_JSON
# (build/bench.json).  Raw and real runs take turns, and medians are compared,
# because machines are noisy.  See raw-limit.c for what the raw limit is.

. "$(dirname "$0")/lib.sh"
entries=${BENCH_ENTRIES:-100000}
rounds=${BENCH_ROUNDS:-3}
seconds=${BENCH_SECONDS:-10}
some=${BENCH_SOME:-200000}
many=${BENCH_MANY:-1000000}
stages="ingest classify chainer compactor linker store"
rate=1000

say() { printf '%s\n' "$*" >&2; }

# lines COUNT: entries of 400 bytes
lines() {
  awk -v n="$1" 'BEGIN {
    x = sprintf("%400s", ""); gsub(/ /, "x", x)
    for (i = 0; i < n; i++) {
      head = "{\"type\":\"turn\",\"user\":\"u" i % 50 "\",\"channel\":\"web\",\"text\":\""
      print head substr(x, 1, 398 - length(head)) "\"}"
    }
  }'
}

# A pipeline whose stages only pass entries on: the spine by itself.
fresh() {
  skein down >/dev/null 2>&1
  rm -rf "$SKEIN_HOME"
  mkdir -p "$SKEIN_HOME"
  sed 's/\(skein-\(classify\|chainer\|compactor\|linker\|store\)\)$/\1 --pass/' "$SKEIN_BIN/../share/stages" >"$SKEIN_HOME/stages"
  skein up >/dev/null || exit 1
}

run_raw() {
  rm -rf "$scratch/raw"
  "$bench/raw-limit" pipeline "$scratch/raw" "$entries" "$1" | awk '{ print $2 }'
  rm -rf "$scratch/raw"
}

run_skein() {
  local begin
  fresh
  head -1 "$scratch/lines" | skein send --wait >/dev/null || exit 1
  begin=$(now)
  skein send --wait "$scratch/lines" >/dev/null || exit 1
  awk "BEGIN { printf \"%.0f\n\", $entries / ($(now) - $begin) }"
}

rss() { awk '/^RssAnon/ { print $2 }' "/proc/$(sed -n 's/^pid //p' "$SKEIN_HOME/run/$1.status")/status"; }

# ---- throughput ----

lines "$entries" >"$scratch/lines"
for ((i = 1; i <= rounds; i++)); do
  run_raw each >>"$scratch/raw-each"
  run_skein >>"$scratch/skein"
  run_raw batch >>"$scratch/raw-batch"
  say "round $i: raw $(tail -1 "$scratch/raw-each") (acks in batches: $(tail -1 "$scratch/raw-batch")), skein $(tail -1 "$scratch/skein") entries/s"
done
each=$(median <"$scratch/raw-each")
batch=$(median <"$scratch/raw-batch")
real=$(median <"$scratch/skein")

printf '%s entries of 400 bytes, %s rounds, %s processors, %s\n\n' "$entries" "$rounds" "$(nproc)" \
  "$(df --output=fstype "$scratch" | tail -1)"
printf '%-44s %12s %-12s %-12s %s\n' figure value unit goal met
figure "raw limit" "$each" entries/s
figure "raw limit, acks in batches" "$batch" entries/s
figure "skein, send to store" "$real" entries/s
ratio=$(divide "$real" "$each")
figure "skein / raw limit" "$ratio" ratio ">= 0.6" "$(holds "$ratio >= 0.6")"
figure "skein / raw limit, acks in batches" "$(divide "$real" "$batch")" ratio

# ---- latency of an ack ----

fresh
for ((i = 1; i <= rounds; i++)); do
  rm -rf "$scratch/raw"
  "$bench/raw-limit" commit "$scratch/raw" $((seconds * rate)) $rate >>"$scratch/lone" || exit 1
  rm -rf "$scratch/raw"
  "$bench/raw-limit" acks "$scratch/raw" $((seconds * rate)) $rate >>"$scratch/raw-acks" || exit 1
  "$bench/ack-latency" $((seconds * rate)) $rate >>"$scratch/acks" || exit 1
done
rm -rf "$scratch/raw"
for p in 50 99; do
  column=$((p == 50 ? 1 : 2))
  lone=$(awk -v c=$column '{ print $c }' "$scratch/lone" | median)
  ack=$(awk -v c=$column '{ print $c }' "$scratch/acks" | median)
  figure "lone commit p$p at $rate/s" "$lone" us
  raw=$(awk -v c=$column '{ print $c }' "$scratch/raw-acks" | median)
  figure "raw limit's ack p$p at $rate/s" "$raw" us
  figure "ack p$p at $rate/s" "$ack" us
  figure "ack / lone commit, p$p" "$(divide "$ack" "$lone")" ratio
  figure "ack / raw limit's ack, p$p" "$(divide "$ack" "$raw")" ratio
done

# ---- memory and start-up with a long log ----

lines "$some" | skein send --wait >/dev/null || exit 1
for stage in $stages; do echo "$stage $(rss "$stage")"; done >"$scratch/rss-some"
lines $((many - some)) | skein send --wait >/dev/null || exit 1
while read -r stage before; do
  after=$(rss "$stage")
  figure "RssAnon of $stage at $some" "$(divide "$before" 1024 1)" MiB "< 32" "$(holds "$before < 32 * 1024")"
  figure "RssAnon of $stage at $many" "$(divide "$after" 1024 1)" MiB "< 32" "$(holds "$after < 32 * 1024")"
  # The longest queue so far stays with malloc, which is a few MiB once; what
  # is kept for each entry would show as far more.
  figure "growth of $stage" "$(divide $((after - before)) 1024 1)" MiB "<= 8" "$(holds "$after - $before <= 8192")"
done <"$scratch/rss-some"

for ((i = 1; i <= rounds; i++)); do
  skein down >/dev/null || exit 1
  begin=$(now)
  skein up >/dev/null || exit 1
  awk "BEGIN { printf \"%.2f\n\", $(now) - $begin }" >>"$scratch/start"
done
start=$(median <"$scratch/start")
figure "start-up with $many entries, all ready" "$start" s "< 1" "$(holds "$start < 1")"
