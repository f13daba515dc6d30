// A region that is written for one rank.
#ifndef SHEAF_DIALECTS_DIST_OPS_MANUAL
#define SHEAF_DIALECTS_DIST_OPS_MANUAL

include "dialects/dist/dist_attrs.td"

def Dist_ManualOp : Dist_Op<"manual", [IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "What each rank computes on its blocks, collectives included";
  let description = [{
    Outside, operands and results are whole tensors; `in` and `out` say which block of each a rank
    holds, and the body is what it does with them. Nothing else is done to it, and one device has no
    program for it. The padding of uneven blocks has no defined value.
    (C1) there is a sharding for each operand and result, which fits its type; all are of one mesh.
    (C2) none has open dims, priorities or replicated axes: they are final. (C3) the body's arguments
    and what it yields are the blocks. (C4) nothing in the body says where whole tensors live, and its
    collectives are over the same mesh.
    ```mlir
    %y = dist.manual(%x) in [#dist.sharding<@m, [{"x"}, {} ]>] out [#dist.sharding<@m, [{}, {} ]>]
        : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%block: tensor<2x8xf32>):
      %all = dist.all_gather %block dim 0 over <@m, {"x"}> : tensor<2x8xf32> -> tensor<4x8xf32>
      dist.yield %all : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$operands,
      TypedArrayAttrBase<Dist_ShardingAttr, "shardings">:$inShardings,
      TypedArrayAttrBase<Dist_ShardingAttr, "shardings">:$outShardings);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    `(` $operands `)` `in` $inShardings `out` $outShardings `:` functional-type($operands, $results)
    $body attr-dict
  }];
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    ::sheaf::dist::ShardingAttr getInSharding(unsigned operand) {
      return ::llvm::cast<::sheaf::dist::ShardingAttr>(getInShardings()[operand]);
    }
    ::sheaf::dist::ShardingAttr getOutSharding(unsigned result) {
      return ::llvm::cast<::sheaf::dist::ShardingAttr>(getOutShardings()[result]);
    }
  }];
}

def Dist_YieldOp : Dist_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"ManualOp">]> {
  let summary = "Ends a manual region with its blocks";
  let description = [{
    ```mlir
    dist.yield %block : tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange{}); }]>];
}

#endif
