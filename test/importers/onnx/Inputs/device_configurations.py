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
