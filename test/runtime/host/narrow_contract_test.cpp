// The call `contract` on 8-bit floats, which GPUs have, against sums over indices.
#include "test/runtime/host/call_runner.h"

#include "runtime/core/activation.h"
#include "runtime/core/element_format.h"

#include <cmath>
#include <gmock/gmock.h>

namespace sheaf::rt::test {
namespace {

using testing::HasSubstr;

constexpr auto e4m3 = ElementType::f8E4M3FN, e5m2 = ElementType::f8E5M2;

bool isOnGpu() { return std::string_view(targetUnderTest()) == "cuda"; }

/// Whole numbers from -3 to 3, which both types have.
Tensor factor(ElementType type, std::vector<int64_t> dims, int seed) {
  Tensor result = room(type, std::move(dims));
  for (size_t i = 0; i < result.memory.size(); ++i) {
    auto number = static_cast<int64_t>((i * 5 + i / 7 + static_cast<size_t>(seed)) % 7) - 3;
    result.memory[i] = static_cast<std::byte>(
        ElementFormat::of(type).encode(ExactNumber::fromInteger(number), false, {}));
  }
  return result;
}

double numberAt(const Tensor &t, size_t i) {
  uint64_t bits = 0;
  auto bytes = static_cast<size_t>(abi::bytesOf(t.type));
  std::memcpy(&bits, t.memory.data() + i * bytes, bytes);
  return ElementFormat::of(t.type).decode(bits).toDouble();
}

/// In the type of a result.
Tensor numbers(ElementType type, std::vector<int64_t> dims, int seed) {
  Tensor wide = ramp<float>(std::move(dims), 11 + seed, -4);
  return call("cast", {wide}, room(type, wide.dims));
}

struct Extents {
  int64_t b, m, n, k;
};

/// What else a product has.
struct Extras {
  bool isRhsTransposed = true; ///< rhs is [b, n, k], as the library wants it; else [b, k, n]
  bool hasScales = true, hasBias = false, hasAddend = false, hasGelu = false;
};

void check(ElementType lhsType, ElementType rhsType, ElementType resultType, Extents x,
           Extras extras) {
  auto [b, m, n, k] = x;
  Tensor lhs = factor(lhsType, {b, m, k}, 1);
  Tensor rhs =
      factor(rhsType, extras.isRhsTransposed ? std::vector{b, n, k} : std::vector{b, k, n}, 4);
  std::vector<Tensor> ins = {lhs, rhs};
  std::vector<Param> params = {
      ints("lhs_batch", {0}), ints("rhs_batch", {0}), ints("lhs_contract", {2}),
      ints("rhs_contract", {extras.isRhsTransposed ? 2 : 1}), floats("alpha", {0.5})};
  // Powers of two: nothing but the last rounding is not exact.
  double scale = 0.5;
  if (extras.hasScales) {
    ins.push_back(tensor<float>({1}, {0.25F}));
    ins.push_back(tensor<float>({}, {8.0F}));
    params.push_back(ints("has_lhs_scale", {1}));
    params.push_back(ints("has_rhs_scale", {1}));
    scale *= 2;
  }
  if (extras.hasBias) {
    ins.push_back(numbers(resultType, {n}, 0));
    params.push_back(ints("has_bias", {1}));
  }
  if (extras.hasAddend) {
    ins.push_back(numbers(resultType, {b, m, n}, 2));
    params.push_back(ints("has_addend", {1}));
  }
  if (extras.hasGelu)
    params.push_back(text("activation", "gelu_tanh"));
  Tensor result = call("contract", ins, room(resultType, {b, m, n}), params);
  // An ulp of the type for its rounding; gelu adds some of f32, which f16 and bf16 do not see.
  double ulp = resultType == ElementType::bf16  ? 0x1p-8
               : resultType == ElementType::f16 ? 0x1p-11
                                                : 0x1p-20;
  size_t at = 0;
  for (int64_t i = 0; i < b; ++i)
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < n; ++column, ++at) {
        double sum = 0;
        for (int64_t inner = 0; inner < k; ++inner)
          sum += numberAt(lhs, static_cast<size_t>((i * m + row) * k + inner)) *
                 numberAt(rhs, static_cast<size_t>(extras.isRhsTransposed
                                                       ? (i * n + column) * k + inner
                                                       : (i * k + inner) * n + column));
        double expected = sum * scale;
        if (extras.hasBias)
          expected += numberAt(ins[extras.hasScales ? 4 : 2], static_cast<size_t>(column));
        if (extras.hasAddend)
          expected += numberAt(ins.back(), at);
        if (extras.hasGelu)
          expected *= 0.5 * (1 + std::tanh(0.7978845608028654 *
                                           (expected + 0.044715 * expected * expected * expected)));
        ASSERT_NEAR(numberAt(result, at), expected,
                    ulp * std::abs(expected) + (extras.hasGelu ? 1e-6 : 0))
            << abi::nameOf(lhsType) << " x " << abi::nameOf(rhsType) << " -> "
            << abi::nameOf(resultType) << " at " << at;
      }
}

TEST(NarrowContract, MultipliesAllTypes) {
  if (!isOnGpu())
    GTEST_SKIP() << "of GPUs";
  for (auto [lhs, rhs] : {std::pair(e4m3, e4m3), std::pair(e4m3, e5m2), std::pair(e5m2, e4m3)})
    for (ElementType result : {ElementType::f32, ElementType::bf16, ElementType::f16})
      for (bool hasScales : {false, true})
        check(lhs, rhs, result, {2, 5, 16, 32}, {.hasScales = hasScales});
}

// What the library does not take is widened: other layouts, extents that are no multiple of 16, sums over nothing.
TEST(NarrowContract, TakesAnyLayoutAndExtents) {
  if (!isOnGpu())
    GTEST_SKIP() << "of GPUs";
  for (bool isTransposed : {false, true})
    for (Extents extents :
         {Extents{2, 5, 16, 32}, {1, 3, 7, 5}, {3, 1, 8, 16}, {1, 4, 16, 0}, {1, 0, 16, 16}})
      check(e4m3, e5m2, ElementType::bf16, extents, {.isRhsTransposed = isTransposed});
}

TEST(NarrowContract, FinishesItsResult) {
  if (!isOnGpu())
    GTEST_SKIP() << "of GPUs";
  for (ElementType result : {ElementType::f32, ElementType::bf16, ElementType::f16})
    for (bool hasScales : {false, true})
      for (int extras = 1; extras < 8; ++extras)
        for (int64_t n : {16, 7})
          check(e4m3, e4m3, result, {1, 3, n, 16},
                {.hasScales = hasScales,
                 .hasBias = (extras & 1) != 0,
                 .hasAddend = (extras & 2) != 0,
                 .hasGelu = (extras & 4) != 0});
}

TEST(NarrowContract, RefusesWhatIsNoScaleAndWhatHasNone) {
  Tensor lhs = factor(e4m3, {4, 16}, 1), rhs = factor(e4m3, {16, 16}, 2);
  Tensor one = tensor<float>({1}, {2.0F});
  std::vector<Param> params = {ints("lhs_contract", {1}), ints("rhs_contract", {1}),
                               ints("has_lhs_scale", {1})};
  auto error = [&](const std::vector<Tensor> &ins, ElementType result = ElementType::f32) {
    return callError("contract", ins, {room(result, {4, 16})}, params);
  };
  if (!isOnGpu()) {
    EXPECT_THAT(error({lhs, rhs, one}),
                HasSubstr("scales of 8-bit floats, which GPUs alone multiply"));
    return;
  }
  EXPECT_THAT(error({lhs, rhs}), HasSubstr("it has 2 ins; has_lhs_scale is 1"));
  EXPECT_THAT(error({lhs, rhs, one, one}), HasSubstr("it has 4 ins"));
  EXPECT_THAT(error({lhs, rhs, tensor<float>({2}, {1, 1})}),
              HasSubstr("scale f32[2] must be one element of f32"));
  EXPECT_THAT(error({lhs, rhs, tensor<float>({0}, {})}),
              HasSubstr("scale f32[0] must be one element of f32"));
  EXPECT_THAT(error({lhs, rhs, tensor<double>({1}, {1})}),
              HasSubstr("scale f64[1] must be one element of f32"));
  EXPECT_THAT(error({factor(e5m2, {4, 16}, 1), factor(e5m2, {16, 16}, 2), one}),
              HasSubstr("f8E5M2"));
  EXPECT_THAT(error({lhs, rhs, one}, ElementType::f64), HasSubstr("f8E4M3FN"));
  EXPECT_THAT(error({ramp<float>({4, 16}), ramp<float>({16, 16}), one}),
              HasSubstr("not of 8-bit floats, which alone have scales"));
}

TEST(NarrowContract, RefusesWhatGradientsNeed) {
  if (!isOnGpu())
    GTEST_SKIP() << "of GPUs";
  Tensor lhs = factor(e4m3, {4, 16}, 1), rhs = factor(e4m3, {16, 16}, 2);
  Tensor one = tensor<float>({1}, {2.0F}), matrix = room(ElementType::bf16, {4, 16});
  auto error = [&](std::vector<Tensor> ins, const std::vector<Tensor> &outs,
                   std::vector<Param> params) {
    ins.insert(ins.begin(), {lhs, rhs, one, one});
    for (const char *name : {"has_lhs_scale", "has_rhs_scale"})
      params.push_back(ints(name, {1}));
    params.push_back(ints("lhs_contract", {1}));
    params.push_back(ints("rhs_contract", {1}));
    return callError("contract", ins, outs, params);
  };
  const auto refused = HasSubstr("take one type of f16, bf16 and f32, not f8E4M3FN");
  EXPECT_THAT(error({}, {matrix, room(ElementType::bf16, {16})}, {text("sums", "rhs")}), refused);
  EXPECT_THAT(error({matrix}, {matrix}, {text("derivative", "gelu_tanh")}), refused);
  EXPECT_THAT(error({}, {matrix, matrix},
                    {text("activation", "gelu_tanh"), ints("keeps_preactivation", {1})}),
              refused);
}

} // namespace
} // namespace sheaf::rt::test
