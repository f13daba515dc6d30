// Which attention goes to a library.
#include "runtime/cuda/attention_problem.h"

#include <functional>
#include <gtest/gtest.h>

namespace sheaf::rt::test {
namespace {

using cuda::AttentionProblem, cuda::attentionProblem;

/// An attention of 2 batches of 4 heads, 8 queries, 8 keys and 64 columns, in f16, and what a case changes of it.
struct Attention {
  AttentionPlan plan{.batch = 2,
                     .heads = 4,
                     .groups = 2,
                     .queries = 8,
                     .keys = 8,
                     .depth = 64,
                     .valueDepth = 64,
                     .query = {2048, 512, 64, 1},
                     .key = {1024, 512, 64, 1},
                     .value = {1024, 512, 64, 1},
                     .result = {2048, 512, 64, 1},
                     .hasMask = false,
                     .isCausal = true,
                     .scale = 0.125,
                     .softcap = 0};
  std::vector<Operand> tensors;
  int chip = 90;

  Attention() {
    for (int64_t heads : {4, 2, 2, 4}) {
      Operand tensor;
      tensor.shape = rowMajorShape(abi::ElementType::f16, {2, heads, 8, 64});
      tensors.push_back(tensor);
    }
  }
  std::optional<AttentionProblem> problem() const { return attentionProblem(plan, chip, tensors); }
  std::optional<AttentionProblem> gradients() const {
    return attentionProblem(AttentionGradientPlan{plan, plan.query, plan.key, plan.value}, chip,
                            tensors);
  }
};

Attention changed(const std::function<void(Attention &)> &change) {
  Attention attention;
  change(attention);
  return attention;
}

TEST(AttentionProblem, IsOfHalvesInWholeHeads) {
  EXPECT_TRUE(Attention().problem());
  EXPECT_TRUE(Attention().gradients());
  const std::function<void(Attention &)> refused[] = {
      [](Attention &a) { a.tensors[0].shape.type = abi::ElementType::f32; },
      [](Attention &a) { a.plan.hasMask = true; },
      [](Attention &a) { a.plan.softcap = 2; },
      [](Attention &a) { a.plan.keys = 0; },
      [](Attention &a) { a.plan.depth = 60; },
      [](Attention &a) { a.plan.depth = a.plan.valueDepth = 264; },
      [](Attention &a) { a.plan.depth = 136; }, // The values' is another.
      [](Attention &a) { a.tensors[1].shape.strides[2] = 68; },
      [](Attention &a) { a.tensors[2].shape.strides[0] = 0; },
      [](Attention &a) { a.tensors[3].offset = 8; },
      [](Attention &a) { a.plan.queries = 9; }}; // The first sees nothing.
  for (size_t i = 0; i < std::size(refused); ++i)
    EXPECT_FALSE(changed(refused[i]).problem()) << i;
}

TEST(AttentionProblem, DependsOnTheChip) {
  auto large = [](int chip) {
    return changed([chip](Attention &a) {
      a.plan.depth = a.plan.valueDepth = 256;
      a.chip = chip;
    });
  };
  EXPECT_TRUE(large(90).gradients());
  EXPECT_FALSE(large(80).problem());
  EXPECT_FALSE(large(100).problem());
  Attention blackwell = changed([](Attention &a) { a.chip = 100; });
  EXPECT_TRUE(blackwell.problem());
  EXPECT_FALSE(blackwell.gradients());
}

TEST(AttentionProblem, HasStridesForDimsOfOneElement) {
  std::optional<AttentionProblem> problem = changed([](Attention &a) {
                                              a.plan.queries = 1;
                                              a.plan.batch = 1;
                                              a.plan.query = {0, 64, 0, 1};
                                            }).problem();
  ASSERT_TRUE(problem);
  EXPECT_FALSE(problem->isCausal); // A single query sees all keys.
  EXPECT_EQ(problem->query, (AttentionProblem::Four{256, 64, 64, 1}));
}

} // namespace
} // namespace sheaf::rt::test
