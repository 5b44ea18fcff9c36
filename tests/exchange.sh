# exchange.sh - whole exchanges, in both shapes; sourced by tests/s-9*.sh
#
# A call is made of texts that user and assistant say in turn.  SHAPE says how
# it is written down: anthropic or openai.  DOMAIN and MORE (a JSON object that
# is added to the entry) may be set.

: "${SHAPE:=anthropic}" "${DOMAIN:=default}"

# call ID TIME SYSTEM REPLY TEXT...: one entry; REPLY '' is none, and one that
# begins with [ or { is blocks, or OpenAI's message, as they are
call() {
  local id=$1 ts=$2 system=$3 reply=$4
  shift 4
  jq -cn --arg id "$id" --arg ts "2024-03-$ts" --arg system "$system" \
    --arg reply "$reply" --arg shape "$SHAPE" --arg domain "$DOMAIN" \
    --argjson more "${MORE:-{\}}" '
    def said: if test("^[\\[{]\"?[a-z{\"]") then fromjson else . end;
    def role($i): if $i % 2 == 0 then "user" else "assistant" end;
    ($ARGS.positional | to_entries | map({role: role(.key), said: (.value | said)})) as $all
    | {type: "exchange", id: $id, ts: $ts, domain: $domain}
    + if $shape == "anthropic" then {
        system: (if $system == "" then null else [{type: "text", text: $system}] end),
        messages: [$all[] | {role, content: (if .said | type == "string"
          then [{type: "text", text: .said}] else .said end)}],
        response: (if $reply == "" then null else {id: ("msg_" + $id), type: "message", role: "assistant",
          content: ($reply | said | if type == "string" then [{type: "text", text: .}] else . end)} end)
      } else {
        messages: ((if $system == "" then [] else [{role: "system", content: $system}] end)
          + [$all[] | if .said | type == "object" then {role} + .said else {role, content: .said} end]),
        response: (if $reply == "" then null else {id: ("msg_" + $id), choices: [{index: 0,
          message: ({role: "assistant"} + ($reply | said | if type == "string" then {content: .} else . end))}]} end)
      } end + $more' --args "$@"
}

# Sends what stands on standard input, and waits.
post() { skein send --wait >"$SCRATCH/acks" || sed 's/^/# /' "$SCRATCH/acks"; }

# where ID FIELD...: of a request, joined by spaces
where() {
  local id=$1
  shift
  skein requests --json --domain "$DOMAIN" |
    jq -r --arg id "$id" 'select(.id == $id) | [getpath($ARGS.positional[] | split("."))] | map(tostring) | join(" ")' --args "$@"
}

# places: every request's parent and kind of branch, whatever the arrival
places() {
  skein requests --json --domain "$DOMAIN" |
    jq -r '[.id, .parent // "-", (.branch | sub("_.*"; "")), .match.strategy, .subtask, .task_parent // "-"] | map(tostring) | join(" ")' | sort
}

# fresh NAME [SETTING=VALUE]...: a home of its own, up
fresh() {
  down
  export SKEIN_HOME=$SCRATCH/$1
  mkdir -p -m 700 "$SKEIN_HOME"
  shift
  env "$@" skein up >"$SCRATCH/up.out" 2>&1 || { sed 's/^/# /' "$SCRATCH/up.out"; exit 1; }
}
