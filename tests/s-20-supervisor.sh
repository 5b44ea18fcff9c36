#!/bin/bash
#
# s-20-supervisor - the supervisor keeps its promises to stages and people
#
# Real processes in a scratch home; the stages are tests/dummy-stage.sh.  Every
# wait is for a condition, with a deadline.

. "$(dirname "$0")/lib.sh"

supervise=$TESTS/../scripts/skein-supervise
ln -s "$TESTS/dummy-stage.sh" "$SCRATCH/"
dummy=$SCRATCH/dummy-stage.sh  # where the path has no blanks

# Not exported, or we would take ourselves for a process of that home.
unset SKEIN_HOME
SKEIN_HOME="$SCRATCH/a home"
export SKEIN_STAGES=$SCRATCH/stages
export SKEIN_RESTART_DELAY_MIN=100 SKEIN_RESTART_DELAY_MAX=400
export SKEIN_RESTART_RESET=10 SKEIN_WATCHDOG=2 SKEIN_STOP_GRACE=2

leave() {
  local pid

  silent s down
  for pid in $(ours); do
    kill -KILL "$pid" 2>/dev/null
  done
  mountpoint -q "$SCRATCH/small" && umount "$SCRATCH/small"
  cleanup
}
trap leave EXIT

# has GOT PART NAME
has() {
  ok "$3" test "${1#*"$2"}" != "$1"
  [[ $1 == *"$2"* ]] || printf '#   got %s\n' "${1@Q}"
}

s() { "$supervise" --home "$SKEIN_HOME" --timeout 10 "$@"; }

moved() { [[ $(supervised "$1" "$2") != "$3" ]]; }
logged() { grep -q -- "$1" "$SKEIN_HOME/log/supervisor.log"; }

# ours - every process of this test's home
ours() {
  local dir
  for dir in /proc/[0-9]*; do
    tr '\0' '\n' 2>/dev/null <"$dir/environ" | grep -qxF "SKEIN_HOME=$SKEIN_HOME" &&
      echo "${dir#/proc/}"
  done
}
nobody() { [[ -z $(ours) ]]; }
# gone PID - dead; whether its new parent has reaped it is not our business
gone() { ! grep -qs '^State:[[:space:]]*[A-WYt]' "/proc/$1/status"; }
command_in_table() {
  awk -v n="$1" '$1 == n { sub(/^[^ ]+ +[yn] +/, ""); print }' "$SKEIN_HOME/stages"
}

cat >"$SKEIN_STAGES" <<END
# the stages of this test
one    y  $dummy one
two    y  $dummy two --word "a b" 'c"d'
three  n  $dummy three
END

# ------------------------------------------------------------------ start

out=$(s down); is "$? $out" '0 not running' 'down before up says so'
out=$(s up 2>&1); is $? 0 'up succeeds'
has "$out" 'two          up ' 'and names each stage'
is "$(stat -c %a "$SKEIN_HOME" "$SKEIN_HOME/run" "$SKEIN_HOME/log" | tr '\n' ' ')" \
  '700 700 700 ' 'its folders are closed to others'
is "$(paste -sd' ' "$SKEIN_HOME/two.args")" '--word a b c"d' \
  'quoted words of the table arrive whole'
supervisor=$(<"$SKEIN_HOME/run/supervisor.pid")
ok 'three is ready in the end' wait_for 5 holds three state up
pid=$(supervised one pid)
is "$(awk '/^PPid/ { print $2 }' "/proc/$pid/status")" "$supervisor" \
  'a stage is a direct child'
is "$(find "/proc/$pid/fd" -lname '*supervisor.lock' -o -lname '*control')" '' \
  'and holds neither the lock nor the control FIFO'
is "$(find "/proc/$pid/fd" -lname '*lifeline*' -printf '%f %M ')" \
  '3 lr-x------ ' 'of the lifeline it holds the reading end'

out=$(s up 2>&1); is $? 1 'a second up is refused'
has "$out" "already, pid $supervisor" 'with the pid of the first'
out=$(s run 2>&1); is $? 1 'a second supervisor is refused'

# ------------------------------------------------------- deaths and returns

pid=$(supervised one pid)
kill -KILL "$pid"
ok 'a killed stage comes back' wait_for 5 moved one pid "$pid"
ok 'and is ready' wait_for 5 holds one state up
is "$(supervised one restarts) $(supervised one last_exit)" '1 SIGKILL' \
  'the death is counted and named'
kill -TERM "$(supervised one pid)"
ok 'a stage that ends unasked comes back too' wait_for 5 holds one restarts 2

pid=$(supervised two pid)
s restart two; is $? 0 'restart succeeds'
ok 'with another pid' test "$(supervised two pid)" != "$pid"
is "$(supervised two restarts) $(supervised two state)" '0 up' \
  'ready, and not counted as a failure'
