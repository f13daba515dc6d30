// Ops on the blocks that ranks hold: what they send each other, and where they are.
//
// A dim of extent d that is cut into n parts gives each rank a block of ceil(d / n) elements, of which
// the last ones may be padding (runtime/abi/shard.h). n is the number of ranks of `axes`.
#ifndef SHEAF_DIALECTS_DIST_OPS_COLLECTIVE
#define SHEAF_DIALECTS_DIST_OPS_COLLECTIVE

include "dialects/dist/dist_attrs.td"

class Dist_BlockOp<string mnemonic, list<Trait> traits = []>
    : Dist_Op<mnemonic, !listconcat(traits, [Pure,
          DeclareOpInterfaceMethods<SymbolUserOpInterface>])> {
  let results = (outs AnyStaticShapeTensor:$result);
}

/// A collective of one tensor or several, which travel together: result `i` is of operand `i`.
class Dist_JointOp<string mnemonic, list<Trait> traits = []>
    : Dist_Op<mnemonic, !listconcat(traits, [Pure, DeclareOpInterfaceMethods<JointOpInterface>,
          DeclareOpInterfaceMethods<SymbolUserOpInterface>])> {
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let extraClassDefinition = [{
    bool $cppClass::mayJoin(::mlir::Operation *other) { return mayJoinCollectives(*this, other); }
    ::mlir::Operation *$cppClass::join(::mlir::OpBuilder &builder,
                                       ::llvm::ArrayRef<::mlir::Operation *> ops,
                                       ::mlir::ValueRange operands) {
      return joinCollectives(builder, ops, operands);
    }
  }];
}

