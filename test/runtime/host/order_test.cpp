// Sorts, top-k, extremes and running sums along a dim.
#include "test/runtime/host/call_runner.h"

#include <cmath>

namespace sheaf::rt::test {
namespace {

using Floats = std::vector<float>;
using Longs = std::vector<int64_t>;

std::pair<Tensor, Tensor> order(const char *name, Tensor in, std::vector<int64_t> dims,
                                std::vector<Param> params) {
  std::vector<Tensor> outs = {room(in.type, dims), room(ElementType::i64, dims)};
  Status status = runCall(name, {std::move(in)}, outs, std::move(params));
  EXPECT_TRUE(status.isOk()) << status.text();
  return {outs[0], outs[1]};
}

TEST(Sort, IsStableBothWays) {
  Tensor in = tensor<float>({5}, {2, 1, 2, 3, 1});
  auto [up, upIndices] = order("sort", in, {5}, {ints("dim", {0})});
  EXPECT_EQ(up.values<float>(), (Floats{1, 1, 2, 2, 3}));
  EXPECT_EQ(upIndices.values<int64_t>(), (Longs{1, 4, 0, 2, 3}));
  auto [down, downIndices] = order("sort", in, {5}, {ints("dim", {0}), ints("descending", {1})});
  EXPECT_EQ(down.values<float>(), (Floats{3, 2, 2, 1, 1}));
  EXPECT_EQ(downIndices.values<int64_t>(), (Longs{3, 0, 2, 1, 4}));
}

TEST(Sort, PutsNanLastAndSortsOuterDims) {
  Tensor in = tensor<float>({3, 2}, {NAN, 5, 1, 4, 2, 6});
  auto [values, indices] = order("sort", in, {3, 2}, {ints("dim", {0})});
  EXPECT_EQ(indices.values<int64_t>(), (Longs{1, 1, 2, 0, 0, 2}));
  EXPECT_TRUE(std::isnan(values.values<float>()[4]));
}

TEST(TopK, TakesTheFirstOfASort) {
  Tensor in = tensor<int32_t>({2, 4}, {3, 9, 9, 1, 0, -5, 7, 2});
  auto [values, indices] = order("topk", in, {2, 2}, {ints("dim", {1})});
  EXPECT_EQ(values.values<int32_t>(), (std::vector<int32_t>{9, 9, 7, 2}));
  EXPECT_EQ(indices.values<int64_t>(), (Longs{1, 2, 2, 3}));
  auto [small, smallIndices] = order("topk", in, {2, 1}, {ints("dim", {1}), ints("largest", {0})});
  EXPECT_EQ(small.values<int32_t>(), (std::vector<int32_t>{1, -5}));
  EXPECT_EQ(smallIndices.values<int64_t>(), (Longs{3, 1}));
  EXPECT_EQ(order("topk", in, {2, 0}, {ints("dim", {1})}).first.values<int32_t>().size(), 0u);
}

TEST(ArgReduce, FindsFirstOrLastAndNan) {
  Tensor in = tensor<float>({2, 4}, {1, 7, 7, 0, NAN, 2, NAN, 3});
  auto find = [&](const char *kind, int64_t isLast) {
    return call("arg_reduce", {in}, room(ElementType::i64, {2}),
                {text("kind", kind), ints("dim", {1}), ints("last", {isLast})})
        .values<int64_t>();
  };
  EXPECT_EQ(find("max", 0), (Longs{1, 0}));
  EXPECT_EQ(find("max", 1), (Longs{2, 2}));
  EXPECT_EQ(find("min", 0), (Longs{3, 0}));
  EXPECT_NE(callError("arg_reduce", {tensor<float>({2, 0}, {})}, {room(ElementType::i64, {2})},
                      {text("kind", "max"), ints("dim", {1})})
                .find("is empty"),
            std::string::npos);
}

TEST(Cumulative, SumsForwardsBackwardsAndExclusively) {
  Tensor in = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  auto run = [&](int64_t dim, int64_t isExclusive, int64_t isReverse, const char *kind = "sum") {
    return call("cumulative", {in}, room(ElementType::f32, {2, 3}),
                {text("kind", kind), ints("dim", {dim}), ints("exclusive", {isExclusive}),
                 ints("reverse", {isReverse})})
        .values<float>();
  };
  EXPECT_EQ(run(1, 0, 0), (Floats{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(run(1, 1, 0), (Floats{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(run(1, 0, 1), (Floats{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(run(1, 1, 1), (Floats{5, 3, 0, 11, 6, 0}));
  EXPECT_EQ(run(0, 0, 0), (Floats{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(run(1, 0, 0, "prod"), (Floats{1, 2, 6, 4, 20, 120}));
}

TEST(Cumulative, WrapsIntegersAndWidensHalves) {
  Tensor bytes = tensor<int8_t>({2}, {100, 100});
  EXPECT_EQ(call("cumulative", {bytes}, room(ElementType::i8, {2}),
                 {text("kind", "sum"), ints("dim", {0})})
                .values<int8_t>()[1],
            -56);
  std::vector<F16> ones(3000, F16(1));
  Tensor sums = call("cumulative", {tensor<F16>({3000}, ones)}, room(ElementType::f16, {3000}),
                     {text("kind", "sum"), ints("dim", {0})});
  EXPECT_EQ(static_cast<float>(sums.values<F16>().back()), 3000.0f);
}

} // namespace
} // namespace sheaf::rt::test
