#!/bin/bash
# s-64-weights - of files that come along, a missing one is done without and a broken one refused

. "$(dirname "$0")/lib.sh"
share=$(cd "$SKEIN_BIN/../share" && pwd)
data=$SCRATCH/data
mkdir "$data"

# A store, so that a stage has something to do.
ok 'the pipeline comes up' silent up
{
  printf '{"user":"ann","ts":"2025-01-01T10:0%d:00Z","text":"%s"}\n' 0 'my printer is broken, how can I fix it?'
  printf '{"user":"ann","role":"assistant","ts":"2025-01-01T10:0%d:00Z","text":"%s"}\n' 1 'Replace the roller behind the tray.'
  printf '{"user":"ann","ts":"2025-01-01T10:0%d:00Z","text":"%s"}\n' 2 'that fixed it, thanks!'
} | skein send --wait >/dev/null
down

# started STAGE: its exit status, and in `out` what it says
started() {
  out=$(SKEIN_DATA_DIR=$data timeout 20 "skein-$1" --home "$SKEIN_HOME" --once 2>&1)
  echo $? >"$SCRATCH/rc"
}
refuses() { # STAGE FILE WHAT
  started "$1"
  is "$(<"$SCRATCH/rc")" 100 "$1 refuses $2 that is $3"
  like "$out" "/${2//./\\.}[: ]" '  and names the file'
}

while read -r stage file; do
  ln -sf "$share"/* "$data/"
  rm "$data/$file"
  started "$stage"
  is "$(<"$SCRATCH/rc")" 0 "$stage goes on without $file"
  : >"$data/$file"
  refuses "$stage" "$file" empty
  head -c $(($(stat -Lc %s "$share/$file") * 2 / 3)) "$share/$file" >"$data/$file"
  refuses "$stage" "$file" 'cut short'
  { head -c 700 "$share/$file"; printf '\0\377junk\n'; tail -c +707 "$share/$file"; } >"$data/$file"
  refuses "$stage" "$file" garbled
  { cat "$share/$file"; echo 1; } >"$data/$file"
  refuses "$stage" "$file" 'too long'
  rm "$data/$file"
done <<'END'
classify acts.model
chainer reply.model
chainer embed.bin
chainer course.model
compactor stance.model
compactor how.model
compactor rank.model
END

rm -f "$data"/*.model "$data/embed.bin"
for stage in classify chainer compactor; do
  started $stage
  is "$(<"$SCRATCH/rc")" 0 "$stage goes on without any of them"
done
done_testing
