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


def thinned(messages, gold, rng, share, doc):
    """Only a share of the conversations, from an empty room on."""
    parent = {}

    def root(x):
        while parent.setdefault(x, x) != x:
            x = parent[x]
        return x

    for s, p in gold['links']:
        parent[root(s)] = root(p)
    kept = {}
    out = [dict(m, doc=doc) for m in messages if m['eval'] and (m['system'] or
           kept.setdefault(root(m['id']), rng.random() < share))]
    have = {m['id'] for m in out}
    return out, {'links': [[s, p] for s, p in gold['links']
                           if s in have and p in have]}
