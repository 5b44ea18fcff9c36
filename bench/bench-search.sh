#!/bin/bash
#
# bench-search - the search index beside SQLite FTS5 on the same turns
#
#   BENCH_SEARCH    turns, several sizes  (100000 1000000)
#   BENCH_QUERIES   of each length; 0: 100, and 40 from a million turns on, where
#                   FTS5 takes seconds for one  (0)
#   BENCH_DIR       where stores are made  (/tmp)
#
# Turns go through the durable pipeline, whose stages before the store pass them
# on; then `rebuild --from store` has the store stage make its index from the log
# while the others run: that is the rate, from its start on.  Against it FTS5 inserts as many rows a
# commit, both by the clock; processor time of both beside it, for when others
# are at work.  Bytes on disk, without the text in both.  Processor time of
# queries of 1 to 8 words, at the length where the two are nearest: of a search
# as it is, with likeness, and by words alone, which is what FTS5 does; both rank
# with the turns around and read the hits.  Without SQLite only our own figures.
# Adds to $BENCH_JSON.

. "$(dirname "$0")/lib.sh"
figures='search '

# passing: a home whose stages before the store only pass entries on
passing() {
  mkdir -p -m 700 "$SKEIN_HOME"
  sed -E "s#^(classify|chainer|compactor|linker)( +y +).*#\1\2$bench/bench-search pass \1#" scripts/stages |
    grep -E '^(ingest|classify|chainer|compactor|linker|store) ' >"$SKEIN_HOME/stages"
}

spent() { awk '{ print $14 + $15 }' "/proc/$(sed -n 's/^pid //p' "$SKEIN_HOME/run/store.status")/stat"; }

# lived: seconds since the store stage was started, which a rebuild begins with
lived() {
  awk -v hz="$(getconf CLK_TCK)" 'NR == 1 { up = $1 } NR == 2 { print up - $22 / hz }' /proc/uptime \
    "/proc/$(sed -n 's/^pid //p' "$SKEIN_HOME/run/store.status")/stat"
}

# merged: nothing is left to merge
merged() {
  until flock -n "$SKEIN_HOME/db/segments/lock" true; do sleep 0.2; done
  "$SKEIN_BIN/skein-merge" --home "$SKEIN_HOME"
}

# column WHO FIELD: the median over 1 to 8 words of p50 (3) or p99 (4)
column() { awk -v who="$1" -v f="$2" '$1 == who { print $f }' "$scratch/asked" | median; }
# nearest WHO FIELD: FTS5's to ours at the number of words where that is least
nearest() {
  awk -v who="$1" -v f="$2" '{ v[$1, $2] = $f; if ($2 > n) n = $2 }
    END { for (i = 1; i <= n; i++) { r = v["fts5", i] / v[who, i]; if (i == 1 || r < m) m = r }
      printf "%.1f", m }' "$scratch/asked"
}

for n in ${BENCH_SEARCH:-100000 1000000}; do
  export SKEIN_HOME=$scratch/h$n
  queries=${BENCH_QUERIES:-0}
  ((queries > 0)) || queries=$((n < 1000000 ? 100 : 40))
  passing
  skein up >/dev/null || exit 1
  "$bench/bench-search" feed "$n" | skein send --wait >/dev/null || exit 1
  skein rebuild --from store >/dev/null || exit 1
  took=$(lived)
  cost=$(awk -v t="$(spent)" -v hz="$(getconf CLK_TCK)" -v n="$n" 'BEGIN { printf "%.1f", t / hz * 1e6 / n }')
  rate=$(divide "$n" "$took" 0)
  merged
  skein down >/dev/null
  bytes=$(find "$SKEIN_HOME/db/segments" -name '*.seg' -printf '%s\n' | awk '{ n += $1 } END { print n }')
  vectors=$(find "$SKEIN_HOME/db/segments" -name '*.vec' -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')
  figure "$n turns: index rate in the pipeline" "$rate" turns/s
  figure "$n turns: processor time of the store stage" "$cost" us/turn
  figure "$n turns: index" "$bytes" bytes
  figure "$n turns: vectors beside it" "$vectors" bytes
  if fts=$("$bench/bench-search" fts "$scratch/fts$n.db" "$n"); then
    read -r fts_took fts_spent fts_bytes <<<"$fts"
    fts_rate=$(divide "$n" "$fts_took" 0)
    fts_cost=$(awk "BEGIN { printf \"%.1f\", $fts_spent * 1e6 / $n }")
    figure "$n turns: FTS5's rate" "$fts_rate" turns/s
    figure "$n turns: rate to FTS5's" "$(divide "$rate" "$fts_rate")" ratio '>= 1' "$(holds "$rate >= $fts_rate")"
    figure "$n turns: processor time of FTS5" "$fts_cost" us/turn
    figure "$n turns: FTS5's processor time to ours" "$(divide "$fts_cost" "$cost")" ratio
    figure "$n turns: FTS5's index" "$fts_bytes" bytes
    figure "$n turns: size to FTS5's" "$(divide "$bytes" "$fts_bytes")" ratio '<= 1' "$(holds "$bytes <= $fts_bytes")"
    "$bench/bench-search" ask "$queries" "$scratch/fts$n.db" >"$scratch/asked" || exit 1
    for p in '3 p50' '4 p99'; do
      read -r f name <<<"$p"
      ours=$(column skein "$f") theirs=$(column fts5 "$f")
      figure "$n turns: query $name" "$ours" us
      figure "$n turns: FTS5's query $name" "$theirs" us
      figure "$n turns: FTS5's $name to ours, least" "$(nearest skein "$f")" ratio '>= 2' "$(holds "$(nearest skein "$f") >= 2")"
      figure "$n turns: the same by words alone, least" "$(nearest words "$f")" ratio '>= 2' "$(holds "$(nearest words "$f") >= 2")"
    done
  else
    "$bench/bench-search" ask "$queries" >"$scratch/asked" || exit 1
    figure "$n turns: query p50" "$(column skein 3)" us
    figure "$n turns: query p99" "$(column skein 4)" us
  fi
  cat "$scratch/asked" >&2
  rm -rf "$SKEIN_HOME" "$scratch/fts$n.db"
done
