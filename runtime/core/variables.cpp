// Loads variables: from ranges of files, from constants of the executable, or empty for "prepare" to fill.
#include "runtime/core/variables.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace sheaf::rt {
namespace {

/// Finds where the first values of variables are.
class Origins {
public:
  Origins(const Executable &executable, const WeightSource *weights)
      : executable(executable), weights(weights) {}

  /// The bytes of a variable's first value; without data when "prepare" writes it, or when it is missing.
  Result<WeightBytes> find(const VariableInfo &variable, const ShardBox &box) {
    std::string_view name = variable.table->name()->string_view();
    const abi::FileRange *source = variable.table->source();
    bool isEmbedded = variable.table->constant() != UINT32_MAX;
    bool isParameter = variable.table->role() == abi::VariableRole::parameter;
    if (weights && isParameter && !source && !isEmbedded && !variable.table->splat()) {
      // The program would write over it.
      auto found = weights->findBlock(name, variable.globalShape(), box);
      if (!found.isOk())
        return found.takeStatus();
      if (*found)
        return Status::invalid(
            "the weights file holds \"", name,
            "\", to which the program gives a "
            "first value itself; compile it without --init of that parameter and "
            "without --parameter-type");
    }
    if (weights && (source || isEmbedded)) {
      Result<std::optional<WeightBytes>> found =
          weights->findBlock(name, variable.globalShape(), box);
      if (!found.isOk())
        return found.takeStatus();
      if (*found)
        return std::move(**found);
      if (source) {
        missing.push_back(name);
        return WeightBytes();
      }
    }
    if (source)
      return openSource(*source);
    if (!isEmbedded)
      return WeightBytes();
    const auto *bytes = executable.table().constants()->Get(variable.table->constant())->bytes();
    return WeightBytes{{reinterpret_cast<const std::byte *>(bytes->data()), bytes->size()}, {}};
  }

  /// Lists what `weights` lacks.
  Status checkComplete() const {
    constexpr size_t maxListed = 8;
    std::string listed;
    for (size_t i = 0; i < std::min(missing.size(), maxListed); ++i)
      listed += (i ? ", \"" : "\"") + std::string(missing[i]) + "\"";
    if (missing.size() > maxListed)
      listed += " and " + std::to_string(missing.size() - maxListed) + " more";
    return missing.empty() ? Status()
                           : Status::invalid("the weights file lacks ", missing.size(), " of the ",
                                             "weights that the program needs: ", listed);
  }

private:
  Result<WeightBytes> openSource(const abi::FileRange &source) {
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
    return WeightBytes{file->bytes().subspan(source.offset(), source.bytes()), file};
  }

  const Executable &executable;
  const WeightSource *weights;
  std::map<std::filesystem::path, std::shared_ptr<MappedFile>> files;
  std::vector<std::string_view> missing;
};

/// Where the part of a rank is in `origin`, and in its memory.
BoxCopy copyOf(const WeightBytes &origin, const VariableInfo &variable, const ShardBox &box) {
  if (!origin.isBlock)
    return BoxCopy(variable.sharding.globalDims, box, variable.shape.elementBytes());
  ShardBox whole;
  for (int64_t extent : blockDims(box))
    whole.push_back(abi::Shard::whole(extent));
  return BoxCopy(blockDims(box), whole, variable.shape.elementBytes());
}

/// Whether some program updates what checkpoints hold.
bool isTrained(const Executable &executable) {
  return std::any_of(executable.variables().begin(), executable.variables().end(),
                     [](const VariableInfo &v) { return v.isSaved() && v.isWritten; });
}

/// What a value without bytes has for an address.
alignas(memoryAlignment) std::byte nothing[memoryAlignment];

/// Counts memory that somebody else owns.
Memory countOnly(std::byte *data, int64_t bytes, MemoryAccount &account) {
  auto count = static_cast<size_t>(abi::blockBytes(bytes));
  return Memory(data, count, [](void *, size_t) {}, &account);
}

} // namespace

