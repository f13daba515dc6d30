// Turns each function on tensors into a program on buffers.
#include "passes/analysis/liveness.h"
#include "passes/lowering/bufferize/bufferizer.h"
#include "passes/lowering/bufferize/shards.h"
#include "passes/lowering/passes.h"
#include "passes/lowering/program_signature.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGBUFFERIZEPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

struct Bufferize : impl::LoweringBufferizePassBase<Bufferize> {
  using LoweringBufferizePassBase::LoweringBufferizePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    if (failed(checkSizes(functions)))
      return signalPassFailure();
    if (failed(createMesh(OpBuilder(module.getBody(), module.getBody()->begin()), functions)))
      return signalPassFailure();
    VariableTable variables(module);
    KernelTable kernels(module);
    BufferizeRules rules;
    for (func::FuncOp function : functions)
      if (failed(convert(function, rules, variables, kernels)))
        return signalPassFailure();
    arrange(module);
    for (func::FuncOp function : functions)
      function.erase();
    for (auto mesh : llvm::make_early_inc_range(module.getOps<dist::MeshOp>()))
      mesh.erase();
  }

  /// Every tensor must be one that a buffer can hold.
  LogicalResult checkSizes(ArrayRef<func::FuncOp> functions);
  LogicalResult convert(func::FuncOp function, const BufferizeRules &rules,
                        VariableTable &variables, KernelTable &kernels);
  /// Puts variables and kernels before programs, and marks variables that only "prepare" uses.
  void arrange(ModuleOp module);
};

/// Whether a result is the next value of a variable that is an argument as well.
bool isNextValue(func::FuncOp function, unsigned result) {
  if (function.getResultAttr(result, graph::kUpdate))
    return true;
  Attribute carried = function.getResultAttr(result, kCarried);
  return carried && llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned argument) {
           return function.getArgAttr(argument, kCarried) == carried;
         });
}

/// The memory that results are written to: outputs, or variables.
SmallVector<Value> resultMemory(func::FuncOp function, exec::ProgramOp program,
                                Bufferizer &bufferizer) {
  SmallVector<Value> memory;
  for (unsigned i = 0, next = 0; i < function.getNumResults(); ++i)
    memory.push_back(isVariableResult(function, i)
                         ? bufferizer.declare(bufferizer.variables().result(function, i))
                         : Value(program.getOutputBuffers()[next++]));
  return memory;
}

/// Copies what is not in its place yet: first what goes to outputs and to variables without an old value, then what
/// goes to variables whose old values nobody needs any more.
void copyResults(ValueRange values, ArrayRef<Value> memory, ArrayRef<Value> wanted,
                 Bufferizer &bufferizer) {
  struct Copy {
    Location loc;
    Value from, to;
  };
  SmallVector<Copy> updates;
  for (auto [value, place, isOutput] : llvm::zip_equal(values, memory, wanted)) {
    Value from = bufferizer.get(value);
    if (from == place)
      continue;
    if (isOutput) {
      bufferizer.copy(value.getLoc(), from, place);
      continue;
    }
    // Two variables that swap their values.
    if (Value source = memoryOf(from);
        source.getDefiningOp<exec::GetOp>() && llvm::is_contained(memory, source)) {
      Value old = bufferizer.declare(value.getLoc(), cast<exec::BufferType>(place.getType()));
      bufferizer.copy(value.getLoc(), from, old);
      from = old;
    }
    updates.push_back({value.getLoc(), from, place});
  }
  for (const Copy &update : updates)
    bufferizer.copy(update.loc, update.from, update.to);
}

