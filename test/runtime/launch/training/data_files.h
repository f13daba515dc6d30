// Files of data for tests.
#ifndef SHEAF_TEST_RUNTIME_LAUNCH_TRAINING_DATA_FILES_H
#define SHEAF_TEST_RUNTIME_LAUNCH_TRAINING_DATA_FILES_H

#include "runtime/io/npy.h"
#include "runtime/launch/training/data.h"
#include "test/runtime/process_folder.h"

#include <fstream>
#include <numeric>

namespace sheaf::rt::launch::test {

/// 0, 1, 2, ... in an array of so many rows and dims of each, below the folder of the process.
template <typename T>
std::filesystem::path storeCounted(const std::string &name, abi::ElementType type,
                                   std::vector<int64_t> dims, T first = 0) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  std::vector<T> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), first);
  std::filesystem::path path = rt::test::processFolder() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  if (path.extension() == ".npy")
    file << io::makeNpyHeader(type, dims);
  file.write(reinterpret_cast<const char *>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
  return path;
}

/// The columns of these files; they are good.
inline std::vector<Column> columnsOf(const std::vector<DataArgument> &arguments,
                                     std::optional<abi::ElementType> rawType = std::nullopt) {
  auto columns = openColumns(arguments, rawType);
  EXPECT_TRUE(columns.isOk()) << columns.takeStatus().text();
  return std::move(*columns);
}

/// Why these files can't be opened.
inline std::string refusalOf(const std::vector<DataArgument> &arguments,
                             std::optional<abi::ElementType> rawType = std::nullopt) {
  auto columns = openColumns(arguments, rawType);
  return columns.isOk() ? "" : std::string(columns.takeStatus().text());
}

} // namespace sheaf::rt::launch::test

#endif // SHEAF_TEST_RUNTIME_LAUNCH_TRAINING_DATA_FILES_H
