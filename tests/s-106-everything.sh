#!/bin/bash
#
# Every kind of entry through every stage as shipped, disturbed in all ways:
# the store is in the end the one that an undisturbed run leaves, every verb
# reads it, and nothing is seen across a domain's wall.

: "${EVERYTHING_ENTRIES:=5000}" "${EVERYTHING_KILLS:=40}" "${EVERYTHING_SEED:=1}"
: "${EVERYTHING_SIZES:=1 7 4096}"
. "$(dirname "$0")/pipeline.sh"
command -v python3 >/dev/null || skip_all 'needs python3'

# Small limits, so that all that a limit sets off happens often; questions are
# asked, and those who answer them stand in the input.
export SKEIN_ASSESS=on SKEIN_ASSESS_MODEL=none SKEIN_ASK_BELOW=900 \
  SKEIN_CHECKPOINT_TOKENS=400 SKEIN_EPISODE_TURNS=20 SKEIN_LINK_TUNE_EVERY=20

new_home() {
  export SKEIN_HOME=$SCRATCH/$1
  mkdir -p -m 700 "$SKEIN_HOME/packages"
  cp "$TESTS/../scripts/examples/packages/bugreport.package" "$SKEIN_HOME/packages/"
  sed '/^assess/d' "$TESTS/../scripts/stages" >"$SKEIN_HOME/stages"
}

# sound NAME: nothing is wrong, ingest's tables made again beside included, and
# nothing of what was forgotten is left
sound() { ok "$1: skein check --deep" is_sound; }
is_sound() {
  skein check --deep --forgotten >"$SCRATCH/check" 2>&1 &&
    ! grep -q '^note: .* not there' "$SCRATCH/check" && return
  head -n 20 "$SCRATCH/check" | sed 's/^/#   /'
  return 1
}
same() {
  ok "$1: same digest" same_digest calm
  sound "$1"
}

python3 "$TESTS/everything.py" "$EVERYTHING_ENTRIES" --seed "$EVERYTHING_SEED" --forget \
  --owners "$SCRATCH/owners" >"$SCRATCH/in"
head=$(tail -n 1 "$SCRATCH/owners" | cut -d' ' -f1)

# ---- undisturbed

new_home calm
start
ok 'undisturbed: all of it passes' send "$SCRATCH/in" "$SCRATCH/calm.acks"
is "$(jq -s 'map(.seq // 0) | max' "$SCRATCH/calm.acks")" "$head" 'every entry that should be is accepted'
forgotten=$(skein check --forgotten | sed -n 's/^note: \([0-9]*\) entries are tombstones/\1/p')
ok "some is forgotten: $forgotten entries" test "${forgotten:-0}" -gt 20
is "$(skein rejects --json | jq -r 'select(.kind == "reject") | "\(.seq) \(.stage) \(.reason)"')" '' 'no stage rejects any'
down
digest >"$SCRATCH/calm.digest"
sound undisturbed
skein export >"$SCRATCH/exported" 2>"$SCRATCH/err"
rc=$? about=$(sed -n 's/^left out: \([0-9]*\) commands about.*/\1/p' "$SCRATCH/err")
is "$rc $(wc -l <"$SCRATCH/exported") $(head -n 1 "$SCRATCH/err")" \
  "0 $((head - forgotten - about)) left out: $forgotten forgotten entries" 'all is exported but what was forgotten'

# The input is worth its name: nothing that a stage can keep is missing.
empty=$(awk '$2 == 0 && $1 !~ /^(rejects|probe_.*|live_domains|.*_live_dues?)$/ { print $1 }' "$SCRATCH/calm.digest")
is "$empty" '' 'every table has something in it'

# ---- batches

for size in $EVERYTHING_SIZES; do
  new_home "batch$size"
  SKEIN_BATCH_ENTRIES=$size start
  ok "batches of $size: all of it passes" send "$SCRATCH/in" "$SCRATCH/acks"
  ok "batches of $size: same results" same_file "$SCRATCH/acks" "$SCRATCH/calm.acks"
  down
  same "batches of $size"
done

# ---- kills

plan=$(for ((i = 0; i < EVERYTHING_KILLS; i++)); do
  echo "$((i * 7919 % 104729 * 31 % 1009)) ${STAGES[i % ${#STAGES[@]}]}"
done | sort -n | cut -d' ' -f2)
new_home killed
start
mkfifo "$SCRATCH/feed"
send "$SCRATCH/feed" "$SCRATCH/killed.acks" &
client=$!
exec {in}<"$SCRATCH/in" {feed}>"$SCRATCH/feed"
portion=$((EVERYTHING_ENTRIES / EVERYTHING_KILLS + 1))
kills=0
for stage in $plan; do
  head -n "$portion" <&"$in" >&"$feed"
  read -rt "0.0$((kills * 37 % 30 + 10))" <> <(:)
  # One that ends by itself because something was forgotten may be missed.
  kill_stage "$stage" 2>/dev/null || kill_stage "$stage" || break
  kills=$((kills + 1))
done
cat <&"$in" >&"$feed"
exec {feed}>&- {in}<&-
ok 'killed: the client has all its results' wait "$client"
is "$kills" "$EVERYTHING_KILLS" 'killed: as often as planned'
# A result that is told again says nothing of what was forgotten, also no id.
for run in calm killed; do jq -c 'del(.id)' "$SCRATCH/$run.acks" >"$SCRATCH/$run.results"; done
ok 'killed: same results' same_file "$SCRATCH/killed.results" "$SCRATCH/calm.results"
down
same killed

# ---- made again from the log

