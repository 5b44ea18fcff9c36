#!/bin/bash
#
# One entry end to end, then every type of entry; a send is idempotent by id.

. "$(dirname "$0")/lib.sh"
up || { echo 'Bail out! the pipeline does not start'; exit 1; }

# get NAME LINE: a member of a JSON line
get() {
  [[ $2 =~ \"$1\":(\"([^\"]*)\"|[^,}]*) ]] || return
  echo "${BASH_REMATCH[2]:-${BASH_REMATCH[1]}}"
}
send() { printf '%s\n' "$@" | skein send --wait; }

# ---- one ----

ack=$(send '{"id":"first","text":"Is anybody there?","user":"ann","channel":"web"}')
is "$ack" '{"id":"first","seq":1,"key":"1.0"}' 'one entry: the ack has id, seq and key'
turn=$(skein turns --json)
is "$(get text "$turn")" 'Is anybody there?' 'its text'
is "$(get user "$turn") $(get channel "$turn") $(get role "$turn") $(get domain "$turn")" \
  'ann web user default' 'who, where, as what, in which domain'
is "$(get id "$turn") $(get key "$turn") $(get seq "$turn")" 'first 1.0 1' 'its names'
like "$(get ts "$turn")" '^20[0-9-]+T[0-9:.]+Z$' 'when it came, as none was given'
is "$(skein digest | grep -c '^s_[a-z]* *1 ')" 6 'each stage wrote one section'

# ---- again ----

is "$(send '{"text":"Is anybody there?","channel":"web","id":"first","user":"ann"}')" "$ack" \
  'same id, same content: the same ack'
like "$(send '{"id":"first","text":"Is anyone there?","user":"ann","channel":"web"}')" \
  '"code":"id_conflict","message":"id: entry 1 has this id and other content"' \
  'same id, other content: an error that says so'
like "$(send '{"id":"first","domain":"other","text":"Is anyone there?"}')" '"seq":2' \
  'the same id in another domain is another'
is "$(send '{"text":"yes"}' '{"text":"yes"}' | grep -c '"seq"')" 2 'without an id nothing is the same'
is "$(skein turns --json | wc -l)" 3 'which the store says too'
# Twice in one batch, and one that was refused is not remembered by its id.
out=$(send '{"id":"twin","text":"a"}' '{"id":"twin","text":"a"}' '{"id":"twin","text":"b"}')
is "$(get seq "$(sed -n 1p <<<"$out")")" "$(get seq "$(sed -n 2p <<<"$out")")" 'twice in one batch: once'
like "$(sed -n 3p <<<"$out")" id_conflict 'and other content is seen there too'
out=$(send '{"id":"late","text":""}' '{"id":"late","text":"now right"}')
like "$out" '"error".*"seq"' 'a refused id can be used again'

# What was refused is named by its line; a byte order mark is none of it.
out=$(printf '\xef\xbb\xbf{"text":"marked"}\n\n{"text":""}\nno json\n{"text":"fine"}\n' | skein send)
is "$(jq -c '[.line, .error.code]' <<<"$out" | paste -sd ' ')" \
  '[null,null] [3,"bad_value"] [4,"bad_json"] [null,null]' 'an error says its line, a mark at the beginning is passed over'

# An exchange is the same by its content as well.
x='{"type":"exchange","id":"x","messages":[{"role":"user","content":"hi"}],"response":"ho"}'
like "$(send "$x")" '"id":"x","seq"' 'an exchange'
is "$(send "$x")" "$(send "$x")" 'again: the same ack'
like "$(send "${x/hi/he}")" id_conflict 'with other content: an error'

# ---- every type ----

# accepted NAME ENTRY: it gets the next seq and passes the store
accepted() {
  local before after
  before=$(skein digest | awk '$1 == "s_store" { print $2 }')
  ack=$(send "$2")
  after=$(skein digest | awk '$1 == "s_store" { print $2 }')
  is "$(get seq "$ack") $after" "$((before + 1)) $((before + 1))" "$1 is journaled and passes the store"
}
accepted 'an implicit turn' '{"type":"turn","text":"x","user":"bob"}'
accepted 'an explicit turn' '{"text":"x","thread":"T","user":"bob"}'
accepted 'an exchange without reply' '{"type":"exchange","messages":[{"role":"user","content":"q"}],"response":null}'
accepted 'a memory' '{"type":"memory","text":"The door is blue.","agent_id":"a1","agent_name":"A","context":"c"}'
accepted 'a refinement' '{"type":"memory","text":"The door is navy.","refines":"m1"}'
accepted 'a consolidation' '{"type":"memory","text":"All doors are blue.","consolidates":["m1","m2"]}'
accepted 'a fork' '{"type":"fork","thread":"T"}'
like "$ack" '"key":"t[0-9]+"' 'whose key is the new thread'
accepted 'a close' '{"type":"close","thread":"T","text":"done"}'
accepted 'a reopen' '{"type":"reopen","thread":"T"}'
accepted 'a rename' '{"type":"rename","thread":"T","name":"Doors"}'
accepted 'an attachment' '{"type":"attach","thread":"T","artifacts":["a1"]}'
accepted 'a feedback' '{"type":"feedback","link":"l1","verdict":"right"}'
accepted 'a forgetting' '{"type":"forget","what":"user","target":"nobody"}'
accepted 'the end of a session' '{"type":"session_end","session":"s"}'
accepted 'the undoing of a tuning' '{"type":"tuning_undo"}'
accepted 'a use' '{"type":"used","artifacts":["a1"]}'
accepted 'an answer' '{"type":"answer","question":"q1","answer":"{}","model":"m"}'
accepted 'a tick' '{"type":"tick","user":"bob"}'

# ---- what is in the log is in the log ----

text=$'tab\\t quote\\" back\\\\ \\u00e9 \\ud83d\\ude00 日本'
send "{\"id\":\"odd\",\"text\":\"$text\"}" >/dev/null
is "$(skein turns --json | grep '"id":"odd"' | sed 's/.*"text":"\(.*\)","act".*/\1/')" \
  $'tab\\t quote\\" back\\\\ é 😀 日本' 'odd characters come through'
before=$(digest)
down
up
is "$(digest)" "$before" 'a restart changes nothing'
like "$(send '{"id":"first","text":"Is anybody there?","user":"ann","channel":"web"}')" '"seq":1,' \
  'nor does it forget an id'

# ---- misspelt ----

is "$(send '{"id":"slip","domain":"slips","text":"Which thread is this?","thred":"T","mood":{"a":1}}' |
  jq -c '[.seq > 0, .ignored]')" '[true,["thred","mood"]]' 'members that are no field are named'
is "$(send '{"id":"slip","domain":"slips","text":"Which thread is this?"}' | jq -c '[.seq > 0, .ignored]')" \
  '[true,null]' 'and are no part of the entry: without them it is the same'
is "$(send '{"type":"exchange","domain":"slips","temperature":1,"messages":[{"role":"user","content":"hi"}]}' |
  jq -c '[.seq > 0, .ignored]')" '[true,null]' 'what else an API has is not listed'

down
done_testing
