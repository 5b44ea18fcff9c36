#!/bin/bash
#
# Crash equivalence: whatever is killed while entries come in, and whenever,
# the store is in the end the one that an undisturbed run leaves.

: "${CRASH_ENTRIES:=20000}" "${CRASH_KILLS:=66}"
. "$(dirname "$0")/pipeline.sh"

entries "$CRASH_ENTRIES" >"$SCRATCH/in"
undisturbed calm "$SCRATCH/in" || { echo 'Bail out! no undisturbed run'; exit 1; }

# Which stage dies when: each equally often, in an order of no pattern.
plan=$(for ((i = 0; i < CRASH_KILLS; i++)); do
  echo "$((i * 7919 % 104729 * 31 % 1009)) ${STAGES[i % ${#STAGES[@]}]}"
done | sort -n | cut -d' ' -f2)

new_home crash
start

# The client reads what we feed it; entries are under way at every kill.
mkfifo "$SCRATCH/feed"
send "$SCRATCH/feed" "$SCRATCH/crash.acks" &
client=$!
exec {in}<"$SCRATCH/in" {feed}>"$SCRATCH/feed"
portion=$((CRASH_ENTRIES / CRASH_KILLS / 2 + 1))
feed_some() { head -n "$portion" <&"$in" >&"$feed"; }
# head reads blocks; from a file it puts back what it did not use.

kill_supervisor() {
  kill -KILL "$(<"$SKEIN_HOME/run/supervisor.pid")"
  feed_some
  start
}

declare -A hits
kills=0
for stage in $plan; do
  feed_some
  read -rt "0.0$((kills * 37 % 30 + 10))" <> <(:)
  kill_stage "$stage" || break
  kills=$((kills + 1)) hits[$stage]=$((${hits[$stage]-0} + 1))
  feed_some
  if ((kills % 8 == 0)); then
    # Once more as soon as there is a process again, ready or not.
    wait_for "$PATIENCE" eval \
      '[[ $(status_of "$stage" pid) != "$killed" ]]' || break
    kill -KILL "$(status_of "$stage" pid)" 2>/dev/null &&
      kills=$((kills + 1)) hits[$stage]=$((hits[$stage] + 1))
  fi
  if ((kills >= CRASH_KILLS / 2 && !${supervisor_killed:-0})); then
    supervisor_killed=1
    ok 'the supervisor is killed, and comes up again' kill_supervisor
  fi
done
cat <&"$in" >&"$feed"
exec {feed}>&- {in}<&-
ok 'the client has all its results' wait "$client"
ok "there were $kills kills" test "$kills" -ge "$CRASH_KILLS"
least=$CRASH_KILLS
for stage in "${STAGES[@]}"; do
  ((${hits[$stage]-0} < least)) && least=${hits[$stage]-0}
done
ok "each stage was hit at least $least times" test "$least" -ge 8
ok 'the results are those of the undisturbed run' \
  same_file "$SCRATCH/crash.acks" "$SCRATCH/calm.acks"
down
sound 'skein check is clean'
ok 'the digest is that of the undisturbed run' same_digest calm

# Nothing is left to do at the next start.
start
down
ok 'and stays so after a clean restart' same_digest calm
done_testing
