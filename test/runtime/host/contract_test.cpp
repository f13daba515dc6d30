// The call `contract`, against sums over indices.
#include "test/runtime/host/call_runner.h"

namespace sheaf::rt::test {
namespace {

std::vector<int64_t> stridesOf(const Tensor &t) {
  return t.strides.empty() ? abi::rowMajorStrides(t.dims) : t.strides;
}

/// lhs [b, m, k] and rhs [b, k, n] in any strides, summed in double.
template <typename T, typename R>
std::vector<double> products(const Tensor &lhs, const Tensor &rhs) {
  std::vector<T> a = lhs.values<T>(), b = rhs.values<T>();
  std::vector<int64_t> sa = stridesOf(lhs), sb = stridesOf(rhs);
  std::vector<double> result;
  for (int64_t batch = 0; batch < lhs.dims[0]; ++batch)
    for (int64_t m = 0; m < lhs.dims[1]; ++m)
      for (int64_t n = 0; n < rhs.dims[2]; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < lhs.dims[2]; ++k)
          sum += static_cast<double>(
                     static_cast<float>(a[lhs.offset + batch * sa[0] + m * sa[1] + k * sa[2]])) *
                 static_cast<double>(
                     static_cast<float>(b[rhs.offset + batch * sb[0] + k * sb[1] + n * sb[2]]));
        result.push_back(sum);
      }
  return result;
}

const std::vector<Param> batched = {ints("lhs_batch", {0}), ints("rhs_batch", {0}),
                                    ints("lhs_contract", {2}), ints("rhs_contract", {1})};

template <typename T, typename R = T> void checkType(int64_t b, int64_t m, int64_t k, int64_t n) {
  Tensor lhs = ramp<T>({b, m, k}, 7, std::is_unsigned_v<T> ? 0 : -3);
  Tensor rhs = ramp<T>({b, k, n}, 5, std::is_unsigned_v<T> ? 0 : -2);
  Tensor result = call("contract", {lhs, rhs}, room(elementOf<R>(), {b, m, n}), batched);
  std::vector<double> expected = products<T, R>(lhs, rhs);
  std::vector<R> actual = result.values<R>();
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    // Small integers: exact in every type, once rounded to it.
    ASSERT_EQ(
        static_cast<double>(static_cast<float>(actual[i])),
        static_cast<double>(static_cast<float>(static_cast<R>(static_cast<float>(expected[i])))))
        << abi::nameOf(elementOf<T>()) << " " << b << "x" << m << "x" << k << "x" << n << " at "
        << i;
}

TEST(Contract, TakesEveryElementTypeAndOddSizes) {
  struct Size {
    int64_t b, m, k, n;
  };
  for (Size s : {Size{1, 1, 1, 1},
                 {2, 7, 5, 3},
                 {1, 33, 129, 65},
                 {3, 1, 64, 17},
                 {1, 4, 0, 5},
                 {0, 2, 2, 2}}) {
    checkType<float>(s.b, s.m, s.k, s.n);
    checkType<double>(s.b, s.m, s.k, s.n);
    checkType<F16>(s.b, s.m, s.k, s.n);
    checkType<BF16>(s.b, s.m, s.k, s.n);
    checkType<BF16, float>(s.b, s.m, s.k, s.n);
    checkType<F16, float>(s.b, s.m, s.k, s.n);
    checkType<int8_t, int32_t>(s.b, s.m, s.k, s.n);
    checkType<uint8_t, int32_t>(s.b, s.m, s.k, s.n);
    checkType<int32_t>(s.b, s.m, s.k, s.n);
    checkType<int64_t>(s.b, s.m, s.k, s.n);
    checkType<uint32_t>(s.b, s.m, s.k, s.n);
  }
}

TEST(Contract, SumsBytesExactly) {
  // Pairs of these saturate in 16 bits, and the total needs more than the 24 bits of f32.
  int64_t k = 1031;
  std::vector<uint8_t> lhs(static_cast<size_t>(k), 255);
  std::vector<int8_t> rhs(static_cast<size_t>(k), 127);
  Tensor result =
      call("contract", {tensor<uint8_t>({1, k}, lhs), tensor<int8_t>({k, 1}, rhs)},
           room(ElementType::i32, {1, 1}), {ints("lhs_contract", {1}), ints("rhs_contract", {0})});
  EXPECT_EQ(result.values<int32_t>()[0], 255 * 127 * k);
}

TEST(Contract, TakesHeadsWhereTheyLie) {
  // [s, h, d] seen as [h, s, d], as attention has it; k seen as [h, d, t].
  Tensor lhs = ramp<float>({6, 4, 8}), rhs = ramp<float>({5, 4, 8}, 11);
  lhs.dims = {4, 6, 8};
  lhs.strides = {8, 32, 1};
  rhs.dims = {4, 8, 5};
  rhs.strides = {8, 1, 32};
  Tensor out = room(ElementType::f32, {6, 4, 5});
  out.dims = {4, 6, 5};
  out.strides = {5, 20, 1};
  std::vector<float> actual = call("contract", {lhs, rhs}, out, batched).values<float>();
  std::vector<double> expected = products<float, float>(lhs, rhs);
  for (int64_t h = 0; h < 4; ++h)
    for (int64_t s = 0; s < 6; ++s)
      for (int64_t t = 0; t < 5; ++t)
        EXPECT_EQ(actual[h * 5 + s * 20 + t], expected[(h * 6 + s) * 5 + t]);
}

/// What is stored by columns is turned, or the whole product is: in sizes on both sides of where that pays.
TEST(Contract, TurnsWhatIsStoredByColumns) {
  struct Size {
    int64_t b, m, k, n;
  };
  for (Size s :
       {Size{1, 40, 50, 70}, {2, 33, 64, 65}, {3, 5, 40, 70}, {1, 64, 32, 64}, {2, 1, 40, 80}})
    for (bool isLhsTurned : {false, true})
      for (bool isResultTurned : {false, true}) {
        Tensor lhs = ramp<float>({s.b, s.m, s.k}, 7, -3);
        Tensor rhs = ramp<float>({s.b, s.k, s.n}, 5, -2);
        if (isLhsTurned)
          lhs.strides = {s.m * s.k, 1, s.m};
        Tensor out = room(ElementType::f32, {s.b, s.m, s.n});
        if (isResultTurned)
          out.strides = {s.m * s.n, 1, s.m};
        Tensor result = call("contract", {lhs, rhs}, out, batched);
        std::vector<double> expected = products<float, float>(lhs, rhs);
        std::vector<float> actual = result.values<float>();
        std::vector<int64_t> strides = stridesOf(out);
        for (int64_t b = 0; b < s.b; ++b)
          for (int64_t m = 0; m < s.m; ++m)
            for (int64_t n = 0; n < s.n; ++n)
              ASSERT_EQ(actual[b * strides[0] + m * strides[1] + n * strides[2]],
                        expected[(b * s.m + m) * s.n + n])
                  << s.b << "x" << s.m << "x" << s.k << "x" << s.n << " " << isLhsTurned
                  << isResultTurned << " at " << b << " " << m << " " << n;
      }
}

TEST(Contract, BroadcastsOverBatchDims) {
  Tensor lhs = ramp<float>({6, 3, 4}), rhs = ramp<float>({2, 4, 5});
  rhs.dims = {2, 3, 4, 5};
  rhs.strides = {20, 0, 5, 1};
  lhs.dims = {2, 3, 3, 4};
  std::vector<float> actual = call("contract", {lhs, rhs}, room(ElementType::f32, {2, 3, 3, 5}),
                                   {ints("lhs_batch", {0, 1}), ints("rhs_batch", {0, 1}),
                                    ints("lhs_contract", {3}), ints("rhs_contract", {2})})
                                  .values<float>();
  lhs.dims = {6, 3, 4};
  Tensor repeated = ramp<float>({2, 4, 5});
  std::vector<float> once = repeated.values<float>(), six;
  for (int64_t i = 0; i < 6; ++i)
    six.insert(six.end(), once.begin() + i / 3 * 20, once.begin() + i / 3 * 20 + 20);
  std::vector<double> expected = products<float, float>(lhs, tensor<float>({6, 4, 5}, six));
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(actual[i], expected[i]);
}

TEST(Contract, AppliesScaleBiasAddendActivationInOrder) {
  for (bool isDouble : {false, true}) {
    auto run = [&]<typename T>(T) {
      Tensor lhs = tensor<T>({1, 2}, {1, 2}), rhs = tensor<T>({2, 2}, {3, -1, 1, -1});
      Tensor out =
          call("contract", {lhs, rhs, tensor<T>({2}, {10, 0}), tensor<T>({1, 2}, {100, 0})},
               room(elementOf<T>(), {1, 2}),
               {ints("lhs_contract", {1}), ints("rhs_contract", {0}), floats("alpha", {2}),
                text("activation", "relu"), ints("has_bias", {1}), ints("has_addend", {1})});
      EXPECT_EQ(out.values<T>(), (std::vector<T>{2 * 5 + 10 + 100, 0}));
    };
    isDouble ? run(double()) : run(float());
  }
}

TEST(Contract, RefusesWhatItCannotRead) {
  Tensor scattered = ramp<float>({4, 4, 4});
  scattered.dims = {2, 2, 4};
  scattered.strides = {16, 12, 1};
  EXPECT_NE(callError("contract", {scattered, ramp<float>({4, 3})},
                      {room(ElementType::f32, {2, 2, 3})},
                      {ints("lhs_contract", {2}), ints("rhs_contract", {0})})
                .find("do not collapse"),
            std::string::npos);
  EXPECT_NE(callError("contract", {ramp<float>({2, 3}), ramp<float>({4, 3})},
                      {room(ElementType::f32, {2, 3})},
                      {ints("lhs_contract", {1}), ints("rhs_contract", {0})})
                .find("must be equal"),
            std::string::npos);
}

} // namespace
} // namespace sheaf::rt::test
