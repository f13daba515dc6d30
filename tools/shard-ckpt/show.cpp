// Prints what checkpoints there are, and what is in one.
#include "runtime/io/checkpoint/checkpoint.h"
#include "runtime/io/checkpoint/series.h"
#include "runtime/io/quantity_text.h"
#include "tools/shard-ckpt/commands.h"

#include <iomanip>

namespace sheaf::shard_ckpt {

using Json = nlohmann::ordered_json;
using rt::Result, rt::Status;
using rt::io::Checkpoint, rt::io::SeriesEntry, rt::io::StoredVariable, rt::io::formatBytes;

namespace {

std::string dump(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// What a folder is, or why it can't be read.
Json entryJson(const SeriesEntry &entry) {
  Json json = {{"name", entry.path.filename().string()}, {"step", entry.step}};
  if (!entry.isComplete()) {
    json["state"] = "incomplete";
    return json;
  }
  Result<Checkpoint> checkpoint = Checkpoint::open(entry.path);
  if (!checkpoint.isOk()) {
    json["state"] = "damaged";
    json["reason"] = std::string(checkpoint.takeStatus().text());
    return json;
  }
  json["state"] = entry.kind == SeriesEntry::Kind::replaced ? "replaced" : "complete";
  json["bytes"] = checkpoint->fileBytes();
  json["ranks"] = checkpoint->index().files.size();
  return json;
}

std::string entryText(const Json &entry) {
  std::ostringstream text;
  text << std::left << std::setw(14) << entry["name"].get<std::string>() << "  ";
  if (entry["state"] == "damaged")
    text << "damaged: " << entry["reason"].get<std::string>();
  else if (entry["state"] == "incomplete")
    text << "incomplete: a save that is going on, or did not come to its end";
  else
    text << formatBytes(entry["bytes"].get<int64_t>()) << " of " << entry["ranks"]
         << (entry["ranks"] == 1 ? " rank" : " ranks")
         << (entry["state"] == "replaced" ? ", about to be replaced" : "");
  return text.str();
}

const char *roleOf(const StoredVariable &variable) {
  return variable.role == abi::VariableRole::state ? "state" : "parameter";
}

/// "data=2, tensor=4", or "one rank".
std::string meshText(const std::vector<rt::Mesh::Axis> &axes) {
  std::string text;
  for (const rt::Mesh::Axis &axis : axes)
    text += (text.empty() ? "" : ", ") + axis.name + "=" + std::to_string(axis.size);
  return text.empty() ? "one rank" : text;
}

/// "rank-00000.safetensors, rank-00002.safetensors and 6 more"
std::string filesText(const StoredVariable &variable) {
  constexpr size_t maxListed = 2;
  std::string text;
  for (size_t i = 0; i < std::min(variable.blocks.size(), maxListed); ++i)
    text += (i ? ", " : "") + variable.blocks[i].file;
  if (variable.blocks.size() > maxListed)
    text += " and " + std::to_string(variable.blocks.size() - maxListed) + " more";
  return text;
}

Json checkpointJson(const Checkpoint &checkpoint) {
  Json variables = Json::array();
  for (const auto &[name, variable] : checkpoint.index().variables) {
    Json blocks = Json::array();
    for (const rt::io::StoredBlock &block : variable.blocks) {
      Json begin = Json::array(), extent = Json::array();
      for (const abi::Shard &shard : block.box) {
        begin.push_back(shard.begin);
        extent.push_back(shard.extent);
      }
      blocks.push_back({{"file", block.file}, {"begin", begin}, {"extent", extent}});
    }
    variables.push_back({{"name", name},
                         {"role", roleOf(variable)},
                         {"dtype", abi::nameOf(variable.shape.type)},
                         {"shape", variable.shape.dims},
                         {"blocks", std::move(blocks)}});
  }
  Json mesh = Json::object();
  for (const rt::Mesh::Axis &axis : checkpoint.index().mesh)
    mesh[axis.name] = axis.size;
  return {{"path", checkpoint.path().string()},
          {"step", checkpoint.index().step},
          {"mesh", std::move(mesh)},
          {"bytes", checkpoint.fileBytes()},
          {"training", Json::parse(checkpoint.index().training.dump())},
          {"variables", std::move(variables)}};
}

void printCheckpoint(const Checkpoint &checkpoint, std::ostream &out) {
  const rt::io::CheckpointIndex &index = checkpoint.index();
  size_t numParameters = 0, nameColumns = 0;
  for (const auto &[name, variable] : index.variables) {
    numParameters += variable.role == abi::VariableRole::parameter;
    nameColumns = std::max(nameColumns, name.size());
  }
  out << "checkpoint  " << checkpoint.path().string() << '\n'
      << "step        " << index.step << '\n'
      << "saved by    " << meshText(index.mesh) << '\n'
      << "holds       " << numParameters << " parameters and "
      << index.variables.size() - numParameters << " states, " << formatBytes(index.bytes())
      << " in " << index.files.size() << (index.files.size() == 1 ? " file" : " files") << '\n'
      << "training    " << index.training.dump() << '\n';
  for (const auto &[name, variable] : index.variables)
    out << "  " << std::left << std::setw(static_cast<int>(std::min<size_t>(nameColumns, 48)))
        << name << "  " << std::setw(9) << roleOf(variable) << "  " << variable.shape.str() << "  "
        << filesText(variable) << '\n';
}

} // namespace

Status listSeries(const Options &options, std::ostream &out) {
  if (!std::filesystem::is_directory(options.path))
    return Status::invalid(options.path, " is no folder");
  Result<std::vector<SeriesEntry>> entries = rt::io::readSeries(options.path);
  if (!entries.isOk())
    return entries.takeStatus();
  Json list = Json::array();
  for (const SeriesEntry &entry : *entries)
    list.push_back(entryJson(entry));
  if (options.isJson)
    out << dump(list) << '\n';
  else if (list.empty())
    out << "there are no checkpoints in " << options.path << '\n';
  else
    for (const Json &entry : list)
      out << entryText(entry) << '\n';
  return {};
}

Status showCheckpoint(const Options &options, std::ostream &out) {
  Result<Checkpoint> checkpoint = Checkpoint::openNewest(options.path);
  if (!checkpoint.isOk())
    return checkpoint.takeStatus();
  if (options.isJson)
    out << dump(checkpointJson(*checkpoint)) << '\n';
  else
    printCheckpoint(*checkpoint, out);
  return {};
}

Status verifyCheckpoint(const Options &options, std::ostream &out) {
  Result<Checkpoint> checkpoint = Checkpoint::openNewest(options.path);
  if (!checkpoint.isOk())
    return checkpoint.takeStatus();
  if (Status status = checkpoint->verify(); !status.isOk())
    return status;
  out << "verified    " << checkpoint->path().string() << ": "
      << formatBytes(checkpoint->fileBytes()) << " in " << checkpoint->index().files.size()
      << " files are as they were written\n";
  return {};
}

} // namespace sheaf::shard_ckpt
