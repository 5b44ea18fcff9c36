#!/bin/bash
#
# A full map and a full disk: new entries are refused and told why, what was
# taken is kept and passes every stage, and with room again all goes on.

: "${FULL_ENTRIES:=8000}" "${FULL_MAP:=3}" "${FULL_DISK:=24}"
. "$(dirname "$0")/pipeline.sh"

entries "$FULL_ENTRIES" ids=none >"$SCRATCH/in"
codes() { sed -n 's/.*"code":"\([^"]*\)".*/\1/p' "$1" | sort | uniq -c; }
refused_full() { grep -c '"code":"full"' "$1"; }
last_seq() { sed -n 's/.*"seq":\([0-9]*\).*/\1/p' "$@" | sort -n | tail -1; }
# taken IN RESULTS: the lines of IN that were taken, in order
taken() { paste -d '\t' "$2" "$1" | grep '^{[^}]*"seq":' | cut -f2-; }

# compare NAME IN...: the store is that of an undisturbed run of what was taken
compare() {
  undisturbed "calm-$1" "$2" &&
    ok "$1: the digest is that of the taken entries alone" same_digest "calm-$1"
}

# ---- the map

new_home map
export SKEIN_MAP_SIZE=1 SKEIN_MAP_LIMIT=$FULL_MAP
start
# The worst case: no stage has done anything yet for what is taken.
wait_for "$PATIENCE" is_ready classify
kill -STOP "$(status_of classify pid)"
skein send "$SCRATCH/in" >"$SCRATCH/acks.1" 2>"$SCRATCH/err"
kill -CONT "$(status_of classify pid)"
is "$(<"$SCRATCH/err")" '' 'a full map: every entry has a result'
ok 'a full map: entries are refused' test "$(refused_full "$SCRATCH/acks.1")" -gt 0
like "$(grep -m1 '"code":"full"' "$SCRATCH/acks.1")" 'the store is full' \
  'a full map: and told why'
is "$(status_of ingest state)" blocked 'a full map: ingest says so'
full_at=$(last_seq "$SCRATCH/acks.1")
# The reserve is for this: what was taken passes all stages.
ok 'a full map: what was taken passes all stages' \
  wait_for "$PATIENCE" at_seq store "$full_at"
# Now they keep pace, and fill what is left.
skein send "$SCRATCH/in" >"$SCRATCH/acks.2" 2>"$SCRATCH/err"
is "$(<"$SCRATCH/err")" '' 'once more: every entry has a result'
ok 'once more: entries are refused' test "$(refused_full "$SCRATCH/acks.2")" -gt 0
ok 'once more: what was taken passes all stages' \
  wait_for "$PATIENCE" at_seq store "$(last_seq "$SCRATCH"/acks.[12])"
is "$(sed -n 's/^stage ingest .* restarts \([0-9]*\) .*/\1/p' \
  "$SKEIN_HOME/run/supervisor.status")" 0 'a full map: ingest has not died of it'
down
export SKEIN_MAP_LIMIT=256
start
ok 'a larger limit: entries are taken' \
  send "$SCRATCH/in" "$SCRATCH/acks.3"
is "$(refused_full "$SCRATCH/acks.3")" 0 'a larger limit: none is refused as full'
down
sound 'skein check is clean'
unset SKEIN_MAP_SIZE SKEIN_MAP_LIMIT
for i in 1 2 3; do taken "$SCRATCH/in" "$SCRATCH/acks.$i"; done >"$SCRATCH/taken.map"
compare map "$SCRATCH/taken.map"

# ---- ingest's own tables, which here grow faster than the shared ones

awk 'BEGIN {
  for (i = 0; i < 6000; i++) {
    printf "{\"text\":\"x\",\"id\":\"i%d\",\"ts\":%.0f,\"user\":\"",
      i, 1700000000000 + i
    for (k = 0; k < 18; k++) printf "%010d", i * 7919 + k
    print "\"}"
  }
}' >"$SCRATCH/wide"
new_home own
export SKEIN_MAP_SIZE=1 SKEIN_MAP_LIMIT=4 SKEIN_CLIENT_WINDOW=20
start
skein send "$SCRATCH/wide" >"$SCRATCH/acks.1" 2>"$SCRATCH/err"
ok 'full own tables: entries are refused' test "$(refused_full "$SCRATCH/acks.1")" -gt 0
# A refusal whose answer was lost is asked for again.
post=9301508301c410$(printf 'n%.0s' {1..16} | od -An -tx1 | tr -d ' \n')020104a3$(printf '{x}' | od -An -tx1 | tr -d ' \n')
for i in 1 2; do
  echo "$post" | "$SKEIN_TESTBIN/raw-post" dealer "$SKEIN_HOME" ingest.sock
