// The named values of a checkpoint or of a safetensors file.
#ifndef SHEAF_TOOLS_SHARD_CKPT_TENSOR_SET_H
#define SHEAF_TOOLS_SHARD_CKPT_TENSOR_SET_H

#include "runtime/core/weight_source.h"

#include <filesystem>
#include <map>

namespace sheaf::shard_ckpt {

/// Names, types and shapes, and the whole values on demand.
class TensorSet {
public:
  virtual ~TensorSet() = default;

  /// `path`: a checkpoint, a folder of several (the newest is taken), or a safetensors file. Errors: it is none; a
  /// tensor of a type that programs don't have.
  /// `isParametersOnly`: without what a checkpoint holds for training only.
  static rt::Result<std::unique_ptr<TensorSet>> open(const std::filesystem::path &path,
                                                     bool isParametersOnly = false);

  const std::map<std::string, rt::BufferShape> &shapes() const { return tensors; }
  std::vector<std::string> names() const;
  /// The value of one of them.
  virtual rt::Result<rt::WeightBytes> read(const std::string &name) const = 0;

protected:
  std::map<std::string, rt::BufferShape> tensors;
};

} // namespace sheaf::shard_ckpt

#endif // SHEAF_TOOLS_SHARD_CKPT_TENSOR_SET_H
