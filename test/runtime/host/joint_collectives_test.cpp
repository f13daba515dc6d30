// Collectives of several tensors, on meshes of threads: each result is that of a call of its own, and all count as one.
#include "test/runtime/host/rank_runner.h"

#include <gmock/gmock.h>

namespace sheaf::rt::test {
namespace {

using ::testing::HasSubstr;

/// A tensor and the dim that is cut.
struct Cut {
  Dims dims;
  size_t dim;
};

/// Dims before and after the cut one, uneven, fewer elements than ranks, none; lists that are the tensor or are not.
const std::vector<Cut> cuts = {{{12, 3}, 0},   {{2, 7}, 1}, {{1}, 0},
                               {{2, 0, 3}, 1}, {{8}, 0},    {{3, 12}, 1}};

/// What came of a call of several tensors on one rank.
struct JointResult {
  std::string error;
  std::vector<Tensor> outs;
  Ledger ledger;
};

/// Calls `name` with ins[tensor][rank] on every rank.
std::vector<JointResult> runJoint(const AxesCase &where, const std::string &name,
                                  const std::vector<std::vector<Tensor>> &ins,
                                  const std::vector<Tensor> &outs,
                                  const std::vector<Param> &params) {
  comm::ThreadWorld world(where.numRanks());
  std::vector<JointResult> results(static_cast<size_t>(where.numRanks()));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < where.numRanks(); ++rank)
    threads.emplace_back([&, rank] {
      JointResult &result = results[static_cast<size_t>(rank)];
      std::vector<Tensor> own;
      for (const std::vector<Tensor> &tensor : ins)
        own.push_back(tensor[static_cast<size_t>(rank)]);
      result.outs = outs;
      RankSetup setup{where.mesh, where.devices, &world.communicator(rank), &result.ledger, false};
      Status status = runCall(name, own, result.outs, params, /*threads=*/1, setup);
      if (!status.isOk())
        world.communicator(rank).abort(status);
      result.error = status.text();
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

/// Another value for each rank, tensor and element; not all sums of them are exact.
std::vector<Tensor> valuesOf(const AxesCase &where, const Dims &dims, size_t tensorIndex) {
  std::vector<Tensor> ins;
  for (int rank = 0; rank < where.numRanks(); ++rank) {
    std::vector<float> values(static_cast<size_t>(product(dims)));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i * 7 + static_cast<size_t>(rank) * 31 + tensorIndex * 5) / 3;
    ins.push_back(tensor(dims, values));
  }
  return ins;
}

/// Compares a call of all cuts with calls of each: `cutsIn`, `cutsOut` tell which side is in blocks.
void check(const AxesCase &where, const std::string &name, bool cutsIn, bool cutsOut,
           const std::vector<Param> &common) {
  std::vector<std::vector<Tensor>> ins;
  std::vector<Tensor> outs;
  std::vector<std::vector<RankResult>> single;
  std::vector<int64_t> dims;
  for (const Cut &cut : cuts) {
    Dims block = with(cut.dims, cut.dim, blockOf(cut.dims[cut.dim], where.parts));
    ins.push_back(valuesOf(where, cutsIn ? block : cut.dims, ins.size()));
    outs.push_back(room(ElementType::f32, cutsOut ? block : cut.dims));
    dims.push_back(static_cast<int64_t>(cut.dim));
    std::vector<Param> own = common;
    if (cutsIn || cutsOut)
      own.push_back(ints("dims", {dims.back()}));
    single.push_back(runOnRanks(where, name, ins.back(), outs.back(), own));
  }
  std::vector<Param> all = common;
  if (cutsIn || cutsOut)
    all.push_back(ints("dims", dims));
  std::vector<JointResult> results = runJoint(where, name, ins, outs, all);
  for (size_t rank = 0; rank < results.size(); ++rank) {
    ASSERT_EQ(results[rank].error, "") << where.str();
    Ledger::Line sum;
    for (size_t i = 0; i < cuts.size(); ++i) {
      EXPECT_EQ(results[rank].outs[i].memory, single[i][rank].out.memory)
          << name << " on " << where.str() << "rank " << rank << " tensor " << i;
      for (const Ledger::Line &line : single[i][rank].ledger.lines())
        sum = {line.collective,
               line.axes,
               1,
               {sum.traffic.payloadBytes + line.traffic.payloadBytes, 0}};
    }
    auto lines = results[rank].ledger.lines();
    ASSERT_EQ(lines.size(), sum.calls == 0 ? 0u : 1u);
    for (const Ledger::Line &line : lines) {
      EXPECT_EQ(line.calls, 1);
      EXPECT_EQ(line.traffic.payloadBytes, sum.traffic.payloadBytes);
    }
  }
}

TEST(JointCollectives, EachTensorIsTreatedAsAlone) {
  for (const AxesCase &where : std::vector<AxesCase>{{{{"x", 2}}, {{0, 1, 2}}},
                                                     {{{"x", 3}}, {{0, 1, 3}}},
                                                     {{{"x", 2}, {"y", 3}}, {{1, 1, 3}, {0, 1, 2}}},
                                                     {{{"x", 1}, {"y", 2}}, {{0, 1, 1}}}}) {
    check(where, "all_gather", true, false, {where.axes()});
    check(where, "reduce_scatter", false, true, {where.axes(), text("kind", "sum")});
    check(where, "all_reduce", false, false, {where.axes(), text("kind", "mean")});
  }
}

TEST(JointCollectives, WhatDoesNotBelongTogetherIsRefused) {
  AxesCase where{{{"x", 2}}, {{0, 1, 2}}};
  auto error = [&](const std::string &name, const std::vector<Tensor> &ins,
                   const std::vector<Tensor> &outs, const std::vector<Param> &params) {
    std::vector<std::vector<Tensor>> ofRanks;
    for (const Tensor &in : ins)
      ofRanks.push_back({in, in});
    return runJoint(where, name, ofRanks, outs, params)[0].error;
  };
  Tensor four = room(ElementType::f32, {4}), two = room(ElementType::f32, {2});
  Param sum = text("kind", "sum");
  EXPECT_THAT(error("all_reduce", {four, two}, {four}, {where.axes(), sum}),
              HasSubstr("it has 2 ins and 1 outs but takes as many of each"));
  EXPECT_THAT(error("all_reduce", {four, room(ElementType::f64, {2})},
                    {four, room(ElementType::f64, {2})}, {where.axes(), sum}),
              HasSubstr("must have equal types"));
  EXPECT_THAT(error("all_gather", {two, two}, {four, room(ElementType::f32, {5})},
                    {where.axes(), ints("dims", {0, 0})}),
              HasSubstr("tensor 1: an extent of 5 is not gathered"));
  EXPECT_THAT(
      error("reduce_scatter", {four, four}, {two, two}, {where.axes(), ints("dims", {0}), sum}),
      HasSubstr("has 1 dims for 2 tensors"));
}

} // namespace
} // namespace sheaf::rt::test
