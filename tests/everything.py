"""everything - a log of every kind of entry, the same for the same seed

  everything.py COUNT [--seed N] [--forget] [--owners FILE]

JSON lines on standard output: about COUNT entries of several domains that have
the same users, threads, rooms and ids, so that whatever crosses the wall meets
something.  What is said in a domain bears the domain's name as the end of a
word.  Numbers of entries that commands and answers refer to are known
beforehand, because every entry that is not refused gets the next one.
--forget adds wishes to forget, half way and later.  --owners writes a line
"SEQ DOMAIN" for each entry that will be accepted.
"""
import argparse
import json
import sys

DOMAINS = ("north", "south", "default")
SUFFIX = {"north": "qnorth", "south": "qsouth", "default": "qhome"}
USERS = ("ann", "bob", "cyd", "dee", "eve", "fay")
# Rob leaves the log again.  He begins no thread that others name: it would be
# gone with him, and they would be refused.
LEAVING = "rob"
NOUNS = ("login", "billing", "parser", "gateway", "printer", "bicycle", "garden",
         "invoice", "cluster", "kettle", "harbour", "violin", "budget", "rocket")
MARK = ("This session is being continued from a previous conversation that ran"
        " out of context.")
ASK = "Your task is to create a detailed summary of the conversation so far."

# U the user, A the assistant, T a tool, > 40 minutes later, ! as in a room.
SCRIPTS = (
    """U I'm getting a {n} error 401 in {f}
A Try refreshing the {n} token.
U Didn't work
A Check the {m} headers then.
U no that's not it
A Inspect the {n} payload.
U Found it! The {n} token had the wrong audience
A Great, fix the audience in {f}.
U that fixed it, thanks!""",
    """U Let's debug the {n}
U also, remind me to call mom later
A Which version of the {n} is it?
U back to that {n} bug - I tried {m}
U that fixed it!
>
U the {n} error is back again
A Restart the {m} service.
U works now, thank you""",
    """U what's the port of the {n} proxy?
A The {n} proxy listens on port {d}.
U thanks
U Which team maintains the {m}?
A The platform team maintains the {m}.
U no, that's wrong
A Sorry: the {m} is maintained by Maria Lopez.
U yes, thanks""",
    """U Let's solve a bug in the {n} form
A Ok. What happens?
U Also I need to book a flight to Oslo next month for the {m}
A Sure. From which airport?
U Berlin. But first the {n} form: the submit button does nothing
A The handler is not bound. Add onclick to the {n} button.
U that works now
A For Oslo I found a flight on May 3rd for {d} EUR.
U Perfect, book it
A Booked: confirmation ABC{d}.
U Thanks!""",
    """U Should we use {n} or {m} for the archive?
A {n} is faster, {m} is cheaper.
U I'll go with {n}
A Noted.
>
U Actually I'll go with {m} instead""",
    """U I have a dentist appointment tomorrow at 3pm
U We released version {d}-rc of the {n} yesterday
U remind me to water the {n} on Friday at 10:00
A I will.
U The {n} costs {d} EUR
U The {n} costs {d}0 EUR""",
    """U What's the weather for the {n} in New York?
A Sunny, high 72.
>
U Oh, and what is it on Thursday?
A Cloudy, 60 degrees.
U And will it be windy?
U No, that's not what I meant.""",
    """U How do I prune a {n} in autumn?
A Cut the {n} above an outward bud.
>
U Which fertiliser is good for the {n}?
U Didn't we talk about this?
A Yes, about the {n}.""",
    """U hello
A Hi! How can I help?
U The {n} of {f} has {d} rows and the {m} is slow, what about that?
A Add an index on {n}_{d}.
T {{"rows": {d}, "ok": true}}
U Can you write the migration for the {n}?
A ALTER TABLE {n} ADD INDEX ({m});
U hmm ok
U I have no idea what to do with the {m}
A Leave the {m} as it is.
U 好的，谢谢 für das {n} — naïve 🚲""",
)


class Source:
    """Numbers of no pattern; a generator of our own, equal everywhere."""

    def __init__(self, seed):
        self.state = (seed * 7919 + 12345) % 2147483647

    def below(self, most):
        self.state = self.state * 16807 % 2147483647
        return self.state // 7 % most

    def one(self, things):
        return things[self.below(len(things))]


class Domain:
    """What has happened in a domain, as far as later entries refer to it."""

    def __init__(self, name):
        self.name = name
        self.memories, self.openers, self.starts = [], [], []
        self.asked, self.threads, self.sessions = [], [], []
        self.clock = {}


