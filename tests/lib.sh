# lib.sh - for tests that run the real pipeline; sourced by tests/s-*.sh
#
# Each test has a home of its own in a scratch folder, gone at its end with
# every process it started.  Checks print TAP; waits are on a condition with a
# deadline, never a bare sleep.

set -u
unset CDPATH  # with it, cd prints where it went
: "${SKEIN_BIN:=build/bin}"
SKEIN_BIN=$(cd "$SKEIN_BIN" && pwd) || exit 1
SKEIN_TESTBIN=$(cd "$SKEIN_BIN/../tests" && pwd) || exit 1
TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=$SKEIN_BIN:$PATH
# Nothing of the caller's settings may leak into a test.
for v in $(compgen -e SKEIN_); do
  case $v in SKEIN_BIN | SKEIN_TESTBIN) ;; *) unset "$v" ;; esac
done
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/skein-test.XXXXXX") || exit 1
export SKEIN_HOME=$SCRATCH/home
export SKEIN_TICK_INTERVAL=0   # silence must not write entries of its own
export LC_ALL=C.UTF-8
tests=0
failed=0

cleanup() {
  local home
  for home in "$SCRATCH"/*/; do
    [[ -e $home/run/supervisor.pid ]] && skein --home "$home" down >/dev/null 2>&1
  done
  rm -rf "$SCRATCH"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# ok NAME COMMAND...: passes when the command succeeds
ok() {
  local name=$1
  shift
  tests=$((tests + 1))
  if "$@"; then
    echo "ok $tests - $name"
  else
    echo "not ok $tests - $name"
    failed=$((failed + 1))
  fi
}

# silent COMMAND...: without what it prints; for ok, whose own line must be seen
silent() { "$@" >/dev/null 2>&1; }

# is GOT WANT NAME
is() {
  tests=$((tests + 1))
  if [[ $1 == "$2" ]]; then
    echo "ok $tests - $3"
  else
    echo "not ok $tests - $3"
    printf '#   got:  %s\n#   want: %s\n' "${1//$'\n'/$'\n'#         }" "${2//$'\n'/$'\n'#         }"
    failed=$((failed + 1))
  fi
}

# like GOT PATTERN NAME: an extended regular expression
like() {
  tests=$((tests + 1))
  if [[ $1 =~ $2 ]]; then
    echo "ok $tests - $3"
  else
    echo "not ok $tests - $3"
    printf '#   got:  %s\n#   want: %s\n' "${1//$'\n'/$'\n'#         }" "$2"
    failed=$((failed + 1))
  fi
}

# sanitized: the programs were built with the address sanitizer
sanitized() { grep -q __asan_init "$SKEIN_BIN/skein-ingest"; }

skip_all() {
  echo "1..0 # SKIP $1"
  exit 0
}

done_testing() {
  echo "1..$tests"
  exit $((failed > 0))
}

# wait_for SECONDS COMMAND...: until it succeeds; 1 when the time is over
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    read -rt 0.05 <> <(:) || :
  done
}

up() {
  skein up "$@" >"$SCRATCH/up.out" 2>&1 || {
    sed 's/^/# /' "$SCRATCH/up.out"
    return 1
  }
}

down() { skein down >/dev/null 2>&1; }

# The pid of a stage, from its status file.
stage_pid() { sed -n 's/^pid //p' "$SKEIN_HOME/run/$1.status"; }

# supervised STAGE NAME: what the supervisor says of a stage
supervised() {
  awk -v stage="$1" -v name="$2" '$1 == "stage" && $2 == stage {
    for (i = 3; i < NF; i += 2) if ($i == name) print $(i + 1) }' \
    "$SKEIN_HOME/run/supervisor.status" 2>/dev/null
}
holds() { [[ $(supervised "$1" "$2") == "$3" ]]; }

# Everything in the digest, as one comparable text.
digest() { skein digest; }
