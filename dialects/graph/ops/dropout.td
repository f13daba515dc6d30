// Dropout.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_DROPOUT
#define SHEAF_DIALECTS_GRAPH_OPS_DROPOUT

include "dialects/graph/graph_attrs.td"

def Graph_DropoutOp : Graph_Op<"dropout",
    [AllTypesMatch<["operand", "result"]>, Decomposes, Differentiable, Localizes, ShardingRule]> {
  let summary = "Sets elements to zero at random";
  let description = [{
    An `active` one (Srivastava et al. 2014) keeps an element with probability `1 - ratio`, and divides it by
    that, in f32 for narrower types; it keeps those where `graph.random bernoulli` of the same seed and counter
    is true. So what has the seed and counter of another drops the same places, as its gradient does. One that is
    not active is its operand: a place where a training step drops out.
    (C1) `ratio` is in `[0, 1)`.
    (C2) only an active one has a counter.
    ```mlir
    %y = graph.dropout %x ratio 0.1 seed 7 : tensor<4x8xf32>
    %z = graph.dropout %x ratio 0.1 seed 7 active counter %step : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, F64Attr:$ratio, Graph_IntAttr:$seed,
      UnitAttr:$active, Optional<Graph_Count>:$counter);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `ratio` $ratio `seed` $seed (`active` $active^)? (`counter` $counter^)? attr-dict
    `:` type($operand)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif
