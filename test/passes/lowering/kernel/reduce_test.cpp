// Runs reductions over trailing, leading, middle and all dims against plain loops.
#include "test/passes/lowering/kernel/accuracy.h"
#include "test/passes/lowering/kernel/kernel_test.h"

using namespace sheaf::lowering;

namespace {

SHEAF_KERNEL_TEST(ReduceKernel);

/// Calls `visit` with the flat index of each element and of the element of the result it goes to.
void forEachElement(const Tensor &x, const std::vector<int64_t> &dims,
                    const std::function<void(int64_t, int64_t)> &visit) {
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t rest = i, target = 0, stride = 1;
    for (int64_t dim = x.dims.size(); dim-- > 0;) {
      int64_t index = rest % x.dims[dim];
      rest /= x.dims[dim];
      if (llvm::is_contained(dims, dim))
        continue;
      target += index * stride;
      stride *= x.dims[dim];
    }
    visit(i, target);
  }
}

Tensor resultOf(const Tensor &x, const std::vector<int64_t> &dims) {
  std::vector<int64_t> kept;
  for (int64_t dim = 0; dim < static_cast<int64_t>(x.dims.size()); ++dim)
    if (!llvm::is_contained(dims, dim))
      kept.push_back(x.dims[dim]);
  return Tensor(x.element, kept);
}

std::string reduceBody(const std::string &kind, const Tensor &x, const Tensor &y,
                       const std::vector<int64_t> &dims) {
  std::string list;
  for (int64_t dim : dims)
    list += (list.empty() ? "" : ", ") + std::to_string(dim);
  return "    %y = graph.reduce " + kind + " %a0 over [" + list + "] : " + x.type() +
         "\n    graph.yield %y : " + y.type();
}

/// Small whole numbers: their sums are exact in any order.
void fill(Tensor &x) {
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t value = (i * 37 + i / 11) % 9 - 4;
    if (x.isFloat())
      x.set(i, static_cast<double>(value));
    else
      x.setInt(i, value);
  }
}

class ReduceSizes : public ReduceKernel {
protected:
  void check(const std::vector<int64_t> &shape, const std::vector<int64_t> &dims) {
    Tensor x("f32", shape), y = resultOf(x, dims);
    fill(x);
    std::vector<Tensor> operands{x}, results{y, y};
    run(clusterText(operands, results,
                    "    %s = graph.reduce sum %a0 over [" + listOf(dims) + "] : " + x.type() +
                        "\n    %m = graph.reduce max %a0 over [" + listOf(dims) + "] : " +
                        x.type() + "\n    graph.yield %s, %m : " + y.type() + ", " + y.type()),
        operands, results);
    std::vector<double> sums(y.size(), 0), maxima(y.size(), -INFINITY);
    forEachElement(x, dims, [&](int64_t from, int64_t to) {
      sums[to] += x.get(from);
      maxima[to] = std::max(maxima[to], x.get(from));
    });
    for (int64_t i = 0; i < y.size(); ++i) {
      EXPECT_EQ(results[0].get(i), sums[i]) << x.type() << " over " << listOf(dims) << " at " << i;
      EXPECT_EQ(results[1].get(i), maxima[i]) << x.type() << " over " << listOf(dims);
    }
  }
  static std::string listOf(const std::vector<int64_t> &dims) {
    std::string list;
    for (int64_t dim : dims)
      list += (list.empty() ? "" : ", ") + std::to_string(dim);
    return list;
  }
};
INSTANTIATE_TEST_SUITE_P(, ReduceSizes, testing::Values("x86-64-v4", "x86-64-v3"),
                         [](const auto &info) { return std::string(info.param + 7); });

const int64_t sizes[] = {0, 1, 15, 16, 17, 63, 64, 65, 1000};

TEST_P(ReduceSizes, Trailing) {
  for (int64_t columns : sizes)
    check({3, columns}, {1});
  check({0, 5}, {1});
}

TEST_P(ReduceSizes, Leading) {
  for (int64_t rows : sizes)
    check({5, rows}, {0});
  check({1000, 3}, {0});
  check({0, 5}, {0});
}

TEST_P(ReduceSizes, MiddleAndOuter) {
  check({3, 7, 33}, {1});
  check({3, 7, 33}, {0, 2});
  check({2, 3, 5, 17}, {1, 3});
  check({2, 3, 5, 70}, {0, 2});
}

TEST_P(ReduceSizes, All) {
  check({7, 100}, {0, 1});
  check({20000}, {0});
  check({1}, {0});
}

