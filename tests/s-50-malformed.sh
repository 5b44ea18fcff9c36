#!/bin/bash
#
# Malformed input of every kind, on every socket: each is refused with a code
# and the reason, remembered in `rejects`, and the pipeline goes on.

. "$(dirname "$0")/lib.sh"
up || { echo 'Bail out! the pipeline does not start'; exit 1; }

pids() { for stage in ingest classify chainer compactor linker store; do stage_pid $stage; done; }
before=$(pids)

raw() { "$SKEIN_TESTBIN/raw-post" "$1" "$SKEIN_HOME" "${@:2}"; }
hex() { od -An -v -tx1 | tr -d ' \n'; }
repeat() { head -c "$2" /dev/zero | tr '\0' "$1"; }

# ---- entries that ingest refuses, a batch at a time ----

bodies=() codes=() messages=()
all_codes=()

# badx CODE MESSAGE HEX, bad CODE MESSAGE TEXT: one more for the batch.  TEXT
# may hold any byte but NUL; MESSAGE is a part of what must be said.
badx() {
  codes+=("$1") messages+=("$2") bodies+=("$3")
}
bad() { badx "$1" "$2" "$(printf %s "$3" | hex)"; }

# A good entry is taken and passes the store.
good() {
  local out
  out=$(echo '{"text":"and now something sound"}' | skein send --wait) &&
    [[ $out == *'"seq":'* ]]
}

# batch NAME: sends what was collected, checks every result, then a good one
batch() {
  local i results
  mapfile -t results < <(printf '%s\n' "${bodies[@]}" | raw bodies)
  for i in "${!bodies[@]}"; do
    tests=$((tests + 1))
    if [[ ${results[i]-} == *"\"code\":\"${codes[i]}\",\"message\":\""*"${messages[i]}"* ]]; then
      echo "ok $tests - ${codes[i]}: ${messages[i]}"
    else
      echo "not ok $tests - ${codes[i]}: ${messages[i]}"
      echo "#   got: ${results[i]-nothing}"
      failed=$((failed + 1))
    fi
  done
  all_codes+=("${codes[@]}")
  bodies=() codes=() messages=()
  ok "after $1: the pipeline goes on" good
}

bad  bad_json 'the entry is empty' ''
bad  bad_json 'not JSON at byte' 'nonsense'
bad  bad_json 'not JSON at byte' '{"text":"x"'
bad  bad_json 'not JSON at byte' '{"text":"x"} {}'
bad  bad_json 'not JSON at byte' '{"text":"x",}'
bad  bad_json 'not JSON at byte' "{'text':'x'}"
bad  bad_json 'not JSON at byte' $'{"text":"a\nb"}'
bad  bad_json 'not JSON at byte' '{"text":"\ud800"}'
bad  bad_json 'not JSON at byte' '{"text":"\q"}'
bad  bad_json 'not JSON at byte' '{"text":NaN}'
bad  bad_json 'not JSON at byte' $'\xef\xbb\xbf{"text":"x"}'
bad  bad_json 'a member is there twice' '{"text":"a","text":"b"}'
bad  bad_json 'real number overflow' '{"text":"x","ts":1e999}'
bad  bad_json 'too big integer' '{"text":"x","ts":99999999999999999999}'
bad  nul 'text has no NUL' '{"text":"a\u0000b"}'
badx bad_json 'not JSON at byte' "$(printf '{"text":"a\0b"}' | hex)"
badx bad_json 'not JSON at byte' 00
bad  bad_utf8 'byte 9 is not UTF-8' $'{"text":"\xff"}'
bad  bad_utf8 'byte 9 is not UTF-8' $'{"text":"\xc0\x80"}'
bad  bad_utf8 'byte 9 is not UTF-8' $'{"text":"\xed\xa0\x80"}'
bad  too_deep 'max_depth = 64' "$(repeat '[' 100000)"
bad  too_deep 'max_depth = 64' "{\"text\":\"x\",\"y\":$(repeat '[' 64)$(repeat ']' 64)}"
batch 'what is not JSON'

