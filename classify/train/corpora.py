"""corpora - labelled utterances from the training folder, and their variants

An utterance is a dict with text, prev (the turn before), same (the same person
said both), dialog, source, and target: a distribution over the acts.
"""
import gzip
import json
import os
import re
import zlib

ACTS = ["none", "greeting", "question", "request", "inform", "commit",
        "accept", "reject"]
NUMBER = {act: i for i, act in enumerate(ACTS)}
LABELLED = ["ami", "mrda", "multidogo", "clinc"]


def read_lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def one_hot(act, weight=1.0):
    """The rest of the weight is spread evenly: how far the label is trusted."""
    rest = (1.0 - weight) / len(ACTS)
    return [rest + (weight if a == act else 0.0) for a in ACTS]


def utterance(source, dialog, text, prev, same, act, trust=1.0):
    return {"source": source, "dialog": dialog, "text": text, "prev": prev,
            "same": bool(same), "act": act, "target": one_hot(act, trust)}


def load_labelled(folder):
    out = []
    for source in LABELLED:
        for r in read_lines(f"{folder}/acts_{source}_train.jsonl.gz"):
            # CLINC's dialog is the intent, so each query stands for itself.
            dialog = r["text"] if source == "clinc" else r["dialog"]
            out.append(utterance(source, dialog, r["text"], r["prev_text"],
                                 r["prev_speaker_same"], r["act"]))
    return out


def held_out(u):
    """One dialogue in twelve, the same ones every time."""
    return zlib.crc32(u["dialog"].encode()) % 12 == 0


# ---- typed chat: IRC messages labelled by a few patterns
#
# The labelled corpora have hardly any typed request, undertaking or refusal.
# These patterns are right most of the time, not always, hence `trust`.

VERBS = """add allow apply ask avoid back backup boot bring browse build buy
call change check choose click close come compile configure connect consider
copy create cut define delete describe disable disconnect do download drag
drop edit enable ensure enter execute explain export feed fetch fill find
fix follow format forget generate get give go google grab grep hit hold
ignore imagine import insert install issue join keep kill launch leave let
list load locate log login look mail make mention merge mount move note
notice open order paste pick ping play plug point post press print provide
purge put read reboot recompile reconfigure reinstall reload remember remove
rename repeat replace report reset resize restart return run save say scan
scroll search select send set shut show sign skip sort specify start stay
stick stop submit subscribe summarize switch take talk tell test throw
translate trust try turn type uninstall unmount unplug untar unzip update
upgrade upload use verify view visit wait watch wipe wrap write""".split()

CHAT = [(act, trust, re.compile(pattern, re.I)) for act, trust, pattern in [
    ("greeting", .95, r"^(hi|hello|hey|hiya|yo|howdy|good (morning|evening|"
     r"afternoon|night)|greetings|bye|goodbye|cya|see (you|ya)|later)\b"
     r"[ ,]*(all|everyone|everybody|guys|there|folks|people|again|man)?"
     r"[ .!:)]*$"),
    ("greeting", .95, r"^(ok|okay|ah|oh|great|cool|nice|alright)?[ ,.!]*"
     r"(thanks|thank you|thx|thank u|tnx|ty|sorry|my apologies)\b.{0,25}$"),
    ("greeting", .9, r"^(you'?re|ur|your) welcome\b.{0,12}$|^np[ .!]*$|"
     r"^no problem[ .!]*$"),
    ("request", .9, r"^(ok|okay|so|then|well|hey)?[ ,]*(can|could|would|will)"
     r" (you|u|someone|anyone|somebody|anybody)( please| pls)? (help|tell|"
     r"show|give|send|paste|explain|check|try|point|look|do|post|run|walk|"
     r"please|recommend|suggest|confirm|take|make|write)\b"),
    ("request", .9, r"\b(please|pls|plz)\b(?! (don'?t )?(be|wait)\b)"),
    ("request", .85, r"^(i need|i want|i'?d like|i would like) (to|a|an|some|"
     r"help|you)\b"),
    ("request", .85, r"^(let'?s|lets|how about|what about|why don'?t (you|we)|"
     r"you (should|could|might want to|need to|have to|must|can try)|maybe "
     r"(you|we) (should|could)|i (suggest|recommend|would suggest))\b"),
    ("request", .8, r"^(ok|okay|so|then|well|first|now|no|yes|just|or|and|"
     r"also|maybe|simply)?[ ,]*(just )?(don'?t |do not )?(%s)\b(?! ?[.!?]*$)"
     % "|".join(VERBS)),
    ("commit", .9, r"^(ok|okay|yes|yeah|sure|alright|cool|thanks|ah|hm+)?"
     r"[ ,.!]*(i'?ll|i will|i am going to|i'?m going to|im going to|i'?m "
     r"gonna|let me|lemme|i can (help|do|try|check|look|send|show))\b"),
    ("accept", .9, r"^(yes|yep|yup|yeah|yea|sure|exactly|correct|right|agreed|"
     r"ok|okay|alright|indeed|of course|absolutely|definitely|i agree|that'?s "
     r"(right|correct|true)|sounds good|makes sense|good (idea|point))"
     r"[ .!,]*$"),
    ("accept", .75, r"^(yes|yep|yup|yeah|sure)[ ,.]+\w+"),
    ("accept", .85, r"\b(that|it) (worked|works|fixed it|did (it|the trick))\b"
     r"(?!.*\?)"),
    ("reject", .9, r"^(no|nope|nah|not really|i don'?t think so|i disagree|"
     r"that'?s (wrong|not (right|true|correct|it|what))|no way|negative|"
     r"never mind|nevermind|nvm)[ .!,]*$"),
    ("reject", .75, r"^(no|nope|nah)[ ,.]+\w+"),
    ("reject", .8, r"\b(that|it) (didn'?t|doesn'?t|does not|did not) "
     r"(work|help)\b(?!.*\?)"),
    ("none", .9, r"^(lol|haha+|heh|hehe|hm+|oh|ah|aha|wow|uh|um|huh|damn|ugh|"
     r"ahh+|ohh+|rofl|lmao|o+ps|doh|argh|wtf|interesting|weird|nice|cool|"
     r"great|:[)dp(])[ .!,]*$"),
    ("question", .95, r"\?[ )!]*$"),
    ("question", .85, r"^(what|where|when|who|why|how|which|whats|wheres|is "
     r"there|are there|is it|does|do (you|i|u)|did|can i|should i|could i|any"
     r"(one|body)|is anyone)\b"),
]]
ADDRESSED = re.compile(r"^[\w\-\[\]|`^{}]+[:,] +")


