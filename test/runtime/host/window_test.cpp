// Convolutions and pooling, against loops over every place of every window.
#include "test/runtime/host/call_runner.h"

#include <cmath>

namespace sheaf::rt::test {
namespace {

struct Window {
  std::vector<int64_t> strides, dilations, low, high;
  int64_t groups = 1;

  std::vector<Param> params() const {
    return {ints("strides", strides), ints("dilations", dilations), ints("padding_low", low),
            ints("padding_high", high)};
  }
};

int64_t resultExtent(int64_t extent, int64_t window, const Window &w, size_t dim) {
  return (extent + w.low[dim] + w.high[dim] - w.dilations[dim] * (window - 1) - 1) /
             w.strides[dim] +
         1;
}

/// Calls visit(n, o, y, x, c, v, u, ky, kx) for each product of a 2-d convolution.
template <typename Visit>
void forEachProduct(const std::vector<int64_t> &in, const std::vector<int64_t> &filter,
                    const Window &w, const Visit &visit) {
  int64_t oy = resultExtent(in[2], filter[2], w, 0), ox = resultExtent(in[3], filter[3], w, 1);
  for (int64_t n = 0; n < in[0]; ++n)
    for (int64_t o = 0; o < filter[0]; ++o)
      for (int64_t y = 0; y < oy; ++y)
        for (int64_t x = 0; x < ox; ++x)
          for (int64_t i = 0; i < filter[1]; ++i)
            for (int64_t ky = 0; ky < filter[2]; ++ky)
              for (int64_t kx = 0; kx < filter[3]; ++kx) {
                int64_t v = y * w.strides[0] - w.low[0] + ky * w.dilations[0];
                int64_t u = x * w.strides[1] - w.low[1] + kx * w.dilations[1];
                int64_t c = o / (filter[0] / w.groups) * filter[1] + i;
                if (v >= 0 && v < in[2] && u >= 0 && u < in[3])
                  visit(((n * filter[0] + o) * oy + y) * ox + x,
                        ((n * in[1] + c) * in[2] + v) * in[3] + u,
                        ((o * filter[1] + i) * filter[2] + ky) * filter[3] + kx);
              }
}

struct ConvCase {
  std::vector<int64_t> in, filter;
  Window window;

