# lib.sh - what the benchmarks share; sourced by bench/bench-*.sh
#
# A scratch home that goes at the end with all that runs on it, nothing of the
# caller's settings, and a line of the table and of $BENCH_JSON per figure.

set -u
unset CDPATH  # with it, cd prints where it went
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
: "${SKEIN_BIN:=build/bin}"
SKEIN_BIN=$(cd "$SKEIN_BIN" && pwd) || exit 1
bench=$(cd "$SKEIN_BIN/../bench" && pwd) || exit 1
json=${BENCH_JSON:-build/bench.json}
mkdir -p "$(dirname "$json")" || exit 1

PATH=$SKEIN_BIN:$PATH
for v in $(compgen -e SKEIN_); do [[ $v == SKEIN_BIN ]] || unset "$v"; done
export LC_ALL=C SKEIN_TICK_INTERVAL=0
scratch=$(mktemp -d "${BENCH_DIR:-/tmp}/skein-bench.XXXXXX") || exit 1
export SKEIN_HOME=$scratch/h

cleanup() {
  skein down >/dev/null 2>&1
  rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# figure NAME VALUE UNIT [GOAL HOLDS]; $figures names the benchmark in the JSON
figure() {
  printf '%-44s %12s %-12s %-12s %s\n' "$1" "$2" "$3" "${4:-}" "${5:-}"
  printf '{"name":"%s%s","value":%s,"unit":"%s","goal":"%s","met":%s}\n' "${figures:-}" "$1" \
    "$(case $2 in *inf* | *nan*) echo null ;; *) echo "$2" ;; esac)" "$3" "${4:-}" \
    "$(case ${5:-} in yes) echo true ;; no) echo false ;; *) echo null ;; esac)" >>"$json"
}

holds() { awk "BEGIN { print ($1) ? \"yes\" : \"no\" }"; }
divide() { awk "BEGIN { printf \"%.${3:-2}f\", $1 / $2 }"; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
now() { date +%s.%N; }
