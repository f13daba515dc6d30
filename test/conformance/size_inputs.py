"""Finds the inputs of a node test that carry sizes, which exporters write as initializers.

ONNX's node tests feed everything as an input, also Reshape's shape or TopK's k. A compiler of
static shapes needs those at compile time, so the runner binds them with `--constant`. An input
counts as size-carrying when a value it determines reaches one of the positions below without
passing a Shape or Size, and when it is small: at most `MAX_ELEMENTS` elements of rank 0, 1 or
(Pad-like pairs) 2. Data inputs stay run-time inputs.
"""

MAX_ELEMENTS = 64
MAX_RANK = 2

# Op -> input positions that must be known to know the result's shape or the node's meaning.
POSITIONS = {
    "AffineGrid": [1],
    "BlackmanWindow": [0],
    "CenterCropPad": [1],
    "Clip": [1, 2],
    "Col2Im": [1, 2],
    "Compress": [1],
    "ConstantOfShape": [0],
    "CumProd": [1],
    "CumSum": [1],
    "DFT": [1, 2],
    "Dropout": [1, 2],
    "Expand": [1],
    "HammingWindow": [0],
    "HannWindow": [0],
    "If": [0],
    "Loop": [0, 1],
    "MaxUnpool": [2],
    "MelWeightMatrix": [0, 1, 2, 3, 4],
    "NonMaxSuppression": [2, 3, 4],
    "OneHot": [1],
    "Pad": [1, 2, 3],
    "Range": [0, 1, 2],
    "ReduceL1": [1],
    "ReduceL2": [1],
    "ReduceLogSum": [1],
    "ReduceLogSumExp": [1],
    "ReduceMax": [1],
    "ReduceMean": [1],
    "ReduceMin": [1],
    "ReduceProd": [1],
    "ReduceSum": [1],
    "ReduceSumSquare": [1],
    "Reshape": [1],
    "Resize": [1, 2, 3],
    "STFT": [1, 3],
    "Slice": [1, 2, 3, 4],
    "Split": [1],
    "Squeeze": [1],
    "Tile": [1, 2],
    "TopK": [1],
    "Trilu": [1],
    "Unsqueeze": [1],
    "Upsample": [1],
}

_SIZE_OPS = {"Shape", "Size"}


def _subgraphs(node):
    return [graph for attribute in node.attribute for graph in [attribute.g, *attribute.graphs]]


def _all_nodes(graph):
    """The nodes of a graph and of all graphs inside it, whose names are never the same."""
    for node in graph.node:
        yield node
        for inner in _subgraphs(node):
            yield from _all_nodes(inner)


def _sources(node):
    """What the outputs of a node depend on."""
    if node.op_type == "CastLike":
        return node.input[:1]  # Of the second, only the element type.
    inside = [name for graph in _subgraphs(node)
              for name in [*(output.name for output in graph.output),
                           *(name for inner in _all_nodes(graph) for name in inner.input)]]
    return [*node.input, *inside]


def size_inputs(graph, arrays):
    """The names among `arrays` (input name -> value) that carry sizes in `graph`."""
    nodes = list(_all_nodes(graph))
    producer = {output: node for node in nodes for output in node.output}
    pending = [node.input[position] for node in nodes
               for position in POSITIONS.get(node.op_type, []) if position < len(node.input)]
    seen = set()
    while pending:
        name = pending.pop()
        if not name or name in seen:
            continue
        seen.add(name)
        node = producer.get(name)
        if node is not None and node.op_type not in _SIZE_OPS:
            pending.extend(_sources(node))
    return [name for name, array in arrays.items()
            if name in seen and array.size <= MAX_ELEMENTS and array.ndim <= MAX_RANK]
