#!/bin/bash
#
# s-60-tap - the monitor shows what the stages tell, and says what it lost

. "$(dirname "$0")/lib.sh"

stages="ingest classify chainer compactor linker store"

# turns FIRST LAST [USER]: as many turns, each with its number in the text
turns() {
  local i
  for ((i = $1; i <= $2; i++)); do
    printf '{"type":"turn","user":"%s","text":"number %d %0300d"}\n' "${3:-ann}" "$i" 0
  done
}

send() { skein send --wait >/dev/null; }

# tap OUT ARGUMENTS...: in the background; its pid is $tap
tap() {
  local out=$1
  shift
  skein tap "$@" >"$out" 2>"$out.err" &
  tap=$!
}

# A tap is with a stage for sure once it has shown the stage's cursor: it
# subscribes to all kinds at once.
joined() {
  local stage
  for stage in ${2:-$stages}; do grep -q "$stage .*cursor" "$1" || return 1; done
}
is_gone() { ! kill -0 "$1" 2>/dev/null; }
has_lines() { [[ $(wc -l <"$1") -ge $2 ]]; }

# "stage seq" of the entry lines for people
columns() { awk '$5 == "turn" { print $3, $4 }' "$1"; }

expected() {
  local seq stage
  for ((seq = $1; seq <= $2; seq++)); do
    for stage in ${3:-$stages}; do echo "$stage $seq"; done
  done
}

# ---- nobody there ----

message=$(skein tap --no-wait 2>&1)
is $? 1 "without a pipeline --no-wait ends with 1"
like "$message" 'nothing is heard' "... and says why"
message=$(skein tap --no-wait --from 1 2>&1)
is $? 1 "without a store --from --no-wait ends with 1"
like "$message" 'there is no store' "... and says why"
tap "$SCRATCH/early" --from 1 --count 12
ok "without --no-wait it says that it waits" wait_for 10 grep -q 'waiting' "$SCRATCH/early.err"
up || exit 1
turns 1 2 | send
ok "... and goes on when there is something" wait_for 10 is_gone $tap
is "$(columns "$SCRATCH/early" | sort)" "$(expected 1 2 | sort)" "frames of all stages, once each"

# ---- live ----

tap "$SCRATCH/live" --kind entry,cursor
ok "a live tap joins" wait_for 10 joined "$SCRATCH/live"
turns 3 22 | send
ok "live frames of all stages come" wait_for 10 eval '[[ $(columns "$SCRATCH/live" | wc -l) -ge 120 ]]'
kill -INT $tap
wait $tap
is $? 0 "SIGINT ends it with 0"
is "$(columns "$SCRATCH/live" | sort)" "$(expected 3 22 | sort)" "each entry once per stage"
for stage in $stages; do
  is "$(columns "$SCRATCH/live" | awk -v s="$stage" '$1 == s { print $2 }')" "$(seq 3 22)" "$stage's in order"
done
ok "nothing was lost" eval '! grep -q lost= "$SCRATCH/live"'
ok "no colour in a file" eval '! grep -q $'"'\\033'"' "$SCRATCH/live"'

# ---- history, then live ----

tap "$SCRATCH/from" --from 5 --until 60 --json
ok "history comes first" wait_for 10 has_lines "$SCRATCH/from" 108
turns 23 60 | send
ok "--until ends it" wait_for 10 is_gone $tap
got=$(sed 's/^{"stage":"\([a-z]*\)","kind":"entry","seq":\([0-9]*\),.*/\1 \2/' "$SCRATCH/from" | sort)
is "$got" "$(expected 5 60 | sort)" "history and live meet without gap or double"
ok "every line is JSON, with the entry and the sections so far" python3 - "$SCRATCH/from" $stages <<'END'
import json, sys
stages = sys.argv[2:]
for line in open(sys.argv[1]):
    f = json.loads(line)
    assert f["kind"] == "entry" and f["type"] == "turn" and f["arrived"]
    assert f["entry"]["text"].startswith("number %d " % f["seq"])
    assert list(f["sections"]) == stages[:stages.index(f["stage"]) + 1]
END
skein tap --from 1 --count 5 | head -1 >/dev/null
is "${PIPESTATUS[*]}" "0 0" "a reader that goes away ends it quietly"