exec::ProgramOp createProgram(func::FuncOp function, VariableTable &variables) {
  SmallVector<Attribute> inputs, outputs, shards;
  NamedAttrList defaults, paddings;
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (variables.argument(function, i))
      continue;
    inputs.push_back(inputName(function, i));
    types.push_back(exec::BufferType::of(cast<RankedTensorType>(type)));
    if (exec::ShardAttr shard = argumentShard(function, i))
      shards.push_back(shard);
    if (Attribute padding = function.getArgAttr(i, graph::kPadding))
      paddings.append(cast<StringAttr>(inputs.back()), padding);
    if (exec::VariableOp variable = variables.inputDefault(function, i))
      defaults.append(cast<StringAttr>(inputs.back()),
                      FlatSymbolRefAttr::get(variable.getSymNameAttr()));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    if (isVariableResult(function, i))
      continue;
    outputs.push_back(outputName(function, i));
    types.push_back(exec::BufferType::of(cast<RankedTensorType>(type)));
    if (exec::ShardAttr shard = resultShard(function, i))
      shards.push_back(shard);
  }
  OpBuilder builder(function);
  auto given = function->getAttrOfType<StringAttr>(graph::kProgram);
  StringRef name = given                               ? given.getValue()
                   : function.getSymName() == kPrepare ? StringRef(kPrepare)
                                                       : "forward";
  auto program = exec::ProgramOp::create(
      builder, function.getLoc(), builder.getStringAttr(name), builder.getArrayAttr(inputs),
      builder.getArrayAttr(outputs),
      defaults.empty() ? DictionaryAttr() : defaults.getDictionary(builder.getContext()),
      shards.empty() ? ArrayAttr() : builder.getArrayAttr(shards),
      function->getAttrOfType<IntegerAttr>(graph::kMicroBatches),
      paddings.empty() ? DictionaryAttr() : paddings.getDictionary(builder.getContext()),
      DenseI64ArrayAttr());
  SmallVector<Location> locs(types.size(), function.getLoc());
  program.getBody().emplaceBlock().addArguments(types, locs);
  return program;
}

LogicalResult Bufferize::convert(func::FuncOp function, const BufferizeRules &rules,
                                 VariableTable &variables, KernelTable &kernels) {
  exec::ProgramOp program = createProgram(function, variables);
  Bufferizer bufferizer(program, variables, kernels);
  unsigned nextInput = 0;
  for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
    exec::VariableOp variable = variables.argument(function, i);
    if (!variable)
      bufferizer.set(argument, program.getInputBuffers()[nextInput++]);
    else if (!argument.use_empty())
      bufferizer.set(argument, bufferizer.declare(variable));
  }
  SmallVector<Value> memory = resultMemory(function, program, bufferizer);
  SmallVector<Value> wanted = memory;
  for (auto [i, place] : llvm::enumerate(wanted))
    if (isNextValue(function, i))
      place = nullptr; // The old value may be read after the new one is known.
  proposeDestinations(function, wanted, bufferizer);
  Block &block = function.getBody().front();
  for (Operation &op : block.without_terminator())
    if (failed(rules.apply(&op, bufferizer)))
      return failure();
  copyResults(block.getTerminator()->getOperands(), memory, wanted, bufferizer);
  bufferizer.finish();
  return success();
}

LogicalResult Bufferize::checkSizes(ArrayRef<func::FuncOp> functions) {
  bool isAnyTooLarge = false;
  auto check = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    auto emit = [&] { return emitError(value.getLoc()) << type << ": "; };
    if (failed(exec::BufferType::verifyInvariants(emit, type.getShape(), type.getElementType(), {},
                                                  0, exec::Space::device)))
      isAnyTooLarge = true;
  };
  for (func::FuncOp function : functions) {
    llvm::for_each(function.getArguments(), check);
    for (Operation &op : function.getBody().front())
      llvm::for_each(op.getResults(), check);
  }
  return failure(isAnyTooLarge);
}

void Bufferize::arrange(ModuleOp module) {
  auto programs = module.getOps<exec::ProgramOp>();
  if (programs.empty())
    return;
  llvm::DenseSet<StringRef> usedLater;
  for (exec::ProgramOp program : programs) {
    if (program.getSymName() == kPrepare)
      continue;
    for (auto get : program.getBlock().getOps<exec::GetOp>())
      usedLater.insert(get.getVariable());
    if (DictionaryAttr defaults = program.getDefaultsAttr())
      for (NamedAttribute entry : defaults)
        usedLater.insert(cast<FlatSymbolRefAttr>(entry.getValue()).getValue());
  }
  Operation *first = *programs.begin();
  // Only what stands behind the first program moves; an op moved within the range would come up again.
  auto behindFirst = llvm::make_range(first->getIterator(), module.getBody()->end());
  for (Operation &op : llvm::make_early_inc_range(behindFirst))
    if (isa<exec::VariableOp, exec::KernelOp>(op))
      op.moveBefore(first);
  for (auto variable : module.getOps<exec::VariableOp>())
    variable.setIsPrepareOnly(!usedLater.contains(variable.getSymName()));
}

} // namespace
} // namespace sheaf::lowering
