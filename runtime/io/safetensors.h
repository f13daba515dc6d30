// Files in the safetensors format: a JSON header that names tensors, then their bytes.
#ifndef SHEAF_RUNTIME_IO_SAFETENSORS_H
#define SHEAF_RUNTIME_IO_SAFETENSORS_H

#include "runtime/abi/element_type.h"
#include "runtime/core/mapped_file.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sheaf::rt::io {

/// A tensor as the header tells of it.
struct StoredTensor {
  std::string dtype; ///< as written: "BF16"
  std::vector<int64_t> dims;
  size_t begin = 0; ///< of its bytes in the file
  size_t end = 0;
};

/// Reads the header of `file`. Errors: anything that the format's own reader refuses: a header that is no JSON, cut
/// off or larger than 100 MB; a key twice; extents whose product is not the bytes; bytes outside of the file, of two
/// tensors, or of none.
Result<std::map<std::string, StoredTensor>> parseSafetensors(std::span<const std::byte> file);

/// The element type of a dtype; none for those that programs can't hold as they are stored.
std::optional<abi::ElementType> elementTypeOf(std::string_view dtype);

/// The dtype that files hold elements of `type` in. The format has none for 2- and 4-bit types, which memory holds
/// one per byte, and for the 8-bit floats without infinities and negative zero (FNUZ): they are "I8" (signed) or
/// "U8".
std::string_view safetensorsDtype(abi::ElementType type);

/// A tensor to be written.
struct NewTensor {
  std::string_view name; ///< UTF-8, not "__metadata__"
  abi::ElementType type = abi::ElementType::f32;
  std::vector<int64_t> dims;
};

/// What a file of `tensors` begins with; their bytes follow in the same order, from a multiple of 64 on. To keep them
/// aligned, wide types come first.
std::string makeSafetensorsHeader(const std::vector<NewTensor> &tensors);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_SAFETENSORS_H
