// The call `contract` with what gradients need. GPUs compute it, by their library, or where that has no way by
// kernels; processors refuse it.
#include "test/runtime/host/call_runner.h"

#include <gmock/gmock.h>

namespace sheaf::rt::test {
namespace {

using testing::HasSubstr;

double gelu(double x) {
  return x / 2 * (1 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

/// By differences, which are good to some ten digits.
double derivative(double x) { return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5; }

template <typename T> std::vector<double> numbers(const Tensor &tensor) {
  std::vector<double> values;
  for (T value : tensor.values<T>())
    values.push_back(static_cast<double>(static_cast<float>(value)));
  return values;
}

double sizeOf(const std::vector<double> &values) {
  double size = 0;
  for (double value : values)
    size = std::max(size, std::abs(value));
  return size;
}

/// Of the largest value, or of `size`: a rounding to T, or two where a kernel follows the product, and sums of f32;
/// with `isRough` also a tanh of 11 bits.
template <typename T>
void expectNear(const Tensor &found, const std::vector<double> &expected, const char *what,
                bool isRough = false, double size = 0) {
  double relative = sizeof(T) == 4 ? 2e-6 : std::is_same_v<T, BF16> ? 0.006 : 0.001;
  relative += isRough ? 0.001 : 0;
  std::vector<double> values = numbers<T>(found);
  ASSERT_EQ(values.size(), expected.size());
  size = std::max(size, sizeOf(expected));
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_NEAR(values[i], expected[i], relative * size) << what << " at " << i;
}

/// [m, k] times [k, n], each given with its strides.
struct Factors {
  int64_t m, n, k;
  bool isLhsTurned = false; ///< stored as [k, m]
  bool isRhsTurned = false; ///< stored as [n, k]
};

class ContractGradient : public testing::Test {
protected:
  template <typename T> void multiply(const Factors &f) {
    auto quarters = [](std::vector<int64_t> dims, int modulus, int low) {
      std::vector<float> values = ramp<float>(dims, modulus, low).template values<float>();
      std::vector<T> scaled;
      for (float value : values)
        scaled.push_back(static_cast<T>(value / 4));
      return tensor<T>(dims, scaled);
    };
    lhs = quarters(f.isLhsTurned ? std::vector{f.k, f.m} : std::vector{f.m, f.k}, 7, -3);
    rhs = quarters(f.isRhsTurned ? std::vector{f.n, f.k} : std::vector{f.k, f.n}, 5, -1);
    params = {ints("lhs_contract", {f.isLhsTurned ? 0 : 1}),
              ints("rhs_contract", {f.isRhsTurned ? 1 : 0})};
    std::vector<double> a = numbers<T>(lhs), b = numbers<T>(rhs);
    products.assign(static_cast<size_t>(f.m * f.n), 0);
    lhsSums.assign(static_cast<size_t>(f.m), 0);
    rhsSums.assign(static_cast<size_t>(f.n), 0);
    for (int64_t k = 0; k < f.k; ++k) {
      for (int64_t i = 0; i < f.m; ++i)
        lhsSums[i] += a[f.isLhsTurned ? k * f.m + i : i * f.k + k];
      for (int64_t j = 0; j < f.n; ++j)
        rhsSums[j] += b[f.isRhsTurned ? j * f.k + k : k * f.n + j];
      for (int64_t i = 0; i < f.m; ++i)
        for (int64_t j = 0; j < f.n; ++j)
          products[i * f.n + j] += a[f.isLhsTurned ? k * f.m + i : i * f.k + k] *
                                   b[f.isRhsTurned ? j * f.k + k : k * f.n + j];
    }
  }

  /// With more params and ins; false when processors have refused it.
  bool run(std::vector<Tensor> &outs, const std::vector<Param> &more,
           const std::vector<Tensor> &moreIns = {}) {
    std::vector<Tensor> ins{lhs, rhs};
    ins.insert(ins.end(), moreIns.begin(), moreIns.end());
    std::vector<Param> all = params;
    all.insert(all.end(), more.begin(), more.end());
    Status status = runCall("contract", ins, outs, all);
    EXPECT_EQ(status.isOk(), !isHost) << status.text();
    return status.isOk();
  }

  const bool isHost = std::string_view(targetUnderTest()) == "host";
  Tensor lhs, rhs;
  std::vector<Param> params;
  std::vector<double> products, lhsSums, rhsSums;
};

/// Sizes of which the library takes some, and layouts likewise.
const Factors factors[] = {
    {16, 24, 33}, {5, 7, 3},  {16, 8, 64, true, false}, {9, 40, 2, false, true},
    {1, 8, 5},    {8, 1, 70}, {40, 72, 19, true, true}};

template <typename Body> void forEachType(const Body &body) {
  body(float());
  body(F16());
  body(BF16());
}

TEST_F(ContractGradient, SumsUpRowsOfAnOperand) {
  forEachType([&]<typename T>(T) {
    for (const Factors &f : factors)
      for (bool isLhs : {true, false}) {
        multiply<T>(f);
        ElementType type = elementOf<T>();
        std::vector<Tensor> outs{room(type, {f.m, f.n}), room(type, {isLhs ? f.m : f.n})};
        if (!run(outs, {text("sums", isLhs ? "lhs" : "rhs")}))
          return;
        expectNear<T>(outs[0], products, "product");
        expectNear<T>(outs[1], isLhs ? lhsSums : rhsSums, "sums");
      }
  });
}

TEST_F(ContractGradient, AddsToTheProductAndNotToTheSums) {
  multiply<float>({16, 8, 12, true, false});
  Tensor addend = ramp<float>({16, 8});
  std::vector<Tensor> outs{room(ElementType::f32, {16, 8}), room(ElementType::f32, {8})};
  if (!run(outs, {text("sums", "rhs"), ints("has_addend", {1})}, {addend}))
    return;
  for (size_t i = 0; i < products.size(); ++i)
    products[i] += addend.values<float>()[i];
  expectNear<float>(outs[0], products, "product");
  expectNear<float>(outs[1], rhsSums, "sums");
}

TEST_F(ContractGradient, VectorsNeedNoAlignment) {
  multiply<float>({16, 8, 12, true, false});
  Tensor sums = room(ElementType::f32, {9}), bias = ramp<float>({9});
  sums.offset = bias.offset = 1;
  sums.dims = bias.dims = {8};
  std::vector<Tensor> outs{room(ElementType::f32, {16, 8}), sums};
  if (!run(outs, {text("sums", "rhs")}))
    return;
  std::vector<double> found = numbers<float>(outs[1]);
  EXPECT_EQ(std::vector<double>(found.begin() + 1, found.end()), rhsSums);
  outs.pop_back();
  run(outs, {ints("has_bias", {1})}, {bias});
  for (size_t i = 0; i < products.size(); ++i)
    products[i] += numbers<float>(bias)[1 + i % 8];
  expectNear<float>(outs[0], products, "product");
}

TEST_F(ContractGradient, SumsOverNothingAreZero) {
  multiply<float>({2, 3, 0});
  std::vector<Tensor> outs{room(ElementType::f32, {2, 3}), room(ElementType::f32, {3})};
  if (!run(outs, {text("sums", "rhs")}))
    return;
  EXPECT_EQ(numbers<float>(outs[1]), std::vector<double>(3, 0));
  multiply<float>({0, 3, 5});
  outs = {room(ElementType::f32, {0, 3}), room(ElementType::f32, {3})};
  run(outs, {text("sums", "rhs")});
  expectNear<float>(outs[1], rhsSums, "sums without a product");
}

TEST_F(ContractGradient, KeepsWhatAnActivationIsAppliedTo) {
  forEachType([&]<typename T>(T) {
    for (const Factors &f : factors)
      for (bool hasBias : {true, false})
        for (bool isTf32 : {true, false}) { // In f32 only so by the library.
          multiply<T>(f);
          ElementType type = elementOf<T>();
          Tensor bias = ramp<T>({f.n}, 3, -1);
          std::vector<Tensor> outs{room(type, {f.m, f.n}), room(type, {f.m, f.n})};
          if (!run(outs,
                   {text("activation", "gelu_tanh"), ints("keeps_preactivation", {1}),
                    ints("has_bias", {hasBias}), ints("allow_tf32", {isTf32})},
                   hasBias ? std::vector{bias} : std::vector<Tensor>()))
            return;
          std::vector<double> kept = products, activated;
          for (size_t i = 0; i < kept.size(); ++i) {
            kept[i] += hasBias ? numbers<T>(bias)[i % f.n] : 0;
            activated.push_back(gelu(kept[i]));
          }
          expectNear<T>(outs[1], kept, "kept");
          // 1 + tanh is good to an f32 of 1, however small it is.
          expectNear<T>(outs[0], activated, "activated", isTf32 || sizeof(T) == 2, sizeOf(kept));
        }
  });
}

TEST_F(ContractGradient, MultipliesByTheDerivativeAndSumsThat) {
  forEachType([&]<typename T>(T) {
    for (const Factors &f : factors)
      for (bool hasSums : {true, false})
        for (bool isTf32 : {true, false}) {
          multiply<T>(f);
          ElementType type = elementOf<T>();
          Tensor preactivation = ramp<T>({f.m, f.n}, 9, -4);
          std::vector<Tensor> outs{room(type, {f.m, f.n})};
          if (hasSums)
            outs.push_back(room(type, {f.n}));
          if (!run(outs,
                   {text("derivative", "gelu_tanh"), text("sums", hasSums ? "result" : "none"),
                    ints("allow_tf32", {isTf32})},
                   {preactivation}))
            return;
          std::vector<double> expected = products, sums(static_cast<size_t>(f.n), 0);
          for (size_t i = 0; i < expected.size(); ++i) {
            expected[i] *= derivative(numbers<T>(preactivation)[i]);
            sums[i % f.n] += expected[i];
          }
          bool isRough = isTf32 || sizeof(T) == 2;
          expectNear<T>(outs[0], expected, "gradient", isRough, sizeOf(products));
          if (hasSums) // A sum may be small beside what it is of.
            expectNear<T>(outs[1], sums, "sums", isRough, sizeOf(expected) * std::sqrt(f.m));
        }
  });
}

TEST_F(ContractGradient, RefusesWhatDoesNotGoTogether) {
  if (isHost)
    return; // The tests above refuse all of it.
  auto error = [&](std::vector<Param> more, std::vector<Tensor> moreIns, std::vector<Tensor> outs) {
    std::vector<Tensor> ins{ramp<float>({2, 3}), ramp<float>({3, 8})};
    ins.insert(ins.end(), moreIns.begin(), moreIns.end());
    more.push_back(ints("lhs_contract", {1}));
    more.push_back(ints("rhs_contract", {0}));
    return callError("contract", ins, outs, more);
  };
  Tensor result = room(ElementType::f32, {2, 8}), row = room(ElementType::f32, {8});
  Param keeps = ints("keeps_preactivation", {1}), activation = text("activation", "gelu_tanh"),
        gradient = text("derivative", "gelu_tanh"), addend = ints("has_addend", {1}),
        bias = ints("has_bias", {1}), sums = text("sums", "rhs");
  EXPECT_THAT(error({keeps}, {}, {result, result}), HasSubstr("needs an activation"));
  EXPECT_THAT(error({keeps, activation, addend}, {result}, {result, result}),
              HasSubstr("takes no addend"));
  EXPECT_THAT(error({keeps, activation}, {}, {result}), HasSubstr("it has 1 outs"));
  EXPECT_THAT(error({keeps, activation}, {}, {result, room(ElementType::f32, {8, 2})}),
              HasSubstr("preactivation f32[8, 2] must have the type, dims and strides"));
  EXPECT_THAT(error({keeps, activation, sums}, {}, {result, result}), HasSubstr("it has 2 outs"));
  EXPECT_THAT(error({gradient}, {}, {result}), HasSubstr("it has 2 ins"));
  EXPECT_THAT(error({gradient}, {row}, {result}), HasSubstr("preactivation f32[8] must have"));
  EXPECT_THAT(error({gradient, activation}, {result}, {result}),
              HasSubstr("derivative takes no activation"));
  EXPECT_THAT(error({gradient, bias}, {row, result}, {result}),
              HasSubstr("derivative takes no activation"));
  EXPECT_THAT(error({gradient, sums}, {result}, {result, row}), HasSubstr("sums of the result"));
  EXPECT_THAT(error({text("sums", "result")}, {}, {result, row}), HasSubstr("sums of the result"));
  EXPECT_THAT(error({text("sums", "all")}, {}, {result, row}), HasSubstr("sums"));
  EXPECT_THAT(error({sums, bias}, {row}, {result, row}), HasSubstr("no activation or bias"));
  EXPECT_THAT(error({sums}, {}, {result}), HasSubstr("it has 1 outs"));
  EXPECT_THAT(error({sums}, {}, {result, room(ElementType::f32, {2})}),
              HasSubstr("sums f32[2] must be f32[8]"));
  EXPECT_THAT(error({sums}, {}, {result, room(ElementType::bf16, {8})}),
              HasSubstr("sums bf16[8] must be f32[8]"));
  std::vector<Param> params{ints("lhs_contract", {1}), ints("rhs_contract", {0}), sums};
  EXPECT_THAT(callError("contract", {ramp<double>({2, 3}), ramp<double>({3, 8})},
                        {room(ElementType::f64, {2, 8}), room(ElementType::f64, {8})}, params),
              HasSubstr("one type of f16, bf16 and f32"));
  EXPECT_THAT(
      callError("contract", {ramp<BF16>({2, 3}), ramp<BF16>({3, 8})}, {result, row}, params),
      HasSubstr("one type of f16, bf16 and f32"));
  EXPECT_THAT(callError("contract", {ramp<float>({2, 2, 3}), ramp<float>({2, 3, 8})},
                        {room(ElementType::f32, {2, 2, 8}), row},
                        {ints("lhs_batch", {0}), ints("rhs_batch", {0}), ints("lhs_contract", {2}),
                         ints("rhs_contract", {1}), sums}),
              HasSubstr("no batch dims"));
}

} // namespace
} // namespace sheaf::rt::test
