#!/bin/bash
# Efforts: opened, worked on, tried and failed, resolved, opened again, several
# at once, in several threads; the dialogues word for word, through all stages.
. "$(dirname "$0")/lib.sh"

# talk THREAD [NAME VALUE]...: a dialogue on standard input, a turn a line,
# "U text" the user's and "A text" the assistant's, half a minute apart.  The
# user is called after the thread up to a slash.  last: the last entry's seq.
minutes=0
talk() {
  local thread=$1
  shift
  minutes=$((minutes + 60))
  jq -Rc --arg thread "$thread" --argjson from "$minutes" '
    {user: ($thread | split("/")[0]), thread: $thread,
     role: (if .[0:1] == "U" then "user" elif .[0:1] == "T" then "tool" else "assistant" end), text: .[2:],
     ts: (1709280000 + $from * 60 + input_line_number * 30 | todate)} +
    ([range(0; $ARGS.positional | length; 2) as $i | {($ARGS.positional[$i]): $ARGS.positional[$i + 1]}] | add // {})' \
    --args "$@" | skein send --wait >"$SCRATCH/acks" || sed 's/^/# /' "$SCRATCH/acks"
  last=$(tail -n 1 "$SCRATCH/acks" | jq .seq)
}

entry() { echo "$1" | skein send --wait >"$SCRATCH/ack"; last=$(jq .seq "$SCRATCH/ack"); }
# art THREAD FILTER: of the artifacts of a thread, oldest first, one line each
art() { skein artifacts --json --thread "$1" | jq -r "$2" | paste -sd'|'; }
top='select(.type == "effort" and .parent == null)'
# why: what the turns of the latest talk did to efforts
why() {
  head -n 1 "$SCRATCH/acks" | jq .seq | { read -r first
    for ((i = first; i <= last; i++)); do skein show "$i" --json; done; } |
    jq -r '.sections.compactor.turns[0].why // "-"' | paste -sd' '
}

up || exit 1

# ---- conclusion-triggered compaction ----

talk bug <<'END'
U I'm getting a 401 error
END
is "$(art bug "$top | [.status, .summary, .resolution // \"\"] | join(\" / \")")" \
  'open / Getting a 401 error / ' 'a stated problem is an open effort at once'
key=$(art bug .key)
talk bug <<'END'
A Let's investigate. Which endpoint are you calling?
U The /api/users endpoint, with a bearer token
A Check whether the token is still valid: its exp claim may be in the past.
U Oh! Token was expired, works now!
END
is "$(art bug "$top | [.status, .summary, .resolution] | join(\" / \")")" \
  'resolved / Getting a 401 error / Token was expired, works now' 'the user accepts: it is compacted'
is "$(art bug "$top | .key")" "$key" '  under the same key'
is "$(art bug "$top | .source_ref")" bug:1-5 '  from these turns'
ok '  in a hundred tokens or fewer' test "$(art bug "$top | .token_count")" -le 100
ok '  with the chain it came from' test "$(art bug "$top | .chain")" = "c${key:1}"
is "$(skein show "$key" --json | jq -r '[(.history // .artifact.history)[].status] | join(" ")')" 'open resolved' '  and its states'

# ---- which sentence resolved it ----

how() { art "$1" "$top | .resolution"; }
talk report <<'END'
U the settings page flickers when it loads, please fix that
A Looking into it.
A I looked at the page. The theme was only set after the first paint. I moved the lookup into the page's head. All 48 tests pass. Let me know if you want a PR!
U no more flicker, thank you
END
is "$(how report)" "I moved the lookup into the page's head" "of a report what was done, not that it was looked at or tested"
talk advice <<'END'
U compose says port 5432 is already allocated
A Another postgres listens there. Stop it with brew services stop postgresql.
U stopped it and compose is happy
END
is "$(how advice)" 'Stop it with brew services stop postgresql' 'what was to be done, when it is said to have been'
talk cause <<'END'
U grafana shows no data for the second cluster
A Check the address of its datasource.
U i have graphs again, so it was the datasource url
END
like "$(how cause)" 'so it was the datasource url' 'what its owner found'
talk later <<'END'
U add a dark mode to the settings page
A I added a toggle and a theme context.
U the toggle should survive a reload
A It is kept in localStorage under the key theme now.
U perfect
END
is "$(how later)" 'It is kept in localStorage under the key theme now' 'what was done last, where more was asked for'
talk select <<'END'
U i need a present for my dad, he has everything
A A day with a steam train, a whisky tasting, or a photo book.
U hm, i'll take the photo book. he'd love that
END
like "$(how select)" "photo book" 'what was chosen'
talk undone <<'END'
U please book a table for two at eight
A Sorry, I couldn't book it, they are full. Anything else?
U no, thanks
END
is "$(art undone "$top | .status")" open 'what could not be done is not resolved by thanks'
talk howto <<'END'
U how can I run the job only on main?
A Add if: github.ref == 'refs/heads/main' to the job.
U works now, thanks
END
is "$(art howto "$top | [.type, .status, .resolution] | join(\" / \")")" "effort / resolved / Add if: github.ref == 'refs/heads/main' to the job" \
  'a how-question whose answer was put to work is an effort'

# ---- attempts are sub-efforts ----

talk tree <<'END'
U Let's debug the auth bug
A Try refreshing the token.
U Didn't work
A Check the headers then.
U no that's not it
A Inspect the JWT payload.
U Found it! The token had the wrong audience claim
END
is "$(art tree 'select(.parent != null) | [.summary, .resolution] | join(" -> ")')" \
  "Try refreshing the token -> failed: Didn't work|Check the headers then -> failed: No that's not it|Inspect the JWT payload -> The token had the wrong audience claim" \
  'each attempt with its outcome'
is "$(skein artifacts --thread tree | awk 'NR > 1 { print $3 }' | sort | paste -sd' ')" 'failed failed resolved resolved' \
  '  and the list does not call a failed one resolved'
like "$(skein tap --from "$last" --until "$last" --stage compactor)" \
  'effort a[0-9.]+ resolved \(Debug the auth bug\).* \| Found it' '  the tap tells it in words'
like "$(skein tap --from $((last - 2)) --until $((last - 2)) --stage compactor)" \
  'effort a[0-9.]+ failed \(Check the headers then\)' '  and calls what failed so'
is "$(art tree "$top | [.status, .summary, .resolution] | join(\" / \")")" \
  'resolved / Debug the auth bug / The token had the wrong audience claim' '  and the effort with the one that worked'
is "$(art tree 'select(.parent != null) | .source_ref')" 'tree:2-3|tree:4-5|tree:6-7' '  each from its own turns'
is "$(why)" 'opened continued attempt continued attempt continued resolved' '  turn by turn'
talk tree <<'END'
A Great, fix the audience in the client config.
U that fixed it, thanks!
END
is "$(why) $(art tree "$top | .status")" 'confirmed confirmed resolved' 'what is said after the end belongs to it'

talk still <<'END'
U I'm getting a weird error in auth
A Let's investigate...
U Here's the error log
A Try X
U Didn't work
A What about Y?
END
is "$(art still "$top | [.status, .source_ref] | join(\" \")")" 'open still:1-6' 'rejected, it stays open'
is "$(art still 'select(.parent != null) | [.summary, .resolution] | join(" -> ")')" "Try X -> failed: Didn't work" \
  '  attempt 1 failed, attempt 2 has no outcome yet'

# ---- several topics ----

talk multi <<'END'
U I'm getting a weird error in auth
U also, remind me to call mom later
U back to that bug - I tried X
U that fixed it!
END
is "$(art multi "$top | [.status, .summary, .resolution, .source_ref] | join(\" / \")")" \
  'resolved / Getting a weird error in auth / I tried X / multi:1-1,3-4' 'an aside is no turn of the effort'
is "$(art multi 'select(.type == "event") | [.status, .summary, .source_ref] | join(" / ")')" \
  'open / Remind me to call mom later / multi:2-2' '  but an event of its own'
is "$(why)" 'opened aside returned resolved' '  turn by turn'

talk two <<'END'
U Let's solve a bug in the payment form
A Ok. What happens?
U Also I need to book a flight to Oslo next month
A Sure. From which airport?
U Berlin. But first the payment form: the submit button does nothing
A The handler is not bound. Add onclick to the button.
U that works now
A Great. For Oslo I found a flight on May 3rd for 120 EUR.
U Perfect, book it
A Booked: confirmation ABC123.
U Thanks!
END
is "$(art two "$top | [.status, .summary, .resolution, .source_ref] | join(\" / \")")" \
  'resolved / Solve a bug in the payment form / Add onclick to the button / two:1-2,5-7|resolved / Book a flight to Oslo next month / Booked: confirmation ABC123 / two:3-4,8-11' \
  'two efforts at once do not mix; thanks for what is done ends the second'

talk agent <<'END'
U Please fix the null pointer crash in parser.c
A Let me look at the file first.
T parser.c:41: if (node->next->kind == END)
A I've fixed the null check in parser.c and all tests pass now.
U great. Now add a logout button to the header
A Done. I added the logout button.
END
is "$(art agent "$top | [.status, .summary] | join(\" / \")")" \
  'resolved / Fix the null pointer crash in parser.c|open / Add a logout button to the header' \
  'going on after a report of success ends an effort; a report alone does not'
is "$(art agent "$top | .source_ref" | cut -d'|' -f1)" agent:1-4 '  tool output in between is part of it'

# ---- coming back ----

talk again <<'END'
U My laptop won't connect to wifi
A Have you tried restarting the router?
U yes, still the same
A Did you install the driver?
U no
A Install the broadcom driver from the vendor's site.
U it works again
A Glad to hear it!
U hmm, it broke again
END
is "$(why)" 'opened continued attempt continued continued continued resolved - reopened' 'what fails again is open again'
is "$(art again "$top | [.status, .resolution // \"\"] | join(\" \")")" 'open ' '  without its resolution'
key=$(art again "$top | .key")
is "$(skein show "$key" --json | jq -r '[(.history // .artifact.history)[].status] | join(" ")')" 'open resolved reopened' '  and with a history'
is "$(art again 'select(.parent != null) | .summary' | cut -d'|' -f1)" 'Have you tried restarting the router?' \
  '  a bare no to a question is no failed attempt'

talk far/one <<'END'
U The invoice export crashes with a null pointer
A Which version is it?
U 4.2
END
key=$(art far/one .key)
talk far/two <<'END'
U Back to the invoice export: it only crashes for empty invoices
A Guard the loop over the invoice lines.
U that fixed it, thanks!
END
is "$(why)" 'returned continued resolved' 'an open effort is reached from another thread'
is "$(art far/one "$top | [.key, .status, .source_ref] | join(\" \")")" "$key resolved far/one:1-3;far/two:1-3" \
  '  and its turns there are named as well'

# ---- commands ----

talk cmd <<'END'
U I want to plan the team offsite in June
A Where to?
U I also need help with the budget spreadsheet for marketing
END
is "$(art cmd "$top | .status")" 'open|open' 'two open efforts'
first=$(art cmd "$top | .key" | cut -d'|' -f1)
entry "{\"type\":\"close\",\"artifact\":\"$first\",\"text\":\"postponed to next year\",\"ts\":\"2024-03-02T10:00:00Z\"}"
is "$(art cmd "$top | [.status, .resolution // \"\"] | join(\":\")")" 'resolved:postponed to next year|open:' 'one is closed by command, with how it ended'
is "$(skein show "$last" --json | jq -r .sections.compactor.result)" "$first" '  which says what it closed'
entry "{\"type\":\"reopen\",\"artifact\":\"$first\",\"ts\":\"2024-03-02T10:01:00Z\"}"
is "$(art cmd "$top | .status")" 'open|open' 'and opened again'
entry '{"type":"close","artifact":"a99999.0","ts":"2024-03-02T10:02:00Z"}'
is "$(skein show "$last" --json | jq -r .sections.compactor.error)" not_found 'an artifact that is not there is an error'
entry '{"type":"close","thread":"agent","ts":"2024-03-02T10:03:00Z"}'
is "$(art agent "$top | .status")" 'resolved|resolved' 'closing a thread ends what was reported as done'
entry '{"type":"close","thread":"cmd","ts":"2024-03-02T10:04:00Z"}'
is "$(art cmd "$top | .status")" 'open|open' '  and nothing else'

# ---- idle ones are raised ----

say_at() { entry "{\"user\":\"$1\",\"thread\":\"$2\",\"ts\":\"$3\",\"text\":\"$4\"}"; }
raised() { skein show "$last" --json | jq -c '.sections.compactor.raised // []'; }
say_at idle i1 2024-04-01T10:00:00Z 'Help me write a grant proposal for the museum'
key=a$last.0
say_at idle i2 2024-04-03T10:00:00Z 'hello'
is "$(raised)" '[]' 'after two days an open effort is not idle'
say_at idle i3 2024-04-12T10:00:00Z 'hello'
is "$(raised)" "[\"$key\"]" 'after a week it is raised as the next session begins'
say_at idle i3 2024-04-12T10:01:00Z 'hello there'
is "$(raised)" '[]' '  once'

# ---- whose it is ----

jq -c . >"$SCRATCH/room" <<'R'
{"room":"help","user":"ann","ts":"2024-05-05T10:00:00Z","text":"my wifi card is not found after the kernel upgrade"}
{"room":"help","user":"bob","ts":"2024-05-05T10:00:10Z","text":"I need help mounting an ntfs partition at boot"}
{"room":"help","user":"cy","ts":"2024-05-05T10:00:20Z","text":"ann: try loading the b43 module"}
{"room":"help","user":"dee","ts":"2024-05-05T10:00:30Z","text":"bob: add the ntfs partition to /etc/fstab"}
{"room":"help","user":"ann","ts":"2024-05-05T10:00:40Z","text":"cy: that fixed it, thanks!"}
R
skein send --wait "$SCRATCH/room" >/dev/null
is "$(skein artifacts --json | jq -r 'select(.room == "help" and .parent == null) | [.user, .status, .source_ref | sub("^[^:]*:"; "")] | join(" ")' | paste -sd'|')" \
  'ann resolved 1-1,3-3,5-5|bob open 2-2,4-4' 'in a room each effort is its own and only its owner ends it'
echo '{"domain":"other","user":"far","thread":"o","ts":"2024-05-05T11:00:00Z","text":"back to the budget spreadsheet, that fixed it"}' |
  skein send --wait >/dev/null
is "$(skein artifacts --json --domain other | wc -l)" 0 'another domain has none of it'

# ---- what people say ----

s='[.status, .summary, .resolution // "-", .source_ref] | join(" / ")'
talk late <<'END'
U we moved the mail worker to the second rack on the upper floor
A Which queue does it read?
U the mail queue
A Please take two heap snapshots an hour apart.
U let me think about it
END
is "$(art late "$top | $s")" 'open / We moved the mail worker to the second rack on the upper floor / - / late:1-5' \
  'a statement that is answered with what to do has opened an effort'
is "$(why)" '- - - found continued' '  as soon as that is said'
talk lone <<'END'
U i bought a new bike yesterday
A Enjoy it!
U it is green
END
is "$(art lone "$top | .summary")" '' '  what is only told has not'
talk choose <<'END'
U should we rent a van or take the train to Bremen
A The train is faster, the van carries the amplifiers.
U we need both amps
U ok the van then
END
is "$(art choose "$top | $s")" 'resolved / Should we rent a van or take the train to Bremen / The van then / choose:1-4' \
  'what is to be chosen ends with the choice'
is "$(art choose 'select(.type == "decision") | .summary')" 'The van then' '  which is a decision too'
talk mock <<'END'
U internet is down again
A I see an outage in your area.
U wonderful. really wonderful. third time this month
END
is "$(art mock "$top | .status")" open 'sarcasm accepts nothing'
talk more <<'END'
A Hello, how may I help?
U I want to know my seat number
A Your seat is 14A, a window seat.
U ok
A Anything else?
U i need a middle seat
A I moved you to 14B.
U grazie
END
is "$(art more "$top | [.status, .resolution] | join(\" / \")")" \
  'resolved / Your seat is 14A, a window seat|resolved / I moved you to 14B' 'another begins after "anything else?", and thanks are known by name'
talk slow <<'END'
U please make the csv export faster, it takes 4 min
A I stream the rows now. It takes 6 s.
U 6s is totally fine, merge it
A Merged.
U hey the csv export is slow again
END
is "$(art slow "$top | [.status, .source_ref] | join(\" \")")" 'open slow:1-5' 'what is slow again is not another effort'
talk vain <<'END'
U the registry is down, any idea why?
A The certificate may be missing.
U tried to trust the new CA, no luck
END
is "$(art vain 'select(.parent != null) | .resolution')" 'failed: Tried to trust the new CA, no luck' 'what was tried in vain is told at once'
talk no <<'END'
U I need to cancel my appointment on thursday
A Your appointment is cancelled. Do you want a new one?
U no, that's fine
END
is "$(art no "$top | [.status, .resolution] | join(\" / \")") $(art no 'select(.parent != null) | .status')" \
  'resolved / Your appointment is cancelled ' 'no to an offer on top ends it, and nothing has failed'
talk then <<'END'
U please fix the flaky tests of the parser
A I replaced redis by a fake. All 212 tests pass.
U sweet. now bump the version to 1.4.0
END
is "$(art then "$top | .status")" 'resolved|open' 'a request behind praise is the next one'
room() { jq -Rc --arg r "$1" '{room: $r, user: (split(" ")[0]), text: (split(" ")[1:] | join(" ")),
    ts: (1714900000 + input_line_number * 20 | todate)}' | skein send --wait >/dev/null; }
rooms() { skein artifacts --json | jq -r "select(.room == \"$1\" and .parent == null) | $2" | paste -sd'|'; }
room lunch <<'END'
ana where do we eat on friday?
ben the thai place
cleo i can't do nuts, thai is hard
ana pizza or burgers
ben let's do the burgers
END
is "$(rooms lunch 'select(.type == "effort") | [.user, .status, .resolution] | join(" / ")')" "ana / resolved / Let's do the burgers" \
  "whoever closes the talk settles a room's choice, and a remark is no effort"
room gate <<'END'
gil anyone else getting cert errors on the registry?
zoe the intermediate is missing on the server
gil works again, thanks zoe
END
is "$(rooms gate '[.user, .status] | join(" ")')" 'gil resolved' 'what another says is wrong is said of the problem that was brought'

# ---- the same again ----

skein digest | grep -v '^cursors ' >"$SCRATCH/before"
skein rebuild --from compactor >/dev/null 2>&1
skein digest | grep -v '^cursors ' >"$SCRATCH/after"
is "$(diff "$SCRATCH/before" "$SCRATCH/after")" '' 'a rebuild gives the same artifacts'
down
done_testing
