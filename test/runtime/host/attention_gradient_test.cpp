// The call `attention_gradient`, against the derivative of softmax(cap(scale * q k^T) + mask) v in double.
#include "test/runtime/host/call_runner.h"

#include <cmath>

namespace sheaf::rt::test {
namespace {

struct Case {
  int64_t b, h, g, s, t, d, e;
  bool isCausal = false, hasMask = false;
  double softcap = 0;
};

/// Multiples of 1/8 around 0, exact in every type.
template <typename T> Tensor small(std::vector<int64_t> dims, int modulus) {
  std::vector<T> values(static_cast<size_t>(product(dims)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        static_cast<T>(static_cast<float>(static_cast<int>(i * 37 % modulus) - modulus / 2) / 8);
  return tensor<T>(std::move(dims), values);
}

template <typename T> std::vector<double> wide(const Tensor &tensor) {
  std::vector<T> values = tensor.values<T>();
  return {values.begin(), values.end()};
}

/// Some keys are hidden, all of the second query's among them.
template <typename M> Tensor maskOf(const Case &c) {
  Tensor mask = small<M>({c.b, 1, c.s, c.t}, 29);
  std::vector<M> values = mask.values<M>();
  for (int64_t i = 0; i < c.b * c.s * c.t; ++i)
    if (i / c.t % c.s == 1 || i % 5 == 3)
      values[i] = static_cast<M>(-INFINITY);
  return tensor<M>(mask.dims, values);
}

std::vector<Param> paramsOf(const Case &c) {
  return {floats("scale", {0.5}), ints("causal", {c.isCausal}), ints("has_mask", {c.hasMask}),
          floats("softcap", {c.softcap})};
}

template <typename T> std::vector<Tensor> insOf(const Case &c) {
  std::vector<Tensor> ins = {small<T>({c.b, c.h, c.s, c.d}, 17), small<T>({c.b, c.g, c.t, c.d}, 19),
                             small<T>({c.b, c.g, c.t, c.e}, 23),
                             small<T>({c.b, c.h, c.s, c.e}, 13)};
  if (c.hasMask)
    ins.push_back(maskOf<T>(c));
  return ins;
}

/// What the derivatives by q, k and v are; `sizes` are the sums of the magnitudes of their terms.
class Expected {
public:
  std::vector<double> dq, dk, dv, sizes[3];

  Expected(const Case &c, const std::vector<double> &q, const std::vector<double> &k,
           const std::vector<double> &v, const std::vector<double> &g,
           const std::vector<double> &mask)
      : dq(q.size()), dk(k.size()), dv(v.size()), sizes{dq, dk, dv}, c(c), q(q), k(k), v(v), g(g),
        mask(mask) {
    for (int64_t row = 0; row < c.b * c.h * c.s; ++row)
      addQuery(row);
  }

private:
  void addQuery(int64_t row) {
    int64_t b = row / c.s / c.h, h = row / c.s % c.h, i = row % c.s;
    int64_t firstKey = (b * c.g + h / (c.h / c.g)) * c.t;
    std::vector<double> weights(c.t), slopes(c.t), gradients(c.t);
    double total = 0, mean = 0;
    for (int64_t j = 0; j < c.t; ++j) {
      double score = 0;
      for (int64_t l = 0; l < c.d; ++l)
        score += 0.5 * q[row * c.d + l] * k[(firstKey + j) * c.d + l];
      slopes[j] = 1;
      if (c.softcap != 0) {
        double tanh = std::tanh(score / c.softcap);
        slopes[j] = 1 - tanh * tanh;
        score = c.softcap * tanh;
      }
      if (c.hasMask)
        score += mask[(b * c.s + i) * c.t + j];
      weights[j] = c.isCausal && j > i + c.t - c.s ? 0 : std::exp(score);
      total += weights[j];
    }
    for (int64_t j = 0; j < c.t; ++j) {
      weights[j] = total > 0 ? weights[j] / total : 0;
      for (int64_t l = 0; l < c.e; ++l) {
        dv[(firstKey + j) * c.e + l] += weights[j] * g[row * c.e + l];
        sizes[2][(firstKey + j) * c.e + l] += std::abs(weights[j] * g[row * c.e + l]);
        gradients[j] += g[row * c.e + l] * v[(firstKey + j) * c.e + l];
      }
      mean += weights[j] * gradients[j];
    }
    for (int64_t j = 0; j < c.t; ++j)
      for (int64_t l = 0; l < c.d; ++l) {
        double gradient = 0.5 * weights[j] * (gradients[j] - mean) * slopes[j];
        dq[row * c.d + l] += gradient * k[(firstKey + j) * c.d + l];
        dk[(firstKey + j) * c.d + l] += gradient * q[row * c.d + l];
        sizes[0][row * c.d + l] += std::abs(gradient * k[(firstKey + j) * c.d + l]);
        sizes[1][(firstKey + j) * c.d + l] += std::abs(gradient * q[row * c.d + l]);
      }
  }

  const Case &c;
  const std::vector<double> &q, &k, &v, &g, &mask;
};

std::vector<Tensor> gradientsOf(const std::vector<Tensor> &ins, const Case &c, int threads = 2) {
  std::vector<Tensor> outs;
  for (int i = 0; i < 3; ++i)
    outs.push_back(room(ins[i].type, ins[i].dims));
  Status status = runCall("attention_gradient", ins, outs, paramsOf(c), threads);
  EXPECT_TRUE(status.isOk()) << status.text();
  return outs;
}

/// Tensor cores multiply 16-bit elements: weights, and the gradients of scores, are rounded to the elements' type, by
/// half a unit in the last place, and so is each term of a sum.
template <typename T> double termTolerance() {
  if (sizeof(T) != 2 || std::string_view(targetUnderTest()) != "cuda")
    return 0;
  return std::is_same_v<T, F16> ? 0x1p-11 : 0x1p-8;
}

/// `tolerance` is relative to the largest element of each gradient.
template <typename T, typename M = T> void check(const Case &c, double tolerance) {
  std::vector<Tensor> ins = insOf<T>(c);
  if (c.hasMask)
    ins[4] = maskOf<M>(c);
  std::vector<Tensor> outs = gradientsOf(ins, c);
  std::vector<double> q = wide<T>(ins[0]), k = wide<T>(ins[1]), v = wide<T>(ins[2]),
                      g = wide<T>(ins[3]), mask;
  if (c.hasMask)
    mask = wide<M>(ins[4]);
  Expected expected(c, q, k, v, g, mask);
  const std::vector<double> *wanted[] = {&expected.dq, &expected.dk, &expected.dv};
  for (int out = 0; out < 3; ++out) {
    std::vector<double> found = wide<T>(outs[out]);
    double largest = 0;
    for (double value : *wanted[out])
      largest = std::max(largest, std::abs(value));
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], (*wanted[out])[i],
                  tolerance * largest + termTolerance<T>() * expected.sizes[out][i] + 1e-300)
          << "d" << "qkv"[out] << " element " << i << " of " << outs[out].dims[2] << " rows";
  }
}

/// Of f32 sums of a few hundred terms; results of 16 bits are rounded once, by half a unit in the last place.
template <typename T> constexpr double toleranceOf() {
  if constexpr (std::is_same_v<T, double>)
    return 1e-13;
  else if constexpr (std::is_same_v<T, float>)
    return 1e-5;
  else
    return std::is_same_v<T, F16> ? 0x1p-11 + 1e-5 : 0x1p-8 + 1e-5;
}

TEST(AttentionGradient, AgreesForMasksGroupsAndOddSizes) {
  for (const Case &c :
       {Case{1, 1, 1, 1, 1, 1, 1}, Case{2, 4, 2, 7, 13, 8, 5, false, true},
        Case{1, 2, 2, 65, 65, 16, 16, true}, Case{1, 3, 1, 5, 3, 4, 4, true},
        Case{1, 1, 1, 3, 70, 32, 32, true, true}, Case{1, 6, 2, 70, 5, 3, 7, false, true, 0.75},
        Case{2, 2, 1, 9, 9, 6, 4, true, false, 2}}) {
    check<float>(c, toleranceOf<float>());
    check<double>(c, toleranceOf<double>());
    // Some of them cuDNN takes, see below.
    double more = targetUnderTest() == std::string_view("host") ? 1 : 4;
    check<BF16>(c, more * toleranceOf<BF16>());
    check<F16>(c, more * toleranceOf<F16>());
  }
  Case masked{1, 2, 1, 6, 5, 4, 4, false, true};
  check<BF16, float>(masked, toleranceOf<BF16>());
}

// Several tiles of queries and of keys.
TEST(AttentionGradient, AgreesForManyTiles) {
  for (const Case &c : {Case{1, 2, 1, 70, 130, 64, 64, true}, Case{1, 1, 1, 66, 70, 104, 96}}) {
    check<BF16>(c, toleranceOf<BF16>());
    check<F16>(c, toleranceOf<F16>());
  }
}

// More columns than a block of a GPU sums.
TEST(AttentionGradient, TakesLargeHeads) {
  check<BF16>({1, 2, 1, 3, 4, 20, 150}, toleranceOf<BF16>());
  check<F16>({1, 1, 1, 5, 6, 264, 40, true}, toleranceOf<F16>());
  check<float>({1, 1, 1, 5, 6, 70, 40, true}, toleranceOf<float>());
  check<float>({1, 2, 1, 3, 4, 20, 150}, toleranceOf<float>());
  check<float>({1, 1, 1, 3, 4, 270, 3}, toleranceOf<float>());
}

TEST(AttentionGradient, GivesZerosWhereNothingFlows) {
  for (const Case &c :
       {Case{2, 2, 1, 3, 0, 4, 5}, Case{2, 2, 1, 0, 3, 4, 5}, Case{1, 1, 1, 3, 4, 5, 0},
        Case{1, 1, 1, 3, 4, 0, 5}, Case{1, 0, 1, 3, 4, 5, 6}, Case{0, 1, 1, 3, 4, 5, 6},
        Case{1, 1, 1, 3, 4, 0, 0}})
    check<float>(c, toleranceOf<float>());
}

// What cuDNN takes, where there is one: 16-bit elements, heads of multiples of 8 columns, no mask. It rounds to 16 bits
// what it multiplies (weights, gradients of scores), the result, and gradients of each of the heads that share keys.
TEST(AttentionGradient, TakesHalvesWithHeadsOfEights) {
  for (const Case &c : {Case{2, 4, 2, 5, 5, 16, 8, true}, Case{1, 2, 2, 3, 9, 8, 8, true},
                        Case{2, 4, 1, 7, 4, 24, 16}, Case{1, 3, 3, 12, 12, 64, 64}}) {
    check<BF16>(c, 4 * toleranceOf<BF16>());
    check<F16>(c, 4 * toleranceOf<F16>());
  }
}

// Few groups, whose queries are in several parts, and many, which are one part each.
TEST(AttentionGradient, HasTheSameBitsForAllNumbersOfThreads) {
  for (const Case &c : {Case{1, 4, 2, 300, 90, 16, 8, true}, Case{8, 16, 16, 40, 30, 8, 8},
                        Case{1, 1, 1, 64, 256, 64, 64}})
    for (const std::vector<Tensor> &ins : {insOf<float>(c), insOf<BF16>(c)}) {
      std::vector<Tensor> one = gradientsOf(ins, c, 1);
      for (int threads : {2, 5}) {
        std::vector<Tensor> several = gradientsOf(ins, c, threads);
        for (int out = 0; out < 3; ++out)
          EXPECT_EQ(one[out].memory, several[out].memory) << threads << " threads, out " << out;
      }
    }
}

/// Heads of `d` columns.
template <typename T> void readAndWriteWhereTheyLie(int64_t d) {
  // [s, h, d] seen as [1, h, s, d].
  auto heads = [d](Tensor t) {
    t.dims = {1, 2, 3, d};
    t.strides = {6 * d, d, 2 * d, 1};
    return t;
  };
  auto dense = [&](const Tensor &t) {
    return call("copy", {heads(t)}, room(elementOf<T>(), {1, 2, 3, d}));
  };
  Case c{1, 2, 2, 3, 3, d, d, true};
  std::vector<Tensor> lying, copied, outs;
  for (int modulus : {17, 19, 23, 13}) {
    Tensor tensor = small<T>({3, 2, d}, modulus);
    lying.push_back(heads(tensor));
    copied.push_back(dense(tensor));
  }
  for (int i = 0; i < 3; ++i)
    outs.push_back(heads(room(elementOf<T>(), {3, 2, d})));
  std::vector<Tensor> expected = gradientsOf(copied, c);
  Status status = runCall("attention_gradient", lying, outs, paramsOf(c));
  ASSERT_TRUE(status.isOk()) << status.text();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(dense(tensor<T>({3, 2, d}, outs[i].values<T>())).memory, expected[i].memory);
}

TEST(AttentionGradient, ReadsAndWritesHeadsWhereTheyLie) {
  readAndWriteWhereTheyLie<float>(4);
  readAndWriteWhereTheyLie<BF16>(4);
  readAndWriteWhereTheyLie<F16>(8);
}

TEST(AttentionGradient, RefusesBuffersThatDoNotFit) {
  Case c{1, 2, 1, 3, 4, 5, 6};
  std::vector<Tensor> ins = insOf<float>(c), outs;
  for (int i = 0; i < 3; ++i)
    outs.push_back(room(ElementType::f32, ins[i].dims));
  std::vector<Tensor> swapped = {outs[0], outs[2], outs[1]};
  EXPECT_NE(callError("attention_gradient", ins, swapped, paramsOf(c))
                .find("the gradient f32[1, 1, 4, 6] must have the dims of f32[1, 1, 4, 5]"),
            std::string::npos);
  ins[3] = small<float>({1, 2, 3, 5}, 13);
  EXPECT_NE(callError("attention_gradient", ins, outs, paramsOf(c)).find("do not fit together"),
            std::string::npos);
}

} // namespace
} // namespace sheaf::rt::test
