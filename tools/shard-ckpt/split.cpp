// Makes a checkpoint for an executable of whole tensors.
#include "runtime/io/checkpoint/box_overlap.h"
#include "runtime/io/checkpoint/save.h"
#include "runtime/io/checkpoint/series.h"
#include "runtime/io/weight_files.h"
#include "tools/shard-ckpt/commands.h"

#include <cstring>
#include <random>
#include <set>

namespace sheaf::shard_ckpt {

using rt::Executable, rt::Result, rt::Status, rt::VariableInfo, rt::WeightBytes;

namespace {

/// The whole values of the variables that are saved: from a file, or what they begin with.
class WholeValues {
public:
  WholeValues(const Executable &executable, const rt::io::WeightFiles &file)
      : executable(executable), values(executable.variables().size()), file(file) {}

  /// Errors: lists what is nowhere, and what the executable has no use for.
  Status find(bool allowsExtra) {
    std::string missing, extra;
    std::set<std::string, std::less<>> names;
    for (size_t i = 0; i < values.size(); ++i) {
      const VariableInfo &variable = executable.variables()[i];
      if (!variable.isSaved())
        continue;
      names.emplace(variable.name());
      Result<std::optional<WeightBytes>> found = file.find(variable.name(), variable.globalShape());
      if (!found.isOk())
        return found.takeStatus().annotated("variable \"", variable.name(), "\"");
      if (*found)
        values[i] = std::move(**found);
      else if (!begins(variable, values[i]))
        add(missing, variable.name());
      numFound += found->has_value();
      numBegun += !found->has_value();
    }
    for (const std::string &name : file.names())
      if (!names.contains(name))
        add(extra, name);
    if (!missing.empty())
      return Status::invalid("the file lacks ", missing);
    if (!extra.empty() && !allowsExtra)
      return Status::invalid("the executable does not save ", extra,
                             "; --allow-extra leaves such tensors out");
    return {};
  }

  /// Variable `index` as `rank` holds it, or more of it. The result lasts until the next call.
  rt::io::Snapshot::HeldValue hold(size_t index, int rank) {
    const VariableInfo &variable = executable.variables()[index];
    if (const auto *splat = variable.table->splat(); splat && !values[index].owner) {
      rt::ShardBox box =
          shardBox(variable.sharding, executable.mesh(), executable.mesh().coordinatesOf(rank));
      block.resize(static_cast<size_t>(variable.bytes));
      for (size_t at = 0; at < block.size(); at += splat->size())
        std::memcpy(block.data() + at, splat->data(), splat->size());
      return {block.data(), std::move(box)};
    }
    return {values[index].bytes.data(), rt::io::wholeBox(variable.sharding.globalDims)};
  }

  int64_t numFound = 0, numBegun = 0;

private:
  /// Whether a state has a value to begin with; a parameter has to be in the file.
  bool begins(const VariableInfo &variable, WeightBytes &value) const {
    if (variable.table->role() != abi::VariableRole::state)
      return false;
    if (uint32_t constant = variable.table->constant(); constant != UINT32_MAX) {
      const auto *bytes = executable.table().constants()->Get(constant)->bytes();
      value.bytes = {reinterpret_cast<const std::byte *>(bytes->data()), bytes->size()};
      return true;
    }
    return variable.table->splat() != nullptr;
  }

  static void add(std::string &list, std::string_view name) {
    list += (list.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }

  const Executable &executable;
  std::vector<WeightBytes> values; ///< of each variable
  const rt::io::WeightFiles &file;
  std::vector<std::byte> block;
};

Status writeAll(const Executable &executable, WholeValues &values,
                const rt::io::SaveTarget &target) {
  for (int rank = 0; rank < executable.mesh().numRanks(); ++rank) {
    Result<rt::io::Snapshot> snapshot = rt::io::Snapshot::create(executable, rank);
    if (!snapshot.isOk())
      return snapshot.takeStatus();
    snapshot->take([&](size_t index) { return values.hold(index, rank); });
    if (Status status =
            rt::io::writeRankFile(target.partialPath(), *snapshot, rt::io::defaultPieceBytes, {});
        !status.isOk())
      return status;
  }
  return rt::io::commitSave(target, executable.mesh().numRanks(), executable.mesh().axes(),
                            // Where training begins, in the words of its loop.
                            {{"epoch", 0U}, {"sample", 0U}, {"seed", 0U}});
}

} // namespace

Status splitTensors(const Options &options, std::ostream &out) {
  Result<Executable> executable = Executable::open(options.like);
  if (!executable.isOk())
    return executable.takeStatus();
  auto file = rt::io::WeightFiles::open(options.path);
  if (!file.isOk())
    return file.takeStatus();
  WholeValues values(*executable, **file);
  if (Status status = values.find(options.allowsExtra); !status.isOk())
    return std::move(status).annotated(options.path);
  if (values.numFound + values.numBegun == 0)
    return Status::invalid(options.like, " has nothing that checkpoints hold");
  // A job may be saving to a folder that is there, and its half-written saves would be cleaned.
  if (std::filesystem::exists(options.output) && !std::filesystem::is_empty(options.output))
    return Status::invalid(options.output, " is there already; name a new folder");
  rt::io::SaveTarget target{options.output, options.step, std::random_device()()};
  Status status = rt::io::beginSave(target);
  if (status.isOk())
    status = writeAll(*executable, values, target);
  if (!status.isOk()) {
    (void)rt::io::discardSave(target).isOk(); // The first reason counts.
    return status;
  }
  out << "wrote       " << target.finalPath().string() << " for " << executable->mesh().numRanks()
      << " ranks: " << values.numFound << " variables of the file, " << values.numBegun
      << " as they begin\n";
  return {};
}

} // namespace sheaf::shard_ckpt
