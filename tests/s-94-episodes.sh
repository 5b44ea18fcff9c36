#!/bin/bash
# Threads that go on with earlier ones, and the episodes made of them: the score
# and its terms, who is compared with whom, decisions that are taken again.
. "$(dirname "$0")/lib.sh"

# say USER TIME TEXT [NAME VALUE]...: a turn on an implicit channel
say() {
  local user=$1 ts=$2 text=$3
  shift 3
  jq -cn --arg user "$user" --arg ts "2025-11-$ts" --arg text "$text" \
    'reduce range(0; $ARGS.positional | length; 2) as $i ({user: $user, channel: "sms", ts: $ts, text: $text};
      .[$ARGS.positional[$i]] = $ARGS.positional[$i + 1])' \
    --args "$@" | skein send --wait >"$SCRATCH/ack" || sed 's/^/# /' "$SCRATCH/ack"
  seq=$(jq .seq "$SCRATCH/ack")
}

link() { skein links --json --after "$seq" | jq -r "select(.thread == \"t$1\") | $2"; }
episodes() { skein threads --json --after "$seq" | jq -c "select(.key == \"t$1\") | $2"; }
decided() { skein links --json --after "$seq" "$@" | jq -r '"\(.thread) \(.candidate) \(.decision)"' | paste -sd,; }

# Says what is wrong, if anything, as remarks.
sound() {
  skein check --deep >"$SCRATCH/check" 2>&1 || { sed 's/^/# /' "$SCRATCH/check"; return 1; }
}

up || exit 1

# The seed's own conversation.
say ann 05T10:00:00Z "What's the weather in New York?"
first=$seq
say ann 05T10:01:00Z 'Sunny, high 72°F.' role assistant
say ann 05T10:05:00Z 'What about next week?'
say ann 05T10:45:00Z 'Oh, and what is it on Thursday?'
second=$seq
is "$(link "$second" .decision)" LINK 'Related turns detected and linked: "Oh, and what is it on Thursday?", without a model'
is "$(link "$second" '"\(.candidate) \(.agreement) \(.llm_confidence) \(.confidence)"')" "t$first null null single" \
  '  to the thread before, agreement null'
is "$(skein episodes --json --type cross_thread | jq -c '[.episode_type, .linked_threads, .linked_episodes, .turn_count]')" \
  "[\"cross_thread\",[\"t$first\",\"t$second\"],[\"p$first\",\"p$second\"],4]" 'Cross-thread episode created'
like "$(skein episodes --json --type cross_thread | jq -r .micro)" 'New York.*Thursday' '  with a summary of both threads'
is "$(skein show "x$second" --turns --json | jq -r '[.turns[].seq] | join(" ")')" '1 2 3 4' '  and the turns of both'
is "$(episodes "$first" .cross_thread_episodes)$(episodes "$second" .cross_thread_episodes)" \
  "[\"x$second\"][\"x$second\"]" '  named in either thread'
is "$(episodes "$second" .primary_episode_id)" "\"p$second\"" '  beside its primary episode'
is "$(link "$second" '[.keyword_match, .entity_match, .topic_match, .recency_score, .algorithmic_score, .threshold] |
    (.[0] * 0.3 + .[1] * 0.3 + .[2] * 0.2 + .[3] * 0.2 - .[4] | fabs < 0.002) and .[4] > .[5]')" true \
  'Semantic continuity score calculated: the sum of its four terms by their weights'
is "$(link "$second" '.weights | [.keyword, .entity, .topic, .recency] == [0.3, 0.3, 0.2, 0.2]')" true '  which are the settings'
say ann 05T10:46:00Z 'Thursday will be cloudy in New York.' role assistant
is "$(skein episodes --json --type cross_thread | jq .turn_count)" 5 'a turn more is in the episode'
is "$(link "$second" '"\(.decision) \(.turn)"')" 'LINK 2' 'the decision was looked at again'

