// Opens columns and joins their shards.
#include "runtime/launch/training/data.h"

#include "runtime/core/buffer_shape.h"
#include "runtime/core/checked.h"
#include "runtime/launch/inputs.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace sheaf::rt::launch {
namespace {

namespace fs = std::filesystem;

/// The file, or the files of the folder in the order of their names.
Result<std::vector<fs::path>> filesAt(const fs::path &path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return std::vector<fs::path>{path};
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error))
    if (!entry->path().filename().string().starts_with("."))
      files.push_back(entry->path());
  if (error)
    return Status::invalid("can't list ", path.string(), ": ", error.message());
  if (files.empty())
    return Status::invalid(path.string(), " is a folder without files");
  std::sort(files.begin(), files.end());
  return files;
}

std::string namesOf(const std::vector<io::StoredArray> &arrays) {
  std::string text;
  for (const io::StoredArray &array : arrays)
    text += (text.empty() ? "\"" : ", \"") + array.name + "\"";
  return text.empty() ? "no array" : text;
}

/// Adds the arrays of `file` to those of the files before it, which have the same names.
Status addShard(const fs::path &file, std::vector<io::StoredArray> arrays, const fs::path &first,
                std::vector<std::vector<io::StoredArray>> &columns) {
  if (columns.empty())
    columns.resize(arrays.size());
  std::vector<io::StoredArray> before;
  for (const std::vector<io::StoredArray> &column : columns)
    if (!column.empty())
      before.push_back(column.front());
  bool isSame =
      before.empty() || std::equal(before.begin(), before.end(), arrays.begin(), arrays.end(),
                                   [](const auto &a, const auto &b) { return a.name == b.name; });
  if (!isSame)
    return Status::invalid(file.string(), " has ", namesOf(arrays), " but ", first.string(),
                           " has ", namesOf(before));
  for (size_t i = 0; i < arrays.size(); ++i)
    columns[i].push_back(std::move(arrays[i]));
  return {};
}

Result<std::vector<Column>> openArgument(const DataArgument &argument,
                                         std::optional<abi::ElementType> rawType) {
  Result<std::vector<fs::path>> files = filesAt(argument.path);
  if (!files.isOk())
    return files.takeStatus();
  std::vector<std::vector<io::StoredArray>> shards;
  for (const fs::path &file : *files) {
    auto arrays = io::openArrays(file, rawType);
    if (!arrays.isOk())
      return arrays.takeStatus();
    if (arrays->empty())
      return Status::invalid(file.string(), " holds no array");
    if (Status status = addShard(file, std::move(*arrays), files->front(), shards); !status.isOk())
      return status;
  }
  if (!argument.name.empty() && (shards.size() > 1 || !shards[0].front().name.empty()))
    return Status::invalid(argument.path.string(), " names its arrays itself; give it without \"",
                           argument.name, "=\"");
  std::vector<Column> columns;
  for (std::vector<io::StoredArray> &list : shards) {
    std::string name = argument.name.empty() ? list.front().name : argument.name;
    Result<Column> column = Column::join(name, std::move(list), argument.path.string());
    if (!column.isOk())
      return column.takeStatus();
    columns.push_back(std::move(*column));
  }
  return columns;
}

} // namespace

DataArgument DataArgument::parse(std::string_view text) {
  std::error_code error;
  if (!fs::exists(fs::path(text), error))
    if (Result<InputArgument> named = InputArgument::parse(text); named.isOk())
      return {named->name, named->file};
  return {"", fs::path(text)};
}

Result<Column> Column::join(std::string name, std::vector<io::StoredArray> shards,
                            const std::string &where) {
  Column column;
  column.columnName = std::move(name);
  column.source = where;
  column.starts.push_back(0);
  for (const io::StoredArray &shard : shards) {
    const io::StoredArray &first = shards.front();
    if (shard.dims.empty())
      return Status::invalid(where, ": ", column.columnName.empty() ? "it" : column.columnName,
                             " is a scalar; data has samples along dim 0");
    if (shard.type != first.type || !std::equal(shard.dims.begin() + 1, shard.dims.end(),
                                                first.dims.begin() + 1, first.dims.end()))
      return Status::invalid(where, ": one shard is ", abi::nameOf(first.type),
                             dimsText(first.dims), " and another ", abi::nameOf(shard.type),
                             dimsText(shard.dims), "; only dim 0 may differ");
    std::optional<int64_t> end = checkedAdd(column.starts.back(), shard.dims[0]);
    if (!end)
      return Status::invalid(where, ": its shards have too many rows");
    column.starts.push_back(*end);
  }
  column.bytesOfRow = abi::bytesOf(shards.front().type);
  for (int64_t dim : std::span(shards.front().dims).subspan(1))
    column.bytesOfRow *= dim; // checkedElements has seen that it fits.
  column.shards = std::move(shards);
  return column;
}

const std::byte *Column::rows(int64_t begin, int64_t count, std::vector<std::byte> &scratch) const {
  auto shard = static_cast<size_t>(std::upper_bound(starts.begin(), starts.end() - 1, begin) -
                                   starts.begin() - 1);
  auto at = [&](int64_t row) {
    return shards[shard].bytes.data() + (row - starts[shard]) * bytesOfRow;
  };
  if (begin + count <= starts[shard + 1])
    return at(begin);
  scratch.resize(static_cast<size_t>(count * bytesOfRow));
  for (int64_t row = begin, end = begin + count; row < end; ++shard) {
    int64_t part = std::min(end, starts[shard + 1]) - row;
    if (part > 0)
      std::memcpy(scratch.data() + (row - begin) * bytesOfRow, at(row),
                  static_cast<size_t>(part * bytesOfRow));
    row += std::max<int64_t>(part, 0);
  }
  return scratch.data();
}

Result<std::vector<Column>> openColumns(const std::vector<DataArgument> &arguments,
                                        std::optional<abi::ElementType> rawType) {
  std::vector<Column> columns;
  std::set<std::string> names;
  for (const DataArgument &argument : arguments) {
    auto opened = openArgument(argument, rawType);
    if (!opened.isOk())
      return opened.takeStatus();
    for (Column &column : *opened) {
      if (!names.insert(column.name()).second)
        return column.name().empty()
                   ? Status::invalid(column.where(), ": only one file may come without a name; "
                                                     "give --data NAME=FILE")
                   : Status::invalid(column.where(), ": \"", column.name(), "\" is given twice");
      columns.push_back(std::move(column));
    }
  }
  return columns;
}

bool hasRawFile(const std::vector<DataArgument> &arguments) {
  for (const DataArgument &argument : arguments)
    if (auto files = filesAt(argument.path); files.isOk())
      for (const fs::path &file : *files)
        if (io::isRawFile(file))
          return true;
  return false;
}

} // namespace sheaf::rt::launch