Result<Variables::Loaded> Variables::loadOne(const VariableInfo &variable, WeightBytes origin,
                                             const BoxCopy &box, bool isRestored, Device &device,
                                             MemoryAccount &account) {
  Loaded result;
  if (variable.isPacked) {
    result.packed = std::make_unique<PackedLayout>();
    result.packedBytes = variable.bytes;
  }
  bool isPrepareOnly = variable.table->is_prepare_only();
  bool isStagedPart = isPrepareOnly && variable.sharding.isCut();
  const std::byte *data = nullptr; // Where the value lies as the rank holds it.
  if (variable.bytes == 0)
    data = nothing;
  else if (!origin.bytes.empty() && box.isContiguous())
    data = origin.bytes.data() + box.globalOffset();
  // Where the value is mapped it is never written: see VariableInfo::isWritten.
  if (data && !variable.isWritten && !isRestored &&
      (device.isHostMemory() || variable.bytes == 0) &&
      abi::isUsedInPlace(reinterpret_cast<uintptr_t>(data), variable.bytes, isStagedPart)) {
    result.data = const_cast<std::byte *>(data);
    result.origin = std::move(origin.owner);
    if (!isPrepareOnly) {
      result.memory = countOnly(result.data, variable.bytes, account);
      result.mappedBytes = origin.isBlock ? 0 : static_cast<int64_t>(result.memory.bytes());
    }
    return result;
  }
  if (!origin.bytes.empty() && !variable.isWritten && isPrepareOnly) {
    result.staged = std::make_unique<StagedValue>(StagedValue{origin.bytes.data(), box});
    result.origin = std::move(origin.owner);
    return result;
  }
  Result<Memory> memory =
      device.allocate(abi::Space::device, static_cast<size_t>(variable.bytes), &account);
  if (!memory.isOk())
    return memory.takeStatus();
  result.memory = std::move(*memory);
  result.data = result.memory.data();
  const auto *splat = variable.table->splat();
  if (origin.bytes.empty() && !splat)
    return result;
  auto fill = [&](std::byte *to) -> Status {
    if (!origin.bytes.empty())
      box.toLocal(origin.bytes.data(), to);
    else
      for (int64_t at = 0; at < variable.bytes; at += splat->size())
        std::memcpy(to + at, splat->data(), splat->size());
    return {};
  };
  if (Status status = fillBytes(device, result.data, static_cast<size_t>(variable.bytes), fill);
      !status.isOk())
    return status;
  return result;
}

Result<Variables> Variables::load(const Executable &executable, int rank, Device &device,
                                  MemoryAccount &account, const WeightSource *weights,
                                  const ProgressListener &onProgress) {
  Variables variables;
  variables.device = &device;
  Origins origins(executable, weights);
  std::vector<int64_t> coordinates = executable.mesh().coordinatesOf(rank);
  bool isTraining = isTrained(executable);
  for (const VariableInfo &variable : executable.variables()) {
    if (onProgress)
      onProgress("loading weights", static_cast<int64_t>(variables.loaded.size()),
                 static_cast<int64_t>(executable.variables().size()));
    auto load = [&]() -> Result<Loaded> {
      ShardBox box = shardBox(variable.sharding, executable.mesh(), coordinates);
      Result<WeightBytes> origin = origins.find(variable, box);
      if (!origin.isOk())
        return origin.takeStatus();
      BoxCopy copy = copyOf(*origin, variable, box);
      bool isRestored = isTraining && variable.isSaved();
      return loadOne(variable, std::move(*origin), copy, isRestored, device, account);
    };
    Result<Loaded> result = load();
    if (!result.isOk())
      return result.takeStatus().annotated("variable \"", variable.table->name()->string_view(),
                                           "\"");
    variables.loaded.push_back(std::move(*result));
  }
  if (Status status = origins.checkComplete(); !status.isOk())
    return status;
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
