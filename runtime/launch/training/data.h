// Data to train on: named columns of rows, from one file or from many shards.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_DATA_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_DATA_H

#include "runtime/io/stored_array.h"

namespace sheaf::rt::launch {

/// `--data [NAME=]PATH`: a file, or a folder of shards.
struct DataArgument {
  std::string name; ///< of the input; empty: not told
  std::filesystem::path path;

  /// The whole text is a path when there is such a file; else it is cut at the last '=' that leaves one.
  static DataArgument parse(std::string_view text);
};

/// Arrays, one behind the other along dim 0.
class Column {
public:
  /// `shards` have one name, type, and dims but for dim 0 (else: an error that names `where`).
  static Result<Column> join(std::string name, std::vector<io::StoredArray> shards,
                             const std::string &where);

  const std::string &name() const { return columnName; } ///< empty: it has none
  const std::string &where() const { return source; }    ///< the user's path
  abi::ElementType type() const { return shards.front().type; }
  std::span<const int64_t> rowDims() const { return std::span(shards.front().dims).subspan(1); }
  int64_t numRows() const { return starts.back(); }
  int64_t rowBytes() const { return bytesOfRow; }
  /// Integers without further dims: a stream of tokens, when the program wants rows of them.
  bool isStream() const { return rowDims().empty() && abi::isInteger(type()); }

  /// The bytes of rows [begin, begin + count): in place, or put together in `scratch` where shards meet.
  const std::byte *rows(int64_t begin, int64_t count, std::vector<std::byte> &scratch) const;

private:
  std::string columnName, source;
  std::vector<io::StoredArray> shards;
  std::vector<int64_t> starts; ///< the first row of each shard, and the end
  int64_t bytesOfRow = 0;
};

/// Opens what `arguments` name, mapped: rows are read when they are used. The shards of a folder are its files in the
/// order of their names, those with a leading '.' left out; all have the same arrays. `rawType`: see io::openArrays.
/// Errors: what io::openArrays refuses; a scalar; no file in a folder; shards that do not fit; two columns of a name.
Result<std::vector<Column>> openColumns(const std::vector<DataArgument> &arguments,
                                        std::optional<abi::ElementType> rawType);

/// Whether a raw file is among `arguments`, for which a type has to be told.
bool hasRawFile(const std::vector<DataArgument> &arguments);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_DATA_H
