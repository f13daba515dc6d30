// NumPy's .npz files: zip archives of .npy files.
#ifndef SHEAF_RUNTIME_IO_NPZ_H
#define SHEAF_RUNTIME_IO_NPZ_H

#include "runtime/core/mapped_file.h"
#include "runtime/io/stored_array.h"

namespace sheaf::rt::io {

/// The array of an .npy file whose bytes are `file`, which `memory` keeps. Errors: what parseNpyArray refuses, a dtype
/// that no element type is for.
Result<StoredArray> npyArrayIn(std::span<const std::byte> file, std::shared_ptr<const void> memory);

/// The arrays of the archive at `path`, which `file` maps, in the order of their names. Members that are stored, as
/// numpy.savez does, are used where they are mapped; those that are compressed are inflated into memory. Errors: no zip
/// archive, a damaged or encrypted member, a member that is no .npy file, two of one name.
Result<std::vector<StoredArray>> openNpz(const std::filesystem::path &path,
                                         const std::shared_ptr<MappedFile> &file);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_NPZ_H
