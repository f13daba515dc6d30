// Runs every kind of graph.unary on every type against the C library's functions in f64.
#include "test/passes/lowering/kernel/accuracy.h"
#include "test/passes/lowering/kernel/kernel_test.h"

using namespace sheaf::lowering;

namespace {

SHEAF_KERNEL_TEST(UnaryKernel);

struct FloatKind {
  const char *name;
  double (*function)(double);
  double low, high;    // where random operands lie
  double ulps;         // of f32, beside the rounding of the result
  double absolute = 0; // for results that cancel
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// Correctly rounded instructions have 0 beside the result's rounding. Polynomials of Cephes are
// given with 1 to 2 ulp; functions made of several steps have the sum of theirs. erf is a minimax of
// the value, not of the ratio: absolute 5e-7; so gelu_erf has that times x/2.
const FloatKind floatKinds[] = {
    {"abs", [](double x) { return std::abs(x); }, -10, 10, 0},
    {"neg", [](double x) { return -x; }, -10, 10, 0},
    {"sign", [](double x) { return x > 0   ? 1.0
                                   : x < 0 ? -1.0
                                           : x; }, -2, 2, 0},
    {"floor", [](double x) { return std::floor(x); }, -10, 10, 0},
    {"ceil", [](double x) { return std::ceil(x); }, -10, 10, 0},
    {"round", [](double x) { return std::nearbyint(x); }, -10, 10, 0},
    {"exp", [](double x) { return std::exp(x); }, -87, 88, 2},
    {"log", [](double x) { return std::log(x); }, 0, 30, 2},
    {"log1p", [](double x) { return std::log1p(x); }, -1, 3, 4},
    {"expm1", [](double x) { return std::expm1(x); }, -20, 5, 3},
    {"sqrt", [](double x) { return std::sqrt(x); }, 0, 100, 0},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0, 100, 1},
    {"reciprocal", [](double x) { return 1 / x; }, -10, 10, 0},
    {"sin", [](double x) { return std::sin(x); }, -300, 300, 2, 1e-7},
    {"cos", [](double x) { return std::cos(x); }, -300, 300, 2, 1e-7},
    {"tan", [](double x) { return std::tan(x); }, -1.5, 1.5, 1},
    {"asin", [](double x) { return std::asin(x); }, -1, 1, 1},
    {"acos", [](double x) { return std::acos(x); }, -1, 1, 1},
    {"atan", [](double x) { return std::atan(x); }, -10, 10, 1},
    {"sinh", [](double x) { return std::sinh(x); }, -10, 10, 3},
    {"cosh", [](double x) { return std::cosh(x); }, -10, 10, 3},
    {"tanh", [](double x) { return std::tanh(x); }, -10, 10, 4},
    {"asinh", [](double x) { return std::asinh(x); }, -10, 10, 3},
    {"acosh", [](double x) { return std::acosh(x); }, 1, 10, 3},
    {"atanh", [](double x) { return std::atanh(x); }, -1, 1, 3},
    {"erf", [](double x) { return std::erf(x); }, -5, 5, 4, 5e-7},
    {"relu", [](double x) { return x < 0 ? 0.0 : x; }, -10, 10, 0},
    {"sigmoid", sigmoid, -80, 80, 4},
    {"silu", [](double x) { return x * sigmoid(x); }, -80, 80, 4},
    {"gelu_erf", [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }, -6, 6, 8,
     1.5e-6},
    {"gelu_tanh",
     [](double x) {
       double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
       return x / 2 * (1 + std::tanh(u));
     },
     -8, 8, 8, 1e-6},
    {"softplus", softplus, -80, 80, 6},
    {"mish", [](double x) { return x * std::tanh(softplus(x)); }, -80, 80, 6},
};

const double edges[] = {0.0,   -0.0, 1.0,   -1.0, 0.5,   -0.5,  1e-30, -1e-30,
                        1e-40, 1e10, -1e10, 1e30, -1e30, 300.0, -300.0};

TEST_P(UnaryKernel, FloatsAgreeWithTheLibrary) {
  for (const FloatKind &kind : floatKinds) {
    for (const char *element : {"f32", "f64", "f16", "bf16"}) {
      const int64_t count = 333;
      Tensor x(element, {count}), y(element, {count});
      for (int64_t i = 0; i < count; ++i)
        x.set(i, kind.low + (kind.high - kind.low) * i / (count - 1));
      std::vector<Tensor> operands{x}, results{y};
      std::string body = "    %y = graph.unary " + std::string(kind.name) + " %a0 : " + x.type() +
                         "\n    graph.yield %y : " + y.type();
      run(clusterText(operands, results, body), operands, results);
      // f64 goes through the library and a few roundings of its own; its oracle errs as much.
      double ulps = element == std::string("f64") ? kind.ulps + 4 : kind.ulps;
      double absolute = element == std::string("f64") ? 1e-14 : kind.absolute;
      for (int64_t i = 0; i < count; ++i)
        EXPECT_TRUE(isClose(y, results[0].get(i), kind.function(x.get(i)), ulps, absolute))
            << kind.name << " " << element << " of " << x.get(i) << " is " << results[0].get(i)
            << ", not " << kind.function(x.get(i));
    }
  }
}

TEST_P(UnaryKernel, FloatsKeepEdges) {
  for (const FloatKind &kind : floatKinds) {
    std::vector<double> values(std::begin(edges), std::end(edges));
    values.push_back(std::numeric_limits<double>::infinity());
    values.push_back(-std::numeric_limits<double>::infinity());
    values.push_back(std::nan(""));
    Tensor x("f32", {static_cast<int64_t>(values.size())});
    for (size_t i = 0; i < values.size(); ++i)
      x.set(i, values[i]);
    std::vector<Tensor> operands{x}, results{x};
    std::string body = "    %y = graph.unary " + std::string(kind.name) + " %a0 : " + x.type() +
                       "\n    graph.yield %y : " + x.type();
    run(clusterText(operands, results, body), operands, results);
    for (size_t i = 0; i < values.size(); ++i) {
      double expected = kind.function(x.get(i));
      EXPECT_TRUE(
          isClose(x, results[0].get(i), expected, kind.ulps, std::max(kind.absolute, 1e-37)))
          << kind.name << " of " << x.get(i) << " is " << results[0].get(i) << ", not " << expected;
    }
  }
}

TEST_P(UnaryKernel, Integers) {
  struct {
    const char *name;
    int64_t (*function)(int64_t);
  } kinds[] = {{"abs", [](int64_t x) { return x < 0 ? -x : x; }},
               {"neg", [](int64_t x) { return -x; }},
               {"sign", [](int64_t x) { return int64_t(x > 0) - int64_t(x < 0); }},
               {"not", [](int64_t x) { return ~x; }},
               {"relu", [](int64_t x) { return x < 0 ? 0 : x; }}};
  for (auto &kind : kinds) {
    for (const char *element : {"i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"}) {
      Tensor x(element, {67});
      for (int64_t i = 0; i < 67; ++i)
        x.setInt(i, (i - 33) * 3);
      std::vector<Tensor> operands{x}, results{x};
      std::string body = "    %y = graph.unary " + std::string(kind.name) + " %a0 : " + x.type() +
                         "\n    graph.yield %y : " + x.type();
      run(clusterText(operands, results, body), operands, results);
      Tensor expected = x;
      for (int64_t i = 0; i < 67; ++i) {
        int64_t value = x.getInt(i);
        bool isBig = x.isUnsigned() && value < 0; // ui64 past the signed range
        expected.setInt(i,
                        isBig && kind.name != std::string("neg") && kind.name != std::string("not")
                            ? (kind.name == std::string("sign") ? 1 : value)
                            : kind.function(value));
        EXPECT_EQ(results[0].getInt(i), expected.getInt(i))
            << kind.name << " " << element << " of " << value;
      }
    }
  }
}

} // namespace
