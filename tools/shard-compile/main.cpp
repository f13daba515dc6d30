// shard-compile: a model in, an executable out.
#include "dialects/dist/dist.h"
#include "dialects/exec/exec.h"
#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Support/Timing.h"
#include "passes/lowering/emit/node_name.h"
#include "passes/lowering/kernel/kernel_compiler.h"
#include "passes/pipelines/inference_host.h"
#include "passes/sharding/passes.h"
#include "runtime/io/progress_line.h"
#include "tools/shard-compile/model.h"
#include "tools/shard-compile/output_files.h"
#include "tools/shard-compile/report.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace sheaf;

namespace {

constexpr int exitDone = 0, exitWrongRequest = 1, exitUsage = 2;

StringRef nameOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
    return "  note";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("unknown severity");
}

/// Prints a diagnostic with the user's node where there is one, else the place in the text.
void printDiagnostic(const Diagnostic &diagnostic, StringRef model) {
  llvm::errs() << nameOf(diagnostic.getSeverity()) << ": ";
  // Values are named after nodes; the function as a whole after the file.
  std::string node = lowering::nodeName(diagnostic.getLocation());
  if (node == llvm::sys::path::filename(model))
    llvm::errs() << model << ": ";
  else if (!node.empty())
    llvm::errs() << "node \"" << node << "\": ";
  else if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    llvm::errs() << place.getFilename().getValue() << ':' << place.getLine() << ':'
                 << place.getColumn() << ": ";
  llvm::errs() << diagnostic << "\n";
  for (const Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(note, model);
}

/// The executable of the same model for one device.
FailureOr<std::vector<uint8_t>> compileReference(ModuleOp sharded, const compile::Request &request,
                                                 const lowering::HostCpu &cpu) {
  OwningOpRef<ModuleOp> module(sharded.clone());
  PassManager passes(module->getContext());
  passes.enableVerifier(/*enabled=*/false);
  passes.addPass(sharding::createShardingStripPass());
  InferenceHostOptions options;
  options.raise = request.raises;
  options.feed = request.feeds;
  options.step = request.step;
  buildInferenceHostPipeline(passes, options);
  if (failed(passes.run(*module)))
    return failure();
  FailureOr<lowering::SerializedExecutable> executable =
      lowering::serializeExecutable(*module, {request.output, request.model, cpu, {}});
  if (failed(executable))
    return failure();
  return std::move(executable->bytes);
}

/// Shows which pass runs.
class PassProgress : public PassInstrumentation {
public:
  explicit PassProgress(rt::io::ProgressLine &line) : line(line) {}
  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty())
      line.show(pass->getArgument());
  }

private:
  rt::io::ProgressLine &line;
};

int compileModel(const compile::Request &request) {
  rt::io::ProgressLine line;
  DialectRegistry registry;
  registry.insert<dist::DistDialect, exec::ExecDialect, graph::GraphDialect, func::FuncDialect>();
  lowering::KernelCompiler::registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    line.wipe();
    printDiagnostic(diagnostic, request.model);
    return success();
  });

  auto emitRequestError = [&] { return emitError(UnknownLoc::get(&context)); };
  FailureOr<lowering::HostCpu> cpu = lowering::HostCpu::named(request.hostCpu, emitRequestError);
  if (failed(cpu))
    return exitWrongRequest;
  line.show("reading the model");
  OwningOpRef<ModuleOp> module = compile::loadModel(context, request);
  line.wipe();
  if (!module)
    return exitWrongRequest;
  if (llvm::Error error = compile::checkOutputFiles(request, *module)) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return exitWrongRequest;
  }
  int64_t numParameters = compile::countParameters(*module);

  std::vector<uint8_t> reference;
  if (request.embedsReference) {
    line.show("compiling the program of one device");
    FailureOr<std::vector<uint8_t>> compiled = compileReference(*module, request, *cpu);
    line.wipe();
    if (failed(compiled))
      return exitWrongRequest;
    reference = std::move(*compiled);
  }

  DefaultTimingManager timing;
  timing.setEnabled(request.showsTiming);
  TimingScope scope = timing.getRootScope();
  PassManager passes(&context);
  passes.enableVerifier(/*enabled=*/false);
  passes.enableTiming(scope);
  passes.addInstrumentation(std::make_unique<PassProgress>(line));
  InferenceHostOptions options;
  options.raise = request.raises;
  options.feed = request.feeds;
  options.step = request.step;
  options.store = request.store;
  options.groupBytes = request.groupBytes;
  options.mesh = ArrayRef(request.mesh);
  options.deviceConfiguration = request.deviceConfiguration;
  options.record = !request.annotatedModel.empty();
  options.recordAs = request.annotationName;
  options.rules = ArrayRef(request.rules);
  options.strategy = ArrayRef(request.strategies);
  options.explain = request.explainsShardings;
  options.remarks = request.showsRemarks;
  options.deviceMemory = request.deviceMemory;
  buildInferenceHostPipeline(passes, options);
  if (failed(passes.run(*module)))
    return exitWrongRequest;
  line.wipe();
  if (!request.annotatedModel.empty() && failed(compile::writeAnnotatedModel(*module, request)))
    return exitWrongRequest;
  line.show("compiling kernels");
  TimingScope writing = scope.nest("Kernels and file");
  auto facts = lowering::writeExecutable(*module, {request.output, request.model, *cpu, reference});
  writing.stop();
  line.wipe();
  if (failed(facts))
    return exitWrongRequest;
  if (request.showsRemarks)
    compile::printRemarks(*module);
  compile::printReport(request, numParameters, *module, *facts);
  return exitDone;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  std::optional<compile::Request> request = compile::parseCommandLine(argc, argv);
  if (!request)
    return exitUsage;
  return compileModel(*request);
}
