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
