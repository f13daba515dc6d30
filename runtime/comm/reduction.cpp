// The loops of reductions, for each type and kind.
#include "runtime/comm/reduction.h"

#include "runtime/core/element.h"

#include <algorithm>
#include <cstring>
#include <immintrin.h>

namespace sheaf::rt::comm {
namespace {

/// The combination of two values; `mean` adds here and divides at the end.
template <CombineKind kind, typename T> T combine(T a, T b) {
  if constexpr (kind == CombineKind::max)
    return isNan(a) || a > b ? a : b;
  else if constexpr (kind == CombineKind::min)
    return isNan(a) || a < b ? a : b;
  else
    return wrappingAdd(a, b);
}

/// Elements are combined a block at a time, so that sums stay in the nearest cache.
constexpr size_t blockBytes = 8 << 10;

/// Results of more bytes go around the caches, which they would only sweep; unless they overwrite what was just read.
constexpr size_t largeBytes = size_t(8) << 20;

/// Copies a block from a cache to memory; both may be at any address.
void streamBytes(std::byte *to, const std::byte *from, size_t bytes) {
  size_t skipped = std::min(bytes, -reinterpret_cast<uintptr_t>(to) % sizeof(__m256i));
  std::memcpy(to, from, skipped);
  size_t done = skipped;
  for (; done + sizeof(__m256i) <= bytes; done += sizeof(__m256i))
    _mm256_stream_si256(reinterpret_cast<__m256i *>(to + done),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + done)));
  std::memcpy(to + done, from + done, bytes - done);
}

/// results = the combination of one block of every in.
template <CombineKind kind, typename T>
void reduceBlock(std::span<const std::byte *const> ins, size_t begin, size_t size, T *results) {
  using W = Wide<T>;
  auto in = [&](size_t index) { return reinterpret_cast<const T *>(ins[index]) + begin; };
  auto divisor = static_cast<W>(ins.size());
  auto finish = [divisor](W sum) {
    return static_cast<T>(kind == CombineKind::mean ? static_cast<W>(sum / divisor) : sum);
  };
  auto forEach = [size](const auto &body) {
    for (size_t i = 0; i < size; ++i)
      body(i);
  };
  const T *first = in(0), *last = in(ins.size() - 1);
  if (ins.size() == 1)
    return forEach([&](size_t i) { results[i] = finish(static_cast<W>(first[i])); });
  if (ins.size() == 2)
    return forEach([&](size_t i) {
      results[i] = finish(combine<kind>(static_cast<W>(first[i]), static_cast<W>(last[i])));
    });
  alignas(64) W sums[blockBytes / sizeof(W)];
  const T *second = in(1);
  forEach([&](size_t i) {
    sums[i] = combine<kind>(static_cast<W>(first[i]), static_cast<W>(second[i]));
  });
  for (size_t index = 2; index + 1 < ins.size(); ++index) {
    const T *next = in(index);
    forEach([&](size_t i) { sums[i] = combine<kind>(sums[i], static_cast<W>(next[i])); });
  }
  forEach([&](size_t i) { results[i] = finish(combine<kind>(sums[i], static_cast<W>(last[i]))); });
}

template <CombineKind kind, typename T>
void reduce(std::span<const std::byte *const> ins, std::span<std::byte *const> outs, size_t count) {
  constexpr size_t blockCount = blockBytes / sizeof(Wide<T>);
  alignas(64) T results[blockCount];
  bool isInPlace = std::find(ins.begin(), ins.end(), outs[0]) != ins.end();
  bool isStreamed = !isInPlace && count * sizeof(T) * outs.size() >= largeBytes;
  for (size_t begin = 0; begin < count; begin += blockCount) {
    size_t size = std::min(blockCount, count - begin);
    reduceBlock<kind>(ins, begin, size, results);
    for (std::byte *out : outs) {
      const auto *from = reinterpret_cast<const std::byte *>(results);
      if (isStreamed)
        streamBytes(out + begin * sizeof(T), from, size * sizeof(T));
      else
        std::memcpy(out + begin * sizeof(T), from, size * sizeof(T));
    }
  }
  if (isStreamed)
    _mm_sfence(); // Others read the results when they have met this thread, not before.
}

} // namespace

const char *nameOf(CombineKind kind) {
  switch (kind) {
  case CombineKind::sum:
    return "sum";
  case CombineKind::max:
    return "max";
  case CombineKind::min:
    return "min";
  case CombineKind::mean:
    break;
  }
  return "mean";
}

std::pair<size_t, size_t> shareOf(size_t count, size_t elementBytes, size_t part, size_t parts) {
  constexpr size_t lineBytes = 64;
  size_t line = lineBytes / elementBytes;
  size_t numLines = count / line + (count % line != 0);
  size_t perPart = (numLines / parts + (numLines % parts != 0)) * line;
  size_t begin = std::min(count, part * perPart);
  return {begin, std::min(count, begin + perPart)};
}

Result<Reduction> Reduction::of(abi::ElementType type, CombineKind kind) {
  using Found = Result<Reduction>;
  Found found = [&] {
    switch (kind) {
    case CombineKind::sum:
      return visitArithmetic<Found>(type, [](auto tag) -> Found {
        return Reduction(reduce<CombineKind::sum, typename decltype(tag)::Type>);
      });
    case CombineKind::max:
      return visitArithmetic<Found>(type, [](auto tag) -> Found {
        return Reduction(reduce<CombineKind::max, typename decltype(tag)::Type>);
      });
    case CombineKind::min:
      return visitArithmetic<Found>(type, [](auto tag) -> Found {
        return Reduction(reduce<CombineKind::min, typename decltype(tag)::Type>);
      });
    case CombineKind::mean:
      break;
    }
    return visitFloat<Found>(type, [](auto tag) -> Found {
      return Reduction(reduce<CombineKind::mean, typename decltype(tag)::Type>);
    });
  }();
  if (!found.isOk())
    return found.takeStatus().annotated(nameOf(kind));
  return found;
}

} // namespace sheaf::rt::comm
