// Reads a model from ONNX or from MLIR text, and writes it back.
#include "tools/shard-compile/model.h"

#include "dialects/dist/device_configuration.h"
#include "dialects/graph/graph.h"
#include "dialects/graph/model_tensor.h"
#include "importers/onnx/annotated_copy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace sheaf::compile {

/// Every function is a program; "forward" unless `graph.program` names it.
static LogicalResult checkPrograms(ModuleOp module, StringRef file) {
  llvm::StringSet<> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto name = function->getAttrOfType<StringAttr>(graph::kProgram);
    StringRef program = name ? name.getValue() : "forward";
    if (function.isDeclaration() || !names.insert(program).second) {
      llvm::errs() << "error: " << file << ": "
                   << (function.isDeclaration()
                           ? "a function has no body\n"
                           : "two functions are the program \"" + program.str() +
                                 "\"; name them by graph.program\n");
      return failure();
    }
  }
  if (names.empty())
    llvm::errs() << "error: " << file << ": must hold a function\n";
  return success(!names.empty());
}

/// Text holds functions; the flags that bind an ONNX model mean nothing to it.
static OwningOpRef<ModuleOp> loadText(MLIRContext &context, const Request &request) {
  const onnx::ImportOptions &import = request.import;
  if (!import.shapes.empty() || !import.dims.empty() || !import.constants.empty() ||
      !import.parameters.empty()) {
    llvm::errs() << "error: " << request.model
                 << ": --shape, --dim, --constant and --parameter are of ONNX models; types and "
                    "roles in .mlir text say it all\n";
    return {};
  }
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(request.model, &context);
  if (!module)
    return {};
  if (failed(checkPrograms(*module, request.model)))
    return {};
  return module;
}

/// Whether a parameter is drawn instead of read. What is wrong with globs is told by the pass that draws.
static bool isInitialized(StringRef name, const Request &request) {
  return llvm::any_of(request.step->initializers, [&](StringRef text) {
    auto glob = llvm::GlobPattern::create(text.rsplit('=').first);
    if (!glob)
      llvm::consumeError(glob.takeError());
    return glob && glob->match(name);
  });
}

/// Files of weights may be missing only where nothing is read from them.
static llvm::Error checkFiles(ModuleOp module, const Request &request) {
  auto check = [](StringRef what, graph::ExternalAttr source) -> llvm::Error {
    if (llvm::sys::fs::exists(source.getFile()))
      return llvm::Error::success();
    return llvm::createStringError(what + " is in \"" + source.getFile() +
                                   "\", which is missing; only parameters that --init draws can do "
                                   "without");
  };
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i : llvm::seq(function.getNumArguments())) {
      auto source = function.getArgAttrOfType<graph::ExternalAttr>(i, graph::kSource);
      auto name = function.getArgAttrOfType<StringAttr>(i, graph::kParameter);
      if (!source || (name && isInitialized(name, request)))
        continue;
      if (llvm::Error error =
              check(name ? "\"" + name.str() + "\"" : "the default of an input", source))
        return error;
    }
  llvm::Error result = llvm::Error::success();
  module.walk([&](graph::ConstantOp constant) {
    auto source = dyn_cast<graph::ExternalAttr>(constant.getValueAttr());
    if (!source || result)
      return;
    result = check("constant \"" + graph::nodeOf(constant).str() + "\"", source);
  });
  return result;
}

OwningOpRef<ModuleOp> loadModel(MLIRContext &context, const Request &request) {
  if (llvm::sys::path::extension(request.model) == ".mlir")
    return loadText(context, request);
  auto module = onnx::importModel(context, request.model, request.import);
  llvm::Error error = !module                             ? module.takeError()
                      : request.import.allowsMissingFiles ? checkFiles(**module, request)
                                                          : llvm::Error::success();
  if (!error)
    return std::move(*module);
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return {};
}

LogicalResult writeAnnotatedModel(ModuleOp module, const Request &request) {
  // Passes record at the end.
  auto all = module->getAttrOfType<ArrayAttr>(dist::kDeviceConfigurations);
  auto configuration = dist::DeviceConfiguration::from(all.getValue().back());
  if (llvm::Error error =
          onnx::writeAnnotatedCopy(request.model, request.annotatedModel, *configuration)) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return failure();
  }
  return success();
}

} // namespace sheaf::compile
