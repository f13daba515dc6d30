// Writes blocks as a safetensors file, and hashes them on the way.
#include "runtime/io/checkpoint/rank_file.h"

#include "runtime/io/atomic_file.h"
#include "runtime/io/checkpoint/box_overlap.h"
#include "runtime/io/durable_file.h"
#include "runtime/io/safetensors.h"
#include "runtime/io/sha256.h"

#include <cstdio>

namespace sheaf::rt::io {
namespace {

std::string numbered(int rank, const char *suffix) {
  char text[32];
  std::snprintf(text, sizeof text, "rank-%05d.%s", rank, suffix);
  return text;
}

std::string headerOf(const Snapshot &snapshot) {
  std::vector<NewTensor> tensors;
  for (const SnapshotBlock &block : snapshot.blocks()) {
    NewTensor tensor{block.name, block.shape.type, {}};
    for (const abi::Shard &shard : block.box)
      tensor.dims.push_back(shard.extent);
    tensors.push_back(std::move(tensor));
  }
  return makeSafetensorsHeader(tensors);
}

} // namespace

std::string rankFileName(int rank) { return numbered(rank, "safetensors"); }
std::string rankPartName(int rank) { return numbered(rank, "part.json"); }

Status writeRankFile(const std::filesystem::path &folder, const Snapshot &snapshot,
                     int64_t pieceBytes, const StageListener &onStage) {
  std::string fileName = rankFileName(snapshot.rank());
  Result<DurableFile> file = DurableFile::create(folder / fileName);
  if (!file.isOk())
    return file.takeStatus();
  CheckpointIndex part;
  part.pieceBytes = pieceBytes;
  StoredFile stored;
  Sha256 fileHash;
  auto write = [&](std::span<const std::byte> bytes) {
    fileHash.add(bytes);
    stored.bytes += static_cast<int64_t>(bytes.size());
    Status status = file->write(bytes);
    if (status.isOk() && onStage)
      onStage("piece");
    return status;
  };
  if (Status status = write(bytesOf(headerOf(snapshot))); !status.isOk())
    return status;
  for (const SnapshotBlock &block : snapshot.blocks()) {
    StoredVariable &variable = part.variables[std::string(block.name)];
    variable = {block.role, block.shape, {{fileName, std::string(block.name), block.box, {}}}};
    std::span<const std::byte> bytes = snapshot.bytesOf(block);
    while (!bytes.empty()) {
      auto piece = bytes.first(std::min(bytes.size(), static_cast<size_t>(pieceBytes)));
      variable.blocks.front().hashes.push_back(sha256Of(piece));
      if (Status status = write(piece); !status.isOk())
        return status;
      bytes = bytes.subspan(piece.size());
    }
  }
  if (Status status = file->finish(); !status.isOk())
    return status;
  if (onStage)
    onStage("rank file");
  stored.hash = fileHash.hex();
  part.files.emplace(fileName, std::move(stored));
  Status status = writeDurably(folder / rankPartName(snapshot.rank()), bytesOf(formatIndex(part)));
  if (status.isOk() && onStage)
    onStage("part");
  return status;
}

} // namespace sheaf::rt::io