# What is not related.
say ann 05T12:00:00Z 'How do I sharpen a bread knife with a whetstone?'
third=$seq
is "$(link "$third" .decision)" "DON'T_LINK" 'Threshold-based linking works: a new topic is not linked'
is "$(link "$third" '.algorithmic_score <= .threshold')" true '  its score is not above the threshold'
is "$(episodes "$third" .cross_thread_episodes)" '[]' '  and is in no episode'

# A third thread on the first topic extends the episode.
say ann 05T13:00:00Z "Is the weather in New York still going to be sunny?"
fourth=$seq
is "$(decided --thread "t$fourth")" "t$fourth t$first LINK" 'words in common link a thread to one before the last'
is "$(skein episodes --json --type cross_thread | jq -c .linked_threads)" "[\"t$first\",\"t$second\",\"t$fourth\"]" \
  '  which extends the episode'

# Decided again while it gains content.
say ann 05T14:00:00Z 'Hello again!'
fifth=$seq
is "$(link "$fifth" .decision)" "DON'T_LINK" 'a greeting says nothing yet'
say ann 05T14:01:00Z 'About the bread knife: which whetstone would you sharpen it with?'
is "$(decided --thread "t$fifth")" "t$fifth t$third LINK" 'with more said the thread is linked'
is "$(link "$fifth" '"\(.key) \(.revises)"')" "l$seq l$fifth" '  by a decision that revises the first'
is "$(skein links --json --all | jq -r "select(.key == \"l$fifth\") | \"\(.decision) \(.revised_by)\"")" "DON'T_LINK l$seq" \
  '  which is kept, and names the later one'
is "$(skein show "l$seq" --json | jq -r .link.decision)" LINK 'show LINK'

# Who is compared with whom.
say bob 05T14:05:00Z 'Oh, and what is it on Thursday?'
is "$(link "$seq" .decision)" '' "another user's threads are no candidates"
say ann 05T14:06:00Z 'What is the weather in New York?' domain other
is "$(skein links --json --domain other | wc -l)" 0 "nor another domain's"
jq -cn '{user: "ann", thread: "mine", channel: "web", ts: "2025-11-05T14:30:00Z", text: "What is the weather in New York?"}' |
  skein send --wait >"$SCRATCH/ack"
seq=$(jq .seq "$SCRATCH/ack")
is "$(link "$seq" .decision)$(skein links --json --thread mine | wc -l)" 0 'a thread that was selected is not linked by guess'
say cy 05T15:00:00Z 'My neighbour plays the trombone at night'
far=$seq
say cy 06T15:31:00Z 'The neighbour with the trombone plays at night again'
is "$(link "$seq" .decision)" '' 'what ended more than 24 hours ago is no candidate'
say cy 06T16:31:00Z 'The neighbour plays his trombone at night'
is "$(decided --thread "t$seq")" "t$seq t$((seq - 1)) LINK" '  what ended an hour ago is'
ok '  the older one is not in it' test "$(episodes "$far" .cross_thread_episodes)" = '[]'
cat >"$SCRATCH/room" <<'R'
{"room":"help","user":"dee","channel":"irc","ts":"2025-11-07T10:00:00Z","text":"the nvidia driver crashes after suspend on my thinkpad"}
{"room":"help","user":"eve","channel":"irc","ts":"2025-11-07T11:00:00Z","text":"does the nvidia driver on a thinkpad still crash after suspend?"}
R
skein send --wait "$SCRATCH/room" >"$SCRATCH/ack"
seq=$(jq -s '.[1].seq' "$SCRATCH/ack")
is "$(link "$seq" .decision)" LINK 'a room is one stream, whoever speaks'
is "$(skein links --json --user ann | jq -r .user | sort -u)" ann 'links of a user'
is "$(skein links --limit 1 --json | wc -l)" 1 'the newest'

