// Opens .npy, .npz, .safetensors and raw files.
#include "runtime/io/stored_array.h"

#include "runtime/io/npy.h"
#include "runtime/io/npz.h"
#include "runtime/io/safetensors.h"

namespace sheaf::rt::io {
namespace {

using Arrays = Result<std::vector<StoredArray>>;

Arrays openNpy(const std::shared_ptr<MappedFile> &file) {
  Result<StoredArray> array = npyArrayIn(file->bytes(), file);
  if (!array.isOk())
    return array.takeStatus();
  return std::vector<StoredArray>{std::move(*array)};
}

Arrays openSafetensors(const std::shared_ptr<MappedFile> &file) {
  auto tensors = parseSafetensors(file->bytes());
  if (!tensors.isOk())
    return tensors.takeStatus();
  std::vector<StoredArray> arrays;
  for (const auto &[name, tensor] : *tensors) {
    std::optional<abi::ElementType> type = elementTypeOf(tensor.dtype);
    if (!type)
      return Status::invalid("tensor \"", name, "\": dtype ", tensor.dtype, " is not supported");
    arrays.push_back({name, *type, tensor.dims,
                      file->bytes().subspan(tensor.begin, tensor.end - tensor.begin), file});
  }
  return arrays;
}

Arrays openRaw(const std::shared_ptr<MappedFile> &file, std::optional<abi::ElementType> type) {
  if (!type)
    return Status::invalid("a raw file does not tell the type of its numbers; give --token-type, "
                           "such as --token-type ui16");
  auto elementBytes = static_cast<size_t>(abi::bytesOf(*type)), bytes = file->bytes().size();
  if (bytes % elementBytes != 0)
    return Status::invalid("it has ", bytes, " bytes, which is no whole number of ",
                           abi::nameOf(*type), " (", elementBytes, " bytes each)");
  return std::vector<StoredArray>{
      {"", *type, {static_cast<int64_t>(bytes / elementBytes)}, file->bytes(), file}};
}

} // namespace

bool isRawFile(const std::filesystem::path &path) {
  return path.extension() == ".bin" || path.extension() == ".tokens";
}

Arrays openArrays(const std::filesystem::path &path, std::optional<abi::ElementType> rawType) {
  std::filesystem::path kind = path.extension();
  if (kind != ".npy" && kind != ".npz" && kind != ".safetensors" && !isRawFile(path))
    return Status::invalid(path.string(), " is no file of data that is known by its name: .npy, "
                                          ".npz, .safetensors, .bin or .tokens");
  Result<MappedFile> opened = MappedFile::open(path);
  if (!opened.isOk())
    return opened.takeStatus();
  auto file = std::make_shared<MappedFile>(std::move(*opened));
  Arrays arrays = kind == ".npy"           ? openNpy(file)
                  : kind == ".npz"         ? openNpz(path, file)
                  : kind == ".safetensors" ? openSafetensors(file)
                                           : openRaw(file, rawType);
  if (!arrays.isOk())
    return arrays.takeStatus().annotated(path.string());
  return arrays;
}

} // namespace sheaf::rt::io
