#!/bin/bash
# What lists and `show` say, and how they are asked.
. "$(dirname "$0")/lib.sh"

# field FILTER: of standard input, joined by spaces
field() { jq -r "$1" | paste -sd ' '; }
code() { "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"; echo $?; }

ok 'lists say that there is no store' test "$(code skein turns)" = 1
like "$(cat "$SCRATCH/err")" "no store in .*'skein up' makes one" 'and what to do'
is "$(code skein status)" 1 'status of a home with nothing in it fails'
like "$(cat "$SCRATCH/out")" 'No supervisor runs' 'and says so'
for verb in send 'remember this'; do
  # shellcheck disable=SC2086
  is "$(code skein $verb </dev/null)" 1 "$verb where nothing ever ran fails at once"
  like "$(cat "$SCRATCH/err")" "no pipeline ever ran on .*'skein up' starts one" '  and says so'
done
ok 'and makes no home' test ! -e "$SKEIN_HOME"

up || exit 1
skein send --wait "$TESTS/data/every-type.jsonl" >"$SCRATCH/acks" 2>&1
is "$(grep -c '"seq"' "$SCRATCH/acks")" 26 'one entry of every type is taken'
echo '{"text":""}' | skein send >/dev/null

# turns
is "$(skein turns --json | field .key)" \
  '1.0 2.0 3.0 4.0 5.0 7.0 9.0 9.1 10.0 10.1 11.0 11.1 11.2 12.0 15.0 26.0' \
  'a row per turn, several for an exchange, none for commands'
want='seq key id domain user channel room session thread role ts text act
  confidence level concludes decides opens returns sentences claims chain
  chains effort conversation'
is "$(skein turns --json | jq -r --arg want "$want" \
  '. as $t | [$want | split("[ \n]+"; "") | .[] | select(in($t) | not)] | length' |
  sort -u)" 0 'every field is there in every row'
is "$(skein turns --json --thread proj | field '"\(.key)=\(.thread)/\(.role)"')" \
  '4.0=proj/user 5.0=proj/assistant' 'a thread by the id of its sender'
is "$(skein turns --json --thread t4 | field .key)" '4.0 5.0' 'and by its key'
is "$(skein turns --json --thread side | field .key)" '4.0 7.0' \
  'a fork shows the history it shares first'
is "$(skein turns --json --thread side --limit 1 | field .key)" 7.0 'the newest with a limit'
is "$(skein turns --json --thread side --own | field .key)" 7.0 'and its own alone with --own'
is "$(skein turns --json --user bob | field .key)" '4.0 5.0 7.0' '--user'
is "$(skein turns --json --role assistant | field .key)" '5.0 9.1 10.1 11.2' '--role'
is "$(skein turns --json --since 2025-11-05T12:00:00Z --until 2025-11-05T12:01:00Z | field .key)" \
  '3.0 4.0 5.0' '--since and --until, both inclusive'
is "$(skein turns --json --since 1762344000000 --until=2025-11-05T12:00:00Z | field .key)" \
  '3.0 4.0' 'also in milliseconds'
is "$(skein turns --json --limit 3 | field .key)" '12.0 15.0 26.0' '--limit gives the newest, in order'
is "$(skein turns --json --domain work | field '"\(.key) \(.id) \(.text)"')" \
  '14.0 m2 Behind the wall.' 'another domain shows its own alone'
is "$(skein turns --json --domain work --thread proj 2>/dev/null | wc -l)" 0 'and none of its threads'
is "$(skein turns --json --limit 1 | jq -r .text)" $'Ünïcode ✓ and "quotes" \\ and\nlines' 'text comes back as it was'
is "$(skein turns --json | jq -r 'select(.key == "10.0").text')" $'And 3+3?\nUse the tool.' 'blocks of text are lines'

# threads
want='thread_id user_id created_at last_activity_at channels
  inactivity_timeout_minutes explicit_channel primary_episode_id
  cross_thread_episodes turn_count summary key id name domain room parent
  parent_turn closed'
is "$(skein threads --json | jq -r --arg want "$want" \
  '. as $t | [$want | split("[ \n]+"; "") | .[] | select(in($t) | not)] | length' |
  sort -u)" 0 'every field of a thread is there'
is "$(skein threads --json | field '"\(.key)=\(.thread_id):\(.turn_count)"')" \
  't1=t1:2 t3=t3:1 t4=proj:2 t6=side:1 t9=t9:4 t11=t11:3 t12=t12:1 t15=t15:1 t26=t26:1' \
  'threads, by the id of the sender where there is one'
