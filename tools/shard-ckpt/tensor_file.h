// A safetensors file that is written tensor by tensor.
#ifndef SHEAF_TOOLS_SHARD_CKPT_TENSOR_FILE_H
#define SHEAF_TOOLS_SHARD_CKPT_TENSOR_FILE_H

#include "runtime/io/atomic_file.h"
#include "runtime/io/safetensors.h"

#include <functional>
#include <ostream>

namespace sheaf::shard_ckpt {

/// Gives the value of a tensor; it is written before the next is asked for.
using ValueOf = std::function<rt::Result<std::span<const std::byte>>(std::string_view name)>;

/// Writes `tensors`, those of wide types first, to a file that is yet to be committed. `bytes` is set to its size.
rt::Result<rt::io::PendingFile> writeTensors(const std::filesystem::path &path,
                                             std::vector<rt::io::NewTensor> tensors,
                                             const ValueOf &valueOf, int64_t &bytes);

/// The same, committed, and told of on `out`.
rt::Status writeTensorFile(const std::filesystem::path &path,
                           const std::vector<rt::io::NewTensor> &tensors, const ValueOf &valueOf,
                           std::ostream &out);

} // namespace sheaf::shard_ckpt

#endif // SHEAF_TOOLS_SHARD_CKPT_TENSOR_FILE_H
