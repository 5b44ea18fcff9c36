#!/bin/bash
#
# bench-recall - every stage at work, and how long a context takes
#
#   BENCH_TURNS    short turns of the throughput run     (60000)
#   BENCH_MANY     turns in the store when contexts are asked for  (100000)
#   BENCH_ASKS     contexts of each kind                 (300)
#
# Turns are the sentences of the labelled sample, said by 50 users in turn with
# numbers and names of their own, so that no two are alike.  The raw limit is
# bench-spine's, in the same run.

. "$(dirname "$0")/lib.sh"
turns=${BENCH_TURNS:-60000}
many=${BENCH_MANY:-100000}
asks=${BENCH_ASKS:-300}

# talk COUNT: entries, a second apart for each user, a new thread now and then
talk() {
  awk -F'\t' -v n="$1" '!/^#/ && NF >= 4 { line[++lines] = $4; gsub(/["\\]/, "", line[lines]) }
    END {
      split("server printer invoice garden database login ticket recipe battery schedule router contract", thing, " ")
      ts = 1700000000000
      for (i = 0; i < n; i++) {
        ts += 4000 + (i % 997 == 0) * 3600000
        printf "{\"user\":\"u%d\",\"channel\":\"web\",\"role\":\"%s\",\"ts\":%.0f,\"text\":\"%s %s %d\"}\n", i % 50, \
          i % 100 < 50 ? "user" : "assistant", ts, line[i * 7919 % lines + 1], thing[i % 12 + 1], i % 4001
      }
    }' classify/data/acts.labelled.tsv
}

skein up >/dev/null || exit 1
talk "$many" >"$scratch/lines"
"$bench/raw-limit" pipeline "$scratch/raw" "$turns" each | awk '{ print $2 }' >"$scratch/raw-each"
rm -rf "$scratch/raw"
raw=$(cat "$scratch/raw-each")
begin=$(now)
head -n "$turns" "$scratch/lines" | skein send --wait >/dev/null || exit 1
rate=$(awk "BEGIN { printf \"%.0f\", $turns / ($(now) - $begin) }")
printf '\n%s short turns, every stage at work, %s processors\n\n' "$turns" "$(nproc)"
printf '%-44s %12s %-12s %-12s %s\n' figure value unit goal met
figure "raw limit" "$raw" entries/s
figure "skein, send to store, every stage" "$rate" turns/s ">= 20000" "$(holds "$rate >= 20000")"
ratio=$(divide "$rate" "$raw")
figure "skein, every stage / raw limit" "$ratio" ratio ">= 0.3" "$(holds "$ratio >= 0.3")"
for stage in ingest classify chainer compactor linker store; do
  pid=$(sed -n 's/^pid //p' "$SKEIN_HOME/run/$stage.status")
  figure "processor time of $stage" "$(awk -v n="$turns" '{ printf "%.1f", ($14 + $15) * 1e6 / 100 / n }' "/proc/$pid/stat")" us/turn
  figure "RssAnon of $stage" "$(divide "$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status")" 1024 1)" MiB
done

tail -n +$((turns + 1)) "$scratch/lines" | skein send --wait >/dev/null || exit 1
# Merging goes on for a moment.
while pgrep -f "skein-merge.*$SKEIN_HOME" >/dev/null; do sleep 0.2; done
skein threads --json --limit 2000 | jq -r .key | shuf -n "$asks" --random-source=<(yes) |
  awk '{ print "context\t--no-used\t--thread\t" $1 }' >"$scratch/threads"
awk -F'\t' '!/^#/ && length($4) > 12 { gsub(/["\\]/, "", $4); print "context\t--no-used\t--query\t" $4 }' classify/data/acts.labelled.tsv |
  head -n "$asks" >"$scratch/queries"
for kind in threads queries; do
  read -r p50 p99 < <("$bench/ask-latency" "$SKEIN_HOME" "$(wc -l <"$scratch/$kind")" <"$scratch/$kind")
  figure "context of $kind, cold, p50" "$p50" us
  figure "context of $kind, cold, p99" "$p99" us "< 5000" "$(holds "$p99 < 5000")"
  # Five times as many: of 300 three that something else held up would be the 99th percentile.
  read -r p50 p99 < <("$bench/ask-latency" "$SKEIN_HOME" "$((5 * $(wc -l <"$scratch/$kind")))" again <"$scratch/$kind")
  figure "context of $kind, cached, p50" "$p50" us
  figure "context of $kind, cached, p99" "$p99" us "< 200" "$(holds "$p99 < 200")"
done
# What the transport alone takes for as many bytes as most of these answers have, on the same machine at the same time.
bytes=$(head -n 21 "$scratch/queries" | cut -f4 | while read -r words; do
  skein context --no-used --json --query "$words" | wc -c
done | median)
read -r p50 p99 < <("$bench/echo-latency" "$SKEIN_HOME" "$((5 * asks))" "$bytes")
figure "ZeroMQ alone, $bytes bytes, p50" "$p50" us
figure "ZeroMQ alone, $bytes bytes, p99" "$p99" us
