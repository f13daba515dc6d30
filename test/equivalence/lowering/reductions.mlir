// RUN: %python %source/test/equivalence/agree.py %s

// Sums so long that several blocks of a GPU share one, and the last of them combines what all have left.
// EXPECT whole = np.abs(x).sum()
// EXPECT columns = np.abs(x).sum(0)
func.func @forward(%x: tensor<30000x12xf32> {graph.input = "x"})
    -> (tensor<f32> {graph.output = "whole"}, tensor<12xf32> {graph.output = "columns"}) {
  %a = graph.unary abs %x : tensor<30000x12xf32>
  %whole = graph.reduce sum %a over [0, 1] : tensor<30000x12xf32>
  %columns = graph.reduce sum %a over [0] : tensor<30000x12xf32>
  return %whole, %columns : tensor<f32>, tensor<12xf32>
}
