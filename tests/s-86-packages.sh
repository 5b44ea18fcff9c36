#!/bin/bash
# Packages: built-in and users' own types on the same turns, refusals, filters,
# suggestions; through the real stages.
. "$(dirname "$0")/lib.sh"

EXAMPLE=$TESTS/../scripts/examples/packages/bugreport.package
DATA=$TESTS/data/packages

new_home() {
  down
  export SKEIN_HOME=$SCRATCH/$1
  mkdir -p -m 700 "$SKEIN_HOME/packages"
}

# say THREAD MINUTE TEXT [ROLE]: a turn, when the store has it
say() {
  jq -cn --arg thread "$1" --arg ts "2026-01-14T10:$2:00Z" --arg text "$3" --arg role "${4-user}" \
    '{user: "ann", thread: $thread, ts: $ts, role: $role, text: $text}' |
    skein send --wait >"$SCRATCH/ack" || sed 's/^/# /' "$SCRATCH/ack"
  seq=$(jq .seq "$SCRATCH/ack")
}

# of TYPE FILTER: what jq makes of the artifacts of that type
of() { skein artifacts --json | jq -r --arg t "$1" "select(.type == \$t) | $2"; }
field() { of "$1" ".fields.$2 // empty | if type == \"array\" then join(\"|\") else . end"; }

debugging() {
  say "$1" 00 "I'm getting a 401 error when I call the orders api"
  say "$1" 01 "Let's look. Is the token still valid? You could try refreshing the token." assistant
  say "$1" 02 "Oh! Token was expired, works now!"
}

# ---- what there is ----
new_home list
is "$(skein packages --json | jq -r '"\(.name) \(.state) \(.life)"')" \
  $'decision loaded turn\neffort loaded effort\nevent loaded turn\nfact loaded answer\nnote loaded turn' \
  'the built-in packages'
is "$(skein packages --json | jq -r 'select(.name == "effort").schema | map(.name) | join(" ")')" \
  'goal attempts resolution' '  effort has the fields of the seed'
is "$(skein packages --json | jq -r 'select(.name == "fact").schema | map(.name) | map(select(. == ("statement", "source", "confidence"))) | join(" ")')" \
  'statement source confidence' '  and so has fact'
cp "$EXAMPLE" "$SKEIN_HOME/packages/"
cp "$DATA/broken.package" "$SKEIN_HOME/packages/"
: >"$SKEIN_HOME/packages/note.package"
is "$(skein packages --json | jq -r 'select(.from == "home" or .state == "refused") | "\(.name) \(.state)"')" \
  $'bugreport loaded\nbroken refused' 'own ones, and one that is refused'
like "$(skein packages --json | jq -r 'select(.name == "broken").reason')" \
  "broken.package:6: no such act: 'dance'$" '  with file, line and reason'
is "$(skein packages --json | jq -r 'select(.name == "note").name')" '' 'an empty file takes a shipped one away'
like "$(skein packages)" 'broken +refused' 'people see it too'
ok 'lines fit a hundred columns' test "$(skein packages | awk '{ if (length > n) n = length } END { print n }')" -le 100
skein packages check "$EXAMPLE" >"$SCRATCH/out" 2>&1
is "$?" 0 'check takes a good file'
skein packages check "$DATA/broken.package" >"$SCRATCH/out" 2>&1
is "$?" 1 '  and refuses a broken one'
like "$(cat "$SCRATCH/out")" "broken.package:6: " '  with its line'
skein packages dance >"$SCRATCH/out" 2>&1
is "$?" 2 'an unknown word is a wrong question'

# ---- both fire on the same turns ----
rm "$SKEIN_HOME/packages/note.package"
up || exit 1
debugging bug
say bug 03 'also, remind me to call mom later'
say other 10 'i want to learn about ww2'
say other 11 'Read a good overview of it first.' assistant
say other 12 'perfect, that answers my question, thanks!'
is "$(of effort 'select(.status == "resolved" and .parent == null) | .summary')" \
  $'Getting a 401 error when I call the orders api\nLearn about ww2' 'the efforts are resolved'
is "$(of bugreport '"\(.status) \(.summary) => \(.resolution)"')" \
  'resolved Getting a 401 error when I call the orders api => Token was expired, works now' \
  'the bug left a report too, the lesson none'
is "$(field bugreport error)" 'Getting a 401 error when I call the orders api' '  error'
like "$(field bugreport repro_steps)" 'when I call the orders api' '  repro_steps'
is "$(field bugreport fix)" 'Token was expired, works now' '  fix'
is "$(of bugreport .source_ref)" "$(of effort 'select(.summary | startswith("Getting")).source_ref')" \
  '  of the same turns'
is "$(of bugreport '.package')" 'bugreport 1' '  and says who made it'
like "$(of bugreport '.confidence')" '^0?\.8|^800' '  how surely'
is "$(of event '.summary')" 'Remind me to call mom later' 'the reminder is an event, in neither'
ok 'the pipeline is whole in spite of the broken file' \
  test "$(skein status --json | jq -r 'select(.stage? == "compactor").state')" = ready
like "$(cat "$SKEIN_HOME"/log/compactor* 2>/dev/null)" 'package refused: .*broken.package:6' '  which the log names'

