"""network - the small net over bags of features, and its integer form

For each group of features the embeddings of those present are summed and
divided by the square root of their number.  The groups side by side go through
one hidden layer to eight scores.
"""
import numpy as np
import torch
import torch.nn.functional as F

ACTS = 8
GROUPS = 4


class Bags:
    """Rows of feature ids, GROUPS bags to a row; unknown keys already gone."""

    def __init__(self, keys, ends, vocabulary):
        at = np.searchsorted(vocabulary, keys)
        at[at == len(vocabulary)] = 0
        known = vocabulary[at] == keys
        before = np.concatenate([[0], np.cumsum(known)])
        self.ids = torch.from_numpy(at[known].astype(np.int32))
        ends = before[ends].reshape(-1, GROUPS)
        starts = np.concatenate([[0], ends.reshape(-1)[:-1]])
        self.starts = torch.from_numpy(starts.reshape(-1, GROUPS))
        self.counts = torch.from_numpy(ends) - self.starts

    def to(self, device):
        self.ids = self.ids.to(device)
        self.starts = self.starts.to(device)
        self.counts = self.counts.to(device)
        return self

    def batch(self, rows, drop=0.0, generator=None):
        device = self.ids.device
        start = self.starts[rows].reshape(-1)
        count = self.counts[rows].reshape(-1)
        offsets = torch.cumsum(count, 0) - count
        bag = torch.repeat_interleave(
            torch.arange(len(start), device=device), count)
        at = torch.arange(len(bag), device=device) + (start - offsets)[bag]
        ids = self.ids[at].long()
        keep = torch.ones(len(ids), device=device)
        if drop > 0:
            keep = (torch.rand(len(ids), device=device, generator=generator)
                    >= drop).float()
        number = torch.zeros(len(start), device=device)
        number.index_add_(0, bag, keep)
        return ids, offsets, number, keep


class Net(torch.nn.Module):
    def __init__(self, features, dim, hidden, dropout):
        super().__init__()
        self.dim, self.dropout = dim, dropout
        self.embedding = torch.nn.Parameter(torch.zeros(features, dim))
        self.first = torch.nn.Linear(GROUPS * dim, hidden)
        self.second = torch.nn.Linear(hidden, ACTS)

    def forward(self, ids, offsets, number, keep):
        x = F.embedding_bag(ids, self.embedding, offsets, mode="sum",
                            per_sample_weights=keep)
        x = x * number.clamp(min=1).rsqrt()[:, None]
        x = x.view(-1, GROUPS * self.dim)
        x = F.dropout(x, self.dropout / 2, self.training)
        h = F.dropout(F.relu(self.first(x)), self.dropout, self.training)
        return self.second(h)


def train(bags, targets, weights, variants, how, seed, device):
    """One net.  `weights` say how often each utterance is drawn; a variant
    other than the first is taken with probability how.mix."""
    torch.manual_seed(seed)
    rng = torch.Generator(device=device)
    rng.manual_seed(seed)
    n = targets.shape[-2]
    net = Net(how.features, how.dim, how.hidden, how.dropout).to(device)
    rest = [p for name, p in net.named_parameters() if name != "embedding"]
    steps = int(how.epochs * n / how.batch)
    optimizer = torch.optim.AdamW(
        [{"params": [net.embedding], "weight_decay": how.decay},
         {"params": rest, "weight_decay": 0.0}], lr=how.rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, how.rate, total_steps=steps, pct_start=.1)
    targets = targets.to(device)
    targets = targets * (1 - how.smooth) + how.smooth / ACTS
    chance = (weights / weights.sum()).to(device)
    cumulative = torch.cumsum(chance, 0)
    net.train()
    for _ in range(steps):
        draw = torch.rand(how.batch, device=device, generator=rng,
                          dtype=torch.float64)
        rows = torch.searchsorted(cumulative, draw).clamp(max=n - 1)
        other = torch.randint(1, variants, (how.batch,), device=device,
                              generator=rng)
        varied = torch.rand(how.batch, device=device, generator=rng) < how.mix
        at = rows + torch.where(varied, other, 0) * n
        scores = net(*bags.batch(at, how.drop_features, rng))
        if targets.dim() == 3:
            goal = targets[torch.where(varied, other, 0), rows]
        else:
            goal = targets[rows]
        loss = -(goal * F.log_softmax(scores, 1)).sum(1).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
    return net.eval()


@torch.no_grad()
def score(net, bags, rows):
    return torch.cat([net(*bags.batch(part)) for part in rows.split(8192)])