bad bad_type 'an entry is a JSON object' '[{"text":"x"}]'
bad bad_type 'type: must be a string' '{"type":7,"text":"x"}'
bad unknown_type "type: 'nonsense' is no entry" '{"type":"nonsense","text":"x"}'
bad unknown_type "type: 'tombstone' is no entry" '{"type":"tombstone"}'
bad unknown_type "type: 's_ingest' is no entry" '{"type":"s_ingest"}'
bad missing 'text: is missing' '{}'
bad missing 'text: is missing' '{"text":null}'
bad bad_value 'text: is empty' '{"text":""}'
bad bad_type 'text: must be a string' '{"text":5}'
bad bad_type 'user: must be a string' '{"text":"x","user":["u"]}'
bad bad_type 'id: must be a string' '{"text":"x","id":7}'
bad bad_value 'user: is empty' '{"text":"x","user":""}'
bad bad_value 'user: has a control character' '{"text":"x","user":"a\nb"}'
bad bad_value 'domain: has a control character' '{"text":"x","domain":"\u007f"}'
bad too_large 'thread: 201 bytes, at most max_name = 200' "{\"text\":\"x\",\"thread\":\"$(repeat x 201)\"}"
bad bad_value "role: 'boss' is not one of user, assistant, system, tool" '{"text":"x","role":"boss"}'
bad bad_value "kind: 'loud' is not one of explicit, implicit" '{"text":"x","kind":"loud"}'
bad bad_value 'kind: is implicit, but a thread is given' '{"text":"x","kind":"implicit","thread":"T"}'
bad missing 'thread: is missing: an explicit turn' '{"text":"x","kind":"explicit"}'
bad bad_value 'inactivity_timeout_minutes: must be 1 to 525600' '{"text":"x","inactivity_timeout_minutes":0}'
bad bad_type 'inactivity_timeout_minutes: must be a whole number' '{"text":"x","inactivity_timeout_minutes":"5"}'
bad bad_value 'live: is set by skein, not by a sender' '{"text":"x","live":true}'
bad bad_value 'known: is set by skein, not by a sender' '{"type":"exchange","known":3,"messages":[{"role":"user","content":"a"}]}'
batch 'wrong fields'

bad bad_time 'ts: is before 1970' '{"text":"x","ts":-1}'
bad bad_time 'ts: is before 1970' '{"text":"x","ts":"0001-01-01T00:00:00Z"}'
bad bad_time 'ts: 1762336800 looks like seconds' '{"text":"x","ts":1762336800}'
bad bad_time 'ts: is too far ahead' '{"text":"x","ts":9223372036854775807}'
bad missing 'type: is missing: messages are those of an' '{"messages":[{"role":"user","content":"hi"}]}'
bad bad_time 'ts: is too far ahead' '{"text":"x","ts":"9999-12-31T23:59:59Z"}'
bad bad_type 'ts: must be a time' '{"text":"x","ts":"2025-02-30T00:00:00Z"}'
bad bad_type 'ts: must be a time' '{"text":"x","ts":"2025-01-01T24:01:00Z"}'
bad bad_type 'ts: must be a time' '{"text":"x","ts":"yesterday"}'
bad bad_type 'ts: must be a time' '{"text":"x","ts":"1762336800000"}'
bad bad_type 'ts: must be a time' '{"text":"x","ts":1762336800.5}'
batch 'absurd times'

bad MUTUAL_EXCLUSION 'refines, consolidates: only one' '{"type":"memory","text":"x","refines":"a","consolidates":["a","b"]}'
bad MIN_CONSOLIDATION 'consolidates: needs at least two different ids' '{"type":"memory","text":"x","consolidates":["a","a"]}'
bad bad_type 'consolidates: must be an array of strings' '{"type":"memory","text":"x","consolidates":"a"}'
bad bad_value 'artifacts: has 0 items' '{"type":"used","artifacts":[]}'
bad bad_value 'artifacts: has 1001 items, must have 1 to max_list' "{\"type\":\"used\",\"artifacts\":[\"a\"$(for ((i = 0; i < 1000; i++)); do printf ',"a"'; done)]}"
bad missing 'thread, artifact: exactly one' '{"type":"close"}'
bad missing 'thread, artifact: exactly one' '{"type":"reopen","thread":"T","artifact":"A"}'
bad missing 'name: is missing' '{"type":"rename","thread":"T"}'
bad bad_value "verdict: 'maybe' is not one of right, wrong" '{"type":"feedback","link":"L","verdict":"maybe"}'
bad bad_value "what: 'world' is not one of" '{"type":"forget","what":"world"}'
bad missing 'target: is missing: which user' '{"type":"forget","what":"user"}'
bad missing 'session: is missing' '{"type":"session_end"}'
bad missing 'user: is missing' '{"type":"tick"}'
bad THREAD_NOT_FOUND "there is no thread 'nowhere'" '{"type":"fork","thread":"nowhere"}'
bad THREAD_NOT_FOUND "there is no thread 't99999'" '{"type":"close","thread":"t99999"}'
bad THREAD_NOT_FOUND "there is no thread 't1'" '{"type":"close","thread":"t1","domain":"another"}'
bad TURN_NOT_FOUND "at: there is no turn '77'" '{"type":"fork","thread":"t1","at":"77"}'
batch 'wrong commands'