done >"$SCRATCH/replies"
is "$(grep -c '"number":1,"code"' "$SCRATCH/replies")" 2 \
  'full own tables: a refusal is told as often as it is asked for'
down
export SKEIN_MAP_LIMIT=256
start
ok 'a larger limit: all of them are taken' send "$SCRATCH/wide" "$SCRATCH/acks.2"
is "$(sort -u "$SCRATCH"/acks.[12] | sed -n 's/.*"id":"\([^"]*\)","seq".*/\1/p' |
  sort | uniq -d | wc -l)" 0 'and none that was taken before is taken twice'
down
sound 'skein check is clean after full own tables'
unset SKEIN_MAP_SIZE SKEIN_MAP_LIMIT SKEIN_CLIENT_WINDOW

# ---- the disk

new_home disk
if ! mount -t tmpfs -o "size=${FULL_DISK}m,mode=700" tmpfs "$SKEIN_HOME" 2>/dev/null; then
  echo "ok $((++tests)) - a full disk # SKIP mount is not permitted"
  done_testing
fi
unmount() {
  skein --home "$SCRATCH/disk" down >/dev/null 2>&1
  umount -l "$SCRATCH/disk"
  cleanup
}
trap unmount EXIT
new_home disk
export SKEIN_DISK_RESERVE=2
start
# The ballast leaves less than the reserve: at first only entries are refused.
free_kib() { df --output=avail "$SKEIN_HOME" | tail -1; }
ballast() { head -c "${1}K" /dev/zero >>"$SKEIN_HOME/ballast" 2>/dev/null; }

split -d -n l/4 "$SCRATCH/in" "$SCRATCH/part."
ok 'a disk with room takes entries' send "$SCRATCH/part.00" "$SCRATCH/acks.0"
ballast $(($(free_kib) - 1500))
skein send "$SCRATCH/part.01" >"$SCRATCH/acks.1" 2>"$SCRATCH/err"
is "$(<"$SCRATCH/err")" '' 'little room: every entry has a result'
ok 'little room: all are refused' \
  test "$(grep -c '"seq":' "$SCRATCH/acks.1")" -eq 0
like "$(<"$SCRATCH/acks.1")" 'the store is full' 'little room: and told why'

# Now the disk fills behind the back of stages that have work to do.
rm "$SKEIN_HOME/ballast"
wait_for "$PATIENCE" eval '[[ $(status_of ingest state) == ready ]] ||
  { skein send </dev/null; false; }' 2>/dev/null
wait_for "$PATIENCE" is_ready compactor
kill -STOP "$(status_of compactor pid)"
skein send "$SCRATCH/part.02" >"$SCRATCH/acks.2" 2>"$SCRATCH/err"
ok 'room again: entries are taken, without a restart' \
  test "$(refused_full "$SCRATCH/acks.2")" -eq 0
ballast $(($(free_kib)))
kill -CONT "$(status_of compactor pid)"
skein send <"$SCRATCH/part.03" >"$SCRATCH/acks.3" 2>"$SCRATCH/err"
is "$(<"$SCRATCH/err")" '' 'no room at all: every entry has a result'
is "$(grep -c '"seq":' "$SCRATCH/acks.3")" 0 'no room at all: all are refused'
pid=$(status_of compactor pid)
read -rt 2 <> <(:)
rm "$SKEIN_HOME/ballast"
ok 'room again: the store catches up by itself' \
  wait_for "$PATIENCE" at_seq store "$(last_seq "$SCRATCH"/acks.[02])"
is "$(status_of compactor pid)" "$pid" 'and no stage has died of it'
ok 'and entries are taken' send "$SCRATCH/part.03" "$SCRATCH/acks.4"
is "$(refused_full "$SCRATCH/acks.4")" 0 'all of them'
down
sound 'skein check is clean after the full disk'
unset SKEIN_DISK_RESERVE
for i in 0 2; do taken "$SCRATCH/part.0$i" "$SCRATCH/acks.$i"; done >"$SCRATCH/taken.disk"
taken "$SCRATCH/part.03" "$SCRATCH/acks.4" >>"$SCRATCH/taken.disk"
compare disk "$SCRATCH/taken.disk"
done_testing