def Dist_AllReduceOp : Dist_JointOp<"all_reduce", [AllTypesMatch<["operands", "results"]>]> {
  let summary = "Combines the values of all ranks of a group";
  let description = [{
    (C1) the axes are of the mesh. (C3) there is a tensor, and all have one element type.
    ```mlir
    %y = dist.all_reduce sum %x over <@m, {"tensor"}> : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Dist_PartialKind:$kind, Variadic<AnyStaticShapeTensor>:$operands,
      Dist_AxesAttr:$axes);
  let assemblyFormat = "$kind $operands `over` $axes attr-dict `:` type($operands)";
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::sheaf::dist::PartialKind":$kind,
      "::mlir::Value":$operand, "::sheaf::dist::AxesAttr":$axes), [{
    build($_builder, $_state, ::mlir::TypeRange(result), kind, ::mlir::ValueRange(operand), axes);
  }]>];
}

def Dist_AllGatherOp : Dist_JointOp<"all_gather"> {
  let summary = "Joins the blocks of a group along a dim";
  let description = [{
    (C1) the axes are of the mesh. (C2) along its dim each operand is the block of its result; other
    extents and the element type are equal. (C3) there is a tensor, all have one element type, and
    there are as many results and dims.
    ```mlir
    %y = dist.all_gather %x dim 0 over <@m, {"data"}> : tensor<2x8xf32> -> tensor<4x8xf32>
    %v:2 = dist.all_gather %s, %t dim 0, 1 over <@m, {"data"}>
        : tensor<2x8xf32>, tensor<8x2xf32> -> tensor<4x8xf32>, tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$operands, DenseI64ArrayAttr:$dims,
      Dist_AxesAttr:$axes);
  let assemblyFormat = [{
    $operands `dim` custom<Dims>($dims) `over` $axes attr-dict `:` type($operands) `->`
    type($results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$operand, "int64_t":$dim,
      "::sheaf::dist::AxesAttr":$axes), [{
    build($_builder, $_state, ::mlir::TypeRange(result), ::mlir::ValueRange(operand),
          ::llvm::ArrayRef<int64_t>(dim), axes);
  }]>];
}

def Dist_ReduceScatterOp : Dist_JointOp<"reduce_scatter"> {
  let summary = "Combines the values of a group and leaves each rank its block of a dim";
  let description = [{
    (C1) the axes are of the mesh. (C2) along its dim each result is the block of its operand; other
    extents and the element type are equal. (C3) there is a tensor, all have one element type, and
    there are as many results and dims.
    ```mlir
    %y = dist.reduce_scatter sum %x dim 0 over <@m, {"data"}> : tensor<4x8xf32> -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Dist_PartialKind:$kind, Variadic<AnyStaticShapeTensor>:$operands,
      DenseI64ArrayAttr:$dims, Dist_AxesAttr:$axes);
  let assemblyFormat = [{
    $kind $operands `dim` custom<Dims>($dims) `over` $axes attr-dict `:` type($operands) `->`
    type($results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::sheaf::dist::PartialKind":$kind,
      "::mlir::Value":$operand, "int64_t":$dim, "::sheaf::dist::AxesAttr":$axes), [{
    build($_builder, $_state, ::mlir::TypeRange(result), kind, ::mlir::ValueRange(operand),
          ::llvm::ArrayRef<int64_t>(dim), axes);
  }]>];
}

def Dist_AllToAllOp : Dist_BlockOp<"all_to_all"> {
  let summary = "Joins the blocks of a group along one dim and cuts another";
  let description = [{
    (C1) the axes are of the mesh. (C2) the dims differ; along `gather` the operand is the block of
    the result, along `split` the result that of the operand; all else is equal.
    ```mlir
    %y = dist.all_to_all %x gather 0 split 1 over <@m, {"x"}> : tensor<2x8xf32> -> tensor<4x4xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$operand, I64Attr:$gatherDim, I64Attr:$splitDim,
      Dist_AxesAttr:$axes);
  let assemblyFormat = [{
    $operand `gather` $gatherDim `split` $splitDim `over` $axes attr-dict `:` type($operand) `->`
    type($result)
  }];
}

def Dist_PermuteOp : Dist_BlockOp<"permute", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "Hands blocks from rank to rank";
  let description = [{
    The block whose place among the ranks of `from` is k goes to where the place among those of `to`
    is k; along other axes nothing changes.
    (C1) both lists of axes are of the mesh and the same digits in another order.
    ```mlir
    %y = dist.permute %x from <@m, {"x", "y"}> to <@m, {"y", "x"}> : tensor<2x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$operand, Dist_AxesAttr:$from, Dist_AxesAttr:$to);
  let assemblyFormat = "$operand `from` $from `to` $to attr-dict `:` type($operand)";
}

def Dist_SendRecvOp : Dist_BlockOp<"send_recv", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "Hands blocks to given places of a group";
  let description = [{
    The rank at place `i` gets the block of the rank at place `sources[i]`, or zeros where that is -1: a
    shift, a ring, or one sender and one receiver.
    (C1) the axes are of the mesh. (C2) there is one source for each place, a place or -1.
    ```mlir
    %y = dist.send_recv %x sources [-1, 0] over <@m, {"pipe"}> : tensor<2x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$operand, DenseI64ArrayAttr:$sources,
      Dist_AxesAttr:$axes);
  let assemblyFormat = "$operand `sources` $sources `over` $axes attr-dict `:` type($operand)";
}

/// A number that may be negative.
def Dist_IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer attribute">;

def Dist_WindowOp : Dist_BlockOp<"window"> {
  let summary = "What this rank's places of a dim need of a dim that the group has cut";
  let description = [{
    The operand is the block of a dim of `extent` elements. `numPlaces` places are cut by the same
    axes; place q needs the elements from floor((scale q + first) / divisor) to
    floor((scale q + last) / divisor). Each rank gets those of its places, in order and with room for
    what a full block of places needs; elements outside the dim, and those that only padding needs, are
    `fill`. Each rank sends each other one only what that one needs of its block: halos go to
    neighbours.

    Sent are, by the rank that sends most, the elements of its part that lie in the runs of others;
    nothing is issued when nobody needs another's elements.

    (C1) the axes are of the mesh. (C2) along `dim` the operand is the block of `extent`; other extents
    and the element type are those of the result. (C3) `fill` has the element type and rank 0.
    (C4) `scale` is not 0, `divisor` at least 1, and no product leaves 62 bits. (C5) along `dim` the
    result has the room that a block of places needs. (C6) `scale` times the first place of every part
    that holds any is a multiple of `divisor`.
    ```mlir
    // Three taps of stride 1 and padding 1: a row of each neighbour.
    %y = dist.window %x, %v dim 0 of 8 places 8 scale 1 divisor 1 first -1 last 1 over <@m, {"x"}>
        : tensor<4x3xf32>, tensor<f32> -> tensor<6x3xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$operand, AnyStaticShapeTensor:$fill, Dist_IntAttr:$dim,
      Dist_IntAttr:$extent, Dist_IntAttr:$numPlaces, Dist_IntAttr:$scale, Dist_IntAttr:$divisor,
      Dist_IntAttr:$first, Dist_IntAttr:$last, Dist_AxesAttr:$axes);
  let assemblyFormat = [{
    $operand `,` $fill `dim` $dim `of` $extent `places` $numPlaces `scale` $scale `divisor` $divisor
    `first` $first `last` $last `over` $axes attr-dict `:` type($operand) `,` type($fill) `->`
    type($result)
  }];
  let extraClassDeclaration = [{
    ::sheaf::DimWindow getWindow() {
      return {getNumPlaces(), getScale(), getDivisor(), getFirst(), getLast()};
    }
  }];
}

def Dist_SliceOp : Dist_BlockOp<"slice"> {
  let summary = "This rank's block of a dim; moves nothing";
  let description = [{
    (C1) the axes are of the mesh. (C2) along `dim` the result is the block of the operand; other
    extents and the element type are equal.
    ```mlir
    %y = dist.slice %x dim 0 over <@m, {"data"}> : tensor<4x8xf32> -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$operand, I64Attr:$dim, Dist_AxesAttr:$axes);
  let assemblyFormat = [{
    $operand `dim` $dim `over` $axes attr-dict `:` type($operand) `->` type($result)
  }];
}

def Dist_ShardIndexOp : Dist_BlockOp<"shard_index"> {
  let summary = "This rank's place in its group";
  let description = [{
    (C1) the axes are of the mesh. (C2) the result is an i64 of rank 0.
    ```mlir
    %i = dist.shard_index over <@m, {"x"}> : tensor<i64>
    ```
  }];
  let arguments = (ins Dist_AxesAttr:$axes);
  let assemblyFormat = "`over` $axes attr-dict `:` type($result)";
}

#endif
