// Every collective on every communicator: types, kinds, sizes, sub-groups, order of sums.
#include "test/runtime/comm/group_checks.h"

#include <thread>

namespace sheaf::rt::test {
namespace {

constexpr CombineKind kinds[] = {CombineKind::sum, CombineKind::max, CombineKind::min,
                                 CombineKind::mean};
/// Nothing, one, fewer than ranks, a prime, and more than any block that works at once.
constexpr size_t counts[] = {0, 1, 7, 1009, 20011};

TEST(Collectives, AllReduceCombinesEveryTypeKindAndSize) {
  Ranks::instance().runAll([](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    forEachArithmetic([&](abi::ElementType type, auto tag) {
      using T = typename decltype(tag)::Type;
      for (CombineKind kind : kinds)
        if (kind != CombineKind::mean || isFloatElement<T>)
          for (size_t count : counts)
            checkAllReduce<T>(*group, type, kind, count, /*isInPlace=*/false);
    });
  });
}

TEST(Collectives, AllReduceWorksInPlace) {
  Ranks::instance().runAll([](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    for (size_t count : counts) {
      checkAllReduce<float>(*group, abi::ElementType::f32, CombineKind::sum, count, true);
      checkAllReduce<BF16>(*group, abi::ElementType::bf16, CombineKind::mean, count, true);
    }
  });
}

TEST(Collectives, ReduceScatterCombinesEveryTypeKindAndSize) {
  Ranks::instance().runAll([](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    forEachArithmetic([&](abi::ElementType type, auto tag) {
      using T = typename decltype(tag)::Type;
      for (CombineKind kind : kinds)
        if (kind != CombineKind::mean || isFloatElement<T>)
          for (size_t count : {0, 1, 7, 5003})
            checkReduceScatter<T>(*group, type, kind, count);
    });
  });
}

TEST(Collectives, BytesMoveWhereTheyBelong) {
  Ranks::instance().runAll([](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    int size = group->size();
    for (size_t bytes : {0, 1, 13, 4096, 300007}) {
      checkAllGather(*group, bytes);
      checkAllToAll(*group, bytes);
      checkExchange(*group, bytes);
      checkPermute(*group, bytes, rotation(size, 1));
      checkPermute(*group, bytes, rotation(size, size - 1));
      checkPermute(*group, bytes, rotation(size, 0));
      checkPermute(*group, bytes, std::vector<int>(static_cast<size_t>(size), size - 1));
      std::vector<int> shift = rotation(size, size - 1);
      shift[0] = -1; // Nobody sends to the first.
      checkPermute(*group, bytes, shift);
    }
  });
}

TEST(Collectives, LargeBuffersWork) {
  Ranks::instance().runAll([](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    checkAllReduce<float>(*group, abi::ElementType::f32, CombineKind::sum, 300'007, true);
    checkAllReduce<double>(*group, abi::ElementType::f64, CombineKind::sum, 1'100'003, false);
    checkReduceScatter<BF16>(*group, abi::ElementType::bf16, CombineKind::sum, 100'003);
    checkAllGather(*group, 1'000'003);
    checkAllToAll(*group, 500'009);
    checkExchange(*group, 1'000'003);
  });
}

TEST(Collectives, NanWinsFromEverySide) {
  Ranks::instance().runAll([](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    float nan = std::numeric_limits<float>::quiet_NaN();
    for (CombineKind kind : {CombineKind::max, CombineKind::min})
      for (int member = 0; member < group->size(); ++member) {
        float in = group->index() == member ? nan : 1.0f, out = 0;
        ASSERT_TRUE(group->allReduce(site, &in, &out, 1, abi::ElementType::f32, kind).isOk());
        EXPECT_TRUE(std::isnan(out)) << "of member " << member << " of " << group->size();
      }
  });
}

TEST(Collectives, SixteenBitFloatsAccumulateInSingle) {
  Ranks::instance().runAll(
      [](Communicator &communicator) {
        auto group = groupOfAll(communicator);
        // 1 + 1/256 is not in bf16, so a sum that is rounded at each member would stay 1.
        BF16 in = group->index() == 0 ? 1.0f : 1.0f / 256, out = 0.0f;
        ASSERT_TRUE(
            group->allReduce(site, &in, &out, 1, abi::ElementType::bf16, CombineKind::sum).isOk());
        BF16 expected = 1.0f + static_cast<float>(group->size() - 1) / 256;
        EXPECT_EQ(static_cast<float>(out), static_cast<float>(expected));
      },
      /*minRanks=*/3);
}

/// The even ranks, then the odd ones, each in descending order, work apart from each other; then pairs across.
TEST(Collectives, SubGroupsInAnyOrderWorkSideBySide) {
  Ranks::instance().runAll(
      [](Communicator &communicator) {
        int rank = communicator.rank(), size = communicator.size();
        std::vector<int> same, across;
        for (int other = size - 1; other >= 0; --other)
          if (other % 2 == rank % 2)
            same.push_back(other);
        int partner = rank % 2 == 0 ? rank + 1 : rank - 1;
        across = partner < size ? std::vector<int>{std::max(rank, partner), std::min(rank, partner)}
                                : std::vector<int>{rank};
        auto first = communicator.makeGroup(same), second = communicator.makeGroup(across);
        ASSERT_TRUE(first.isOk() && second.isOk());
        ASSERT_EQ(same[static_cast<size_t>((*first)->index())], rank);
        ASSERT_EQ(across[static_cast<size_t>((*second)->index())], rank);
        for (int round = 0; round < 20; ++round)
          for (Group *group : {first->get(), second->get()}) {
            checkAllReduce<float>(*group, abi::ElementType::f32, CombineKind::sum, 101, false);
            checkAllGather(*group, 33);
            checkReduceScatter<int32_t>(*group, abi::ElementType::i32, CombineKind::max, 17);
            checkPermute(*group, 5, rotation(group->size(), 1));
          }
      },
      /*minRanks=*/2);
}

TEST(Collectives, GroupsOfSeveralStreamsDoNotDisturbEachOther) {
  Ranks::instance().runAll([](Communicator &communicator) {
    auto first = groupOfAll(communicator), second = groupOfAll(communicator);
    auto work = [](Group &group, size_t count) {
      for (int round = 0; round < 50; ++round) {
        checkAllReduce<float>(group, abi::ElementType::f32, CombineKind::sum, count, true);
        checkAllToAll(group, count);
      }
    };
    std::thread stream([&] { work(*second, 2003); });
    work(*first, 11);
    stream.join();
  });
}

TEST(Collectives, ManyShortCallsKeepTheirOrder) {
  Ranks::instance().runAll([](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    for (int32_t round = 0; round < 500; ++round) {
      int32_t in = round + group->index(), out = 0, size = group->size();
      ASSERT_TRUE(
          group->allReduce(site, &in, &out, 1, abi::ElementType::i32, CombineKind::sum).isOk());
      ASSERT_EQ(out, round * size + size * (size - 1) / 2);
    }
  });
}

} // namespace
} // namespace sheaf::rt::test