x() { printf '{"type":"exchange",%s}' "$1"; }
bad missing 'messages: is missing' "$(x '"system":"s"')"
bad bad_value 'messages: must be an array with at least one' "$(x '"messages":[]')"
bad bad_value 'messages: must be an array' "$(x '"messages":"hi"')"
bad bad_type 'messages[0]: must be an object' "$(x '"messages":["hi"]')"
bad bad_value 'messages[0].role: must be' "$(x '"messages":[{"role":"boss","content":"a"}]')"
bad bad_value 'messages[1].role: must be' "$(x '"messages":[{"role":"user","content":"a"},{"content":"a"}]')"
bad missing 'messages[0].content: is missing' "$(x '"messages":[{"role":"user"}]')"
bad bad_type 'messages[0].content: must be' "$(x '"messages":[{"role":"user","content":{}}]')"
bad bad_type 'system: must be' "$(x '"system":7,"messages":[{"role":"user","content":"a"}]')"
bad bad_type 'response: must be' "$(x '"messages":[{"role":"user","content":"a"}],"response":7')"
bad bad_type 'response: must be' "$(x '"messages":[{"role":"user","content":"a"}],"response":{"choices":[]}')"
bad too_large 'at most max_messages = 20000' "$(x "\"messages\":[{\"role\":\"user\",\"content\":\"a\"}$(for ((i = 0; i < 20000; i++)); do printf ',{}'; done)]")"
batch 'wrong exchanges'

badx bad_msgpack 'msgpack is cut short' 81a474657874
badx bad_msgpack 'bytes after the end' 81a474657874a17800
badx bad_msgpack 'not msgpack' 81a474657874c1
badx bad_msgpack 'name is not a string' 8101a178
badx bad_msgpack 'not UTF-8' 81a474657874a1ff
badx bad_msgpack 'NUL byte' 81a474657874a3610062
badx bad_msgpack 'binary' 81a474657874c40178
badx bad_msgpack 'not finite' 81a474657874cb7ff0000000000000
badx bad_msgpack 'twice: text' 82a474657874a178a474657874a179
badx bad_msgpack 'msgpack is cut short' dfffffffff
badx bad_msgpack 'too deep' "81a178$(repeat 9 200 | sed 's/9/91/g')01"
badx bad_type 'text: must be a string' 81a47465787405
badx bad_msgpack 'msgpack is cut short' 93010281
badx bad_msgpack 'protocol 9' 93090280
badx bad_msgpack 'unknown message id 127' 93017f80
badx missing 'turn.text: missing' 93010280
badx bad_type 'turn.text: wrong type' 930102811305
badx bad_utf8 'text: is not UTF-8' 9301028113a1ff
badx nul 'text: has a NUL byte' 9301028113a3610062
badx bad_value 'live: is set by skein' 9301028213a17808c3
badx unknown_type 'a tombstone cannot be sent' 93011280
badx unknown_type 'a exchange cannot be sent' 93010380
badx bad_json 'not JSON at byte' "$(printf '\x05\x06\x07' | hex)"
batch 'wrong msgpack'

bad too_large 'text: 1048577 bytes, at most max_text = 1024 KiB' "{\"text\":\"$(repeat x 1048577)\"}"
bad too_large 'an entry has at most max_entry = 16384 KiB' "{\"text\":\"x\",\"y\":\"$(repeat x 16777216)\"}"
batch 'what is too large'

# ---- messages that are no posts ----

nonce() { head -c 16 /dev/urandom | hex; }
body=a$(printf '\x0c' | hex | cut -c2)$(printf '{"text":"x"}' | hex)   # a short string
post() { echo "93015083""01c410$1""02$2""04$body"; }

