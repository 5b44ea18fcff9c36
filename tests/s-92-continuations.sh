#!/bin/bash
# Conversations that go on from a summary of themselves: which reply it was is
# found by its words, tolerant of small edits, and never by a mark alone.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/exchange.sh"

mark='This session is being continued from a previous conversation that ran out of context.'
old="$mark The conversation is summarized below:"
new="$mark The summary below covers the earlier portion of the conversation."
tail='Please continue the conversation from where we left it off without asking the user any further questions. Continue with the last task that you were asked to work on.'
core='Let me chronologically analyze the conversation: 1. **Initial User Request**: The user requested to improve conversation using the old indices.'

for SHAPE in anthropic openai; do
  fresh $SHAPE
  # the example of the plan that the linker began with
  {
    call r169 01T09:00:00Z 'You help.' 'Done.' 'improve conversation using the old indices'
    call r170 01T09:01:00Z 'You are a helpful AI assistant tasked with summarizing conversations.' "<analysis> $core </summary>" \
      'improve conversation using the old indices' Done. 'Summarise.'
    call r1 01T09:02:00Z 'You help.' 'Going on.' "$old Analysis: $core. $tail"
  } | post
  is "$(where r1 match.strategy parent branch)" 'compact r170 compact_1' "$SHAPE: the plan's own example"
  is "$(where r1 conversation)" "$(where r169 conversation)" '  is the same conversation'
done

SHAPE=anthropic
summary='The user builds a bicycle shed. We chose larch wood, drew the plan with a sloped roof, ordered twelve posts and agreed to pour the foundations on Saturday.'
text='Your task is to create a detailed summary of the conversation so far.'
fresh edited
{
  call shed 01T09:00:00Z sys 'Sure.' 'help me build a shed'
  call sum 01T09:01:00Z sys "<analysis>Much that is dropped later on, for it is not part of it.</analysis><summary>$summary</summary>" \
    'help me build a shed' Sure. "$text"
  call garden 01T09:01:30Z sys 'The user plants tomatoes. We chose the sunny bed, bought six stakes and agreed to water them every evening from now on.' 'tomatoes'
  call current 01T09:02:00Z sys Ok "$new"$'\n\nSummary:\n'"$summary"$'\n\nIf you need specific details from before, read the transcript at: /tmp/x.jsonl\nContinue.'
  call kept 01T09:03:00Z sys Ok "$new"$'\n\nSummary:\n'"$summary" 'Which posts?' 'the long ones'
  call small 01T09:04:00Z sys Ok "$new Summary: ${summary/larch wood/OAK}"
  call rewritten 01T09:05:00Z sys Ok "$new <recap>${summary^^}</recap>"
  call far 01T09:06:00Z sys Ok "$new Summary: Nobody here ever spoke of sheds, bicycles or wood; this is about the tax return of last year and its seven appendices."
  call bare 01T09:07:00Z sys Ok "$new"
  call short 01T09:08:00Z sys Ok "$new Summary: a bicycle shed"
  call unmarked 01T09:09:00Z sys Ok "Summary: $summary"
  call after 09T09:30:00Z sys Ok "$new Summary: $summary"
} | tee "$SCRATCH/calls" | post
is "$(where current match.strategy parent)" 'compact sum' 'the present form, with what follows it'
is "$(where kept match.strategy parent)" 'compact-first-user sum' 'a summary that is not alone'
is "$(where small match.strategy parent)" 'compact sum' 'one with an edit'
is "$(where rewritten match.strategy parent)" 'compact sum' 'tags and case rewritten'
is "$(where far parent)" null 'another summary is none'
is "$(where bare parent)" null 'a mark without a core is none'
is "$(where short parent)" null 'nor is a very short core'
is "$(where unmarked parent)" null 'nor a core without a mark'
is "$(where after parent)" null 'nor one after more than seven days'
like "$(where small match.why)" '[0-9]+ of 1000 alike' 'why says how much is alike'
want=$(places)

fresh reversed
tac "$SCRATCH/calls" | post
is "$(places)" "$want" 'a summary that arrives late takes its continuations in'
before=$(digest)
skein rebuild --from linker >/dev/null
is "$(digest)" "$before" 'a rebuild gives the same'

fresh settings SKEIN_CONTINUATION_MARKS='What happened so far:|And then' SKEIN_COMPACT_WINDOW=1000
{
  grep -e '"shed"' -e '"sum"' -e '"current"' "$SCRATCH/calls"
  call own 09T09:30:00Z sys Ok "What happened so far: $summary"
  DOMAIN=elsewhere call wall 01T09:30:00Z sys Ok "What happened so far: $summary"
} | post
is "$(where current parent)" null 'marks are a setting'
is "$(where own match.strategy parent)" 'compact sum' '  as is the window'
is "$(DOMAIN=elsewhere where wall parent)" null 'another domain has no part in it'
done_testing
