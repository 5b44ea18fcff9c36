#!/usr/bin/env python3
"""classify-filter - a stage replacement in another language, as an example

Takes the place of classify's decisions:

    skein replace classify --exec scripts/examples/classify-filter.py
    skein replace classify --back

The contract of a filter, whatever the stage and the language:

  - One JSON line comes in for each entry, in order:
        {"seq": 7, "type": "turn", "entry": {...}, "sections": {"ingest": {...}}}
    `entry` is the entry as the log keeps it, `sections` holds what the stages
    before have said of it.
  - One JSON line goes out for each line that came in, in the same order, and
    at once: flush it.  It is the section: {"section": "s_classify", ...} with
    the fields that common/messages.def gives that message, or {} for "nothing
    to say".
  - The end of the input is the end of the work.

The stage keeps everything else: sockets, store, cursor.  An answer it cannot
use sends that entry to `skein rejects` with the reason, and the stream goes on.
A filter that dies is started again with the line that it owes; if it dies on
the same line again, or is silent for exec_timeout, that entry is rejected.

What is written to standard error lands in the stage's log folder.
"""

import json
import sys

GREETINGS = {"hello", "hi", "hey", "hallo", "bonjour", "hola", "ciao"}


def act_of(text):
    """What a turn does, by two rules and no more: this is an example."""
    words = text.lower().split()
    if words and words[0].strip("!,.") in GREETINGS:
        return "greeting"
    if text.rstrip().endswith("?"):
        return "question"
    return "none"


def turns_of(kind, entry):
    """The texts that an entry holds, one for each of its turns."""
    if kind == "turn":
        return [entry["text"]]
    if kind == "exchange":
        return [message.get("text", "") for message in entry.get("added", [])]
    return []


def section_of(line):
    """The answer to one line: the place to extend or to change."""
    turns = [
        {
            "act": act,
            "confidence": 0 if act == "none" else 600,
            "level": "none" if act == "none" else "rule",
        }
        for act in map(act_of, turns_of(line["type"], line["entry"]))
    ]
    if not turns:
        return {}
    return {"section": "s_classify", "turns": turns}


def main():
    # Bytes, not text: neither a locale nor buffering stands in between.
    for line in sys.stdin.buffer:
        answer = json.dumps(section_of(json.loads(line)))
        sys.stdout.buffer.write(answer.encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
