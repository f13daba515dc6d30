// Makes a request of flags and checks what they say together.
#include "tools/shard-compile/request.h"

#include "passes/sharding/store_layout.h"
#include "tools/shard-compile/command_line.h"
#include "tools/shard-compile/job_file.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <unistd.h>

using namespace llvm;

namespace sheaf::compile {
namespace {

/// Bytes of this machine's memory.
int64_t machineMemory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

Expected<int64_t> parseBytes(const cl::opt<std::string> &flag) {
  StringRef text = flag.getValue();
  StringRef digits = text.take_while([](char c) { return isDigit(c) || c == '.'; });
  StringRef unit = text.drop_front(digits.size());
  int shift = StringSwitch<int>(unit)
                  .Cases({"", "B"}, 0)
                  .Case("KiB", 10)
                  .Case("MiB", 20)
                  .Case("GiB", 30)
                  .Case("TiB", 40)
                  .Default(-1);
  double value;
  if (shift < 0 || digits.getAsDouble(value) || value <= 0 || value * std::exp2(shift) > 1e18)
    return createStringError(nameOf(flag) + ": \"" + text +
                             "\" is no amount of memory; write 512MiB or 1.5GiB");
  return std::max(int64_t(1), static_cast<int64_t>(value * std::exp2(shift)));
}

/// An option of another target would have no effect.
Error fillTarget(Request &request, const CommandLine &line) {
  if (line.target == lowering::nameOf(lowering::Device::cuda))
    request.device = lowering::Device::cuda;
  else if (line.target != lowering::nameOf(lowering::Device::host))
    return createStringError(nameOf(line.target) + ": \"" + line.target +
                             "\" is unknown; there are host and cuda");
  bool isHost = request.device == lowering::Device::host;
  if (isHost && !line.gpuArch.empty())
    return createStringError(nameOf(line.gpuArch) + " is of --target cuda");
  if (isHost && line.allowsTf32)
    return createStringError(nameOf(line.allowsTf32) + " is of --target cuda");
  if (!isHost && !line.hostCpu.empty())
    return createStringError(nameOf(line.hostCpu) + " is of --target host");
  if (!line.hostCpu.empty())
    request.hostCpu = line.hostCpu;
  request.gpuArch = line.gpuArch;
  request.allowsTf32 = line.allowsTf32;
  return Error::success();
}

/// Adds the values of `flag` to what binds a model.
Error addAll(onnx::ImportOptions &options, const cl::list<std::string> &flag,
             function_ref<Error(onnx::ImportOptions &, StringRef)> add) {
  for (const std::string &value : flag)
    if (Error error = add(options, value))
      return createStringError(nameOf(flag) + ": " + toString(std::move(error)));
  return Error::success();
}

/// A script whose variable is not set gives "": that must not pass for a flag that is not given.
Error refuseEmptyValues(const CommandLine &line) {
  for (const cl::opt<std::string> *flag :
       {&line.output, &line.deviceConfiguration, &line.annotatedModel, &line.annotationName,
        &line.gpuArch, &line.hostCpu, &line.deviceMemory, &line.groupBytes})
    if (flag->getNumOccurrences() > 0 && flag->getValue().empty())
      return createStringError(nameOf(*flag) + ": its value is empty");
  return Error::success();
}

/// Fills in all but the model.
Error fill(Request &request, const CommandLine &line) {
  if (Error error = refuseEmptyValues(line))
    return error;
  request.output = line.output;
  request.raises = !line.noRaise;
  request.isJson = line.isJson;
  request.showsRemarks = line.showsRemarks;
  request.showsTiming = line.showsTiming;
  request.embedsReference = line.embedsReference;
  request.explainsShardings = line.explains;
  request.deviceConfiguration = line.deviceConfiguration;
  request.annotatedModel = line.annotatedModel;
  request.annotationName = line.annotationName;
  if (request.annotatedModel.empty() && !request.annotationName.empty())
    return createStringError(nameOf(line.annotationName) +
                             " names what --annotated-onnx writes; give both");
  if (!request.annotatedModel.empty() && sys::path::extension(request.model) == ".mlir")
    return createStringError(nameOf(line.annotatedModel) + " copies an ONNX model, " +
                             request.model + " is none");
  request.rules.assign(line.rules.begin(), line.rules.end());
  request.mesh.assign(line.mesh.begin(), line.mesh.end());
  for (StringRef axis : request.mesh) {
    auto [name, size] = axis.split('=');
    int64_t extent;
    if (name.empty() || size.getAsInteger(10, extent) || extent < 1)
      return createStringError(nameOf(line.mesh) + ": \"" + axis +
                               "\" is not of the form NAME=SIZE");
  }
  request.feeds.assign(line.feeds.begin(), line.feeds.end());
  request.strategies.assign(line.strategies.begin(), line.strategies.end());
  auto step = line.training.options();
  if (!step)
    return step.takeError();
  request.step = std::move(*step);
  request.dropout = line.training.dropouts();
  auto store = line.training.store(line.strategies);
  if (!store)
    return store.takeError();
  request.store = std::move(*store);
  // A copy tells where tensors are computed, not where they are stored meanwhile.
  if (!request.annotatedModel.empty() &&
      sharding::StoreLayout::storesParameters(request.store.layout))
    return createStringError(nameOf(line.annotatedModel) + " has no way to tell that --strategy " +
                             request.store.layout +
                             " stores parameters in parts; write the copy with --strategy dp");
  if (Error error = fillTarget(request, line))
    return error;
  request.deviceMemory = request.device == lowering::Device::host ? machineMemory() : 0;
  if (!line.deviceMemory.empty()) {
    Expected<int64_t> bytes = parseBytes(line.deviceMemory);
    if (!bytes)
      return bytes.takeError();
    request.deviceMemory = *bytes;
  }
  if (!line.groupBytes.empty()) {
    Expected<int64_t> bytes = parseBytes(line.groupBytes);
    if (!bytes)
      return bytes.takeError();
    if (request.store.layout.empty())
      return createStringError(nameOf(line.groupBytes) +
                               " needs a --strategy that combines or gathers parameters: " +
                               sharding::StoreLayout::names());
    request.groupBytes = *bytes;
  }
  request.import.allowsMissingFiles = request.step && !request.step->initializers.empty();
  request.import.parameters.assign(line.parameters.begin(), line.parameters.end());
  if (Error error = addAll(request.import, line.shapes, onnx::addShapeFlag))
    return error;
  if (Error error = addAll(request.import, line.dims, onnx::addDimFlag))
    return error;
  return addAll(request.import, line.constants, onnx::addConstantFlag);
}

} // namespace

std::variant<Request, int> parseCommandLine(int argc, char **argv) {
  static CommandLine line; // What LLVM registers has to stay.
  if (!line.parse(argc, argv))
    return exitUsage;
  Request request;
  request.model = line.model;
  if (isJobFile(line.model)) {
    request.job = line.model;
    std::optional<std::string> model = applyJobFile(request.job, line.category);
    if (!model)
      return exitWrongRequest;
    request.model = std::move(*model);
  }
  if (Error error = fill(request, line)) {
    errs() << "error: " << toString(std::move(error)) << "\n";
    return request.job.empty() ? exitUsage : exitWrongRequest;
  }
  return request;
}

} // namespace sheaf::compile
