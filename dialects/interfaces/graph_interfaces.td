// The aspects an op can have; engines know ops through these only.
#ifndef SHEAF_DIALECTS_INTERFACES_GRAPH_INTERFACES
#define SHEAF_DIALECTS_INTERFACES_GRAPH_INTERFACES

include "mlir/IR/OpBase.td"

def ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::sheaf";
  let description = "Which dims of operands and results move together under sharding.";
  let methods = [InterfaceMethod<"The factor rule of this op with its present shapes.",
      "::sheaf::FactorRule", "getShardingRule">];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::sheaf";
  let description = [{
    Reverse-mode gradient, built from graph ops. An op without this interface has no gradient yet; one
    that takes the default has none on purpose: it stops gradients.
  }];
  let methods = [InterfaceMethod<[{
      Builds the gradient of each operand from the gradients of the results, at `builder`'s place.
      Only floats have gradients, each of its value's type. A null entry of `resultGradients` is a
      zero; at least one is not null. A null entry of the answer means that no gradient flows to that
      operand. What is built for an operand that nobody asks about is unused, and the caller drops it.
    }], "::llvm::SmallVector<::mlir::Value>", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGradients), /*methodBody=*/[{}],
      /*defaultImplementation=*/[{
        return ::llvm::SmallVector<::mlir::Value>($_op->getNumOperands());
      }]>];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::sheaf";
  let description = "Flops and bytes of the op on one device.";
  let methods = [InterfaceMethod<"The cost with the present shapes.", "::sheaf::Cost", "getCost">];
}

def LocalizeOpInterface : OpInterface<"LocalizeOpInterface"> {
  let cppNamespace = "::sheaf";
  let description = [{
    The op on local shards. Only ops have it whose local form is not the same op on the local operands
    with the local result types, after padding along reductions has been set to their neutral element.
  }];
  let methods = [InterfaceMethod<[{
      Builds this op on the local operands of `shards` and returns one value per result, of the local
      result types; fails after an error when it cannot.
    }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "localize",
      (ins "::sheaf::LocalShards &":$shards)>];
}

def PartialOpInterface : OpInterface<"PartialOpInterface"> {
  let cppNamespace = "::sheaf";
  let description = [{
    An op through which values pass that ranks still have to combine. Applied to each rank's part, it
    gives parts of its result: it is linear in the operands whose parts sum up, or only moves elements.
  }];
  let methods = [InterfaceMethod<[{
      The sets of operands that may be parts together while all others are whole; `kind`, a reduction,
      tells how parts combine. An operand in a set may be whole where that changes nothing: zeros
      among sums, anything among maxima and minima.
    }], "::llvm::SmallVector<::sheaf::OperandSet>", "getPartialOperands",
      (ins "::sheaf::FactorKind":$kind)>];
}

def WindowOpInterface : OpInterface<"WindowOpInterface"> {
  let cppNamespace = "::sheaf";
  let description = [{
    Dims of operands that are read through windows: a part of the dim's factor needs a run of elements
    that other ranks may hold. A factor along which elements move (a permutation) may be cut when every
    operand that holds it reads it through a window; the op's local form gets the runs
    (`LocalShards::windowOf`). Such a dim has no other factor.
  }];
  let methods = [InterfaceMethod<"The windows of this op with its present shapes.",
      "::llvm::SmallVector<::sheaf::OperandWindow>", "getOperandWindows">];
}

def DecomposeOpInterface : OpInterface<"DecomposeOpInterface"> {
  let cppNamespace = "::sheaf";
  let description = "A composite op in primitive graph ops, with the same meaning.";
  let methods = [InterfaceMethod<[{
      Builds the primitive form at `builder`'s place and returns one value per result; builds and
      returns nothing when the op is of a kind that is primitive. Other composites may occur in it.
      Statistics are computed in f32 for 16-bit element types, as the composite's kernel does.
    }], "::llvm::SmallVector<::mlir::Value>", "decompose", (ins "::mlir::OpBuilder &":$builder)>];
}

def JointOpInterface : OpInterface<"JointOpInterface"> {
  let cppNamespace = "::sheaf";
  let description = [{
    An op on any number of tensors at once: result `i` is of operand `i` and of no other, so that several
    such ops may become one.
  }];
  let methods = [InterfaceMethod<[{
      Whether one op can do what this one and `other` do.
    }], "bool", "mayJoin", (ins "::mlir::Operation *":$other)>, InterfaceMethod<[{
      Builds the op that does what `ops` do, this one first, on `operands`: what is in the place of
      theirs, in order. Each may join the first.
    }], "::mlir::Operation *", "join", (ins "::mlir::OpBuilder &":$builder,
      "::llvm::ArrayRef<::mlir::Operation *>":$ops, "::mlir::ValueRange":$operands)>];
}

/// What ops inside a cluster have in common: their place in its iteration space.
class AlignedOpInterface<string name> : OpInterface<name> {
  let cppNamespace = "::sheaf";
  InterfaceMethod alignDims = InterfaceMethod<[{
      States which dims of the operands and results are walked together. A dim that is not stated
      is repeated, counted or reduced.
    }], "void", "alignDims", (ins "::sheaf::DimAligner &":$aligner), /*methodBody=*/[{}],
    /*defaultImplementation=*/[{ aligner.alignSameShape($_op); }]>;
}

def EmitOpInterface : AlignedOpInterface<"EmitOpInterface"> {
  let description = [{
    Vector code of the op inside a cluster: one vector of elements of the result from the vectors of
    the operands at the same places.
  }];
  let methods = [alignDims, InterfaceMethod<[{
      Emits the op on `operands` (vectors of the emitter's width, in the compute type of the
      operands' element types) and returns the result in the compute type of its element type.
    }], "::mlir::Value", "emit", (ins "::sheaf::Emitter &":$emitter,
      "::mlir::ValueRange":$operands)>];
}

def CombineOpInterface : AlignedOpInterface<"CombineOpInterface"> {
  let description = [{
    Vector code of a reduction inside a cluster: elements along the dims of the operand that are not
    aligned with the result are combined, in any order.
  }];
  let methods = [alignDims, InterfaceMethod<[{
      Emits the value that changes nothing when combined: the result of an empty reduction.
    }], "::mlir::Value", "emitNeutral", (ins "::sheaf::Emitter &":$emitter)>,
    InterfaceMethod<[{
      Emits the combination of two vectors, lane by lane, in the compute type of the operand.
    }], "::mlir::Value", "emitCombined", (ins "::sheaf::Emitter &":$emitter,
      "::mlir::Value":$lhs, "::mlir::Value":$rhs)>];
}

#endif
