#!/bin/bash
# What the chainer keeps in memory of rooms, forks and calls: the same tables
# when each entry finds it there, when nothing is at hand, and when they are
# made from the sections alone.
. "$(dirname "$0")/lib.sh"

# 700 entries: two rooms past what is remembered of one, threads with two
# people, forks of them, answers by id and by key, calls of several messages.
feed() {
  awk 'function message(role, text) { return "{\"role\":\"" role "\",\"content\":\"" text "\"}" }
  BEGIN {
    split("printer garden invoice trip kernel recipe battery contract wifi ticket", thing, " ")
    split("is broken again|costs too much|by the way needs a new part|was fixed, thanks|back to the one we talked about|yes|which one is it?", say, "|")
    ts = 1700000000000
    for (i = 1; i <= 700; i++) {
      ts += i % 89 == 0 ? 90000000 : 7000
      text = "the " thing[i * 7 % 10 + 1] " of " thing[i * 3 % 10 + 1] " " say[i * 5 % 7 + 1]
      if (i % 15 == 9)
        printf "{\"type\":\"exchange\",\"user\":\"eve\",\"ts\":%.0f,\"messages\":[%s,%s,%s],\"response\":\"it is at %d\"}\n", \
          ts, message("user", text), message("assistant", "the " thing[i % 10 + 1] ", " i), \
          message("user", "and the " thing[i * 9 % 10 + 1] "?"), i
      else if (i % 70 == 65) {
        fork = "f" i
        printf "{\"type\":\"fork\",\"thread\":\"t%d\",\"as\":\"%s\",\"ts\":%.0f}\n", i % 2, fork, ts
      } else if (i % 4 == 0) {
        thread = fork != "" && i % 8 == 0 ? fork : "t" i / 4 % 2
        printf "{\"user\":\"u%d\",\"thread\":\"%s\",\"id\":\"m%d\",\"ts\":%.0f,\"text\":\"%s\"}\n", i % 3, thread, i, ts, text
      } else {
        answers = i % 9 > 0 ? "" : ",\"reply_to\":\"" (i % 2 ? "m" (i - 5) : (i - 6) ".0") "\""
        printf "{\"room\":\"r%d\",\"user\":\"u%d\",\"id\":\"m%d\",\"ts\":%.0f,\"text\":\"%s%s\"%s}\n", \
          i % 7 == 0, i * 11 % 6, i, ts, i % 6 == 0 ? "u3: " : "", text, answers
      }
    }
  }'
}
feed >"$SCRATCH/feed"
chains() { skein digest | grep -E '^(s_chainer|chains|chain_|sessions) *'; }

run() {
  export SKEIN_HOME=$SCRATCH/$1
  mkdir -p -m 700 "$SKEIN_HOME"
  up || exit 1
  skein send --wait "$SCRATCH/feed" >"$SCRATCH/acks"
  down
}
run whole
is "$(grep -c '"error"' "$SCRATCH/acks")" 0 'all entries are taken'
chains >"$SCRATCH/whole.digest"
is "$(wc -l <"$SCRATCH/whole.digest")" 10 'tables to compare'
rm -r "$SKEIN_HOME/db/chainer"
ok 'tables that are gone are made again' skein-chainer --log "$SCRATCH/log" --once
ok '  from the sections alone, the same' diff <(chains) "$SCRATCH/whole.digest"
SKEIN_BATCH_ENTRIES=1 run single
ok 'an entry at a time: the same' diff <(chains) "$SCRATCH/whole.digest"
done_testing
