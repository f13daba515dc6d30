// A GPU gives the bits that the host gives, where a call's meaning leaves no choice.
#include "test/runtime/host/call_runner.h"

#include <cmath>
#include <random>

namespace sheaf::rt::test {
namespace {

/// Skipped where there is neither a GPU nor what stands in for one.
class Agreement : public ::testing::Test {
protected:
  void SetUp() override {
    if (Status status = cuda::checkUsable(); !status.isOk())
      GTEST_SKIP() << status.text();
  }
  void TearDown() override { setenv("SHEAF_TEST_TARGET", target.c_str(), 1); }

  static std::vector<Tensor> runOn(const char *target, const std::string &name,
                                   const std::vector<Tensor> &ins, std::vector<Tensor> outs,
                                   const std::vector<Param> &params) {
    setenv("SHEAF_TEST_TARGET", target, 1);
    Status status = runCall(name, ins, outs, params);
    EXPECT_TRUE(status.isOk()) << target << ": " << status.text();
    return outs;
  }

  static void agree(const std::string &name, const std::vector<Tensor> &ins,
                    const std::vector<Tensor> &outs, const std::vector<Param> &params) {
    std::vector<Tensor> host = runOn("host", name, ins, outs, params),
                        gpu = runOn("cuda", name, ins, outs, params);
    for (size_t i = 0; i < outs.size(); ++i)
      EXPECT_EQ(gpu[i].memory, host[i].memory) << name << ", out " << i;
  }

