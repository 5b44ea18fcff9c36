#!/bin/bash
#
# bench-classify - what classify costs, by part and in the pipeline
#
#   BENCH_TURNS     turns of a pipeline run            (20000)
#   BENCH_ROUNDS    runs of each kind, interleaved     (3)
#   BENCH_DIR       where stores are made              (/tmp)
#
# Parts are measured on the labelled turns (a sentence each, as people type
# them) and on four of them at a time, in processor time and, where valgrind is
# there, in instructions.  In the pipeline the same turns are sent once as a
# user's and once as a tool's, which classify passes through unread.  Prints a
# table with goals, and adds a JSON line per figure to $BENCH_JSON.

. "$(dirname "$0")/lib.sh"
figures='classify: '
program=$bench/bench-classify
turns=${BENCH_TURNS:-20000}
rounds=${BENCH_ROUNDS:-3}
data=classify/data
labelled=$data/acts.labelled.tsv

# ---- parts ----

# us PART JOIN: microseconds a turn, the median of five runs
us() {
  for _ in 1 2 3 4 5; do
    "$program" "$1" 20 "$2" "$data" <"$labelled" | awk '{ printf "%.2f\n", $4 / 20 / $1 }'
  done | median
}

# instructions PART JOIN: a turn
instructions() {
  local count
  count=$("$program" "$1" 1 "$2" "$data" <"$labelled" | awk '{ print $1 }')
  valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measured \
    --callgrind-out-file=/dev/null "$program" "$1" 1 "$2" "$data" <"$labelled" 2>&1 >/dev/null |
    awk -v n="$count" '/Collected/ { printf "%.0f\n", $NF / n }'
}

# part PART NAME [GOAL]: its lines of the table
part() {
  local cost join
  for join in 1 4; do
    cost=$(us "$1" "$join")
    if [[ $join == 1 && -n ${3:-} ]]; then
      figure "$2" "$cost" us/turn "<= $3" "$(holds "$cost <= $3")"
    else
      figure "$2$([[ $join == 1 ]] || echo ", four sentences")" "$cost" us/turn
    fi
    command -v valgrind >/dev/null &&
      figure '' "$(instructions "$1" "$join")" instr/turn
  done
}

mkdir -p "$(dirname "$json")"
"$program" turn 1 1 "$data" <"$labelled" |
  awk '{ printf "classify: %d turns of %.0f bytes on average\n\n", $1, $2 / $1 }'
printf '%-44s %12s %-12s %-12s %s\n' figure value unit goal met
part rules 'rules' 1.5
part model 'the model, when asked' 50
part claims 'claims'
part turn 'all of it' 25
command -v valgrind >/dev/null || echo 'no instruction counts: valgrind is not there'

# ---- in the pipeline ----

lines() { # ROLE
  awk -F'\t' -v n="$turns" -v role="$1" '!/^#/ { gsub(/"/, "\\\"", $4); text[k++] = $4 }
    END { for (i = 0; i < n; i++)
      printf "{\"thread\":\"talk-%d\",\"user\":\"u\",\"role\":\"%s\",\"text\":\"%s\"}\n", i % 50, role, text[i % k] }' \
    "$labelled"
}
ticks() { awk '{ print $14 + $15 }' "/proc/$(sed -n 's/^pid //p' "$SKEIN_HOME/run/classify.status")/stat"; }

# pass ROLE: turns/s through all stages, and classify's processor time a turn
pass() {
  local begin used
  skein down >/dev/null 2>&1
  rm -rf "$SKEIN_HOME"
  skein up >/dev/null || exit 1
  head -1 "$scratch/$1" | skein send --wait >/dev/null || exit 1
  used=$(ticks)
  begin=$(now)
  skein send --wait "$scratch/$1" >/dev/null || exit 1
  awk "BEGIN { printf \"%.0f %.2f\n\", $turns / ($(now) - $begin), ($(ticks) - $used) * 1e6 / $(getconf CLK_TCK) / $turns }"
}

for role in user tool; do lines $role >"$scratch/$role"; done
for ((i = 1; i <= rounds; i++)); do
  for role in user tool; do pass $role >>"$scratch/$role.out"; done
done
median_of() { awk "{ print \$$2 }" "$scratch/$1.out" | median; }
figure 'turns through the pipeline' "$(median_of user 1)" turns/s
figure '  passed through by classify' "$(median_of tool 1)" turns/s
figure '  ratio' "$(awk "BEGIN { printf \"%.2f\", $(median_of user 1) / $(median_of tool 1) }")" of-passing
figure "classify's process" "$(median_of user 2)" us/turn
figure '  passing through' "$(median_of tool 2)" us/turn
