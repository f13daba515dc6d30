"""Writes one matrix product with device configurations, right and wrong, in the current folder."""

import copy
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

value = helper.make_tensor_value_info
graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "w"], ["y"], name="product")], "g",
    [value("x", TensorProto.FLOAT, [2, 4])], [value("y", TensorProto.FLOAT, [2, 6])],
    [numpy_helper.from_array(np.ones((4, 6), np.float32), "w")])
good = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
good.configuration.add(name="pair", num_devices=2)
annotation = good.graph.node[0].device_configurations.add(configuration_id="pair",
                                                          pipeline_stage=0)
everywhere = annotation.sharding_spec.add(tensor_name="x", device=[2])
everywhere.index_to_device_group_map.add(key=2, value=[0, 1])
columns = annotation.sharding_spec.add(tensor_name="w", device=[0, 1])
columns.sharded_dim.add(axis=1).simple_sharding.add(dim_value=6, num_shards=2)


def write(name, model):
    Path(f"{name}.onnx").write_bytes(model.SerializeToString())


def specs(model):
    return model.graph.node[0].device_configurations[0].sharding_spec


write("good", good)
axis = copy.deepcopy(good)
specs(axis)[1].sharded_dim[0].axis = 2
write("axis", axis)
group = copy.deepcopy(good)
specs(group)[0].index_to_device_group_map[0].value.append(2)
write("group", group)
shard = copy.deepcopy(good)
specs(shard)[1].device.append(3)
write("shard", shard)
unknown = copy.deepcopy(good)
unknown.graph.node[0].device_configurations[0].configuration_id = "triple"
write("unknown", unknown)
many = copy.deepcopy(good)
many.configuration[0].num_devices = 2**31 - 1
write("many", many)
elsewhere = copy.deepcopy(good)
elsewhere.configuration[0].num_devices = 4
specs(elsewhere)[0].index_to_device_group_map[0].value.extend([2, 3])
specs(elsewhere)[0].device[0] = specs(elsewhere)[0].index_to_device_group_map[0].key = -1
write("elsewhere", elsewhere)
plain = copy.deepcopy(good)
plain.graph.node[0].ClearField("device_configurations")
plain.ClearField("configuration")
plain.ir_version = 8
write("plain", plain)
old = copy.deepcopy(plain)
old.ir_version = 3
old.graph.input.append(value("w", TensorProto.FLOAT, [4, 6]))
write("old", old)
outside = copy.deepcopy(plain)
(tensor,) = outside.graph.initializer
Path("weights.bin").write_bytes(tensor.raw_data)
tensor.ClearField("raw_data")
tensor.data_location = TensorProto.EXTERNAL
tensor.external_data.add(key="location", value="weights.bin")
write("outside", outside)