is "$(skein threads --json --thread side | jq -c '[.parent,.parent_turn,.name,.closed,.explicit_channel]')" \
  '["proj",1,"Side",false,true]' 'a fork knows its parent'
is "$(skein threads --json --thread t1 | jq -c '[.channels,.inactivity_timeout_minutes,.created_at,.last_activity_at]')" \
  '[["sms","web"],30,"2025-11-05T10:00:00Z","2025-11-05T10:10:00Z"]' 'channels in the order of use, times'
for wrong in 'artifacts --status bogus' 'chains --state zzz' 'turns --role banana' \
  'episodes --type efort' 'search x --status bogus' 'search x --role banana'; do
  # shellcheck disable=SC2086
  is "$(skein $wrong 2>&1 >/dev/null | grep -c 'is none of: ')$(code skein $wrong)" 12 "$wrong: what may be said is said"
done
for verb in artifacts 'search x'; do
  # shellcheck disable=SC2086
  is "$(skein $verb --json --type efort 2>&1; echo $?)" \
    "skein ${verb% x}: no package is called 'efort'; did you mean 'effort'?"$'\n0' "$verb --type that no package has"
  # shellcheck disable=SC2086
  is "$(skein $verb --json --type effort --tag nosuch 2>&1; echo $?)" 0 '  and one that has none with this tag'
done
like "$(skein threads --thread t1)" '  sms, web  ' 'a list reads as one'
is "$(skein threads --json --user ann | field .key)" 't1 t3 t26' '--user'
is "$(skein threads --json --since 2025-11-05T13:05:00Z | field .key)" 't15 t26' '--since: active since'
is "$(skein threads --json --domain work | field .key)" t14 '--domain'
is "$(skein threads --json --limit 2 | field .key)" 't15 t26' '--limit'

# requests
is "$(skein requests --json | field '"\(.key) \(.known)+\(.added) \(.thread) \(.parent_key)"')" \
  '9.0 0+2 t9 null 10.0 2+2 t9 9.1 11.0 2+3 t11 9.1 12.0 0+1 t12 null' 'requests: what was known, what was added'
is "$(skein requests --json | jq -r 'select(.key == "10.0").parent_hash | length')" 32 'the prefix it continues has a hash'
is "$(skein requests --json | jq -r .system_hash | sort -u | wc -l)" 2 'a changed date does not change the system text'
is "$(skein requests --json --thread t9 | field .id)" 'x1 x2' '--thread'
is "$(skein requests --json --limit 1 | jq -c '[.conversation,.parent,.branch,.subtask,.task_parent,.match]')" \
  '["v12",null,"main",false,null,{"strategy":"new","why":"no earlier call belongs to it"}]' 'what the linker says of it'

# rejects
is "$(skein rejects --json | jq -c '[.kind,.stage,.code]')" '["refusal","ingest","bad_value"]' 'a refusal is listed'
is "$(skein rejects --json --domain default | wc -l)" 0 'it is of no domain'

# show
is "$(skein show m2 --json | jq -c '[.kind,.seq,.entry.text,.thread.key,(.sections|keys_unsorted|length),.arrival.number]')" \
  '["turn",2,"The seal leaks again.","t1",6,2]' 'show by the id of the sender: entry, sections, arrival, thread'
is "$(skein show 10.1 --json | jq -c '[.kind,.turn.key,.turn.role]')" '["exchange","10.1","assistant"]' 'by a key of a turn'
is "$(skein show 13 --json | jq -c '[.kind,.entry.agent_id]')" '["memory","a7"]' 'by seq'
is "$(skein show proj --json --turns | jq -c '[.kind,.key,.thread.name,(.turns|map(.key))]')" \
  '["thread","t4","The project",["4.0","5.0"]]' 'a thread by its id, with turns'
like "$(skein show proj)" '^t4  The project.*4\.0  .*  user' 'for people a page: its members, then what was said'
is "$(skein show t6 --json | jq -r .thread.thread_id)" side 'and by its key'
is "$(skein show m2 --json --why | jq -r '.why[] | select(.field == "why") | "\(.stage): \(.value)"')" \
  'ingest: continues' '--why says how the thread was found'
is "$(skein show x1 --json --hash | jq -r .system)" $'You are kind.\nToday\'s date is Tuesday.' '--hash shows the text that was hashed'
is "$(skein show m2 --json --domain work | jq .seq)" 14 'the same id in another domain is another'
is "$(code skein show 14)" 1 'a key of another domain is not shown'
like "$(skein show m2 --json=x 2>&1)" 'no option' 'an unknown option of show is refused'
ok 'show for people is JSON, indented' test "$(skein show m2 | jq -c .seq)" = 2

