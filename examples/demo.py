"""The whole way in a minute or two: train a byte-level GPT on a licence text, on four ranks and on one.

What `./dev demo` runs. Four ranks store the model in parts and share each layer (zero3:2 x tensor:2); what they
compute is what one device computes, and the picture that it makes shows both curves. Everything stays in `build/demo`.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO / "test"))

from models import gpt2  # noqa: E402

TEXT = Path("/usr/share/common-licenses/GPL-3")  # Of Debian's base-files.
BATCH, LENGTH = 8, 64
# The largest difference of losses, relative: only the order of sums differs.
BOUND = 1e-4


def run(tool, *arguments):
    """Runs a tool of Sheaf; what it tells on the way is shown, what it prints is returned."""
    done = subprocess.run([tool, *map(str, arguments)], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"error: {tool.name} ended with exit code {done.returncode}")
    return done.stdout.decode()


def train(options, name, steps, layout):
    """Compiles and trains; returns shard-run's report and the metrics of each step."""
    program, metrics = options.output / f"{name}.sheaf", options.output / f"{name}.jsonl"
    run(options.bin / "shard-compile", options.output / "gpt.onnx", "--shape",
        f"input_ids={BATCH}x{LENGTH}", "--train", "--loss", "causal_lm:logits,input_ids", "--optimizer",
        "adamw", "--lr", "1e-3", "--betas", "0.9,0.95", "--weight-decay", "0.1", "--no-decay", "*.bias,*ln*",
        "--clip-norm", "1.0", "--schedule", "cosine", "--warmup", steps // 10, "--schedule-steps", steps,
        *layout, "-o", program)
    extra = ["--profile", options.output / "trace.json"] if layout else []
    report = json.loads(run(options.bin / "shard-run", program, "--data", options.output / "text.tokens",
                            "--token-type", "ui8", "--steps", steps, "--metrics", metrics, "--json", *extra))
    return report, [json.loads(line) for line in metrics.read_text().splitlines()]


def picture(curves, path):
    """An HTML page with the losses of each run as lines of one SVG picture."""
    width, height, margin = 720, 400, 50
    highest = max(loss for losses in curves.values() for loss in losses)
    steps = max(len(losses) for losses in curves.values())
    def point(step, loss):
        return (margin + step / max(1, steps - 1) * (width - 2 * margin),
                height - margin - loss / highest * (height - 2 * margin))
    lines, colors = [], {"one device": ("#1f77b4", "5", ""), "four ranks": ("#ff7f0e", "1.5", "")}
    for index, (name, losses) in enumerate(curves.items()):
        color, stroke, _ = colors[name]
        path_text = " ".join(f"{x:.1f},{y:.1f}" for x, y in (point(*entry) for entry in enumerate(losses)))
        lines.append(f'<polyline points="{path_text}" fill="none" stroke="{color}" stroke-width="{stroke}"/>'
                     f'<text x="{width - 200}" y="{40 + 20 * index}" fill="{color}">{name}</text>')
    for tick in range(int(highest) + 1):
        x, y = point(0, tick)
        lines.append(f'<text x="{x - 25:.0f}" y="{y + 4:.0f}">{tick}</text>'
                     f'<line x1="{x:.0f}" x2="{width - margin}" y1="{y:.0f}" y2="{y:.0f}" stroke="#ddd"/>')
    path.write_text(f'<!doctype html><meta charset="utf-8"><title>Training curves</title>'
                    f'<h3>Loss by step: the curves lie on each other</h3><svg width="{width}" height="{height}" '
                    f'font-family="sans-serif" font-size="13">{"".join(lines)}'
                    f'<text x="{width // 2}" y="{height - 15}">step (1 to {steps})</text></svg>\n',
                    encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--bin", type=Path, default=REPO / "build" / "bin")
    parser.add_argument("--output", type=Path, default=REPO / "build" / "demo")
    options = parser.parse_args()
    if options.steps < 20:
        parser.error("--steps must be at least 20")
    options.output.mkdir(parents=True, exist_ok=True)
    text = TEXT if TEXT.exists() else REPO / "LICENSE"
    (options.output / "text.tokens").write_bytes(text.read_bytes())
    config = gpt2.SIZES["demo"]
    builder = gpt2.build(config, opset=17)
    builder.save(options.output / "gpt.onnx")
    print(f"demo: byte-level GPT ({config.layers} layers, {builder.parameter_count() / 1e6:.1f} M parameters) on "
          f"{text} ({text.stat().st_size / 1000:.0f} kB), 4 ranks = zero3:2 x tensor:2", flush=True)
    layout = ["--mesh", "data=2,tensor=2", "--strategy", "zero3,tp"]
    _, ranks = train(options, "ranks", options.steps, layout)
    print("  the same on one device", flush=True)
    _, one = train(options, "one", options.steps, [])
    difference = max(abs(a["loss"] / b["loss"] - 1) for a, b in zip(ranks, one))
    picture({"one device": [line["loss"] for line in one], "four ranks": [line["loss"] for line in ranks]},
            options.output / "curve.html")
    print(f"  loss {one[0]['loss']:.3f} at step 1, {ranks[-1]['loss']:.3f} at step {options.steps} on four ranks, "
          f"{one[-1]['loss']:.3f} on one device; largest difference over all steps: {difference:.1e}")
    print(f"  picture: {os.path.relpath(options.output / 'curve.html')}     trace: "
          f"{os.path.relpath(options.output / 'trace.json')} (open in Perfetto)")
    if not difference <= BOUND:
        sys.exit("error: the curves differ")


if __name__ == "__main__":
    main()
