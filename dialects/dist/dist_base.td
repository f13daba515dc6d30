// The dist dialect: its definition and the base class of its ops.
#ifndef SHEAF_DIALECTS_DIST_DIST_BASE
#define SHEAF_DIALECTS_DIST_DIST_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/interfaces/graph_interfaces.td"

def DistDialect : Dialect {
  let name = "dist";
  let cppNamespace = "::sheaf::dist";
  let summary = "Where tensors live: meshes, shardings and the collectives between them";
  let description = [{
    A mesh has named axes. A sharding gives each dim of a tensor an ordered list of them. Arguments and
    results of functions carry `dist.sharding`; ops carry `dist.shardings`, an array with one for each
    result. Once a function is partitioned its types are blocks, and `dist.whole` on an argument or
    result is the type of the whole tensor.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

class Dist_Op<string mnemonic, list<Trait> traits = []> : Op<DistDialect, mnemonic, traits>;

#endif
