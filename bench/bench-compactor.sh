#!/bin/bash
#
# bench-compactor - what a turn costs the compactor, and what history costs it
#
#   BENCH_TURNS     turns of a run                      (20000)
#   BENCH_ROUNDS    runs of each kind, interleaved      (3)
#   BENCH_GROWTH    how many times as much history      (8)
#   BENCH_DIR       where stores are made               (/tmp)
#
# The turns are those of the labelled dialogues (compactor/eval), over and over,
# each time as another thread of one user.  The stage is measured against itself
# with --pass, which says nothing about any entry; then with so many times the
# history, and with all turns in one thread.  Adds to $BENCH_JSON.

. "$(dirname "$0")/lib.sh"
figures='compactor: '
turns=${BENCH_TURNS:-20000}
rounds=${BENCH_ROUNDS:-3}
growth=${BENCH_GROWTH:-8}

# feed TURNS THREAD: THREAD many, or one
feed() {
  awk -v n="$1" -v one="$2" '
    BEGIN { k = 0 }
    /^[UA] / && !/\t/ {
      role[k] = /^U/ ? "user" : "assistant"
      sub(/^[UA] [^ ]+ /, ""); gsub(/\[\[|\]\]/, ""); gsub(/\\/, "\\\\"); gsub(/"/, "\\\"")
      text[k++] = $0
    }
    END {
      for (i = 0; i < n; i++)
        printf "{\"user\":\"bench\",\"thread\":\"t%d\",\"role\":\"%s\",\"ts\":%.0f,\"text\":\"%s\"}\n",
          one == "one" ? 0 : i / 8, role[i % k], 1700000000000 + i * 60000, text[i % k]
    }' compactor/eval/{code,support,mixed,none}.txt
}

pid() { sed -n 's/^pid //p' "$SKEIN_HOME/run/compactor.status"; }
ticks() { awk '{ print $14 + $15 }' "/proc/$(pid)/stat"; }
# Its own memory: the pages of the stores are the system's to keep or drop.
private() { awk '/^RssAnon/ { print $2 }' "/proc/$(pid)/status"; }

# pass KIND TURNS FEED: turns/s of all stages, processor time a turn in
# microseconds, anonymous memory in KiB
pass() {
  local begin used
  skein down >/dev/null 2>&1
  rm -rf "$SKEIN_HOME"
  mkdir -p -m 700 "$SKEIN_HOME"
  [[ $1 == own ]] || sed 's/\(skein-compactor\)$/\1 --pass/' "$SKEIN_BIN/../share/stages" >"$SKEIN_HOME/stages"
  skein up >/dev/null || exit 1
  used=$(ticks)
  begin=$(now)
  skein send --wait "$scratch/$3" >/dev/null || exit 1
  awk "BEGIN { printf \"%.0f %.2f %d\n\", $2 / ($(now) - $begin), ($(ticks) - $used) * 1e6 / $(getconf CLK_TCK) / $2, $(private) }"
}

feed "$turns" many >"$scratch/feed"
feed "$turns" one >"$scratch/one"
for ((i = 1; i <= rounds; i++)); do
  for kind in own pass; do pass $kind "$turns" feed >>"$scratch/$kind.out"; done
done
median_of() { awk "{ print \$$2 }" "$scratch/$1.out" | median; }
printf '%-44s %12s %-12s %-12s %s\n' figure value unit goal met
figure 'turns through the pipeline' "$(median_of own 1)" turns/s
figure '  with the compactor passing' "$(median_of pass 1)" turns/s
ratio=$(divide "$(median_of own 1)" "$(median_of pass 1)")
figure '  ratio' "$ratio" of-passing
figure 'a turn' "$(median_of own 2)" us
figure '  passing it' "$(median_of pass 2)" us
figure '  ratio' "$(divide "$(median_of own 2)" "$(median_of pass 2)" 1)" to-passing

more=$((turns * growth))
pass own "$turns" one >"$scratch/one.out"
figure 'a turn of one endless thread' "$(median_of one 2)" us
feed "$more" one >"$scratch/one"
pass own "$more" one >"$scratch/longer.out"
figure "  $growth times as long" "$(median_of longer 2)" us
ratio=$(divide "$(median_of longer 2)" "$(median_of one 2)")
figure '  ratio' "$ratio" ratio '<= 1.5' "$(holds "$ratio <= 1.5")"
feed "$more" many >"$scratch/feed"
pass own "$more" feed >"$scratch/more.out"
figure "a turn, $growth times the history" "$(median_of more 2)" us
ratio=$(divide "$(median_of more 2)" "$(median_of own 2)")
figure '  ratio' "$ratio" ratio '<= 1.5' "$(holds "$ratio <= 1.5")"
figure 'memory of its own' "$(median_of own 3)" KiB
figure "  $growth times the history" "$(median_of more 3)" KiB
ratio=$(divide "$(median_of more 3)" "$(median_of own 3)")
figure '  ratio' "$ratio" ratio '<= 1.3' "$(holds "$ratio <= 1.3")"
