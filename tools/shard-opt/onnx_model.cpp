// Imports an ONNX model and runs passes on it, as mlir-opt does on text.
#include "tools/shard-opt/onnx_model.h"

#include "importers/onnx/import.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace mlir;

namespace sheaf {
namespace {

cl::OptionCategory onnxFlags("Flags for ONNX models");
cl::list<std::string> shapeFlags("shape", cl::cat(onnxFlags), cl::value_desc("NAME=2x16"),
                                 cl::desc("Shape of an input (NAME= for a scalar)"));
cl::list<std::string> dimFlags("dim", cl::cat(onnxFlags), cl::value_desc("NAME=2"),
                               cl::desc("Extent of a symbolic dim"));
cl::list<std::string> constantFlags("constant", cl::cat(onnxFlags), cl::value_desc("NAME=file.npy"),
                                    cl::desc("Fixes an input to the value in a file"));

int failWith(const Twine &message) {
  WithColor::error(errs()) << message << "\n";
  return EXIT_FAILURE;
}

Error readFlags(onnx::ImportOptions &options) {
  for (const std::string &flag : shapeFlags)
    if (Error failure = addShapeFlag(options, flag))
      return createStringError("--shape " + toString(std::move(failure)));
  for (const std::string &flag : dimFlags)
    if (Error failure = addDimFlag(options, flag))
      return createStringError("--dim " + toString(std::move(failure)));
  for (const std::string &flag : constantFlags)
    if (Error failure = addConstantFlag(options, flag))
      return createStringError("--constant " + toString(std::move(failure)));
  return Error::success();
}

} // namespace

int runOnOnnxModel(StringRef path, StringRef outputPath, DialectRegistry &registry) {
  onnx::ImportOptions options;
  if (Error failure = readFlags(options))
    return failWith(toString(std::move(failure)));
  MLIRContext context(registry);
  auto module = onnx::importModel(context, path, options);
  if (!module)
    return failWith(toString(module.takeError()));
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  // As mlir-opt does: passes on functions may be named without saying so.
  PassManager passes(&context, ModuleOp::getOperationName(), PassManager::Nesting::Implicit);
  if (failed(applyPassManagerCLOptions(passes)) || failed(config.setupPassPipeline(passes)) ||
      failed(passes.run(**module)))
    return EXIT_FAILURE;
  std::string message;
  auto output = openOutputFile(outputPath, &message);
  if (!output)
    return failWith(message);
  (*module)->print(output->os());
  output->keep();
  return EXIT_SUCCESS;
}

} // namespace sheaf