out=$(s restart nobody 2>&1); is $? 1 'an unknown stage is refused'
has "$out" 'one two three' 'and the known ones are named'

echo refuse >"$SKEIN_HOME/two.mode"
out=$(s restart two 2>&1); is $? 1 'restart reports a refusal'
has "$out" 'this setting is wrong' 'and shows the last lines of its log'
is "$(supervised two state) $(supervised two pid) $(supervised two last_exit)" 'refused 0 100' \
  'exit 100 stays down and is recorded'
out=$(s --timeout 0 ready 2>&1); is $? 1 'ready says no'

echo retry >"$SKEIN_HOME/two.mode"
echo 'start two' 1<>"$SKEIN_HOME/run/control"
ok 'exit 111 is tried again and again' wait_for 10 eval '(($(supervised two restarts) >= 4))'
for delay in 100 200 400; do
  ok "after $delay ms" logged "two: exit 111, next start in $delay ms"
done
ok 'never later than the longest delay' eval '! logged "start in 800 ms"'
rm "$SKEIN_HOME/two.mode"
ok 'until it succeeds' wait_for 5 holds two state up

s stop three; is "$? $(supervised three state)" '0 stopped' 'stop leaves a stage down'
s start three; is "$? $(supervised three state)" '0 up' 'start takes it up again'

# ---------------------------------------------------------------- watchdog

before=$(supervised one restarts) pid=$(supervised one pid)
kill -STOP "$pid"
echo mute >"$SKEIN_HOME/three.mode"
echo 'restart three' 1<>"$SKEIN_HOME/run/control"
ok 'a stopped stage is killed and restarted' wait_for 6 moved one pid "$pid"
ok 'it is counted' wait_for 5 holds one restarts $((before + 1))
ok 'and logged' logged 'one: no beat for 2 s'
ok 'a stage that never wrote a status as well' wait_for 6 logged 'three: no beat for 2 s'
rm "$SKEIN_HOME/three.mode"

# ----------------------------------------------------------------- control

# shellcheck disable=SC2016
{
  printf 'restart\nrestart nobody\nrestart one two\nfrobnicate\n\n\1\2\377\n'
  printf 'stop $(touch %s)\n' "$SCRATCH/owned"
  printf 'stop x[$(touch %s)]\nstop @\nstop *\n' "$SCRATCH/owned"
  head -c 20000 /dev/zero | tr '\0' x
  printf '\nresta'
} 1<>"$SKEIN_HOME/run/control"
ok 'an overlong line is dropped' wait_for 5 logged 'line too long'
ok 'garbage is answered in the log' logged 'not understood: frobnicate'
ok 'and never executed' test ! -e "$SCRATCH/owned"
pid=$(supervised one pid)
echo 'rt one' 1<>"$SKEIN_HOME/run/control"
ok 'a line that comes in two parts is one line' wait_for 5 moved one pid "$pid"
ok 'the supervisor is the same' test "$(<"$SKEIN_HOME/run/supervisor.pid")" = "$supervisor"

# ------------------------------------------------------------------- table

pids="$(supervised one pid) $(supervised two pid)"
cp "$SKEIN_HOME/stages" "$SCRATCH/good"
printf 'four maybe x\none y again\nfive y "open\nsix y\n' >>"$SKEIN_HOME/stages"
out=$(s reload 2>&1); is $? 1 'a broken table is refused'
has "$out" "$SKEIN_HOME/stages:5: second column must be y or n, not 'maybe'" \
  'by file, line and reason: a wrong column'
has "$out" ':6: a second line for one' 'a name twice'
has "$out" ':7: unfinished quote at: "open' 'an open quote'
has "$out" ':8: no command' 'no command'
echo reload 1<>"$SKEIN_HOME/run/control"
ok 'the supervisor refuses it as well' wait_for 5 logged 'stages: not taken'
is "$(supervised one pid) $(supervised two pid)" "$pids" 'what runs keeps running'
{ grep -v ^three "$SCRATCH/good"; echo "four n $dummy four"; } >"$SKEIN_HOME/stages"
s reload; is $? 0 'a changed table is taken'
ok 'a new stage starts' wait_for 5 holds four state up
ok 'a missing one ends' wait_for 5 holds three state ''
is "$(supervised one pid) $(supervised two pid)" "$pids" 'the others keep running'
cp "$SCRATCH/good" "$SKEIN_HOME/stages"
s reload
ok 'and back' wait_for 5 holds three state up

# ----------------------------------------------------------------- replace

pid=$(supervised two pid)
out=$(cd "$TESTS" && s replace two ./dummy-stage.sh two --other 2>&1)
is $? 0 'replace succeeds'
ok 'another process runs' test "$(supervised two pid)" != "$pid"
is "$(tail -n 1 "$SKEIN_HOME/two.args")" '--other' 'with the new command'
out=$(s replace two -- no-such-program 2>&1); is $? 1 'a missing command is refused'
has "$out" 'command not found: no-such-program' 'by name'
out=$(s replace nine -- true 2>&1); is $? 1 'an unknown stage too'
out=$(s replace two --exec no-such-filter 2>&1); is $? 1 'and a missing filter'
is "$(tail -n 1 "$SKEIN_HOME/two.args")" '--other' 'what ran runs on'

