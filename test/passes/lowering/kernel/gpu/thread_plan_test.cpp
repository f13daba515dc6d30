// Runs kernels whose threads share work in every way there is, and compares with the host's kernels.
#include "passes/lowering/kernel/gpu/device_module.h"
#include "passes/lowering/kernel/gpu/gpu_emitter.h"
#include "test/passes/lowering/kernel/accuracy.h"
#include "test/passes/lowering/kernel/kernel_test.h"

using namespace sheaf::lowering;

namespace {

class DeviceKernel : public KernelTest {
protected:
  void SetUp() override {
    KernelTest::SetUp();
    cpu = *HostCpu::named("x86-64-v3", [&] { return emitError(mlir::UnknownLoc::get(&context)); });
  }

  /// Runs `body` on the device, twice with blocks in another order, and on the host. `ulps` is what
  /// the two may differ by; results of the device are the same to the bit.
  void compare(std::vector<Tensor> operands, std::vector<Tensor> results, const std::string &body,
               double ulps, double absolute = 0) {
    std::string text = clusterText(operands, results, body);
    sheaf::graph::ClusterOp cluster = parse(text);
    ASSERT_TRUE(cluster);
    ClusterBuffers buffers = ClusterBuffers::rowMajor(cluster, /*alignment=*/16);
    auto resultsOf = [&](auto runKernel) {
      std::vector<Tensor> written = results;
      std::vector<void *> pointers;
      for (Tensor &tensor : operands)
        pointers.push_back(tensor.data());
      for (Tensor &tensor : written)
        pointers.push_back(tensor.data());
      runKernel(pointers);
      return written;
    };
    auto onDevice = [&](uint64_t seed) {
      return resultsOf([&](auto &pointers) { runOnDevice(cluster, buffers, pointers, seed); });
    };
    std::vector<Tensor> found = onDevice(0), again = onDevice(7);
    std::vector<Tensor> expected =
        resultsOf([&](auto &pointers) { runOnHost(cluster, buffers, pointers); });
    for (size_t k = 0; k < results.size(); ++k) {
      ASSERT_TRUE(found[k].isGuardIntact()) << text;
      ASSERT_EQ(
          std::memcmp(found[k].data(), again[k].data(), found[k].size() * found[k].elementBytes()),
          0)
          << text;
      for (int64_t i = 0; i < results[k].size(); ++i)
        ASSERT_TRUE(isClose(found[k], found[k].get(i), expected[k].get(i), ulps, absolute))
            << text << "element " << i << " is " << found[k].get(i) << ", not "
            << expected[k].get(i);
    }
  }

