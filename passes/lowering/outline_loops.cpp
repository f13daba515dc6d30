// Makes a loop a program of its own that runs once per trip, between those for what comes before it and behind it.
#include "dialects/graph/primitive_builder.h"
#include "passes/lowering/emit/node_name.h"
#include "passes/lowering/outline/loop_parts.h"
#include "passes/lowering/outline/part_function.h"
#include "passes/lowering/passes.h"
#include "passes/lowering/program_signature.h"
#include "passes/lowering/unroll_loop.h"

#include "llvm/ADT/StringSet.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGOUTLINELOOPSPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

/// One function at work.
class Outliner {
public:
  /// `names` are those of all variables and inputs of the module.
  Outliner(func::FuncOp function, graph::LoopOp loop, SymbolTable &symbols,
           llvm::StringSet<> &names)
      : function(function), loop(loop), parts(function, loop), program(programName(function)),
        names(names), begin(function, program + ".begin", symbols),
        trip(function,
             program + (function->hasAttr(graph::kMicroBatches) ? ".micro_batch" : ".trip"),
             symbols),
        end(function, program + ".end", symbols) {}

  /// The function is gone then.
  void run() {
    giveUnusedArguments();
    nameVariables();
    buildBegin();
    buildTrip();
    buildEnd();
    buildSchedule();
    function.erase();
  }

private:
  static std::string programName(func::FuncOp function) {
    auto given = function->getAttrOfType<StringAttr>(graph::kProgram);
    return given ? given.str() : "forward";
  }

  void giveUnusedArguments();
  void nameVariables();
  StringAttr variableFor(StringRef value);
  /// Repeats what `part` has of the straight ops, in their order.
  void cloneOps(const LoopPart &part, PartFunction &into);
  void takeFromBegin(const LoopPart &part, PartFunction &into);
  void buildBegin();
  void buildTrip();
  void buildEnd();
  void buildSchedule();

  BlockArgument index() { return loop.getBodyBlock()->getArgument(0); }
  BlockArgument before(unsigned i) { return loop.getBodyBlock()->getArgument(i + 1); }

  func::FuncOp function;
  graph::LoopOp loop;
  LoopParts parts;
  std::string program;
  llvm::StringSet<> &names;
  PartFunction begin, trip, end;
  StringAttr indexVariable;                     ///< null where no trip asks for its index
  SmallVector<StringAttr> loopVariables;        ///< per carried value of the loop
  llvm::MapVector<Value, StringAttr> variables; ///< of what the begin computes
};

/// Who runs the program gives all inputs, also those without effect.
void Outliner::giveUnusedArguments() {
  for (unsigned i : llvm::seq(function.getNumArguments()))
    if (!parts.begin.arguments.test(i) && !parts.trip.arguments.test(i) &&
        !parts.end.arguments.test(i))
      (isVariableArgument(function, i) ? parts.end : parts.begin).arguments.set(i);
  // What is updated is known by the argument that it is.
  for (unsigned i : llvm::seq(function.getNumResults()))
    if (Attribute name = function.getResultAttr(i, graph::kUpdate))
      for (unsigned k : llvm::seq(function.getNumArguments()))
        if (function.getArgAttr(k, graph::kParameter) == name ||
            function.getArgAttr(k, graph::kState) == name)
          parts.end.arguments.set(k);
}

StringAttr Outliner::variableFor(StringRef value) {
  std::string stem = (program + ".carried." + (value.empty() ? "value" : value)).str();
  std::string name = stem;
  for (int i = 1; !names.insert(name).second; ++i)
    name = stem + "." + std::to_string(i);
  return StringAttr::get(function.getContext(), name);
}

void Outliner::nameVariables() {
  if (!index().use_empty())
    indexVariable = variableFor("trip");
  for (unsigned i : llvm::seq(loop.getNumResults()))
    loopVariables.push_back(variableFor(nodeName(before(i).getLoc())));
  for (Value value : parts.carried)
    variables[value] = variableFor(nodeName(value.getLoc()));
}

void Outliner::cloneOps(const LoopPart &part, PartFunction &into) {
  for (Operation &op : function.getBody().front())
    if (part.ops.contains(&op))
      into.clone(&op);
}

void Outliner::takeFromBegin(const LoopPart &part, PartFunction &into) {
  for (Value value : part.fromBegin)
    into.takeCarried(variables.lookup(value), value);
}

void Outliner::buildBegin() {
  begin.takeArguments(parts.begin.arguments);
  cloneOps(parts.begin, begin);
  OpBuilder builder = begin.builder();
  if (indexVariable)
    begin.giveCarried(
        indexVariable,
        graph::ConstantOp::create(builder, loop.getLoc(),
                                  DenseElementsAttr::get(cast<RankedTensorType>(index().getType()),
                                                         builder.getI64IntegerAttr(0))));
  for (auto [i, init] : llvm::enumerate(loop.getInits()))
    if (readsBefore(loop, i))
      begin.giveCarried(loopVariables[i], begin.mapping().lookup(init));
  for (auto [value, variable] : variables)
    begin.giveCarried(variable, begin.mapping().lookup(value));
  for (auto [i, value] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands()))
    if (parts.isGivenByBegin(i))
      begin.giveResult(i, value);
}