# reopened and resolved again: one report, changed
say bug 20 'the 401 error is back again'
say bug 21 'Then rotate the signing key and restart the gateway.' assistant
say bug 22 'Rotating the signing key fixed it, thanks!'
is "$(of bugreport '.key' | wc -l)" "$(of effort 'select(.status == "resolved" and .parent == null and (.summary | test("401"))) | .key' | wc -l)" \
  'a report for each effort, however often it was reopened'

# ---- a life of its own: at once, and with answers ----
new_home own
cp "$DATA/allergy.package" "$DATA/definition.package" "$SKEIN_HOME/packages/"
up || exit 1
say a 00 'By the way, I am allergic to peanuts and walnuts.'
is "$(of allergy .summary)" 'Allergic: I am allergic to peanuts and walnuts' 'a type that is made at once'
say a 01 'what does idempotent mean?'
say a 02 'Idempotent means that doing it twice has the same effect as doing it once.' assistant
is "$(of definition .summary)" '' 'an answer waits for its conclusion'
say a 03 'ah got it, thanks'
like "$(of definition .summary)" 'Idempotent means' '  and is then kept by both packages'
is "$(of fact .summary | wc -l)" 1 '  the built-in one too'

# ---- the other examples ----
new_home traits
cp "$(dirname "$EXAMPLE")"/*.package "$SKEIN_HOME/packages/"
up || exit 1
say t 00 "I'm allergic to peanuts"
say t 01 'The ocean is deep.'
say t 02 'are you allergic to cats?'
is "$(of trait .summary)" "I'm allergic to peanuts" 'what somebody cannot stand is kept, where the package is taken'
say s 10 'The importer dies on start: Segmentation fault (core dumped)'
say s 11 'Run it under gdb and look at the backtrace.' assistant
say s 12 'it was a null pointer in config_load, fixed it by checking the file first'
is "$(of bugreport '[.summary, .resolution] | join(" => ")')" \
  'The importer dies on start: Segmentation fault (core dumped) => It was a null pointer in config_load, fixed it by checking the file first' \
  'a crash leaves a report, in whatever words it was ended'

# ---- a filter, and one that is broken ----
new_home filter
sed "s#^filter .*#filter '$DATA/better-fix.sh'#" "$DATA/filtered.package" >"$SKEIN_HOME/packages/filtered.package"
up || exit 1
debugging one
is "$(field filtered fix)" 'FIXED BY: Token was expired, works now' "a package's own program words it"
is "$(of filtered .resolution)" 'FIXED BY: Token was expired, works now' '  also in the resolution'
down
sed "s#^filter .*#filter echo nonsense; sleep 60#" "$DATA/filtered.package" >"$SKEIN_HOME/packages/filtered.package"
up || exit 1
debugging two
is "$(field filtered fix | tail -n 1)" 'Token was expired, works now' 'a bad answer changes nothing'
ok '  and is counted' wait_for 10 eval \
  '[[ $(skein status --json | jq -r "select(.stage? == \"compactor\") | .counters.package_faults // 0") -ge 1 ]] ||
   grep -q "filter of package filtered gave no answer" "$SKEIN_HOME"/log/compactor*'

# ---- the same again from the log ----
new_home again
cp "$EXAMPLE" "$DATA/allergy.package" "$DATA/definition.package" "$SKEIN_HOME/packages/"
up || exit 1
debugging x
say x 10 'I am allergic to cats'
before=$(digest)
skein rebuild --from compactor >/dev/null 2>&1
is "$(digest)" "$before" 'a rebuild gives the same'

# ---- suggestions ----
new_home suggest
up || exit 1
is "$(skein packages suggest --json 2>&1)" '' 'of nothing nothing is suggested'
jq -cn '["finished the parser, next the cli", "fixed two tests, next the docs", "wrote the man page",
    "reviewed three patches", "moved the tables"] | to_entries[] |
  {thread: "t\(.key)", user: "u\(.key)", ts: "2026-01-1\(.key)T09:00:00Z", text: "Standup: \(.value)"}' |
  skein send --wait >"$SCRATCH/acks"
skein packages suggest >"$SCRATCH/draft.package"
like "$(cat "$SCRATCH/draft.package")" 'package standup' 'what recurs is suggested'
like "$(cat "$SCRATCH/draft.package")" '5 turns in 5 threads' '  with counts'
like "$(cat "$SCRATCH/draft.package")" '#   1\.0 +Standup: finished the parser' '  and examples'
is "$(skein packages suggest | md5sum)" "$(md5sum <"$SCRATCH/draft.package")" '  always the same'
skein packages check "$SCRATCH/draft.package" >"$SCRATCH/out" 2>&1
is "$?" 0 '  as a file that check takes'
cp "$SCRATCH/draft.package" "$SKEIN_HOME/packages/standup.package"
is "$(skein packages suggest 2>/dev/null)" '' 'once it is there it is suggested no more'
skein restart compactor >/dev/null 2>&1
skein rebuild --from compactor >/dev/null 2>&1
is "$(of standup .key | wc -l)" 5 'and a rebuild makes artifacts of it'

done_testing
