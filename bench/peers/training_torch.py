"""The GPT of `bench/training.py` in PyTorch: the same weights, the same samples, AdamW, on the CPU.

Usage: training_torch.py SETTINGS.json RESULT.json. `layout` is "single" (one process with two threads), "ddp" or
"zero3" (DistributedDataParallel and FSDP2 with gloo, two processes of one thread each, which share the batch). In bf16,
`single` and `ddp` compute under autocast, FSDP2 with parameters cast before they are gathered. `--info` only says the
version.
"""

import json
import os
import resource
import sys
import time

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

PORT = "29517"


class Linear(nn.Module):
    """x W + b with W as GPT-2 stores it."""

    def __init__(self, weights, name):
        super().__init__()
        self.weight = nn.Parameter(weights[f"{name}.weight"])
        self.bias = nn.Parameter(weights[f"{name}.bias"])

    def forward(self, x):
        return functional.linear(x, self.weight.t(), self.bias)


class LayerNorm(nn.Module):
    def __init__(self, weights, name):
        super().__init__()
        self.weight = nn.Parameter(weights[f"{name}.weight"])
        self.bias = nn.Parameter(weights[f"{name}.bias"])

    def forward(self, x):
        return functional.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class Block(nn.Module):
    def __init__(self, weights, name, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = LayerNorm(weights, f"{name}.attn.ln_1")
        self.qkv = Linear(weights, f"{name}.attn.c_attn")
        self.project = Linear(weights, f"{name}.attn.c_proj")
        self.mlp_norm = LayerNorm(weights, f"{name}.mlp.ln_2")
        self.up = Linear(weights, f"{name}.mlp.c_fc")
        self.down = Linear(weights, f"{name}.mlp.c_proj")

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.reshape(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(self.attention_norm(x)).chunk(3, dim=2))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.gelu(self.up(self.mlp_norm(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, weights, settings):
        super().__init__()
        self.table = nn.Parameter(weights["transformer.wte.weight"])
        self.positions = nn.Parameter(weights["transformer.wpe.weight"])
        self.blocks = nn.ModuleList(
            Block(weights, f"transformer.h.{i}", settings["heads"]) for i in range(settings["layers"]))
        self.norm = LayerNorm(weights, "transformer.ln_f")

    def forward(self, ids):
        x = functional.embedding(ids, self.table) + self.positions[:ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = functional.linear(self.norm(x), self.table)
        return functional.cross_entropy(logits[:, :-1].float().flatten(0, 1), ids[:, 1:].flatten())


def laid_out(model, settings):
    """The model as its layout wants it."""
    if settings["layout"] == "ddp":
        return nn.parallel.DistributedDataParallel(model)
    if settings["layout"] == "zero3":
        from torch.distributed.device_mesh import init_device_mesh  # noqa: PLC0415
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard  # noqa: PLC0415
        policy = MixedPrecisionPolicy()
        if settings["precision"] == "bf16":
            policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        mesh = init_device_mesh("cpu", (2,))
        for block in model.blocks:
            fully_shard(block, mesh=mesh, mp_policy=policy)
        fully_shard(model, mesh=mesh, mp_policy=policy)
    return model


def train(rank, settings, result):
    ranks = 1 if settings["layout"] == "single" else 2
    torch.set_num_threads(2 // ranks)
    if ranks > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=PORT)
        dist.init_process_group("gloo", rank=rank, world_size=ranks)
    weights = {name: torch.from_numpy(value.copy()) for name, value in np.load(settings["weights"]).items()}
    model = laid_out(Gpt(weights, settings), settings)
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings["rate"], betas=(0.9, 0.999), eps=1e-8,
                                  weight_decay=0.0, foreach=True)
    samples = torch.from_numpy(np.load(settings["data"])["input_ids"].astype(np.int64))
    batch, part = settings["batch"], settings["batch"] // ranks
    is_cast = settings["precision"] == "bf16" and settings["layout"] != "zero3"
    losses, times = [], []
    for number in range(settings["steps"]):
        start = time.perf_counter()
        begin = number * batch % len(samples) + rank * part
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=is_cast):
            loss = model(samples[begin:begin + part])
        loss.backward()
        optimizer.step()
        loss = loss.detach()
        if ranks > 1:
            dist.all_reduce(loss)
        losses.append(float(loss) / ranks)
        times.append((time.perf_counter() - start) * 1e3)
    memory = torch.tensor([float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024])
    if ranks > 1:
        dist.all_reduce(memory)
        dist.destroy_process_group()
    if rank == 0:
        with open(result, "w", encoding="utf-8") as file:
            json.dump({"losses": losses, "step_ms": times, "mib": float(memory)}, file)


def main():
    if sys.argv[1] == "--info":
        print(torch.__version__)
        return
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    if settings["layout"] == "single":
        train(0, settings, sys.argv[2])
    else:
        torch.multiprocessing.spawn(train, (settings, sys.argv[2]), nprocs=2)


if __name__ == "__main__":
    main()