void Outliner::buildTrip() {
  trip.takeArguments(parts.trip.arguments);
  takeFromBegin(parts.trip, trip);
  if (indexVariable)
    trip.takeCarried(indexVariable, index());
  for (unsigned i : llvm::seq(loop.getNumResults()))
    if (readsBefore(loop, i))
      trip.takeCarried(loopVariables[i], before(i));
  cloneOps(parts.trip, trip);
  Block &body = *loop.getBodyBlock();
  for (Operation &op : body.without_terminator())
    trip.clone(&op);
  for (auto [i, next] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (isChanged(loop, i))
      trip.giveCarried(loopVariables[i], trip.mapping().lookup(next));
  if (!indexVariable)
    return;
  OpBuilder builder = trip.builder();
  graph::PrimitiveBuilder b(loop.getLoc(), builder);
  trip.giveCarried(indexVariable,
                   b.binary(graph::BinaryKind::add, trip.mapping().lookup(index()), 1.0));
}

void Outliner::buildEnd() {
  end.takeArguments(parts.end.arguments);
  takeFromBegin(parts.end, end);
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    if (!result.use_empty())
      end.takeCarried(loopVariables[i], result);
  cloneOps(parts.end, end);
  for (auto [i, value] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands()))
    if (!parts.isGivenByBegin(i))
      end.giveResult(i, value);
}

void Outliner::buildSchedule() {
  OpBuilder builder(function);
  SmallVector<Attribute> inputs, outputs;
  for (unsigned i : llvm::seq(function.getNumArguments()))
    if (!isVariableArgument(function, i))
      inputs.push_back(inputName(function, i));
  for (unsigned i : llvm::seq(function.getNumResults()))
    if (!isVariableResult(function, i))
      outputs.push_back(outputName(function, i));
  auto schedule = exec::ScheduleOp::create(
      builder, function.getLoc(), builder.getStringAttr(program), builder.getArrayAttr(inputs),
      builder.getArrayAttr(outputs), function->getAttrOfType<IntegerAttr>(graph::kMicroBatches));
  builder.setInsertionPointToEnd(&schedule.getBody().emplaceBlock());
  auto run = [&](PartFunction &part, int64_t times) {
    exec::RunOp::create(builder, loop.getLoc(),
                        FlatSymbolRefAttr::get(part.function().getSymNameAttr()),
                        builder.getI64IntegerAttr(times));
  };
  run(begin, 1);
  run(trip, loop.getTripCount());
  run(end, 1);
}

/// The loop of `function` that is worth parts of its own: on the top level, the longest that runs at least twice. Null
/// without one.
graph::LoopOp longestLoop(func::FuncOp function) {
  constexpr int64_t fewestTrips = 2;
  graph::LoopOp longest;
  auto opsOf = [](graph::LoopOp loop) {
    double numOps = 0;
    loop.walk([&](Operation *) { ++numOps; });
    return numOps * static_cast<double>(loop.getTripCount());
  };
  for (auto loop : function.getBody().front().getOps<graph::LoopOp>())
    if (loop.getTripCount() >= fewestTrips && (!longest || opsOf(loop) > opsOf(longest)))
      longest = loop;
  return longest;
}

struct OutlineLoops : impl::LoweringOutlineLoopsPassBase<OutlineLoops> {
  using LoweringOutlineLoopsPassBase::LoweringOutlineLoopsPassBase;

  void runOnOperation() override {
    names.clear();
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        functions.push_back(function);
    for (func::FuncOp function : functions)
      collectNames(function);
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : functions)
      if (failed(outline(function, symbols)))
        return signalPassFailure();
  }

private:
  LogicalResult outline(func::FuncOp function, SymbolTable &symbols) {
    graph::LoopOp longest = function.getSymName() == kPrepare ? nullptr : longestLoop(function);
    SmallVector<graph::LoopOp> others; // Innermost first, as the walk goes.
    function.walk([&](graph::LoopOp loop) {
      if (loop != longest)
        others.push_back(loop);
    });
    for (graph::LoopOp loop : others)
      if (failed(unrollLoop(loop)))
        return failure();
    if (longest)
      Outliner(function, longest, symbols, names).run();
    return success();
  }

  void collectNames(func::FuncOp function) {
    for (unsigned i : llvm::seq(function.getNumArguments()))
      for (StringRef role : {StringRef(graph::kInput), StringRef(graph::kParameter),
                             StringRef(graph::kState), StringRef(kVariable)})
        if (auto name = function.getArgAttrOfType<StringAttr>(i, role))
          names.insert(name);
  }

  llvm::StringSet<> names;
};

} // namespace
} // namespace sheaf::lowering
