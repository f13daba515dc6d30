"""The GPT of `bench/training.py` in JAX: the same weights, the same samples, AdamW, jit with donated state.

Usage: training_jax.py SETTINGS.json RESULT.json. With another `layout` than "single" the batch is shared by two
devices of the host, and XLA adds up the gradients. `--info` only says the version.
"""

import json
import os
import sys
import time

import numpy as np


def layer_norm(x, weights, name, jnp):
    wide = x.astype(jnp.float32)
    centered = wide - wide.mean(-1, keepdims=True)
    normal = centered / jnp.sqrt((centered ** 2).mean(-1, keepdims=True) + 1e-5)
    return normal.astype(x.dtype) * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def linear(x, weights, name):
    return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]


def logits_of(weights, ids, settings, jax):
    """GPT-2 as test/models/gpt2.py writes it."""
    jnp, heads = jax.numpy, settings["heads"]
    batch, length = ids.shape
    table = weights["transformer.wte.weight"]
    x = table[ids] + weights["transformer.wpe.weight"][:length]
    causal = jnp.tril(jnp.ones((length, length), bool))
    for i in range(settings["layers"]):
        name = f"transformer.h.{i}"
        y = linear(layer_norm(x, weights, f"{name}.attn.ln_1", jnp), weights, f"{name}.attn.c_attn")
        q, k, v = (part.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3) for part in jnp.split(y, 3, axis=2))
        scores = (q @ k.swapaxes(2, 3)).astype(jnp.float32) / (q.shape[-1] ** 0.5)
        y = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf), axis=-1).astype(x.dtype) @ v
        x = x + linear(y.transpose(0, 2, 1, 3).reshape(x.shape), weights, f"{name}.attn.c_proj")
        y = linear(layer_norm(x, weights, f"{name}.mlp.ln_2", jnp), weights, f"{name}.mlp.c_fc")
        x = x + linear(jax.nn.gelu(y, approximate=True), weights, f"{name}.mlp.c_proj")
    return layer_norm(x, weights, "transformer.ln_f", jnp) @ table.T


def make_step(settings, jax):
    """(weights, moments, count, ids) -> the same behind a step of AdamW, and the loss."""
    jnp = jax.numpy
    compute = jnp.bfloat16 if settings["precision"] == "bf16" else jnp.float32

    def loss_of(weights, ids):
        narrow = jax.tree.map(lambda w: w.astype(compute), weights)
        log_p = jax.nn.log_softmax(logits_of(narrow, ids, settings, jax)[:, :-1].astype(jnp.float32))
        return -jnp.take_along_axis(log_p, ids[:, 1:, None], axis=-1).mean()

    def step(weights, first, second, count, ids):
        loss, gradients = jax.value_and_grad(loss_of)(weights, ids)
        count = count + 1
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
        weights = jax.tree.map(
            lambda w, m, v: w - settings["rate"] * m / (1 - 0.9 ** count) / (
                jnp.sqrt(v / (1 - 0.999 ** count)) + 1e-8), weights, first, second)
        return weights, first, second, count, loss

    return jax.jit(step, donate_argnums=(0, 1, 2, 3))


def main():
    if sys.argv[1] == "--info":
        import jax  # noqa: PLC0415
        print(jax.__version__)
        return
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    devices = 1 if settings["layout"] == "single" else 2
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
    import jax  # noqa: PLC0415  XLA reads its flags when it is loaded.
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:devices]), ("data",))
    whole = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    cut = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))
    weights = jax.device_put({name: value for name, value in np.load(settings["weights"]).items()}, whole)
    zeros = [jax.device_put(jax.tree.map(jax.numpy.zeros_like, weights), whole) for _ in range(2)]
    state = (weights, *zeros, jax.device_put(jax.numpy.zeros((), jax.numpy.float32), whole))
    step, losses, times = make_step(settings, jax), [], []
    samples = np.load(settings["data"])["input_ids"].astype(np.int32)
    batch = settings["batch"]
    for number in range(settings["steps"]):
        start = time.perf_counter()
        begin = number * batch % len(samples)
        *state, loss = step(*state, jax.device_put(samples[begin:begin + batch], cut))
        losses.append(float(loss))
        times.append((time.perf_counter() - start) * 1e3)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump({"losses": losses, "step_ms": times}, file)


if __name__ == "__main__":
    main()
