// What collectives must give, computed by every rank from formulas of all ranks' data.
#ifndef SHEAF_TEST_RUNTIME_COMM_GROUP_CHECKS_H
#define SHEAF_TEST_RUNTIME_COMM_GROUP_CHECKS_H

#include "runtime/core/element.h"
#include "test/runtime/comm/ranks.h"

#include <gtest/gtest.h>
#include <numeric>

namespace sheaf::rt::test {

inline const CollectiveSite site{"a_call", "node_7"};

/// Calls `visit(type, TypeTag<T>())` for every type that reductions take.
template <typename Visitor> void forEachArithmetic(const Visitor &visit) {
  using abi::ElementType;
  for (ElementType type : {ElementType::i8, ElementType::ui8, ElementType::i16, ElementType::ui16,
                           ElementType::i32, ElementType::ui32, ElementType::i64, ElementType::ui64,
                           ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64})
    (void)visitArithmetic<Status>(type, [&](auto tag) {
      visit(type, tag);
      return Status();
    });
}

/// Member `member`'s element `i`: fractions that no 16-bit sum holds, so that the order and width of sums show.
template <typename T> T valueOf(int member, size_t i) {
  auto number = static_cast<int>((i * 7 + static_cast<size_t>(member) * 5) % 97) - 40;
  if constexpr (isFloatElement<T>)
    return static_cast<T>(static_cast<float>(number) / 3);
  else
    return static_cast<T>(number);
}

/// What element `i` of all members combines to.
template <typename T> T combined(int numMembers, size_t i, CombineKind kind) {
  Wide<T> sum = static_cast<Wide<T>>(valueOf<T>(0, i));
  for (int member = 1; member < numMembers; ++member) {
    auto next = static_cast<Wide<T>>(valueOf<T>(member, i));
    if (kind == CombineKind::max)
      sum = std::max(sum, next);
    else if (kind == CombineKind::min)
      sum = std::min(sum, next);
    else
      sum = wrappingAdd(sum, next);
  }
  return static_cast<T>(kind == CombineKind::mean
                            ? static_cast<Wide<T>>(sum / static_cast<Wide<T>>(numMembers))
                            : sum);
}

template <typename T> std::vector<T> valuesOf(int member, size_t count) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = valueOf<T>(member, i);
  return values;
}

/// A result's memory with a margin on both sides that must stay as it is.
template <typename T> class Guarded {
public:
  explicit Guarded(size_t count) : memory(count + 2 * margin) {
    std::memset(static_cast<void *>(memory.data()), fill, memory.size() * sizeof(T));
  }
  T *data() { return memory.data() + margin; }

  /// Compares bits.
  void expect(const std::vector<T> &expected, const std::string &what) {
    if (!expected.empty()) {
      EXPECT_EQ(std::memcmp(data(), expected.data(), expected.size() * sizeof(T)), 0)
          << what << ": " << firstDifference(expected);
    }
    for (size_t i = 0; i < margin; ++i)
      for (const T *at : {&memory[i], &memory[memory.size() - 1 - i]})
        for (size_t byte = 0; byte < sizeof(T); ++byte)
          ASSERT_EQ(reinterpret_cast<const unsigned char *>(at)[byte], fill)
              << what << ": past the end";
  }

private:
  static constexpr size_t margin = 32;
  static constexpr unsigned char fill = 0xa5;

  std::string firstDifference(const std::vector<T> &expected) {
    for (size_t i = 0; i < expected.size(); ++i)
      if (std::memcmp(&data()[i], &expected[i], sizeof(T)) != 0)
        return "element " + std::to_string(i) + " is " +
               std::to_string(static_cast<double>(data()[i])) + ", not " +
               std::to_string(static_cast<double>(expected[i]));
    return "";
  }

  std::vector<T> memory;
};

