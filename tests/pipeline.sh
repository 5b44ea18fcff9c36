# pipeline.sh - for tests that disturb a pipeline and look what is left
#
# Sourced instead of lib.sh.  The test stage with real tables stands in for
# chainer; restarts come at once; nothing is killed for being slow.

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

STAGES=(ingest classify chainer compactor linker store)
export SKEIN_RESTART_DELAY_MIN=10 SKEIN_RESTART_DELAY_MAX=50 SKEIN_WATCHDOG=0
: "${PATIENCE:=60}"   # seconds: only a broken pipeline ever waits that long

# new_home NAME: a home of that name, with the test stage in it
new_home() {
  export SKEIN_HOME=$SCRATCH/$1
  mkdir -p -m 700 "$SKEIN_HOME"
  sed "s#skein-chainer#'$SKEIN_TESTBIN/probe-stage'#" "$TESTS/../scripts/stages" \
    >"$SKEIN_HOME/stages"
}

# start: up, or the end of the test: no wait may run into a dead pipeline
start() {
  up && return
  echo 'Bail out! the pipeline does not start'
  exit 1
}

# entries COUNT [NAME=VALUE...]: JSON lines; see entries.awk
entries() {
  local count=$1 v vars=()
  shift
  for v; do vars+=(-v "$v"); done
  awk -v n="$count" "${vars[@]}" -f "$TESTS/entries.awk"
}

# send FILE RESULTS: all of it, until the store has it; refusals are expected
send() {
  skein send --wait "$1" >"$2" 2>"$2.err"
  (($? <= 1)) && [[ ! -s $2.err ]] && return
  sed 's/^/# /' "$2.err"
  return 1
}

# undisturbed NAME FILE: sends FILE in a home of its own; its results go to
# SCRATCH/NAME.acks, its digest to SCRATCH/NAME.digest
undisturbed() {
  local before=$SKEIN_HOME
  new_home "$1"
  up && send "$2" "$SCRATCH/$1.acks" && down || return 1
  digest >"$SCRATCH/$1.digest"
  export SKEIN_HOME=$before
}

# A stage that is stopped may be a moment behind in its own tables: what is
# compared is always the store at rest.
same_digest() {
  diff <(digest) "$SCRATCH/$1.digest" >"$SCRATCH/diff" && return
  head -n 6 "$SCRATCH/diff" | sed "s,^,#   ,"
  return 1
}

same_file() {
  cmp -s "$1" "$2" && return
  diff "$1" "$2" | head -4 | cut -c1-150 | sed "s,^,#   ,"
  return 1
}

check_quietly() {
  skein check >"$SCRATCH/check" 2>&1 && return
  head -n 20 "$SCRATCH/check" | sed 's/^/#   /'
  return 1
}

# sound NAME: `skein check` finds nothing wrong
sound() {
  if ! skein help | grep -q '^  check '; then
    echo "ok $((++tests)) - $1 # SKIP there is no skein check"
    return
  fi
  ok "$1" check_quietly
}

status_of() { sed -n "s/^$2 //p" "$SKEIN_HOME/run/$1.status" 2>/dev/null; }

# is_ready STAGE [OLD]: it runs, ready, and is not the process OLD
is_ready() {
  local pid
  pid=$(status_of "$1" pid)
  [[ -n $pid && $pid != "${2-}" && $(status_of "$1" state) == ready ]] &&
    kill -0 "$pid" 2>/dev/null
}

# kill_stage STAGE: as it runs, with SIGKILL; its pid into killed
kill_stage() {
  wait_for "$PATIENCE" is_ready "$1" || return 1
  killed=$(status_of "$1" pid)
  kill -KILL "$killed"
}

# Where a stage stands, by its own word.
at_seq() { (($(status_of "$1" cursor) >= $2)) 2>/dev/null; }

count_log() { grep -c -- "$2" "$SKEIN_HOME/log/$1.log" 2>/dev/null; }
