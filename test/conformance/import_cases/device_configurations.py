"""Line 12: the device configurations of IR 11 are validated, wrong ones named."""

import numpy as np
import onnx

from conformance.import_case import Case, iota, model, node

X = iota(4, 8)
WEIGHTS = {"w0": iota(8, 8) / 64, "w1": iota(8, 8) / 32}


def annotated(configuration="mesh", tensor="w0", axis=1, shards=2, devices=(0, 1), groups=None,
              stages=(None, None), device_count=2):
    """Two matrix products, the first one sharded over two devices."""
    nodes = [node("MatMul", "x w0", "t", name="up"), node("MatMul", "t w1", "y", name="down")]
    built = model(nodes, {"x": X}, {"y": np.float32}, WEIGHTS, opset=23, ir_version=11)
    built.configuration.append(onnx.DeviceConfigurationProto(
        name="mesh", num_devices=device_count, device=[f"device{i}" for i in range(device_count)]))
    sharding = onnx.ShardingSpecProto(tensor_name=tensor, device=list(devices))
    for key, members in (groups or {}).items():
        sharding.index_to_device_group_map.append(onnx.IntIntListEntryProto(key=key,
                                                                            value=members))
    dim = sharding.sharded_dim.add(axis=axis)
    dim.simple_sharding.add(num_shards=shards, dim_value=8)
    for index, stage in enumerate(stages):
        placed = built.graph.node[index].device_configurations.add(configuration_id=configuration)
        if index == 0:
            placed.sharding_spec.append(sharding)
        if stage is not None:
            placed.pipeline_stage = stage
    return built


def cases():
    result = [X @ WEIGHTS["w0"] @ WEIGHTS["w1"]]
    feed = {"x": X}
    yield Case("sharded_columns", annotated(), feed, outputs=result)
    yield Case("negative_axis", annotated(axis=-1), feed, outputs=result)
    yield Case("two_stages", annotated(stages=(0, 1)), feed, outputs=result)
    yield Case("device_group", annotated(devices=(-1, -2), groups={-1: [0, 1], -2: [2, 3]},
                                         device_count=4), feed, outputs=result)
    yield Case("unknown_configuration", annotated(configuration="other"), error=('"other"', "up"))
    yield Case("tensor_not_in_the_node", annotated(tensor="w1"), error=('"w1"', "up"))
    yield Case("unknown_tensor", annotated(tensor="nothing"), error=('"nothing"', "up"))
    yield Case("axis_out_of_range", annotated(axis=2), error=("axis", "2", "up"))
    yield Case("negative_axis_out_of_range", annotated(axis=-3), error=("axis", "-3", "up"))
    yield Case("zero_shards", annotated(shards=0), error=("0", "shard", "up"))
    yield Case("negative_shards", annotated(shards=-2), error=("-2", "shard", "up"))
    yield Case("device_out_of_range", annotated(devices=(0, 2)), error=("2", "device", "up"))
    yield Case("negative_device_without_group", annotated(devices=(0, -1)),
               error=("-1", "up"))
    yield Case("group_of_itself", annotated(devices=(-1,), groups={-1: [-1]}, shards=1),
               error=("-1", "up"))
    yield Case("groups_in_a_ring", annotated(devices=(-1,), groups={-1: [-2], -2: [-1]}, shards=1),
               error=("group", "up"))
    yield Case("stages_run_backwards", annotated(stages=(1, 0)), error=("stage", "down"))
    yield Case("negative_stage", annotated(stages=(-1, 0)), error=("stage", "up"))
    twice = annotated()
    twice.configuration.append(twice.configuration[0])
    yield Case("configuration_twice", twice, error=('"mesh"',))
    none = annotated()
    none.configuration[0].num_devices = 0
    del none.configuration[0].device[:]
    yield Case("no_devices", none, error=('"mesh"',))
    names = annotated()
    names.configuration[0].device.append("one too many")
    yield Case("more_names_than_devices", names, error=('"mesh"', "2", "3"))