class Log:
    def __init__(self, seed, owners):
        self.source = Source(seed)
        self.domains = {d: Domain(d) for d in DOMAINS}
        self.seq = 0
        self.owners = owners
        self.lines = 0
        self.latest = None

    def word(self, domain, nouns=NOUNS):
        return self.source.one(nouns) + SUFFIX[domain.name]

    def time(self, domain, who, more=0):
        """A user's time goes on; some entries are late, some of one moment."""
        s = self.source
        now = domain.clock.get(who, 1709280000000 + s.below(86400) * 1000)
        if s.below(12):
            now += s.below(90000) + more
        domain.clock[who] = now
        return now - (0 if s.below(30) else s.below(7200000))

    def put(self, domain, entry, refused=False):
        """Writes an entry; its seq."""
        entry = {"domain": domain.name, **entry}
        if "id" not in entry and self.source.below(3) == 0:
            entry["id"] = "e-%d" % self.lines
        line = json.dumps(entry, ensure_ascii=self.source.below(2) == 0)
        print(line)
        self.lines += 1
        if refused:
            return 0
        self.seq += 1
        if self.owners:
            print(self.seq, domain.name, file=self.owners)
        if "id" in entry and self.source.below(40) == 0:
            print(line)  # sent again: no second entry
            self.lines += 1
        return self.seq


def dialogue(log, domain, user):
    """A generator: one turn of a script at each step."""
    s = log.source
    place = s.below(5) if user != LEAVING else 1 + s.below(4)
    words = {"n": log.word(domain), "m": log.word(domain),
             "f": "src/%s.c" % log.word(domain), "d": str(s.below(9000) + 10)}
    base = {"user": user}
    if place == 0:
        base["thread"] = "work-%d" % s.below(12)
        if base["thread"] not in domain.threads:
            domain.threads.append(base["thread"])
    elif place == 1:
        base["room"] = "room-%d" % s.below(3)
    elif place == 2:
        base.update(kind="explicit", session="s-%s-%d" % (user, s.below(4)))
        domain.sessions.append((user, base["session"]))
    first = True
    for line in s.one(SCRIPTS).format(**words).split("\n"):
        if line == ">":
            log.time(domain, user, 2400000 + s.below(90000000))
            first = True
            continue
        turn = dict(base, text=line[2:], ts=log.time(domain, user),
                    channel=s.one(("sms", "web", "mail")))
        turn["role"] = {"U": "user", "A": "assistant", "T": "tool"}[line[0]]
        if place == 1 and line[0] == "U":
            turn["user"] = s.one(USERS)
        if line[0] == "U" and s.below(60) == 0:
            turn["inactivity_timeout_minutes"] = 5 + s.below(500)
        seq = log.put(domain, turn)
        if user != LEAVING:
            domain.asked.append(seq)
            if first:
                (domain.openers if place == 0 else domain.starts).append(seq)
        first = False
        yield


class Call:
    """The messages of one API conversation, written in one of two shapes."""

    def __init__(self, log, domain, user):
        s = log.source
        self.log, self.domain = log, domain
        self.openai = s.below(2) == 1
        self.session = "api-%d" % s.below(6) if s.below(2) else None
        self.user = user
        self.system = "You help with the %s. Today is day %d." % (
            log.word(domain) if s.below(3) else "weather", s.below(3))

    def message(self, role, said):
        if isinstance(said, list):
            if self.openai:
                return {"role": role, "content": None, "tool_calls": [
                    {"id": b["id"], "type": "function", "function": {
                        "name": b["name"], "arguments": json.dumps(b["input"])}}
                    for b in said]}
            return {"role": role, "content": said}
        if self.openai or self.log.source.below(3) == 0:
            return {"role": role, "content": said}
        return {"role": role, "content": [{"type": "text", "text": said}]}

    def send(self, said, reply, system=None):
        role = ("user", "assistant")
        messages = [self.message(role[i % 2], t) for i, t in enumerate(said)]
        system = system or self.system
        entry = {"type": "exchange", "model": "m-1",
                 "ts": self.log.time(self.domain, self.user or "api")}
        if self.user:
            entry["user"] = self.user
        if self.session:
            entry["session"] = self.session
        number = "msg_%s_%d" % (self.domain.name, self.log.lines)
        if self.openai:
            messages.insert(0, {"role": "system", "content": system})
            if reply:
                entry["response"] = {"id": number, "choices": [
                    {"index": 0, "message": self.message("assistant", reply)}]}
        else:
            entry["system"] = system
            if reply:
                blocks = reply if isinstance(reply, list) else [
                    {"type": "text", "text": reply}]
                entry["response"] = {"id": number, "type": "message",
                                     "role": "assistant", "content": blocks}
        entry["messages"] = messages
        return self.log.put(self.domain, entry)


