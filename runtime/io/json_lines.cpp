// Appends JSON objects to a file.
#include "runtime/io/json_lines.h"

#include <cerrno>
#include <cstring>

namespace sheaf::rt::io {

Result<JsonLines> JsonLines::open(const std::filesystem::path &path, bool isContinued) {
  File file(std::fopen(path.c_str(), isContinued ? "ae" : "we"), std::fclose);
  if (!file)
    return Status::invalid("can't write ", path.string(), ": ", std::strerror(errno));
  return JsonLines(path, std::move(file));
}

Status JsonLines::write(const nlohmann::ordered_json &object) {
  std::string line =
      object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size() ||
      std::fflush(file.get()) != 0)
    return Status::failed("can't write ", path.string(), ": ", std::strerror(errno));
  return {};
}

} // namespace sheaf::rt::io