/// The group of all ranks.
inline std::unique_ptr<Group> groupOfAll(Communicator &communicator) {
  std::vector<int> ranks(static_cast<size_t>(communicator.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  Result<std::unique_ptr<Group>> group = communicator.makeGroup(ranks);
  EXPECT_TRUE(group.isOk()) << group.takeStatus().text();
  return std::move(*group);
}

template <typename T>
void checkAllReduce(Group &group, abi::ElementType type, CombineKind kind, size_t count,
                    bool isInPlace) {
  std::vector<T> in = valuesOf<T>(group.index(), count), expected(count);
  for (size_t i = 0; i < count; ++i)
    expected[i] = combined<T>(group.size(), i, kind);
  Guarded<T> out(count);
  if (isInPlace)
    std::copy(in.begin(), in.end(), out.data());
  Status status =
      group.allReduce(site, isInPlace ? out.data() : in.data(), out.data(), count, type, kind);
  ASSERT_TRUE(status.isOk()) << status.text();
  out.expect(expected, "all_reduce " + std::string(abi::nameOf(type)) + " kind " +
                           std::to_string(static_cast<int>(kind)));
}

template <typename T>
void checkReduceScatter(Group &group, abi::ElementType type, CombineKind kind, size_t blockCount) {
  auto first = static_cast<size_t>(group.index()) * blockCount;
  std::vector<T> in = valuesOf<T>(group.index(), blockCount * static_cast<size_t>(group.size()));
  std::vector<T> expected(blockCount);
  for (size_t i = 0; i < blockCount; ++i)
    expected[i] = combined<T>(group.size(), first + i, kind);
  Guarded<T> out(blockCount);
  Status status = group.reduceScatter(site, in.data(), out.data(), blockCount, type, kind);
  ASSERT_TRUE(status.isOk()) << status.text();
  out.expect(expected, "reduce_scatter " + std::string(abi::nameOf(type)));
}

inline void checkAllGather(Group &group, size_t blockBytes) {
  std::vector<uint8_t> expected;
  for (int member = 0; member < group.size(); ++member) {
    std::vector<uint8_t> block = valuesOf<uint8_t>(member, blockBytes);
    expected.insert(expected.end(), block.begin(), block.end());
  }
  Guarded<uint8_t> out(expected.size());
  std::vector<uint8_t> in = valuesOf<uint8_t>(group.index(), blockBytes);
  Status status = group.allGather(site, in.data(), out.data(), blockBytes);
  ASSERT_TRUE(status.isOk()) << status.text();
  out.expect(expected, "all_gather of " + std::to_string(blockBytes));
}

inline void checkAllToAll(Group &group, size_t blockBytes) {
  size_t bytes = blockBytes * static_cast<size_t>(group.size());
  std::vector<uint8_t> expected;
  for (int member = 0; member < group.size(); ++member)
    for (size_t i = 0; i < blockBytes; ++i)
      expected.push_back(
          valueOf<uint8_t>(member, static_cast<size_t>(group.index()) * blockBytes + i));
  Guarded<uint8_t> out(bytes);
  std::vector<uint8_t> in = valuesOf<uint8_t>(group.index(), bytes);
  Status status = group.allToAll(site, in.data(), out.data(), blockBytes);
  ASSERT_TRUE(status.isOk()) << status.text();
  out.expect(expected, "all_to_all of " + std::to_string(blockBytes));
}

inline void checkPermute(Group &group, size_t bytes, const std::vector<int> &sources) {
  Guarded<uint8_t> out(bytes);
  std::vector<uint8_t> in = valuesOf<uint8_t>(group.index(), bytes);
  Status status = group.permute(site, in.data(), out.data(), bytes, sources);
  ASSERT_TRUE(status.isOk()) << status.text();
  int source = sources[static_cast<size_t>(group.index())];
  out.expect(source < 0 ? std::vector<uint8_t>(bytes) : valuesOf<uint8_t>(source, bytes),
             "permute of " + std::to_string(bytes));
}

/// Member m sends `bytes` of its own and of its next ones' shares to each of the two after it, and to none where
/// there are fewer members; it keeps some too.
inline void checkExchange(Group &group, size_t bytes) {
  auto size = static_cast<size_t>(group.size());
  std::vector<Transfer> transfers;
  for (size_t to = 0; to < size; ++to)
    for (size_t distance = 0; distance < 3; ++distance)
      if (size_t from = (to + size - distance % size) % size; distance == 0 || from != to)
        transfers.push_back({static_cast<int>(from), static_cast<int>(to), distance * bytes,
                             (2 - distance) * bytes, distance == 2 && to == 0 ? 0 : bytes});
  if (size == 2) // Both ways around it is the same member.
    std::erase_if(transfers, [](const Transfer &transfer) { return transfer.toOffset == 0; });
  auto own = static_cast<size_t>(group.index());
  Guarded<uint8_t> out(3 * bytes);
  std::vector<uint8_t> in = valuesOf<uint8_t>(group.index(), 3 * bytes);
  std::vector<uint8_t> expected(out.data(), out.data() + 3 * bytes);
  for (const Transfer &transfer : transfers)
    if (static_cast<size_t>(transfer.to) == own)
      for (size_t i = 0; i < transfer.bytes; ++i)
        expected[transfer.toOffset + i] = valueOf<uint8_t>(transfer.from, transfer.fromOffset + i);
  Status status = group.exchange(site, in.data(), out.data(), transfers);
  ASSERT_TRUE(status.isOk()) << status.text();
  out.expect(expected, "exchange of " + std::to_string(bytes));
}

/// Each member receives from the one `distance` further.
inline std::vector<int> rotation(int size, int distance) {
  std::vector<int> sources(static_cast<size_t>(size));
  for (int i = 0; i < size; ++i)
    sources[static_cast<size_t>(i)] = (i + distance) % size;
  return sources;
}

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_COMM_GROUP_CHECKS_H