def tasks(prompts, where):
    return [{"type": "tool_use", "id": "toolu_%s_%d" % (where, i), "name": "Task",
             "input": {"prompt": p}} for i, p in enumerate(prompts)]


def calls(log, domain, user):
    """A generator: a conversation with a model, call by call."""
    s = log.source
    call = Call(log, domain, user if s.below(2) else None)
    noun, other = log.word(domain), log.word(domain)
    # Equal in all domains, to be told apart by the wall alone.
    said = [s.one(("hello there", "the %s is broken" % noun,
                   "can you fix the %s in %s.py?" % (noun, other)))]
    for i in range(2 + s.below(4)):
        reply = s.one(("Done with the %s, step %d." % (noun, i), "Sure.",
                       "I looked at the %s and changed %d lines." % (other, s.below(99))))
        kind = s.below(8)
        if kind == 0:
            call.send(said, None)  # no reply: what follows is a retry
            yield
        elif kind == 1:
            prompts = ["look into the %s %d" % (noun, log.lines), "look into the %s" % other]
            reply = tasks(prompts, "%s%d" % (domain.name, log.lines))
            call.send(said, reply)
            yield
            for p in prompts:
                agent = Call(log, domain, call.user)
                agent.send([p], "The %s is fine." % noun)
                yield
                agent.send([p, "The %s is fine." % noun, "and more?"], "No more.")
                yield
            said = said + [reply, "now the next step of %s" % noun]
            continue
        elif kind == 2:
            call.send(said + [reply, "another way with the %s, %d" % (other, i)], "Branched.")
            yield
        elif kind == 3:  # the model is asked to sum up; the chat goes on from that
            summary = ("The user repairs the %s. We compared three ways, chose the %s,"
                       " measured %d lookups and left the eviction test of %s for"
                       " tomorrow." % (noun, other, s.below(9000), noun))
            call.send(said + [reply, ASK], "<analysis>long</analysis><summary>%s</summary>" % summary)
            yield
            said = [MARK + " The summary below covers the earlier portion.\n\nSummary:\n" + summary]
            reply = "Going on with the %s." % noun
        call.send(said, reply)
        yield
        said = said + [reply, s.one(("go on", "what about the %s?" % other,
                                     "that works now, thanks", "no, still broken: %d" % i))]


def artifact(log, domain):
    """A name of an artifact: of one that is there, may be there, or is not."""
    s = log.source
    kind = s.below(8)
    if kind < 5 and domain.memories:
        return "a%d.0" % s.one(domain.memories)
    if kind < 7 and domain.openers + domain.starts:
        return "a%d.0" % s.one(domain.openers + domain.starts)
    return s.one(("a999999.0", "no-such-id", "a1.0", "a7.3"))


def memory(log, domain, user):
    s = log.source
    kind = s.below(10)
    entry = {"type": "memory", "user": user, "ts": log.time(domain, user),
             "text": "The %s of the %s team listens on port %d" % (
                 log.word(domain), log.word(domain, NOUNS[:4]), s.below(40))}
    if s.below(3) == 0:
        entry.update(agent_id="robot", agent_name="Rob" + SUFFIX[domain.name], context="the move")
    if kind < 3:
        entry["refines"] = artifact(log, domain)
    elif kind < 5:
        entry["consolidates"] = [artifact(log, domain) for _ in range(2 + s.below(3))]
        if len(set(entry["consolidates"])) < 2:
            log.put(domain, entry, refused=True)
            return
    seq = log.put(domain, entry)
    if user != LEAVING and (kind >= 5 or s.below(3) == 0):
        domain.memories.append(seq)  # mostly those that are surely there


def answer(log, domain, user):
    s = log.source
    kind = s.below(8)
    asked = s.one(domain.asked or [1])
    start = s.one(domain.starts or [1])
    act = json.dumps({"act": s.one(("inform", "request", "question", "nonsense")),
                      "confidence": 0.9, "concludes": False, "decides": False})
    link = json.dumps({"related": s.below(2) == 0, "confidence": s.below(100) / 100,
                       "reasoning": "about " + log.word(domain), "key_signals": ["a city"]})
    word = json.dumps({"summary": "A better word for " + log.word(domain), "resolution": "done"})
    question, said = (
        ("act:%d.0" % asked, act), ("act:%d.0" % asked, act), ("link:l%d" % start, link),
        ("link:l%d" % start, link), ("word:a%d.0@%d" % (asked, asked), word),
        ("word:a%d.0@%d" % (s.one(domain.openers or [1]), asked), word),
        (s.one(("act:", "link:l", "word:@", "act:999999.9", "what:ever", "x" * 199)), "{}"),
        ("link:l%d" % start, s.one(("yes", "[]", "{\"related\":7}", "\x01", "{" * 60))))[kind]
    log.put(domain, {"type": "answer", "ts": log.time(domain, user), "question": question,
                     "answer": said, "model": "tester"})


