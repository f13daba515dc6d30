"""Line 14: names with any bytes survive import, printing, parsing and output files."""

import numpy as np

from conformance.import_case import Case, iota, model, node, value

X = iota(3)

NAMES = {
    "slash": "/model/layer.0/MatMul_output_0",
    "parent_folder": "../../out",
    "absolute_path": "/etc/passwd",
    "colon": "StatefulPartitionedCall:0",
    "space": "a name with  spaces ",
    "quote": 'say "hi" \\ and \'bye\'',
    "newline": "two\nlines\tand a tab",
    "control": "bell\x07escape\x1b[31mred",
    "mlir_like": '%arg0 = "graph.neg"(@x) #loc',
    "percent": "100%s %n %d",
    "unicode": "выход_出力_🎉",
    "dot": ".",
    "dots": "..",
    "number": "471",
    "dash": "-o",
    "case_a": "Output",
    "long": "n" * 70_000,
    "equal_sign": "a=b",
}


def cases():
    for label, name in NAMES.items():
        built = model([node("Neg", "x", "hidden", name=f"node {name}"),
                       node("Add", "hidden w", "y", name=f"second {name}")],
                      {"x": X}, {"y": np.float32}, {"w": 2 * X})
        for field in (built.graph.node[0].output, built.graph.node[1].input):
            field[0] = f"between {name}"
        _rename(built.graph, "x", f"{name}")
        _rename(built.graph, "y", f"{name}.out")
        _rename(built.graph, "w", f"{name}.weight")
        yield Case(label, built, {name: X}, outputs=[X])
    yield _equal_when_folded()
    yield _not_utf8(b"ZZZZ", "node_not_utf8", outputs=[-X])
    yield _not_utf8(b"QQQQ", "output_not_utf8", outputs=[-X])
    unknown = model([node("NoSuchOp", "x", "y", name="bad\n\x1b[31m\"node\"")], {"x": X},
                    {"y": np.float32})
    yield Case("odd_name_in_a_message", unknown, error=("NoSuchOp", "bad"))
    unnamed = model([node("NoSuchOp", "x", "y", name="")], {"x": X}, {"y": np.float32})
    yield Case("node_without_a_name", unnamed, error=("NoSuchOp", '"y"'))


def _rename(graph, old, new):
    for entry in [*graph.input, *graph.output, *graph.initializer]:
        if entry.name == old:
            entry.name = new
    for each in graph.node:
        for names in (each.input, each.output):
            for index, name in enumerate(names):
                if name == old:
                    names[index] = new


def _equal_when_folded():
    """Outputs whose names differ only in case, or in what a file name can't hold."""
    names = ["a/b", "a:b", "a_b", "A_B", "a b"]
    built = model([node("Mul", f"x k{i}", f"o{i}", name=f"n{i}") for i in range(len(names))],
                  {"x": X}, {}, {f"k{i}": np.float32(i + 1) for i in range(len(names))})
    for index, name in enumerate(names):
        built.graph.output.append(value(f"o{index}", np.float32, [3]))
        _rename(built.graph, f"o{index}", name)
    return Case("outputs_equal_as_file_names", built, {"x": X},
                outputs=[X * np.float32(i + 1) for i in range(len(names))])


def _not_utf8(old, name, **answer):
    """Latin-1 bytes in place of a name; protobuf's Python side won't write them itself."""
    built = model([node("Neg", "x", "QQQQ", name="ZZZZ")], {"x": X}, {"QQQQ": np.float32})
    data = built.SerializeToString().replace(old, b"\xe9\xff\x80t")
    return Case(name, data, {"x": X}, **answer)
