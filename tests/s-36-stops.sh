#!/bin/bash
#
# A stage that is stopped, one that is started last, a monitor that never
# reads: the others do not wait for it, and in the end nothing is missing.

: "${STOPS_ENTRIES:=6000}" "${STOPS_SECONDS:=2}"
. "$(dirname "$0")/pipeline.sh"

entries "$STOPS_ENTRIES" >"$SCRATCH/in"
undisturbed calm "$SCRATCH/in" || { echo 'Bail out! no undisturbed run'; exit 1; }
last=$(sed -n 's/.*"seq":\([0-9]*\).*/\1/p' "$SCRATCH/calm.acks" | sort -n | tail -1)

# taken FILE: every entry has its result, whether later stages are there or not
taken() {
  skein send "$1" >"$SCRATCH/acks" 2>"$SCRATCH/acks.err"
  [[ $(wc -l <"$SCRATCH/acks") == "$(wc -l <"$1")" && ! -s $SCRATCH/acks.err ]]
}

# ---- stopped, each in its turn

split -d -n l/4 "$SCRATCH/in" "$SCRATCH/part."
new_home stopped
start
part=0
for stage in classify chainer store; do
  wait_for "$PATIENCE" is_ready "$stage"
  pid=$(status_of "$stage" pid)
  kill -STOP "$pid"
  at=$(status_of "$stage" cursor)
  ok "$stage stopped: entries are taken" taken "$SCRATCH/part.0$part"
  read -rt "$STOPS_SECONDS" <> <(:)
  is "$(status_of "$stage" cursor)" "$at" "$stage stopped: it stands still"
  kill -CONT "$pid"
  part=$((part + 1))
done

# ingest too: its client waits, and is served afterwards.
pid=$(status_of ingest pid)
kill -STOP "$pid"
taken "$SCRATCH/part.0$part" &
client=$!
read -rt "$STOPS_SECONDS" <> <(:)
ok 'ingest stopped: the client waits' kill -0 "$client"
kill -CONT "$pid"
ok 'ingest stopped: the client has its results in the end' wait "$client"
ok 'the store catches up' wait_for "$PATIENCE" at_seq store "$last"
down
ok 'same digest' same_digest calm
sound 'skein check is clean'

# ---- a stage that no longer answers is killed and started again

export SKEIN_WATCHDOG=2
new_home mute
start
pid=$(status_of linker pid)
kill -STOP "$pid"
ok 'linker is mute: entries are taken' taken "$SCRATCH/in"
ok 'the watchdog starts another one' \
  wait_for "$PATIENCE" is_ready linker "$pid"
ok 'the store catches up' wait_for "$PATIENCE" at_seq store "$last"
down
export SKEIN_WATCHDOG=0
ok 'same digest' same_digest calm

# ---- started last: the table lacks them, then has them

for late in chainer store ingest; do
  new_home "late-$late"
  cp "$SKEIN_HOME/stages" "$SCRATCH/table"
  grep -v "^$late " "$SCRATCH/table" >"$SKEIN_HOME/stages"
  start
  taken "$SCRATCH/in" &
  client=$!
  [[ $late == ingest ]] || wait "$client"
  cp "$SCRATCH/table" "$SKEIN_HOME/stages"
  skein-supervise reload
  ok "$late comes last: it is ready" wait_for "$PATIENCE" is_ready "$late"
  [[ $late == ingest ]] && ok 'the client that was first is served' wait "$client"
  ok "$late comes last: the store catches up" \
    wait_for "$PATIENCE" at_seq store "$last"
  down
  ok "$late comes last: same digest" same_digest calm
done

# ---- a monitor that subscribes to all and reads nothing

new_home deaf
start
"$SKEIN_TESTBIN/deaf-tap" >"$SCRATCH/deaf.out" &
deaf=$!
wait_for "$PATIENCE" test -s "$SCRATCH/deaf.out"
ok 'a deaf tap: entries pass' send "$SCRATCH/in" "$SCRATCH/acks"
frames() { [[ -n $(status_of "$1" count.frames) ]]; }
ok 'frames were made for it' wait_for "$PATIENCE" frames ingest
{ kill -KILL "$deaf"; wait "$deaf"; } 2>/dev/null

down
ok 'same digest' same_digest calm
start

# ---- and one that is stopped while it reads

if [[ -x $SKEIN_BIN/skein-tap ]]; then
  skein tap >"$SCRATCH/tap.out" 2>&1 &
  tap=$!
  kill -STOP "$tap"
  ok 'a stopped tap: entries pass' send "$SCRATCH/in" "$SCRATCH/again"
  { kill -KILL "$tap"; wait "$tap"; } 2>/dev/null
fi
down
is "$(find "$SKEIN_HOME/run" ! -type d ! -name '*.lock')" '' 'nothing but locks is left in the run folder'
sound 'skein check is clean after taps'
done_testing
