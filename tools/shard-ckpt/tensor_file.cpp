// Writes safetensors files with one tensor in memory at a time.
#include "tools/shard-ckpt/tensor_file.h"

#include "runtime/io/quantity_text.h"

#include <algorithm>

namespace sheaf::shard_ckpt {

using rt::Result, rt::Status;
using rt::io::NewTensor, rt::io::PendingFile;

Result<PendingFile> writeTensors(const std::filesystem::path &path, std::vector<NewTensor> tensors,
                                 const ValueOf &valueOf, int64_t &bytes) {
  std::sort(tensors.begin(), tensors.end(), [](const NewTensor &a, const NewTensor &b) {
    int64_t aBytes = abi::bytesOf(a.type), bBytes = abi::bytesOf(b.type);
    return aBytes != bBytes ? aBytes > bBytes : a.name < b.name;
  });
  Result<PendingFile> file = PendingFile::create(path);
  if (!file.isOk())
    return file;
  std::string header = rt::io::makeSafetensorsHeader(tensors);
  if (Status status = file->append(rt::io::bytesOf(header)); !status.isOk())
    return status;
  bytes = static_cast<int64_t>(header.size());
  for (const NewTensor &tensor : tensors) {
    Result<std::span<const std::byte>> value = valueOf(tensor.name);
    if (!value.isOk())
      return value.takeStatus();
    if (Status status = file->append(*value); !status.isOk())
      return status;
    bytes += static_cast<int64_t>(value->size());
  }
  return file;
}

rt::Status writeTensorFile(const std::filesystem::path &path,
                           const std::vector<rt::io::NewTensor> &tensors, const ValueOf &valueOf,
                           std::ostream &out) {
  int64_t bytes = 0;
  rt::Result<rt::io::PendingFile> file = writeTensors(path, tensors, valueOf, bytes);
  if (!file.isOk())
    return file.takeStatus();
  if (rt::Status status = file->commit(); !status.isOk())
    return status;
  out << "wrote       " << path.string() << " (" << tensors.size() << " tensors, "
      << rt::io::formatBytes(bytes) << ")\n";
  return {};
}

} // namespace sheaf::shard_ckpt
