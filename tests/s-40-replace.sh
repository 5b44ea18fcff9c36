#!/bin/bash
#
# Replacing a stage, the three ways: another build, a filter in another
# language, a shadow.  Under load; and what a bad filter can do, and cannot.

: "${REPLACE_ENTRIES:=20000}" "${FILTER_ENTRIES:=1000}"
. "$(dirname "$0")/pipeline.sh"

# A stage is not asked again while its filter thinks: it is killed then.
export SKEIN_STOP_GRACE=2
command -v python3 >/dev/null || skip_all 'no python3'
filter=$(realpath "$TESTS/../scripts/examples/classify-filter.py")

entries "$REPLACE_ENTRIES" >"$SCRATCH/in"
undisturbed calm "$SCRATCH/in" || { echo 'Bail out! no undisturbed run'; exit 1; }

rows() { digest | awk -v table="$1" '$1 == table { print $2 }'; }
# What a filter says of an entry is its own, and so is what it fails to say and
# what follows from it; all else must be as in the undisturbed run NAME.
its_own=$(sed -n 's/^TABLE(\([a-z_]*\), *[a-z]*, *[a-z0-9]*, *[a-z_]*, *\(classify\|compactor\|linker\|store\),.*/\1/p' \
  "$TESTS/../store/tables.def" | paste -sd'|')
