// Runs clusters on broadcast, strided, transposed and overwritten buffers, at sizes around a step.
#include "test/passes/lowering/kernel/accuracy.h"
#include "test/passes/lowering/kernel/kernel_test.h"

using namespace sheaf::lowering;

namespace {

SHEAF_KERNEL_TEST(LayoutKernel);

void count(Tensor &x, int64_t start = 0) {
  for (int64_t i = 0; i < x.size(); ++i)
    x.set(i, static_cast<double>((start + i) % 4096));
}

TEST_P(LayoutKernel, FlatSizes) {
  for (int64_t size : {0, 1, 15, 16, 17, 63, 64, 65, 1000, 5000, 8192}) {
    Tensor x("f32", {size});
    count(x);
    std::vector<Tensor> operands{x, x}, results{x};
    run(clusterText(operands, results,
                    "    %y = graph.binary add %a0, %a1 : " + x.type() +
                        "\n    graph.yield %y : " + x.type()),
        operands, results);
    for (int64_t i = 0; i < size; ++i)
      ASSERT_EQ(results[0].get(i), 2 * x.get(i)) << size << " at " << i;
  }
}

TEST_P(LayoutKernel, Scalars) {
  Tensor x("f32", {});
  x.set(0, 3);
  std::vector<Tensor> operands{x}, results{x};
  run(clusterText(
          operands, results,
          "    %y = graph.binary add %a0, %a0 : tensor<f32>\n    graph.yield %y : tensor<f32>"),
      operands, results);
  EXPECT_EQ(results[0].get(0), 6);
}

/// Adds to [2, 3, 5, n] an operand that has only some of its dims.
class Broadcasts : public LayoutKernel {
protected:
  void check(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims) {
    std::vector<int64_t> small;
    std::string list;
    for (int64_t dim : dims) {
      small.push_back(shape[dim]);
      list += (list.empty() ? "" : ", ") + std::to_string(dim);
    }
    Tensor x("f32", shape), bias("f32", small);
    count(x);
    count(bias, 7);
    std::vector<Tensor> operands{x, bias}, results{x};
    run(clusterText(operands, results,
                    "    %b = graph.broadcast %a1 to [" + list + "] : " + bias.type() + " -> " +
                        x.type() + "\n    %y = graph.binary add %a0, %b : " + x.type() +
                        "\n    graph.yield %y : " + x.type()),
        operands, results);
    for (int64_t i = 0; i < x.size(); ++i) {
      int64_t rest = i, place = 0, stride = 1;
      for (int64_t dim = shape.size(); dim-- > 0;) {
        int64_t index = rest % shape[dim];
        rest /= shape[dim];
        if (llvm::is_contained(dims, dim)) {
          place += index * stride;
          stride *= shape[dim];
        }
      }
      ASSERT_EQ(results[0].get(i), x.get(i) + bias.get(place))
          << x.type() << " " << list << " " << i;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, Broadcasts, testing::Values("x86-64-v4", "x86-64-v3"),
                         [](const auto &info) { return std::string(info.param + 7); });

TEST_P(Broadcasts, AnyDims) {
  for (int64_t inner : {1, 7, 65, 5000})
    for (int64_t set = 0; set < 16; ++set) {
      std::vector<int64_t> dims;
      for (int64_t dim = 0; dim < 4; ++dim)
        if (set >> dim & 1)
          dims.push_back(dim);
      check({2, 3, 5, inner}, dims);
    }
}

TEST_P(LayoutKernel, ReshapesRegroup) {
  // Row statistics of [2, 3, 40] seen as [6, 40], a bias by [2, 3] and one by [40] seen as [8, 5].
  Tensor x("f32", {2, 3, 40}), b("f32", {2, 3}), c("f32", {8, 5}), y("f32", {6, 8, 5});
  count(x);
  count(b, 3);
  count(c, 11);
  std::vector<Tensor> operands{x, b, c}, results{y};
  run(clusterText(operands, results, R"(
    %x = graph.reshape %a0 : tensor<2x3x40xf32> -> tensor<6x40xf32>
    %s = graph.reduce sum %x over [1] : tensor<6x40xf32>
    %b = graph.reshape %a1 : tensor<2x3xf32> -> tensor<6xf32>
    %t = graph.binary add %s, %b : tensor<6xf32>
    %u = graph.broadcast %t to [0] : tensor<6xf32> -> tensor<6x8x5xf32>
    %z = graph.reshape %x : tensor<6x40xf32> -> tensor<6x8x5xf32>
    %c = graph.broadcast %a2 to [1, 2] : tensor<8x5xf32> -> tensor<6x8x5xf32>
    %v = graph.binary add %z, %u : tensor<6x8x5xf32>
    %y = graph.binary add %v, %c : tensor<6x8x5xf32>
    graph.yield %y : tensor<6x8x5xf32>)"),
      operands, results);
  for (int64_t row = 0; row < 6; ++row) {
    double sum = b.get(row);
    for (int64_t i = 0; i < 40; ++i)
      sum += x.get(row * 40 + i);
    for (int64_t i = 0; i < 40; ++i)
      EXPECT_EQ(results[0].get(row * 40 + i), x.get(row * 40 + i) + sum + c.get(i));
  }
}

TEST_P(LayoutKernel, TransposedAndSlicedOperands) {
  for (const char *element : {"f32", "bf16", "f64", "i8", "i1"}) {
    // The operand is stored as [37, 50] and read as its transpose, of which rows 3.. are a slice.
    Tensor stored(element, {37, 50}), y(element, {40, 37});
    for (int64_t i = 0; i < stored.size(); ++i)
      if (stored.isFloat())
        stored.set(i, static_cast<double>(i % 251));
      else
        stored.setInt(i, element == std::string("i1") ? i % 3 == 0 : i % 101);
    std::string type = y.type();
    sheaf::graph::ClusterOp cluster = parse(clusterText({y}, {y}, "    graph.yield %a0 : " + type));
    ASSERT_TRUE(cluster);
    ClusterBuffers buffers = ClusterBuffers::rowMajor(cluster, /*alignment=*/1);
    buffers.operands[0].strides = {1, 50};
    char *start = static_cast<char *>(stored.data()) + 3 * stored.elementBytes();
    run(cluster, buffers, {start, y.data()});
    EXPECT_TRUE(y.isGuardIntact());
    for (int64_t row = 0; row < 40; ++row)
      for (int64_t column = 0; column < 37; ++column) {
        int64_t from = column * 50 + row + 3, to = row * 37 + column;
        if (y.isFloat())
          ASSERT_EQ(y.get(to), stored.get(from)) << element << " " << row << " " << column;
        else
          ASSERT_EQ(y.getInt(to), stored.getInt(from)) << element << " " << row << " " << column;
      }
  }
}

TEST_P(LayoutKernel, StridedResults) {
  // Into every second column of the middle of a [4, 200] buffer.
  Tensor x("f32", {4, 70}), target("f32", {4, 200});
  count(x);
  sheaf::graph::ClusterOp cluster = parse(clusterText(
      {x}, {x},
      "    %y = graph.unary neg %a0 : tensor<4x70xf32>\n    graph.yield %y : tensor<4x70xf32>"));
  ASSERT_TRUE(cluster);
  for (int64_t stride : {1, 2}) {
    for (int64_t i = 0; i < target.size(); ++i)
      target.set(i, 5000);
    ClusterBuffers buffers = ClusterBuffers::rowMajor(cluster, /*alignment=*/1);
    buffers.results[0].strides = {200, stride};
    run(cluster, buffers, {x.data(), static_cast<char *>(target.data()) + 10 * 4});
    for (int64_t i = 0; i < target.size(); ++i) {
      int64_t column = i % 200 - 10;
      bool isWritten = column >= 0 && column < 70 * stride && column % stride == 0;
      ASSERT_EQ(target.get(i), isWritten ? -x.get(i / 200 * 70 + column / stride) : 5000) << i;
    }
  }
}

TEST_P(LayoutKernel, ResultsOverwriteOperands) {
  Tensor x("f32", {6, 100}), bias("f32", {100});
  count(x);
  count(bias, 5);
  sheaf::graph::ClusterOp cluster = parse(clusterText({x, bias}, {x}, R"(
    %s = graph.reduce max %a0 over [1] : tensor<6x100xf32>
    %m = graph.broadcast %s to [0] : tensor<6xf32> -> tensor<6x100xf32>
    %b = graph.broadcast %a1 to [1] : tensor<100xf32> -> tensor<6x100xf32>
    %d = graph.binary sub %a0, %m : tensor<6x100xf32>
    %y = graph.binary add %d, %b : tensor<6x100xf32>
    graph.yield %y : tensor<6x100xf32>)"));
  ASSERT_TRUE(cluster);
  ClusterBuffers buffers = ClusterBuffers::rowMajor(cluster, /*alignment=*/1);
  std::unique_ptr<KernelCompiler> compiler = createCompiler();
  EXPECT_TRUE(compiler->mayOverwrite(cluster, buffers, 0, 0));
  EXPECT_FALSE(compiler->mayOverwrite(cluster, buffers, 1, 0));
  buffers.overwrites = {0u};
  Tensor inPlace = x;
  run(cluster, buffers, {inPlace.data(), bias.data(), inPlace.data()});
  for (int64_t i = 0; i < x.size(); ++i) {
    double max = 0;
    for (int64_t k = 0; k < 100; ++k)
      max = std::max(max, x.get(i / 100 * 100 + k));
    ASSERT_EQ(inPlace.get(i), x.get(i) - max + bias.get(i % 100));
  }
}

TEST_P(LayoutKernel, EarlyResultsMayNotOverwriteWhatIsReadAgain) {
  // %a0 is read for the difference after the first pass wrote its negation.
  sheaf::graph::ClusterOp cluster =
      parse(clusterText({Tensor("f32", {2, 9})}, {Tensor("f32", {2, 9}), Tensor("f32", {2, 9})}, R"(
    %n = graph.unary neg %a0 : tensor<2x9xf32>
    %s = graph.reduce max %a0 over [1] : tensor<2x9xf32>
    %m = graph.broadcast %s to [0] : tensor<2xf32> -> tensor<2x9xf32>
    %y = graph.binary sub %a0, %m : tensor<2x9xf32>
    graph.yield %n, %y : tensor<2x9xf32>, tensor<2x9xf32>)"));
  ASSERT_TRUE(cluster);
  std::unique_ptr<KernelCompiler> compiler = createCompiler();
  ClusterBuffers buffers = ClusterBuffers::rowMajor(cluster);
  EXPECT_FALSE(compiler->mayOverwrite(cluster, buffers, 0, 0));
  EXPECT_TRUE(compiler->mayOverwrite(cluster, buffers, 0, 1));
}

TEST_P(LayoutKernel, EqualClustersCompileOnce) {
  Tensor x("f32", {8});
  std::string text = clusterText(
      {x}, {x}, "    %y = graph.unary exp %a0 : tensor<8xf32>\n    graph.yield %y : tensor<8xf32>");
  sheaf::graph::ClusterOp first = parse(text), second = parse(text);
  std::unique_ptr<KernelCompiler> compiler = createCompiler();
  std::string symbol = compiler->add(first, ClusterBuffers::rowMajor(first)).symbol;
  EXPECT_EQ(compiler->add(second, ClusterBuffers::rowMajor(second)).symbol, symbol);
  ClusterBuffers strided = ClusterBuffers::rowMajor(second);
  strided.operands[0].strides = {2};
  EXPECT_NE(compiler->add(second, strided).symbol, symbol);
}

} // namespace
