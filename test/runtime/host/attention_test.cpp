// The call `attention`, against softmax(cap(scale * q k^T) + mask) v in double.
#include "test/runtime/host/call_runner.h"

#include <cmath>

namespace sheaf::rt::test {
namespace {

struct Case {
  int64_t b, h, g, s, t, d, e;
  bool isCausal, hasMask;
  double softcap = 0;
};

template <typename T> Tensor small(std::vector<int64_t> dims, int modulus) {
  std::vector<T> values(static_cast<size_t>(product(dims)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        static_cast<T>(static_cast<float>(static_cast<int>(i * 37 % modulus) - modulus / 2) / 8);
  return tensor<T>(std::move(dims), values);
}

/// Of values below 1.5; results of 16 bits are rounded, and on tensor cores each weight before, by half a unit in the
/// last place.
template <typename T> void check(const Case &c, double tolerance) {
  Tensor q = small<T>({c.b, c.h, c.s, c.d}, 17), k = small<T>({c.b, c.g, c.t, c.d}, 19),
         v = small<T>({c.b, c.g, c.t, c.e}, 23);
  Tensor mask = small<T>({c.b, 1, c.s, c.t}, 29);
  std::vector<T> masked = mask.values<T>();
  for (int64_t j = 0; c.hasMask && j < c.t; ++j)
    masked[j] = static_cast<T>(-INFINITY); // The first row sees nothing.
  mask = tensor<T>(mask.dims, masked);
  std::vector<Tensor> ins = {q, k, v};
  if (c.hasMask)
    ins.push_back(mask);
  Tensor result = call("attention", ins, room(elementOf<T>(), {c.b, c.h, c.s, c.e}),
                       {floats("scale", {0.5}), ints("causal", {c.isCausal}),
                        ints("has_mask", {c.hasMask}), floats("softcap", {c.softcap})});
  std::vector<T> actual = result.values<T>();
  std::vector<T> qs = q.values<T>(), ks = k.values<T>(), vs = v.values<T>();
  for (int64_t b = 0; b < c.b; ++b)
    for (int64_t h = 0; h < c.h; ++h)
      for (int64_t i = 0; i < c.s; ++i) {
        int64_t group = h / (c.h / c.g);
        std::vector<double> weights(static_cast<size_t>(c.t));
        double total = 0;
        for (int64_t j = 0; j < c.t; ++j) {
          double score = 0;
          for (int64_t l = 0; l < c.d; ++l)
            score += static_cast<double>(qs[((b * c.h + h) * c.s + i) * c.d + l]) *
                     static_cast<double>(ks[((b * c.g + group) * c.t + j) * c.d + l]);
          score *= 0.5;
          if (c.softcap != 0)
            score = c.softcap * std::tanh(score / c.softcap);
          if (c.hasMask)
            score += static_cast<double>(masked[(b * c.s + i) * c.t + j]);
          weights[j] = c.isCausal && j > i + c.t - c.s ? 0 : std::exp(score);
          total += weights[j];
        }
        for (int64_t l = 0; l < c.e; ++l) {
          double expected = 0;
          for (int64_t j = 0; j < c.t && total > 0; ++j)
            expected += weights[j] / total *
                        static_cast<double>(vs[((b * c.g + group) * c.t + j) * c.e + l]);
          ASSERT_NEAR(static_cast<double>(actual[((b * c.h + h) * c.s + i) * c.e + l]), expected,
                      tolerance)
              << "row " << i;
        }
      }
}

TEST(Attention, AgreesForMasksGroupsAndOddSizes) {
  for (const Case &c :
       {Case{1, 1, 1, 1, 1, 1, 1, false, false}, Case{2, 4, 2, 7, 13, 8, 5, false, true},
        Case{1, 2, 2, 65, 65, 16, 16, true, false}, Case{1, 3, 1, 5, 3, 4, 4, true, false},
        Case{1, 1, 1, 3, 70, 32, 32, true, true}, Case{1, 2, 1, 6, 70, 8, 8, false, true, 0.75}}) {
    check<float>(c, 1e-5);
    check<double>(c, 1e-12);
    check<BF16>(c, 2e-2);
    check<F16>(c, 2e-3);
  }
}

// What cuDNN takes, where there is one: 16-bit elements, heads of multiples of 8 columns, no mask. The weights are then
// rounded to 16 bits before they meet the values.
TEST(Attention, TakesHalvesWithHeadsOfEights) {
  for (const Case &c :
       {Case{2, 4, 2, 5, 5, 16, 8, true, false}, Case{1, 2, 2, 3, 9, 8, 8, true, false},
        Case{2, 4, 1, 7, 4, 24, 16, false, false}, Case{1, 1, 1, 1, 6, 8, 8, true, false},
        Case{1, 3, 3, 12, 12, 64, 64, false, false}}) {
    check<BF16>(c, 2e-2);
    check<F16>(c, 2e-3);
  }
}

template <typename T> void readHeads() {
  // [s, h, d] seen as [1, h, s, d].
  auto heads = [](Tensor t) {
    t.dims = {1, 2, 3, 8};
    t.strides = {48, 8, 16, 1};
    return t;
  };
  Tensor q = small<T>({3, 2, 8}, 17), k = small<T>({3, 2, 8}, 19), v = small<T>({3, 2, 8}, 23);
  auto dense = [&](const Tensor &t) {
    return call("copy", {heads(t)}, room(elementOf<T>(), {1, 2, 3, 8}));
  };
  std::vector<Param> params = {floats("scale", {1}), ints("causal", {1})};
  Tensor expected =
      call("attention", {dense(q), dense(k), dense(v)}, room(elementOf<T>(), {1, 2, 3, 8}), params);
  Tensor actual = call("attention", {heads(q), heads(k), heads(v)},
                       heads(room(elementOf<T>(), {3, 2, 8})), params);
  EXPECT_EQ(dense(tensor<T>({3, 2, 8}, actual.template values<T>())).memory, expected.memory);
}

TEST(Attention, ReadsHeadsWhereTheyLie) {
  readHeads<float>();
  readHeads<BF16>();
}

} // namespace
} // namespace sheaf::rt::test
