// Attention and the rotary position embedding.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_ATTENTION
#define SHEAF_DIALECTS_GRAPH_OPS_ATTENTION

include "dialects/graph/graph_attrs.td"

def Graph_AttentionOp : Graph_InferredOp<"attention",
    [Differentiable, Decomposes, ShardingRule, PassesPartials, HasCost]> {
  let summary = "Scaled dot-product attention with grouped heads";
  let description = [{
    `query` `[b, h, s, d]`, `key` `[b, g, t, d]`, `value` `[b, g, t, e]`, result `[b, h, s, e]`; query
    head `i` uses key head `i / (h/g)`. Scores are `softcap(scale * q k^T) + mask`, softmax over `t`;
    `softcap(x) = c tanh(x / c)`, off when 0. `mask` is a float tensor added to the scores, of rank 4 with
    extents 1 or those of `[b, h, s, t]`. `causal` lets query `i` see key `j <= i + t - s`.
    A query that sees no key, all of its scores being `-inf`, gives 0 (ONNX Attention, version 24).
    (C1) ranks are 4, batch extents and element types equal, `h` a multiple of `g`.
    (C2) `d` and `t` agree. (C3) the mask broadcasts.
    ```mlir
    %o = graph.attention %q, %k, %v scale 0.125 causal
        : tensor<1x4x8x64xf32>, tensor<1x2x8x64xf32>, tensor<1x2x8x64xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value,
      Optional<Graph_FloatTensor>:$mask, F64Attr:$scale, UnitAttr:$causal,
      DefaultValuedAttr<F64Attr, "0.0">:$softcap);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? `scale` $scale (`causal` $causal^)? attr-dict
    `:` type($query) `,` type($key) `,` type($value) (`,` type($mask)^)?
  }];
}

def Graph_AttentionGradOp : Graph_InferredOp<"attention_grad",
    [Decomposes, ShardingRule, PassesPartials, HasCost]> {
  let summary = "Gradients of attention";
  let description = [{
    Of `query`, `key`, `value` and, with `mask_gradient`, of `mask`: those that `graph.attention` of these
    operands and attributes has where its result has `resultGrad`. Each has its operand's type. Weights are
    computed again from query and key, so that nothing of the forward pass is kept but its operands, and none of
    them need be in memory at once (Dao et al. 2022); only a gradient of the mask needs all of them.
    (C1) operands are those of an attention. (C2) `resultGrad` is of its result's type. (C3) a gradient of the
    mask needs a mask.
    ```mlir
    %g:3 = graph.attention_grad %q, %k, %v, %go scale 0.125 causal
        : tensor<1x4x8x64xf32>, tensor<1x2x8x64xf32>, tensor<1x2x8x64xf32>, tensor<1x4x8x64xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value,
      Graph_FloatTensor:$resultGrad, Optional<Graph_FloatTensor>:$mask, F64Attr:$scale,
      UnitAttr:$causal, DefaultValuedAttr<F64Attr, "0.0">:$softcap, UnitAttr:$needsMaskGrad);
  let results = (outs Graph_FloatTensor:$queryGrad, Graph_FloatTensor:$keyGrad,
      Graph_FloatTensor:$valueGrad, Optional<Graph_FloatTensor>:$maskGrad);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $resultGrad (`mask` $mask^)? `scale` $scale (`causal` $causal^)?
    (`mask_gradient` $needsMaskGrad^)? attr-dict
    `:` type($query) `,` type($key) `,` type($value) `,` type($resultGrad) (`,` type($mask)^)?
  }];
  let hasCanonicalizeMethod = 1;
}

def Graph_RotaryOp : Graph_Op<"rotary",
    [Differentiable, Decomposes, ShardingRule, PassesPartials, AllTypesMatch<["operand",
    "result"]>, AllTypesMatch<["cosine", "sine"]>]> {
  let summary = "Rotary position embedding";
  let description = [{
    Rotates pairs of the first `2r` elements of the last dim by the angles whose cosines and sines are
    given, `[.., r]` (Su et al. 2021); the rest passes through. Pairs are `(i, i + r)`, or
    `(2i, 2i + 1)` when `interleaved`.
    (C1) `cosine` has the operand's rank, leading extents 1 or the operand's. (C2) `2r` is at most the
    last extent. (C3) one element type.
    ```mlir
    %y = graph.rotary %x, %c, %s : tensor<1x4x8x64xf32>, tensor<1x1x8x32xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$cosine,
      Graph_FloatTensor:$sine, UnitAttr:$interleaved);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $cosine `,` $sine (`interleaved` $interleaved^)? attr-dict
    `:` type($operand) `,` type($cosine)
  }];
  let hasVerifier = 1;
}

#endif
