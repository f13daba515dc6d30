// Opens checkpoints and safetensors files alike.
#include "tools/shard-ckpt/tensor_set.h"

#include "runtime/io/checkpoint/checkpoint_weights.h"
#include "runtime/io/safetensors.h"

namespace sheaf::shard_ckpt {

using rt::Result, rt::Status, rt::WeightBytes;

namespace {

/// The value that `source` has under `name`, which it has.
Result<WeightBytes> readFrom(const rt::WeightSource &source, const std::string &name,
                             const rt::BufferShape &shape) {
  Result<std::optional<WeightBytes>> found = source.find(name, shape);
  if (!found.isOk())
    return found.takeStatus();
  return std::move(**found);
}

class CheckpointTensors final : public TensorSet {
public:
  static Result<std::unique_ptr<TensorSet>> open(const std::filesystem::path &path,
                                                 bool isParametersOnly) {
    auto weights = rt::io::CheckpointWeights::open(path);
    if (!weights.isOk())
      return weights.takeStatus();
    auto set = std::make_unique<CheckpointTensors>();
    for (const auto &[name, variable] : (*weights)->checkpoint().index().variables)
      if (!isParametersOnly || variable.role == abi::VariableRole::parameter)
        set->tensors.emplace(name, variable.shape);
    set->source = std::move(*weights);
    return std::unique_ptr<TensorSet>(std::move(set));
  }

  Result<WeightBytes> read(const std::string &name) const override {
    return readFrom(*source, name, tensors.at(name));
  }

private:
  std::unique_ptr<rt::io::CheckpointWeights> source;
};

class FileTensors final : public TensorSet {
public:
  static Result<std::unique_ptr<TensorSet>> open(const std::filesystem::path &path) {
    Result<rt::MappedFile> file = rt::MappedFile::open(path);
    if (!file.isOk())
      return file.takeStatus();
    auto stored = rt::io::parseSafetensors(file->bytes());
    if (!stored.isOk())
      return stored.takeStatus().annotated(path.string());
    auto set = std::make_unique<FileTensors>();
    for (const auto &[name, tensor] : *stored) {
      std::optional<abi::ElementType> type = rt::io::elementTypeOf(tensor.dtype);
      if (!type)
        return Status::invalid(path.string(), ": tensor \"", name, "\" is of dtype ", tensor.dtype,
                               ", which programs don't have");
      set->tensors.emplace(name, rt::rowMajorShape(*type, tensor.dims));
      set->ranges.emplace(name, file->bytes().subspan(tensor.begin, tensor.end - tensor.begin));
    }
    set->file = std::make_shared<rt::MappedFile>(std::move(*file));
    return std::unique_ptr<TensorSet>(std::move(set));
  }

  Result<WeightBytes> read(const std::string &name) const override {
    return WeightBytes{ranges.at(name), file};
  }

private:
  std::map<std::string, std::span<const std::byte>> ranges;
  std::shared_ptr<rt::MappedFile> file;
};

} // namespace

Result<std::unique_ptr<TensorSet>> TensorSet::open(const std::filesystem::path &path,
                                                   bool isParametersOnly) {
  return std::filesystem::is_directory(path) ? CheckpointTensors::open(path, isParametersOnly)
                                             : FileTensors::open(path);
}

std::vector<std::string> TensorSet::names() const {
  std::vector<std::string> names;
  for (const auto &[name, shape] : tensors)
    names.push_back(name);
  return names;
}

} // namespace sheaf::shard_ckpt
