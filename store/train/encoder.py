"""encoder - all-MiniLM-L6-v2: BERT with six layers, the mean of its outputs

Reads the files of the Apache-2.0 model (model.safetensors, tokenizer.json) and
needs torch, tokenizers and safetensors only.
"""
import os

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer

WIDTH = 384
HEADS = 12
LAYERS = 6
LONGEST = 96            # tokens of a text that are read


class Encoder:
    def __init__(self, folder, device):
        kind = torch.float16 if device == "cuda" else torch.float32
        tensors = load_file(os.path.join(folder, "model.safetensors"))
        self.tensors = {name: t.to(device, kind)
                        for name, t in tensors.items() if t.is_floating_point()}
        self.tokenizer = Tokenizer.from_file(
            os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)
        self.device = device

    def pieces(self, texts):
        return [e.ids for e in self.tokenizer.encode_batch(texts)]

    def vocabulary(self):
        words = self.tokenizer.get_vocab()
        return sorted(words, key=words.get)

    def linear(self, x, name):
        return F.linear(x, self.tensors[name + ".weight"],
                        self.tensors[name + ".bias"])

    def norm(self, x, name):
        return F.layer_norm(x, (WIDTH,), self.tensors[name + ".weight"],
                            self.tensors[name + ".bias"], 1e-12)

    def layer(self, x, mask, name):
        rows, length, _ = x.shape
        q, k, v = [self.linear(x, name + "attention.self." + part)
                   .view(rows, length, HEADS, WIDTH // HEADS).transpose(1, 2)
                   for part in ("query", "key", "value")]
        seen = F.scaled_dot_product_attention(q, k, v,
                                              attn_mask=mask[:, None, None, :])
        seen = seen.transpose(1, 2).reshape(rows, length, WIDTH)
        x = self.norm(x + self.linear(seen, name + "attention.output.dense"),
                      name + "attention.output.LayerNorm")
        inner = F.gelu(self.linear(x, name + "intermediate.dense"))
        return self.norm(x + self.linear(inner, name + "output.dense"),
                         name + "output.LayerNorm")

    def forward(self, ids, mask):
        t = self.tensors
        x = (t["embeddings.word_embeddings.weight"][ids]
             + t["embeddings.position_embeddings.weight"][:ids.shape[1]]
             + t["embeddings.token_type_embeddings.weight"][0])
        x = self.norm(x, "embeddings.LayerNorm")
        for i in range(LAYERS):
            x = self.layer(x, mask, f"encoder.layer.{i}.")
        x = x.float() * mask[:, :, None]
        return F.normalize(x.sum(1), dim=1)

    @torch.no_grad()
    def encode(self, pieces, rows=2048):
        """Unit vectors, one per list of pieces; equal lengths side by side."""
        order = sorted(range(len(pieces)), key=lambda i: len(pieces[i]))
        out = torch.empty(len(pieces), WIDTH, device=self.device)
        for at in range(0, len(order), rows):
            some = order[at:at + rows]
            length = max(len(pieces[i]) for i in some)
            ids = torch.tensor([pieces[i] + [0] * (length - len(pieces[i]))
                                for i in some], device=self.device)
            lengths = torch.tensor([len(pieces[i]) for i in some],
                                   device=self.device)
            mask = torch.arange(length, device=self.device) < lengths[:, None]
            out[some] = self.forward(ids, mask)
        return out