  ThreadPlan planOf(llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> results,
                    const std::string &body) {
    sheaf::graph::ClusterOp cluster = parse(clusterText(operands, results, body));
    return DevicePlan::of(cluster, ClusterBuffers::rowMajor(cluster)).threads;
  }
};
INSTANTIATE_TEST_SUITE_P(, DeviceKernel, testing::Values("gpu-sm_80"));

/// Small integers, whose sums are exact in any order.
Tensor integers(const char *element, std::vector<int64_t> dims) {
  Tensor tensor(element, std::move(dims));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.set(i, (i * 37 + i / 11) % 8 - 3);
  return tensor;
}

Tensor fractions(const char *element, std::vector<int64_t> dims) {
  Tensor tensor(element, std::move(dims));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.set(i, static_cast<double>((i * 7919 + i / 13) % 1009) / 101 - 5);
  return tensor;
}

std::string sumBody(const Tensor &x, const Tensor &y, const std::string &dims) {
  return "    %y = graph.reduce sum %a0 over [" + dims + "] : " + x.type() +
         "\n    graph.yield %y : " + y.type();
}

std::string softmaxBody(const Tensor &x, int64_t dim) {
  std::string type = x.type(), kept = std::to_string(1 - dim);
  Tensor row("f32", {x.dims[1 - dim]});
  std::string over = std::to_string(dim);
  return "    %m = graph.reduce max %a0 over [" + over + "] : " + type +
         "\n    %mb = graph.broadcast %m to [" + kept + "] : " + row.type() + " -> " + type +
         "\n    %d = graph.binary sub %a0, %mb : " + type +
         "\n    %e = graph.unary exp %d : " + type + "\n    %s = graph.reduce sum %e over [" +
         over + "] : " + type + "\n    %sb = graph.broadcast %s to [" + kept + "] : " + row.type() +
         " -> " + type + "\n    %y = graph.binary div %e, %sb : " + type +
         "\n    graph.yield %y : " + type;
}

TEST_P(DeviceKernel, SumsOfRowsOfEveryLength) {
  for (const char *element : {"f32", "bf16", "f64"})
    for (int64_t length : {1, 3, 8, 31, 32, 33, 64, 96, 257, 768, 1000, 4096, 9000, 40000}) {
      Tensor x = integers(element, {5, length}), y(element, {5});
      compare({x}, {y}, sumBody(x, y, "1"), 0);
    }
}

TEST_P(DeviceKernel, SumsOfColumns) {
  for (const char *element : {"f32", "bf16"})
    for (int64_t rows : {1, 2, 7, 64, 1000, 20000})
      for (int64_t columns : {1, 3, 8, 33, 160}) {
        Tensor x = integers(element, {rows, columns}), y(element, {columns});
        compare({x}, {y}, sumBody(x, y, "0"), 0);
      }
}

TEST_P(DeviceKernel, SumsOfWholeTensors) {
  for (int64_t length : {1, 5, 1024, 4097, 100000, 1000000}) {
    Tensor x = integers("f32", {length}), y("f32", {});
    compare({x}, {y}, sumBody(x, y, "0"), 0);
  }
  // Of both outer dims of three, as the gradient of a bias of a convolution is, and its neighbour.
  Tensor image = integers("f32", {6, 5, 700}), channel("f32", {5}), pixel("f32", {700});
  compare({image}, {channel}, sumBody(image, channel, "0, 2"), 0);
  compare({image}, {pixel}, sumBody(image, pixel, "0, 1"), 0);
}

// Fractions: sums of several blocks are the same from run to run.
TEST_P(DeviceKernel, PartsAreCombinedInOneOrder) {
  Tensor x = fractions("f32", {300000}), total("f32", {});
  EXPECT_GT(planOf({x}, {total}, sumBody(x, total, "0")).splits, 1);
  // Sums of absolute values up to 1.5 million in trees of 20 levels.
  compare({x}, {total}, sumBody(x, total, "0"), 0, 1.5e6 * 20 * 0x1p-24);
  Tensor columns = fractions("f32", {30000, 12}), y("f32", {12});
  EXPECT_GT(planOf({columns}, {y}, sumBody(columns, y, "0")).splits, 1);
  compare({columns}, {y}, sumBody(columns, y, "0"), 0, 1.5e5 * 20 * 0x1p-24);
}

// exp is within 2 ulp on both sides, the sum of positive numbers within a few more.
TEST_P(DeviceKernel, SoftmaxOfRowsOfEveryLength) {
  for (int64_t length : {1, 7, 32, 100, 513, 2048, 6000, 17001}) {
    Tensor x = fractions("f32", {3, length});
    compare({x}, {x}, softmaxBody(x, 1), 8);
  }
}

// The host adds the rows one after the other, which may cost half a unit each.
TEST_P(DeviceKernel, SoftmaxOfColumns) {
  for (int64_t rows : {1, 5, 40, 300})
    for (int64_t columns : {3, 64, 100}) {
      Tensor x = fractions("f32", {rows, columns});
      compare({x}, {x}, softmaxBody(x, 0), 8 + rows / 2.0);
    }
}

// What a reduction shares with its results: a row's statistics, and the row itself, are written too.
TEST_P(DeviceKernel, ReductionsBesideElements) {
  for (int64_t length : {24, 1000, 5000}) {
    Tensor x = integers("f32", {4, length}), sum("f32", {4});
    compare({x}, {x, sum},
            R"(
    %n = graph.unary neg %a0 : )" +
                x.type() + R"(
    %s = graph.reduce sum %n over [1] : )" +
                x.type() + R"(
    %t = graph.unary abs %s : tensor<4xf32>
    graph.yield %n, %t : )" +
                x.type() + ", " + sum.type(),
            0);
  }
}

TEST_P(DeviceKernel, SizesThatFillNoBlock) {
  for (int64_t length : {0, 1, 2, 3, 255, 256, 257, 1023, 1025, 2051})
    for (const char *element : {"f32", "f64", "bf16"}) {
      Tensor x = integers(element, {length});
      std::string type = x.type();
      compare({x}, {x}, "    %y = graph.unary neg %a0 : " + type + "\n    graph.yield %y : " + type,
              0);
    }
}

