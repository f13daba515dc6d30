func.func @forward(%a: tensor<4xf32> {graph.input = "x\FF"}, %b: tensor<4xf32> {graph.input = "x\\xFF"})
    -> (tensor<4xf32> {graph.output = "y"}) {
  %y = graph.binary add %a, %b : tensor<4xf32>
  return %y : tensor<4xf32>
}
