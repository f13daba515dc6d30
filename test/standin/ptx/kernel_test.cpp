// Whole kernels as clang compiles them, against the same computed here.
#include "test/standin/ptx/half.h"
#include "test/standin/ptx/machine.h"

#include <cmath>
#include <gmock/gmock.h>
#include <random>

namespace sheaf::standin::ptx {
namespace {

/// The parameter: for which chip and how optimized.
class Kernels : public testing::TestWithParam<const char *> {
protected:
  Machine machine{readText(std::string(SHEAF_STANDIN_KERNELS) + GetParam() + ".ptx")};
  std::mt19937 random{7};

  std::vector<float> randomFloats(size_t count) {
    std::uniform_real_distribution<float> uniform(-2, 2);
    std::vector<float> values(count);
    for (float &value : values)
      value = uniform(random);
    return values;
  }
};

INSTANTIATE_TEST_SUITE_P(compiled, Kernels, testing::Values("sm_80-O3", "sm_90-O3", "sm_80-O0"),
                         [](const auto &info) {
                           std::string name(info.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(Kernels, polynomialOfFourFloatsAtOnce) {
  auto x = randomFloats(4 * 100);
  const uint64_t in = machine.upload(x), out = machine.allocate(x.size() * 4);
  ASSERT_EQ(machine.run("polynomial", {4, 1, 1}, {32, 1, 1}, in, out, uint64_t(100)), "");
  auto y = machine.download<float>(out);
  for (size_t i = 0; i < x.size(); ++i) {
    const float v = x[i];
    // The compiler may fuse, so all bits but the last ones.
    EXPECT_NEAR(y[i], v * (0.5 + v * (0.25 + v * (0.125 - v * 0.0625))), 1e-6);
  }
}

TEST_P(Kernels, softmaxOfRows) {
  const int rows = 3, columns = 77;
  auto x = randomFloats(rows * columns);
  const uint64_t in = machine.upload(x), out = machine.allocate(x.size() * 4);
  ASSERT_EQ(machine.run("softmax", {rows, 1, 1}, {64, 1, 1}, in, out, columns), "");
  auto y = machine.download<float>(out);
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += std::exp(x[row * columns + i]);
    for (int i = 0; i < columns; ++i)
      EXPECT_NEAR(y[row * columns + i], std::exp(x[row * columns + i]) / sum, 1e-6);
  }
}

struct Pair {
  long a;
  int b[3];
};
Pair makePair(int i) { return {i * 1000000007l, {i / 3, i % 7, -i}}; }
long choose(Pair pair, int which) {
  static const int weights[6] = {3, -1, 4, -1, 5, -9};
  switch (which) {
  case 0:
    return pair.a;
  case 1:
    return pair.b[0] * 2;
  case 2:
    return pair.b[1] ^ 5;
  case 3:
    return weights[pair.b[1] % 6];
  case 4:
    return pair.a / (pair.b[0] + 1);
  case 5:
    return static_cast<long>(pair.a * 0.5);
  default:
    return -1;
  }
}

TEST_P(Kernels, mixtureOfCallsTablesAndLocalArrays) {
  const int count = 100;
  const uint64_t out = machine.allocate(count * 8);
  ASSERT_EQ(machine.run("mixture", {1, 1, 1}, {128, 1, 1}, out, count), "");
  auto found = machine.download<int64_t>(out);
  for (int i = 0; i < count; ++i) {
    auto history = [&](int k) { return choose(makePair(i + k), (i + k) % 7); };
    EXPECT_EQ(found[i], history(i % 8) + history(i * 3 % 8)) << i;
  }
}

TEST_P(Kernels, philoxByItsPublishedVectors) {
  const uint64_t out = machine.allocate(16);
  ASSERT_EQ(machine.run("philox", {1, 1, 1}, {1, 1, 1}, out, 0u, 0u), "");
  // The known answer for an all zero counter and key (Random123).
  EXPECT_THAT(machine.download<uint32_t>(out),
              testing::ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
}

TEST_P(Kernels, shortFloats) {
  const int count = 1000;
  std::vector<BFloat> x(count), y(count);
  std::normal_distribution<float> normal;
  for (int i = 0; i < count; ++i)
    x[i] = narrow<BFloat>(normal(random)), y[i] = narrow<BFloat>(normal(random));
  const uint64_t z = machine.allocate(2 * count), h = machine.allocate(2 * count);
  ASSERT_EQ(machine.run("brainFloats", {8, 1, 1}, {128, 1, 1}, machine.upload(x), machine.upload(y),
                        z, h, count),
            "");
  auto sums = machine.download<BFloat>(z);
  auto halves = machine.download<Half>(h);
  for (int i = 0; i < count; ++i) {
    const double exact = widen(x[i]) * widen(y[i]) + 1; // of 8 x 8 bits: no rounding in between
    EXPECT_EQ(sums[i].bits, narrow<BFloat>(static_cast<float>(exact)).bits) << i;
    const double product = widen(x[i]) * widen(y[i]);
    EXPECT_NEAR(widen(halves[i]), product + 0.5, 2e-3 * (std::fabs(product) + 1)) << i;
  }
}

TEST_P(Kernels, histogramByAtomics) {
  std::vector<uint8_t> values(5000);
  std::vector<uint32_t> expected(256);
  for (uint8_t &value : values)
    ++expected[value = static_cast<uint8_t>(random())];
  const uint64_t bins = machine.allocate(1024);
  machine.settings.dynamicSharedBytes = 1024;
  machine.settings.seed = 99;
  ASSERT_EQ(machine.run("histogram", {7, 1, 1}, {96, 1, 1}, machine.upload(values), bins,
                        static_cast<int>(values.size())),
            "");
  EXPECT_EQ(machine.download<uint32_t>(bins), expected);
}

} // namespace
} // namespace sheaf::standin::ptx
