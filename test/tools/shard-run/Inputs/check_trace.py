"""Checks a trace: check_trace.py TRACE.json REPORT.json NODE... (the report is of --json)."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    trace = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    report = json.load(file)
slices = trace["traceEvents"]
# What the viewers need of a complete event.
for event in slices:
    assert event["ph"] == "X" and isinstance(event["name"], str), event
    assert event["ts"] >= 0 and event["dur"] >= 0, event
    assert isinstance(event["pid"], int) and isinstance(event["tid"], int), event
for before, after in zip(slices, slices[1:]):
    assert before["ts"] + before["dur"] <= after["ts"] + 1e-3, (before, after)
busy_ms = sum(event["dur"] for event in slices) / 1e3
assert 0 < busy_ms <= report["run_ms"][-1], (busy_ms, report["run_ms"])
nodes = [event["args"].get("node") for event in slices]
for node in sys.argv[3:]:
    assert node in nodes, (node, nodes)
print(f"{len(slices)} slices")