def command(log, domain, user):
    s = log.source
    ts = {"user": user, "ts": log.time(domain, user)}
    if s.below(6) == 0:  # resolved at once, by its name or as refused
        thread = "no-such-thread"
    else:
        thread = s.one(domain.threads or ["no-such-thread"])
    refused = thread not in domain.threads
    kind = s.below(14)
    if kind == 0:
        log.put(domain, {"type": "used", "artifacts": [artifact(log, domain) for _ in range(3)], **ts})
    elif kind == 1:
        log.put(domain, {"type": "attach", "thread": thread,  # begins it if need be
                         "artifacts": [artifact(log, domain)], **ts})
        if refused:
            domain.threads.append(thread)
    elif kind in (2, 3):
        log.put(domain, {"type": ("close", "reopen")[kind - 2], "thread": thread, **ts}, refused)
    elif kind in (4, 5):
        log.put(domain, {"type": ("close", "reopen")[kind - 4], "artifact": artifact(log, domain), **ts})
    elif kind == 6:
        log.put(domain, {"type": "rename", "thread": thread, "name": "About " + log.word(domain), **ts}, refused)
    elif kind == 7:
        name = "fork-%d" % log.lines
        log.put(domain, {"type": "fork", "thread": thread, "as": name, **ts}, refused)
        if not refused:
            domain.threads.append(name)
    elif kind == 8 and domain.sessions:
        who, session = s.one(domain.sessions)
        log.put(domain, {"type": "session_end", "session": session, "user": who,
                         "ts": log.time(domain, who)})
    elif kind == 9:
        where = {"room": "room-%d" % s.below(3)} if s.below(3) == 0 else {"user": user}
        log.put(domain, {"type": "tick", **where,
                         "ts": log.time(domain, user, 90000000 if s.below(4) == 0 else 2400000)})
    elif kind == 10:
        log.put(domain, {"type": "feedback", "link": "l%d" % s.one(domain.starts or [1]),
                         "verdict": s.one(("right", "wrong")), **ts})
    elif kind == 11 and s.below(4) == 0:
        log.put(domain, {"type": "tuning_undo", **ts})
    elif kind == 12 and s.below(3) == 0:
        bad = s.one(({"type": "turn"}, {"type": "nothing"}, {"text": 7}, {"text": "x", "ts": -1},
                     {"type": "memory", "text": "x", "refines": "a1.0", "consolidates": ["a1.0", "a2.0"]}))
        log.put(domain, bad, refused=True)
    else:
        answer(log, domain, user)


def forget(log, domain, what, target):
    log.put(domain, {"type": "forget", "what": what, "target": target, "id": "forget-%d" % log.lines,
                     "ts": log.time(domain, "api")})


def main():
    options = argparse.ArgumentParser()
    options.add_argument("count", type=int)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--forget", action="store_true")
    options.add_argument("--owners", type=argparse.FileType("w"))
    o = options.parse_args()
    log = Log(o.seed, o.owners)
    s = log.source
    under_way = []
    wishes = [(2, "turn"), (3, "user"), (4, "thread")] if o.forget else []
    while log.lines < o.count:
        if wishes and log.lines >= o.count * wishes[0][0] // 5:
            what = wishes.pop(0)[1]
            north = log.domains["north"]
            forget(log, north, what, {
                "turn": str(north.openers[0]), "user": LEAVING, "thread": "work-1"}[what])
            if what == "thread":
                north.threads.remove("work-1")
        domain = log.domains[s.one(("north", "north", "south", "south", "default"))]
        user = LEAVING if s.below(9) == 0 else s.one(USERS)
        kind = s.below(100)
        if kind < 6:
            memory(log, domain, user)
        elif kind < 16:
            command(log, domain, user if user != LEAVING else USERS[0])
        elif kind < 19 and len(under_way) < 60:
            under_way.append(calls(log, domain, user))
        elif len(under_way) < 12 or kind < 26 and len(under_way) < 60:
            under_way.append(dialogue(log, domain, user))
        else:
            i = s.below(len(under_way))
            if next(under_way[i], "done") == "done":
                del under_way[i]
    return 0


if __name__ == "__main__":
    sys.exit(main())
