// Meshes.
#ifndef SHEAF_DIALECTS_DIST_OPS_MESH
#define SHEAF_DIALECTS_DIST_OPS_MESH

include "dialects/dist/dist_attrs.td"

def Dist_MeshOp : Dist_Op<"mesh", [Symbol]> {
  let summary = "A named mesh of devices";
  let description = [{
    ```mlir
    dist.mesh @m <["data"=2, "tensor"=2]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Dist_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name $mesh attr-dict";
}

#endif
