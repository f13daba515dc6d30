// The graph dialect, its types and the base classes of its ops.
#ifndef SHEAF_DIALECTS_GRAPH_GRAPH_BASE
#define SHEAF_DIALECTS_GRAPH_GRAPH_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/interfaces/graph_interfaces.td"

def GraphDialect : Dialect {
  let name = "graph";
  let cppNamespace = "::sheaf::graph";
  let summary = "The tensor graph of a model: pure ops on statically shaped tensors";
  let description = [{
    Ops have value semantics; operands of one op never broadcast implicitly. Signless integers are
    signed, `ui` types are unsigned, `i1` is boolean. Function arguments carry one of
    `graph.input`, `graph.parameter`, `graph.state` (a string: the name in the model file) and, for
    stored values, `graph.source` (`#graph.external`); function results carry `graph.output`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The element types a model can hold; each fits in 64 bits.
defvar FloatElements = [F64, F32, F16, BF16, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU,
    F4E2M1FN];
defvar IntElements = [I1, I<2>, I<4>, I8, I16, I32, I64, UI<2>, UI<4>, UI8, UI16, UI32, UI64];
class Graph_TensorOf<list<Type> elements, string what>
    : RankedTensorOf<elements, [HasStaticShapePred, CPred<[{
        ::sheaf::memoryBytes(::llvm::cast<::mlir::ShapedType>($_self)).has_value()}]>]> {
  let summary = "statically shaped tensor, less than 2^63 bytes, of " # what;
}
def Graph_Tensor : Graph_TensorOf<!listconcat(FloatElements, IntElements), "floats or integers">;
def Graph_FloatTensor : Graph_TensorOf<FloatElements, "floats">;
def Graph_IntTensor : Graph_TensorOf<IntElements, "integers">;
def Graph_BoolTensor : Graph_TensorOf<[I1], "booleans">;
/// Positions: gather indices, labels.
def Graph_IndexTensor : Graph_TensorOf<[I32, I64], "i32 or i64">;

/// A number that a program computes: of steps, of places.
def Graph_Count : 0DTensorOf<[I64]>,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

/// A number that may be wrong, so negative: I64Attr hides that, its C++ type is unsigned.
def Graph_IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer attribute">;

//===----------------------------------------------------------------------===//
// Aspects: what an op must bring besides its definition. A listed aspect without a body is a link
// error.
//===----------------------------------------------------------------------===//

defvar ShardingRule = DeclareOpInterfaceMethods<ShardingRuleOpInterface>;
defvar Differentiable = DeclareOpInterfaceMethods<DifferentiableOpInterface, ["buildGradient"]>;
/// Has no gradient on purpose: the result does not change with the operands, or only in jumps.
defvar StopsGradient = DifferentiableOpInterface;
defvar Localizes = DeclareOpInterfaceMethods<LocalizeOpInterface>;
defvar PassesPartials = DeclareOpInterfaceMethods<PartialOpInterface>;
defvar ReadsWindows = DeclareOpInterfaceMethods<WindowOpInterface>;
defvar HasCost = DeclareOpInterfaceMethods<CostOpInterface>;
defvar Decomposes = DeclareOpInterfaceMethods<DecomposeOpInterface>;
defvar Emits = DeclareOpInterfaceMethods<EmitOpInterface>;
/// Emits, and its dims are not those of one shape.
defvar EmitsAligned = DeclareOpInterfaceMethods<EmitOpInterface, ["alignDims"]>;
defvar CombinesAligned = DeclareOpInterfaceMethods<CombineOpInterface, ["alignDims"]>;

/// A graph op. `rule` is its factor rule when it is the same for all shapes (`"mk,kn->mn"`).
class Graph_Op<string mnemonic, list<Trait> traits = [], string rule = "">
    : Op<GraphDialect, mnemonic, !listconcat([Pure], traits,
          !if(!empty(rule), []<Trait>, [DeclareOpInterfaceMethods<ShardingRuleOpInterface>]))> {
  let extraClassDefinition = !if(!empty(rule), "", [{
    ::sheaf::FactorRule $cppClass::getShardingRule() {
      return ::llvm::cantFail(::sheaf::FactorRule::parse("}] # rule # [{"));
    }
  }]);
}

/// MLIR's InferTypeOpAdaptor, but operands that are no statically shaped tensors are refused before
/// the shape function sees them: the parser infers types before it checks operands.
def Graph_InferTypes : TraitList<[DeclareOpInterfaceMethods<InferTypeOpInterface>,
    NativeOpTrait<"InferTypeOpAdaptor", [], [{
      static ::llvm::LogicalResult inferReturnTypes(::mlir::MLIRContext *context,
          std::optional<::mlir::Location> location, Adaptor adaptor,
          ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes);
    }], [{
      ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
          std::optional<::mlir::Location> location, ::mlir::ValueRange operands,
          ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties,
          ::mlir::RegionRange regions, ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes) {
        if (failed(checkTensorOperands(location, operands)))
          return ::mlir::failure();
        return inferReturnTypes(context, location,
            $cppClass::Adaptor(operands, attributes, properties, regions), inferredReturnTypes);
      }
    }]>]>;

/// A graph op whose result types follow from operands and attributes; its shape function is
/// `inferReturnTypes`, and a written type that differs from it is a verifier error.
class Graph_InferredOp<string mnemonic, list<Trait> traits = [], string rule = "">
    : Graph_Op<mnemonic, !listconcat(traits, [Graph_InferTypes]), rule>;

#endif