# Who says that he comes back to something.
say gil 09T10:00:00Z 'How do I sharpen a bread knife with a whetstone?'
knife=$seq
say gil 09T12:00:00Z 'The tax office wants seven appendices from me'
say gil 09T13:00:00Z 'Back to the knife'
back=$seq
is "$(link "$back" '"\(.decision) \(.candidate) \(.returns)"')" "LINK t$knife true" 'who returns to something needs fewer words in common'
say gil 09T13:01:00Z 'I have olive oil'
is "$(link "$back" '"\(.decision) \(.candidate) \(.returns)"')" "LINK t$knife true" '  also with what he says then'
say hal 09T10:00:00Z 'How do I sharpen a bread knife with a whetstone?'
latest=$seq
say hal 09T11:00:00Z "Let's pick up where we left off"
is "$(link "$seq" '"\(.decision) \(.candidate)"')" "LINK t$latest" 'who says no more than that returns to the latest'
say ida 09T10:00:00Z 'How do I sharpen a bread knife with a whetstone?'
say ida 09T11:00:00Z "Let's pick up where we left off with the tax return of last year and its appendices"
is "$(link "$seq" .decision)" "DON'T_LINK" '  but not to what knows nothing of what he says'

# Skills of all its threads.
say fay 08T09:00:00Z 'Can you help me debug this error? The billing API returns 401 Unauthorized'
one=$seq
say fay 08T09:01:00Z 'Refresh the access token, it may have expired.' role assistant
say fay 08T09:02:00Z 'That fixed it, the 401 error is gone. Thanks!'
say fay 08T11:00:00Z 'The billing API returns 503 now, can you help me debug this error of the billing API?'
two=$seq
say fay 08T11:01:00Z 'Restart the billing gateway.' role assistant
say fay 08T11:02:00Z 'That fixed it, the 503 error of the billing API is gone. Thanks!'
skein close "t$one" >/dev/null
skein close "t$two" >/dev/null
cross=$(episodes "$two" '.cross_thread_episodes[0]' | tr -d '"')
of() { skein episodes --json | jq -r "select(.key == \"$1\") | .skills[]" | sort; }
is "$(of "$cross")" "$({ of "p$one"; of "p$two"; } | sort -u)" 'skills across threads: those of both'
is "$(of "$cross" | wc -l)" 2 '  one of each'

ok 'the store is sound' sound
digest >"$SCRATCH/before"
skein rebuild --from linker >/dev/null 2>&1
digest >"$SCRATCH/after"
ok 'made again it is the same' cmp -s "$SCRATCH/before" "$SCRATCH/after"

# However the entries come in batches, and whoever dies in between.
down
made() {
  skein rebuild --from linker --no-wait >/dev/null
  "$@"
  digest | grep -v '^cursors\|^s_store'
}
killed() {
  SKEIN_BATCH_ENTRIES=2 skein-linker --once >/dev/null 2>&1 &
  sleep 0.05
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
  skein-linker --once
}
grep -v '^cursors\|^s_store' "$SCRATCH/before" >"$SCRATCH/want"
for n in 1 3 1000; do
  made env SKEIN_BATCH_ENTRIES=$n skein-linker --once >"$SCRATCH/got" 2>/dev/null
  ok "in batches of $n it is the same" cmp -s "$SCRATCH/want" "$SCRATCH/got"
done
for n in 1 2 3; do
  made killed >"$SCRATCH/got" 2>/dev/null
  ok "and after a kill ($n)" cmp -s "$SCRATCH/want" "$SCRATCH/got"
done

# Settings.
export SKEIN_HOME=$SCRATCH/strict SKEIN_LINK_THRESHOLD=990
up || exit 1
say ann 05T10:00:00Z "What's the weather in New York?"
say ann 05T10:45:00Z 'Oh, and what is it on Thursday?'
is "$(link "$seq" '"\(.decision) \(.threshold)"')" "DON'T_LINK 0.99" 'the threshold is a setting'
done_testing
