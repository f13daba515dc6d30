func.func @forward(%x: tensor<4xf32> {graph.input = "\\x\FF"}) -> (tensor<4xf32> {graph.output = "y\FF"}) {
  %y = graph.unary relu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