def label_chat(text):
    brief = len(text.split()) <= 12
    for act, trust, pattern in CHAT:
        if pattern.search(text) and (brief or act not in ("accept", "reject")):
            return act, trust
    return ("inform", .6) if len(text.split()) >= 4 else (None, 0)


CHAT_MOST = {"inform": 10000, "question": 8000, "request": 12000}


def load_chat(folder, rng):
    """IRC messages with the message they reply to as the turn before."""
    lines = read_lines(f"{folder}/irc_train.stream.jsonl.gz")
    with open(f"{folder}/irc_train.gold.json", encoding="utf-8") as file:
        gold = json.load(file)
    by_key = {(r["doc"], r["id"]): r for r in lines}
    parent = {}
    for doc, one in gold.items():
        for a, b in one["links"]:
            child, before = max(a, b), min(a, b)
            if child != before:
                parent[doc, child] = max(before, parent.get((doc, child), -1))
    out = []
    for (doc, number), r in by_key.items():
        if r["system"] or r["text"].startswith("!") or not r["text"].strip():
            continue
        text = ADDRESSED.sub("", r["text"])
        act, trust = label_chat(text)
        if act is None:
            continue
        before = by_key.get((doc, parent.get((doc, number), -1)))
        prev = ADDRESSED.sub("", before["text"]) if before else ""
        same = bool(before) and before["speaker"] == r["speaker"]
        if before and before["system"]:
            prev, same = "", False
        out.append(utterance("irc", doc, text, prev, same, act, trust))
    kept = []
    for act in ACTS:
        those = [u for u in out if u["act"] == act]
        kept += rng.sample(those, min(len(those),
                                      CHAT_MOST.get(act, len(those))))
    return kept


# ---- turns of several sentences

def join_turns(us, rng, count):
    """Consecutive utterances of one speaker as one turn, as people type them.

    Its act is the last thing asked or requested in it, else what is undertaken,
    else half what it begins with and half what it ends with.
    """
    starts = [i for i in range(len(us) - 4) if not us[i]["same"]]
    out = []
    for i in rng.sample(starts, min(count, len(starts))):
        most, end = rng.choice([2, 2, 3, 4]), i + 1
        while (end < i + most and us[end]["same"] and
               us[end]["dialog"] == us[i]["dialog"]):
            end += 1
        acts = [u["act"] for u in us[i:end] if u["act"] != "none"]
        if end - i < 2 or not acts:
            continue
        asked = [a for a in acts if a in ("question", "request")]
        if asked:
            target = one_hot(asked[-1])
        elif "commit" in acts:
            target = one_hot("commit")
        else:
            target = [(a + b) / 2 for a, b in
                      zip(one_hot(acts[0]), one_hot(acts[-1]))]
        text = " ".join(capital(u["text"]) if rng.random() < .7 else u["text"]
                        for u in us[i:end])
        one = dict(us[i], source="turns", text=text, target=target)
        out.append(one)
    return out


