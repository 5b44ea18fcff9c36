#!/bin/bash
#
# Which thread a turn belongs to: seed 3, section 6.1, and the rules around it

. "$(dirname "$0")/lib.sh"
cat >"$SCRATCH/conf" <<'END'
inactivity_timeout.channel.slow = 120
inactivity_timeout.user.hasty = 5
END
mkdir -p -m 700 "$SKEIN_HOME"
mv "$SCRATCH/conf" "$SKEIN_HOME/skein.conf"
up || { echo 'Bail out! the pipeline does not start'; exit 1; }

get() {
  [[ $2 =~ \"$1\":(\"([^\"]*)\"|\[[^]]*\]|[^,}]*) ]] || return
  echo "${BASH_REMATCH[2]:-${BASH_REMATCH[1]}}"
}

# at MINUTES [MS]: a time, from 2025-11-05T10:00:00Z
base=1762336800000
at() { echo $((base + $1 * 60000 + ${2:-0})); }

# say USER MINUTES [MEMBERS [MS]]: sends a turn; its thread goes to $thread
say() {
  local line
  line=$(printf '{"user":"%s","ts":%s,"text":"at %s"%s}\n' "$1" "$(at "$2" "${4:-0}")" "$2" "${3:+,$3}" |
    skein send --wait) || { echo "# $line"; thread=refused; return; }
  thread=$(get thread "$(skein turns --json | grep "\"key\":\"$(get key "$line")\"")")
}
thread_of() { skein threads --json | grep "\"thread_id\":\"$1\""; }

# ---- seed 3, section 6.1 ----

say eve 0 '"thread":"weather","channel":"web"'; a=$thread
say eve 1 '"thread":"dinner","channel":"web"'; b=$thread
say eve 2 '"thread":"weather","channel":"web"'; c=$thread
is "$a $b $c" 'weather dinner weather' 'Explicit channel: User selection creates thread boundary'
say eve 5000 '"thread":"weather","channel":"web"'
is "$thread" weather 'Explicit channel: no inactivity ends a selected thread'

say ann 0 '"channel":"sms"'; a=$thread
say ann 45 '"channel":"sms"'; b=$thread
ok 'Implicit channel: 30-min inactivity creates thread boundary' test "$a" != "$b"

say ann 60 '"channel":"sms"'
is "$thread" "$b" 'Implicit channel: <30-min activity continues thread'

say meg 0 '"channel":"sms"'; a=$thread
say meg 20 '"channel":"whatsapp"'
say meg 45 '"channel":"sms"'
t=$(thread_of "$a")
is "$(get thread_id "$t")|$(get user_id "$t")|$(get created_at "$t")|$(get last_activity_at "$t")" \
  "$a|meg|2025-11-05T10:00:00Z|2025-11-05T10:45:00Z" 'Thread metadata stored correctly'
is "$(get channels "$t")|$(get inactivity_timeout_minutes "$t")|$(get explicit_channel "$t")|$(get turn_count "$t")" \
  '["sms","whatsapp"]|30|false|3' 'Thread metadata: channels in order of use, timeout, kind, count'
is "$(get primary_episode_id "$t")|$(get cross_thread_episodes "$t")" "p${a#t}|[]" \
  'Thread metadata: what later stages own is there'
is "$(get explicit_channel "$(thread_of weather)")" true 'Thread metadata: a selected thread says so'

# ---- the border itself ----

say kim 0; a=$thread
say kim 30
is "$thread" "$a" 'exactly 30 minutes continue'
say kim 60 '' 1
ok '30 minutes and a millisecond do not' test "$thread" != "$a"
say kim 61 '' 1; b=$thread
say kim 70 '"channel":"mail"'
is "$thread" "$b" 'a thread goes on across channels'
say lea 70
ok 'but not across users' test "$thread" != "$b"
say kim 70 '"domain":"work"'
ok 'nor across domains' test "$thread" != "$b"

# ---- timeouts: thread, user, channel, global ----

say tom 0 '"channel":"slow"'; a=$thread
say tom 120 '"channel":"slow"'
is "$thread" "$a" 'a channel has its own timeout'
say tom 240 '"channel":"slow"' 1
ok 'and an end of it' test "$thread" != "$a"
say hasty 0 '"channel":"slow"'; a=$thread
say hasty 5 '"channel":"slow"'
is "$thread" "$a" 'a user has one'
say hasty 11 '"channel":"slow"'; b=$thread
ok "before the channel's" test "$b" != "$a"
say hasty 12 '"inactivity_timeout_minutes":60'
say hasty 72
is "$thread" "$b" "a thread's own is before both, from the turn that gives it"
say hasty 132 '' 1
ok 'and ends too' test "$thread" != "$b"
say ned 0 '"inactivity_timeout_minutes":10'; a=$thread
say ned 10; is "$thread" "$a" "a thread's own may be shorter"
say ned 21; ok 'than the global one' test "$thread" != "$a"

# ---- rooms ----

say ann 100 '"room":"kitchen"'; a=$thread
say bob 110 '"room":"kitchen"'
is "$thread" "$a" 'a room is one stream for all who speak in it'
say bob 111
ok 'apart from what they say elsewhere' test "$thread" != "$a"
say bob 141 '"room":"kitchen"' 1
ok 'with the same timeout' test "$thread" != "$a"

# ---- late and out of order ----

say joe 0; a=$thread
say joe 100; b=$thread
say joe 10
is "$thread" "$a" 'a late turn goes to the thread whose span covers it'
say joe 80
is "$thread" "$b" 'or to the one that begins soon after it'
say joe 105
is "$thread" "$b" 'after which the latest goes on'
say joe 20
say joe 50
is "$thread" "$a" 'where two reach it, the earlier one has it'
say joe -31; c=$thread
ok 'before all of them it begins a thread' test "$c" != "$a" -a "$c" != "$b"
say joe -1
is "$thread" "$c" 'which later ones then belong to'
is "$(get created_at "$(thread_of "$b")")" '2025-11-05T11:20:00Z' 'a thread began with its earliest turn'

# ---- sessions, closing, forks ----

say sue 0 '"kind":"explicit","session":"s1"'; a=$thread
say sue 500 '"kind":"explicit","session":"s1"'
is "$thread" "$a" "explicit without a thread uses the session's"
say sue 1 '"kind":"explicit","session":"s2"'
ok 'each session its own' test "$thread" != "$a"
say sue 2 '"thread":"plan","session":"s3"'
say sue 3 '"kind":"explicit","session":"s3"'
is "$thread" plan 'which is the thread selected in it'
say sue 4 '"thread":"other","session":"s3"'
say sue 5 '"thread":"plan","session":"s3"'
say sue 6 '"kind":"explicit","session":"s3"'
is "$thread" plan 'the last one, also if it was there before'

say ida 10; a=$thread
say max 5 "\"thread\":\"$a\""
is "$thread" "$a" "another's implicit thread can be selected"
say max 6
ok 'which makes it none of his own' test "$thread" != "$a"

say val 0; a=$thread
printf '{"type":"close","thread":"%s","user":"val","ts":%s}\n' "$a" "$(at 1)" | skein send --wait >/dev/null
is "$(get closed "$(thread_of "$a")")" true 'a thread can be closed'
say val 2
ok 'then a new one begins' test "$thread" != "$a"
printf '{"type":"reopen","thread":"%s","ts":%s}\n{"type":"rename","thread":"%s","name":"Old plans","ts":%s}\n' \
  "$a" "$(at 3)" "$a" "$(at 3)" | skein send --wait >/dev/null
t=$(thread_of "$a")
is "$(get closed "$t") $(get name "$t")" 'false Old plans' 'and opened again, and named'

for i in 1 2 3; do say zoe "$i" '"thread":"trunk"'; done
fork=$(printf '{"type":"fork","thread":"trunk","at":"2","as":"twig","name":"A twig","ts":%s}\n' "$(at 4)" | skein send --wait)
say zoe 5 '"thread":"twig"'
t=$(thread_of twig)
is "$thread $(get name "$t") $(get parent "$t") $(get parent_turn "$t") $(get turn_count "$t")" \
  'twig A twig trunk 2 1' 'a fork shares history up to a turn, and goes its own way'
is "$(get key "$fork")" "$(get key "$t")" 'its key is told to who made it'
say zoe 6 '"thread":"trunk"'
is "$(get turn_count "$(thread_of trunk)")" 4 'and the other goes its own'
like "$(printf '{"type":"fork","thread":"trunk","as":"twig"}\n' | skein send)" 'there is a thread .twig. already' \
  'a name is taken once'

# ---- exchanges, by difference ----

m() { printf '{"role":"%s","content":"%s"}' "$1" "$2"; }
# call ID MESSAGES [REPLY [MORE]]: known and added messages, and the thread
call() {
  local line
  line=$(printf '{"type":"exchange","id":"%s","ts":%s,"messages":[%s],"response":%s%s}\n' \
    "$1" "$((base + ++calls * 1000))" "$2" "${3:-null}" "${4:+,$4}" | skein send --wait)
  line=$(skein requests --json | grep "\"id\":\"$1\"")
  call="$(get known "$line") known, $(get added "$line") added, in $(get thread "$line")$([[ $(get retry "$line") == true ]] && echo ', a retry')"
  thread=$(get thread "$line")
}
calls=0
u1=$(m user one) a1=$(m assistant two) u2=$(m user three) a2=$(m assistant four)
call x1 "$u1" '"two"'; a=$thread
is "$call" "0 known, 2 added, in $a" 'a first call: its message and its reply'
call x2 "$u1,$a1,$u2" '"four"'
is "$call" "2 known, 2 added, in $a" 'the next call adds what is new, to the same thread'
call x3 "$u1,$a1,$u2,$a2,$(m user five)"
is "$call" "4 known, 1 added, in $a" 'a call without reply adds one'
call x4 "$u1,$a1,$u2,$a2,$(m user five)"
is "$call" "5 known, 0 added, in $a, a retry" 'the same again is a retry, and adds nothing'
call x5 "$u1,$a1,$u2,$a2,$(m user five)" '"six"'
is "$call" "5 known, 1 added, in $a, a retry" 'a retry that is answered adds the answer'
call x6 "$u1,$a1,$(m user other)" '"way"'; b=$thread
is "$call" "2 known, 2 added, in $b" 'another way from the middle'
ok 'is a thread of its own' test "$b" != "$a"
t=$(thread_of "$b")
is "$(get parent "$t") $(get parent_turn "$t") $(get turn_count "$t")" "$a 2 2" 'that branches off where it did'
call x7 "$u1" '"different"'
is "$call" "0 known, 2 added, in $thread" 'a lone first message is no evidence'
ok 'of the same conversation' test "$thread" != "$a"
call x8 "$u1,$a1,$u2" '"four"' '"domain":"elsewhere"'
is "$(skein requests --json --domain elsewhere | grep -c '"known":0,"added":4')" 1 'nor is another domain'
is "$(skein turns --json --thread "$a" --own | grep -c .)" 6 'each message is kept once'
# A sender may number its threads as skein does its own.
skein send --wait >/dev/null <<'END'
{"domain":"keys","user":"ann","thread":"first","text":"one","ts":1000}
END
key=$(skein threads --json --domain keys | sed -n 's/.*"key":"\([^"]*\)".*/\1/p')
skein send --wait >/dev/null <<END
{"domain":"keys","user":"ann","thread":"$key","text":"two","ts":2000}
{"domain":"keys","user":"ann","text":"three","ts":3000,"id":"implicit"}
END
is "$(skein threads --json --domain keys | grep -c .)" 3 "a thread named like another's key is its own"
key=$(skein threads --json --domain keys | grep '"id":null' | sed -n 's/.*"key":"\([^"]*\)".*/\1/p')
skein send --wait >/dev/null <<END
{"domain":"keys","user":"ann","thread":"$key","text":"four","ts":4000}
{"domain":"keys","user":"bob","thread":"$key","text":"five","ts":5000}
END
is "$(skein threads --json --domain keys | grep '"id":null' | sed -n 's/.*"turn_count":\([0-9]*\).*/\1/p')" 2 "a thread without a sender's id is taken up by its key, by its own user"
down
done_testing