start
for stage in classify compactor linker store; do
  ok "rebuilt from $stage" silent skein rebuild --from "$stage"
  same "rebuilt from $stage"
done
down

# ---- own tables lost or damaged

# again NAME: what happens at the next start
again() {
  local stage
  start
  for stage in "${STAGES[@]}"; do wait_for "$PATIENCE" is_ready "$stage"; done
  wait_for "$PATIENCE" at_seq store "$head"
  down
  ok "$1: same digest" same_digest calm
}
spoil() {
  local pages
  pages=$(($(stat -c %s "$1") / 4096))
  head -c 65536 "$SCRATCH/in" |
    dd of="$1" bs=4096 seek=$((pages / 2)) count=16 conv=notrunc status=none
}
for stage in "${STAGES[@]}"; do
  rm -r "$SKEIN_HOME/db/$stage"
  again "$stage: tables gone"
done
for stage in "${STAGES[@]}"; do spoil "$SKEIN_HOME/db/$stage/data.mdb"; done
again 'all tables spoilt'
rm -r "$SKEIN_HOME/db/segments"
again 'the index gone'
spoilt=$(ls "$SKEIN_HOME"/db/segments/*.seg | head -n 1)
spoil "$spoilt"
like "$(skein check --deep)" "${spoilt##*/} is damaged: remove it" 'a spoilt piece of the index is found'
rm "$spoilt"
again 'it is made again'
sound 'at the end'

# ---- every reading verb, and the wall

start
# reads DOMAIN VERB...: into SCRATCH/read; 0 if it goes well and is JSON
reads() {
  skein "${@:2}" --domain "$1" --json >"$SCRATCH/read" 2>"$SCRATCH/read.err" &&
    jq -es 'map(type == "object") | all' "$SCRATCH/read" >"$SCRATCH/jq" 2>&1 && return
  head -n 3 "$SCRATCH/read.err" "$SCRATCH/jq" | cut -c1-200 | sed 's/^/#   /'
  return 1
}
# behind_wall DOMAIN: nothing in SCRATCH/read is another's: no word, no key
behind_wall() {
  local mine
  case $1 in north) mine=qnorth ;; south) mine=qsouth ;; *) mine=qhome ;; esac
  grep -oiE '\w*q(north|south|home)' "$SCRATCH/read" | grep -vi "$mine" | sort | uniq -c | head -n 3 >"$SCRATCH/foreign"
  grep -oE '"([a-z]?[1-9][0-9]*\.[0-9]+|[a-z][0-9]+)"|"seq":[0-9]+' "$SCRATCH/read" | sed 's/"seq"://; s/"//g' | sort -u |
    awk -v domain="$1" -v names="$SCRATCH/owners" 'BEGIN { while ((getline line < names) > 0) { split(line, f, " "); of[f[1]] = f[2] } }
      { n = $1; sub(/^[a-z]/, "", n); sub(/\..*/, "", n); if (of[n] != domain) print $1, "is of", of[n] }' | head -n 3 >>"$SCRATCH/foreign"
  [[ ! -s $SCRATCH/foreign ]] && return
  sed 's/^/#   /' "$SCRATCH/foreign"
  return 1
}
# looks VERB...: in each domain
looks() {
  local domain
  for domain in north south default; do
    ok "$domain: skein $* is JSON" reads "$domain" "$@"
    ok "$domain: skein $* stays behind the wall" behind_wall "$domain"
  done
}
some() { skein "$1" --domain south --json --limit 1 | jq -rs '.[0].key'; }
looks turns --limit 100000
looks threads --limit 100000
looks requests --limit 100000
looks conversations --limit 100000
looks chains --limit 100000
looks sessions --limit 100000
looks artifacts --limit 100000
looks episodes --limit 100000
looks skills --limit 100000
looks links --all --limit 100000
looks tuning
looks search 'loginqnorth OR loginqsouth printer error' --limit 1000
looks search 'the token had the wrong audience' --in turns,artifacts,threads,episodes,skills
looks context --query 'what about the printer and the login error?' --budget 4000
looks context --thread work-0 --budget 4000
looks begin 'fix the login error' --now 2024-03-20T00:00:00Z
for verb in turns threads chains artifacts episodes skills links; do
  key=$(some "$verb")
  ok "$verb: there is one to show" test -n "$key"
  ok "  shown by its key $key" reads south show "$key"
  ok '  behind the wall' behind_wall south
  ok '  with its grounds' reads south show "$key" --why
  skein show "$key" --domain north --json >"$SCRATCH/read" 2>&1
  is "$?" 1 '  and not from another domain'
done
refined=$(skein artifacts --domain south --json --limit 100000 | jq -r 'select(.thought_type == "consolidation").key' | head -n 1)
ok 'lineage' reads south lineage "$refined"
ok '  behind the wall' behind_wall south
for verb in packages status rejects; do
  is "$(skein $verb --json | jq -s 'map(type == "object") | all')" true "skein $verb is JSON"
done
is "$(skein tap --from 1 --until "$head" --stage store --json --no-wait 2>"$SCRATCH/err" | jq -s 'map(select(.kind == "entry").seq) | length')" \
  "$head" 'the tap tells all of it'

# ---- out and in again

down
python3 "$TESTS/everything.py" 1500 --seed 7 >"$SCRATCH/short"
undisturbed first "$SCRATCH/short"
SKEIN_HOME=$SCRATCH/first skein export >"$SCRATCH/exported"
undisturbed second "$SCRATCH/exported"
ok 'a log sent again is the same log, and the store the same store' same_file "$SCRATCH/second.digest" "$SCRATCH/first.digest"
done_testing
