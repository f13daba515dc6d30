// Ops that work on each element alone. Shapes and factor rules come from the base classes.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_ELEMENTWISE
#define SHEAF_DIALECTS_GRAPH_OPS_ELEMENTWISE

include "dialects/graph/graph_attrs.td"

/// Same shape everywhere; dim i of every operand and result is factor i.
class Graph_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat(traits, [Elementwise, SameOperandsAndResultShape, Emits,
                                              HasCost, ShardingRule])>;

def Graph_UnaryOp : Graph_ElementwiseOp<"unary",
    [Differentiable, PassesPartials, SameOperandsAndResultType, Decomposes]> {
  let summary = "A function of each element";
  let description = [{
    `round` goes to the nearest even; `not` is bitwise (logical for booleans); `sign` of NaN is NaN.
    `gelu_erf` is `x/2 (1 + erf(x/sqrt 2))`, `gelu_tanh` its tanh approximation (Hendrycks and
    Gimpel 2016); `silu` is `x sigmoid(x)`; `softplus` is `log(1 + exp(x))`, `mish`
    `x tanh(softplus(x))`. Composite kinds decompose into the primitive ones.
    (C1) kinds other than `abs`, `neg`, `sign`, `not`, `relu` need a float type; `not` an integer type.
    ```mlir
    %y = graph.unary exp %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_UnaryKindAttr:$kind, Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand)";
  let extraClassDeclaration = [{
    /// Whether the kind decomposes into others.
    static bool isComposite(::sheaf::graph::UnaryKind kind);
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Graph_BinaryOp : Graph_ElementwiseOp<"binary",
    [Differentiable, PassesPartials, SameOperandsAndResultType]> {
  let summary = "A function of two elements";
  let description = [{
    Integer arithmetic wraps; integer `div` truncates; `mod` has the sign of the divisor, `rem` of
    the dividend; float `max` and `min` give NaN when an operand is NaN. `shift_right` of signed
    integers keeps the sign. A shift by a negative amount or by at least the width leaves no bit of the
    operand: 0, or -1 for a right shift of a negative number. Integer division by zero gives an
    unspecified value, not undefined behavior.
    (C1) `and`, `or`, `xor` and shifts need an integer type, `atan2` a float type.
    ```mlir
    %c = graph.binary add %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_BinaryKindAttr:$kind, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` type($lhs)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Graph_CompareOp : Graph_ElementwiseOp<"compare",
    [StopsGradient, SameTypeOperands, InferTypeOpAdaptor]> {
  let summary = "Compares two elements";
  let description = [{
    Comparisons with NaN are false, but for `ne`, which is true.
    ```mlir
    %p = graph.compare lt %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_CompareKindAttr:$kind, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` type($lhs)";
  let hasFolder = 1;
}

def Graph_SelectOp : Graph_ElementwiseOp<"select",
    [Differentiable, PassesPartials, AllTypesMatch<["onTrue", "onFalse", "result"]>]> {
  let summary = "Chooses between two elements";
  let description = [{
    `result = predicate ? onTrue : onFalse`.
    ```mlir
    %r = graph.select %p, %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$predicate, Graph_Tensor:$onTrue, Graph_Tensor:$onFalse);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$predicate `,` $onTrue `,` $onFalse attr-dict `:` type($predicate) `,` type($result)";
  let hasFolder = 1;
}

def Graph_CastOp : Graph_ElementwiseOp<"cast", [Differentiable, PassesPartials]> {
  let summary = "Converts the element type";
  let description = [{
    Floats round to nearest even; float to integer truncates toward zero, and out-of-range values
    are unspecified; anything to `i1` is `!= 0`. Overflow to an 8-bit float gives the largest finite
    value when `saturate` is set, else NaN or infinity as that format has it.
    ```mlir
    %h = graph.cast %x : tensor<4xf32> -> tensor<4xbf16>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DefaultValuedAttr<BoolAttr, "true">:$saturate);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif
