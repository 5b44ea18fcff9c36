#!/bin/bash
#
# s-101 - the index's files: borders, merging, loss, damage, rebuild, kills

. "$(dirname "$0")/pipeline.sh"

segments() { ls "$SKEIN_HOME/db/segments" | grep 'seg$'; }
hits() { skein search --json --lexical --in turns --limit 5 "$1" | sed -E 's/.*"key":"([^"]*)".*"score":([^,]*).*/\1 \2/'; }

# Short turns, many of them: nine pieces of 4096 entries, and a rest.
feed() {
  awk -v from="$1" -v to="$2" 'BEGIN {
    for (i = from; i <= to; i++)
      printf "{\"user\":\"u%d\",\"thread\":\"t%d\",\"ts\":%.0f,\"text\":\"word%d of common%d needle%d\"}\n",
        i % 7, i / 40, 1700000000000 + i * 1000, i % 100, i % 3, i
  }'
}
is_merged() { segments | grep -q '^1-'; }

# The stages before the store only pass on: what they do is tested elsewhere.
new_home a
sed -i -E "s#^(classify|chainer|compactor|linker)( +y +).*#\1\2$SKEIN_TESTBIN/pass-stage \1#" "$SKEIN_HOME/stages"
cp "$SKEIN_HOME/stages" "$SCRATCH/stages"
start
feed 1 5000 >"$SCRATCH/one"
feed 5001 37000 >"$SCRATCH/two"
ok 'entries over a border' send "$SCRATCH/one" "$SCRATCH/acks"
like "$(segments)" '^0-000000000001-[0-9a-f]{16}\.seg$' 'one piece on disk'
is "$(hits needle4000 | head -1 | cut -d' ' -f1)" 4000.0 'found in the piece'
is "$(hits needle4999 | head -1 | cut -d' ' -f1)" 4999.0 'found in memory behind it'

# Killed again and again while it works.
skein send --wait "$SCRATCH/two" >"$SCRATCH/acks2" 2>&1 &
sender=$!
for i in 1 2 3; do
  kill_stage store 2>/dev/null
done
wait "$sender"
ok 'the store is up after its deaths' wait_for "$PATIENCE" is_ready store
ok 'eight pieces become one' wait_for "$PATIENCE" is_merged
is "$(hits needle30000 | head -1 | cut -d' ' -f1)" 30000.0 'found in the merged piece'
hits 'word7 common1' >"$SCRATCH/before"
sound 'the index is sound'
down
digest >"$SCRATCH/digest"

# A home that was never disturbed has the same tables and pieces.
new_home b
cp "$SCRATCH/stages" "$SKEIN_HOME/stages"
start
send "$SCRATCH/one" "$SCRATCH/acks" && send "$SCRATCH/two" "$SCRATCH/acks"
ok 'merged there too' wait_for "$PATIENCE" is_merged
down
is "$(digest | grep -E '^(segments|versions|covers) ')" "$(grep -E '^(segments|versions|covers) ' "$SCRATCH/digest")" \
  'the same log gives the same pieces, whatever deaths were between'
is "$(segments | grep '^1-')" "$(ls "$SCRATCH/a/db/segments" | grep '^1-.*seg$')" 'by the same names'
ok 'and bytes' cmp "$SKEIN_HOME/db/segments/$(segments | grep '^1-')" "$SCRATCH/a/db/segments/$(segments | grep '^1-')"

# A piece is lost: readers do without the file, the stage makes it again.
rm "$SKEIN_HOME"/db/segments/1-*
is "$(skein check | grep -c 'is not there')" 8 'check misses what is gone'
is "$(hits 'word7 common1')" "$(cat "$SCRATCH/before")" 'search finds all the same'
start
ok 'the stage mends and merges anew' wait_for "$PATIENCE" is_merged
sound 'sound again'

# Damage is told.
down
file=$SKEIN_HOME/db/segments/$(segments | grep '^1-')
vectors=$(echo "${file%.seg}"-*.vec)
cp "$file" "$SCRATCH/kept"
printf x | dd of="$file" bs=1 seek=5000 conv=notrunc 2>/dev/null
like "$(skein check)" 'is damaged.*rebuild --from store' 'check tells damage, and what to do'
hits 'word7 common1' >/dev/null
is $? 0 'search survives it'
cp "$SCRATCH/kept" "$file"
sound 'sound with the file back'
printf x | dd of="$file" bs=1 seek=5000 conv=notrunc 2>/dev/null
printf xyz | dd of="$vectors" bs=1 seek=9000 conv=notrunc 2>/dev/null
is "$(skein check | grep -c 'is damaged')" 1 'a damaged piece hides its vectors'

# Remade from the log.
start
ok 'rebuild --from store' silent skein rebuild --from store
is "$(hits 'word7 common1')" "$(cat "$SCRATCH/before")" 'gives what was there'
ok 'and merges again' wait_for "$PATIENCE" is_merged
is_sound() { silent skein check --deep; }
ok 'what was damaged is made again, and is what the log gives' wait_for "$PATIENCE" is_sound
ok '  byte for byte' cmp "$file" "$SCRATCH/kept"
printf xyz | dd of="$vectors" bs=1 seek=9000 conv=notrunc 2>/dev/null
like "$(skein check)" '\.vec is damaged' 'damaged vectors are told'
ok 'rebuild --from store again' silent skein rebuild --from store
ok 'makes them again too' wait_for "$PATIENCE" is_sound
down
is "$(digest | grep '^segments ')" "$(grep '^segments ' "$SCRATCH/digest")" 'the same pieces'
done_testing
