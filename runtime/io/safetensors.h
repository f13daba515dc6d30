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

/// Reads the header of `file`. Errors: anything that the format's own reader refuses: a header that is no JSON, cut off
/// or larger than 100 MB; a key twice; extents whose product is not the bytes; bytes outside of the file, of two
/// tensors, or of none.
Result<std::map<std::string, StoredTensor>> parseSafetensors(std::span<const std::byte> file);

/// The element type of a dtype; none for those that programs can't hold as they are stored.
std::optional<abi::ElementType> elementTypeOf(std::string_view dtype);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_SAFETENSORS_H
