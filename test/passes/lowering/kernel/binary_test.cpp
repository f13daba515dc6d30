// Runs every kind of graph.binary, graph.compare and graph.select against plain loops.
#include "test/passes/lowering/kernel/accuracy.h"
#include "test/passes/lowering/kernel/kernel_test.h"

using namespace sheaf::lowering;

namespace {

SHEAF_KERNEL_TEST(BinaryKernel);

constexpr double infinity = std::numeric_limits<double>::infinity();

double flooredModulo(double x, double y) {
  double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
double maxOrNan(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? NAN : std::max(x, y);
}
double minOrNan(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? NAN : std::min(x, y);
}

struct FloatKind {
  const char *name;
  double (*function)(double, double);
  double ulps;
};
const FloatKind floatKinds[] = {
    {"add", [](double x, double y) { return x + y; }, 0},
    {"sub", [](double x, double y) { return x - y; }, 0},
    {"mul", [](double x, double y) { return x * y; }, 0},
    {"div", [](double x, double y) { return x / y; }, 0},
    {"pow", [](double x, double y) { return std::pow(x, y); }, 1},
    {"max", maxOrNan, 0},
    {"min", minOrNan, 0},
    {"mod", flooredModulo, 1},
    {"rem", [](double x, double y) { return std::fmod(x, y); }, 0},
    {"atan2", [](double x, double y) { return std::atan2(x, y); }, 1},
};

std::string binaryBody(const std::string &op, const Tensor &operand, const Tensor &result) {
  return "    %y = graph." + op + " %a0, %a1 : " + operand.type() +
         "\n    graph.yield %y : " + result.type();
}

TEST_P(BinaryKernel, Floats) {
  const double values[] = {0, -0.0, 1, -1, 2.5, -3.25, 7, 1e-30, -1e30, infinity, -infinity, NAN};
  const int64_t count = std::size(values) * std::size(values);
  for (const FloatKind &kind : floatKinds) {
    for (const char *element : {"f32", "f64", "f16", "bf16"}) {
      Tensor x(element, {count}), y(element, {count});
      for (int64_t i = 0; i < count; ++i) {
        x.set(i, values[i / std::size(values)]);
        y.set(i, values[i % std::size(values)]);
      }
      std::vector<Tensor> operands{x, y}, results{x};
      run(clusterText(operands, results, binaryBody(std::string("binary ") + kind.name, x, x)),
          operands, results);
      for (int64_t i = 0; i < count; ++i) {
        double expected = kind.function(x.get(i), y.get(i));
        EXPECT_TRUE(isClose(x, results[0].get(i), expected, kind.ulps))
            << kind.name << " " << element << " of " << x.get(i) << ", " << y.get(i) << " is "
            << results[0].get(i) << ", not " << expected;
      }
    }
  }
}

TEST_P(BinaryKernel, PowersByKnownExponents) {
  const double values[] = {0, -0.0, 1, -1, 2.5, -3.25, 7, 1e-10, infinity, -infinity, NAN};
  for (double exponent : {0.0, 1.0, 2.0, 3.0, 4.0, 0.5, -1.0, -2.0, -0.5, 1.5}) {
    Tensor x("f32", {static_cast<int64_t>(std::size(values))});
    for (size_t i = 0; i < std::size(values); ++i)
      x.set(i, values[i]);
    std::vector<Tensor> operands{x}, results{x};
    std::string body = "    %c = graph.constant dense<" + std::to_string(exponent) +
                       "> : tensor<f32>\n    %b = graph.broadcast %c to [] : tensor<f32> -> " +
                       x.type() + "\n    %y = graph.binary pow %a0, %b : " + x.type() +
                       "\n    graph.yield %y : " + x.type();
    run(clusterText(operands, results, body), operands, results);
    for (size_t i = 0; i < std::size(values); ++i)
      EXPECT_TRUE(isClose(x, results[0].get(i), std::pow(x.get(i), exponent), 2))
          << x.get(i) << " to the " << exponent << " is " << results[0].get(i);
  }
}

struct IntegerKind {
  const char *name;
  // Computed in 128 bits, so that nothing overflows; the result wraps.
  __int128 (*function)(__int128, __int128);
  bool isTotal; // defined for every second operand
};
__int128 truncated(__int128 x, __int128 y) { return x / y; }
__int128 remainder(__int128 x, __int128 y) { return x % y; }
__int128 modulo(__int128 x, __int128 y) { return (x % y + y) % y; }
const IntegerKind integerKinds[] = {
    {"add", [](__int128 x, __int128 y) { return x + y; }, true},
    {"sub", [](__int128 x, __int128 y) { return x - y; }, true},
    // Products of unsigned 64-bit numbers pass 127 bits, so they wrap as unsigned ones.
    {"mul",
     [](__int128 x, __int128 y) {
       return static_cast<__int128>(static_cast<unsigned __int128>(x) *
                                    static_cast<unsigned __int128>(y));
     },
     true},
    {"div", truncated, false},
    {"rem", remainder, false},
    {"mod", modulo, false},
    {"max", [](__int128 x, __int128 y) { return std::max(x, y); }, true},
    {"min", [](__int128 x, __int128 y) { return std::min(x, y); }, true},
    {"and", [](__int128 x, __int128 y) { return x & y; }, true},
    {"or", [](__int128 x, __int128 y) { return x | y; }, true},
    {"xor", [](__int128 x, __int128 y) { return x ^ y; }, true},
};

__int128 wide(const Tensor &tensor, int64_t index) {
  int64_t value = tensor.getInt(index);
  return tensor.isUnsigned() ? static_cast<__int128>(static_cast<uint64_t>(value)) : value;
}

TEST_P(BinaryKernel, IntegersWrapAndNeverTrap) {
  for (const IntegerKind &kind : integerKinds) {
    for (const char *element : {"i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"}) {
      Tensor probe(element, {1});
      int64_t lowest = INT64_MIN >> (64 - probe.bits());
      const int64_t values[] = {0, 1, -1, 2, 3, -7, 100, lowest, lowest + 1, ~lowest};
      const int64_t count = std::size(values) * std::size(values);
      Tensor x(element, {count}), y(element, {count});
      for (int64_t i = 0; i < count; ++i) {
        x.setInt(i, values[i / std::size(values)]);
        y.setInt(i, values[i % std::size(values)]);
      }
      std::vector<Tensor> operands{x, y}, results{x};
      run(clusterText(operands, results, binaryBody(std::string("binary ") + kind.name, x, x)),
          operands, results);
      Tensor expected = x;
      for (int64_t i = 0; i < count; ++i) {
        if (!kind.isTotal && wide(y, i) == 0)
          continue;
        expected.setInt(i, static_cast<int64_t>(kind.function(wide(x, i), wide(y, i))));
        EXPECT_EQ(results[0].getInt(i), expected.getInt(i))
            << kind.name << " " << element << " of " << x.getInt(i) << ", " << y.getInt(i);
      }
    }
  }
}

TEST_P(BinaryKernel, IntegerPowersAndShifts) {
  for (const char *element : {"i8", "ui8", "i32", "ui32", "i64"}) {
    Tensor x(element, {70}), y(element, {70});
    for (int64_t i = 0; i < 70; ++i) {
      x.setInt(i, i / 10 - 3);
      y.setInt(i, i % 10);
    }
    std::vector<Tensor> operands{x, y}, results{x, x, x};
    std::string type = x.type();
    run(clusterText(operands, results,
                    "    %p = graph.binary pow %a0, %a1 : " + type +
                        "\n    %l = graph.binary shift_left %a0, %a1 : " + type +
                        "\n    %r = graph.binary shift_right %a0, %a1 : " + type +
                        "\n    graph.yield %p, %l, %r : " + type + ", " + type + ", " + type),
        operands, results);
    Tensor expected = x;
    for (int64_t i = 0; i < 70; ++i) {
      __int128 power = 1;
      for (int64_t k = 0; k < y.getInt(i); ++k)
        power = static_cast<uint64_t>(power * wide(x, i)); // Wraps as the type does.
      expected.setInt(i, static_cast<int64_t>(power));
      EXPECT_EQ(results[0].getInt(i), expected.getInt(i)) << element << " pow " << i;
      bool isWide = y.getInt(i) >= x.bits();
      uint64_t left = isWide ? 0 : static_cast<uint64_t>(x.getInt(i)) << y.getInt(i);
      expected.setInt(i, static_cast<int64_t>(left));
      EXPECT_EQ(results[1].getInt(i), expected.getInt(i)) << element << " shift_left " << i;
      expected.setInt(i, static_cast<int64_t>(wide(x, i) >> (isWide ? 64 : y.getInt(i))));
      EXPECT_EQ(results[2].getInt(i), expected.getInt(i)) << element << " shift_right " << i;
    }
  }
}

TEST_P(BinaryKernel, ComparisonsChoose) {
  const double values[] = {0, -0.0, 1, -1, 2, infinity, NAN};
  const int64_t count = std::size(values) * std::size(values);
  struct {
    const char *name;
    bool (*function)(double, double);
  } kinds[] = {{"eq", [](double x, double y) { return x == y; }},
               {"ne", [](double x, double y) { return x != y; }},
               {"lt", [](double x, double y) { return x < y; }},
               {"le", [](double x, double y) { return x <= y; }},
               {"gt", [](double x, double y) { return x > y; }},
               {"ge", [](double x, double y) { return x >= y; }}};
  for (auto &kind : kinds) {
    for (const char *element : {"f32", "f64", "bf16", "i8", "ui8", "i64", "i1"}) {
      Tensor x(element, {count}), y(element, {count}), p("i1", {count});
      for (int64_t i = 0; i < count; ++i) {
        double left = values[i / std::size(values)], right = values[i % std::size(values)];
        bool isBoolean = element == std::string("i1");
        auto fill = [&](Tensor &tensor, double value) {
          if (tensor.isFloat())
            tensor.set(i, value);
          else
            tensor.setInt(i, isBoolean ? value > 0 : std::isfinite(value) ? value : 5);
        };
        fill(x, left);
        fill(y, right);
      }
      std::vector<Tensor> operands{x, y}, results{p, x};
      run(clusterText(operands, results,
                      "    %p = graph.compare " + std::string(kind.name) + " %a0, %a1 : " +
                          x.type() + "\n    %s = graph.select %p, %a1, %a0 : " + p.type() + ", " +
                          x.type() + "\n    graph.yield %p, %s : " + p.type() + ", " + x.type()),
          operands, results);
      auto valueOf = [](const Tensor &tensor, int64_t i) {
        return tensor.isFloat() ? tensor.get(i) : static_cast<double>(wide(tensor, i));
      };
      for (int64_t i = 0; i < count; ++i) {
        bool expected = kind.function(valueOf(x, i), valueOf(y, i));
        EXPECT_EQ(results[0].getInt(i), expected) << kind.name << " " << element << " " << i;
        double chosen = valueOf(expected ? y : x, i), found = valueOf(results[1], i);
        EXPECT_TRUE(found == chosen || (std::isnan(found) && std::isnan(chosen)));
      }
    }
  }
}

} // namespace
