// Compiles clusters from text, loads them into this process and runs them.
#ifndef SHEAF_TEST_PASSES_LOWERING_KERNEL_KERNEL_TEST_H
#define SHEAF_TEST_PASSES_LOWERING_KERNEL_KERNEL_TEST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/lowering/kernel/host_kernel_compiler.h"
#include "test/passes/lowering/kernel/device_run.h"
#include "test/passes/lowering/kernel/tensor.h"
#include <dlfcn.h>
#include <functional>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sheaf::lowering {

/// The text of a cluster with operands %a0, %a1, ...; `body` ends with a yield.
inline std::string clusterText(llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> results,
                               llvm::StringRef body) {
  auto list = [](auto &&range, auto print) {
    std::string text;
    for (size_t i = 0; i < range.size(); ++i)
      text += (i ? ", " : "") + print(i);
    return text;
  };
  auto typesOf = [&](llvm::ArrayRef<Tensor> tensors) {
    return list(tensors, [&](size_t i) { return tensors[i].type(); });
  };
  auto typed = [&](std::string prefix) {
    return list(operands,
                [&](size_t i) { return prefix + std::to_string(i) + ": " + operands[i].type(); });
  };
  std::string names = list(operands, [](size_t i) { return "%arg" + std::to_string(i); });
  return "func.func @f(" + typed("%arg") + ") {\n  %r:" + std::to_string(results.size()) +
         " = graph.cluster(" + names + ") : (" + typesOf(operands) + ") -> (" + typesOf(results) +
         ") {\n  ^bb0(" + typed("%a") + "):\n" + body.str() + "\n  }\n  return\n}\n";
}

/// The parameter is a processor or a chip: every test runs for AVX-512 (where this machine has it), for
/// AVX2, and as PTX.
class KernelTest : public testing::TestWithParam<const char *> {
protected:
  KernelTest() {
    mlir::DialectRegistry registry;
    registry.insert<graph::GraphDialect, mlir::func::FuncDialect>();
    KernelCompiler::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  void SetUp() override {
    if (llvm::StringRef(GetParam()) == "x86-64-v4" &&
        !HostCpu::ofThisMachine().hasFeature("avx512f"))
      GTEST_SKIP() << "this machine has no AVX-512";
    if (isOnDevice())
      return;
    cpu = *HostCpu::named(GetParam(), [&] { return emitError(mlir::UnknownLoc::get(&context)); });
  }

  bool isOnDevice() const { return llvm::StringRef(GetParam()) == "gpu-sm_80"; }

  std::unique_ptr<KernelCompiler> createCompiler() {
    if (isOnDevice())
      return std::make_unique<CudaKernelCompiler>(&context, GpuChips());
    return std::make_unique<HostKernelCompiler>(&context, cpu);
  }

  graph::ClusterOp parse(const std::string &text) {
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    graph::ClusterOp found;
    if (modules.back())
      modules.back()->walk([&](graph::ClusterOp cluster) { found = cluster; });
    EXPECT_TRUE(found) << text;
    return found;
  }

  /// Compiles one cluster and runs it on `operands`: on the host in three ranges of units, on the device
  /// once for buffers that begin anywhere and once for such as vectors take.
  void run(const std::string &text, llvm::MutableArrayRef<Tensor> operands,
           llvm::MutableArrayRef<Tensor> results) {
    graph::ClusterOp cluster = parse(text);
    ASSERT_TRUE(cluster);
    std::vector<void *> pointers;
    for (Tensor &tensor : operands)
      pointers.push_back(tensor.data());
    for (Tensor &tensor : results)
      pointers.push_back(tensor.data());
    run(cluster, ClusterBuffers::rowMajor(cluster, /*alignment=*/1), pointers);
    if (isOnDevice())
      run(cluster, ClusterBuffers::rowMajor(cluster, /*alignment=*/16), pointers);
    for (Tensor &tensor : results)
      EXPECT_TRUE(tensor.isGuardIntact()) << text;
  }

  void run(graph::ClusterOp cluster, const ClusterBuffers &buffers, std::vector<void *> pointers) {
    if (isOnDevice())
      runOnDevice(cluster, buffers, pointers, /*seed=*/1);
    else
      runOnHost(cluster, buffers, pointers);
  }

  /// `seed` chooses an order of blocks.
  void runOnDevice(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                   llvm::ArrayRef<void *> pointers, uint64_t seed) {
    CudaKernelCompiler compiler(&context, GpuChips());
    Kernel kernel = compiler.add(cluster, buffers);
    mlir::FailureOr<KernelCode> code = compiler.finish();
    ASSERT_TRUE(succeeded(code));
    launchOnDevice(*code, kernel, cluster, buffers, pointers, seed);
  }

  void runOnHost(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                 std::vector<void *> pointers) {
    HostKernelCompiler compiler(&context, cpu);
    Kernel kernel = compiler.add(cluster, buffers);
    mlir::FailureOr<KernelCode> code = compiler.finish();
    ASSERT_TRUE(succeeded(code));
    llvm::ArrayRef<char> bytes = code->sharedObject;
    int file = memfd_create("kernels", 0);
    ASSERT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    void *library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    auto *function = reinterpret_cast<void (*)(void **, int64_t, int64_t)>(
        dlsym(library, kernel.symbol.c_str()));
    ASSERT_TRUE(function);
    int64_t first = kernel.units / 3, second = kernel.units / 2;
    function(pointers.data(), second, kernel.units);
    function(pointers.data(), 0, first);
    function(pointers.data(), first, second);
    dlclose(library);
    close(file);
  }

  mlir::MLIRContext context;
  HostCpu cpu;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
};

#define SHEAF_KERNEL_TEST(suite)                                                                   \
  class suite : public KernelTest {};                                                              \
  INSTANTIATE_TEST_SUITE_P(                                                                        \
      , suite, testing::Values("x86-64-v4", "x86-64-v3", "gpu-sm_80"),                             \
      [](const auto &info) { return llvm::StringRef(info.param).rsplit('-').second.str(); })

} // namespace sheaf::lowering

#endif
