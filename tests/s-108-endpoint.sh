#!/bin/bash
#
# s-108 - vectors by an endpoint: another model, made in the background

. "$(dirname "$0")/pipeline.sh"

files=$SCRATCH/endpoint
mkdir "$files"
echo good >"$files/mode"
mkfifo "$files/input"
if ! command -v python3 >/dev/null; then skip_all 'there is no python3'; fi
python3 "$(dirname "$0")/http-endpoint.py" "$files" <"$files/input" &
endpoint=$!
exec 9>"$files/input"
ok 'an endpoint listens' wait_for 20 test -e "$files/port"

models() { ls "$SKEIN_HOME/db/segments" | sed -nE 's/^.*-([0-9a-f]{16})\.vec$/\1/p' | sort -u; }
has_model() { test -n "$(models)"; }
is_other() { test -n "$(models)" && ! models | grep -q "$1"; }
first() { skein search --json --in turns --limit 1 "$@" 2>"$SCRATCH/error" | sed -E 's/.*"id":"([^"]*)".*/\1/'; }
turns() {
  awk 'BEGIN { for (i = 1; i <= 4200; i++)
    printf "{\"user\":\"u%d\",\"thread\":\"t%d\",\"id\":\"m%d\",\"ts\":%.0f,\"text\":\"%s\"}\n", i % 7, i / 40, i,
      1700000000000 + i * 1000, i == 90 ? "I will continue my education" : "item" i " of batch" i % 50 }'
}

new_home a
sed -i -E "s#^(classify|chainer|compactor|linker)( +y +).*#\1\2$SKEIN_TESTBIN/pass-stage \1#" "$SKEIN_HOME/stages"
start
turns >"$SCRATCH/turns"
ok 'entries over a border' send "$SCRATCH/turns" "$SCRATCH/acks"
ok 'the table that comes along makes vectors' wait_for "$PATIENCE" has_model
table=$(models)
digest >"$SCRATCH/digest"
down

# Another model, whose endpoint does not answer: words go on.
export SKEIN_EMBED_ENDPOINT=http://127.0.0.1:$(cat "$files/port")/v1 SKEIN_EMBED_MODEL=tester-1 SKEIN_EMBED_DIMS=32
echo 500 >"$files/mode"
start
is "$(first item4000)" m4000 'words are searched while the endpoint fails'
is "$(models)" "$table" 'and what there was stays'
is "$(first schooling)" '' "but another model's vectors are not looked at"
like "$(cat "$SCRATCH/error")" 'it answers 500' 'and it is said why'

# It works: made again in the background.  Who answers may have asked before.
asked() { skein ask search --json --in turns --limit 1 schooling 2>/dev/null | jq -r .id; }
finds_it() { test "$(asked)" = m90; }
echo good >"$files/mode"
asked >/dev/null
kill_stage store
ok 'vectors are made again, of the other model' wait_for "$PATIENCE" is_other "$table"
is "$(models | wc -l)" 1 'models do not mix'
is "$(first schooling)" m90 'found by its meaning'
ok 'and by who looked when there were none yet' wait_for 20 finds_it
is "$(first item4199)" m4199 'what lies behind the border is found by its words'
late() { skein search --json --in turns --limit 1 --domain late schooling | jq -r .id; }
is_late() { test "$(late)" = late1; }
cat >"$SCRATCH/late" <<'END'
{"domain":"late","user":"u1","id":"late0","ts":1700010000000,"text":"The fence is green"}
{"domain":"late","user":"u2","id":"late1","ts":1700010001000,"text":"My studies begin in autumn"}
END
skein send --wait <"$SCRATCH/late" >/dev/null
ok '  and by its meaning, without another border' wait_for 20 is_late
is "$(ls "$SKEIN_HOME"/db/segments/pool-*.vec | wc -l)" 1 '  its vector waits in the pool'
is "$(jq -r 'select(.texts > 64) | .texts' "$files/requests" | wc -l)" 0 'no request has more than 64 texts'
is "$(jq -r .model "$files/requests" | sort -u)" tester-1 'each names the model'
is "$(digest | grep -E '^(segments|versions|covers) ')" "$(grep -E '^(segments|versions|covers) ' "$SCRATCH/digest")" \
  'the tables know nothing of it'
sound 'and the index is sound'
down

# An endpoint that fails late: what it has answered is not asked again.
export SKEIN_EMBED_MODEL=tester-2
tester=$(models)
echo 'few 30' >"$files/mode"
: >"$files/requests"
start
asked_so_often() { test "$(wc -l <"$files/requests")" -gt "$1"; }
ok 'it answers for a while' wait_for "$PATIENCE" asked_so_often 30
sleep 1
is "$(wc -l <"$files/requests")" 31 'and is left alone after it has failed'
echo good >"$files/mode"
ok 'it is asked again later' wait_for "$PATIENCE" is_other "$tester"
ok 'for what it had not answered, and for nothing else' \
  test "$(jq -s 'map(.texts) | add' "$files/requests")" -le $((4202 + 64 * 2))
# What is behind the border is asked for after the pieces.
ok 'found by the third model' wait_for "$PATIENCE" is_late
down

# Back to the table.
unset SKEIN_EMBED_ENDPOINT SKEIN_EMBED_MODEL SKEIN_EMBED_DIMS
other=$(models)
start
ok 'back to the table' wait_for "$PATIENCE" is_other "$other"
is "$(ls "$SKEIN_HOME"/db/segments/pool-*.vec 2>/dev/null | wc -l)" 0 'and no pool is left'
is "$(models)" "$table" 'the same as before'
down
exec 9>&-
wait "$endpoint" 2>/dev/null
done_testing
