"""Checks the meaning of written device configurations, from the file alone.

A sum of a matrix with itself is compiled with rules that say how the matrix and the sum are cut on a mesh. The block of
each device is worked out twice: from the rule and the mesh, and from the sharding in the copy, as onnx.proto describes
it. Both are of a tensor that holds the index of each element, so blocks agree only where all elements do.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

SHAPE = (12, 24)
# Mesh, and the axes of each dim of the matrix; dims divide, as ONNX says nothing of what does not.
CASES = [
    ({"tensor": 2}, [["tensor"], []]),
    ({"tensor": 2}, [[], []]),
    ({"data": 2, "tensor": 2}, [["data"], ["tensor"]]),
    ({"data": 2, "tensor": 2}, [["tensor"], ["data"]]),
    ({"data": 2, "tensor": 3}, [[], ["tensor"]]),
    ({"data": 2, "tensor": 3}, [["tensor", "data"], []]),
    ({"data": 2, "tensor": 3}, [[], ["data", "tensor"]]),
    ({"x": 2, "y": 3, "z": 2}, [["z"], ["x"]]),
    ({"x": 2, "y": 3, "z": 2}, [["y"], ["z", "x"]]),
]


def blocks_of_rule(mesh, dims):
    """The block of each rank: ranks are numbered row-major along the axes of the mesh."""
    elements = np.arange(np.prod(SHAPE)).reshape(SHAPE)
    blocks = []
    for coordinates in np.ndindex(*mesh.values()):
        place = dict(zip(mesh, coordinates))
        block = elements
        for dim, axes in enumerate(dims):
            for axis in axes:
                block = np.split(block, mesh[axis], axis=dim)[place[axis]]
        blocks.append(block)
    return blocks


def blocks_of_spec(spec, num_devices):
    """The block of each device, None without one. Shards are counted row-major over `sharded_dim`."""
    groups = {entry.key: list(entry.value) for entry in spec.index_to_device_group_map}
    shards = [np.arange(np.prod(SHAPE)).reshape(SHAPE)]
    for dim in spec.sharded_dim:
        (simple,) = dim.simple_sharding
        shards = [part for shard in shards for part in np.split(shard, simple.num_shards, dim.axis)]
    blocks = [None] * num_devices
    assert len(shards) == len(spec.device), f"{len(shards)} shards, {len(spec.device)} devices"
    for shard, entry in zip(shards, spec.device):
        for device in groups.get(entry, [entry]):
            assert blocks[device] is None, f"device {device} holds two shards"
            blocks[device] = shard
    return blocks


def main():
    value = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"], name="twice")], "g",
                              [value("x", TensorProto.FLOAT, SHAPE)],
                              [value("y", TensorProto.FLOAT, SHAPE)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    Path("model.onnx").write_bytes(model.SerializeToString())
    for mesh, dims in CASES:
        text = ", ".join("[" + ", ".join(axes) + "]" for axes in dims)
        Path("rules.yaml").write_text(f"- {{name: '^x$', axes: [{text}]}}\n")
        subprocess.run(["shard-compile", "model.onnx", "-o", "model.sheaf", "--rules", "rules.yaml", "--mesh",
                        ",".join(f"{name}={extent}" for name, extent in mesh.items()),
                        "--annotated-onnx", "copy.onnx", "--annotated-as", "case"],
                       check=True, stdout=subprocess.DEVNULL)
        copy = onnx.load("copy.onnx")
        (configuration,) = copy.configuration
        num_devices = int(np.prod(list(mesh.values())))
        assert (configuration.name, configuration.num_devices) == ("case", num_devices), configuration
        (annotation,) = copy.graph.node[0].device_configurations
        assert annotation.configuration_id == "case" and not annotation.HasField("pipeline_stage")
        assert [spec.tensor_name for spec in annotation.sharding_spec] == ["x", "y"]
        for spec in annotation.sharding_spec:
            for device, (got, want) in enumerate(
                    zip(blocks_of_spec(spec, num_devices), blocks_of_rule(mesh, dims), strict=True)):
                assert got is not None and np.array_equal(got, want), \
                    f"{mesh} {dims}: device {device} of {spec.tensor_name}: {got} instead of {want}"
    print(f"{len(CASES)} shardings hold the blocks that the rules say")


if __name__ == "__main__":
    sys.exit(main())
