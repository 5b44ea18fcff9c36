"""eval_turns - the conversations of LoCoMo and BEAM as entries of a pipeline

Shared by eval-retrieval and eval-context.  Each conversation is a domain of its
own.  By default a session is a thread; `--as session` makes a conversation one
thread with sessions, `--as room` a room whose threads begin by inactivity.
"""
import datetime, gzip, json, os, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get("SKEIN_DATA", os.path.join(ROOT, "..", "shared", "data"))
BIN = os.path.abspath(os.environ.get("SKEIN_BIN", os.path.join(ROOT, "build", "bin")))
SKEIN = os.path.join(BIN, "skein")
SETS = {"locomo": "locomo.dev", "beam": "beam100k"}
MODES = ["thread", "session", "room"]


def read(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") \
        else open(path, encoding="utf-8")
    with opened as file:
        return [json.loads(line) for line in file]


def load(name):
    """Messages and questions, or None where the data is not there."""
    base = os.path.join(DATA, "eval", SETS[name])
    for end in (".messages.jsonl", ".messages.jsonl.gz"):
        if os.path.exists(base + end):
            return read(base + end), read(base + ".questions.jsonl")
    return None


def when(text, number):
    """The session's date, and a minute for each turn before this one in it."""
    for form in ("%Y-%m-%dT%H:%M:%S", "%B-%d-%Y"):
        try:
            start = datetime.datetime.strptime(text or "", form)
        except ValueError:
            continue
        return (start + datetime.timedelta(minutes=number)).strftime(
            "%Y-%m-%dT%H:%M:%SZ")
    return None


def entries(messages, mode):
    begun = {}
    for m in messages:
        session = (m["conv"], m["session"])
        begun[session] = begun.get(session, -1) + 1
        text = m["text"]
        if m.get("caption"):
            text += f"\n[photo: {m['caption']}]"
        plain = m["speaker"] in ("user", "assistant")
        entry = {"type": "turn", "domain": m["conv"], "id": m["id"],
                 "text": text, "session": str(m["session"]),
                 "role": m["speaker"] if plain else "user"}
        if not plain:
            entry["user"] = m["speaker"]
        if mode == "thread":
            entry["thread"] = f"{m['conv']}/{m['session']}"
        elif mode == "session":
            entry["thread"] = m["conv"]
        else:
            entry["room"] = m["conv"]
        ts = when(m["ts"], begun[session])
        if ts:
            entry["ts"] = ts
        yield entry


class Pipeline:
    """Everything sent and indexed, in a home that is gone at the end."""

    def __init__(self, lines, **settings):
        self.lines = lines
        self.settings = settings

    def __enter__(self):
        self.home = tempfile.mkdtemp(prefix="skein-eval.")
        self.env = dict(os.environ, SKEIN_HOME=self.home,
                        SKEIN_TICK_INTERVAL="0", **self.settings)
        try:
            self.skein("up")
            acks = self.skein("send", "--wait", lines=self.lines)
            refused = [a for a in acks if "error" in a]
            if refused or len(acks) != len(self.lines):
                sys.exit(f"{len(refused)} entries were refused: {refused[:1]}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        subprocess.run([SKEIN, "down"], env=self.env,
                       stdout=subprocess.DEVNULL)
        shutil.rmtree(self.home)

    def skein(self, *words, lines=None):
        text = None if lines is None else \
            "".join(json.dumps(line) + "\n" for line in lines)
        done = subprocess.run([SKEIN, *words], input=text, text=True,
                              env=self.env, stdout=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"skein {words[0]} failed")
        return [json.loads(line) for line in done.stdout.splitlines()
                if line.startswith("{")]
