// Runs softmax and layer norm as the cluster pass makes them, on rows with hard values.
#include "test/passes/lowering/kernel/accuracy.h"
#include "test/passes/lowering/kernel/kernel_test.h"

using namespace sheaf::lowering;

namespace {

SHEAF_KERNEL_TEST(RowKernel);

/// Softmax over dim `dim` of [outer, inner], of which the other dim is `kept`.
std::string softmaxBody(const Tensor &x, int64_t dim) {
  int64_t kept = 1 - dim;
  std::string full = x.type(), row = Tensor(x.element, {x.dims[kept]}).type();
  std::string over = " over [" + std::to_string(dim) + "] : " + full;
  std::string to = " to [" + std::to_string(kept) + "] : " + row + " -> " + full;
  return "    %m = graph.reduce max %a0" + over + "\n    %mb = graph.broadcast %m" + to +
         "\n    %d = graph.binary sub %a0, %mb : " + full +
         "\n    %e = graph.unary exp %d : " + full + "\n    %s = graph.reduce sum %e" + over +
         "\n    %sb = graph.broadcast %s" + to + "\n    %y = graph.binary div %e, %sb : " + full +
         "\n    graph.yield %y : " + full;
}

std::vector<double> softmaxOf(const std::vector<double> &row) {
  double max = -INFINITY, sum = 0;
  for (double x : row)
    max = std::isnan(x) || std::isnan(max) ? NAN : std::max(max, x);
  std::vector<double> result;
  for (double x : row)
    sum += result.emplace_back(std::exp(x - max));
  for (double &x : result)
    x /= sum;
  return result;
}

TEST_P(RowKernel, SoftmaxOfHardRows) {
  for (const char *element : {"f32", "bf16", "f16", "f64"}) {
    for (int64_t columns : {1, 15, 16, 17, 64, 65, 1000}) {
      for (int64_t dim : {0, 1}) {
        const int64_t rows = 8;
        Tensor x(element, dim == 1 ? std::vector<int64_t>{rows, columns}
                                   : std::vector<int64_t>{columns, rows});
        double lowest = element == std::string("f16") ? -6e4 : -1e30;
        auto value = [&](int64_t row, int64_t i) -> double {
          switch (row) {
          case 0:
            return std::sin(static_cast<double>(i)) * 10;
          case 1:
            return i % 2 ? lowest : 1.0; // half masked
          case 2:
            return lowest; // all masked: uniform
          case 3:
            return i == 0 ? 0.0 : -INFINITY; // one is left
          case 4:
            return -INFINITY; // none is left: NaN
          case 5:
            return i == columns - 1 ? NAN : 1.0; // NaN spreads over its row
          case 6:
            return i == 0 ? INFINITY : 0.0; // infinity less itself: NaN
          default:
            return i % 3 ? 88.0 : -88.0;
          }
        };
        auto place = [&](int64_t row, int64_t i) {
          return dim == 1 ? row * columns + i : i * rows + row;
        };
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t i = 0; i < columns; ++i)
            x.set(place(row, i), value(row, i));
        std::vector<Tensor> operands{x}, results{x};
        run(clusterText(operands, results, softmaxBody(x, dim)), operands, results);
        for (int64_t row = 0; row < rows; ++row) {
          std::vector<double> values;
          for (int64_t i = 0; i < columns; ++i)
            values.push_back(x.get(place(row, i)));
          std::vector<double> expected = softmaxOf(values);
          // exp of a difference that is rounded once: |x - max| ulp of it, about 20 at most; then the
          // sum and the quotient.
          for (int64_t i = 0; i < columns; ++i)
            ASSERT_TRUE(isClose(x, results[0].get(place(row, i)), expected[i], 24, 1e-37))
                << element << " " << columns << " over " << dim << " row " << row << " at " << i
                << " is " << results[0].get(place(row, i)) << ", not " << expected[i];
        }
      }
    }
  }
}

TEST_P(RowKernel, QuotientsByExtremeStatistics) {
  // x / sum(x) where the sum is denormal, huge, zero and infinite.
  const double values[] = {1e-40, 3e37, 0, 3e38, 1};
  Tensor x("f32", {5, 4});
  for (int64_t row = 0; row < 5; ++row)
    for (int64_t i = 0; i < 4; ++i)
      x.set(row * 4 + i, values[row]);
  std::vector<Tensor> operands{x}, results{x};
  run(clusterText(operands, results, R"(
    %s = graph.reduce sum %a0 over [1] : tensor<5x4xf32>
    %b = graph.broadcast %s to [0] : tensor<5xf32> -> tensor<5x4xf32>
    %y = graph.binary div %a0, %b : tensor<5x4xf32>
    graph.yield %y : tensor<5x4xf32>)"),
      operands, results);
  const double expected[] = {0.25, 0.25, NAN, 0, 0.25};
  for (int64_t row = 0; row < 5; ++row)
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_TRUE(isClose(x, results[0].get(row * 4 + i), expected[row], 2)) << row;
}

TEST_P(RowKernel, AddAndLayerNorm) {
  for (int64_t columns : {1, 17, 64, 768}) {
    for (const char *element : {"f32", "bf16"}) {
      const int64_t rows = 7;
      Tensor x(element, {rows, columns}), scale(element, {columns}), sum(element, {rows, columns});
      for (int64_t i = 0; i < x.size(); ++i)
        x.set(i, std::sin(static_cast<double>(i)) * 3 + 1);
      for (int64_t i = 0; i < columns; ++i)
        scale.set(i, 1 + static_cast<double>(i % 5));
      std::vector<Tensor> operands{x, x, scale}, results{sum, sum};
      std::string full = x.type(), row = Tensor(element, {rows}).type();
      auto constant = [&](std::string name, double value) {
        return "    %" + name + "0 = graph.constant dense<" + std::to_string(value) +
               "> : tensor<" + element + ">\n    %" + name + " = graph.broadcast %" + name +
               "0 to [] : tensor<" + element + "> -> " + row + "\n";
      };
      std::string toFull = " to [0] : " + row + " -> " + full + "\n";
      run(clusterText(operands, results,
                      constant("n", static_cast<double>(columns)) + constant("eps", 1e-3) +
                          "    %x = graph.binary add %a0, %a1 : " + full +
                          "\n    %s = graph.reduce sum %x over [1] : " + full +
                          "\n    %mean = graph.binary div %s, %n : " + row +
                          "\n    %mb = graph.broadcast %mean" + toFull +
                          "    %d = graph.binary sub %x, %mb : " + full +
                          "\n    %q = graph.binary mul %d, %d : " + full +
                          "\n    %v = graph.reduce sum %q over [1] : " + full +
                          "\n    %var = graph.binary div %v, %n : " + row +
                          "\n    %ve = graph.binary add %var, %eps : " + row +
                          "\n    %r = graph.unary rsqrt %ve : " + row +
                          "\n    %rb = graph.broadcast %r" + toFull +
                          "    %z = graph.binary mul %d, %rb : " + full +
                          "\n    %w = graph.broadcast %a2 to [1] : " + scale.type() + " -> " +
                          full + "\n    %y = graph.binary mul %z, %w : " + full +
                          "\n    graph.yield %x, %y : " + full + ", " + full),
          operands, results);
      for (int64_t r = 0; r < rows; ++r) {
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < columns; ++i)
          mean += 2 * x.get(r * columns + i) / columns;
        for (int64_t i = 0; i < columns; ++i)
          variance += std::pow(2 * x.get(r * columns + i) - mean, 2) / columns;
        for (int64_t i = 0; i < columns; ++i) {
          double value = 2 * x.get(r * columns + i);
          double expected = (value - mean) / std::sqrt(variance + 1e-3) * scale.get(i);
          EXPECT_TRUE(isClose(x, results[0].get(r * columns + i), value, 0));
          // The mean is exact to a few ulp of values of about 4, the scale at most 5 / deviation.
          EXPECT_TRUE(isClose(x, results[1].get(r * columns + i), expected, 2, 1e-5))
              << element << " " << columns << " at " << r << ", " << i << ": "
              << results[1].get(r * columns + i) << ", not " << expected;
        }
      }
    }
  }
}

} // namespace
