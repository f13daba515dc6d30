// From a model's graph to planned programs for one rank.
#ifndef SHEAF_PASSES_PIPELINES_LOWER_MODEL_H
#define SHEAF_PASSES_PIPELINES_LOWER_MODEL_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "passes/lowering/device.h"
#include "passes/sharding/passes.h"
#include "passes/training/passes.h"

namespace sheaf {

struct LowerModelOptions : mlir::PassPipelineOptions<LowerModelOptions> {
  Option<lowering::Device> target{
      *this, "target", llvm::cl::desc("Who computes"), llvm::cl::init(lowering::Device::host),
      llvm::cl::values(clEnumValN(lowering::Device::host, "host", "Processors"),
                       clEnumValN(lowering::Device::cuda, "cuda", "GPUs"))};
  Option<bool> tf32{*this, "tf32",
                    llvm::cl::desc("GPUs may round what they multiply from f32 to TF32"),
                    llvm::cl::init(false)};
  Option<bool> raise{*this, "raise",
                     llvm::cl::desc("Find composites that are spelled out in primitives"),
                     llvm::cl::init(true)};
  ListOption<std::string> feed{*this, "feed",
                               llvm::cl::desc("NAME=ones, zeros, arange or a number: inputs that "
                                              "are filled by rule")};
  ListOption<std::string> mesh{
      *this, "mesh",
      llvm::cl::desc("NAME=SIZE of each mesh axis; none is one rank, or the mesh given")};
  Option<std::string> deviceConfiguration{
      *this, "device-configuration",
      llvm::cl::desc(
          "Device configuration of the model to follow; it brings a mesh if none is given"),
      llvm::cl::init("")};
  ListOption<std::string> rules{*this, "rules",
                                llvm::cl::desc("Rules files, or built-in sets, in order")};
  ListOption<std::string> strategy{*this, "strategy", llvm::cl::desc("dp, tp, sp")};
  Option<bool> record{*this, "record",
                      llvm::cl::desc("Keep where tensors live as a device configuration"),
                      llvm::cl::init(false)};
  Option<std::string> recordAs{*this, "record-as",
                               llvm::cl::desc("Its name; that of the mesh by default"),
                               llvm::cl::init("")};
  Option<bool> explain{*this, "explain",
                       llvm::cl::desc("Remark for each sharded tensor where its axes came from"),
                       llvm::cl::init(false)};
  Option<bool> remarks{*this, "remarks", llvm::cl::desc("Remark for each reshard what it moves"),
                       llvm::cl::init(false)};
  Option<int64_t> deviceMemory{
      *this, "device-memory",
      llvm::cl::desc("Bytes that variables, inputs, outputs and arena may take; 0 is no limit"),
      llvm::cl::init(0)};
  Option<int64_t> groupBytes{
      *this, "group-bytes",
      llvm::cl::desc("Parameters and gradients travel together up to so many bytes; 0: those of "
                     "each block of the model"),
      llvm::cl::init(0)};
  /// Makes a training step of the model instead of a program that runs it.
  std::optional<training::TrainingBuildStepPassOptions> step;
  /// "GLOB=RATIO": where that drops out beside the model's own places.
  llvm::SmallVector<std::string> dropout;
  /// Where that stores parameters, gradients and states.
  sharding::ShardingStorePassOptions store;
};

/// `--sheaf-lower-model`: the passes in order.
void buildLowerModelPipeline(mlir::OpPassManager &passes, const LowerModelOptions &options);

/// Makes every pass and named pipeline of Sheaf known to the pass parser.
void registerSheafPasses();

} // namespace sheaf

#endif
