// Losses.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_LOSS
#define SHEAF_DIALECTS_GRAPH_OPS_LOSS

include "dialects/graph/graph_attrs.td"

def Graph_CrossEntropyOp : Graph_InferredOp<"cross_entropy",
    [Differentiable, Decomposes, ShardingRule, Localizes]> {
  let summary = "Cross entropy of each row of logits against a label";
  let description = [{
    `logits` is `[.., v]`, `labels` `[..]`; the result, f32 (f64 for f64 logits), is
    `lse - (1 - e) x[label] - e mean(x)` per row with `lse` the log of the sum of exponentials and
    `e` the label smoothing; 0 where the label is `ignoreIndex`.
    (C1) `labels` has the leading shape of `logits`. (C2) smoothing is in `[0, 1]`.
    ```mlir
    %l = graph.cross_entropy %x, %t ignore -100 : tensor<4x8xf32>, tensor<4xi64>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_IndexTensor:$labels,
      OptionalAttr<Graph_IntAttr>:$ignoreIndex, DefaultValuedAttr<F64Attr, "0.0">:$labelSmoothing);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $logits `,` $labels (`ignore` $ignoreIndex^)? attr-dict `:` type($logits) `,` type($labels)
  }];
  let hasVerifier = 1;
}

#endif
