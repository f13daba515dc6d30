"""The cases of training_steps.py: which optimizer with which options, and on which layouts beside one rank."""

from dataclasses import dataclass, field

LAYOUTS = {
    "one rank": [],
    "ddp": ["--mesh", "data=2", "--strategy", "ddp"],
    "zero1": ["--mesh", "data=2", "--strategy", "zero1"],
    "zero2": ["--mesh", "data=2", "--strategy", "zero2"],
    "zero3": ["--mesh", "data=2", "--strategy", "zero3"],
    "uneven": ["--mesh", "data=4", "--strategy", "zero3"],
    "tensor": ["--mesh", "tensor=2", "--rules", "RULES"],
    "both": ["--mesh", "data=2,tensor=2", "--strategy", "zero3", "--rules", "RULES"],
}


@dataclass
class Case:
    """`options` are the optimizer's, `step` those of everything around it, both by the names of the flags."""

    title: str
    optimizer: str
    options: dict = field(default_factory=dict)
    step: dict = field(default_factory=dict)
    loss: str = "mse"
    micro_batches: int = 1
    steps: int = 4
    layouts: tuple = ()


_SOON = {"lr": 0.1}
_COSINE = {"lr": 0.1, "schedule": "cosine", "warmup": 2, "schedule_steps": 6, "final_lr": 0.1}

GROUPS = {
    "sgd": [
        Case("plain", "sgd", step=_SOON, layouts=("ddp", "zero3")),
        Case("momentum", "sgd", {"momentum": 0.9}, _SOON, layouts=("zero1",)),
        Case("nesterov", "sgd", {"momentum": 0.9, "nesterov": True}, {**_SOON, "weight_decay": 0.1},
             layouts=("zero2", "tensor")),
    ],
    "adam": [
        Case("defaults", "adam"),
        Case("decay is regularization", "adam", {"betas": (0.8, 0.9), "eps": 1e-3},
             {**_SOON, "weight_decay": 0.1}, layouts=("zero3",)),
        Case("decay is decoupled", "adamw", {}, {**_SOON, "weight_decay": 0.1}, layouts=("ddp", "both")),
        Case("biases do not decay", "adamw", {}, {**_SOON, "weight_decay": 0.5, "no_decay": ["b*", "w1"]},
             layouts=("tensor",)),
        Case("schedule", "adamw", {}, _COSINE, steps=8, layouts=("zero1",)),
    ],
    "adafactor": [
        Case("defaults", "adafactor", {}, _SOON, layouts=("ddp", "zero3", "both", "uneven")),
        Case("relative", "adafactor", {"eps": 1e-3, "relative_step": True}, {**_SOON, "weight_decay": 0.1},
             layouts=("zero1", "tensor")),
    ],
    "lion": [
        Case("defaults", "lion", {}, {"lr": 0.01}, layouts=("zero3",)),
        Case("decay", "lion", {"betas": (0.5, 0.9)}, {"lr": 0.02, "weight_decay": 0.5}, layouts=("both",)),
    ],
    "muon": [
        Case("defaults", "muon", {}, {"lr": 0.05}, layouts=("ddp", "zero3", "both", "uneven")),
        Case("others by name", "muon", {"momentum": 0.5, "betas": (0.8, 0.9), "adamw_for": ["w2"]},
             {**_SOON, "weight_decay": 0.5}, layouts=("zero1", "tensor")),
    ],
    "step": [
        Case("clipped", "sgd", {}, {"lr": 0.5, "clip_norm": 0.05}, layouts=("ddp", "tensor", "both", "uneven")),
        Case("not clipped", "sgd", {}, {"lr": 0.1, "clip_norm": 1000.0}),
        Case("frozen", "adam", {}, {**_SOON, "freeze": ["w1", "b2"]}, layouts=("zero3", "both")),
        Case("rates by name", "adamw", {}, {**_SOON, "lr_scale": ["b*=2", "w1=0.5", "b2=0.25"]},
             layouts=("zero3", "both")),
        Case("averages", "sgd", {}, {**_SOON, "ema": 0.9, "eval_ema": True},
             layouts=("ddp", "zero1", "zero3", "both", "uneven")),
        Case("micro-batches", "adamw", {}, {**_SOON, "clip_norm": 0.1}, micro_batches=3,
             layouts=("ddp", "zero1", "zero2", "zero3", "both")),
        Case("cross entropy", "sgd", {}, _SOON, loss="cross_entropy", layouts=("ddp", "tensor")),
        Case("token mean", "sgd", {}, {"lr": 0.3}, loss="cross_entropy", micro_batches=4,
             layouts=("ddp", "zero2", "both", "uneven")),
        Case("smoothed", "adam", {}, {**_SOON, "label_smoothing": 0.1}, loss="cross_entropy", micro_batches=2,
             layouts=("tensor", "uneven")),
    ],
    "schedules": [
        Case("constant", "sgd", {}, {"lr": 0.01}, steps=3),
        Case("warm-up", "sgd", {}, {"lr": 0.01, "warmup": 5}, steps=30),
        Case("linear", "sgd", {}, {"lr": 0.01, "schedule": "linear", "warmup": 5, "schedule_steps": 25,
                                   "final_lr": 0.1}, steps=30),
        Case("cosine", "sgd", {}, {"lr": 0.01, "schedule": "cosine", "warmup": 5, "schedule_steps": 25,
                                   "final_lr": 0.1}, steps=30),
        Case("cosine to nothing", "sgd", {}, {"lr": 0.01, "schedule": "cosine", "schedule_steps": 25}, steps=30),
        Case("inverse square root", "sgd", {}, {"lr": 0.01, "schedule": "inverse_sqrt", "warmup": 5}, steps=30),
        Case("wsd", "sgd", {}, {"lr": 0.01, "schedule": "wsd", "warmup": 5, "schedule_steps": 25,
                                "decay_steps": 8, "final_lr": 0.1}, steps=30),
    ],
}
