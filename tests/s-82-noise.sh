#!/bin/bash
# Noise makes no artifact: a hundred turns of it, and what skein itself handed
# out, sent back to it.
. "$(dirname "$0")/lib.sh"

up || exit 1

cat >"$SCRATCH/noise" <<'END'
hi
hello
hey there
hello how are you?
good morning
good evening everyone
how's it going?
what's up
nice to meet you
bye
see you tomorrow
good night
take care
thanks
thank you
thanks a lot!
thank you so much for your help
ty
cheers
much appreciated
ok
okay
k
sure
yes
yeah
yep
no
nope
nah
right
I see
got it
uh huh
hmm
mm-hm
oh
ah
wow
cool
nice
great
awesome
lol
haha
:)
👍
😂😂
...
!!!
?
well
so
anyway
you know
um
uh
let me see
one moment
hold on
wait
please
sorry
my bad
no problem
you're welcome
no worries
exactly
indeed
of course
absolutely
really?
seriously?
is that so?
interesting
fine
alright
agreed
true
makes sense
fair enough
maybe
not sure
I don't know
whatever
never mind
same here
me too
sounds good
good point
hi again
welcome back
happy to hear that
oh well
oops
yay
the sky is blue
i got in a bad fight with my gf
I had a weird experience yesterday... or so
it is what it is
hahaha ok
END
is "$(wc -l <"$SCRATCH/noise")" 101 'a hundred turns of noise, and one'
# Each alone in a thread of its own, then all of them in one.
jq -Rc '{user: "u\(input_line_number)", thread: "n\(input_line_number)", text: .,
  ts: (1709280000 + input_line_number * 30 | todate)}' "$SCRATCH/noise" | skein send --wait >/dev/null
is "$(skein artifacts --json | jq -c '[.type, .summary]' | grep -v experience)" '' 'alone, none of it makes an artifact'
jq -Rc '{domain: "talk", user: "u", thread: "t", text: .,
  role: (if input_line_number % 2 == 0 then "user" else "assistant" end),
  ts: (1709280000 + input_line_number * 30 | todate)}' "$SCRATCH/noise" | skein send --wait >/dev/null
is "$(skein artifacts --json --domain talk | jq -c '[.type, .summary]' | grep -v experience)" '' 'nor as a conversation'

# what machines say
jq -cn '{domain: "m", user: "u", thread: "t"} as $t | [
  $t + {role: "tool", text: "Error: cannot find module \u0027foo\u0027\n    at require (internal/modules.js:12:3)\nThe tests failed yesterday."},
  $t + {role: "system", text: "You are a helpful assistant. Please fix all bugs. Remind me to call mom tomorrow."},
  $t + {role: "user", text: "<system-reminder>\nI need help with the build. That fixed it!\n</system-reminder>"},
  $t + {role: "user", text: "```\n$ make\nerror: I am getting a 401 error\n```"},
  $t + {role: "assistant", text: "Hello! How can I help you today?"}
  ] | to_entries[] | .value + {ts: (1709280000 + .key * 30 | todate)}' | skein send --wait >/dev/null
is "$(skein artifacts --json --domain m | jq -c '[.type, .summary]')" '' 'tools, system texts and injected ones make none'

# The contexts that skein hands out come back as part of what is said.
if skein help | grep -q '^  context '; then
  jq -cn '{domain: "c", user: "u", thread: "t"} as $t | [
    $t + {text: "I\u0027m getting a 401 error"},
    $t + {text: "Check the token.", role: "assistant"},
    $t + {text: "that fixed it, thanks!"}] |
    to_entries[] | .value + {ts: (1709280000 + .key * 30 | todate)}' | skein send --wait >/dev/null
  before=$(skein artifacts --json --domain c | wc -l)
  skein context --domain c --thread t --format text >"$SCRATCH/context" 2>/dev/null
  jq -Rsc '{domain: "c", user: "v", thread: "other", text: ., ts: "2024-03-02T09:00:00Z"}' "$SCRATCH/context" |
    skein send --wait >/dev/null
  is "$(skein artifacts --json --domain c | wc -l)" "$before" 'what skein injected becomes nothing'
fi
down
done_testing
