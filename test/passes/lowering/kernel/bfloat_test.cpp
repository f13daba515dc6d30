// Results in bf16: all operands there are, neighbours that go in pairs, stores around the caches.
#include "test/passes/lowering/kernel/accuracy.h"
#include "test/passes/lowering/kernel/kernel_test.h"

#include <cstdlib>

using namespace sheaf::lowering;

namespace {

SHEAF_KERNEL_TEST(BfloatKernel);

struct Function {
  const char *name;
  double (*exact)(double);
  double absolute = 0; // for results that cancel
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

const Function functions[] = {
    {"exp", [](double x) { return std::exp(x); }},
    {"sigmoid", sigmoid},
    {"silu", [](double x) { return x * sigmoid(x); }},
    {"gelu_tanh",
     [](double x) { return x * sigmoid(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)); }},
    {"gelu_erf", [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }, 2e-6},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"erf", [](double x) { return std::erf(x); }},
    {"softplus", softplus},
    {"mish", [](double x) { return x * std::tanh(softplus(x)); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
};

/// Within one unit of the exactly rounded value. What `exp` gives is never denormal, and where it
/// overflows, its reciprocal is 0: x times it is off by up to 1e-36.
bool isNeighbour(const Tensor &y, double found, double exact, double absolute = 0) {
  return isClose(y, found, exact, /*ulps=*/0.5, std::max(absolute, 1e-36));
}

TEST_P(BfloatKernel, FunctionsOfEveryValue) {
  const int64_t count = 1 << 16;
  Tensor x("bf16", {count});
  for (int64_t i = 0; i < count; ++i)
    x.setInt(i, i);
  for (const Function &function : functions) {
    std::vector<Tensor> operands{x}, results{x};
    std::string body = "    %y = graph.unary " + std::string(function.name) + " %a0 : " + x.type() +
                       "\n    graph.yield %y : " + x.type();
    run(clusterText(operands, results, body), operands, results);
    for (int64_t i = 0; i < count; ++i) {
      double exact = function.exact(x.get(i)), found = results[0].get(i);
      ASSERT_TRUE(isNeighbour(x, found, exact, function.absolute))
          << function.name << " of " << x.get(i) << " is " << found << ", not " << exact;
    }
  }
}

TEST_P(BfloatKernel, RowsOfEverySizeWithMasksAndBiases) {
  for (int64_t columns : {1, 15, 16, 31, 32, 33, 64, 65, 96, 100, 128, 200}) {
    const int64_t rows = 5;
    Tensor x("bf16", {rows, columns}), bias("bf16", {columns}), mask("i1", {rows, columns}),
        scale("f32", {rows});
    for (int64_t i = 0; i < rows * columns; ++i) {
      x.set(i, static_cast<double>(i % 100));
      mask.setInt(i, i % 3 != 0);
    }
    for (int64_t i = 0; i < columns; ++i)
      bias.set(i, static_cast<double>(i % 25));
    for (int64_t i = 0; i < rows; ++i)
      scale.set(i, static_cast<double>(i + 1));
    std::string full = x.type(), row = bias.type(), wide = Tensor("f32", {rows, columns}).type();
    std::vector<Tensor> operands{x, bias, mask, scale}, results{x, mask};
    run(clusterText(operands, results,
                    "    %b = graph.broadcast %a1 to [1] : " + row + " -> " + full +
                        "\n    %s = graph.broadcast %a3 to [0] : " + scale.type() + " -> " + wide +
                        "\n    %sum = graph.binary add %a0, %b : " + full +
                        "\n    %w = graph.cast %sum : " + full + " -> " + wide +
                        "\n    %p = graph.binary mul %w, %s : " + wide +
                        "\n    %n = graph.cast %p : " + wide + " -> " + full +
                        "\n    %y = graph.select %a2, %n, %a0 : " + mask.type() + ", " + full +
                        "\n    %not = graph.unary not %a2 : " + mask.type() +
                        "\n    graph.yield %y, %not : " + full + ", " + mask.type()),
        operands, results);
    for (int64_t i = 0; i < rows * columns; ++i) {
      double product = (x.get(i) + bias.get(i % columns)) * scale.get(i / columns);
      ASSERT_EQ(results[0].get(i), i % 3 != 0 ? rounded(x, product) : x.get(i))
          << columns << " at " << i;
      ASSERT_EQ(results[1].getInt(i), i % 3 == 0) << columns << " at " << i;
    }
  }
}

TEST_P(BfloatKernel, SoftmaxAlongBothDims) {
  const int64_t rows = 70, columns = 160;
  Tensor x("bf16", {rows, columns});
  for (int64_t i = 0; i < x.size(); ++i)
    x.set(i, i % 37 == 0 ? -INFINITY : i % 11 == 0 ? -1e30 : std::sin(static_cast<double>(i)) * 20);
  for (int64_t dim : {0, 1}) {
    std::string full = x.type(), row = Tensor("bf16", {dim ? rows : columns}).type();
    std::string over = " over [" + std::to_string(dim) + "] : " + full;
    std::string to = " to [" + std::to_string(1 - dim) + "] : " + row + " -> " + full;
    std::vector<Tensor> operands{x}, results{x};
    run(clusterText(operands, results,
                    "    %m = graph.reduce max %a0" + over + "\n    %mb = graph.broadcast %m" + to +
                        "\n    %d = graph.binary sub %a0, %mb : " + full +
                        "\n    %e = graph.unary exp %d : " + full +
                        "\n    %s = graph.reduce sum %e" + over + "\n    %sb = graph.broadcast %s" +
                        to + "\n    %y = graph.binary div %e, %sb : " + full +
                        "\n    graph.yield %y : " + full),
        operands, results);
    for (int64_t kept = 0; kept < (dim ? rows : columns); ++kept) {
      auto place = [&](int64_t i) { return dim ? kept * columns + i : i * columns + kept; };
      double max = -INFINITY, sum = 0;
      for (int64_t i = 0; i < x.dims[dim]; ++i)
        max = std::max(max, x.get(place(i)));
      for (int64_t i = 0; i < x.dims[dim]; ++i)
        sum += std::exp(x.get(place(i)) - max);
      for (int64_t i = 0; i < x.dims[dim]; ++i)
        ASSERT_TRUE(isNeighbour(x, results[0].get(place(i)), std::exp(x.get(place(i)) - max) / sum))
            << "over " << dim << " at " << kept << ", " << i;
    }
  }
}

TEST_P(BfloatKernel, StoresAroundTheCaches) {
  cpu.cacheBytes = 0; // Every result is too large for it.
  for (int64_t columns : {16, 32, 48, 64, 96, 100, 4096}) {
    const int64_t rows = 6;
    Tensor x("bf16", {rows, columns});
    for (int64_t i = 0; i < x.size(); ++i)
      x.set(i, static_cast<double>(i % 200));
    sheaf::graph::ClusterOp cluster = parse(clusterText(
        {x}, {x},
        "    %y = graph.unary neg %a0 : " + x.type() + "\n    graph.yield %y : " + x.type()));
    ASSERT_TRUE(cluster);
    int64_t bytes = (x.size() * 2 + 63) / 64 * 64;
    auto *y = static_cast<uint16_t *>(std::aligned_alloc(64, bytes));
    run(cluster, ClusterBuffers::rowMajor(cluster, /*alignment=*/64), {x.data(), y});
    Tensor found("bf16", {1});
    for (int64_t i = 0; i < x.size(); ++i) {
      found.setInt(0, y[i]);
      ASSERT_EQ(found.get(0), -x.get(i)) << columns << " at " << i;
    }
    std::free(y);
  }
}

} // namespace