# ---- filters ----

{ turns 61 62 ben; printf '{"type":"turn","user":"ben","domain":"other","text":"needle \\u001b[31m"}\n'; } | send
is "$(skein tap --from 1 --until 63 --user ben --stage store,ingest | awk '{ print $3, $4 }')" \
  "$(expected 61 63 "ingest store")" "--user and --stage"
is "$(skein tap --from 1 --until 63 --where text~needle --stage linker | awk '{ print $4 }')" 63 "--where with ~"
is "$(skein tap --from 1 --until 63 --where ingest.turns=1 --where 'text~number 7 ' --stage store | awk '{ print $4 }')" 7 \
  "--where on a section, and a second one"
is "$(skein tap --from 1 --until 63 --domain other --stage chainer | awk '{ print $4 }')" 63 "--domain"
ok "text cannot command a terminal" eval '! skein tap --from 63 --until 63 | grep -q $'"'\\033'"
is "$(skein tap --from 1 --count 7 | wc -l)" 7 "--count"
for wrong in "--where nope=1" "--where x" "--stage nope" "--kind nope" "--from x" "--count 0" "--top --from 1" "word"; do
  # shellcheck disable=SC2086
  skein tap $wrong >/dev/null 2>"$SCRATCH/wrong"
  is "$? $(wc -l <"$SCRATCH/wrong")" "2 1" "refused in one line: $wrong"
done

# ---- losses ----

tap "$SCRATCH/slow" --receive-limit 10 --stage ingest,store --kind entry,cursor
ok "a tap with little room joins" wait_for 10 joined "$SCRATCH/slow" "ingest store"
turns 64 65 | send
ok "... and shows" wait_for 10 eval '[[ $(columns "$SCRATCH/slow" | wc -l) -ge 4 ]]'
kill -STOP $tap
turns 66 15065 | send
is $? 0 "a stopped tap does not hold the pipeline"
kill -CONT $tap
ok "... and later says what it lost" wait_for 20 grep -q 'ingest *lost=[0-9]' "$SCRATCH/slow"
# total STAGE: shown and lost together
total() {
  awk -v s="$1" '$3 == s && $5 == "turn" { n++ } $3 == s && /lost=/ { sub(/.*lost=/, ""); n += $0 } END { print n }' "$SCRATCH/slow"
}
ok "... of ingest, to the last one" wait_for 20 eval '[[ $(total ingest) == 15002 ]]'
ok "... of store, to the last one" wait_for 20 eval '[[ $(total store) == 15002 ]]'
kill -INT $tap
wait $tap

tap "$SCRATCH/whole" --receive-limit 10 --stage store --from 15066 --until 30065
kill -STOP $tap
turns 15066 30065 | send
kill -CONT $tap
ok "with --from a stopped tap misses nothing" wait_for 30 is_gone $tap
is "$(columns "$SCRATCH/whole" | awk '{ print $2 }' | cksum)" "$(seq 15066 30065 | cksum)" "... in order, once each"

# ---- top ----

skein tap --top --count 2 >"$SCRATCH/top"
is $? 0 "--top elsewhere than on a terminal"
is "$(grep -c '^STAGE .*RATE.*LAG.*P50.*P99' "$SCRATCH/top")" 2 "... prints as many tables as asked"
is "$(awk '$2 == "ready" && $4 == 30065 && $5 == 0 { print $1 }' "$SCRATCH/top" | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2 \
  "... with every stage ready and without lag"
skein tap --top --json --count 3 >"$SCRATCH/top.json" &
tap=$!
while ! is_gone $tap; do turns 1 50 | send; done
ok "... and latencies as JSON" grep -q '"p50_us":[1-9].*"p99_us":[1-9]' "$SCRATCH/top.json"
if command -v script >/dev/null; then
  (for _ in 1 2 3 4 5 6; do read -rt 0.5 <> <(:) || :; echo; done; echo q) |
    script -qec "stty rows 10 cols 90; exec skein tap --top" /dev/null >"$SCRATCH/screen"
  is $? 0 "q ends the screen"
  ok "... which was another one, and is left" grep -q $'\033\\[?1049l' "$SCRATCH/screen"
  ok "... and showed the stages" grep -q 'compactor' "$SCRATCH/screen"
fi

down
done_testing
