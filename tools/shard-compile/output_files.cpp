// Compares files by what they are, not by their names.
#include "tools/shard-compile/output_files.h"

#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/sharding/rules.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace sheaf::compile {
namespace {

/// Whether both name one file, which need not be there yet.
bool isSameFile(StringRef lhs, StringRef rhs) {
  auto plain = [](StringRef path) {
    SmallString<128> absolute(path);
    fs::make_absolute(absolute);
    llvm::sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
    return absolute;
  };
  return fs::equivalent(lhs, rhs) || plain(lhs) == plain(rhs);
}

/// The files that hold weights.
llvm::StringSet<> weightFilesOf(ModuleOp module) {
  llvm::StringSet<> files;
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i : llvm::seq(function.getNumArguments()))
      if (auto source = function.getArgAttrOfType<graph::ExternalAttr>(i, graph::kSource))
        files.insert(source.getFile());
  return files;
}

llvm::Error checkOutput(StringRef flag, StringRef output, const Request &request,
                        const llvm::StringSet<> &weightFiles) {
  auto refuse = [&](const Twine &what) {
    return llvm::createStringError(flag + " " + output + ": " + what + "; name another file");
  };
  if (fs::exists(output) && !fs::is_regular_file(output))
    return refuse("it is a folder or a device");
  StringRef folder = llvm::sys::path::parent_path(output);
  if (!folder.empty() && !fs::is_directory(folder))
    return refuse("there is no folder " + folder);
  if (isSameFile(output, request.model))
    return refuse("it is the model itself");
  if (!request.job.empty() && isSameFile(output, request.job))
    return refuse("it is the job itself");
  for (StringRef file : weightFiles.keys())
    if (isSameFile(output, file))
      return refuse("weights are read from it");
  for (const auto &constant : request.import.constants)
    if (isSameFile(output, constant.second))
      return refuse("it is the value of a --constant");
  for (const std::string &rules : request.rules)
    if (!sharding::isRuleText(rules) && isSameFile(output, rules))
      return refuse("it holds the rules");
  return llvm::Error::success();
}

} // namespace

llvm::Error checkOutputFiles(const Request &request, ModuleOp module) {
  llvm::StringSet<> weightFiles = weightFilesOf(module);
  if (llvm::Error error = checkOutput("-o", request.output, request, weightFiles))
    return error;
  if (request.annotatedModel.empty())
    return llvm::Error::success();
  if (isSameFile(request.output, request.annotatedModel))
    return llvm::createStringError("--annotated-onnx and -o name the same file");
  return checkOutput("--annotated-onnx", request.annotatedModel, request, weightFiles);
}

} // namespace sheaf::compile
