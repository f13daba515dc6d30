// Ops on whole tensors that say where these live. They compute nothing: each result is its operand.
#ifndef SHEAF_DIALECTS_DIST_OPS_ANNOTATION
#define SHEAF_DIALECTS_DIST_OPS_ANNOTATION

include "dialects/dist/dist_attrs.td"

class Dist_IdentityOp<string mnemonic, list<Trait> traits = []>
    : Dist_Op<mnemonic, !listconcat(traits, [Pure, AllTypesMatch<["operand", "result"]>])> {
  let results = (outs AnyStaticShapeTensor:$result);
}

def Dist_ConstraintOp : Dist_IdentityOp<"constraint",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
     DeclareOpInterfaceMethods<DifferentiableOpInterface, ["buildGradient"]>]> {
  let summary = "Fixes where a value lives";
  let description = [{
    Axes of closed dims are final; open dims may get more.
    (C1) the sharding fits the type and its mesh.
    ```mlir
    %y = dist.constraint %x <@m, [{"data"}, {?} ]> : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$operand, Dist_ShardingAttr:$sharding);
  let assemblyFormat = "$operand $sharding attr-dict `:` type($operand)";
}

def Dist_BarrierOp : Dist_IdentityOp<"barrier",
    [DeclareOpInterfaceMethods<DifferentiableOpInterface, ["buildGradient"]>]> {
  let summary = "Stops the propagation of shardings";
  let description = [{
    Axes pass from the operand to the result (`forward`), from the result to the operand (`backward`)
    or not at all (`none`).
    ```mlir
    %y = dist.barrier %x allow backward : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$operand, Dist_Direction:$direction);
  let assemblyFormat = "$operand `allow` $direction attr-dict `:` type($operand)";
}

def Dist_ReshardOp : Dist_IdentityOp<"reshard",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Moves a value to where another sharding wants it";
  let description = [{
    The only op between values of different shardings once `--sharding-insert-reshards` has run. A
    value that is partial in `from` and not in `to` is combined. `asked` says what wanted the change.
    (C1) both shardings fit the type and its mesh, and are on one mesh.
    ```mlir
    %y = dist.reshard %x from <@m, [{"x"}, {} ]> to <@m, [{}, {"x"} ]> : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$operand, Dist_ShardingAttr:$from,
      Dist_ShardingAttr:$to, OptionalAttr<StrAttr>:$asked);
  let assemblyFormat = [{
    $operand `from` $from `to` $to (`asked` $asked^)? attr-dict `:` type($operand)
  }];
}

def Dist_MarkOp : Dist_IdentityOp<"mark",
    [DeclareOpInterfaceMethods<DifferentiableOpInterface, ["buildGradient"]>]> {
  let summary = "Says what a value is to a training step";
  let description = [{
    `weight` is a parameter as the model computes with it, `gradient_part` its gradient by one of several
    micro-batches, `gradient` the whole one; what follows the `loss` in its block is the backward pass.
    `--sharding-store` puts constraints in their place.
    (C1) `parameter` names it, but of the loss.
    ```mlir
    %v = dist.mark weight %w of "fc.weight" : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Dist_MarkKind:$kind, AnyStaticShapeTensor:$operand,
      OptionalAttr<StrAttr>:$parameter);
  let assemblyFormat = "$kind $operand (`of` $parameter^)? attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

def Dist_FenceOp : Dist_IdentityOp<"fence"> {
  let summary = "A value that is not used before others are known";
  let description = [{
    What is computed from the result is computed after `after`: a second time, where it has been computed
    from the operand before. It stays on blocks too.
    ```mlir
    %v = dist.fence %w after %g : tensor<4x8xf32>, tensor<2x4xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$operand, AnyStaticShapeTensor:$after);
  let assemblyFormat = "$operand `after` $after attr-dict `:` type($operand) `,` type($after)";
}

#endif
