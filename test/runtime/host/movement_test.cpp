// Gathers and scatters: what they move, what they refuse, how they report bad indices.
#include "test/runtime/host/call_runner.h"

namespace sheaf::rt::test {
namespace {

using Floats = std::vector<float>;

TEST(Gather, TakesSlicesAlongAnyDim) {
  Tensor data = tensor<float>({3, 2}, {0, 1, 10, 11, 20, 21});
  Tensor rows = tensor<int64_t>({2, 2}, {2, 0, -1, 1});
  EXPECT_EQ(call("gather", {data, rows}, room(ElementType::f32, {2, 2, 2}), {ints("dim", {0})})
                .values<float>(),
            (Floats{20, 21, 0, 1, 20, 21, 10, 11}));
  EXPECT_EQ(call("gather", {data, tensor<int32_t>({1}, {1})}, room(ElementType::f32, {3, 1}),
                 {ints("dim", {1})})
                .values<float>(),
            (Floats{1, 11, 21}));
  Tensor transposed = data;
  transposed.dims = {2, 3};
  transposed.strides = {1, 2};
  EXPECT_EQ(call("gather", {transposed, tensor<int32_t>({}, {1})}, room(ElementType::f32, {3}),
                 {ints("dim", {0})})
                .values<float>(),
            (Floats{1, 11, 21}));
}

TEST(Gather, TakesBatchDims) {
  Tensor data = tensor<float>({2, 3}, {0, 1, 2, 10, 11, 12});
  Tensor indices = tensor<int64_t>({2, 2}, {2, 0, 1, 1});
  EXPECT_EQ(call("gather", {data, indices}, room(ElementType::f32, {2, 2}),
                 {ints("dim", {1}), ints("batch_dims", {1})})
                .values<float>(),
            (Floats{2, 0, 11, 11}));
}

TEST(Gather, ReportsAnIndexOutOfRange) {
  std::vector<Tensor> outs = {room(ElementType::f32, {2})};
  Status status =
      runCall("gather", {ramp<float>({3}), tensor<int64_t>({2}, {1, 3})}, outs, {ints("dim", {0})});
  EXPECT_EQ(status.code(), StatusCode::failed);
  EXPECT_EQ(
      status.text(),
      "step 0 (gather): node \"the user's node\": index 3 is out of range for an extent of 3");
}

TEST(GatherElements, TakesElementsAlongAnyDim) {
  Tensor data = tensor<float>({2, 3}, {0, 1, 2, 10, 11, 12});
  EXPECT_EQ(call("gather_elements", {data, tensor<int64_t>({2, 2}, {2, 0, -1, 1})},
                 room(ElementType::f32, {2, 2}), {ints("dim", {1})})
                .values<float>(),
            (Floats{2, 0, 12, 11}));
  EXPECT_EQ(call("gather_elements", {data, tensor<int64_t>({1, 2}, {1, 0})},
                 room(ElementType::f32, {1, 2}), {ints("dim", {0})})
                .values<float>(),
            (Floats{10, 1}));
  EXPECT_NE(callError("gather_elements", {data, tensor<int64_t>({1, 1}, {7})},
                      {room(ElementType::f32, {1, 1})}, {ints("dim", {0})})
                .find("index 7"),
            std::string::npos);
}

TEST(GatherNd, TakesTuplesAndBatches) {
  Tensor data = tensor<int32_t>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(call("gather_nd", {data, tensor<int64_t>({2, 2}, {0, 1, 1, -2})},
                 room(ElementType::i32, {2, 2}))
                .values<int32_t>(),
            (std::vector<int32_t>{2, 3, 4, 5}));
  EXPECT_EQ(call("gather_nd", {data, tensor<int64_t>({2, 1}, {1, 0})},
                 room(ElementType::i32, {2, 2}), {ints("batch_dims", {1})})
                .values<int32_t>(),
            (std::vector<int32_t>{2, 3, 4, 5}));
  EXPECT_NE(callError("gather_nd", {data, tensor<int64_t>({1, 3}, {0, 2, 0})},
                      {room(ElementType::i32, {1})})
                .find("index 2 is out of range for an extent of 2"),
            std::string::npos);
  // Of a block, the extents that indices count in are told.
  EXPECT_NE(callError("gather_nd", {data, tensor<int64_t>({1, 3}, {0, 9, 0})},
                      {room(ElementType::i32, {1})}, {ints("whole", {5, 9, 2})})
                .find("index 9 is out of range for an extent of 9"),
            std::string::npos);
}

TEST(ScatterElements, SetsAndCombinesInOrder) {
  Tensor data = tensor<float>({4}, {1, 2, 3, 4});
  Tensor indices = tensor<int64_t>({3}, {1, 1, -1}), updates = tensor<float>({3}, {10, 5, 7});
  auto scatter = [&](const char *kind) {
    return call("scatter_elements", {data, indices, updates}, room(ElementType::f32, {4}),
                {ints("dim", {0}), text("kind", kind)})
        .values<float>();
  };
  EXPECT_EQ(scatter("set"), (Floats{1, 5, 3, 7}));
  EXPECT_EQ(scatter("add"), (Floats{1, 17, 3, 11}));
  EXPECT_EQ(scatter("mul"), (Floats{1, 100, 3, 28}));
  EXPECT_EQ(scatter("max"), (Floats{1, 10, 3, 7}));
  EXPECT_EQ(scatter("min"), (Floats{1, 2, 3, 4}));
}

TEST(ScatterElements, WorksAlongInnerAndOuterDims) {
  Tensor data = tensor<int32_t>({2, 3}, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(call("scatter_elements",
                 {data, tensor<int32_t>({1, 2}, {1, 0}), tensor<int32_t>({1, 2}, {8, 9})},
                 room(ElementType::i32, {2, 3}), {ints("dim", {0})})
                .values<int32_t>(),
            (std::vector<int32_t>{0, 9, 0, 8, 0, 0}));
  EXPECT_EQ(call("scatter_elements",
                 {data, tensor<int32_t>({2, 1}, {2, 1}), tensor<int32_t>({2, 1}, {8, 9})},
                 room(ElementType::i32, {2, 3}), {ints("dim", {1})})
                .values<int32_t>(),
            (std::vector<int32_t>{0, 0, 8, 0, 9, 0}));
}

TEST(ScatterNd, SetsSlicesInOrder) {
  Tensor data = tensor<float>({3, 2}, {0, 0, 1, 1, 2, 2});
  Tensor indices = tensor<int64_t>({3, 1}, {2, 0, 2}),
         updates = tensor<float>({3, 2}, {5, 6, 7, 8, 9, 9});
  EXPECT_EQ(
      call("scatter_nd", {data, indices, updates}, room(ElementType::f32, {3, 2})).values<float>(),
      (Floats{7, 8, 1, 1, 9, 9}));
  EXPECT_EQ(call("scatter_nd", {data, indices, updates}, room(ElementType::f32, {3, 2}),
                 {text("kind", "add")})
                .values<float>(),
            (Floats{7, 8, 1, 1, 16, 17}));
  EXPECT_NE(callError("scatter_nd", {data, tensor<int64_t>({1, 1}, {-4}), ramp<float>({1, 2})},
                      {room(ElementType::f32, {3, 2})})
                .find("index -4"),
            std::string::npos);
}

TEST(Fill, TakesEveryType) {
  for (int type = 0; type <= static_cast<int>(ElementType::MAX); ++type) {
    Tensor filled =
        call("fill", {}, room(static_cast<ElementType>(type), {3, 5}), {floats("value", {1})});
    EXPECT_EQ(call("cast", {filled}, room(ElementType::f32, {3, 5})).values<float>(),
              Floats(15, 1.0f));
  }
  EXPECT_EQ(call("fill", {}, room(ElementType::i64, {2}), {ints("value_int", {INT64_MAX})})
                .values<int64_t>()[1],
            INT64_MAX);
  EXPECT_EQ(call("fill", {}, room(ElementType::f32, {0})).values<float>(), Floats{});
}

} // namespace
} // namespace sheaf::rt::test
