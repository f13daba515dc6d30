// Loads variables: from ranges of files, from constants of the executable, or empty for "prepare" to fill.
#include "runtime/core/variables.h"

#include <cstring>

namespace sheaf::rt {
namespace {

/// The bytes of a variable's origin, and the mapping that holds them when it is not the executable's own.
struct Origin {
  const std::byte *data = nullptr;
  std::shared_ptr<MappedFile> file;
};

Result<Origin> openSource(const Executable &executable, const abi::FileRange &source,
                          std::map<std::filesystem::path, std::shared_ptr<MappedFile>> &files) {
  std::filesystem::path path = executable.folder() / source.file()->str();
  std::shared_ptr<MappedFile> &file = files[path];
  if (!file) {
    Result<MappedFile> opened = MappedFile::open(path);
    if (!opened.isOk())
      return opened.takeStatus();
    file = std::make_shared<MappedFile>(std::move(*opened));
  }
  if (file->bytes().size() != source.file_bytes())
    return Status::invalid(path.string(), " has ", file->bytes().size(), " bytes but had ",
                           source.file_bytes(), " when the model was compiled; compile it again");
  return Origin{file->bytes().data() + source.offset(), file};
}

} // namespace

Result<Variables::Loaded> Variables::loadOne(const Executable &executable,
                                             const VariableInfo &variable, Device &device,
                                             MemoryAccount &account, Files &files) {
  Loaded result;
  if (variable.isPacked) {
    result.packed = std::make_unique<PackedLayout>();
    result.packedBytes = variable.bytes;
  }
  Origin origin;
  if (const abi::FileRange *source = variable.table->source()) {
    Result<Origin> opened = openSource(executable, *source, files);
    if (!opened.isOk())
      return opened.takeStatus();
    origin = std::move(*opened);
  } else if (variable.table->constant() != UINT32_MAX) {
    const auto *bytes = executable.table().constants()->Get(variable.table->constant())->bytes();
    origin.data = reinterpret_cast<const std::byte *>(bytes->data());
  }
  bool isAligned = reinterpret_cast<uintptr_t>(origin.data) % memoryAlignment == 0;
  if (origin.data && isAligned && !variable.isWritten) {
    // Never written: see VariableInfo::isWritten.
    result.data = const_cast<std::byte *>(origin.data);
    result.file = std::move(origin.file);
    result.mappedBytes = variable.bytes;
    return result;
  }
  Result<Memory> memory =
      device.allocate(abi::Space::device, static_cast<size_t>(variable.bytes), &account);
  if (!memory.isOk())
    return memory.takeStatus();
  result.memory = std::move(*memory);
  result.data = result.memory.data();
  if (origin.data && variable.bytes > 0)
    std::memcpy(result.data, origin.data, static_cast<size_t>(variable.bytes));
  return result;
}

Result<Variables> Variables::load(const Executable &executable, Device &device,
                                  MemoryAccount &account) {
  Variables variables;
  Files files;
  for (const VariableInfo &variable : executable.variables()) {
    Result<Loaded> result = loadOne(executable, variable, device, account, files);
    if (!result.isOk())
      return result.takeStatus().annotated("variable \"", variable.table->name()->string_view(),
                                           "\"");
    variables.loaded.push_back(std::move(*result));
  }
  return variables;
}

void Variables::freePrepareOnly(const Executable &executable) {
  for (size_t i = 0; i < loaded.size(); ++i)
    if (executable.variables()[i].table->is_prepare_only())
      loaded[i] = Loaded();
}

int64_t Variables::mappedBytes() const {
  int64_t bytes = 0;
  for (const Loaded &variable : loaded)
    bytes += variable.mappedBytes;
  return bytes;
}

} // namespace sheaf::rt
