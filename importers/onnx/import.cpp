// Puts the parts of an import together and words its errors.
#include "importers/onnx/import.h"

#include "dialects/graph/graph.h"
#include "importers/onnx/device_configuration.h"
#include "importers/onnx/importer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace mlir;

namespace sheaf::onnx {
namespace {

constexpr StringLiteral kFunctionName("forward");

std::string describe(ArrayRef<NodeFailure> failures) {
  std::string text;
  raw_string_ostream stream(text);
  stream << failures.size() << (failures.size() == 1 ? " node" : " nodes") << " can't be imported";
  size_t width = 0;
  for (const NodeFailure &failure : failures)
    width = std::max(width, failure.node.size());
  for (const NodeFailure &failure : failures)
    stream << "\n  node " << left_justify(failure.node, std::min<size_t>(width, 40)) << "  "
           << failure.op << ": " << failure.reason;
  stream << "\n  See docs/support.md for what each operator needs.";
  return text;
}

/// Folding leaves constants without users behind.
void eraseDeadOps(Block &block) {
  for (Operation &op : make_early_inc_range(reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

Expected<OwningOpRef<ModuleOp>> importFile(MLIRContext &context, ModelFile &file,
                                           const ImportOptions &options) {
  Expected<Structure> structure = checkStructure(file.proto());
  if (!structure)
    return structure.takeError();
  OpBuilder builder(&context);
  Location loc = NameLoc::get(builder.getStringAttr(sys::path::filename(file.path())));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function =
      func::FuncOp::create(builder, loc, kFunctionName, builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());

  Arguments arguments(file);
  if (Error failure = arguments.create(function, builder, options))
    return std::move(failure);
  SmallVector<Value> results;
  {
    BuildState state(&context);
    Importer importer(builder, file, *structure, arguments, state);
    auto values = importer.run();
    if (!values)
      return values.takeError();
    if (!importer.failures().empty())
      return createStringError(describe(importer.failures()));
    results = std::move(*values);
    auto shapeOf = [&](StringRef name) { return importer.shapeOf(name); };
    ArrayRef<int> order = structure->order.find(&file.proto().graph().node())->second;
    if (Error failure = attachDeviceConfigurations(file.proto(), order, *module, shapeOf))
      return std::move(failure);
  }
  func::ReturnOp::create(builder, loc, results);
  eraseDeadOps(function.getBody().front());
  arguments.finish(function, builder);
  for (auto [index, output] : enumerate(file.proto().graph().output()))
    function.setResultAttr(index, graph::kOutput, builder.getStringAttr(output.name()));
  if (failed(verify(*module)))
    return createStringError("the imported module is invalid");
  return module;
}

Expected<OwningOpRef<ModuleOp>> importOpened(MLIRContext &context, Expected<ModelFile> file,
                                             StringRef path, const ImportOptions &options) {
  context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  Error failure = Error::success();
  if (file) {
    consumeError(std::move(failure));
    if (options.allowsMissingFiles)
      file->allowMissingFiles();
    auto module = importFile(context, *file, options);
    if (module)
      return module;
    failure = module.takeError();
  } else {
    consumeError(std::move(failure));
    failure = file.takeError();
  }
  return createStringError(path + ": " + toString(std::move(failure)));
}

} // namespace

Expected<OwningOpRef<ModuleOp>> importModel(MLIRContext &context, StringRef path,
                                            const ImportOptions &options) {
  return importOpened(context, ModelFile::open(path), path, options);
}

Expected<OwningOpRef<ModuleOp>> importModel(MLIRContext &context,
                                            std::unique_ptr<MemoryBuffer> bytes, StringRef path,
                                            const ImportOptions &options) {
  return importOpened(context, ModelFile::parse(std::move(bytes), path), path, options);
}

} // namespace sheaf::onnx
