// A file of one JSON object per line, written while something goes on.
#ifndef SHEAF_RUNTIME_IO_JSON_LINES_H
#define SHEAF_RUNTIME_IO_JSON_LINES_H

#include "runtime/core/status.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

namespace sheaf::rt::io {

/// Each line is in the file when `write` returns: who reads along, or after a crash, sees whole objects.
class JsonLines {
public:
  /// Makes the file anew, or goes on at the end of what is there.
  static Result<JsonLines> open(const std::filesystem::path &path, bool isContinued);

  /// Numbers that are not finite become null, for JSON has none of them.
  Status write(const nlohmann::ordered_json &object);

private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

  JsonLines(std::filesystem::path path, File file) : path(std::move(path)), file(std::move(file)) {}

  std::filesystem::path path;
  File file;
};

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_JSON_LINES_H
