// Ops that make tensors from nothing.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_DATA
#define SHEAF_DIALECTS_GRAPH_OPS_DATA

include "dialects/graph/graph_attrs.td"

def Graph_ConstantOp : Graph_Op<"constant",
    [ConstantLike, Emits, ShardingRule, Localizes, AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor known at compile time";
  let description = [{
    The value is dense (inline or resource) or, for large ones, a place in a file that is read only
    when the program is loaded.
    (C1) the type of `value` is the type of the result.
    (C2) `value` is dense elements, a dense resource or `#graph.external`.
    (C3) a resource holds the bytes of the type, one or more per element.
    ```mlir
    %a = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %b = graph.constant #graph.external<"w.bin", 0, 8> : tensor<2xf32>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let builders = [OpBuilder<(ins "::mlir::TypedAttr":$value), [{
    build($_builder, $_state, value.getType(), value);
  }]>];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_IotaOp : Graph_Op<"iota", [Emits, ShardingRule, Localizes]> {
  let summary = "Counts along one dim";
  let description = [{
    `result[.., i, ..] = i`, `i` the index along `dim`.
    (C1) `dim` is a dim of the result.
    ```mlir
    %i = graph.iota dim 1 : tensor<2x4xi64>
    ```
  }];
  let arguments = (ins Graph_IntAttr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "`dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_RandomOp : Graph_Op<"random", [AttrSizedOperandSegments, ShardingRule, Localizes]> {
  let summary = "Counter-based random numbers";
  let description = [{
    Element `i` (row-major, in the global tensor) is a function of `seed` plus `counter`, the seed of the
    run (0 unless the user gives one) and `i` alone: Philox4x32-10 (Salmon et al., SC 2011), so the values are
    the same for every layout, and in every run of one seed. `uniform` draws from `[a, b)`, `normal` has
    mean `a` and standard deviation `b`, `bernoulli` is true with probability `a`. The result may be a part
    of a tensor of dims `whole`, whose first element is number `first` of that.
    (C1) the result of `bernoulli` is boolean, other kinds give floats.
    (C2) `first` and `whole` go together, and `whole` has the rank of the result.
    ```mlir
    %r = graph.random uniform seed 7 (0.0, 1.0) : tensor<4x8xf32>
    %m = graph.random bernoulli seed 7 counter %step (0.9, 0.0) : tensor<4x8xi1>
    %p = graph.random uniform seed 7 (0.0, 1.0) at %first of [8, 8] : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_RandomKindAttr:$kind, Graph_IntAttr:$seed, F64Attr:$a, F64Attr:$b,
      Optional<Graph_Count>:$counter, Optional<Graph_Count>:$first,
      OptionalAttr<DenseI64ArrayAttr>:$whole);
  let results = (outs AnyTypeOf<[Graph_FloatTensor, Graph_BoolTensor], "floats or booleans",
      "::mlir::RankedTensorType">:$result);
  let assemblyFormat = [{
    $kind `seed` $seed (`counter` $counter^)? `(` $a `,` $b `)` (`at` $first^)? (`of` $whole^)? attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::RankedTensorType":$type, "RandomKind":$kind, "int64_t":$seed,
      "double":$a, "double":$b, CArg<"::mlir::Value", "{}">:$counter), [{
    build($_builder, $_state, type, kind, seed, ::llvm::APFloat(a), ::llvm::APFloat(b), counter,
          /*first=*/::mlir::Value(), /*whole=*/::mlir::DenseI64ArrayAttr());
  }]>];
}

#endif
