"""Asserts that training holds no weights of attention: its activations grow with the tokens, not with their square.

Usage: attention_memory.py

GPT-2 with one layer of two heads is compiled for 512 and for 1024 tokens. The weights of its heads alone would take
2 * 1024^2 * 4 bytes; all other tensors have tokens in one dim only. The program of 128 tokens trains, so that what is
measured is what runs.
"""

import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402
from training_model import TrainingModel  # noqa: E402

_HEADS, _TOKENS, _F32_BYTES = 2, 1024, 4


def activations(model, tokens):
    model.shapes["input_ids"] = (1, tokens)
    _, report = model.compile(f"tokens{tokens}")
    return report["memory_bytes"]["activations"]


def main():
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = TrainingModel(Toolchain(find_bin_dir(options.bin)), Path(folder), "gpt2",
                              "causal_lm:logits,input_ids", (1, 128), size="tiny-1024")
        curve = model.train("trained", steps=2)
        half, whole = activations(model, _TOKENS // 2), activations(model, _TOKENS)
    memory = curve.report["memory_bytes"]
    weights = _HEADS * _TOKENS**2 * _F32_BYTES
    print(f"activations {half} and {whole} bytes; weights would be {weights}")
    if memory["peak"] != memory["predicted_peak"]:
        print(f"peak {memory['peak']}, predicted {memory['predicted_peak']} bytes")
        return 1
    # Alignment and what does not depend on tokens only make the ratio smaller.
    return int(not (whole <= 2 * half and whole < weights))


if __name__ == "__main__":
    sys.exit(main())
