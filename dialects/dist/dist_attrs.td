// Attributes of the dist dialect: meshes, axes and shardings.
#ifndef SHEAF_DIALECTS_DIST_DIST_ATTRS
#define SHEAF_DIALECTS_DIST_DIST_ATTRS

include "dialects/dist/dist_base.td"

def Dist_MeshAxisAttr : AttrDef<DistDialect, "MeshAxis"> {
  let mnemonic = "mesh_axis";
  let summary = "A named axis of a mesh and its extent";
  let parameters = (ins StringRefParameter<"name">:$name, "int64_t":$size);
  let hasCustomAssemblyFormat = 1;
}

def Dist_MeshAttr : AttrDef<DistDialect, "Mesh"> {
  let mnemonic = "mesh";
  let summary = "Devices in a grid with named axes";
  let description = [{
    Device `i` of the row-major grid is rank `devices[i]`, or `i` when the order is not given.
    (C1) axis names differ. (C2) extents are at least 1, their product is at most 2^20. (C3) `devices`
    is empty or a permutation of the ranks. (C4) names are of letters, digits, `_`, `.` and `-`, a letter
    or `_` first.
    ```mlir
    #dist.mesh<["data"=2, "tensor"=2]>
    #dist.mesh<["x"=4], devices = [3, 2, 1, 0]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::sheaf::dist::MeshAxisAttr">:$axes,
      OptionalArrayRefParameter<"int64_t">:$devices);
  let assemblyFormat = "`<` `[` $axes `]` (`,` `devices` `=` `[` $devices^ `]`)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// How many ranks there are.
    int64_t getNumDevices() const;
    /// The position of the axis of this name.
    std::optional<unsigned> indexOf(::llvm::StringRef name) const;
  }];
}

def Dist_AxisRefAttr : AttrDef<DistDialect, "AxisRef"> {
  let mnemonic = "axis";
  let summary = "A mesh axis, or a part of one";
  let description = [{
    `"x"` is a whole axis, `"x":(p)s` the part of size `s` that comes after parts of sizes whose product
    is `p` (see `Axis`).
    (C1) `p` and `s` are at least 1, `s` at least 2.
  }];
  let parameters = (ins StringRefParameter<"name">:$name,
      DefaultValuedParameter<"int64_t", "1">:$preSize,
      DefaultValuedParameter<"int64_t", "0", "0 is the whole axis">:$size);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Dist_DimShardingAttr : AttrDef<DistDialect, "DimSharding"> {
  let mnemonic = "dim";
  let summary = "The axes that cut one dim, major first";
  let description = [{
    `{"x", "y"}` is closed; `{"x", ?}` is open: propagation may append axes. `{"x"}p1` has priority 1:
    it is propagated after those of priority 0, the default.
  }];
  let parameters = (ins OptionalArrayRefParameter<"::sheaf::dist::AxisRefAttr">:$axes,
      "bool":$isOpen, "int64_t":$priority);
  let hasCustomAssemblyFormat = 1;
}

def Dist_PartialKind : I32EnumAttr<"PartialKind", "how partial values combine", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>,
    I32EnumAttrCase<"mean", 3>]> {
  let cppNamespace = "::sheaf::dist";
}

def Dist_Direction : I32EnumAttr<"Direction", "which way shardings may pass", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"forward", 1>, I32EnumAttrCase<"backward", 2>]> {
  let cppNamespace = "::sheaf::dist";
}

def Dist_MarkKind : I32EnumAttr<"MarkKind", "what a value is to a training step", [
    I32EnumAttrCase<"weight", 0>, I32EnumAttrCase<"gradientPart", 1, "gradient_part">, I32EnumAttrCase<"gradient", 2>,
    I32EnumAttrCase<"loss", 3>]> {
  let cppNamespace = "::sheaf::dist";
}

def Dist_ShardingAttr : AttrDef<DistDialect, "Sharding"> {
  let mnemonic = "sharding";
  let summary = "Where a tensor lives on a mesh";
  let description = [{
    One entry per dim. A rank holds, of each dim, the part that its coordinates along the entry's axes
    name; extents that do not divide leave the last parts shorter or empty. Along `replicated` axes all
    ranks hold the same and propagation may not use them; along `partial` axes each rank holds a value,
    and the tensor is their sum, maximum, minimum or mean.
    (C1) no two axes overlap. (C2) with the mesh at hand: axes exist and parts divide them.
    ```mlir
    #dist.sharding<@m, [{"data"}, {"tensor", ?}p1], replicated = {"pipe"}, partial = sum{"z"}>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh,
      OptionalArrayRefParameter<"::sheaf::dist::DimShardingAttr">:$dims,
      OptionalArrayRefParameter<"::sheaf::dist::AxisRefAttr">:$replicated,
      OptionalArrayRefParameter<"::sheaf::dist::AxisRefAttr">:$partial,
      "::sheaf::dist::PartialKind":$partialKind);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Dist_AxesAttr : AttrDef<DistDialect, "Axes"> {
  let mnemonic = "axes";
  let summary = "Axes of a mesh along which ranks communicate, major first";
  let description = [{
    The members of a rank's group differ from it in these coordinates only and are ordered by them.
    (C1) no two axes overlap.
    ```mlir
    #dist.axes<@m, {"x", "y":(1)2}>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh,
      OptionalArrayRefParameter<"::sheaf::dist::AxisRefAttr">:$axes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif
