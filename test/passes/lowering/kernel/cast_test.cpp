// Runs graph.cast between all types that kernels compute with, and graph.iota in them.
#include "test/passes/lowering/kernel/accuracy.h"
#include "test/passes/lowering/kernel/kernel_test.h"

using namespace sheaf::lowering;

namespace {

SHEAF_KERNEL_TEST(CastKernel);

const char *const types[] = {"i1",  "i8",   "ui8", "i16",  "ui16", "i32", "ui32",
                             "i64", "ui64", "f16", "bf16", "f32",  "f64"};

double valueOf(const Tensor &tensor, int64_t i) {
  if (tensor.isFloat())
    return tensor.get(i);
  int64_t value = tensor.getInt(i);
  return tensor.isUnsigned() ? static_cast<double>(static_cast<uint64_t>(value))
                             : static_cast<double>(value);
}

/// `value` without its fraction, or the nearest value of the type.
int64_t saturated(const Tensor &tensor, double value) {
  double low = tensor.isUnsigned() ? 0 : -std::ldexp(1.0, tensor.bits() - 1);
  double end = std::ldexp(1.0, tensor.isUnsigned() ? tensor.bits() : tensor.bits() - 1);
  if (value >= end)
    return tensor.isUnsigned() ? -1 : INT64_MAX >> (64 - tensor.bits());
  return static_cast<int64_t>(std::max(std::trunc(value), low));
}

TEST_P(CastKernel, EveryPairOfTypes) {
  const double values[] = {0,   1,     -1,  2.5,   -2.5,  3.75, 100,  -100,    127,
                           128, 255.9, 256, 1e-20, 65504, 7e4,  -7e4, 1048577, 0.1};
  const int64_t count = std::size(values);
  for (const char *from : types) {
    for (const char *to : types) {
      Tensor x(from, {count}), y(to, {count});
      for (int64_t i = 0; i < count; ++i)
        if (x.isFloat())
          x.set(i, values[i]);
        else if (from == std::string("i1"))
          x.setInt(i, values[i] != 0);
        else
          x.setInt(i, static_cast<int64_t>(values[i]));
      std::vector<Tensor> operands{x}, results{y};
      run(clusterText(operands, results,
                      "    %y = graph.cast %a0 : " + x.type() + " -> " + y.type() +
                          "\n    graph.yield %y : " + y.type()),
          operands, results);
      for (int64_t i = 0; i < count; ++i) {
        double value = valueOf(x, i);
        Tensor expected(to, {1});
        if (to == std::string("i1"))
          expected.setInt(0, value != 0);
        else if (y.isFloat())
          expected.set(0, value);
        else if (!x.isFloat())
          expected.setInt(0, x.getInt(i)); // Wraps.
        else
          expected.setInt(0, saturated(y, value));
        EXPECT_EQ(valueOf(results[0], i), valueOf(expected, 0))
            << from << " " << value << " to " << to;
      }
    }
  }
}

TEST_P(CastKernel, NarrowFloatsRoundInside) {
  // 1 + 2^-10 does not survive bf16, though the cluster computes in f32.
  Tensor x("f32", {3});
  x.set(0, 1 + 0x1p-10);
  x.set(1, 1 + 0x1p-7);
  x.set(2, NAN);
  std::vector<Tensor> operands{x}, results{x};
  run(clusterText(operands, results,
                  "    %h = graph.cast %a0 : tensor<3xf32> -> tensor<3xbf16>\n"
                  "    %y = graph.cast %h : tensor<3xbf16> -> tensor<3xf32>\n"
                  "    graph.yield %y : tensor<3xf32>"),
      operands, results);
  EXPECT_EQ(results[0].get(0), 1);
  EXPECT_EQ(results[0].get(1), 1 + 0x1p-7);
  EXPECT_TRUE(std::isnan(results[0].get(2)));
}

TEST_P(CastKernel, IotaCountsItsDim) {
  for (const char *element : {"i8", "i32", "i64", "f32", "f64", "f16"}) {
    for (int64_t dim : {0, 1, 2}) {
      Tensor y(element, {3, 5, 7});
      std::vector<Tensor> results{y};
      run(clusterText({}, results,
                      "    %y = graph.iota dim " + std::to_string(dim) + " : " + y.type() +
                          "\n    graph.yield %y : " + y.type()),
          {}, results);
      for (int64_t i = 0; i < y.size(); ++i) {
        int64_t expected = dim == 0 ? i / 35 : dim == 1 ? i / 7 % 5 : i % 7;
        EXPECT_EQ(valueOf(results[0], i), expected) << element << " dim " << dim << " at " << i;
      }
    }
  }
}

} // namespace