TEST_P(ReduceKernel, KindsAndTypes) {
  struct {
    const char *name;
    double start;
    double (*combine)(double, double);
  } kinds[] = {{"sum", 0, [](double x, double y) { return x + y; }},
               {"prod", 1, [](double x, double y) { return x * y; }},
               {"max", -INFINITY, [](double x, double y) { return std::max(x, y); }},
               {"min", INFINITY, [](double x, double y) { return std::min(x, y); }}};
  for (auto &kind : kinds) {
    for (const char *element :
         {"f32", "f64", "f16", "bf16", "i8", "ui8", "i16", "i32", "ui32", "i64", "ui64"}) {
      for (int64_t dim : {0, 1}) {
        Tensor x(element, {19, 21}), y = resultOf(x, {dim});
        for (int64_t i = 0; i < x.size(); ++i) {
          int64_t value = i % 13 == 0 ? 2 : 1; // Products stay small.
          if (x.isFloat())
            x.set(i, value);
          else
            x.setInt(i, value);
        }
        std::vector<Tensor> operands{x}, results{y};
        run(clusterText(operands, results, reduceBody(kind.name, x, y, {dim})), operands, results);
        std::vector<double> expected(y.size(), kind.start);
        forEachElement(x, {dim}, [&](int64_t from, int64_t to) {
          expected[to] = kind.combine(
              expected[to], x.isFloat() ? x.get(from) : static_cast<double>(x.getInt(from)));
        });
        for (int64_t i = 0; i < y.size(); ++i)
          EXPECT_EQ(y.isFloat() ? results[0].get(i) : static_cast<double>(results[0].getInt(i)),
                    expected[i])
              << kind.name << " " << element << " over " << dim << " at " << i;
      }
    }
  }
}

TEST_P(ReduceKernel, BooleansAndEmptyRows) {
  Tensor x("i1", {4, 70}), y("i1", {4});
  x.setInt(70 + 69, 1);
  for (int64_t i = 0; i < 70; ++i) {
    x.setInt(140 + i, 1);
    x.setInt(210 + i, i != 20);
  }
  std::vector<Tensor> operands{x}, results{y, y};
  run(clusterText(operands, results,
                  "    %y = graph.reduce any %a0 over [1] : tensor<4x70xi1>\n"
                  "    %z = graph.reduce all %a0 over [1] : tensor<4x70xi1>\n"
                  "    graph.yield %y, %z : tensor<4xi1>, tensor<4xi1>"),
      operands, results);
  const bool any[] = {false, true, true, true}, all[] = {false, false, true, false};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(results[0].getInt(i), any[i]) << i;
    EXPECT_EQ(results[1].getInt(i), all[i]) << i;
  }
  struct {
    const char *kind, *element;
    double expected;
  } empty[] = {{"sum", "f32", 0},        {"prod", "f32", 1},  {"max", "f32", -INFINITY},
               {"min", "f32", INFINITY}, {"max", "i8", -128}, {"min", "i8", 127},
               {"max", "ui8", 0},        {"min", "ui8", 255}, {"any", "i1", 0},
               {"all", "i1", 1},         {"prod", "i64", 1}};
  for (auto &row : empty) {
    Tensor none(row.element, {3, 0}), result(row.element, {3});
    std::vector<Tensor> emptyOperands{none}, emptyResults{result};
    run(clusterText(emptyOperands, emptyResults, reduceBody(row.kind, none, result, {1})),
        emptyOperands, emptyResults);
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_EQ(result.isFloat() ? emptyResults[0].get(i) : emptyResults[0].getInt(i), row.expected)
          << row.kind << " " << row.element;
  }
}

TEST_P(ReduceKernel, ExtremesKeepNaN) {
  for (int64_t place : {0, 17, 69}) {
    Tensor x("f32", {2, 70}), y("f32", {2});
    fill(x);
    x.set(place, NAN);
    std::vector<Tensor> operands{x}, results{y, y};
    run(clusterText(operands, results,
                    "    %y = graph.reduce max %a0 over [1] : tensor<2x70xf32>\n"
                    "    %z = graph.reduce min %a0 over [1] : tensor<2x70xf32>\n"
                    "    graph.yield %y, %z : tensor<2xf32>, tensor<2xf32>"),
        operands, results);
    EXPECT_TRUE(std::isnan(results[0].get(0))) << place;
    EXPECT_TRUE(std::isnan(results[1].get(0))) << place;
    EXPECT_EQ(results[0].get(1), 4);
    EXPECT_EQ(results[1].get(1), -4);
  }
}

} // namespace
