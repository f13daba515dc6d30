// What happens when ranks do not do the same: every rank is told, with the same words, and none waits for ever.
#include "test/runtime/comm/group_checks.h"

#include <chrono>
#include <gmock/gmock.h>
#include <thread>

namespace sheaf::rt::test {
namespace {

using ::testing::AnyOf, ::testing::ContainsRegex, ::testing::HasSubstr, ::testing::MatchesRegex;

/// The host of a rank, which only processes are told with.
constexpr const char *host = "( \\(host [^)]+\\))?";

/// Calls `call(group, isOdd)` on all ranks, of which the last is the odd one, and expects each to fail with `text`:
/// by its own finding or, where another process was quicker and has told it, by that one's.
void expectMismatch(const std::function<Status(Group &, bool isOdd)> &call,
                    const std::string &text) {
  Ranks::instance().runAll(
      [&](Communicator &communicator) {
        auto group = groupOfAll(communicator);
        Status status = call(*group, group->index() == group->size() - 1);
        EXPECT_THAT(status.code(), AnyOf(StatusCode::failed, StatusCode::aborted));
        EXPECT_THAT(status.text(), HasSubstr("the ranks call different collectives: rank"));
        EXPECT_THAT(status.text(), HasSubstr(text));
        // Nothing works after it.
        float value = 0;
        Status later =
            group->allReduce(site, &value, &value, 1, abi::ElementType::f32, CombineKind::sum);
        EXPECT_EQ(later.text(), status.text());
      },
      /*minRanks=*/2);
}

TEST(Failures, AnotherCollectiveIsNamed) {
  expectMismatch(
      [](Group &group, bool isOdd) {
        std::vector<float> in(8), out(8 * 8);
        return isOdd ? group.allGather({"all_gather", "odd"}, in.data(), out.data(), 32)
                     : group.allReduce({"all_reduce", "even"}, in.data(), out.data(), 8,
                                       abi::ElementType::f32, CombineKind::sum);
      },
      "calls all_gather (32 bytes) of node \"odd\"");
}

TEST(Failures, AnotherCountTypeOrKindIsNamed) {
  auto allReduce = [](Group &group, size_t count, abi::ElementType type, CombineKind kind) {
    std::vector<double> in(8), out(8);
    return group.allReduce(site, in.data(), out.data(), count, type, kind);
  };
  expectMismatch(
      [&](Group &group, bool isOdd) {
        return allReduce(group, isOdd ? 7 : 8, abi::ElementType::f32, CombineKind::sum);
      },
      "calls all_reduce (sum of 7 f32)");
  expectMismatch(
      [&](Group &group, bool isOdd) {
        return allReduce(group, 8, isOdd ? abi::ElementType::i32 : abi::ElementType::f32,
                         CombineKind::sum);
      },
      "calls all_reduce (sum of 8 i32)");
  expectMismatch(
      [&](Group &group, bool isOdd) {
        return allReduce(group, 8, abi::ElementType::f32,
                         isOdd ? CombineKind::mean : CombineKind::sum);
      },
      "calls all_reduce (mean of 8 f32)");
}

TEST(Failures, OtherRoutesAreNamed) {
  expectMismatch(
      [](Group &group, bool isOdd) {
        char in = 0, out = 0;
        return group.permute(site, &in, &out, 1, rotation(group.size(), isOdd ? 0 : 1));
      },
      "with other routes");
  expectMismatch(
      [](Group &group, bool isOdd) {
        char in[2] = {}, out = 0;
        std::vector<Transfer> transfers = {{0, 1, isOdd ? size_t(1) : 0, 0, 1}};
        return group.exchange(site, in, &out, transfers);
      },
      "exchange (1 bytes) of node \"node_7\" with other routes");
}

TEST(Failures, ALateRankIsNamedAndToldWhenItComes) {
  std::vector<int> sizes = Ranks::instance().sizes();
  for (int numRanks : sizes) {
    if (numRanks < 2 || (numRanks > 3 && sizes.size() > 1))
      continue;
    Ranks::instance().run(numRanks, /*timeoutMs=*/500, [&](Communicator &communicator) {
      auto group = groupOfAll(communicator), other = groupOfAll(communicator);
      checkAllGather(*group, 1);
      if (group->index() == numRanks - 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(2000));
      float value = 1;
      Status status = group->allReduce({"all_reduce", "x"}, &value, &value, 1,
                                       abi::ElementType::f32, CombineKind::sum);
      if (group->index() == numRanks - 1)
        EXPECT_EQ(status.code(), StatusCode::aborted);
      else
        EXPECT_THAT(status.code(), AnyOf(StatusCode::timedOut, StatusCode::aborted));
      EXPECT_THAT(
          status.text(),
          ContainsRegex("all_reduce of node \"x\": rank " + std::to_string(numRanks - 1) + host +
                        " did not come within 0.5 s; " +
                        (numRanks == 2 ? std::string("rank 0") + host + " waits" : "ranks 0, 1")));
      Status later = other->allGather(site, &value, &value, 0);
      EXPECT_EQ(later.text(), status.text());
    });
  }
}

// Processes do not survive this: mpi.test runs it alone.
TEST(Failures, ARankThatFailedEndsTheOthersWait) {
  Ranks::instance().runAll(
      [&](Communicator &communicator) {
        auto group = groupOfAll(communicator), other = groupOfAll(communicator);
        checkAllGather(*group, 1); // Now all have made their groups.
        if (communicator.rank() == 1) {
          communicator.abort(Status::failed("the disk is full"));
          communicator.abort(Status::failed("and more"));
        }
        float value = 1;
        for (Group *each : {group.get(), other.get()}) {
          Status status =
              each->allReduce(site, &value, &value, 1, abi::ElementType::f32, CombineKind::sum);
          EXPECT_THAT(status.text(),
                      MatchesRegex(std::string("rank 1") + host + " failed: the disk is full"));
        }
        std::vector<CollectiveBuffer> tensors = {{&value, &value, 1}, {nullptr, nullptr, 0}};
        Status joint = group->allReduce(site, tensors, abi::ElementType::f32, CombineKind::sum);
        EXPECT_THAT(joint.text(), HasSubstr("failed: the disk is full"));
        EXPECT_FALSE(communicator.makeGroup(std::vector<int>{communicator.rank()}).isOk());
      },
      /*minRanks=*/2);
}

TEST(Failures, WhatNoRankCanDoIsRefused) {
  Ranks::instance().runAll([](Communicator &communicator) {
    auto group = groupOfAll(communicator);
    int32_t value = 0;
    auto reduce = [&](abi::ElementType type, CombineKind kind) {
      return std::string(group->allReduce(site, &value, &value, 1, type, kind).text());
    };
    EXPECT_THAT(reduce(abi::ElementType::i32, CombineKind::mean),
                HasSubstr("mean: it does not take elements of type i32"));
    EXPECT_THAT(reduce(abi::ElementType::boolean, CombineKind::sum), HasSubstr("boolean"));
    EXPECT_THAT(reduce(abi::ElementType::f8E5M2, CombineKind::max), HasSubstr("f8E5M2"));
    auto permute = [&](std::vector<int> sources) {
      return std::string(group->permute(site, &value, &value, 0, sources).text());
    };
    EXPECT_THAT(permute({}), HasSubstr("there are 0 sources"));
    EXPECT_THAT(permute(std::vector<int>(static_cast<size_t>(group->size()), group->size())),
                HasSubstr("is not one of"));
    // No rank has waited for another, so all goes on.
    checkAllReduce<float>(*group, abi::ElementType::f32, CombineKind::sum, 3, false);
  });
}

TEST(Failures, GroupsNeedDifferentRanksThatExist) {
  Ranks::instance().runAll([](Communicator &communicator) {
    int rank = communicator.rank(), size = communicator.size();
    auto error = [&](std::vector<int> ranks) {
      Result<std::unique_ptr<Group>> group = communicator.makeGroup(ranks);
      return group.isOk() ? "" : std::string(group.takeStatus().text());
    };
    EXPECT_THAT(error({rank, size}), HasSubstr("a group names rank " + std::to_string(size)));
    EXPECT_THAT(error({rank, -1}), HasSubstr("a group names rank -1"));
    EXPECT_THAT(error({rank, rank}), HasSubstr("twice"));
    EXPECT_THAT(error({}), HasSubstr("lacks rank"));
  });
}

} // namespace
} // namespace sheaf::rt::test