  const std::string target = targetUnderTest();
};

std::vector<float> randomFloats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = static_cast<float>(static_cast<int32_t>(random())) * 0x1p-20f;
  return values;
}

std::vector<int64_t> randomIndices(size_t count, int64_t extent, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int64_t> values(count);
  for (int64_t &value : values)
    value = static_cast<int64_t>(random() % static_cast<uint64_t>(2 * extent)) - extent;
  return values;
}

/// `t`, of two dims, seen from its last element backwards and with its dims exchanged.
Tensor turned(Tensor t) {
  t.strides = {-1, -t.dims[1]};
  t.offset = product(t.dims) - 1;
  std::swap(t.dims[0], t.dims[1]);
  return t;
}

TEST_F(Agreement, CastsRandomBitsToEveryType) {
  std::mt19937 random(3);
  for (int from = 0; from <= static_cast<int>(ElementType::MAX); ++from) {
    Tensor in = room(static_cast<ElementType>(from), {64});
    for (std::byte &byte : in.memory)
      byte = static_cast<std::byte>(random());
    for (int to = 0; to <= static_cast<int>(ElementType::MAX); ++to)
      agree("cast", {in}, {room(static_cast<ElementType>(to), {64})},
            {ints("saturate", {to % 2}), text("round", "nearest")});
  }
}

TEST_F(Agreement, DrawsTheSameUniformNumbers) {
  for (ElementType type :
       {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::f64}) {
    std::vector<Param> params = {text("kind", "uniform"), ints("seed", {7}), floats("a", {-1.5}),
                                 floats("b", {0.3})};
    agree("random", {}, {room(type, {5, 13})}, params);
    params.insert(params.end(), {ints("global_dims", {9, 31, 2}), ints("global_start", {1, 3, 1})});
    agree("random", {}, {room(type, {4, 7, 1})}, params);
    agree("random", {}, {room(type, {4, 7, 0})}, params);
  }
  for (ElementType type : {ElementType::boolean, ElementType::i8, ElementType::f32})
    agree("random", {tensor<int64_t>({}, {5})}, {room(type, {3, 50})},
          {text("kind", "bernoulli"), floats("a", {0.3}), ints("has_seed", {1})});
}

TEST_F(Agreement, DrawsTheSameNormalNumbersButForRounding) {
  std::vector<Param> params = {text("kind", "normal"), ints("seed", {11}), floats("a", {1}),
                               floats("b", {2})};
  auto draw = [&](const char *target) {
    return runOn(target, "random", {}, {room(ElementType::f64, {4000})}, params)[0]
        .values<double>();
  };
  std::vector<double> host = draw("host"), gpu = draw("cuda");
  for (size_t i = 0; i < host.size(); ++i)
    ASSERT_NEAR(gpu[i], host[i], 1e-14) << i; // Values are below 16: 8 units in the last place.
}

TEST_F(Agreement, SortsShortAndLongLanes) {
  for (int64_t extent : {1, 2, 7, 1000, 1025, 5000}) {
    std::vector<float> values = randomFloats(static_cast<size_t>(3 * extent), 5);
    for (size_t i = 0; i < values.size(); ++i) // Equal values, NaN and both zeros.
      values[i] = i % 11 == 3  ? NAN
                  : i % 7 == 2 ? -0.0f
                  : i % 5 == 1 ? 0.0f
                               : std::round(values[i] / 64);
    Tensor in = tensor<float>({3, extent}, values);
    for (int64_t isDescending : {0, 1}) {
      agree("sort", {in},
            {room(ElementType::f32, {3, extent}), room(ElementType::i32, {3, extent})},
            {ints("dim", {1}), ints("descending", {isDescending})});
      agree("topk", {turned(in)},
            {room(ElementType::f32, {(extent + 1) / 2, 3}),
             room(ElementType::i64, {(extent + 1) / 2, 3})},
            {ints("dim", {0}), ints("largest", {isDescending})});
    }
  }
  Tensor wide = tensor<uint64_t>({5}, {UINT64_MAX, 0, UINT64_MAX, 1, uint64_t(1) << 63});
  agree("sort", {wide}, {room(ElementType::ui64, {5}), room(ElementType::i64, {5})},
        {ints("dim", {0})});
}

TEST_F(Agreement, FindsExtremesInLanes) {
  for (int64_t extent : {1, 31, 33, 300}) {
    std::vector<float> values = randomFloats(static_cast<size_t>(4 * extent), 6);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = i > values.size() / 2 && i % 13 == 5 ? NAN : std::round(values[i] / 256);
    Tensor in = tensor<float>({4, extent}, values);
    for (const char *kind : {"max", "min"})
      for (int64_t isLast : {0, 1}) {
        agree("arg_reduce", {in}, {room(ElementType::i32, {4})},
              {text("kind", kind), ints("dim", {1}), ints("last", {isLast})});
        agree("arg_reduce", {turned(in)}, {room(ElementType::i64, {4})},
              {text("kind", kind), ints("dim", {0}), ints("last", {isLast})});
      }
  }
}

TEST_F(Agreement, SumsLanesInTheSameOrder) {
  Tensor in = tensor<float>({5, 40}, randomFloats(200, 7));
  for (int64_t isExclusive : {0, 1})
    for (int64_t isReverse : {0, 1})
      for (const char *kind : {"sum", "prod"}) {
        std::vector<Param> params = {text("kind", kind), ints("exclusive", {isExclusive}),
                                     ints("reverse", {isReverse}), ints("dim", {1})};
        agree("cumulative", {in}, {turned(room(ElementType::f32, {40, 5}))}, params);
        agree("cumulative", {turned(in)}, {room(ElementType::f32, {40, 5})}, params);
      }
}

TEST_F(Agreement, ScattersFloatsInTheSameOrder) {
  for (const char *kind : {"set", "add", "mul", "max", "min"}) {
    agree("scatter_nd",
          {tensor<float>({6, 5}, randomFloats(30, 1)),
           tensor<int64_t>({3000, 1}, randomIndices(3000, 6, 2)),
           tensor<float>({3000, 5}, randomFloats(15000, 3))},
          {room(ElementType::f32, {6, 5})}, {text("kind", kind)});
    for (int64_t dim : {0, 1})
      agree("scatter_elements",
            {tensor<float>({7, 9}, randomFloats(63, 1)),
             tensor<int64_t>({6, 8}, randomIndices(48, 3, 2)),
             tensor<float>({6, 8}, randomFloats(48, 3))},
            {room(ElementType::f32, {7, 9})}, {text("kind", kind), ints("dim", {dim})});
  }
  for (std::vector<int64_t> dims : {std::vector<int64_t>{0, 1}, {2, 0}})
    agree("scatter_nd",
          {ramp<float>({6, 5}), tensor<int64_t>(dims, {}),
           ramp<float>(dims[1] ? std::vector<int64_t>{0, 5} : std::vector<int64_t>{2, 6, 5})},
          {room(ElementType::f32, {6, 5})}, {text("kind", "add")});
}

TEST_F(Agreement, GathersElementsOfAnyStrides) {
  Tensor data = tensor<float>({6, 9}, randomFloats(54, 1));
  Tensor indices = tensor<int64_t>({4, 5}, randomIndices(20, 6, 2));
  agree("gather_elements", {turned(data), turned(indices)},
        {turned(room(ElementType::f32, {4, 5}))}, {ints("dim", {1})});
  agree("gather_elements", {data, indices}, {room(ElementType::f32, {4, 5})}, {ints("dim", {0})});
}

TEST_F(Agreement, ResizesWithTheSameRounding) {
  Tensor in = tensor<float>({2, 5, 7}, randomFloats(70, 9));
  for (const char *mode : {"linear", "cubic"})
    for (int64_t isAntialiased : {0, 1})
      agree("resize", {in}, {room(ElementType::f32, {2, 8, 4})},
            {text("mode", mode), floats("scales", {1, 1.6, 0.6}),
             ints("antialias", {isAntialiased})});
}

TEST_F(Agreement, PoolsThreeDims) {
  Tensor in = tensor<float>({2, 3, 4, 5, 6}, randomFloats(720, 4));
  std::vector<Param> params = {ints("window", {2, 3, 2}), ints("strides", {2, 1, 2}),
                               ints("dilations", {1, 2, 1}), ints("padding_low", {1, 0, 1}),
                               ints("padding_high", {0, 1, 1})};
  std::vector<int64_t> dims = {2, 3, 2, 2, 4};
  agree("pool_argmax", {in}, {room(ElementType::f32, dims), room(ElementType::i64, dims)}, params);
  params.push_back(text("kind", "avg_include"));
  agree("pool", {in}, {room(ElementType::f32, dims)}, params);
}

/// Values are below 2; sums have up to 256 terms. Both round results of 16 bits, and tensor cores the weights before,
/// each by half a unit in the last place.
template <typename T> constexpr double attentionTolerance() {
  if constexpr (std::is_same_v<T, float>)
    return 1e-5;
  else
    return 1e-5 + 3 * 2 * (std::is_same_v<T, F16> ? 0x1p-11 : 0x1p-8);
}

TEST_F(Agreement, AttendsToManyTilesOfKeys) {
  struct Case {
    int64_t h, g, s, t, d, e;
    bool isCausal;
  };
  auto compare = [&]<typename T>(const Case &c, T) {
    auto values = [](std::vector<int64_t> dims, uint32_t seed) {
      std::vector<T> list;
      for (float value : randomFloats(static_cast<size_t>(product(dims)), seed))
        list.push_back(static_cast<T>(value * 0x1p-10f));
      return tensor<T>(dims, list);
    };
    std::vector<Tensor> ins = {values({1, c.h, c.s, c.d}, 1), values({1, c.g, c.t, c.d}, 2),
                               values({1, c.g, c.t, c.e}, 3)};
    auto attend = [&](const char *target) {
      return runOn(target, "attention", ins, {room(elementOf<T>(), {1, c.h, c.s, c.e})},
                   {floats("scale", {0.125}), ints("causal", {c.isCausal})})[0]
          .template values<T>();
    };
    std::vector<T> host = attend("host"), gpu = attend("cuda");
    for (size_t i = 0; i < host.size(); ++i)
      ASSERT_NEAR(static_cast<double>(gpu[i]), static_cast<double>(host[i]),
                  attentionTolerance<T>())
          << i;
  };
  for (const Case &c : {Case{2, 1, 70, 200, 64, 64, true}, Case{1, 1, 3, 130, 40, 100, false},
                        Case{1, 1, 2, 66, 256, 256, true}}) {
    compare(c, float());
    compare(c, F16());
    compare(c, BF16());
  }
  // Products of more columns than results have.
  compare(Case{1, 1, 5, 70, 136, 24, true}, BF16());
}

} // namespace
} // namespace sheaf::rt::test
