"""Learning rates by step, from 1, written as their papers have them."""

import math


def rate(step, lr, schedule="constant", warmup=0, schedule_steps=0, decay_steps=0, final_lr=0.0):
    """The learning rate of one step."""
    risen = min(1.0, step / warmup) if warmup else 1.0
    if schedule == "inverse_sqrt":  # Vaswani et al. 2017, scaled to `lr` at the end of the warm-up.
        return lr * warmup**0.5 * min(step**-0.5, step * warmup**-1.5)
    if schedule == "constant":
        return lr * risen
    if step <= warmup:
        return lr * risen
    done = min(1.0, (step - warmup) / (schedule_steps - warmup))
    if schedule == "linear":
        return lr * (1 - done + done * final_lr)
    if schedule == "cosine":  # Loshchilov and Hutter 2017, equation 5.
        return lr * (final_lr + (1 - final_lr) * (1 + math.cos(math.pi * done)) / 2)
    if schedule == "wsd":  # Hu et al. 2024: warm up, stay, decay.
        left = min(1.0, max(0.0, (schedule_steps - step) / decay_steps))
        return lr * (final_lr + (1 - final_lr) * left)
    raise ValueError(schedule)
