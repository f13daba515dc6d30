"""Inference in one minute: make a small GPT-2, compile it, run it, compare with ONNX Runtime.

`build/venv/bin/python examples/inference.py [prompt]`. The model has random weights, so its words are noise; what
counts is that both programs agree on them. Everything it makes stays in `build/demo` to look at.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO / "test"))

from driver.tolerance import relative_error  # noqa: E402
from driver.tools import Crashed, Refused, Toolchain  # noqa: E402
from models import gpt2  # noqa: E402

PROMPT = "Sheaf glues local pieces into one global object."
TOP = 5


def printable(token):
    """A byte-level token as text."""
    return repr(chr(token)) if 32 <= token < 127 else f"0x{token:02x}"


def size_text(size_bytes):
    """Three digits and a binary unit: "3.43 MiB"."""
    value, units = float(size_bytes), ["B", "KiB", "MiB", "GiB"]
    while value >= 1024 and len(units) > 1:
        value, units = value / 1024, units[1:]
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {units[0]}"


def top_tokens(logits):
    """The most probable next tokens after the last position, with their probabilities."""
    last = logits[0, -1].astype(np.float64)
    probabilities = np.exp(last - last.max())
    probabilities /= probabilities.sum()
    return [(int(token), probabilities[token]) for token in np.argsort(-probabilities)[:TOP]]


def bar(share, width=20):
    """A bar of eighth blocks, or of # where the terminal is not UTF-8."""
    if (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        return "#" * round(share * width)
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]


def reference(model, feed):
    """ONNX Runtime's logits and its time for one run, on one thread."""
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), settings,
                                           providers=["CPUExecutionProvider"])
    session.run(None, feed)
    started = time.perf_counter()
    logits = session.run(["logits"], feed)[0]
    return logits, (time.perf_counter() - started) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prompt", nargs="?", default=PROMPT)
    parser.add_argument("--bin", type=Path, default=REPO / "build" / "bin")
    parser.add_argument("--output", type=Path, default=REPO / "build" / "demo")
    options = parser.parse_args()

    config = gpt2.SIZES["demo"]
    ids = np.frombuffer(options.prompt.encode(), np.uint8).astype(np.int64)[None]
    if not 1 <= ids.shape[1] <= config.positions:
        parser.error(f"the prompt has {ids.shape[1]} bytes; the model takes 1 to "
                     f"{config.positions}")
    options.output.mkdir(parents=True, exist_ok=True)
    model, program = options.output / "gpt2.onnx", options.output / "gpt2.sheaf"
    trace = options.output / "trace.json"
    builder = gpt2.build(config, opset=17)
    builder.save(model)
    print(f"demo: byte-level GPT-2 ({config.layers} layers, "
          f"{builder.parameter_count() / 1e6:.1f} M parameters, random weights), "
          f"1 rank on the host")

    tools = Toolchain(options.bin)
    feed = {"input_ids": ids}
    try:
        started = time.perf_counter()
        tools.compile(model, program, {"input_ids": ids.shape})
        compile_s = time.perf_counter() - started
        logits = tools.execute(program, feed, options.output)["logits"]
        report = json.loads(tools.run("shard-run", program, "--input",
                                      f"input_ids={options.output / 'input_0.npy'}", "--warmup",
                                      "2", "--repeat", "10", "--threads", "1", "--profile", trace,
                                      "--json"))
    except (Refused, Crashed) as problem:
        sys.exit(str(problem))
    expected, theirs_ms = reference(model, feed)
    error = relative_error(logits, expected)

    print(f"  compiled  {os.path.relpath(program)} ({size_text(program.stat().st_size)}) in "
          f"{compile_s:.2f} s")
    memory = report["memory_bytes"]
    verdict = ("as predicted" if memory["peak"] == memory["predicted_peak"] else
               f"{size_text(memory['predicted_peak'])} WERE PREDICTED")
    print(f"  memory    peak {size_text(memory['peak'])}, {verdict}: weights "
          f"{size_text(memory['variables'])}, activations {size_text(memory['activations'])}, "
          f"inputs and outputs {size_text(memory['inputs_and_outputs'])}")
    print(f"  ran       {report['median_ms']:.2f} ms for {ids.shape[1]} tokens on 1 thread "
          f"(ONNX Runtime {theirs_ms:.2f} ms)")
    print(f"  prompt    {options.prompt!r}")
    for token, probability in top_tokens(logits):
        print(f"    next    {printable(token):6} {probability:6.1%}  {bar(probability)}")
    same = [token for token, _ in top_tokens(logits)] == [t for t, _ in top_tokens(expected)]
    print(f"  agrees    largest difference from ONNX Runtime {error:.1e} of the largest logit; "
          f"top {TOP} tokens {'equal' if same else 'DIFFER'}")
    print(f"  trace     {os.path.relpath(trace)} (open it at ui.perfetto.dev)")
    if not error <= 1e-4 or not same:
        sys.exit("error: the results differ from ONNX Runtime's")


if __name__ == "__main__":
    main()
