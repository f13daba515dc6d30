// Collectives of several tensors give each what a call of its own does, on every communicator.
#include "test/runtime/comm/group_checks.h"

#include <chrono>
#include <gmock/gmock.h>
#include <thread>

namespace sheaf::rt::test {
namespace {

using ::testing::HasSubstr;

/// Nothing, one, many small ones that are sent together, large ones among small ones, just as much as is sent at once.
std::vector<std::vector<size_t>> sizesOfTensors() {
  std::vector<size_t> small;
  for (size_t i = 0; i < 100; ++i)
    small.push_back(i * 13 % 97);
  return {
      {0}, {7}, {1, 0, 7}, small, {3, 40'001, 5, 20'011, 1, 64}, {16'384, 16'384, 1, 16'383, 2}};
}

/// Inputs that differ from tensor to tensor, and the memory of results.
template <typename T> struct Tensors {
  std::vector<std::vector<T>> ins;
  std::vector<Guarded<T>> outs;
  std::vector<CollectiveBuffer> buffers;

  /// Tensor `i` has `blocksIn * sizes[i]` elements and a result of `blocksOut * sizes[i]`.
  Tensors(int member, const std::vector<size_t> &sizes, size_t blocksIn, size_t blocksOut,
          bool isInPlace = false) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      ins.push_back(valuesOf<T>(member + 7 * static_cast<int>(i), blocksIn * sizes[i]));
      outs.emplace_back(blocksOut * sizes[i]);
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (isInPlace)
        std::copy(ins[i].begin(), ins[i].end(), outs[i].data());
      buffers.push_back({isInPlace ? outs[i].data() : ins[i].data(), outs[i].data(), sizes[i]});
    }
  }
};

/// Runs `joint` on tensors of all sizes, and compares each result with that of `single` on the same tensor.
template <typename T, typename Joint, typename Single>
void checkAll(const std::string &name, bool cutsIn, bool joinsOut, bool isInPlace,
              const Joint &joint, const Single &single) {
  Ranks::instance().runAll([&](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    auto numRanks = static_cast<size_t>(group->size());
    size_t blocksIn = cutsIn ? numRanks : 1, blocksOut = joinsOut ? numRanks : 1;
    for (const std::vector<size_t> &sizes : sizesOfTensors()) {
      Tensors<T> all(group->index(), sizes, blocksIn, blocksOut, isInPlace);
      Status status = joint(*group, all.buffers);
      ASSERT_TRUE(status.isOk()) << status.text();
      for (size_t i = 0; i < sizes.size(); ++i) {
        std::vector<T> expected(blocksOut * sizes[i]);
        ASSERT_TRUE(single(*group, all.ins[i].data(), expected.data(), sizes[i]).isOk());
        all.outs[i].expect(expected, name + " of tensor " + std::to_string(i) + " of " +
                                         std::to_string(sizes.size()));
      }
    }
  });
}

template <typename T>
void checkReductions(abi::ElementType type, CombineKind kind, bool isInPlace) {
  checkAll<T>(
      "all_reduce", false, false, isInPlace,
      [&](Group &group, std::span<const CollectiveBuffer> buffers) {
        return group.allReduce(site, buffers, type, kind);
      },
      [&](Group &group, const T *in, T *out, size_t count) {
        return group.allReduce(site, in, out, count, type, kind);
      });
  if (isInPlace)
    return;
  checkAll<T>(
      "reduce_scatter", true, false, false,
      [&](Group &group, std::span<const CollectiveBuffer> buffers) {
        return group.reduceScatter(site, buffers, type, kind);
      },
      [&](Group &group, const T *in, T *out, size_t count) {
        return group.reduceScatter(site, in, out, count, type, kind);
      });
}

TEST(JointCollectives, ReductionsOfEachTensorAreThoseOfItsOwnCall) {
  for (bool isInPlace : {false, true}) {
    checkReductions<float>(abi::ElementType::f32, CombineKind::sum, isInPlace);
    checkReductions<BF16>(abi::ElementType::bf16, CombineKind::mean, isInPlace);
    checkReductions<int64_t>(abi::ElementType::i64, CombineKind::max, isInPlace);
  }
}

TEST(JointCollectives, GathersOfEachTensorAreThoseOfItsOwnCall) {
  checkAll<uint8_t>(
      "all_gather", false, true, false,
      [&](Group &group, std::span<const CollectiveBuffer> buffers) {
        return group.allGather(site, buffers);
      },
      [&](Group &group, const uint8_t *in, uint8_t *out, size_t bytes) {
        return group.allGather(site, in, out, bytes);
      });
}

TEST(JointCollectives, ManyLargeTensorsAreCombinedInPieces) {
  Ranks::instance().runAll([](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    if (group->size() > 4)
      return;
    std::vector<size_t> sizes(9, 700'001);
    Tensors<float> all(group->index(), sizes, 1, 1);
    ASSERT_TRUE(
        group->allReduce(site, all.buffers, abi::ElementType::f32, CombineKind::sum).isOk());
    for (size_t i = 0; i < sizes.size(); ++i) {
      std::vector<float> expected(sizes[i]);
      ASSERT_TRUE(group
                      ->allReduce(site, all.ins[i].data(), expected.data(), sizes[i],
                                  abi::ElementType::f32, CombineKind::sum)
                      .isOk());
      all.outs[i].expect(expected, "tensor " + std::to_string(i));
    }
  });
}

/// Runs `call` with other sizes on the last rank and expects every rank to fail with `text`.
void expectMismatch(const std::vector<size_t> &sizes, const std::vector<size_t> &oddSizes,
                    const std::string &text) {
  Ranks::instance().runAll(
      [&](Communicator &communicator) {
        auto group = groupOfAll(communicator);
        bool isOdd = group->index() == group->size() - 1;
        Tensors<uint8_t> all(group->index(), isOdd ? oddSizes : sizes, 1,
                             static_cast<size_t>(group->size()));
        EXPECT_THAT(group->allGather(site, all.buffers).text(), HasSubstr(text));
      },
      /*minRanks=*/2);
}

TEST(JointCollectives, OtherTensorsAreNamed) {
  expectMismatch({1, 2, 3}, {1, 5}, "calls all_gather (6 bytes in 2 tensors) of node \"node_7\"");
  expectMismatch({1, 2, 3}, {3, 2, 1}, "of other sizes");
}

TEST(JointCollectives, ALateRankIsNamed) {
  int numRanks = Ranks::instance().sizes().size() > 1 ? 3 : Ranks::instance().sizes()[0];
  if (numRanks < 2)
    return;
  Ranks::instance().run(numRanks, /*timeoutMs=*/500, [&](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    checkAllGather(*group, 1);
    if (group->index() == numRanks - 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(2000));
    Tensors<float> all(group->index(), {5, 6}, 1, 1);
    Status status = group->allReduce(site, all.buffers, abi::ElementType::f32, CombineKind::sum);
    EXPECT_THAT(status.text(),
                HasSubstr("a_call of node \"node_7\": rank " + std::to_string(numRanks - 1)));
    EXPECT_THAT(status.text(), HasSubstr("did not come within 0.5 s"));
  });
}

} // namespace
} // namespace sheaf::rt::test
