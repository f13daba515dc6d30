// Decides and does conversions that lose nothing.
#include "runtime/launch/training/exact_conversion.h"

#include "runtime/core/element.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace sheaf::rt::launch {
namespace {

/// The integers that a type holds: all of up to `digits` bits.
struct NumberForm {
  int digits;
  bool isSigned;
};

std::optional<NumberForm> formOf(abi::ElementType type) {
  switch (type) {
  case abi::ElementType::boolean:
    return NumberForm{1, false};
  case abi::ElementType::i8:
    return NumberForm{7, true};
  case abi::ElementType::ui8:
    return NumberForm{8, false};
  case abi::ElementType::i16:
    return NumberForm{15, true};
  case abi::ElementType::ui16:
    return NumberForm{16, false};
  case abi::ElementType::i32:
    return NumberForm{31, true};
  case abi::ElementType::ui32:
    return NumberForm{32, false};
  case abi::ElementType::i64:
    return NumberForm{63, true};
  case abi::ElementType::ui64:
    return NumberForm{64, false};
  case abi::ElementType::bf16:
    return NumberForm{8, true};
  case abi::ElementType::f16:
    return NumberForm{11, true};
  case abi::ElementType::f32:
    return NumberForm{24, true};
  case abi::ElementType::f64:
    return NumberForm{53, true};
  default:
    return std::nullopt;
  }
}

/// Everything that converts to another type exactly fits a double on the way.
using Chunk = std::array<double, 256>;

void readChunk(abi::ElementType type, const std::byte *in, Chunk &chunk, size_t count) {
  auto read = [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (size_t i = 0; i < count; ++i) {
      T element;
      std::memcpy(&element, in + i * sizeof(T), sizeof(T));
      chunk[i] = static_cast<double>(static_cast<Wide<T>>(element));
    }
    return Status();
  };
  if (type != abi::ElementType::boolean)
    return (void)visitArithmetic<Status>(type, read);
  for (size_t i = 0; i < count; ++i)
    chunk[i] = in[i] != std::byte(0);
}

void writeChunk(abi::ElementType type, const Chunk &chunk, std::byte *out, size_t count) {
  (void)visitArithmetic<Status>(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (size_t i = 0; i < count; ++i) {
      T element(static_cast<Wide<T>>(chunk[i]));
      std::memcpy(out + i * sizeof(T), &element, sizeof(T));
    }
    return Status();
  });
}

} // namespace

bool isExact(abi::ElementType from, abi::ElementType to) {
  if (from == to)
    return true;
  std::optional<NumberForm> own = formOf(from), wanted = formOf(to);
  if (!own || !wanted || to == abi::ElementType::boolean)
    return false;
  if (abi::isFloat(from)) // Exponents too: f32 and f64 hold those of all narrower floats.
    return abi::isFloat(to) && abi::bytesOf(to) > abi::bytesOf(from);
  return own->digits <= wanted->digits && (wanted->isSigned || !own->isSigned);
}

void convertExactly(abi::ElementType from, const std::byte *in, abi::ElementType to, std::byte *out,
                    int64_t count) {
  if (from == to)
    return (void)std::memcpy(out, in, static_cast<size_t>(count * abi::bytesOf(to)));
  Chunk chunk;
  for (int64_t done = 0; done < count; done += static_cast<int64_t>(chunk.size())) {
    size_t part = std::min(chunk.size(), static_cast<size_t>(count - done));
    readChunk(from, in + done * abi::bytesOf(from), chunk, part);
    writeChunk(to, chunk, out + done * abi::bytesOf(to), part);
  }
}

} // namespace sheaf::rt::launch
