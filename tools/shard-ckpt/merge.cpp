// Puts the blocks of a checkpoint together to whole tensors, one at a time.
#include "tools/shard-ckpt/commands.h"
#include "tools/shard-ckpt/tensor_file.h"
#include "tools/shard-ckpt/tensor_set.h"

namespace sheaf::shard_ckpt {

using rt::Result, rt::Status;

Status mergeCheckpoint(const Options &options, std::ostream &out) {
  if (!std::filesystem::is_directory(options.path))
    return Status::invalid(options.path, " is no folder of a checkpoint");
  Result<std::unique_ptr<TensorSet>> set = TensorSet::open(options.path, options.isParametersOnly);
  if (!set.isOk())
    return set.takeStatus();
  std::vector<rt::io::NewTensor> tensors;
  for (const auto &[name, shape] : (*set)->shapes())
    tensors.push_back({name, shape.type, shape.dims});
  rt::WeightBytes value;
  auto valueOf = [&](std::string_view name) -> Result<std::span<const std::byte>> {
    Result<rt::WeightBytes> read = (*set)->read(std::string(name));
    if (!read.isOk())
      return read.takeStatus();
    value = std::move(*read);
    return value.bytes;
  };
  return writeTensorFile(options.output, tensors, valueOf, out);
}

} // namespace sheaf::shard_ckpt
