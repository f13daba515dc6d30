// The variables of a checkpoint as weights of another executable.
#ifndef SHEAF_RUNTIME_IO_CHECKPOINT_CHECKPOINT_WEIGHTS_H
#define SHEAF_RUNTIME_IO_CHECKPOINT_CHECKPOINT_WEIGHTS_H

#include "runtime/core/weight_source.h"
#include "runtime/io/checkpoint/checkpoint.h"

namespace sheaf::rt::io {

/// Gives each rank the part that it holds, read and checked when it is asked for.
class CheckpointWeights final : public WeightSource {
public:
  /// `path`: see Checkpoint::openNewest.
  static Result<std::unique_ptr<CheckpointWeights>> open(const std::filesystem::path &path);

  Result<std::optional<WeightBytes>> find(std::string_view name,
                                          const BufferShape &shape) const override;
  Result<std::optional<WeightBytes>> findBlock(std::string_view name, const BufferShape &shape,
                                               const ShardBox &box) const override;

  /// Of the hashes of its files.
  uint64_t fingerprint() const override;

  /// Those of the parameters: states are of no use to whoever does not train.
  std::vector<std::string> names() const;

  const Checkpoint &checkpoint() const { return stored; }

private:
  explicit CheckpointWeights(Checkpoint stored) : stored(std::move(stored)) {}

  Checkpoint stored;
};

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_CHECKPOINT_CHECKPOINT_WEIGHTS_H