frames=(
  'msgpack is cut short'      '-'
  'not msgpack'               'c1'
  'not a record'              '80'
  'protocol 7'                '93075080'
  'unknown message id 126'    '93017e80'
  'a turn where a post'       '9301028113a178'
  'post.nonce: missing'       '9301508102''01'
  'post.nonce: wrong type'    '93015081''01a178'
  'post.number: missing'      "93015081""01c410$(nonce)"
  'post.number: wrong type'   "93015082""01c410$(nonce)""02ff"
  'post.nonce: has 16 bytes'  "93015082""01c40f$(nonce | cut -c3-)""0201"
  'post.nonce: has 16 bytes'  "93015082""01c411$(nonce)00""0201"
  'post.number: starts at 1'  "93015082""01c410$(nonce)""0200"
  'post.body: wrong type'     "93015083""01c410$(nonce)""0201""0405"
  'post.settled: is below'    "93015084""01c410$(nonce)""0201""0301""04$body"
  'post.settled: is below'    "93015084""01c410$(nonce)""0201""03cfffffffffffffffff""04$body"
  'post.more: has too many'   "93015084""01c410$(nonce)""0201""04$body""06dd00002000$(printf '%.0sa0' {1..8192})"
  'bytes after the end'       "$(post "$(nonce)" 01)00"
  'a post is one part'        "- $(post "$(nonce)" 01)"
  'a post is one part'        "$(post "$(nonce)" 01) -"
  'a post is one part'        "61 62 63 64 65 66 67"
)
for ((i = 1; i < ${#frames[@]}; i += 2)); do echo "${frames[i]}"; done |
  raw dealer ingest.sock >"$SCRATCH/replies"
is "$(<"$SCRATCH/replies")" '' 'what is no post has no answer'
ok 'after wrong posts: the pipeline goes on' good

# Numbers: only the next one is taken, and each once.
n=$(nonce)
is "$({ post "$n" 03; post "$n" 02; } | raw dealer ingest.sock)" '{"expect":1}' \
  'a number too early is told where to begin, once'
like "$({ post "$n" 01; post "$n" 01; post "$n" 02; } | raw dealer ingest.sock)" \
  '"number":1,"seq":([0-9]+).*"number":2,"seq"' 'then numbers are taken in order'
like "$(post "$n" 01 | raw dealer ingest.sock)" '"number":1,"seq":[0-9]+.*"repeated":true' \
  'an old number gets its old result'
is "$(post "$n" cfffffffffffffffff | raw dealer ingest.sock)" '{"expect":3}' \
  'the largest number of all is too early as well'
ok 'after numbers out of order: the pipeline goes on' good

# ---- random bytes on every socket ----

sockets() { (cd "$SKEIN_HOME/run" && find . -type s -printf '%f\n'); }
# noise SEED BYTES: in hex; the same in every run, so that it can be seen again
noise() { awk -v s="$1" -v n="$2" 'BEGIN { srand(s); while (n-- > 0) printf "%02x", int(rand() * 256) }'; }
# Hex as bytes; printf knows \xHH, and NUL among them.
binary() { printf "$(sed 's/../\\x&/g')"; }

long=$(repeat 6 80)
count=0
while read -r socket; do
  count=$((count + 1))
  noise "$count" 10000 | binary | raw stream "$socket"
  # The greeting of ZMTP 3.0, then nonsense.
  { printf '\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL'; head -c 48 /dev/zero; noise 7 2000 | binary; } |
    raw stream "$socket"
  # A sound handshake, then a frame of 2^62 bytes.
  type=DEALER
  [[ $socket == *.pub ]] && type=XSUB
  { printf '\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL'; head -c 48 /dev/zero
    ready="\5READY\13Socket-Type\0\0\0\x$(printf %02x ${#type})$type"
    printf "\4\x$(printf %02x $((6 + 12 + 4 + ${#type})))$ready"; printf '\2\x40\0\0\0\0\0\0\0x'; } |
    raw stream "$socket"
  case $socket in
    *.pub)
      # Subscriptions that are none, too long, with NUL, and very many.
      { echo 05; echo "05$(printf 'x.entry' | hex)"; echo -; echo "01$(repeat 6 600)"
        echo 01610062; echo '0161 0162'; echo 00616263
        for ((i = 257; i < 3000; i++)); do printf '01%04x%s\n' "$i" "$long"; done
        for ((i = 257; i < 3000; i += 7)); do printf '00%04x%s\n' "$i" "$long"; done
      } | raw xsub "$socket" ;;
    *)
      { for ((i = 1; i < 40; i++)); do noise "$i" $((i * 13)); echo; done; } | raw dealer "$socket" >/dev/null ;;
  esac
  ok "after random bytes on $socket: the pipeline goes on" good
done < <(sockets)
ok 'that was every socket' test "$count" -ge 7

# ---- all of it was recorded, and no process noticed ----

if skein help | grep -q rejects; then
  skein rejects --json --limit 100000 >"$SCRATCH/rejects"
  for code in $(printf '%s\n' "${all_codes[@]}" | sort -u); do
    is "$(grep -c "\"code\":\"$code\"" "$SCRATCH/rejects")" \
      "$(printf '%s\n' "${all_codes[@]}" | grep -cx "$code")" "rejects: every $code"
  done
  for ((i = 0; i < ${#frames[@]}; i += 2)); do
    ok "rejects: ${frames[i]}" \
      grep -q "\"code\":\"bad_frame\",\"message\":\"[^\"]*${frames[i]}" "$SCRATCH/rejects"
  done
fi
is "$(pids)" "$before" 'every stage is the process it was'
if skein help | grep -qw check; then
  ok "the store is sound" eval "skein check >/dev/null"
fi
down
done_testing
