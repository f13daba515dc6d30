// What a buffer looks like, and which bytes its elements touch.
#ifndef SHEAF_RUNTIME_CORE_BUFFER_SHAPE_H
#define SHEAF_RUNTIME_CORE_BUFFER_SHAPE_H

#include "runtime/abi/element_type.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sheaf::rt {

/// The reader refuses buffers of more dims.
inline constexpr size_t maxRank = 32;

/// A typed view of memory.
struct BufferShape {
  abi::ElementType type = abi::ElementType::f32;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides; ///< elements per dim

  size_t rank() const { return dims.size(); }
  int64_t elementBytes() const { return abi::bytesOf(type); }
  /// The number of elements; the reader has checked that it fits.
  int64_t elements() const;
  /// True when the elements lie row-major without gaps.
  bool isRowMajor() const;
  /// "f32[2, 3]", for messages.
  std::string str() const;
};

/// A view of a block of its own. The product of the extents other than 0 fits.
BufferShape rowMajorShape(abi::ElementType type, std::vector<int64_t> dims);

/// "[2, 3]", for messages.
std::string dimsText(std::span<const int64_t> dims);

/// The bytes from the first to past the last that a view's elements touch, relative to the view's own origin.
struct ByteExtent {
  int64_t begin = 0;
  int64_t end = 0;
  bool isEmpty() const { return begin == end; }
};

/// The extent of a view, or none when computing it overflows.
std::optional<ByteExtent> byteExtent(const BufferShape &shape);

/// True when two different elements of a strided view surely touch different bytes. May say false for exotic strides.
bool hasDistinctElements(const BufferShape &shape);

/// True when no element of `a` at byte `aOffset` can share a byte with one of `b` at `bOffset` of the same memory.
/// Knows interleaved views, such as the two halves of each row. May say false for exotic strides.
bool areDisjoint(const BufferShape &a, int64_t aOffset, const BufferShape &b, int64_t bOffset);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_BUFFER_SHAPE_H