# ---- variants: the same words as another medium would write them

EDGE_PUNCT = re.compile(r"[.,?!;:\"()\-]+(?=\s|$)|(?<=\s)[.,?!;:\"()\-]+")
SPOKEN = re.compile(r"\b(uh|um|you know|i mean|like)\b(?!,)", re.I)
SHORT = {"you": "u", "are": "r", "your": "ur", "please": "pls", "and": "n",
         "thanks": "thx", "okay": "ok", "because": "cuz", "yeah": "yea",
         "people": "ppl", "what": "wat", "really": "rly", "though": "tho"}


def capital(text):
    return text[:1].upper() + text[1:]


def bare(text, rng):
    return EDGE_PUNCT.sub("", text).lower()


def lower(text, rng):
    return text.lower()


def spaced(text, rng):
    return capital(re.sub(r"\s*([.,?!])", r" \1", text))


def open_ended(text, rng):
    return text.rstrip(" .,?!-")


def fluent(text, rng):
    return re.sub(r"\b(uh|um|er)\b,?\s*", "", text, flags=re.I).strip()


def transcribed(text, rng):
    """As telephone transcripts have it: commas around every hesitation."""
    text = SPOKEN.sub(lambda m: m.group(1) + ",", text)
    text = re.sub(r"\b(\w+) \1\b", r"\1, \1", text)
    text = re.sub(r"\bi\b", "I", text)
    if text.endswith(".") and rng.random() < .3:
        text = text[:-1] + ","
    return capital(text) if rng.random() < .6 else text


def misspelt(word, rng):
    i, kind = rng.randrange(len(word) - 1), rng.random()
    if kind < .35:
        return word[:i] + word[i + 1] + word[i] + word[i + 2:]
    if kind < .65:
        return word[:i] + word[i + 1:]
    if kind < .85:
        return word[:i] + word[i] + word[i:]
    return word[:i] + rng.choice("etaoinsrhl") + word[i + 1:]


def typed(text, rng):
    words = []
    for word in text.lower().split():
        if word in SHORT and rng.random() < .5:
            word = SHORT[word]
        elif len(word) > 3 and rng.random() < .12:
            word = misspelt(word, rng)
        words.append(word)
    text = " ".join(words)
    if rng.random() < .7:
        text = EDGE_PUNCT.sub("", text)
    return text.replace("'", "") if rng.random() < .5 else text


def punctuated(text, rng, act):
    """What was typed without any punctuation, as a careful writer has it."""
    asks = re.match(r"(can|could|would|will|is|may|do|what|how|where|are)\b",
                    text)
    if act == "question" or (act == "request" and asks):
        end = "?"
    else:
        end = rng.choice(".!." if act == "greeting" else "....")
    text = capital(re.sub(r"\bi\b", "I", text))
    return text + (" " if rng.random() < .3 else "") + end


def vary(u, k, rng, pool):
    """Variant k of an utterance: text, turn before, same speaker.

    Two of the corpora have no turn before.  That must not give the corpus away,
    so some of theirs get one and some of the others lose theirs.
    """
    text, prev, same = u["text"], u["prev"], u["same"]
    if u["source"] in ("multidogo", "clinc"):
        if not prev and rng.random() < .5:
            asked = u["act"] in ("accept", "reject")
            prev, same = rng.choice(pool["asked" if asked else "any"]), False
        if k > 0 and rng.random() < .55:
            text = punctuated(text, rng, u["act"])
        elif k > 0 and rng.random() < .6:
            text = typed(text, rng)
        return text, prev, same
    if k == 0:
        return text, prev, same
    if rng.random() < .12:
        prev, same = "", False
    if k == 1:
        way = bare
    elif k == 2:
        way = rng.choice([transcribed, transcribed, spaced, spaced, fluent])
    else:
        way = rng.choice([typed, lower, open_ended, bare, transcribed, fluent])
    varied = way(text, rng) or text
    return varied, way(prev, rng) if rng.random() < .85 else prev, same


def prev_pool(us):
    """Turns that can stand before an utterance whose own is not known."""
    spoken = [u for u in us if u["source"] in ("ami", "mrda") and
              len(u["text"]) > 12]
    return {"any": [u["text"] for u in spoken],
            "asked": [u["text"] for u in spoken if u["act"] in
                      ("question", "request", "commit")]}


def present(folder):
    return all(os.path.exists(f"{folder}/acts_{s}_train.jsonl.gz")
               for s in LABELLED)
