"""The models of `bench/gpu` in PyTorch, as its users train them: torch.compile, autocast to bf16, fused AdamW.

Usage: peer_torch.py SHAPE RESULT.json. Weights are drawn as `shard-compile --init` draws them, not the same numbers, so
first losses agree only about as far as those of random models do.
"""

import json
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "test"), str(Path(__file__).resolve().parent)]

import torch  # noqa: E402
from models import llama  # noqa: E402
from shapes import SHAPES  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

STEPS, WARMUP = 30, 10


def heads_of(x, heads):
    """[b, s, h d] as [b, h, s, d]."""
    return x.unflatten(2, (heads, -1)).transpose(1, 2)


class GptBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, self.heads = config.width, config.heads
        self.attention_norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, _):
        q, k, v = (heads_of(part, self.heads) for part in self.qkv(self.attention_norm(x)).chunk(3, dim=2))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(y.transpose(1, 2).flatten(2))
        return x + self.down(functional.gelu(self.up(self.mlp_norm(x)), approximate="tanh"))


def rotated(x, angles):
    """Rotary positions on halves."""
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.kv_heads, width = config.heads, config.kv_heads, config.width
        key_width = config.kv_heads * config.head_size
        self.attention_norm, self.mlp_norm = nn.RMSNorm(width), nn.RMSNorm(width)
        self.q, self.project = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k, self.v = nn.Linear(width, key_width, bias=False), nn.Linear(width, key_width, bias=False)
        self.gate, self.up = nn.Linear(width, config.hidden, bias=False), nn.Linear(width, config.hidden, bias=False)
        self.down = nn.Linear(config.hidden, width, bias=False)

    def forward(self, x, angles):
        h = self.attention_norm(x)
        q, k = rotated(heads_of(self.q(h), self.heads), angles), rotated(heads_of(self.k(h), self.kv_heads), angles)
        y = functional.scaled_dot_product_attention(q, k, heads_of(self.v(h), self.kv_heads), is_causal=True,
                                                    enable_gqa=True)
        x = x + self.project(y.transpose(1, 2).flatten(2))
        h = self.mlp_norm(x)
        return x + self.down(functional.silu(self.gate(h)) * self.up(h))


class Decoder(nn.Module):
    def __init__(self, shape):
        super().__init__()
        config, self.is_llama = shape.config, shape.module is llama
        self.table = nn.Embedding(config.vocabulary, config.width)
        self.blocks = nn.ModuleList((LlamaBlock if self.is_llama else GptBlock)(config) for _ in range(config.layers))
        self.head = nn.Linear(config.width, config.vocabulary, bias=False)
        if self.is_llama:
            self.norm = nn.RMSNorm(config.width)
            half = config.head_size // 2
            rates = 10000.0 ** (-torch.arange(half) / half)
            self.register_buffer("angles", torch.arange(shape.extents[1])[:, None] * rates, persistent=False)
        else:
            self.norm, self.positions = nn.LayerNorm(config.width), nn.Embedding(config.positions, config.width)
            self.head.weight = self.table.weight
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, ids):
        x = self.table(ids)
        if not self.is_llama:
            x = x + self.positions.weight[:ids.shape[1]]
        for block in self.blocks:
            x = block(x, self.angles if self.is_llama else None)
        logits = self.head(self.norm(x))
        return functional.cross_entropy(logits[:, :-1].float().flatten(0, 1), ids[:, 1:].flatten())


def main():
    shape = SHAPES[sys.argv[1]]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    model = Decoder(shape).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=device == "cuda")
    compiled = torch.compile(model)
    samples = torch.from_numpy(shape.samples(4 * shape.extents[0])).to(device)
    losses, times = [], []
    for step in range(STEPS):
        ids = samples.roll(-step * shape.extents[0], 0)[:shape.extents[0]]
        started = time.perf_counter()
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = compiled(ids)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())  # waits, as our metrics of each step do
        times.append((time.perf_counter() - started) * 1e3)
    times = sorted(times[WARMUP:])
    Path(sys.argv[2]).write_text(json.dumps({"ms": times[len(times) // 2], "losses": losses}), encoding="utf-8")


if __name__ == "__main__":
    main()
