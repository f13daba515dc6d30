// The call `copy`, against loops that compute every address.
#include "test/runtime/host/call_runner.h"

#include <random>

namespace sheaf::rt::test {
namespace {

/// What copy must leave in the out's memory.
std::vector<std::byte> referenceCopy(const Tensor &in, Tensor out) {
  auto bytes = static_cast<size_t>(abi::bytesOf(in.type));
  auto stridesOf = [](const Tensor &t) {
    return t.strides.empty() ? abi::rowMajorStrides(t.dims) : t.strides;
  };
  std::vector<int64_t> inStrides = stridesOf(in), outStrides = stridesOf(out);
  for (int64_t i = 0, count = product(in.dims); i < count; ++i) {
    int64_t from = in.offset, to = out.offset, rest = i;
    for (size_t dim = in.dims.size(); dim-- > 0; rest /= in.dims[dim]) {
      from += rest % in.dims[dim] * inStrides[dim];
      to += rest % in.dims[dim] * outStrides[dim];
    }
    std::memcpy(&out.memory[static_cast<size_t>(to) * bytes],
                &in.memory[static_cast<size_t>(from) * bytes], bytes);
  }
  return out.memory;
}

Tensor bytesOf(ElementType type, std::vector<int64_t> dims) {
  Tensor t = room(type, std::move(dims));
  for (size_t i = 0; i < t.memory.size(); ++i)
    t.memory[i] = static_cast<std::byte>(i * 31 + i / 256);
  return t;
}

/// Views `t` with its dims in another order.
Tensor permuted(Tensor t, const std::vector<size_t> &order) {
  std::vector<int64_t> strides = abi::rowMajorStrides(t.dims), dims = t.dims;
  t.strides.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    t.dims[i] = dims[order[i]];
    t.strides[i] = strides[order[i]];
  }
  return t;
}

void check(const Tensor &in, const Tensor &out) {
  EXPECT_EQ(call("copy", {in}, out).memory, referenceCopy(in, out))
      << abi::nameOf(in.type) << " " << ::testing::PrintToString(in.dims) << " strides "
      << ::testing::PrintToString(in.strides);
}

TEST(Copy, TransposesEverySizeOfElement) {
  for (ElementType type : {ElementType::i8, ElementType::bf16, ElementType::f32, ElementType::f64})
    for (int64_t rows : {1, 7, 8, 17, 64})
      for (int64_t columns : {1, 5, 16, 31, 130})
        check(permuted(bytesOf(type, {rows, columns}), {1, 0}), room(type, {columns, rows}));
}

TEST(Copy, TransposesWithBatchAndAroundMiddleDims) {
  check(permuted(bytesOf(ElementType::f32, {3, 33, 20}), {0, 2, 1}),
        room(ElementType::f32, {3, 20, 33}));
  check(permuted(bytesOf(ElementType::f32, {4, 9, 3, 16}), {0, 2, 1, 3}),
        room(ElementType::f32, {4, 3, 9, 16}));
  check(permuted(bytesOf(ElementType::i16, {5, 6, 7, 8}), {3, 1, 0, 2}),
        room(ElementType::i16, {8, 6, 5, 7}));
}

TEST(Copy, ReversesBroadcastsAndSlices) {
  Tensor reversed = bytesOf(ElementType::f32, {6, 11});
  reversed.strides = {11, -1};
  reversed.offset = 10;
  check(reversed, room(ElementType::f32, {6, 11}));

  Tensor broadcast = bytesOf(ElementType::f32, {5});
  broadcast.dims = {3, 5, 4};
  broadcast.strides = {0, 1, 0};
  check(broadcast, room(ElementType::f32, {3, 5, 4}));

  Tensor slice = bytesOf(ElementType::i64, {10, 10});
  slice.dims = {3, 4};
  slice.strides = {20, 2};
  slice.offset = 11;
  check(slice, room(ElementType::i64, {3, 4}));
}

TEST(Copy, WritesIntoAViewAndLeavesTheRest) {
  Tensor out = room(ElementType::f32, {8, 8});
  out.dims = {4, 3};
  out.strides = {16, 2};
  out.offset = 9;
  check(bytesOf(ElementType::f32, {4, 3}), out);
}

TEST(Copy, TakesScalarsAndNothing) {
  check(bytesOf(ElementType::f64, {}), room(ElementType::f64, {}));
  check(bytesOf(ElementType::f64, {3, 0, 2}), room(ElementType::f64, {3, 0, 2}));
}

TEST(Copy, AgreesOnRandomStrides) {
  std::mt19937 random(1);
  auto upTo = [&](int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
  };
  for (int round = 0; round < 200; ++round) {
    Tensor in{ElementType::i32, {}, {}, {}, 0};
    int64_t low = 0, high = 0;
    for (int64_t rank = upTo(5), dim = 0; dim < rank; ++dim) {
      in.dims.push_back(1 + upTo(9));
      in.strides.push_back(upTo(25) - 12);
      int64_t reach = (in.dims.back() - 1) * in.strides.back();
      (reach < 0 ? low : high) += reach;
    }
    in.offset = -low;
    in.memory = bytesOf(ElementType::i32, {high - low + 1}).memory;
    if (in.dims.empty())
      in.strides.clear();
    check(in, room(ElementType::i32, in.dims));
  }
}

TEST(Copy, RefusesOtherTypesAndParameters) {
  EXPECT_NE(
      callError("copy", {ramp<float>({2})}, {room(ElementType::f64, {2})}).find("equal types"),
      std::string::npos);
  EXPECT_NE(callError("copy", {ramp<float>({2})}, {room(ElementType::f32, {2})}, {ints("x", {1})})
                .find("parameter \"x\" is unknown"),
            std::string::npos);
}

} // namespace
} // namespace sheaf::rt::test
