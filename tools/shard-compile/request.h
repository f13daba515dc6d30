// What the user asks of shard-compile.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_REQUEST_H
#define SHEAF_TOOLS_SHARD_COMPILE_REQUEST_H

#include "importers/onnx/import.h"
#include "passes/lowering/device.h"
#include "passes/sharding/passes.h"
#include "passes/training/passes.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sheaf::compile {

inline constexpr int exitDone = 0, exitWrongRequest = 1, exitUsage = 2;

struct Request {
  std::string model;
  /// The file that the request stands in; empty: it is all on the command line.
  std::string job;
  std::string output;
  onnx::ImportOptions import;
  /// "NAME=RULE" of each input that is filled by rule.
  std::vector<std::string> feeds;
  /// "NAME=SIZE" of each mesh axis; none is one rank, or the mesh that a .mlir file has.
  std::vector<std::string> mesh;
  /// A device configuration of the model to follow; empty without.
  std::string deviceConfiguration;
  /// Where a copy of the model goes that says where its tensors live, and the name of the device
  /// configuration that does, empty for that of the mesh; no copy without a path.
  std::string annotatedModel, annotationName;
  /// Files of rules, or built-in sets, in order.
  std::vector<std::string> rules;
  std::vector<std::string> strategies;
  lowering::Device device = lowering::Device::host;
  /// The processor of `host`.
  std::string hostCpu = "native";
  /// The compute capabilities of `cuda` to make machine code for; empty: the driver does.
  std::string gpuArch;
  /// Whether `cuda` may round what it multiplies from f32 to TF32.
  bool allowsTf32 = false;
  /// Bytes; that of this machine unless given, and 0, no limit, for cuda.
  int64_t deviceMemory = 0;
  /// Whether composites that are spelled out in primitives are found and compiled as such.
  bool raises = true;
  /// The training step to make of the model; none: a program that runs it.
  std::optional<training::TrainingBuildStepPassOptions> step;
  /// "GLOB=RATIO": where the step drops out beside the model's own places.
  std::vector<std::string> dropout;
  /// How the step stores parameters, gradients and states.
  sharding::ShardingStorePassOptions store;
  /// Up to so many bytes of parameters and gradients travel together; 0: those of each block of the model.
  int64_t groupBytes = 0;
  bool isJson = false;
  bool showsRemarks = false;
  bool explainsShardings = false;
  bool showsTiming = false;
  /// Whether the program of one device goes into the file too, for `shard-run --verify`.
  bool embedsReference = false;
};

/// The request on the command line, and in the job file that it may name; the exit code after an error, which has been
/// printed. `--help` and `--version` end the program.
std::variant<Request, int> parseCommandLine(int argc, char **argv);

} // namespace sheaf::compile

#endif
