"""texts - what the encoder is asked about, in groups of related texts

A group is a list of short texts that have to do with one another: turns that
follow each other, or a sense of WordNet with its gloss, its examples, and a
question and statements made with its words.  The encoder's opinion of how
near they are to each other, and to the texts of other groups, is all that the
table learns.
"""
import gzip
import json
import os
import re

ACTS = ["ami", "mrda", "multidogo", "clinc"]
NAMES = """Alice Ben Carla David Emma Frank Grace Henry Ivy Jack Karen Leo
Nina Oscar Paula Quentin Rosa Sam Tina Victor Wendy Xavier Yara Zoe Laura Peter
Anna Tom Julia Mark Olivia Chris Sarah Mike Linda Steve Amy Robert Kate
Daniel""".split()
WHEN = """yesterday|last week|last weekend|two weeks ago|last month|in March|in
July 2022|on Friday|this morning|last summer|a few days ago|in 2023|next month
|recently|on May 7|last year""".replace("\n", " ").split("|")

# {n}: a noun, {m}: another noun, {s}: the first one's synonym or kind,
# {v}: a verb, {a}: an adjective, {p}: a person, {w}: a time.
ASK_NOUN = [
    "When did {p} go to the {n}?", "What did {p} say about the {n}?",
    "What kind of {n} does {p} have?", "How many {n}s did {p} buy?",
    "Where did {p} get the {n}?", "Why does {p} like the {n}?",
    "Who gave {p} the {n}?", "What is {p}'s favorite {n}?",
    "Does {p} have a {n}?", "What happened with the {n}?",
    "How does {p} feel about the {n}?", "Which {n} did I choose?",
    "What was my plan for the {n}?", "How did I set up the {n}?",
    "What {n} did you recommend to me?", "When is the {n}?",
    "Would {p} be interested in a {n}?", "What does {p} do with the {n}?",
    "Have I ever worked with a {n}?", "How much did the {n} cost?",
]
SAY_NOUN = [
    "I went to the {n} {w} and it was great.", "I just got a new {n}!",
    "My {n} is doing well, thanks for asking.", "We talked about the {n} {w}.",
    "I've been thinking about getting a {n}.", "The {n} was amazing.",
    "I bought a {n} {w}.", "She gave me a {n} for my birthday.",
    "I really love my {n}, it reminds me of home.", "I have a {n} and a {m}.",
    "I'm working on the {n} and need help with the {m}.",
    "The {n} costs too much, so I took the {m}.",
    "I decided to use a {n} instead of a {m}.",
    "You could try a {n}, it goes well with a {m}.",
    "My appointment for the {n} is {w}.", "I've never had a {n} before.",
    "There was a problem with the {n}.", "Here is a picture of my {n}.",
]
ASK_VERB = [
    "When did {p} {v}?", "Why did {p} {v}?", "What did {p} {v}?",
    "Who wants to {v}?", "How often does {p} {v}?", "Where did {p} {v}?",
    "How do I {v}?", "What does {p} {v} to relax?", "Did I {v} {w}?",
    "What made {p} start to {v}?", "What does {p} plan to {v}?",
]
SAY_VERB = [
    "I want to {v} next week.", "I used to {v} a lot.",
    "I decided to {v} because of the {m}.", "We like to {v} together.",
    "He helped me {v} {w}.", "I started to {v} {w}.",
    "It is hard to {v} without a {m}.", "I can't wait to {v}!",
    "Let's {v} the {m}.", "They told me to {v}.",
]
ASK_ADJECTIVE = [
    "Was {p} {a}?", "What made {p} feel {a}?", "Why is the {m} {a}?",
    "Which {m} is {a}?", "Is {p}'s {m} {a}?",
]
SAY_ADJECTIVE = [
    "I felt so {a} about the {m}.", "The {m} is really {a}.",
    "That sounds {a}!", "It was a {a} day.", "My {m} looks {a} now.",
]
FORMS = {
    "noun": (ASK_NOUN, SAY_NOUN, "n"),
    "verb": (ASK_VERB, SAY_VERB, "v"),
    "adj": (ASK_ADJECTIVE, SAY_ADJECTIVE, "a"),
    "adv": ([], [], "a"),
}


def read_lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def runs(texts, length):
    """Groups of turns that follow each other, some of them joined as well."""
    for at in range(0, len(texts) - 1, length):
        group = texts[at:at + length]
        yield group + [" ".join(group[:2]), " ".join(group[1:3]),
                       " ".join(group)]


def dialogue_groups(folder):
    for source in ACTS:
        dialogs = {}
        for r in read_lines(os.path.join(folder,
                                         f"acts_{source}_train.jsonl.gz")):
            dialogs.setdefault(r["dialog"], []).append(r["text"])
        for texts in dialogs.values():
            long = [t for t in texts if len(t.split()) > 3]
            yield from runs(long, 4)
    logs = {}
    for r in read_lines(os.path.join(folder, "irc_train.stream.jsonl.gz")):
        if not r["system"] and len(r["text"].split()) > 3:
            logs.setdefault(r["doc"], []).append(r["text"])
    for texts in logs.values():
        yield from runs(texts, 4)


def read_wordnet(folder):
    """Every sense: part of speech, its words, its gloss, its examples."""
    for kind in FORMS:
        with open(os.path.join(folder, "data." + kind),
                  encoding="utf-8") as file:
            for line in file:
                if line.startswith("  "):
                    continue
                fields, _, gloss = line.partition(" | ")
                fields = fields.split()
                count = int(fields[3], 16)
                words = [re.sub(r"\(.*\)", "", w).replace("_", " ")
                         for w in fields[4:4 + 2 * count:2]]
                parts = re.split(r'; (?=")', gloss.strip())
                yield (kind, words, parts[0],
                       [p.strip('";') for p in parts[1:]])


def fill(form, slot, word, other, rng):
    return form.format(**{"n": word, "v": word, "a": word, "m": other,
                          "p": rng.choice(NAMES), "w": rng.choice(WHEN),
                          slot: word})


def wordnet_groups(folder, common, rng):
    """`common`: the words that may stand in a made-up sentence."""
    senses = list(read_wordnet(folder))
    nouns = [w for kind, words, _, _ in senses if kind == "noun"
             for w in words if w in common]
    for kind, words, gloss, examples in senses:
        ask, say, slot = FORMS[kind]
        known = [w for w in words if all(p in common for p in w.split())]
        group = [words[0] + ": " + gloss] + examples[:3]
        if known and ask:
            for word in known[:3]:
                group.append(fill(rng.choice(ask), slot, word,
                                  rng.choice(nouns), rng))
                group.append(fill(rng.choice(say), slot, word,
                                  rng.choice(nouns), rng))
            group.append(", ".join(words))
        yield group


def address_groups(folder):
    """Speeches, sentence by sentence; public domain."""
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".txt"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            sentences = re.split(r"(?<=[.?!])\s+", file.read())
        yield from runs([s for s in sentences if 4 < len(s.split()) < 60], 4)


def bag_groups(common, count, rng):
    """Words thrown together, in overlapping handfuls: what a sum can learn."""
    words = sorted(common)
    for _ in range(count):
        some = rng.sample(words, 5)
        yield [" ".join(some[:2]), " ".join(some[1:4]), " ".join(some[2:]),
               " ".join(some[3:] + some[:1]), rng.choice(some)]
