"""Inputs that --feed fills give what the same values give as inputs: bert's outputs, a training step of llama.

Usage: feed.py
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tolerance import relative_error  # noqa: E402
from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402
from models.make import family  # noqa: E402

_BATCH, _LENGTH = 2, 8


def outputs(tools, model, fixed, given, flags, folder, run_flags=()):
    """The outputs with some inputs fixed by rule and others given, all of [batch, length]."""
    program = folder / "program.sheaf"
    feeds = [word for name, rule in fixed.items() for word in ("--feed", f"{name}={rule}")]
    tools.compile(model, program, {name: (_BATCH, _LENGTH) for name in [*fixed, *given]},
                  work_dir=folder, flags=[*flags, *feeds])
    return tools.execute(program, given, folder, flags=run_flags)


def check(tools, name, rules, values, flags, folder, run_flags=()):
    """What is wrong with the outputs of a model, or None: `values` are what the rules stand for."""
    module = family(name)
    model = folder / f"{name}.onnx"
    module.build(module.SIZES["tiny"], 17, 0).save(model)
    shape = (1, _BATCH, _LENGTH) if "--train" in flags else (_BATCH, _LENGTH)
    ids = {"input_ids": np.arange(_BATCH * _LENGTH).reshape(shape) * 7 % 50}
    explicit = {key: np.broadcast_to(value, shape).astype(np.int64) for key, value in values.items()}
    wanted = outputs(tools, model, {}, ids | explicit, flags, folder, run_flags)
    found = outputs(tools, model, rules, ids, flags, folder, run_flags)
    wrong = [key for key, want in wanted.items() if not relative_error(found[key], want) <= 1e-5]
    return f"{name}: {', '.join(wrong)} with {rules}" if wrong or not wanted else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    train = ["--train", "--loss", "causal_lm:logits,input_ids", "--optimizer", "sgd"]
    cases = [
        ("bert", {"attention_mask": "ones", "token_type_ids": "zeros"},
         {"attention_mask": 1, "token_type_ids": 0}, [], ()),
        ("llama", {"attention_mask": "arange"}, {"attention_mask": np.arange(_LENGTH)}, [], ()),
        ("llama", {"attention_mask": "1"}, {"attention_mask": 1}, train,
         ("--program", "train_step", "--repeat", "3")),
        ("llama", {"attention_mask": "ones"}, {"attention_mask": 1},
         [*train, "--mesh", "data=2", "--strategy", "zero3"], ("--program", "train_step")),
    ]
    problems = []
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            *model, run_flags = case
            problems.append(check(tools, *model, Path(folder), run_flags))
    problems = list(filter(None, problems))
    print("\n".join([*problems, f"{len(cases)} models, {len(problems)} wrong"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
