// Reads weights from a checkpoint.
#include "runtime/io/checkpoint/checkpoint_weights.h"

#include "runtime/core/fingerprint.h"

#include "runtime/core/memory.h"
#include "runtime/io/checkpoint/box_overlap.h"

namespace sheaf::rt::io {

Result<std::unique_ptr<CheckpointWeights>>
CheckpointWeights::open(const std::filesystem::path &path) {
  Result<Checkpoint> checkpoint = Checkpoint::openNewest(path);
  if (!checkpoint.isOk())
    return checkpoint.takeStatus();
  return std::unique_ptr<CheckpointWeights>(new CheckpointWeights(std::move(*checkpoint)));
}

std::vector<std::string> CheckpointWeights::names() const {
  std::vector<std::string> names;
  for (const auto &[name, variable] : stored.index().variables)
    if (variable.role == abi::VariableRole::parameter)
      names.push_back(name);
  return names;
}

Result<std::optional<WeightBytes>> CheckpointWeights::find(std::string_view name,
                                                           const BufferShape &shape) const {
  return findBlock(name, shape, wholeBox(shape.dims));
}

Result<std::optional<WeightBytes>> CheckpointWeights::findBlock(std::string_view name,
                                                                const BufferShape &shape,
                                                                const ShardBox &box) const {
  if (shape.elements() == 0) // No rank has written anything of it.
    return std::optional(WeightBytes());
  const StoredVariable *variable = stored.find(name);
  if (!variable)
    return std::optional<WeightBytes>();
  if (variable->shape.type != shape.type || variable->shape.dims != shape.dims)
    return Status::invalid("the checkpoint has it as ", variable->shape.str(), " but ", shape.str(),
                           " is wanted");
  size_t bytes = static_cast<size_t>(rowMajorShape(shape.type, blockDims(box)).elements() *
                                     shape.elementBytes());
  Result<Memory> memory = allocateHostMemory(bytes);
  if (!memory.isOk())
    return memory.takeStatus();
  if (Status status = stored.read(*variable, box, memory->data()); !status.isOk())
    return status;
  auto owner = std::make_shared<Memory>(std::move(*memory));
  return std::optional(WeightBytes{{owner->data(), bytes}, owner, /*isBlock=*/true});
}

uint64_t CheckpointWeights::fingerprint() const {
  Fingerprint print;
  for (const auto &[name, file] : stored.index().files) {
    print.add(name);
    print.add(file.hash);
  }
  return print.value();
}

} // namespace sheaf::rt::io
