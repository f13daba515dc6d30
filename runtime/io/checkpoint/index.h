// What a checkpoint holds and in which files: its index.json.
#ifndef SHEAF_RUNTIME_IO_CHECKPOINT_INDEX_H
#define SHEAF_RUNTIME_IO_CHECKPOINT_INDEX_H

#include "runtime/core/buffer_shape.h"
#include "runtime/core/sharding.h"
#include "runtime/io/strict_json.h"

#include <map>

namespace sheaf::rt::io {

/// The version of the format that is written and read.
inline constexpr int64_t checkpointVersion = 1;

/// Bytes of a block that one hash is of, unless somebody says otherwise: a rank that reads part of a block reads and
/// checks whole pieces of it.
inline constexpr int64_t defaultPieceBytes = int64_t(4) << 20;

/// A box of a variable, as one tensor of one file.
struct StoredBlock {
  std::string file;
  std::string tensor;              ///< its name there
  ShardBox box;                    ///< without padding
  std::vector<std::string> hashes; ///< SHA-256 of each piece of its bytes
};

/// A variable: blocks that are a grid, so that every element is in one of them.
struct StoredVariable {
  abi::VariableRole role = abi::VariableRole::other;
  BufferShape shape; ///< of the whole value
  std::vector<StoredBlock> blocks;
};

/// A file as it was written.
struct StoredFile {
  int64_t bytes = 0;
  std::string hash; ///< SHA-256 of all of it
};

/// The content of index.json.
struct CheckpointIndex {
  int64_t step = 0;
  std::vector<Mesh::Axis> mesh; ///< that the variables were cut over; for reports
  int64_t pieceBytes = defaultPieceBytes;
  std::map<std::string, StoredFile> files;
  std::map<std::string, StoredVariable, std::less<>> variables;
  Json training = Json::object(); ///< of the training loop

  int64_t numPieces(int64_t bytes) const { return (bytes + pieceBytes - 1) / pieceBytes; }
  /// Of the variables.
  int64_t bytes() const;
};

/// "f32", as the index spells it; none for other words.
std::optional<abi::ElementType> parseElementType(std::string_view name);

/// The index as text.
std::string formatIndex(const CheckpointIndex &index);

/// Reads an index that is not trusted. Errors: it is not what formatIndex writes; a file that is not one of its
/// folder; blocks outside of their variable. What is not checked is whether blocks are a grid.
Result<CheckpointIndex> parseIndex(std::span<const std::byte> text);

/// Errors: the blocks of a variable overlap, leave a part out, or are no grid; two are the same tensor.
Status checkBlocks(const CheckpointIndex &index);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_CHECKPOINT_INDEX_H
