// RUN: shard-opt %s -split-input-file -verify-diagnostics --sharding-apply-device-configuration="name=c"

module attributes {graph.device_configurations = [{name = "c", devices = 4, nodes = [{node = "tanh", inputs = [{tensor = "x", devices = [[0], [1]], dims = [{axis = 0, shards = [2]}]}]}]}]} {
// expected-error @+1 {{device configuration "c" can't be said by one mesh: node "tanh", sharding of "x": is on 2 of 4 devices; every device holds a part of every tensor}}
func.func @left_out(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.unary tanh %x : tensor<8xf32> loc("tanh")
  return %0 : tensor<8xf32>
}
}

// -----

module attributes {graph.device_configurations = [{name = "c", devices = 2, nodes = [{node = "tanh", inputs = [{tensor = "x", devices = [[0], [1]], dims = [{axis = 0, shards = [2]}]}]}]}]} {
dist.mesh @m <["a"=4]>
// expected-error @+1 {{device configuration "c" has 2 devices, but the mesh a=4 has 4}}
func.func @other_number(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.unary tanh %x : tensor<8xf32> loc("tanh")
  return %0 : tensor<8xf32>
}
}

// -----

module attributes {graph.device_configurations = [{name = "c", devices = 6, nodes = [{node = "tanh", inputs = [{tensor = "x", devices = [[0, 1], [2, 3], [4, 5]], dims = [{axis = 0, shards = [3]}]}]}]}]} {
dist.mesh @m <["a"=2, "b"=3]>
// expected-error @+1 {{device configuration "c" can't be said by the mesh a=2,b=3: node "tanh", sharding of "x": shard 0 is on devices 0, 1, shard 1 is on devices 2, 3, ..: no axes of the mesh, or parts of them, cut it like this}}
func.func @crosses(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.unary tanh %x : tensor<8xf32> loc("tanh")
  return %0 : tensor<8xf32>
}
}

// -----

module attributes {graph.device_configurations = [{name = "c", devices = 2, nodes = [{node = "tanh", inputs = [{tensor = "x", devices = [[0], [1]], dims = [{axis = 1, shards = [2]}]}]}]}]} {
// expected-error @+1 {{device configuration "c" can't be followed: node "tanh", sharding of "x": axis 1 is out of range for 'tensor<8xf32>' or cut twice}}
func.func @axis_out_of_range(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.unary tanh %x : tensor<8xf32> loc("tanh")
  return %0 : tensor<8xf32>
}
}

// -----

module attributes {graph.device_configurations = [{name = "c", devices = 2, nodes = [{node = "tanh", inputs = [{tensor = "x", devices = [[0], [1]], dims = [{axis = 0, shards = [1, 2], extents = [4, 2]}]}]}]}]} {
// expected-error @+1 {{axis 0 was several dims, which are cut in a way that gives no blocks of the axis}}
func.func @no_blocks(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.unary tanh %x : tensor<8xf32> loc("tanh")
  return %0 : tensor<8xf32>
}
}

// -----

module attributes {graph.device_configurations = [{name = "c", devices = 4, nodes = [{node = "tanh", inputs = [{tensor = "x", devices = [[0], [1], [2], [3]], dims = [{axis = 0, shards = [4]}]}, {tensor = "y", devices = [[0], [1], [3], [2]], dims = [{axis = 0, shards = [4]}]}]}]}]} {
// expected-error @+1 {{device configuration "c" can't be said by one mesh: node "tanh", sharding of "y": shard 0 is on device 0, shard 1 is on device 1, ..: no axes in any order go through the devices like this}}
func.func @no_one_mesh(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.unary tanh %x : tensor<8xf32> loc("tanh")
  return %0 : tensor<8xf32>
}
}

// -----

module attributes {graph.device_configurations = [{name = "c", devices = 2000000, nodes = [{node = "tanh", inputs = [{tensor = "x", devices = [[0], [1]], dims = [{axis = 0, shards = [2]}]}]}]}]} {
// expected-error @+1 {{device configuration "c" has 2000000 devices; a mesh has at most 1048576}}
func.func @too_many(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.unary tanh %x : tensor<8xf32> loc("tanh")
  return %0 : tensor<8xf32>
}
}

// -----

// expected-error @+1 {{device configuration "c" is unknown; the model has "a", "b"}}
module attributes {graph.device_configurations = [{name = "a", devices = 2, nodes = []}, {name = "b", devices = 2, nodes = []}]} {
}

// -----

// expected-error @+1 {{device configuration "c" is unknown; the model has none}}
module {
}

// -----

// expected-error @+1 {{'graph.device_configurations' holds what is no device configuration: {name = "c"}}}
module attributes {graph.device_configurations = [{name = "c"}]} {
}

// -----

// expected-error @+1 {{holds what is no device configuration}}
module attributes {graph.device_configurations = [{name = "c", devices = 2, nodes = [{node = "n", inputs = [
    {tensor = "x", devices = [[0], [1]], dims = [{axis = 0, shards = [3]}]}]}]}]} {
}

// -----

// Stages and shardings of what is gone are without effect, and said to be.
module attributes {graph.device_configurations = [{name = "c", devices = 2, nodes = [
    {node = "gone", stage = 1, outputs = [{tensor = "z", devices = [[0], [1]], dims = [{axis = 0, shards = [2]}]}]}]}]} {
// expected-warning @+2 {{device configuration "c" has pipeline stages, which are not followed yet: every rank runs every node}}
// expected-warning @+1 {{device configuration "c": 1 of 1 shardings have no effect, as their tensors or nodes are folded into others or inside of sub-graphs, first that of "z" at node "gone"}}
func.func @warnings(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.unary tanh %x : tensor<8xf32> loc("tanh")
  return %0 : tensor<8xf32>
}
}

// -----

module attributes {graph.device_configurations = [{name = "c", devices = 2, nodes = [
    {node = "tanh", inputs = [{tensor = "x", devices = [[0], [1]], dims = [{axis = 0, shards = [2]}]}]},
    {node = "tanh", inputs = [{tensor = "x", devices = [[0, 1]], dims = []}]}]}]} {
// expected-error @+1 {{several nodes are called "tanh" and want "x" in different places}}
func.func @same_names(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  %0 = graph.unary tanh %x : tensor<8xf32> loc("tanh")
  return %0 : tensor<8xf32>
}
}
