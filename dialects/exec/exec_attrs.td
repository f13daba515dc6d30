// Attributes of the exec dialect: places in files, and packed layouts.
#ifndef SHEAF_DIALECTS_EXEC_EXEC_ATTRS
#define SHEAF_DIALECTS_EXEC_EXEC_ATTRS

include "dialects/exec/exec_base.td"

def Exec_Space : I32EnumAttr<"Space", "where bytes live", [
    I32EnumAttrCase<"device", 0>, I32EnumAttrCase<"host", 1>, I32EnumAttrCase<"nvme", 2>]> {
  let cppNamespace = "::sheaf::exec";
  let genSpecializedAttr = 0;
}

def Exec_Role : I32EnumAttr<"Role", "what a variable is to who trains", [
    I32EnumAttrCase<"other", 0>, I32EnumAttrCase<"parameter", 1>, I32EnumAttrCase<"state", 2>,
    I32EnumAttrCase<"carried", 3>]> {
  let cppNamespace = "::sheaf::exec";
  let genSpecializedAttr = 0;
}
def Exec_RoleAttr : EnumAttr<ExecDialect, Exec_Role, "role"> {
  let assemblyFormat = "$value";
}

def Exec_FileRangeAttr : AttrDef<ExecDialect, "FileRange"> {
  let mnemonic = "file";
  let summary = "Bytes of a file, read when the program is loaded";
  let description = [{
    (C1) `offset` and `bytes` are not negative and do not overflow when added.
    ```mlir
    #exec.file<"weights.bin", 4096, 64>
    ```
  }];
  let parameters = (ins StringRefParameter<"path of the file">:$file, "int64_t":$offset,
      "int64_t":$bytes);
  let assemblyFormat = "`<` $file `,` $offset `,` $bytes `>`";
  let genVerifyDecl = 1;
}

def Exec_PackedAttr : AttrDef<ExecDialect, "Packed"> {
  let mnemonic = "packed";
  let summary = "An opaque layout of so many bytes, as a tensor's encoding";
  let description = [{
    (C1) `bytes` is positive.
    ```mlir
    tensor<768x768xf32, #exec.packed<2359296>>
    ```
  }];
  let parameters = (ins "int64_t":$bytes);
  let assemblyFormat = "`<` $bytes `>`";
  let genVerifyDecl = 1;
}

def Exec_ShardAttr : AttrDef<ExecDialect, "Shard"> {
  let mnemonic = "shard";
  let summary = "How one rank's block lies in a whole tensor";
  let description = [{
    `whole` are the extents of the tensor. `cuts` are parts of mesh axes that cut it, four numbers each:
    the dim, then axis, pre-size and size as `AxisPart` of runtime/abi/executable.fbs has them; those of
    one dim are in order, major first.
    (C1) `cuts` are in fours, of dims that exist, and pre-sizes and sizes are positive.
    ```mlir
    #exec.shard<[8, 16], cuts = [0, 1, 1, 4]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$whole,
      OptionalArrayRefParameter<"int64_t">:$cuts);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif
