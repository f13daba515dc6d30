// The calls between ranks, on meshes of threads, against loops that compute every index.
#include "test/runtime/host/rank_runner.h"

#include <gmock/gmock.h>

namespace sheaf::rt::test {
namespace {

using ::testing::HasSubstr;

/// Whole axes, several in both orders, parts of an axis, an order of devices, and a group of one.
const std::vector<AxesCase> &cases() {
  static const std::vector<AxesCase> list = {
      {{{"x", 2}}, {{0, 1, 2}}},
      {{{"x", 3}}, {{0, 1, 3}}},
      {{{"x", 2}, {"y", 2}}, {{1, 1, 2}}},
      {{{"x", 2}, {"y", 3}}, {{0, 1, 2}, {1, 1, 3}}},
      {{{"x", 2}, {"y", 3}}, {{1, 1, 3}, {0, 1, 2}}},
      {{{"x", 4}}, {{0, 2, 2}}},
      {{{"x", 4}}, {{0, 1, 4}}, {2, 0, 3, 1}},
      {{{"x", 1}, {"y", 2}}, {{0, 1, 1}}},
      {{{"x", 2}}, {}},
  };
  return list;
}

/// Dims before and after the cut one, uneven extents, fewer elements than ranks, none at all.
const std::vector<std::pair<Dims, size_t>> cuts = {
    {{12}, 0},    {{7}, 0},    {{1}, 0},       {{0}, 0},       {{12, 3}, 0},   {{7, 2}, 0},
    {{3, 12}, 1}, {{2, 7}, 1}, {{2, 5, 3}, 1}, {{1, 8, 2}, 1}, {{2, 0, 3}, 1}, {{0, 4}, 1}};

/// Distinct small integers; no two ranks hold the same.
template <typename T> std::vector<Tensor> rankValues(const AxesCase &where, const Dims &dims) {
  std::vector<Tensor> ins;
  for (int rank = 0; rank < where.numRanks(); ++rank) {
    std::vector<T> values(static_cast<size_t>(product(dims)));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(static_cast<float>(i % 23 + static_cast<size_t>(rank) * 31 % 100));
    ins.push_back(tensor(dims, values));
  }
  return ins;
}

/// Runs a call on every case and compares each rank's result with `expected(group members' ins, index in group)`.
template <typename T>
void check(
    const AxesCase &where, const std::string &name, const std::vector<Tensor> &ins,
    const Dims &outDims, const std::vector<Param> &params,
    const std::function<std::vector<T>(const std::vector<std::vector<T>> &, int64_t)> &expected,
    bool isInPlace = false) {
  auto results = runOnRanks(where, name, ins, room(ins[0].type, outDims), params, isInPlace);
  for (int rank = 0; rank < where.numRanks(); ++rank) {
    const RankResult &result = results[static_cast<size_t>(rank)];
    ASSERT_EQ(result.error, "") << where.str();
    std::vector<int> group = where.group(rank);
    std::vector<std::vector<T>> values;
    for (int member : group)
      values.push_back(ins[static_cast<size_t>(member)].values<T>());
    auto index = std::find(group.begin(), group.end(), rank) - group.begin();
    EXPECT_EQ(result.out.memory, tensor(outDims, expected(values, index)).memory)
        << name << " on " << where.str() << "rank " << rank << " dims "
        << ::testing::PrintToString(ins[0].dims) << " to " << ::testing::PrintToString(outDims);
  }
}

/// Rounded once.
template <typename T> T sumOf(const std::vector<std::vector<T>> &ins, size_t i) {
  float sum = 0;
  for (const std::vector<T> &in : ins)
    sum += static_cast<float>(in[i]);
  return static_cast<T>(sum);
}

TEST(AllReduce, CombinesTheMembersOfEachGroup) {
  for (const AxesCase &where : cases())
    for (const Dims &dims : {Dims{}, Dims{5, 3}, Dims{0}})
      for (bool isInPlace : {false, true})
        check<float>(
            where, "all_reduce", rankValues<float>(where, dims), dims,
            {where.axes(), text("kind", "sum")},
            [&](const auto &ins, int64_t) {
              std::vector<float> out(ins[0].size());
              for (size_t i = 0; i < out.size(); ++i)
                out[i] = sumOf(ins, i);
              return out;
            },
            isInPlace);
}

TEST(AllGather, PutsBlocksInOrder) {
  for (const AxesCase &where : cases())
    for (const auto &[dims, dim] : cuts) {
      Dims inDims = with(dims, dim, blockOf(dims[dim], where.parts));
      check<int16_t>(where, "all_gather", rankValues<int16_t>(where, inDims), dims,
                     {where.axes(), ints("dim", {static_cast<int64_t>(dim)})},
                     [&](const auto &ins, int64_t) {
                       std::vector<int16_t> out(static_cast<size_t>(product(dims)));
                       forEachIndex(dims, [&](Dims &index, size_t flat) {
                         Owner owner = ownerOf(index[dim], dims[dim], where.parts);
                         out[flat] = ins[static_cast<size_t>(owner.member)]
                                        [flatIndex(inDims, with(index, dim, owner.place))];
                       });
                       return out;
                     });
    }
}

TEST(AllGather, CutsOffRoomThatIsNotNeeded) {
  AxesCase where{{{"x", 3}}, {{0, 1, 3}}};
  check<float>(where, "all_gather", rankValues<float>(where, {4}), {6},
               {where.axes(), ints("dim", {0})}, [&](const auto &ins, int64_t) {
                 return std::vector<float>{ins[0][0], ins[0][1], ins[0][2],
                                           ins[0][3], ins[1][0], ins[1][1]};
               });
}

template <typename T> void checkReduceScatter() {
  for (const AxesCase &where : cases())
    for (const auto &[dims, dim] : cuts) {
      Dims outDims = with(dims, dim, blockOf(dims[dim], where.parts));
      check<T>(where, "reduce_scatter", rankValues<T>(where, dims), outDims,
               {where.axes(), ints("dim", {static_cast<int64_t>(dim)}), text("kind", "sum")},
               [&](const auto &ins, int64_t member) {
                 std::vector<T> out(static_cast<size_t>(product(outDims)), T(0.0f));
                 forEachIndex(dims, [&](Dims &index, size_t flat) {
                   Owner owner = ownerOf(index[dim], dims[dim], where.parts);
                   if (owner.member == member)
                     out[flatIndex(outDims, with(index, dim, owner.place))] = sumOf(ins, flat);
                 });
                 return out;
               });
    }
}

TEST(ReduceScatter, GivesEachMemberItsBlock) { checkReduceScatter<float>(); }

// On the host; NCCL rounds at each step of a sum.
TEST(ReduceScatter, RoundsSumsOf16BitsOnce) { checkReduceScatter<BF16>(); }

TEST(ShardSlice, GivesEachMemberItsBlock) {
  for (const AxesCase &where : cases())
    for (const auto &[dims, dim] : cuts) {
      Dims outDims = with(dims, dim, blockOf(dims[dim], where.parts));
      check<int8_t>(where, "shard_slice", rankValues<int8_t>(where, dims), outDims,
                    {where.axes(), ints("dim", {static_cast<int64_t>(dim)})},
                    [&](const auto &ins, int64_t member) {
                      std::vector<int8_t> out(static_cast<size_t>(product(outDims)), 0);
                      forEachIndex(dims, [&](Dims &index, size_t flat) {
                        Owner owner = ownerOf(index[dim], dims[dim], where.parts);
                        if (owner.member == member)
                          out[flatIndex(outDims, with(index, dim, owner.place))] =
                              ins[static_cast<size_t>(member)][flat];
                      });
                      return out;
                    });
    }
}

TEST(AllToAll, ExchangesWhichDimIsCut) {
  struct Exchange {
    Dims dims; ///< of the value that no dim of is cut
    size_t gather, split;
  };
  for (const AxesCase &where : cases())
    for (const auto &[dims, gather, split] : {Exchange{{12, 12}, 0, 1},
                                              {{12, 12}, 1, 0},
                                              {{7, 5}, 0, 1},
                                              {{7, 5}, 1, 0},
                                              {{2, 6, 5, 3}, 1, 2},
                                              {{2, 6, 5, 3}, 3, 0},
                                              {{1, 4, 6}, 1, 2},
                                              {{0, 4}, 0, 1},
                                              {{4, 0}, 0, 1}}) {
      Dims inDims = with(dims, gather, blockOf(dims[gather], where.parts));
      Dims outDims = with(dims, split, blockOf(dims[split], where.parts));
      check<float>(where, "all_to_all", rankValues<float>(where, inDims), outDims,
                   {where.axes(), ints("gather_dim", {static_cast<int64_t>(gather)}),
                    ints("split_dim", {static_cast<int64_t>(split)})},
                   [&](const auto &ins, int64_t member) {
                     std::vector<float> out(static_cast<size_t>(product(outDims)), 0);
                     forEachIndex(dims, [&](Dims &index, size_t) {
                       Owner from = ownerOf(index[gather], dims[gather], where.parts);
                       Owner to = ownerOf(index[split], dims[split], where.parts);
                       if (to.member == member)
                         out[flatIndex(outDims, with(index, split, to.place))] =
                             ins[static_cast<size_t>(from.member)]
                                [flatIndex(inDims, with(index, gather, from.place))];
                     });
                     return out;
                   });
    }
}

TEST(Permute, GivesEachRankTheValueOfItsSource) {
  for (const AxesCase &where : cases()) {
    std::vector<int64_t> sources;
    for (int rank = 0; rank < where.numRanks(); ++rank)
      sources.push_back((rank * 2 + 1) % where.numRanks());
    std::vector<Tensor> ins = rankValues<double>(where, {3, 2});
    auto results = runOnRanks(where, "permute", ins, room(ElementType::f64, {3, 2}),
                              {ints("sources", sources)});
    for (size_t rank = 0; rank < results.size(); ++rank) {
      EXPECT_EQ(results[rank].error, "");
      EXPECT_EQ(results[rank].out.memory, ins[static_cast<size_t>(sources[rank])].memory);
    }
  }
}

TEST(Permute, GivesZerosWhereNobodySends) {
  for (const AxesCase &where : cases()) {
    std::vector<int64_t> sources(static_cast<size_t>(where.numRanks()), -1);
    sources.back() = 0;
    std::vector<Tensor> ins = rankValues<double>(where, {3, 2});
    std::vector<std::byte> zeros(ins[0].memory.size());
    auto results = runOnRanks(where, "permute", ins, room(ElementType::f64, {3, 2}),
                              {ints("sources", sources)});
    for (size_t rank = 0; rank < results.size(); ++rank) {
      EXPECT_EQ(results[rank].error, "");
      EXPECT_EQ(results[rank].out.memory, rank + 1 == results.size() ? ins[0].memory : zeros);
    }
  }
}

TEST(ShardIndex, IsThePlaceInTheGroup) {
  for (const AxesCase &where : cases()) {
    auto results = runOnRanks(where, "shard_index", {}, room(ElementType::i64, {}), {where.axes()});
    for (size_t rank = 0; rank < results.size(); ++rank) {
      ASSERT_EQ(results[rank].error, "");
      auto index = static_cast<size_t>(results[rank].out.values<int64_t>()[0]);
      EXPECT_EQ(where.group(static_cast<int>(rank))[index], static_cast<int>(rank));
    }
  }
}

TEST(Collectives, AreCountedByClassAndAxes) {
  AxesCase where{{{"x", 2}, {"y", 3}}, {{1, 1, 3}}}, alone{{{"x", 2}}, {}};
  Param dim = ints("dim", {0});
  auto lineOf = [&](const AxesCase &where, const std::string &name, const Dims &in, const Dims &out,
                    const std::vector<Param> &params) -> Ledger::Line {
    auto results =
        runOnRanks(where, name, rankValues<float>(where, in), room(ElementType::f32, out), params);
    for (const RankResult &result : results) {
      EXPECT_EQ(result.error, "");
      EXPECT_TRUE(std::ranges::equal(result.ledger.lines(), results[0].ledger.lines()));
    }
    auto lines = results[0].ledger.lines();
    return lines.empty() ? Ledger::Line() : lines[0];
  };
  Param sum = text("kind", "sum");
  EXPECT_EQ(lineOf(where, "all_reduce", {6}, {6}, {where.axes(), sum}),
            (Ledger::Line{"all_reduce", "y", 1, {24, 32}}));
  // 7 elements are 3 blocks of 3: padding is payload.
  EXPECT_EQ(lineOf(where, "all_gather", {3}, {7}, {where.axes(), dim}),
            (Ledger::Line{"all_gather", "y", 1, {36, 24}}));
  EXPECT_EQ(lineOf(where, "reduce_scatter", {7}, {3}, {where.axes(), dim, sum}),
            (Ledger::Line{"reduce_scatter", "y", 1, {36, 24}}));
  EXPECT_EQ(lineOf(where, "all_to_all", {2, 7}, {6, 3},
                   {where.axes(), ints("gather_dim", {0}), ints("split_dim", {1})}),
            (Ledger::Line{"all_to_all", "y", 1, {3 * 72, 48}}));
  EXPECT_EQ(lineOf(where, "permute", {3}, {3}, {ints("sources", {1, 2, 3, 4, 5, 0})}),
            (Ledger::Line{"permute", "x,y", 1, {12, 12}}));
  EXPECT_EQ(lineOf(where, "shard_slice", {7}, {3}, {where.axes(), dim}), Ledger::Line());
  EXPECT_EQ(lineOf(alone, "all_reduce", {6}, {6}, {alone.axes(), sum}), Ledger::Line());
}

/// What a call is refused for, on every rank.
std::string errorOf(const std::string &name, const Dims &in, const Dims &out,
                    const std::vector<Param> &params, ElementType type = ElementType::f32) {
  AxesCase where{{{"x", 2}, {"y", 2}}, {}};
  std::vector<Tensor> ins(4, room(type, in));
  auto results = runOnRanks(where, name, ins, room(type, out), params);
  EXPECT_NE(results[3].error, "");
  return results[0].error;
}

TEST(Collectives, MalformedParametersAreRefused) {
  Param sum = text("kind", "sum"), dim = ints("dim", {0});
  auto axes = [](std::vector<int64_t> numbers) { return ints("axes", std::move(numbers)); };
  Param x = axes({0, 1, 2});
  EXPECT_THAT(errorOf("all_reduce", {4}, {4}, {sum}), HasSubstr("\"axes\" is missing"));
  EXPECT_THAT(errorOf("all_reduce", {4}, {4}, {axes({0, 1}), sum}), HasSubstr("has 2 numbers"));
  EXPECT_THAT(errorOf("all_reduce", {4}, {4}, {axes({5, 1, 2}), sum}), HasSubstr("no mesh axis 5"));
  EXPECT_THAT(errorOf("all_reduce", {4}, {4}, {axes({0, 1, 3}), sum}),
              HasSubstr("has no part (1)3"));
  EXPECT_THAT(errorOf("all_reduce", {4}, {4}, {axes({0, 1, 2, 0, 1, 2}), sum}),
              HasSubstr("overlap"));
  EXPECT_THAT(errorOf("all_reduce", {4}, {4}, {x, text("kind", "prod")}),
              HasSubstr("must be one of"));
  EXPECT_THAT(errorOf("all_reduce", {4}, {5}, {x, sum}),
              HasSubstr("must have equal types and dims"));
  EXPECT_THAT(errorOf("all_reduce", {4}, {4}, {x, text("kind", "mean")}, ElementType::i32),
              HasSubstr("does not take elements of type i32"));
  EXPECT_THAT(errorOf("all_reduce", {4}, {4}, {x, sum}, ElementType::boolean),
              HasSubstr("does not take elements of type boolean"));
  EXPECT_THAT(errorOf("all_gather", {4}, {8}, {x, ints("dim", {1})}),
              HasSubstr("dim 1 is not one"));
  EXPECT_THAT(errorOf("all_gather", {4}, {8}, {x, ints("dim", {-1})}), HasSubstr("dim -1 is not"));
  EXPECT_THAT(errorOf("all_gather", {4}, {9}, {x, dim}),
              HasSubstr("an extent of 9 is not gathered from 2 blocks of 4"));
  EXPECT_THAT(errorOf("all_gather", {4, 2}, {8, 3}, {x, dim}), HasSubstr("but for dim 0"));
  EXPECT_THAT(errorOf("reduce_scatter", {7}, {3}, {x, dim, sum}),
              HasSubstr("the block of the cut dim has 4 elements, not the 3 of out"));
  EXPECT_THAT(errorOf("shard_slice", {7}, {3}, {x, dim}), HasSubstr("has 4 elements"));
  EXPECT_THAT(
      errorOf("all_to_all", {2, 4}, {4, 2}, {x, ints("gather_dim", {0}), ints("split_dim", {0})}),
      HasSubstr("are both 0"));
  EXPECT_THAT(
      errorOf("all_to_all", {2, 4}, {5, 2}, {x, ints("gather_dim", {0}), ints("split_dim", {1})}),
      HasSubstr("an extent of 5"));
  EXPECT_THAT(errorOf("permute", {4}, {4}, {ints("sources", {0, 1})}),
              HasSubstr("has 2 ranks; the mesh has 4"));
  EXPECT_THAT(errorOf("permute", {4}, {4}, {ints("sources", {0, 1, 2, 4})}),
              HasSubstr("names rank 4 of 4"));
  EXPECT_THAT(errorOf("shard_index", {}, {1}, {x}, ElementType::i64),
              HasSubstr("takes 0 to 0 ins"));
}

TEST(Collectives, NeedTheRanksOfTheirMesh) {
  std::vector<Tensor> outs = {room(ElementType::f32, {4})};
  Status status = runCall("all_reduce", {ramp<float>({4})}, outs, {}, 1, {.mesh = {{"x", 2}}});
  EXPECT_THAT(status.text(), HasSubstr("for 2 ranks (x=2) but 1 runs"));
}

} // namespace
} // namespace sheaf::rt::test
