// Arrays in files of the kinds that data comes in.
#ifndef SHEAF_RUNTIME_IO_STORED_ARRAY_H
#define SHEAF_RUNTIME_IO_STORED_ARRAY_H

#include "runtime/abi/element_type.h"
#include "runtime/core/status.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sheaf::rt::io {

/// An array in C order, in a mapped file where it lies there as it is. Its bytes may have any alignment.
struct StoredArray {
  std::string name; ///< within its file; empty where a file is one array
  abi::ElementType type = abi::ElementType::f32;
  std::vector<int64_t> dims;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory; ///< keeps `bytes`
};

/// True for the names of files of numbers and nothing else: .bin and .tokens.
bool isRawFile(const std::filesystem::path &path);

/// The arrays of a file: one of an .npy or raw file, all of an .npz or .safetensors file in the order of their names.
/// `rawType`: of the numbers of a raw file. Errors: another kind of file (the kinds are listed), a damaged one, a raw
/// file without a type or with a part of a number at its end, a dtype that is no plain number.
Result<std::vector<StoredArray>> openArrays(const std::filesystem::path &path,
                                            std::optional<abi::ElementType> rawType);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_STORED_ARRAY_H