without_classify() { grep -Ev "^($its_own|rejects) "; }
same_but_classify() {
  diff <(digest | without_classify) \
    <(without_classify <"$SCRATCH/$1.digest") >"$SCRATCH/diff" && return
  head -n 6 "$SCRATCH/diff" | sed 's/^/#   /'
  return 1
}
# The processes below a stage: a filter's guard, its shell, itself.
below() {
  local pid child
  for pid; do
    for child in $(cat /proc/"$pid"/task/*/children 2>/dev/null); do
      echo "$child"
      below "$child"
    done
  done
}
has_filter() { [[ -n $(below "$(status_of classify pid)") ]]; }
all_gone() {
  local pid
  for pid; do kill -0 "$pid" 2>/dev/null && return 1; done
  return 0
}
replace() { skein replace "$@" >>"$SCRATCH/replace.out" 2>&1; }

# ---- a filter in another language, under load, and back

# Some are under way at each change, and there are always more to come.
quarter=$((REPLACE_ENTRIES / 4))
open_feed() {
  mkfifo "$SCRATCH/feed"
  send "$SCRATCH/feed" "$SCRATCH/acks" &
  client=$!
  exec {in}<"$SCRATCH/in" {feed}>"$SCRATCH/feed"
}
feed_quarter() { head -n "$quarter" <&"$in" >&"$feed"; }
close_feed() {
  cat <&"$in" >&"$feed"
  exec {feed}>&- {in}<&-
  rm "$SCRATCH/feed"
  wait "$client"
}

new_home filter
start
open_feed
feed_quarter
ok 'classify is replaced by a filter' replace classify --exec "$filter"
feed_quarter
ok 'the filter is at work' wait_for "$PATIENCE" has_filter
feed_quarter
pids=$(below "$(status_of classify pid)")
ok 'and put back' replace classify --back
ok 'no process of the filter is left' wait_for 5 all_gone $pids
ok 'the client has all its results' close_feed
ok 'and the same as without' same_file "$SCRATCH/acks" "$SCRATCH/calm.acks"
down
sound 'skein check is clean'
ok 'the digest is the same but for classify' same_but_classify calm
is "$(rows s_classify)" "$(rows log)" 'classify has one section per entry'
is "$(rows rejects)" 0 'nothing was rejected'

# ---- another build, under load

mkdir -p "$SCRATCH/other/bin"
cp "$SKEIN_BIN/skein-classify" "$SCRATCH/other/bin/"
ln -s "$(realpath "$SKEIN_BIN/../share")" "$SCRATCH/other/share"
new_home rebuilt
start
open_feed
feed_quarter
ok 'classify is replaced by another build' \
  replace classify -- "$SCRATCH/other/bin/skein-classify"
is "$(readlink "/proc/$(status_of classify pid)/exe")" \
  "$SCRATCH/other/bin/skein-classify" 'which now runs'
ok 'the client has all its results' close_feed
down
ok 'same digest' same_digest calm

# ---- a shadow

shadow() { "$@" --shadow --once --from 1 >"$SCRATCH/shadow" 2>&1; }
ok 'a shadow of classify finds no difference' shadow skein-classify
like "$(tail -n 1 "$SCRATCH/shadow")" '"compared":[1-9][0-9]*,"differ":0' \
  'and has compared'
ok 'nor does one of the stage with tables, from the beginning' \
  shadow "$SKEIN_TESTBIN/probe-stage"
like "$(tail -n 1 "$SCRATCH/shadow")" '"compared":[1-9][0-9]*,"differ":0' \
  'and has compared'
ls "$SKEIN_HOME"/run/shadow.* >/dev/null 2>&1
is $? 2 'a shadow leaves nothing behind'
start
"$SKEIN_TESTBIN/probe-stage" --shadow --count 500 >"$SCRATCH/shadow" 2>&1 &
beside=$!
wait_for "$PATIENCE" compgen -G "$SKEIN_HOME/run/shadow.*/data.mdb" >/dev/null
entries 1000 seed=9 domain=more >"$SCRATCH/more"
send "$SCRATCH/more" "$SCRATCH/acks"
ok 'beside the running stage, on a copy of its tables' wait "$beside"
is "$(tail -n 1 "$SCRATCH/shadow")" '{"compared":500,"differ":0}' \
  'it finds no difference either'
down

# ---- bad filters

entries "$FILTER_ENTRIES" >"$SCRATCH/few"
undisturbed calm-few "$SCRATCH/few"

# bad NAME REJECTED: runs all entries through the filter of that name
bad() {
  local name=$1 rejected=$2
  new_home "$name"
  replace classify --exec "$SCRATCH/$name.py"
  start
  ok "$name: all entries pass" send "$SCRATCH/few" "$SCRATCH/acks"
  down
  is "$(rows rejects)" "$rejected" "$name: $rejected entries are rejected"
  ok "$name: the rest is as it should be" same_but_classify calm-few
  is "$(rows s_classify)" "$(rows log)" "$name: one section per entry"
}
write_filter() {
  { printf '#!/usr/bin/env python3\nimport json, os, sys, time\n'
    printf 'for line in sys.stdin:\n    seq = json.loads(line)["seq"]\n'
    sed 's/^/    /'
    printf '    print(answer, flush=True)\n'; } >"$SCRATCH/$1.py"
  chmod +x "$SCRATCH/$1.py"
}

write_filter garbage <<'P'
answer = {1: "no JSON", 2: "[1]", 3: '{"section":"nothing"}',
    4: '{"section":"s_classify","turns":7}', 5: "", 6: '{"act":"none"}',
    7: "\0\377", 8: '{"section":"turn","text":"x"}'}.get(seq % 100, "{}")
P
last=$(awk '$1 == "log" { print $2 }' "$SCRATCH/calm-few.digest")
bad garbage "$((last / 100 * 8 + (last % 100 < 8 ? last % 100 : 8)))"
like "$(cat "$SKEIN_HOME/log/classify.log")" 'seq 101 rejected: .*not JSON' \
  'garbage: the log has the reason'

write_filter dying <<'P'
if seq == 50: os._exit(1)
answer = "{}"
P
bad dying 1
like "$(cat "$SKEIN_HOME/log/classify.log")" 'seq 50 rejected: .*twice' \
  'dying: the log has the reason'

# Dies now and then, but never twice on the same line: nothing is rejected.
write_filter weak <<'P'
mark = sys.argv[0] + "." + str(seq)
if seq % 100 == 0 and not os.path.exists(mark):
    open(mark, "w").close()
    os._exit(1)
answer = "{}"
P
bad weak 0

# Two lines for one: the second is nobody's answer.
write_filter talkative <<'P'
answer = "{}\nno JSON" if seq % 100 == 20 else "{}"
P
bad talkative 0

write_filter hanging <<'P'
if seq == 60: time.sleep(1000)
answer = "{}"
P
export SKEIN_EXEC_TIMEOUT=1
bad hanging 1
export SKEIN_EXEC_TIMEOUT=600

# ---- no process of a filter outlives its stage

write_filter parent <<'P'
if seq == 10:
    if os.fork() == 0: os.execvp("sleep", ["sleep", "1000"])
    time.sleep(1000)
answer = "{}"
P
new_home parent
cd "$SCRATCH" || exit 1
ok 'a filter may be named from where one stands' \
  replace classify --exec "python3 parent.py"
cd "$OLDPWD" || exit 1
start
skein send "$SCRATCH/few" >"$SCRATCH/acks"
three_below() { (($(below "$(status_of classify pid)" | wc -l) >= 4)); }
ok 'a filter with a helper of its own runs' wait_for "$PATIENCE" three_below
pids=$(below "$(status_of classify pid)")
kill_stage classify
ok 'its stage is killed: all of them are gone' wait_for 5 all_gone $pids
wait_for "$PATIENCE" three_below
pids=$(below "$(status_of classify pid)")
ok 'it is stopped in the middle of a line' replace classify --back
ok 'and all of them are gone' wait_for 5 all_gone $pids
ok 'the stream goes on' wait_for "$PATIENCE" at_seq store "$last"
down
ok 'same digest' same_digest calm-few
done_testing
