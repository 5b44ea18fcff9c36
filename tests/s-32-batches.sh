#!/bin/bash
#
# Neither the size of batches nor the number of clients nor a client's manners
# change what ends up in the store.

: "${BATCH_INPUT:=2000}" "${BATCH_SIZES:=1 7 512 4096}" "${BATCH_CLIENTS:=4}"
: "${BATCH_MANY:=64 4096}"
. "$(dirname "$0")/pipeline.sh"

# ---- one client, batches of any size

entries "$BATCH_INPUT" >"$SCRATCH/in"
undisturbed calm "$SCRATCH/in" || { echo 'Bail out! no undisturbed run'; exit 1; }
for size in $BATCH_SIZES; do
  export SKEIN_BATCH_ENTRIES=$size
  new_home "batch$size"
  up && send "$SCRATCH/in" "$SCRATCH/acks" && down
  ok "batches of $size: same digest" same_digest calm
  ok "batches of $size: same results" \
    same_file "$SCRATCH/acks" "$SCRATCH/calm.acks"
done
unset SKEIN_BATCH_ENTRIES

# ---- several clients at once, half of their entries or all without an id,
#      ingest killed meanwhile

# Each client has a domain of its own; what the store holds of a domain must
# not depend on the others.
for ((c = 1; c <= BATCH_CLIENTS; c++)); do
  entries "$BATCH_INPUT" "seed=$c" "domain=d$c" \
    "ids=$( ((c % 2)) && echo none || echo some)" >"$SCRATCH/in.$c"
done
dump() { "$SKEIN_TESTBIN/dump-domain" "d$1"; }

new_home alone
start
for ((c = 1; c <= BATCH_CLIENTS; c++)); do
  send "$SCRATCH/in.$c" "$SCRATCH/alone.$c"
done
down
for ((c = 1; c <= BATCH_CLIENTS; c++)); do dump "$c" >"$SCRATCH/want.$c"; done

# together NAME COMMAND...: each client runs COMMAND FILE RESULTS NUMBER
together() {
  local name=$1 c
  shift
  clients=()
  for ((c = 1; c <= BATCH_CLIENTS; c++)); do
    "$@" "$SCRATCH/in.$c" "$SCRATCH/$name.$c" "$c" &
    clients+=($!)
  done
}

clients_done() {
  local pid rc=0
  for pid in "${clients[@]}"; do wait "$pid" || rc=1; done
  return $rc
}

any_client_runs() {
  local pid
  for pid in "${clients[@]}"; do kill -0 "$pid" 2>/dev/null && return; done
  return 1
}

compare() {
  local c
  for ((c = 1; c <= BATCH_CLIENTS; c++)); do
    dump "$c" >"$SCRATCH/got.$c"
    ok "$1: domain $c is as if alone" \
      same_file "$SCRATCH/got.$c" "$SCRATCH/want.$c"
  done
}

for size in $BATCH_MANY; do
  export SKEIN_BATCH_ENTRIES=$size
  new_home "many$size"
  start
  together "many$size" send
  ok "$BATCH_CLIENTS clients, batches of $size: all results" clients_done
  down
  compare "batches of $size"
done

# Small windows, so that no client is through before ingest was killed often.
export SKEIN_BATCH_ENTRIES=64 SKEIN_CLIENT_WINDOW=8
new_home killed
start
together killed send
kills=0
while any_client_runs && ((kills < 12)); do
  kill_stage ingest || break
  kills=$((kills + 1))
  wait_for "$PATIENCE" is_ready ingest "$killed" || break
done
unset SKEIN_CLIENT_WINDOW
ok "ingest killed $kills times: all results" clients_done
ok 'and it was killed under load' test "$kills" -ge 3
down
compare 'ingest killed'
sound 'skein check is clean'

# ---- clients that jump ahead, repeat themselves and drop connections

rude() { "$SKEIN_TESTBIN/feeder" "$1" "$3" >"$2"; }

new_home rude
start
together rude rude
ok 'clients without manners: all results' clients_done
wait_for "$PATIENCE" at_seq store "$(sort -n "$SCRATCH"/rude.[0-9] | tail -1)"
down
compare 'without manners'
same_refusals() {
  diff <(grep -c '^[a-zA-Z]' "$SCRATCH"/rude.[0-9]  | cut -d: -f2) \
    <(grep -c error "$SCRATCH"/alone.[0-9] | cut -d: -f2)
}
ok 'as many refusals as for others' same_refusals
done_testing
