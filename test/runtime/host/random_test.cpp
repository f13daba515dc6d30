// The call `random`: known answers of the generator, independence from layout, moments.
#include "runtime/core/philox.h"
#include "test/runtime/host/call_runner.h"

namespace sheaf::rt::test {
namespace {

TEST(Random, PhiloxGivesThePublishedWords) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox(Words{0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(Words{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(Words{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, APartOfTheValueIsThePartOfItsNumbers) {
  for (const char *kind : {"uniform", "normal"}) {
    std::vector<Param> params = {text("kind", kind), ints("seed", {42})};
    std::vector<float> whole =
        call("random", {}, room(ElementType::f32, {6, 7}), params).values<float>();
    params.insert(params.end(), {ints("global_dims", {6, 7}), ints("global_start", {2, 3})});
    std::vector<float> part =
        call("random", {}, room(ElementType::f32, {3, 4}), params, /*threads=*/1).values<float>();
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 4; ++j)
        EXPECT_EQ(part[i * 4 + j], whole[(i + 2) * 7 + j + 3]);
  }
}

// What a rank holds is told when the program runs: the first element, and the counter of the step.
TEST(Random, FirstAndSeedAreAddedWhenItRuns) {
  auto draw = [](std::vector<int64_t> dims, std::vector<int64_t> ins, std::vector<Param> params) {
    std::vector<Tensor> buffers;
    for (int64_t value : ins)
      buffers.push_back(tensor<int64_t>({}, {value}));
    params.insert(params.end(),
                  {text("kind", "bernoulli"), floats("a", {0.5}), ints("global_dims", {8, 16})});
    return call("random", buffers, room(ElementType::boolean, dims), params).values<uint8_t>();
  };
  std::vector<uint8_t> whole = draw({8, 16}, {}, {ints("seed", {45})});
  std::vector<uint8_t> part = draw(
      {3, 5}, {3, 2 * 16 + 7}, {ints("seed", {42}), ints("has_seed", {1}), ints("has_first", {1})});
  std::vector<uint8_t> otherStep = draw({8, 16}, {4}, {ints("seed", {42}), ints("has_seed", {1})});
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 5; ++j)
      EXPECT_EQ(part[i * 5 + j], whole[(i + 2) * 16 + j + 7]);
  EXPECT_NE(otherStep, whole);
}

TEST(Random, MasksAreBernoulliOfAnyOtherType) {
  for (double p : {0.0, 0.1, 0.5, 1 - 0x1p-24, 1.0}) {
    std::vector<Param> params = {text("kind", "bernoulli"), ints("seed", {42}), floats("a", {p})};
    std::vector<uint8_t> mask =
        call("random", {}, room(ElementType::boolean, {1000}), params).values<uint8_t>();
    std::vector<float> numbers =
        call("random", {}, room(ElementType::f32, {1000}), params).values<float>();
    for (size_t i = 0; i < mask.size(); ++i)
      EXPECT_EQ(mask[i], numbers[i]) << p;
  }
}

TEST(Random, HasTheMomentsItShould) {
  auto moments = [](const char *kind, std::vector<Param> params) {
    params.push_back(text("kind", kind));
    std::vector<double> values =
        call("random", {}, room(ElementType::f64, {100000}), params).values<double>();
    double sum = 0, squares = 0;
    for (double value : values) {
      sum += value;
      squares += value * value;
    }
    double mean = sum / 100000;
    return std::pair(mean, squares / 100000 - mean * mean);
  };
  auto [uniformMean, uniformVariance] = moments("uniform", {floats("a", {-1}), floats("b", {3})});
  EXPECT_NEAR(uniformMean, 1, 0.02);
  EXPECT_NEAR(uniformVariance, 16.0 / 12, 0.02);
  auto [normalMean, normalVariance] = moments("normal", {floats("a", {5}), floats("b", {2})});
  EXPECT_NEAR(normalMean, 5, 0.03);
  EXPECT_NEAR(normalVariance, 4, 0.1);
  auto [bernoulliMean, bernoulliVariance] = moments("bernoulli", {floats("a", {0.25})});
  EXPECT_NEAR(bernoulliMean, 0.25, 0.01);
}

} // namespace
} // namespace sheaf::rt::test
