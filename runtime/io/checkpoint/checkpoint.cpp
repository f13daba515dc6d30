// Opens checkpoints and reads boxes from their blocks; nothing of a file is believed before it has been checked.
#include "runtime/io/checkpoint/checkpoint.h"

#include "runtime/io/checkpoint/box_overlap.h"
#include "runtime/io/checkpoint/series.h"
#include "runtime/io/safetensors.h"
#include "runtime/io/sha256.h"

#include <cstring>

namespace sheaf::rt::io {
namespace fs = std::filesystem;
namespace {

/// A regular file, not a link to one.
Result<MappedFile> openOwn(const fs::path &path) {
  std::error_code ignored; // Opening it tells.
  if (fs::is_symlink(fs::symlink_status(path, ignored)))
    return Status::invalid(path.string(),
                           " is a link; the files of a checkpoint are in its folder");
  return MappedFile::open(path);
}

/// The index of the checkpoint in `folder`, when its marker is right.
Result<CheckpointIndex> readIndex(const fs::path &folder) {
  std::error_code ignored; // What can't be seen is not there.
  if (!fs::exists(folder, ignored))
    return Status::invalid("there is no checkpoint ", folder.string());
  if (!fs::exists(folder / markerName, ignored))
    return Status::invalid(folder.string(), " is no complete checkpoint: it has no file \"",
                           markerName, "\"");
  Result<MappedFile> marker = openOwn(folder / markerName), index = openOwn(folder / indexName);
  for (Result<MappedFile> *file : {&marker, &index})
    if (!file->isOk())
      return file->takeStatus();
  std::string wanted = sha256Of(index->bytes()) + "\n";
  std::string_view found(reinterpret_cast<const char *>(marker->bytes().data()),
                         marker->bytes().size());
  if (found != wanted)
    return Status::invalid(folder.string(), " is damaged: ", indexName,
                           " is not the one that the checkpoint was completed with");
  Result<CheckpointIndex> parsed = parseIndex(index->bytes());
  Status status = parsed.isOk() ? checkBlocks(*parsed) : parsed.takeStatus();
  if (!status.isOk())
    return std::move(status).annotated((folder / indexName).string());
  return parsed;
}

Status checkTensor(const StoredTensor &tensor, const StoredVariable &variable,
                   const StoredBlock &block) {
  std::vector<int64_t> dims;
  for (const abi::Shard &shard : block.box)
    dims.push_back(shard.extent);
  std::string_view dtype = safetensorsDtype(variable.shape.type);
  if (tensor.dtype != dtype || tensor.dims != dims)
    return Status::invalid("tensor \"", block.tensor, "\" is ", tensor.dtype, dimsText(tensor.dims),
                           " but the index says ", dtype, dimsText(dims));
  return {};
}

} // namespace

Result<Checkpoint> Checkpoint::open(const fs::path &path) {
  Checkpoint checkpoint;
  checkpoint.folder = path;
  Result<CheckpointIndex> index = readIndex(path);
  if (!index.isOk())
    return index.takeStatus();
  checkpoint.content = std::move(*index);
  if (Status status = checkpoint.openFiles(); !status.isOk())
    return status;
  return checkpoint;
}

Result<Checkpoint> Checkpoint::openNewest(const fs::path &path) {
  std::error_code ignored; // What can't be seen is not there.
  if (fs::exists(path / markerName, ignored) || fs::exists(path / indexName, ignored))
    return open(path);
  Result<std::optional<fs::path>> latest = latestCheckpoint(path);
  if (!latest.isOk())
    return latest.takeStatus();
  if (!*latest)
    return Status::invalid("there is no complete checkpoint in ", path.string());
  Result<Checkpoint> checkpoint = open(**latest);
  if (checkpoint.isOk())
    return checkpoint;
  Status status = checkpoint.takeStatus();
  return Status::ofCode(status.code(), status.text(),
                        "; it is the newest, remove its folder to take the one before it");
}

Status Checkpoint::openFiles() {
  std::map<std::string, std::map<std::string, StoredTensor>> tensors;
  for (const auto &[name, stored] : content.files) {
    fs::path path = folder / name;
    Result<MappedFile> file = openOwn(path);
    if (!file.isOk())
      return file.takeStatus();
    if (file->bytes().size() != static_cast<size_t>(stored.bytes))
      return Status::invalid(path.string(), " has ", file->bytes().size(), " bytes but had ",
                             stored.bytes, " when it was written");
    Result<std::map<std::string, StoredTensor>> parsed = parseSafetensors(file->bytes());
    if (!parsed.isOk())
      return parsed.takeStatus().annotated(path.string());
    tensors.emplace(name, std::move(*parsed));
    files.emplace(name, std::move(*file));
  }
  std::map<std::string, size_t> numTaken;
  for (const auto &[name, variable] : content.variables)
    for (const StoredBlock &block : variable.blocks) {
      const auto &inFile = tensors.at(block.file);
      auto tensor = inFile.find(block.tensor);
      Status status = tensor == inFile.end()
                          ? Status::invalid("it has no tensor \"", block.tensor, "\"")
                          : checkTensor(tensor->second, variable, block);
      if (!status.isOk())
        return std::move(status).annotated((folder / block.file).string());
      ranges.emplace(&block, std::pair(tensor->second.begin, tensor->second.end));
      ++numTaken[block.file];
    }
  for (const auto &[name, inFile] : tensors)
    if (inFile.size() != numTaken[name])
      return Status::invalid((folder / name).string(), " has ", inFile.size(),
                             " tensors but the index says ", numTaken[name]);
  return {};
}

const StoredVariable *Checkpoint::find(std::string_view name) const {
  auto found = content.variables.find(name);
  return found == content.variables.end() ? nullptr : &found->second;
}

std::span<const std::byte> Checkpoint::bytesOf(const StoredBlock &block) const {
  auto [begin, end] = ranges.at(&block);
  return files.at(block.file).bytes().subspan(begin, end - begin);
}

Status Checkpoint::checkPiece(const StoredBlock &block, size_t piece) const {
  std::span<const std::byte> bytes = bytesOf(block);
  size_t begin = piece * static_cast<size_t>(content.pieceBytes);
  size_t count = std::min(bytes.size() - begin, static_cast<size_t>(content.pieceBytes));
  if (sha256Of(bytes.subspan(begin, count)) == block.hashes[piece])
    return {};
  return Status::invalid((folder / block.file).string(), " is damaged: bytes ", begin, " to ",
                         begin + count, " of tensor \"", block.tensor,
                         "\" are not those that were written");
}

Status Checkpoint::readBlock(const StoredVariable &variable, const StoredBlock &block,
                             const ShardBox &box, std::byte *local) const {
  BoxOverlap overlap(block.box, box, variable.shape.elementBytes());
  const std::byte *bytes = bytesOf(block).data();
  auto pieceOf = [&](int64_t offset) { return static_cast<size_t>(offset / content.pieceBytes); };
  size_t nextPiece = 0; // Runs come in order: pieces below it have been checked, or are not needed.
  return overlap.forEachRun([&](int64_t from, int64_t to, int64_t count) {
    size_t last = pieceOf(from + count - 1);
    for (size_t piece = std::max(nextPiece, pieceOf(from)); piece <= last; ++piece)
      if (Status status = checkPiece(block, piece); !status.isOk())
        return status;
    nextPiece = std::max(nextPiece, last + 1);
    std::memcpy(local + to, bytes + from, static_cast<size_t>(count));
    return Status();
  });
}

Status Checkpoint::read(const StoredVariable &variable, const ShardBox &box,
                        std::byte *local) const {
  for (const StoredBlock &block : variable.blocks)
    if (Status status = readBlock(variable, block, box, local); !status.isOk())
      return status;
  return {};
}

Status Checkpoint::verify() const {
  for (const auto &[name, variable] : content.variables)
    for (const StoredBlock &block : variable.blocks)
      for (size_t piece = 0; piece < block.hashes.size(); ++piece)
        if (Status status = checkPiece(block, piece); !status.isOk())
          return status;
  for (const auto &[name, stored] : content.files)
    if (sha256Of(files.at(name).bytes()) != stored.hash)
      return Status::invalid((folder / name).string(),
                             " is damaged: its header is not the one that was written");
  return {};
}

int64_t Checkpoint::fileBytes() const {
  int64_t sum = 0;
  for (const auto &[name, stored] : content.files)
    sum += stored.bytes;
  return sum;
}

} // namespace sheaf::rt::io
