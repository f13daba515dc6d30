// The passes from a model's graph to planned programs for one rank, in order.
#include "passes/pipelines/lower_model.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/graph/passes.h"
#include "passes/lowering/passes.h"
#include "passes/overlap/passes.h"
#include "passes/sharding/passes.h"
#include "passes/sharding/strategies.h"
#include "passes/training/passes.h"

using namespace mlir;

namespace sheaf {

/// Folds and removes what the passes before have left.
static void addCleanup(OpPassManager &function) {
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
}

/// Composites found, and what is constant folded.
static void addSimplification(OpPassManager &function, const LowerModelOptions &options) {
  function.addPass(lowering::createLoweringUnrollLoopsPass());
  if (options.step) {
    function.addPass(training::createTrainingPlaceDropoutPass({options.dropout}));
  } else { // Nothing activates the places where only a training step drops out.
    graph::GraphDecomposePassOptions dropouts;
    dropouts.only = {"dropout"};
    function.addPass(graph::createGraphDecomposePass(dropouts));
  }
  addCleanup(function);
  if (options.raise)
    function.addPass(graph::createGraphRaisePass());
  if (!options.step) // Weights that are trained stay what they are.
    function.addPass(graph::createGraphFoldBatchNormPass());
}

/// Annotations that the request asks for beside those in the model.
static void addAnnotations(OpPassManager &module, const LowerModelOptions &options) {
  if (!options.mesh.empty())
    module.addPass(sharding::createShardingSetMeshPass({llvm::to_vector(options.mesh)}));
  if (options.deviceConfiguration.empty() && options.rules.empty() && options.strategy.empty())
    return;
  OpPassManager &function = module.nest<func::FuncOp>();
  // Where nothing but the batch is cut, products stay as they are on one rank.
  bool cutsMore = !options.deviceConfiguration.empty() || !options.rules.empty() ||
                  !llvm::all_of(options.strategy, sharding::cutsBatchAlone);
  function.addPass(sharding::createShardingExposeDimsPass({cutsMore}));
  addCleanup(function);
  if (!options.deviceConfiguration.empty())
    module.addPass(
        sharding::createShardingApplyDeviceConfigurationPass({options.deviceConfiguration}));
  if (!options.rules.empty())
    module.addPass(sharding::createShardingApplyRulesPass({llvm::to_vector(options.rules)}));
  if (!options.strategy.empty())
    module.addPass(sharding::createShardingStrategyPass({llvm::to_vector(options.strategy)}));
}

/// The model's function becomes a training step, whose micro-batches are a loop, and an evaluation.
static void addTrainingStep(OpPassManager &module, const LowerModelOptions &options) {
  // Parameters live where the model alone has them, and are needed in the order in which it has them.
  module.addPass(sharding::createShardingPropagatePass());
  module.nest<func::FuncOp>().addPass(sharding::createShardingGroupParametersPass());
  module.addPass(training::createTrainingBuildStepPass(*options.step));
  module.addPass(sharding::createShardingStorePass(options.store));
  OpPassManager &function = module.nest<func::FuncOp>();
  // Only in primitives can ranks share the classes, and a mask be drawn once for both directions.
  graph::GraphDecomposePassOptions primitives;
  primitives.only = {"cross_entropy", "dropout"};
  function.addPass(graph::createGraphDecomposePass(primitives));
  addCleanup(function);
}

/// Blocks of one rank and collectives between ranks, where tensors have shardings.
static void addPartition(OpPassManager &module, const LowerModelOptions &options) {
  module.addPass(sharding::createShardingPropagatePass({options.explain}));
  module.addPass(sharding::createShardingFindIdleAxesPass());
  if (options.record)
    module.addPass(sharding::createShardingRecordDeviceConfigurationPass({options.recordAs}));
  module.addPass(sharding::createShardingInsertReshardsPass());
  module.addPass(sharding::createShardingPartitionPass({options.remarks}));
  OpPassManager &function = module.nest<func::FuncOp>();
  addCleanup(function);
  function.addPass(sharding::createShardingSimplifyPass());
  function.addPass(
      overlap::createOverlapGroupCollectivesPass({options.groupBytes, options.remarks}));
}

/// What is repeated becomes programs of its own: straight lists of ops are left.
static void addOutlining(OpPassManager &module) {
  module.addPass(lowering::createLoweringOutlineLoopsPass());
  addCleanup(module.nest<func::FuncOp>());
}

/// Composites as calls where there is one, else in primitives.
static void addOpSelection(OpPassManager &function, const LowerModelOptions &options) {
  if (options.target == lowering::Device::cuda)
    function.addPass(lowering::createLoweringNarrowProductsPass());
  lowering::LoweringLegalizePassOptions legalize{options.target, options.tf32};
  function.addPass(lowering::createLoweringLegalizePass(legalize));
  // What has no call yet is decomposed, and what that gives may have one. Kernels compute every
  // kind of unary themselves.
  graph::GraphDecomposePassOptions decompose;
  decompose.keep = {"unary"};
  function.addPass(graph::createGraphDecomposePass(decompose));
  addCleanup(function);
  function.addPass(lowering::createLoweringLegalizePass(legalize));
  function.addPass(lowering::createLoweringCheckCallsPass({options.target}));
}

void buildLowerModelPipeline(OpPassManager &passes, const LowerModelOptions &options) {
  if (!options.feed.empty())
    passes.nest<func::FuncOp>().addPass(
        graph::createGraphFeedInputsPass({llvm::to_vector(options.feed)}));
  addSimplification(passes.nest<func::FuncOp>(), options);
  addAnnotations(passes, options);
  if (options.step)
    addTrainingStep(passes, options);
  addPartition(passes, options);
  addOutlining(passes);
  OpPassManager &function = passes.nest<func::FuncOp>();
  addOpSelection(function, options);
  function.addPass(lowering::createLoweringFuseEpiloguesPass({options.target}));
  function.addPass(lowering::createLoweringClusterPass());
  if (options.target == lowering::Device::host) { // What the library of processors gains by.
    function.addPass(lowering::createLoweringChannelsLastPass());
    function.addPass(lowering::createLoweringPackWeightsPass());
  }
  passes.addPass(lowering::createLoweringHoistPreparePass());
  passes.addPass(lowering::createLoweringBufferizePass());
  passes.addPass(lowering::createLoweringUpdateInPlacePass({options.target}));
  passes.addPass(lowering::createLoweringReuseOperandsPass({options.target}));
  passes.addPass(lowering::createLoweringAssignStreamsPass());
  passes.addPass(lowering::createLoweringPlanMemoryPass({options.deviceMemory}));
}

void registerSheafPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  graph::registerGraphPasses();
  sharding::registerShardingPasses();
  overlap::registerOverlapPasses();
  training::registerTrainingPasses();
  lowering::registerLoweringPasses();
  PassPipelineRegistration<LowerModelOptions>("sheaf-lower-model",
                                              "Lowers a model to planned programs for one rank",
                                              buildLowerModelPipeline);
}

} // namespace sheaf
