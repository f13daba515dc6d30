// Converts whole tensors to Megatron's tensor-parallel layout and back.
#include "tools/shard-ckpt/commands.h"
#include "tools/shard-ckpt/megatron_layout.h"
#include "tools/shard-ckpt/tensor_file.h"
#include "tools/shard-ckpt/tensor_set.h"

#include <cstdio>
#include <cstring>

namespace sheaf::shard_ckpt {

using rt::BufferShape, rt::Result, rt::Status;
using rt::io::NewTensor, rt::io::PendingFile;
namespace fs = std::filesystem;
using Sets = std::vector<std::unique_ptr<TensorSet>>;

namespace {

std::string rankFileName(int64_t rank) {
  char text[40];
  std::snprintf(text, sizeof text, "mp_rank_%02lld.safetensors", static_cast<long long>(rank));
  return text;
}

size_t bytesOf(const BufferShape &shape) {
  return static_cast<size_t>(shape.elements() * shape.elementBytes());
}

/// A tensor of Megatron's with its layout.
struct Conversion {
  FusedTensor tensor;
  MegatronLayout layout;
};

Result<std::vector<Conversion>> conversionsOfParts(const std::vector<FusedTensor> &tensors,
                                                   const TensorSet &set, int64_t numRanks) {
  std::vector<Conversion> conversions;
  for (const FusedTensor &tensor : tensors) {
    std::vector<BufferShape> shapes;
    for (const std::string &part : tensor.parts)
      shapes.push_back(set.shapes().at(part));
    Result<MegatronLayout> layout = MegatronLayout::ofParts(*tensor.rule, shapes, numRanks);
    if (!layout.isOk())
      return layout.takeStatus().annotated("\"", tensor.megatron, "\"");
    conversions.push_back({tensor, std::move(*layout)});
  }
  return conversions;
}

Result<PendingFile> writeRank(const fs::path &path, const TensorSet &set,
                              const std::vector<Conversion> &conversions, int64_t rank) {
  std::vector<NewTensor> tensors;
  std::map<std::string_view, const Conversion *> byName;
  for (const Conversion &conversion : conversions) {
    BufferShape shape = conversion.layout.localShape();
    tensors.push_back({conversion.tensor.megatron, shape.type, shape.dims});
    byName[conversion.tensor.megatron] = &conversion;
  }
  std::vector<std::byte> local;
  auto valueOf = [&](std::string_view name) -> Result<std::span<const std::byte>> {
    const Conversion &conversion = *byName.at(name);
    std::vector<rt::WeightBytes> parts;
    std::vector<const std::byte *> data;
    for (const std::string &part : conversion.tensor.parts) {
      Result<rt::WeightBytes> bytes = set.read(part);
      if (!bytes.isOk())
        return bytes.takeStatus();
      data.push_back(bytes->bytes.data());
      parts.push_back(std::move(*bytes));
    }
    local.resize(bytesOf(conversion.layout.localShape()));
    conversion.layout.toRank(rank, data, local.data());
    return std::span<const std::byte>(local);
  };
  int64_t bytes = 0;
  return writeTensors(path, std::move(tensors), valueOf, bytes);
}

/// The files of all ranks, which have the same tensors.
Result<Sets> openRanks(const fs::path &folder) {
  Sets sets;
  while (fs::exists(folder / rankFileName(static_cast<int64_t>(sets.size())))) {
    fs::path path = folder / rankFileName(static_cast<int64_t>(sets.size()));
    Result<std::unique_ptr<TensorSet>> set = TensorSet::open(path);
    if (!set.isOk())
      return set.takeStatus();
    auto isSame = [&](const auto &a, const auto &b) {
      return a.first == b.first && a.second.str() == b.second.str();
    };
    if (!sets.empty() && !std::equal((*set)->shapes().begin(), (*set)->shapes().end(),
                                     sets[0]->shapes().begin(), sets[0]->shapes().end(), isSame))
      return Status::invalid(path.string(), " has other tensors than ", rankFileName(0));
    sets.push_back(std::move(*set));
  }
  if (sets.empty())
    return Status::invalid("there is no ", (folder / rankFileName(0)).string());
  return sets;
}

/// The whole parts of one tensor of Megatron's.
Result<std::vector<std::vector<std::byte>>> readParts(const Sets &ranks,
                                                      const Conversion &conversion) {
  const MegatronLayout &layout = conversion.layout;
  std::vector<std::vector<std::byte>> parts;
  std::vector<std::byte *> data;
  for (size_t part = 0; part < conversion.tensor.parts.size(); ++part)
    parts.emplace_back(bytesOf(layout.partShape(part)));
  for (std::vector<std::byte> &part : parts)
    data.push_back(part.data());
  std::vector<std::byte> ofFirst;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    Result<rt::WeightBytes> local = ranks[rank]->read(conversion.tensor.megatron);
    if (!local.isOk())
      return local.takeStatus();
    if (!conversion.tensor.rule->dim && rank == 0)
      ofFirst.assign(local->bytes.begin(), local->bytes.end());
    if (!conversion.tensor.rule->dim &&
        !std::equal(ofFirst.begin(), ofFirst.end(), local->bytes.begin(), local->bytes.end()))
      return Status::invalid("\"", conversion.tensor.megatron, "\" differs between ranks 0 and ",
                             rank, ", but its rule says that all have the same");
    layout.fromRank(static_cast<int64_t>(rank), local->bytes.data(), data);
  }
  return parts;
}

} // namespace

