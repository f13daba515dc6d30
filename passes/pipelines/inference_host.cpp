// The passes from a model's graph to planned programs for one host rank, in order.
#include "passes/pipelines/inference_host.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/graph/passes.h"
#include "passes/lowering/passes.h"

using namespace mlir;

namespace sheaf {

void buildInferenceHostPipeline(OpPassManager &passes, const InferenceHostOptions &options) {
  OpPassManager &function = passes.nest<func::FuncOp>();
  function.addPass(lowering::createLoweringUnrollLoopsPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  function.addPass(lowering::createLoweringLegalizePass());
  function.addPass(lowering::createLoweringFuseEpiloguesPass());
  function.addPass(lowering::createLoweringClusterPass());
  function.addPass(lowering::createLoweringPackWeightsPass());
  passes.addPass(lowering::createLoweringHoistPreparePass());
  passes.addPass(lowering::createLoweringBufferizePass());
  passes.addPass(lowering::createLoweringReuseOperandsPass());
  passes.addPass(lowering::createLoweringPlanMemoryPass({options.deviceMemory}));
}

void registerSheafPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  graph::registerGraphPasses();
  lowering::registerLoweringPasses();
  PassPipelineRegistration<InferenceHostOptions>(
      "sheaf-inference-host", "Lowers a model to planned programs for one host rank",
      buildInferenceHostPipeline);
}

} // namespace sheaf