# for people
is "$(skein threads | head -1 | awk '{print $1, $2, $3}')" 'KEY ID USER' 'a table has a head'
ok 'and no colours into a pipe' test -z "$(skein threads | grep $'\033')"
ok 'but on a terminal' grep -q $'\033\\[1mKEY' <(script -qec 'skein threads' /dev/null </dev/null)
ok 'unless NO_COLOR is set' test -z "$(NO_COLOR=1 script -qec 'skein threads' /dev/null </dev/null | grep $'\033')"
for i in {1..60}; do echo "{\"text\":\"n$i\",\"user\":\"many\",\"ts\":$((1762400000000 + i))}"; done |
  skein send --wait >/dev/null
is "$(skein turns 2>/dev/null | tail -n +2 | wc -l)" 50 'people get 50 rows'
like "$(skein turns 2>&1 >/dev/null)" 'older ones: --limit N' 'and are told of more'
is "$(skein turns --json | wc -l)" 76 'programs get all'
is "$(skein turns --limit 70 2>&1 | tail -n +2 | wc -l)" 70 'or as many as they say'

# --after
echo '{"text":"late one","user":"late"}' | skein send >"$SCRATCH/ack"
seq=$(jq .seq "$SCRATCH/ack")
is "$(skein turns --json --after "$seq" --user late | jq -r .text)" 'late one' '--after waits for the store'
is "$(SKEIN_CLIENT_PATIENCE=1 code skein turns --after 999999)" 1 'and gives up with patience at its end'
like "$(cat "$SCRATCH/err")" "before 999999: see 'skein status'" 'saying where the store is'

# asked wrongly
for words in 'turns --bogus' 'turns --limit' 'turns --limit 0' 'turns --limit 1x' \
  'turns --since yesterday' 'turns extra' 'turns --own' 'threads --role user' \
  'show' 'show a b' 'backup' 'rebuild' 'rebuild --from ingest' 'rebuild --from nope' \
  'check x' 'export x' 'status x' 'migrate x' 'shadow' 'shadow ingest' 'shadow classify --from 7' 'nonsense'; do
  is "$(code skein $words)" 2 "exit 2: skein $words"
  ok '  with a reason' test -s "$SCRATCH/err"
done
is "$(code skein turns --thread none)" 1 'a thread that is not there: exit 1'
# Every verb lists its options, and does nothing else.
told=0
for verb in $(skein help | awk '/^  [a-z]/ { print $1 }'); do
  case $verb in up | down | restart | replace | tap | ask | digest | packages) continue ;; esac
  skein "$verb" --help 2>/dev/null | grep -qx '  --json' && told=$((told + 1)) || echo "# $verb"
done
ok "$told verbs tell their options" test "$told" -gt 30
is "$(code skein search --help)" 0 'which is no error'

# status
is "$(code skein status --json)" 0 'status: all up'
is "$(jq -r 'select(.stage) | "\(.stage)=\(.state)/\(.lag)"' "$SCRATCH/out" | paste -sd ' ')" \
  'ingest=ready/0 classify=ready/0 chainer=ready/0 compactor=ready/0 linker=ready/0 store=ready/0 query=ready/null assess=off/null' \
  'every stage, ready, without lag'
is "$(jq -r 'select(.stage == "classify").pid' "$SCRATCH/out")" "$(stage_pid classify)" 'its pid'
ok 'and its memory' test "$(jq 'select(.stage == "classify").memory_bytes' "$SCRATCH/out")" -gt 100000
is "$(jq -r 'select(.store) | [.used_bytes,.map_bytes,.map_limit_bytes,.disk_free_bytes] | map(. > 0) | all' "$SCRATCH/out")" \
  true 'the room of the store'
kill -9 "$(stage_pid linker)"
restarted() { [[ $(skein status --json | jq 'select(.stage == "linker").restarts') == 1 ]] && skein status >/dev/null; }
ok 'a restart is counted' wait_for 10 restarted
down
is "$(code skein status)" 1 'status when down: exit 1'
like "$(cat "$SCRATCH/out")" "'skein up' starts one" 'and says so'
like "$(cat "$SCRATCH/out")" 'ingest +down +87' 'cursors are known all the same'
is "$(skein turns --json | wc -l)" 77 'lists work when all is down'
done_testing
