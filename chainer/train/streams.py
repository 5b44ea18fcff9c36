"""streams - logs with reply links, and altered copies of them

A log is a list of messages {"doc","id","ts","speaker","text","system","eval"};
gold maps a document to {"links": [[id, antecedent], …]}.  The copies show the
same conversations at another pace, in other company, and without the names,
so that what is learnt does not hang on the habits of one channel.
"""
import datetime
import gzip
import json
import re

UTC = datetime.timezone.utc
EPOCH = 1.2e9           # when a room made of others begins
WORD = re.compile(r'[^\s:,.;!?()@]+')
ADDRESS = re.compile(r'^@?(\S{2,20})[:,]\s+(?=\S)')


def read(path):
    opener = gzip.open if path.endswith('.gz') else open
    with opener(path, 'rt', encoding='utf-8') as f:
        return [json.loads(line) for line in f]


def write(path, messages):
    with open(path, 'w', encoding='utf-8') as f:
        for m in messages:
            f.write(json.dumps(m) + '\n')


def by_document(messages):
    documents = {}
    for m in messages:
        documents.setdefault(m['doc'], []).append(m)
    return documents


def seconds_of(text):
    when = datetime.datetime.fromisoformat(text.replace('Z', '+00:00'))
    return when.replace(tzinfo=UTC).timestamp()


def text_of(seconds):
    when = datetime.datetime.fromtimestamp(round(seconds * 1000) / 1000, UTC)
    return when.strftime('%Y-%m-%dT%H:%M:%S.') + '%03dZ' % (
        when.microsecond // 1000)


def retimed(messages, rng, factor):
    """At another pace.  Messages of the same minute are spread over it, in
    order; where a log's clock steps back, half a minute passes instead."""
    stamps = [seconds_of(m['ts']) for m in messages]
    times, i = [], 0
    while i < len(stamps):
        j = i
        while j < len(stamps) and stamps[j] == stamps[i]:
            j += 1
        spread = 60 if stamps[i] % 60 == 0 else 1
        times += [stamps[i] + x for x in
                  sorted(rng.random() * spread for _ in range(j - i))]
        i = j
    out, now = [], times[0]
    for m, t, before in zip(messages, times, times[:1] + times):
        now += (t - before if t >= before else 30.0) * factor
        out.append(dict(m, ts=text_of(now)))
    return out


def unaddressed(messages, rng, share):
    """A share of the messages lose the name they begin with."""
    names = {m['speaker'].lower() for m in messages}
    out = []
    for m in messages:
        k = None if m['system'] else ADDRESS.match(m['text'])
        if k and k.group(1).lower() in names and rng.random() < share:
            m = dict(m, text=m['text'][k.end():])
        out.append(m)
    return out


def merged(a, b, gold_a, gold_b, doc):
    """Two logs in one room, side by side from beginning to end."""
    both = sorted([(i / len(a), 0, m) for i, m in enumerate(a)] +
                  [(i / len(b), 1, m) for i, m in enumerate(b)],
                  key=lambda x: x[:2])
    ids, out = {}, []
    for k, (place, which, m) in enumerate(both):
        ids[which, m['id']] = k
        out.append(dict(m, doc=doc, id=k,
                        ts=a[min(int(place * len(a)), len(a) - 1)]['ts']))
    links = [[ids[w, s], ids[w, p]] for w, g in ((0, gold_a), (1, gold_b))
             for s, p in g['links'] if (w, p) in ids]
    return out, {'links': links}


def conversations(gold):
    """A function from a message's id to that of its conversation."""
    parent = {}

    def root(x):
        while parent.setdefault(x, x) != x:
            x = parent[x]
        return x

    for s, p in gold['links']:
        parent[root(s)] = root(p)
    return root


def thinned(messages, gold, rng, share, doc):
    """Only a share of the conversations, from an empty room on."""
    root, kept = conversations(gold), {}
    out = [dict(m, doc=doc) for m in messages if m['eval'] and (m['system'] or
           kept.setdefault(root(m['id']), rng.random() < share))]
    have = {m['id'] for m in out}
    return out, {'links': [[s, p] for s, p in gold['links']
                           if s in have and p in have]}


def spaced(logs, golds, rng, factor, doc):
    """A slow room: the conversations of several logs, one log after the other,
    each at its own pace within but beginning further from the one before, so
    that fewer go on at once and the window holds many that are over."""
    out, begin = [], 0.0
    for which, (log, gold) in enumerate(zip(logs, golds)):
        root, first, end = conversations(gold), {}, begin
        talk = [(seconds_of(m['ts']), m) for m in retimed(log, rng, 1.0)
                if m['eval'] and not m['system']]
        for t, m in talk:
            start = first.setdefault(root(m['id']), t)
            when = begin + (start - talk[0][0]) * factor + t - start
            end = max(end, when)
            out.append((when, which, len(out), m))
        begin = end + rng.uniform(60, 600) * factor
    out.sort(key=lambda x: x[:3])
    ids = {(which, m['id']): k for k, (_, which, _, m) in enumerate(out)}
    room = [dict(m, doc=doc, id=k, ts=text_of(EPOCH + when))
            for k, (when, _, _, m) in enumerate(out)]
    return room, {'links': [[ids[w, s], ids[w, p]]
                            for w, gold in enumerate(golds)
                            for s, p in gold['links']
                            if (w, s) in ids and (w, p) in ids]}


def staffed(messages, gold, rng, share, count):
    """A help desk: a share of those who mostly answer become `count` people,
    who then talk with many at once."""
    root, began, spoken = conversations(gold), {}, {}
    for m in messages:
        if m['eval'] and not m['system']:
            c = root(m['id'])
            home = began.setdefault(c, m['speaker']) == m['speaker']
            spoken.setdefault(m['speaker'], []).append(home)
    staff = {}
    for name, home in sorted(spoken.items()):
        if 2 * sum(home) < len(home) and rng.random() < share:
            staff.setdefault(rng.randrange(count), []).append(name)
    new = {name: group[0] for group in staff.values() for name in group}
    folded = {name.lower(): to for name, to in new.items()}

    def rename(k):
        # A short one in the middle may be a word of the language.
        known = k.start() == 0 or len(k.group()) > 4
        return folded.get(k.group().lower(), k.group()) if known else k.group()

    return [dict(m, speaker=new.get(m['speaker'], m['speaker']),
                 text=WORD.sub(rename, m['text'])) for m in messages]
