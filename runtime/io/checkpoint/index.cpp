// Writes and reads the index of a checkpoint.
#include "runtime/io/checkpoint/index.h"

#include "runtime/core/checked.h"
#include "runtime/io/checkpoint/box_overlap.h"
#include "runtime/io/sha256.h"

namespace sheaf::rt::io {
namespace {

constexpr const char *formatName = "sheaf-checkpoint";
constexpr int64_t minPieceBytes = 16, maxPieceBytes = int64_t(1) << 30;
constexpr int64_t maxBytes = int64_t(1) << 60; // Sums of two of them do not overflow.

Json blockJson(const StoredBlock &block) {
  std::vector<int64_t> begin, extent;
  for (const abi::Shard &shard : block.box) {
    begin.push_back(shard.begin);
    extent.push_back(shard.extent);
  }
  return {{"file", block.file},
          {"tensor", block.tensor},
          {"begin", begin},
          {"extent", extent},
          {"sha256", block.hashes}};
}

const Json *findMember(const Json &object, const char *key) {
  auto member = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && member != object.end() ? &*member : nullptr;
}

Result<int64_t> integerOf(const Json &object, const char *key, int64_t least, int64_t most) {
  const Json *member = findMember(object, key);
  if (!member || !member->is_number_unsigned() || member->get<uint64_t>() > INT64_MAX ||
      member->get<int64_t>() < least || member->get<int64_t>() > most)
    return Status::invalid("it has no \"", key, "\" from ", least, " to ", most);
  return member->get<int64_t>();
}

Result<std::string> textOf(const Json &object, const char *key) {
  const Json *member = findMember(object, key);
  if (!member || !member->is_string())
    return Status::invalid("it has no text \"", key, "\"");
  return member->get<std::string>();
}

Result<std::string> hashOf(const Json &object) {
  Result<std::string> hash = textOf(object, "sha256");
  if (hash.isOk() && !isSha256(*hash))
    return Status::invalid("its \"sha256\" is no hash");
  return hash;
}

Result<std::vector<int64_t>> integersOf(const Json &object, const char *key) {
  const Json *member = findMember(object, key);
  std::vector<int64_t> numbers;
  for (const Json &number : member && member->is_array() ? *member : Json::array({-1})) {
    if (!number.is_number_unsigned() || number.get<uint64_t>() > uint64_t(maxBytes))
      return Status::invalid("it has no list of sizes \"", key, "\"");
    numbers.push_back(number.get<int64_t>());
  }
  return numbers;
}

/// Names a file of the folder of the index.
Status checkFileName(const std::string &name) {
  if (name.empty() || name.find_first_of(std::string("/\0", 2)) != std::string::npos ||
      name == "." || name == "..")
    return Status::invalid("\"", name, "\" is no file of the checkpoint's folder");
  return {};
}

Result<StoredBlock> parseBlock(const Json &entry, const CheckpointIndex &index,
                               const BufferShape &shape) {
  StoredBlock block;
  Result<std::string> file = textOf(entry, "file"), tensor = textOf(entry, "tensor");
  Result<std::vector<int64_t>> begin = integersOf(entry, "begin"),
                               extent = integersOf(entry, "extent");
  for (Result<std::string> *text : {&file, &tensor})
    if (!text->isOk())
      return text->takeStatus();
  for (Result<std::vector<int64_t>> *sizes : {&begin, &extent})
    if (!sizes->isOk())
      return sizes->takeStatus();
  block.file = std::move(*file);
  block.tensor = std::move(*tensor);
  if (!index.files.contains(block.file))
    return Status::invalid("its file \"", block.file, "\" is not among \"files\"");
  if (begin->size() != shape.rank() || extent->size() != shape.rank())
    return Status::invalid("it has ", begin->size(), " and ", extent->size(),
                           " dims but the variable has ", shape.rank());
  for (size_t dim = 0; dim < shape.rank(); ++dim) {
    if ((*begin)[dim] + (*extent)[dim] > shape.dims[dim] || (*extent)[dim] == 0)
      return Status::invalid("it is ", (*extent)[dim], " elements at ", (*begin)[dim], " of dim ",
                             dim, ", which has ", shape.dims[dim]);
    block.box.push_back({(*begin)[dim], (*extent)[dim], (*extent)[dim]});
  }
  const Json *hashes = findMember(entry, "sha256");
  auto wanted = static_cast<size_t>(index.numPieces(elementsOf(block.box) * shape.elementBytes()));
  if (!hashes || !hashes->is_array() || hashes->size() != wanted)
    return Status::invalid("it has not the ", wanted, " hashes that its bytes need");
  for (const Json &hash : *hashes) {
    if (!hash.is_string() || !isSha256(hash.get_ref<const std::string &>()))
      return Status::invalid("one of its \"sha256\" is no hash");
    block.hashes.push_back(hash.get<std::string>());
  }
  return block;
}

Result<StoredVariable> parseVariable(const Json &entry, const CheckpointIndex &index) {
  StoredVariable variable;
  Result<std::string> role = textOf(entry, "role"), dtype = textOf(entry, "dtype");
  if (!role.isOk() || (*role != "parameter" && *role != "state"))
    return Status::invalid("its \"role\" is neither parameter nor state");
  variable.role = *role == "state" ? abi::VariableRole::state : abi::VariableRole::parameter;
  std::optional<abi::ElementType> type = dtype.isOk() ? parseElementType(*dtype) : std::nullopt;
  if (!type)
    return Status::invalid("its \"dtype\" is none that this program knows");
  Result<std::vector<int64_t>> dims = integersOf(entry, "shape");
  if (!dims.isOk())
    return dims.takeStatus();
  std::optional<int64_t> count = checkedElements(*dims);
  std::optional<int64_t> bytes =
      count ? checkedMultiply(*count, abi::bytesOf(*type)) : std::nullopt;
  if (dims->size() > maxRank || !bytes || *bytes > maxBytes)
    return Status::invalid("its shape has too many dims or elements");
  variable.shape = rowMajorShape(*type, std::move(*dims));
  const Json *blocks = findMember(entry, "blocks");
  if (!blocks || !blocks->is_array())
    return Status::invalid("it has no list \"blocks\"");
  for (const Json &blockEntry : *blocks) {
    Result<StoredBlock> block = parseBlock(blockEntry, index, variable.shape);
    if (!block.isOk())
      return block.takeStatus().annotated("block ", variable.blocks.size());
    variable.blocks.push_back(std::move(*block));
  }
  return variable;
}

Status parseFiles(const Json &entries, CheckpointIndex &index) {
  for (const auto &[name, entry] : entries.items()) {
    if (Status status = checkFileName(name); !status.isOk())
      return status;
    Result<int64_t> bytes = integerOf(entry, "bytes", 0, maxBytes);
    Result<std::string> hash = hashOf(entry);
    if (!bytes.isOk() || !hash.isOk())
      return (bytes.isOk() ? hash.takeStatus() : bytes.takeStatus())
          .annotated("file \"", name, "\"");
    index.files.emplace(name, StoredFile{*bytes, std::move(*hash)});
  }
  return {};
}

Status parseMesh(const Json &entries, CheckpointIndex &index) {
  for (const Json &entry : entries) {
    Result<std::string> name = textOf(entry, "name");
    Result<int64_t> size = integerOf(entry, "size", 1, maxRanks);
    if (!name.isOk() || !size.isOk())
      return Status::invalid("an axis of its mesh has no name or no size");
    index.mesh.push_back({std::move(*name), *size});
  }
  return {};
}

} // namespace

int64_t CheckpointIndex::bytes() const {
  int64_t sum = 0;
  for (const auto &[name, variable] : variables)
    sum += variable.shape.elements() * variable.shape.elementBytes();
  return sum;
}

std::optional<abi::ElementType> parseElementType(std::string_view name) {
  for (abi::ElementType type : abi::EnumValuesElementType())
    if (name == abi::nameOf(type))
      return type;
  return std::nullopt;
}

std::string formatIndex(const CheckpointIndex &index) {
  Json mesh = Json::array(), files = Json::object(), variables = Json::object();
  for (const Mesh::Axis &axis : index.mesh)
    mesh.push_back({{"name", axis.name}, {"size", axis.size}});
  for (const auto &[name, file] : index.files)
    files[name] = {{"bytes", file.bytes}, {"sha256", file.hash}};
  for (const auto &[name, variable] : index.variables) {
    Json blocks = Json::array();
    for (const StoredBlock &block : variable.blocks)
      blocks.push_back(blockJson(block));
    variables[name] = {{"role", variable.role == abi::VariableRole::state ? "state" : "parameter"},
                       {"dtype", abi::nameOf(variable.shape.type)},
                       {"shape", variable.shape.dims},
                       {"blocks", std::move(blocks)}};
  }
  Json root = {{"format", formatName},       {"version", checkpointVersion},
               {"step", index.step},         {"mesh", std::move(mesh)},
               {"files", std::move(files)},  {"variables", std::move(variables)},
               {"training", index.training}, {"piece_bytes", index.pieceBytes}};
  return root.dump(1) + "\n";
}

Result<CheckpointIndex> parseIndex(std::span<const std::byte> text) {
  Result<Json> root = parseStrictJson(text);
  if (!root.isOk())
    return root.takeStatus();
  Result<std::string> format = textOf(*root, "format");
  if (!format.isOk() || *format != formatName)
    return Status::invalid("this is no index of a checkpoint: its \"format\" is not \"", formatName,
                           "\"");
  Result<int64_t> version = integerOf(*root, "version", 0, INT64_MAX);
  if (!version.isOk() || *version != checkpointVersion)
    return Status::invalid("its \"version\" is not ", checkpointVersion,
                           ", which is what this program reads");
  CheckpointIndex index;
  Result<int64_t> step = integerOf(*root, "step", 0, INT64_MAX);
  if (!step.isOk())
    return step.takeStatus();
  index.step = *step;
  Result<int64_t> pieceBytes = integerOf(*root, "piece_bytes", minPieceBytes, maxPieceBytes);
  if (!pieceBytes.isOk())
    return pieceBytes.takeStatus();
  index.pieceBytes = *pieceBytes;
  const Json *mesh = findMember(*root, "mesh"), *files = findMember(*root, "files"),
             *variables = findMember(*root, "variables"), *training = findMember(*root, "training");
  if (!mesh || !mesh->is_array() || !files || !files->is_object() || !variables ||
      !variables->is_object() || !training || !training->is_object())
    return Status::invalid("it lacks \"mesh\", \"files\", \"variables\" or \"training\"");
  if (Status status = parseMesh(*mesh, index); !status.isOk())
    return status;
  if (Status status = parseFiles(*files, index); !status.isOk())
    return status;
  for (const auto &[name, entry] : variables->items()) {
    Result<StoredVariable> variable = parseVariable(entry, index);
    if (!variable.isOk())
      return variable.takeStatus().annotated("variable \"", name, "\"");
    index.variables.emplace(name, std::move(*variable));
  }
  index.training = *training;
  return index;
}

} // namespace sheaf::rt::io