s down >/dev/null; is $? 0 'down succeeds'
ok 'nothing is left running' nobody
is "$(ls "$SKEIN_HOME/run")" 'supervisor.lock' 'nor in the run folder'
out=$(s replace three --exec python3 -c 'print("it'\''s")')
is $? 0 'replace works without a supervisor'
has "$(command_in_table three)" 'skein-three --exec ' 'a filter becomes --exec'
cp "$(type -P true)" "$SCRATCH/a filter"
s replace three --exec "$SCRATCH/a filter" >/dev/null
has "$(command_in_table three)" "'\\''$SCRATCH/a filter'\\'''" \
  'also one with a blank in its path'
out=$(s replace three --back); is $? 0 'replace --back succeeds'
is "$(command_in_table three)" "$dummy three" 'and restores the shipped line'

# ---------------------------------------------------- the supervisor's death

: >"$SKEIN_HOME/two.args"
s up >/dev/null; is $? 0 'up again'
is "$(cat "$SKEIN_HOME/two.args")" '--other' 'a replacement survives down and up'
s replace two --back >/dev/null
is "$(command_in_table two)" "$dummy two --word \"a b\" 'c\"d'" 'and can be undone'
supervisor=$(<"$SKEIN_HOME/run/supervisor.pid")
pid=$(supervised three pid)
kill -STOP "$pid"
kill -KILL "$supervisor"
ok 'kill -9 of the supervisor ends its stages' \
  wait_for 2 eval 'gone $(supervised one pid) && gone $(supervised two pid)'
ok 'a stopped one is still there' kill -0 "$pid"
s up >/dev/null; is $? 0 'the next supervisor starts'
ok 'and clears it away' gone "$pid"

echo deaf >"$SKEIN_HOME/one.mode"
s restart one
pid=$(supervised one pid)
out=$(s down); is "$? $out" '0 stopped' 'down ends a stage that does not listen'
ok 'by killing it' logged 'one: did not end when asked'
ok 'nothing is left running' nobody
rm "$SKEIN_HOME/one.mode"

# ----------------------------------------------------- refusals of up and run

echo slow >"$SKEIN_HOME/one.mode"
out=$(s --timeout 3 up 2>&1); is $? 1 'up gives up on a stage that is not ready'
has "$out" 'one is not up after 3 s: starting' 'and says which'
: >"$SKEIN_HOME/one.go"
s ready; is $? 0 'ready waits for it'
rm "$SKEIN_HOME/one.mode"
s down >/dev/null
echo refuse >"$SKEIN_HOME/two.mode"
out=$(s up 2>&1); is $? 1 'up reports a stage that refuses'
has "$out" 'two refuses to run, exit 100' 'by name'
rm "$SKEIN_HOME/two.mode"
s down >/dev/null
echo 'seven y skein-no-such-stage' >>"$SKEIN_HOME/stages"
out=$(s up 2>&1); is $? 1 'up refuses a command that is not there'
has "$out" 'seven: command not found: skein-no-such-stage' 'by name'
out=$(SKEIN_WATCHDOG=often s run 2>&1); is $? 100 'a wrong setting is refused'
has "$out" '$SKEIN_WATCHDOG: watchdog must be a number' 'by name'
echo 'watchdog = often' >"$SKEIN_HOME/skein.conf"
out=$(unset SKEIN_WATCHDOG; s run 2>&1); is $? 100 'also one of the file'
has "$out" "skein.conf:1: watchdog must be a number" 'by file and line'
ok 'nothing is left running' nobody

# --------------------------------------------------------------- full disk

mkdir "$SCRATCH/small"
if mount -t tmpfs -o size=64k none "$SCRATCH/small" 2>/dev/null; then
  SKEIN_HOME=$SCRATCH/small/home
  export SKEIN_WATCHDOG=1
  s up >/dev/null; is $? 0 'up on a small disk'
  pid=$(supervised one pid)
  head -c 1000000 /dev/zero 2>/dev/null >>"$SCRATCH/small/fill"
  kill -STOP "$pid"
  ok 'no beat on a full disk kills nobody' wait_for 5 grep -qs \
    'one: no beat.*left alone' "$SKEIN_HOME/log/supervisor.log"
  rm "$SCRATCH/small/fill"
  ok 'until there is room' wait_for 5 moved one pid "$pid"
  s down >/dev/null
  ok 'nothing is left running' nobody
  umount "$SCRATCH/small"
else
  for what in 1 2 3 4; do
    ok "full disk # SKIP cannot mount a tmpfs" true
  done
fi

done_testing
