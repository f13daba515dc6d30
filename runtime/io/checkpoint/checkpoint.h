// A checkpoint on the disk, read by boxes.
#ifndef SHEAF_RUNTIME_IO_CHECKPOINT_CHECKPOINT_H
#define SHEAF_RUNTIME_IO_CHECKPOINT_CHECKPOINT_H

#include "runtime/core/mapped_file.h"
#include "runtime/io/checkpoint/index.h"

#include <filesystem>

namespace sheaf::rt::io {

/// A complete checkpoint whose index and files have been checked but for the bytes of tensors: these are when they
/// are read, piece by piece, against their hashes. Several threads may read at once.
class Checkpoint {
public:
  /// `path`: the folder of one checkpoint ("ckpt/step-000123"). Errors: it has no marker, another index than it was
  /// marked with, a file that is missing, a link, of another size, or with other tensors than the index says.
  static Result<Checkpoint> open(const std::filesystem::path &path);

  /// `path`: that of one checkpoint, or a folder of several, of which the newest complete one is opened.
  static Result<Checkpoint> openNewest(const std::filesystem::path &path);

  const std::filesystem::path &path() const { return folder; }
  const CheckpointIndex &index() const { return content; }
  /// Null when there is none of that name.
  const StoredVariable *find(std::string_view name) const;

  /// Reads `box` of a variable of this checkpoint into the memory of it, padding excepted: only pieces that hold some
  /// of it. Errors: bytes that are not those that were written.
  Status read(const StoredVariable &variable, const ShardBox &box, std::byte *local) const;

  /// Hashes all files and all pieces.
  Status verify() const;

  /// The bytes that are in files, headers included.
  int64_t fileBytes() const;

private:
  using Files = std::map<std::string, MappedFile>;

  /// The mapped bytes of a block.
  std::span<const std::byte> bytesOf(const StoredBlock &block) const;
  Status openFiles();
  Status readBlock(const StoredVariable &variable, const StoredBlock &block, const ShardBox &box,
                   std::byte *local) const;
  Status checkPiece(const StoredBlock &block, size_t piece) const;

  std::filesystem::path folder;
  CheckpointIndex content;
  Files files;
  /// Of each block's bytes in its file.
  std::map<const StoredBlock *, std::pair<size_t, size_t>> ranges;
};

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_CHECKPOINT_CHECKPOINT_H