  std::vector<int64_t> out() const {
    return {in[0], filter[0], resultExtent(in[2], filter[2], window, 0),
            resultExtent(in[3], filter[3], window, 1)};
  }
};

const ConvCase convCases[] = {{{1, 3, 7, 9}, {4, 3, 3, 3}, {{1, 1}, {1, 1}, {1, 1}, {1, 1}}},
                              {{2, 4, 11, 8}, {6, 2, 3, 2}, {{2, 3}, {1, 2}, {0, 2}, {1, 0}, 2}},
                              {{1, 16, 5, 5}, {16, 1, 3, 3}, {{1, 1}, {1, 1}, {1, 1}, {1, 1}, 16}},
                              {{1, 5, 4, 4}, {7, 5, 1, 1}, {{1, 1}, {1, 1}, {0, 0}, {0, 0}}}};

template <typename T, typename R> void checkConv(const ConvCase &c) {
  Tensor in = ramp<T>(c.in, 7, std::is_unsigned_v<T> ? 0 : -3),
         filter = ramp<T>(c.filter, 5, std::is_unsigned_v<T> ? 0 : -2);
  std::vector<Param> params = c.window.params();
  params.push_back(ints("groups", {c.window.groups}));
  Tensor out = call("conv", {in, filter}, room(elementOf<R>(), c.out()), params);
  std::vector<double> expected(static_cast<size_t>(product(c.out())));
  std::vector<T> a = in.values<T>(), b = filter.values<T>();
  forEachProduct(c.in, c.filter, c.window, [&](int64_t to, int64_t from, int64_t weight) {
    expected[to] += static_cast<double>(static_cast<float>(a[from])) *
                    static_cast<double>(static_cast<float>(b[weight]));
  });
  std::vector<R> actual = out.values<R>();
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_EQ(static_cast<float>(actual[i]),
              static_cast<float>(static_cast<R>(static_cast<float>(expected[i]))))
        << abi::nameOf(elementOf<T>()) << " at " << i;
}

TEST(Conv, TakesStridesDilationsGroupsAndTypes) {
  for (const ConvCase &c : convCases) {
    checkConv<float, float>(c);
    checkConv<double, double>(c);
    checkConv<BF16, BF16>(c);
    checkConv<F16, F16>(c);
    checkConv<uint8_t, int32_t>(c);
  }
}

TEST(Conv, TakesChannelsLast) {
  for (const ConvCase &c : convCases) {
    std::vector<Param> params = c.window.params();
    params.push_back(ints("groups", {c.window.groups}));
    Tensor in = ramp<float>(c.in, 7, -3), filter = ramp<float>(c.filter, 5, -2);
    Tensor expected =
        channelsLast(call("conv", {in, filter}, room(ElementType::f32, c.out()), params));
    params.push_back(ints("channels_last", {1}));
    Tensor out =
        call("conv", {channelsLast(in), filter}, room(ElementType::f32, expected.dims), params);
    EXPECT_EQ(out.values<float>(), expected.values<float>());
  }
}

TEST(Conv, TakesOneAndThreeSpaceDims) {
  Tensor line =
      call("conv", {tensor<float>({1, 1, 4}, {1, 2, 3, 4}), tensor<float>({1, 1, 2}, {1, 10})},
           room(ElementType::f32, {1, 1, 3}), Window{{1}, {1}, {0}, {0}}.params());
  EXPECT_EQ(line.values<float>(), (std::vector<float>{21, 32, 43}));
  Tensor cube = call("conv",
                     {tensor<float>({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                      tensor<float>({1, 1, 2, 2, 2}, std::vector<float>(8, 1))},
                     room(ElementType::f32, {1, 1, 1, 1, 1}),
                     Window{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}}.params());
  EXPECT_EQ(cube.values<float>()[0], 36);
}

/// Of a call whose windows are 2-d: the same result where each tensor has a third space dim of extent 1, first or last.
void checkThreeSpaceDims(const std::string &name, const std::vector<Tensor> &ins,
                         const std::vector<int64_t> &out, const Window &window) {
  auto params = [](const Window &w) {
    std::vector<Param> list = w.params();
    list.push_back(ints("groups", {w.groups}));
    return list;
  };
  Tensor expected = call(name, ins, room(ElementType::f32, out), params(window));
  for (size_t at : {0, 2}) {
    auto insert = [at](std::vector<int64_t> list, size_t first, int64_t value) {
      list.insert(list.begin() + static_cast<ptrdiff_t>(first + at), value);
      return list;
    };
    Window deep{insert(window.strides, 0, 1), insert(window.dilations, 0, 1),
                insert(window.low, 0, 0), insert(window.high, 0, 0), window.groups};
    std::vector<Tensor> deepIns = ins;
    for (Tensor &in : deepIns)
      in.dims = insert(in.dims, 2, 1);
    Tensor result = call(name, deepIns, room(ElementType::f32, insert(out, 2, 1)), params(deep));
    EXPECT_EQ(result.values<float>(), expected.values<float>()) << name << " at " << at;
  }
}

TEST(ConvGradients, TakeThreeSpaceDims) {
  for (const ConvCase &c : convCases) {
    Tensor input = ramp<float>(c.in, 7, -3), filter = ramp<float>(c.filter, 5, -2),
           gradient = ramp<float>(c.out(), 7, -3);
    checkThreeSpaceDims("conv", {input, filter}, c.out(), c.window);
    checkThreeSpaceDims("conv_transpose", {gradient, filter}, c.in, c.window);
    checkThreeSpaceDims("conv_filter_gradient", {input, gradient}, c.filter, c.window);
  }
}

TEST(ConvGradients, TakeOneSpaceDim) {
  std::vector<Param> params = Window{{2}, {1}, {0}, {1}}.params();
  Tensor gradient = tensor<float>({1, 1, 2}, {1, 10});
  Tensor input = call("conv_transpose", {gradient, tensor<float>({1, 1, 3}, {1, 2, 3})},
                      room(ElementType::f32, {1, 1, 4}), params);
  EXPECT_EQ(input.values<float>(), (std::vector<float>{1, 2, 13, 20}));
  Tensor filter = call("conv_filter_gradient", {tensor<float>({1, 1, 4}, {1, 2, 3, 4}), gradient},
                       room(ElementType::f32, {1, 1, 3}), params);
  EXPECT_EQ(filter.values<float>(), (std::vector<float>{31, 42, 3}));
}

// Units for matrices may round f32 to 10 bits, and take any order of sums, where that is not forbidden.
TEST(Conv, KeepsAllBitsOfF32) {
  const float fine = 1 + 0x1p-20f;
  std::vector<Param> params = Window{{1, 1}, {1, 1}, {0, 0}, {0, 0}}.params();
  Tensor one = tensor<float>({1, 1, 1, 1}, {1}), value = tensor<float>({1, 1, 1, 1}, {fine});
  for (const char *name : {"conv", "conv_transpose", "conv_filter_gradient"})
    for (int run = 0; run < 2; ++run)
      EXPECT_EQ(
          call(name, {value, one}, room(ElementType::f32, {1, 1, 1, 1}), params).values<float>()[0],
          fine)
          << name;
}

TEST(Conv, AddsBiasAndResidualBeforeTheActivation) {
  auto run = [&]<typename T>(T) {
    std::vector<Param> params = Window{{1, 1}, {1, 1}, {0, 0}, {0, 0}}.params();
    params.insert(params.end(),
                  {text("activation", "relu"), ints("has_bias", {1}), ints("has_residual", {1})});
    Tensor out = call("conv",
                      {tensor<T>({1, 1, 1, 2}, {1, 2}), tensor<T>({2, 1, 1, 1}, {3, -3}),
                       tensor<T>({2}, {10, 0}), tensor<T>({1, 2, 1, 2}, {100, 200, 1, 7})},
                      room(elementOf<T>(), {1, 2, 1, 2}), params);
    EXPECT_EQ(out.values<T>(), (std::vector<T>{113, 216, 0, 1}));
  };
  run(float());
  run(double());
}

template <typename T> void checkTransposed(const ConvCase &c) {
  Tensor gradient = ramp<T>(c.out(), 7, -3), filter = ramp<T>(c.filter, 5, -2);
  std::vector<Param> params = c.window.params();
  params.push_back(ints("groups", {c.window.groups}));
  Tensor out = call("conv_transpose", {gradient, filter}, room(elementOf<T>(), c.in), params);
  std::vector<double> expected(static_cast<size_t>(product(c.in)));
  std::vector<T> a = gradient.values<T>(), b = filter.values<T>();
  forEachProduct(c.in, c.filter, c.window, [&](int64_t to, int64_t from, int64_t weight) {
    expected[from] += static_cast<double>(a[to]) * static_cast<double>(b[weight]);
  });
  std::vector<T> actual = out.values<T>();
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_EQ(static_cast<double>(actual[i]), expected[i])
        << abi::nameOf(elementOf<T>()) << " at " << i;
}

TEST(ConvTranspose, IsTheGradientOfConv) {
  for (const ConvCase &c : convCases) {
    checkTransposed<float>(c);
    checkTransposed<double>(c);
  }
}

template <typename T> void checkFilterGradient(const ConvCase &c) {
  Tensor input = ramp<T>(c.in, 7, -3), gradient = ramp<T>(c.out(), 5, -2);
  std::vector<Param> params = c.window.params();
  params.push_back(ints("groups", {c.window.groups}));
  Tensor out =
      call("conv_filter_gradient", {input, gradient}, room(elementOf<T>(), c.filter), params);
  std::vector<double> expected(static_cast<size_t>(product(c.filter)));
  std::vector<T> a = input.values<T>(), b = gradient.values<T>();
  forEachProduct(c.in, c.filter, c.window, [&](int64_t to, int64_t from, int64_t weight) {
    expected[weight] += static_cast<double>(static_cast<Wide<T>>(a[from])) *
                        static_cast<double>(static_cast<Wide<T>>(b[to]));
  });
  std::vector<T> actual = out.values<T>();
  for (size_t i = 0; i < actual.size(); ++i) // Sums are whole numbers, of up to 11 bits.
    ASSERT_EQ(static_cast<double>(static_cast<Wide<T>>(actual[i])),
              static_cast<double>(
                  static_cast<Wide<T>>(static_cast<T>(static_cast<Wide<T>>(expected[i])))))
        << abi::nameOf(elementOf<T>()) << " at " << i;
}

TEST(ConvFilterGradient, IsTheGradientOfConv) {
  for (const ConvCase &c : convCases) {
    checkFilterGradient<float>(c);
    checkFilterGradient<double>(c);
    checkFilterGradient<F16>(c);
    checkFilterGradient<BF16>(c);
  }
}

TEST(ConvFilterGradient, IsZeroOfNoImages) {
  Tensor out =
      call("conv_filter_gradient", {ramp<float>({0, 2, 4, 4}), ramp<float>({0, 3, 3, 3})},
           room(ElementType::f32, {3, 2, 2, 2}), Window{{1, 1}, {1, 1}, {0, 0}, {0, 0}}.params());
  for (float value : out.values<float>())
    EXPECT_EQ(value, 0);
}

TEST(Conv, RefusesExtentsThatDoNotFit) {
  EXPECT_NE(callError("conv", {ramp<float>({1, 1, 4, 4}), ramp<float>({1, 1, 3, 3})},
                      {room(ElementType::f32, {1, 1, 3, 2})},
                      Window{{1, 1}, {1, 1}, {0, 0}, {0, 0}}.params())
                .find("give 2 results, not the 3"),
            std::string::npos);
  EXPECT_NE(callError("conv", {ramp<float>({1, 1, 4, 4}), ramp<float>({1, 1, 3, 3})},
                      {room(ElementType::f32, {1, 1, 2, 2})},
                      Window{{0, 1}, {1, 1}, {0, 0}, {0, 0}}.params())
                .find("must be at least 1"),
            std::string::npos);
}

struct PoolCase {
  std::vector<int64_t> in, window;
  Window params;
};
const PoolCase poolCases[] = {{{1, 2, 5, 7}, {3, 3}, {{2, 2}, {1, 1}, {1, 1}, {1, 1}}},
                              {{2, 3, 6, 80}, {2, 3}, {{1, 3}, {2, 1}, {0, 2}, {1, 2}}},
                              {{1, 17, 4, 4}, {4, 4}, {{1, 1}, {1, 1}, {0, 0}, {0, 0}}},
                              {{1, 1, 3, 3}, {2, 2}, {{1, 1}, {1, 1}, {1, 1}, {1, 1}}}};

std::vector<float> referencePool(const PoolCase &c, const std::vector<float> &in,
                                 const std::string &kind, int64_t oy, int64_t ox) {
  std::vector<float> result;
  const Window &w = c.params;
  for (int64_t plane = 0; plane < c.in[0] * c.in[1]; ++plane)
    for (int64_t y = 0; y < oy; ++y)
      for (int64_t x = 0; x < ox; ++x) {
        float best = -INFINITY, sum = 0;
        int64_t inside = 0, padded = 0;
        for (int64_t ky = 0; ky < c.window[0]; ++ky)
          for (int64_t kx = 0; kx < c.window[1]; ++kx) {
            int64_t v = y * w.strides[0] - w.low[0] + ky * w.dilations[0],
                    u = x * w.strides[1] - w.low[1] + kx * w.dilations[1];
            padded += v < c.in[2] + w.high[0] && u < c.in[3] + w.high[1];
            if (v < 0 || v >= c.in[2] || u < 0 || u >= c.in[3])
              continue;
            float value = in[(plane * c.in[2] + v) * c.in[3] + u];
            best = std::max(best, value);
            sum += value;
            ++inside;
          }
        result.push_back(kind == "max" ? best
                         : kind == "sum"
                             ? sum
                             : sum / static_cast<float>(kind == "avg_include" ? padded : inside));
      }
  return result;
}

TEST(Pool, AgreesPlainAndChannelsLast) {
  for (const PoolCase &c : poolCases)
    for (const char *kind : {"max", "sum", "avg_include", "avg_exclude"}) {
      int64_t oy = resultExtent(c.in[2], c.window[0], c.params, 0),
              ox = resultExtent(c.in[3], c.window[1], c.params, 1);
      Tensor in = ramp<float>(c.in, 101, -50);
      std::vector<int64_t> dims = {c.in[0], c.in[1], oy, ox};
      std::vector<Param> params = c.params.params();
      params.insert(params.end(), {ints("window", c.window), text("kind", kind)});
      std::vector<float> expected = referencePool(c, in.values<float>(), kind, oy, ox);
      EXPECT_EQ(call("pool", {in}, room(ElementType::f32, dims), params).values<float>(), expected)
          << kind;

      std::vector<Param> lastParams = params;
      lastParams.push_back(ints("channels_last", {1}));
      EXPECT_EQ(call("pool", {channelsLast(in)}, room(ElementType::f32, {dims[0], oy, ox, dims[1]}),
                     lastParams)
                    .values<float>(),
                channelsLast(tensor<float>(dims, expected)).values<float>())
          << kind << " channels last";

      auto lastStrides = [](const std::vector<int64_t> &d) {
        return std::vector<int64_t>{d[1] * d[2] * d[3], 1, d[3] * d[1], d[1]};
      };
      Tensor last = in, lastOut = room(ElementType::f32, dims);
      last.strides = lastStrides(c.in);
      lastOut.strides = lastStrides(dims);
      Tensor lastIn = call("copy", {in}, last),
             lastResult = call("pool", {lastIn}, lastOut, params);
      EXPECT_EQ(call("copy", {lastResult}, room(ElementType::f32, dims)).values<float>(), expected)
          << kind << " channels last";
    }
}

TEST(Pool, KeepsNanAndMinusInfinity) {
  std::vector<Param> params = Window{{1}, {1}, {0}, {0}}.params();
  params.insert(params.end(), {ints("window", {2}), text("kind", "max")});
  std::vector<float> out = call("pool", {tensor<float>({1, 1, 4}, {-INFINITY, -INFINITY, NAN, 1})},
                                room(ElementType::f32, {1, 1, 3}), params)
                               .values<float>();
  EXPECT_EQ(out[0], -INFINITY);
  EXPECT_TRUE(std::isnan(out[1]) && std::isnan(out[2]));
}

TEST(PoolArgmax, CountsThroughTheWholeInput) {
  std::vector<Param> params = Window{{2, 2}, {1, 1}, {0, 0}, {0, 0}}.params();
  params.push_back(ints("window", {2, 2}));
  Tensor in = tensor<float>({1, 2, 2, 4}, {1, 9, 9, 2, 9, 0, 0, 0, 0, 0, 5, 5, 0, 4, 5, 5});
  for (int64_t order : {0, 1}) {
    std::vector<Param> ordered = params;
    ordered.push_back(ints("storage_order", {order}));
    std::vector<Tensor> outs = {room(ElementType::f32, {1, 2, 1, 2}),
                                room(ElementType::i64, {1, 2, 1, 2})};
    Status status = runCall("pool_argmax", {in}, outs, ordered);
    ASSERT_TRUE(status.isOk()) << status.text();
    EXPECT_EQ(outs[0].values<float>(), (std::vector<float>{9, 9, 4, 5}));
    EXPECT_EQ(outs[1].values<int64_t>(), order ? (std::vector<int64_t>{2, 4, 8 + 3, 8 + 4})
                                               : (std::vector<int64_t>{1, 2, 8 + 5, 8 + 2}));
  }
}

} // namespace
} // namespace sheaf::rt::test