Status writeMegatron(const Options &options, std::ostream &out) {
  Result<std::vector<MegatronRule>> rules = readMegatronRules(options.rules);
  if (!rules.isOk())
    return rules.takeStatus();
  Result<std::unique_ptr<TensorSet>> set = TensorSet::open(options.path, /*isParametersOnly=*/true);
  if (!set.isOk())
    return set.takeStatus();
  auto tensors = bindMegatronRules(*rules, (*set)->names(), NameSide::parts);
  if (!tensors.isOk())
    return tensors.takeStatus().annotated(options.rules);
  auto conversions = conversionsOfParts(*tensors, **set, options.ranks);
  if (!conversions.isOk())
    return conversions.takeStatus();
  std::error_code error;
  fs::create_directories(options.output, error);
  if (error)
    return Status::invalid("can't make the folder ", options.output, ": ", error.message());
  std::vector<PendingFile> files;
  for (int64_t rank = 0; rank < options.ranks; ++rank) {
    Result<PendingFile> file =
        writeRank(fs::path(options.output) / rankFileName(rank), **set, *conversions, rank);
    if (!file.isOk())
      return file.takeStatus();
    files.push_back(std::move(*file));
  }
  for (PendingFile &file : files)
    if (Status status = file.commit(); !status.isOk())
      return status;
  out << "wrote       " << files.size() << " files to " << options.output << " ("
      << conversions->size() << " tensors each)\n";
  return {};
}

Status readMegatron(const Options &options, std::ostream &out) {
  Result<std::vector<MegatronRule>> rules = readMegatronRules(options.rules);
  if (!rules.isOk())
    return rules.takeStatus();
  Result<Sets> ranks = openRanks(options.path);
  if (!ranks.isOk())
    return ranks.takeStatus();
  auto fused = bindMegatronRules(*rules, ranks->front()->names(), NameSide::megatron);
  if (!fused.isOk())
    return fused.takeStatus().annotated(options.rules);
  std::vector<NewTensor> tensors;
  std::map<std::string, std::pair<Conversion, size_t>> sources;
  for (const FusedTensor &tensor : *fused) {
    Result<MegatronLayout> layout =
        MegatronLayout::ofRank(*tensor.rule, ranks->front()->shapes().at(tensor.megatron),
                               static_cast<int64_t>(ranks->size()));
    if (!layout.isOk())
      return layout.takeStatus().annotated("\"", tensor.megatron, "\"");
    for (size_t part = 0; part < tensor.parts.size(); ++part) {
      auto [source, isNew] =
          sources.try_emplace(tensor.parts[part], Conversion{tensor, *layout}, part);
      if (!isNew)
        return Status::invalid(options.rules, ": two rules make \"", tensor.parts[part], "\"");
      BufferShape shape = layout->partShape(part);
      tensors.push_back({source->first, shape.type, shape.dims});
    }
  }
  std::vector<std::byte> value;
  auto valueOf = [&](std::string_view name) -> Result<std::span<const std::byte>> {
    const auto &[conversion, part] = sources.at(std::string(name));
    Result<std::vector<std::vector<std::byte>>> parts = readParts(*ranks, conversion);
    if (!parts.isOk())
      return parts.takeStatus();
    value = std::move((*parts)[part]);
    return std::span<const std::byte>(value);
  };
  return writeTensorFile(options.output, tensors, valueOf, out);
}

} // namespace sheaf::shard_ckpt
