#!/bin/bash
#
# A stage's own tables follow from its sections: lost, cut short, overwritten
# or torn, they are made again, and the store is the same as before.

: "${DERIVED_ENTRIES:=3000}"
. "$(dirname "$0")/pipeline.sh"

entries "$DERIVED_ENTRIES" >"$SCRATCH/in"
undisturbed calm "$SCRATCH/in" || { echo 'Bail out! no undisturbed run'; exit 1; }
half=$((DERIVED_ENTRIES / 2))
head -n "$half" "$SCRATCH/in" >"$SCRATCH/in.1"
tail -n +$((half + 1)) "$SCRATCH/in" >"$SCRATCH/in.2"

pages() { echo $(($(stat -c %s "$1") / 4096)); }

# Noise that is the same every time: 16 pages of it.
awk 'BEGIN { x = 4711; for (i = 0; i < 65536; i++) {
  x = (x * 16807) % 2147483647; printf "%c", int(x / 11) % 255 + 1 } }' |
  head -c 65536 >"$SCRATCH/noise"
noise() { dd if="$SCRATCH/noise" of="$1" bs=4096 "${@:2}" conv=notrunc status=none; }

# How to damage an environment; each is given its folder.
remove_file() { rm "$1/data.mdb"; }
remove_folder() { rm -r "$1"; }
empty_file() { : >"$1/data.mdb"; }
cut_to_half() { truncate -s $(($(pages "$1/data.mdb") / 2 * 4096)) "$1/data.mdb"; }
cut_to_meta() { truncate -s 8192 "$1/data.mdb"; }
cut_in_page() { truncate -s 6000 "$1/data.mdb"; }
spoil_meta() { noise "$1/data.mdb" count=2; }
spoil_one_meta() { noise "$1/data.mdb" count=1 seek=1; }
spoil_middle() {
  local n
  n=$(pages "$1/data.mdb")
  noise "$1/data.mdb" count=8 seek=$((n / 3))
  noise "$1/data.mdb" count=4 seek=$((n * 2 / 3)) skip=8
}
spoil_little() {
  # Twenty bytes in one page: still a tree, but not ours.
  printf 'twenty bytes of text' | dd of="$1/data.mdb" bs=1 \
    seek=$(($(pages "$1/data.mdb") / 2 * 4096 + 3000)) conv=notrunc status=none
}
other_boot() { echo 00000000-0000-4000-8000-000000000000 >"$1/dirty"; }

new_home damaged
env_of() { [[ $1 == chainer ]] && echo probe || echo "$1"; }
dir_of() { echo "$SKEIN_HOME/db/$(env_of "$1")"; }
made_again() { count_log "$1" 'made again'; }

up && send "$SCRATCH/in.1" "$SCRATCH/acks.1" && down

# ---- while the stage is down

digest >"$SCRATCH/first.digest"
for stage in ingest chainer; do
  for damage in remove_file remove_folder empty_file cut_to_half cut_to_meta \
      cut_in_page spoil_meta spoil_one_meta spoil_middle spoil_little \
      other_boot; do
    before=$(made_again "$stage")
    "$damage" "$(dir_of "$stage")"
    start
    wait_for "$PATIENCE" is_ready "$stage"
    down
    ok "$stage: ${damage/_/ }, while down: same digest" same_digest first
    # There is nothing to say about what was simply not there.
    [[ $damage == remove_* ]] ||
      ok "$stage: ${damage/_/ }, while down: the log says so" \
        test "$(made_again "$stage")" -gt "$before"
  done
done
sound 'skein check is clean'

# ---- while it runs, and then it dies

start
for stage in ingest chainer; do
  for damage in remove_file empty_file cut_to_half cut_to_meta spoil_meta \
      spoil_one_meta spoil_middle; do
    wait_for "$PATIENCE" is_ready "$stage"
    killed=$(status_of "$stage" pid)
    "$damage" "$(dir_of "$stage")"
    # It may have noticed, and ended, by itself.
    kill -KILL "$killed" 2>/dev/null
    ok "$stage: ${damage/_/ }, then killed: comes back" \
      wait_for "$PATIENCE" is_ready "$stage" "$killed"
    down
    ok "$stage: ${damage/_/ }, then killed: same digest" same_digest first
    start
  done
done

# ---- while it runs, and goes on running: the other half of the entries

split -d -n l/8 "$SCRATCH/in.2" "$SCRATCH/part."
part=0
for stage in ingest chainer; do
  for damage in spoil_middle spoil_little spoil_meta cut_to_half; do
    wait_for "$PATIENCE" is_ready "$stage"
    killed=$(status_of "$stage" pid)
    "$damage" "$(dir_of "$stage")"
    # ingest looks at its tables when a client comes, the others always.
    ok "$stage: ${damage/_/ }, while running: entries pass" \
      send "$SCRATCH/part.0$part" "$SCRATCH/acks"
    ok "$stage: ${damage/_/ }, while running: it has started anew" \
      wait_for "$PATIENCE" is_ready "$stage" "$killed"
    part=$((part + 1))
  done
done
down
ok 'in the end the digest is that of an undisturbed run' same_digest calm
sound 'skein check is clean at the end'
done_testing
