// shard-compile: a model in, an executable out.
#include "dialects/dist/dist.h"
#include "dialects/exec/exec.h"
#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Support/Timing.h"
#include "passes/lowering/kernel/kernel_compiler.h"
#include "passes/pipelines/lower_model.h"
#include "passes/sharding/passes.h"
#include "runtime/io/progress_line.h"
#include "tools/shard-compile/diagnostics.h"
#include "tools/shard-compile/model.h"
#include "tools/shard-compile/output_files.h"
#include "tools/shard-compile/report.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace sheaf;

namespace {

FailureOr<lowering::KernelTarget> targetOf(const compile::Request &request,
                                           function_ref<InFlightDiagnostic()> emitError) {
  lowering::KernelTarget target;
  target.device = request.device;
  if (request.device == lowering::Device::host) {
    FailureOr<lowering::HostCpu> cpu = lowering::HostCpu::named(request.hostCpu, emitError);
    if (failed(cpu))
      return failure();
    target.cpu = std::move(*cpu);
  } else if (!request.gpuArch.empty()) {
    FailureOr<lowering::GpuChips> chips = lowering::GpuChips::named(request.gpuArch, emitError);
    if (failed(chips))
      return failure();
    target.chips = std::move(*chips);
  }
  return target;
}

/// The executable of the same model for one device.
FailureOr<std::vector<uint8_t>> compileReference(ModuleOp sharded, const compile::Request &request,
                                                 const lowering::KernelTarget &target) {
  OwningOpRef<ModuleOp> module(sharded.clone());
  PassManager passes(module->getContext());
  passes.enableVerifier(/*enabled=*/false);
  passes.addPass(sharding::createShardingStripPass());
  LowerModelOptions options;
  options.target = request.device;
  options.tf32 = request.allowsTf32;
  options.raise = request.raises;
  options.feed = request.feeds;
  options.step = request.step;
  options.dropout.assign(request.dropout.begin(), request.dropout.end());
  buildLowerModelPipeline(passes, options);
  if (failed(passes.run(*module)))
    return failure();
  FailureOr<lowering::SerializedExecutable> executable =
      lowering::serializeExecutable(*module, {request.output, request.model, target, {}});
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

using compile::exitDone, compile::exitWrongRequest;

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
    compile::printDiagnostic(diagnostic, request.model);
    return success();
  });

  auto emitRequestError = [&] { return emitError(UnknownLoc::get(&context)); };
  FailureOr<lowering::KernelTarget> target = targetOf(request, emitRequestError);
  if (failed(target))
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
  bool hasMesh = !request.mesh.empty() || !request.deviceConfiguration.empty() ||
                 !module->getOps<dist::MeshOp>().empty();
  if (request.embedsReference && !hasMesh) {
    llvm::errs() << "error: --reference has no effect without --mesh: the program is of one device "
                    "as it is\n";
    return exitWrongRequest;
  }
  int64_t numParameters = compile::countParameters(*module);

  std::vector<uint8_t> reference;
  if (request.embedsReference) {
    line.show("compiling the program of one device");
    FailureOr<std::vector<uint8_t>> compiled = compileReference(*module, request, *target);
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
  LowerModelOptions options;
  options.target = request.device;
  options.tf32 = request.allowsTf32;
  options.raise = request.raises;
  options.feed = request.feeds;
  options.step = request.step;
  options.dropout.assign(request.dropout.begin(), request.dropout.end());
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
  buildLowerModelPipeline(passes, options);
  if (failed(passes.run(*module)))
    return exitWrongRequest;
  line.wipe();
  if (!request.annotatedModel.empty() && failed(compile::writeAnnotatedModel(*module, request)))
    return exitWrongRequest;
  line.show("compiling kernels");
  TimingScope writing = scope.nest("Kernels and file");
  auto facts =
      lowering::writeExecutable(*module, {request.output, request.model, *target, reference});
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
  auto parsed = compile::parseCommandLine(argc, argv);
  if (const int *code = std::get_if<int>(&parsed))
    return *code;
  return compileModel(std::get<compile::Request>(parsed));
}
