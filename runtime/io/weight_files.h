// The weights of one safetensors file, or of the files that an index lists.
#ifndef SHEAF_RUNTIME_IO_WEIGHT_FILES_H
#define SHEAF_RUNTIME_IO_WEIGHT_FILES_H

#include "runtime/core/weight_source.h"
#include "runtime/io/safetensors.h"

namespace sheaf::rt::io {

/// Weights by name, each in a mapped file.
class WeightFiles final : public WeightSource {
public:
  /// Opens a .safetensors file; or a .json index, whose "weight_map" says which file of its folder holds which tensor.
  /// Errors: what parseSafetensors refuses; an index that names a file elsewhere, or a tensor that its file lacks.
  static Result<std::unique_ptr<WeightFiles>> open(const std::filesystem::path &path);

  Result<std::optional<WeightBytes>> find(std::string_view name,
                                          const BufferShape &shape) const override;

  std::vector<std::string> names() const;

  /// Of names, dtypes, extents and some elements of each tensor: the same for copies of the files.
  uint64_t fingerprint() const override;

private:
  struct Entry {
    StoredTensor tensor;
    std::shared_ptr<MappedFile> file;
  };
  using Tensors = std::map<std::string, Entry, std::less<>>;

  static Result<Tensors> openFile(const std::filesystem::path &path);
  static Result<Tensors> openIndex(const std::filesystem::path &path);

  Tensors tensors;
};

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_WEIGHT_FILES_H
