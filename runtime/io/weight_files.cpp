// Maps the files that hold weights and finds them by name.
#include "runtime/io/weight_files.h"

#include "runtime/core/fingerprint.h"
#include "runtime/io/strict_json.h"

namespace sheaf::rt::io {

Result<WeightFiles::Tensors> WeightFiles::openFile(const std::filesystem::path &path) {
  Result<MappedFile> opened = MappedFile::open(path);
  if (!opened.isOk())
    return opened.takeStatus();
  Result<std::map<std::string, StoredTensor>> stored = parseSafetensors(opened->bytes());
  if (!stored.isOk())
    return stored.takeStatus().annotated(path.string());
  auto file = std::make_shared<MappedFile>(std::move(*opened));
  Tensors tensors;
  for (auto &[name, tensor] : *stored)
    tensors.emplace(name, Entry{std::move(tensor), file});
  return tensors;
}

Result<WeightFiles::Tensors> WeightFiles::openIndex(const std::filesystem::path &path) {
  Result<MappedFile> text = MappedFile::open(path);
  if (!text.isOk())
    return text.takeStatus();
  Result<Json> index = parseStrictJson(text->bytes());
  if (!index.isOk())
    return index.takeStatus().annotated(path.string());
  auto map = index->is_object() ? index->find("weight_map") : index->end();
  if (!index->is_object() || map == index->end() || !map->is_object())
    return Status::invalid(path.string(), ": it has no \"weight_map\" from tensors to files");
  std::map<std::string, Tensors> files;
  Tensors tensors;
  for (const auto &[name, file] : map->items()) {
    if (!file.is_string())
      return Status::invalid(path.string(), ": tensor \"", name, "\" has no file");
    auto fileName = file.get<std::string>();
    if (fileName.empty() || fileName.find_first_of(std::string("/\0", 2)) != std::string::npos ||
        fileName == "..")
      return Status::invalid(path.string(), ": tensor \"", name, "\" is in \"", fileName,
                             "\", which is no file of the index's folder");
    auto [known, isNew] = files.try_emplace(fileName);
    if (isNew) {
      Result<Tensors> opened = openFile(path.parent_path() / fileName);
      if (!opened.isOk())
        return opened.takeStatus().annotated(path.string());
      known->second = std::move(*opened);
    }
    auto entry = known->second.find(name);
    if (entry == known->second.end())
      return Status::invalid(path.string(), ": ", fileName, " has no tensor \"", name, "\"");
    tensors.insert(*entry);
  }
  return tensors;
}

Result<std::unique_ptr<WeightFiles>> WeightFiles::open(const std::filesystem::path &path) {
  Result<Tensors> tensors = path.extension() == ".json" ? openIndex(path) : openFile(path);
  if (!tensors.isOk())
    return tensors.takeStatus();
  auto weights = std::make_unique<WeightFiles>();
  weights->tensors = std::move(*tensors);
  return weights;
}

std::vector<std::string> WeightFiles::names() const {
  std::vector<std::string> names;
  for (const auto &entry : tensors)
    names.push_back(entry.first);
  return names;
}

Result<std::optional<WeightBytes>> WeightFiles::find(std::string_view name,
                                                     const BufferShape &shape) const {
  auto entry = tensors.find(name);
  if (entry == tensors.end())
    return std::optional<WeightBytes>();
  const StoredTensor &tensor = entry->second.tensor;
  if (elementTypeOf(tensor.dtype) != shape.type || tensor.dims != shape.dims)
    return Status::invalid("the weights file has it as ", tensor.dtype, dimsText(tensor.dims),
                           " but ", shape.str(), " is wanted");
  return std::optional(
      WeightBytes{entry->second.file->bytes().subspan(tensor.begin, tensor.end - tensor.begin),
                  entry->second.file});
}

uint64_t WeightFiles::fingerprint() const {
  constexpr size_t maxBytes = size_t(64) << 10; // of each tensor
  Fingerprint print;
  for (const auto &[name, entry] : tensors) {
    print.add(name);
    print.add(entry.tensor.dtype);
    for (int64_t extent : entry.tensor.dims)
      print.add(static_cast<uint64_t>(extent));
    print.addSample(
        entry.file->bytes().subspan(entry.tensor.begin, entry.tensor.end - entry.tensor.begin),
        maxBytes);
  }
  return print.value();
}

} // namespace sheaf::rt::io
