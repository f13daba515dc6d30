// The part of an executable's variables that one rank writes, at one moment.
#ifndef SHEAF_RUNTIME_IO_CHECKPOINT_SNAPSHOT_H
#define SHEAF_RUNTIME_IO_CHECKPOINT_SNAPSHOT_H

#include "runtime/core/variables.h"

namespace sheaf::rt::io {

/// A box of a variable, of which the rank is the first holder.
struct SnapshotBlock {
  std::string_view name; ///< of the variable; lives in the executable
  abi::VariableRole role = abi::VariableRole::other;
  BufferShape shape; ///< of the whole value
  ShardBox box;      ///< without padding, not empty
  size_t offset = 0; ///< of its bytes in the snapshot
  size_t bytes = 0;
};

/// A copy of what is to be saved, so that the variables may change while it is written. Its memory is used again by
/// the next snapshot.
class Snapshot {
public:
  /// A value in memory: `box` of it, padding included.
  struct HeldValue {
    const std::byte *data = nullptr;
    ShardBox box;
  };
  /// Where variable `index` is.
  using Holder = std::function<HeldValue(size_t index)>;

  /// Lays the blocks of `rank` out. `executable` must outlive this. Errors: the name of a saved variable can't be
  /// written.
  static Result<Snapshot> create(const Executable &executable, int rank);

  /// Copies the blocks. Errors: the device's memory can't be read.
  Status take(const Variables &variables);
  void take(const Holder &holder);

  const std::vector<SnapshotBlock> &blocks() const { return blockList; }
  std::span<const std::byte> bytesOf(const SnapshotBlock &block) const {
    return {memory.data() + block.offset, block.bytes};
  }
  int rank() const { return ownRank; }
  size_t bytes() const { return count; }

private:
  Snapshot(const Executable &executable, int rank) : executable(&executable), ownRank(rank) {}

  void takeBlock(size_t block, const HeldValue &held);

  const Executable *executable;
  int ownRank;
  std::vector<SnapshotBlock> blockList; ///< those of wide types first
  std::vector<size_t> variables;        ///< of each block
  Memory memory;
  size_t count = 0;
};

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_CHECKPOINT_SNAPSHOT_H
