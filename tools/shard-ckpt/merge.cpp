// Puts the blocks of a checkpoint together to whole tensors, one at a time.
#include "runtime/io/atomic_file.h"
#include "runtime/io/checkpoint/checkpoint_weights.h"
#include "runtime/io/quantity_text.h"
#include "runtime/io/safetensors.h"
#include "tools/shard-ckpt/commands.h"

#include <algorithm>

namespace sheaf::shard_ckpt {

using rt::Result, rt::Status;
using rt::io::NewTensor, rt::io::StoredVariable;

Status mergeCheckpoint(const Options &options, std::ostream &out) {
  auto weights = rt::io::CheckpointWeights::open(options.path);
  if (!weights.isOk())
    return weights.takeStatus();
  std::vector<NewTensor> tensors;
  for (const auto &[name, variable] : (*weights)->checkpoint().index().variables)
    if (!options.isParametersOnly || variable.role == abi::VariableRole::parameter)
      tensors.push_back({name, variable.shape.type, variable.shape.dims});
  std::sort(tensors.begin(), tensors.end(), [](const NewTensor &a, const NewTensor &b) {
    int64_t aBytes = abi::bytesOf(a.type), bBytes = abi::bytesOf(b.type);
    return aBytes != bBytes ? aBytes > bBytes : a.name < b.name;
  });
  Result<rt::io::PendingFile> file = rt::io::PendingFile::create(options.output);
  if (!file.isOk())
    return file.takeStatus();
  std::string header = rt::io::makeSafetensorsHeader(tensors);
  if (Status status = file->append(rt::io::bytesOf(header)); !status.isOk())
    return status;
  auto bytes = static_cast<int64_t>(header.size());
  for (const NewTensor &tensor : tensors) {
    auto value = (*weights)->find(tensor.name, rt::rowMajorShape(tensor.type, tensor.dims));
    if (!value.isOk())
      return value.takeStatus();
    if (Status status = file->append((*value)->bytes); !status.isOk())
      return status;
    bytes += static_cast<int64_t>((*value)->bytes.size());
  }
  if (Status status = file->commit(); !status.isOk())
    return status;
  out << "wrote       " << options.output << " (" << tensors.size() << " tensors, "
      << rt::io::formatBytes(bytes) << ")\n";
  return {};
}

} // namespace sheaf::shard_ckpt
