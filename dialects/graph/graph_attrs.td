// Attributes and enums of the graph dialect.
#ifndef SHEAF_DIALECTS_GRAPH_GRAPH_ATTRS
#define SHEAF_DIALECTS_GRAPH_GRAPH_ATTRS

include "dialects/graph/graph_base.td"

def Graph_ExternalAttr : AttrDef<GraphDialect, "External", [TypedAttrInterface]> {
  let mnemonic = "external";
  let summary = "Bytes of a value in a file, not read at compile time";
  let description = [{
    `length` bytes at `offset` of `file`, row-major, little-endian, of the given type.
    (C1) `offset` and `length` are not negative and do not overflow when added.
    (C2) `length` is the size of `type`.
    ```mlir
    #graph.external<"weights.bin", 4096, 64> : tensor<4x4xf32>
    ```
  }];
  let parameters = (ins StringRefParameter<"path of the file">:$file, "int64_t":$offset,
      "int64_t":$length, AttributeSelfTypeParameter<"">:$type);
  let assemblyFormat = "`<` $file `,` $offset `,` $length `>`";
  let genVerifyDecl = 1;
}

class Graph_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::sheaf::graph";
  let genSpecializedAttr = 0;
}
class Graph_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<GraphDialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def Graph_UnaryKind : Graph_Enum<"UnaryKind", "function of one element", [
    I32EnumAttrCase<"abs", 0>, I32EnumAttrCase<"neg", 1>, I32EnumAttrCase<"sign", 2>,
    I32EnumAttrCase<"bitwise_not", 3, "not">, I32EnumAttrCase<"floor", 4>, I32EnumAttrCase<"ceil", 5>,
    I32EnumAttrCase<"round", 6>, I32EnumAttrCase<"exp", 7>, I32EnumAttrCase<"log", 8>,
    I32EnumAttrCase<"log1p", 9>, I32EnumAttrCase<"expm1", 10>, I32EnumAttrCase<"sqrt", 11>,
    I32EnumAttrCase<"rsqrt", 12>, I32EnumAttrCase<"reciprocal", 13>, I32EnumAttrCase<"sin", 14>,
    I32EnumAttrCase<"cos", 15>, I32EnumAttrCase<"tan", 16>, I32EnumAttrCase<"asin", 17>,
    I32EnumAttrCase<"acos", 18>, I32EnumAttrCase<"atan", 19>, I32EnumAttrCase<"sinh", 20>,
    I32EnumAttrCase<"cosh", 21>, I32EnumAttrCase<"tanh", 22>, I32EnumAttrCase<"asinh", 23>,
    I32EnumAttrCase<"acosh", 24>, I32EnumAttrCase<"atanh", 25>, I32EnumAttrCase<"erf", 26>,
    I32EnumAttrCase<"relu", 27>, I32EnumAttrCase<"sigmoid", 28>, I32EnumAttrCase<"silu", 29>,
    I32EnumAttrCase<"gelu_erf", 30>, I32EnumAttrCase<"gelu_tanh", 31>,
    I32EnumAttrCase<"softplus", 32>, I32EnumAttrCase<"mish", 33>]>;
def Graph_UnaryKindAttr : Graph_EnumAttr<Graph_UnaryKind, "unary_kind">;

def Graph_BinaryKind : Graph_Enum<"BinaryKind", "function of two elements", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"sub", 1>, I32EnumAttrCase<"mul", 2>,
    I32EnumAttrCase<"div", 3>, I32EnumAttrCase<"pow", 4>, I32EnumAttrCase<"max", 5>,
    I32EnumAttrCase<"min", 6>, I32EnumAttrCase<"mod", 7>, I32EnumAttrCase<"rem", 8>,
    I32EnumAttrCase<"bitwise_and", 9, "and">, I32EnumAttrCase<"bitwise_or", 10, "or">,
    I32EnumAttrCase<"bitwise_xor", 11, "xor">, I32EnumAttrCase<"shift_left", 12>,
    I32EnumAttrCase<"shift_right", 13>, I32EnumAttrCase<"atan2", 14>]>;
def Graph_BinaryKindAttr : Graph_EnumAttr<Graph_BinaryKind, "binary_kind">;

def Graph_CompareKind : Graph_Enum<"CompareKind", "comparison", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
    I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;
def Graph_CompareKindAttr : Graph_EnumAttr<Graph_CompareKind, "compare_kind">;

def Graph_ReduceKind : Graph_Enum<"ReduceKind", "associative combination of many elements", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"prod", 1>, I32EnumAttrCase<"max", 2>,
    I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"any", 4>, I32EnumAttrCase<"all", 5>]>;
def Graph_ReduceKindAttr : Graph_EnumAttr<Graph_ReduceKind, "reduce_kind">;

def Graph_ScatterKind : Graph_Enum<"ScatterKind", "how an update meets the old element", [
    I32EnumAttrCase<"set", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"mul", 2>,
    I32EnumAttrCase<"max", 3>, I32EnumAttrCase<"min", 4>]>;
def Graph_ScatterKindAttr : Graph_EnumAttr<Graph_ScatterKind, "scatter_kind">;

def Graph_PoolKind : Graph_Enum<"PoolKind", "combination of a window", [
    I32EnumAttrCase<"max", 0>, I32EnumAttrCase<"sum", 1>, I32EnumAttrCase<"avg_include", 2>,
    I32EnumAttrCase<"avg_exclude", 3>]>;
def Graph_PoolKindAttr : Graph_EnumAttr<Graph_PoolKind, "pool_kind">;

def Graph_RandomKind : Graph_Enum<"RandomKind", "distribution", [
    I32EnumAttrCase<"uniform", 0>, I32EnumAttrCase<"normal", 1>, I32EnumAttrCase<"bernoulli", 2>]>;
def Graph_RandomKindAttr : Graph_EnumAttr<Graph_RandomKind, "random_kind">;

def Graph_ResizeMode : Graph_Enum<"ResizeMode", "interpolation", [
    I32EnumAttrCase<"nearest", 0>, I32EnumAttrCase<"linear", 1>, I32EnumAttrCase<"cubic", 2>]>;
def Graph_ResizeModeAttr : Graph_EnumAttr<Graph_ResizeMode, "resize_mode">;

def Graph_ResizeCoordinates : Graph_Enum<"ResizeCoordinates", "result place to operand place", [
    I32EnumAttrCase<"half_pixel", 0>, I32EnumAttrCase<"half_pixel_symmetric", 1>,
    I32EnumAttrCase<"pytorch_half_pixel", 2>, I32EnumAttrCase<"align_corners", 3>,
    I32EnumAttrCase<"asymmetric", 4>, I32EnumAttrCase<"tf_crop_and_resize", 5>]>;
def Graph_ResizeCoordinatesAttr : Graph_EnumAttr<Graph_ResizeCoordinates, "resize_coordinates">;

def Graph_ResizeRounding : Graph_Enum<"ResizeRounding", "nearest element of a place", [
    I32EnumAttrCase<"round_prefer_floor", 0>, I32EnumAttrCase<"round_prefer_ceil", 1>,
    I32EnumAttrCase<"floor", 2>, I32EnumAttrCase<"ceil", 3>]>;
def Graph_ResizeRoundingAttr : Graph_EnumAttr<Graph_ResizeRounding, "resize_rounding">;

#endif