// Operands that lie contiguous along another dim than the result go through shared memory.
TEST_P(DeviceKernel, TransposedOperands) {
  for (auto [rows, columns] : {std::pair(32, 64), {33, 47}, {100, 16}, {64, 1000}})
    for (const char *element : {"f32", "bf16"}) {
      Tensor x = fractions(element, {rows, columns}), y(element, {columns, rows});
      Tensor across = y;
      sheaf::graph::ClusterOp cluster =
          parse(clusterText({across, y}, {y},
                            "    %y = graph.binary sub %a0, %a1 : " + y.type() +
                                "\n    graph.yield %y : " + y.type()));
      ClusterBuffers buffers = ClusterBuffers::rowMajor(cluster, /*alignment=*/16);
      buffers.operands[0].strides = {1, columns};
      EXPECT_TRUE(DevicePlan::of(cluster, buffers).threads.tile);
      Tensor other = integers(element, y.dims);
      runOnDevice(cluster, buffers, {x.data(), other.data(), y.data()}, /*seed=*/3);
      ASSERT_TRUE(y.isGuardIntact());
      for (int64_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(y.get(i), rounded(y, x.get(i % rows * columns + i / rows) - other.get(i))) << i;
    }
}

// What has no code is told by its name; nothing else is emitted in its place.
TEST_P(DeviceKernel, FunctionsWithoutCodeAreNamed) {
  mlir::OwningOpRef<mlir::ModuleOp> module(
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
  mlir::ImplicitLocOpBuilder builder(module->getLoc(), module->getBodyRegion());
  builder.setInsertionPointToEnd(module->getBody());
  GpuEmitter emitter(builder, /*width=*/2);
  mlir::Value x = emitter.splat(builder.getF32Type(), 1.0);
  emitter.call("acosh", x);
  EXPECT_EQ(emitter.missingFunction(), "");
  emitter.call("lgamma", x);
  EXPECT_EQ(emitter.missingFunction(), "lgamma");
}

// Offsets past 2^31 elements take 64 bits. Pages that nobody touches take no memory.
TEST_P(DeviceKernel, OffsetsBeyond32Bits) {
  constexpr int64_t stride = (int64_t(1) << 31) + 64;
  size_t bytes = (stride + 64) * sizeof(float);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto *elements = static_cast<float *>(memory);
  Tensor y("f32", {2, 64});
  std::string type = y.type();
  sheaf::graph::ClusterOp cluster = parse(clusterText(
      {y}, {y}, "    %y = graph.unary neg %a0 : " + type + "\n    graph.yield %y : " + type));
  ClusterBuffers buffers = ClusterBuffers::rowMajor(cluster);
  buffers.operands[0].strides = {stride, 1};
  EXPECT_FALSE(DevicePlan::of(cluster, buffers).threads.hasShortOffsets);
  for (int64_t i = 0; i < 128; ++i)
    elements[i / 64 * stride + i % 64] = static_cast<float>(i);
  runOnDevice(cluster, buffers, {memory, y.data()}, /*seed=*/0);
  for (int64_t i = 0; i < 128; ++i)
    EXPECT_EQ(y.get(i), -i);
  munmap(memory, bytes);
}

// All threads of a row read what is the same for the row; one of them writes its result.
TEST_P(DeviceKernel, ResultsOfRowsOverwriteWhatIsReadLast) {
  Tensor x = integers("f32", {3, 4000}), total("f32", {3});
  std::string type = x.type();
  auto sumBeside = [&](const std::string &body) {
    return parse(clusterText({x, total}, {total}, body));
  };
  // The old total is wanted when the sum is known.
  sheaf::graph::ClusterOp late = sumBeside("    %s = graph.reduce sum %a0 over [1] : " + type +
                                           "\n    %y = graph.binary add %s, %a1 : tensor<3xf32>" +
                                           "\n    graph.yield %y : tensor<3xf32>");
  // It is wanted at each element, when threads may be far apart.
  sheaf::graph::ClusterOp early = sumBeside(
      "    %b = graph.broadcast %a1 to [0] : tensor<3xf32> -> " + type +
      "\n    %d = graph.binary sub %a0, %b : " + type +
      "\n    %y = graph.reduce sum %d over [1] : " + type + "\n    graph.yield %y : tensor<3xf32>");
  CudaKernelCompiler compiler(&context, GpuChips());
  EXPECT_TRUE(compiler.mayOverwrite(late, ClusterBuffers::rowMajor(late), 1, 0));
  EXPECT_FALSE(compiler.mayOverwrite(early, ClusterBuffers::rowMajor(early), 1, 0));
  ClusterBuffers buffers = ClusterBuffers::rowMajor(late);
  buffers.overwrites = {1u};
  for (int64_t row = 0; row < 3; ++row)
    total.set(row, 100 * row);
  Tensor expected = total;
  for (int64_t i = 0; i < x.size(); ++i)
    expected.set(i / 4000, expected.get(i / 4000) + x.get(i));
  runOnDevice(late, buffers, {x.data(), total.data(), total.data()}, /*seed=*/5);
  for (int64_t row = 0; row < 3; ++row)
    EXPECT_EQ(total.get(row), expected.get(row));
}

} // namespace
