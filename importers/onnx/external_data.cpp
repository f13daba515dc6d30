// Checks where external tensor data may be, and maps it.
#include "importers/onnx/external_data.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <sys/stat.h>

using namespace llvm;

namespace sheaf::onnx {
namespace {

Error refused(StringRef location, const Twine &why) {
  return createStringError("external data location \"" + location + "\" " + why);
}

/// What can be said of a location without looking at the disk.
Error checkSpelling(StringRef location) {
  if (location.empty())
    return createStringError("external data has no location");
  if (location.contains('\0'))
    return refused(location.take_until([](char c) { return c == '\0'; }), "holds a zero byte");
  if (location.starts_with("/") || location.starts_with("\\") || location.starts_with("~"))
    return refused(location, "is absolute; it must be a file in the model's folder");
  if (location.contains('\\'))
    return refused(location, "holds a backslash; folders are separated by /");
  if (location.contains(':'))
    return refused(location, "looks like an address or a drive; it must be a file in the model's "
                             "folder");
  SmallVector<StringRef> parts;
  location.split(parts, '/');
  for (StringRef part : parts) {
    if (part == "..")
      return refused(location, "leaves the model's folder");
    if (part.empty())
      return refused(location, "names a folder, not a file");
  }
  return Error::success();
}

Expected<uint64_t> parseNumber(StringRef key, StringRef text) {
  uint64_t value;
  if (text.getAsInteger(10, value))
    return createStringError("external data " + key + " \"" + text + "\" is not a number of bytes");
  return value;
}

} // namespace

std::string ExternalData::resolve(StringRef location) const {
  SmallString<128> path(folder);
  sys::path::append(path, location);
  return std::string(path);
}

Expected<uint64_t> ExternalData::checkedSize(StringRef location) {
  if (auto known = sizes.find(location); known != sizes.end())
    return known->second;
  if (Error failure = checkSpelling(location))
    return std::move(failure);
  // Every step of the way down, so that no folder on it is a link either.
  struct stat status = {};
  SmallString<128> path(folder);
  SmallVector<StringRef> parts;
  location.split(parts, '/');
  for (StringRef part : parts) {
    sys::path::append(path, part);
    if (lstat(path.c_str(), &status) != 0 && errno == ENOENT && areMissingAllowed)
      return sizes[location] = UINT64_MAX; // Any place may be in it.
    if (lstat(path.c_str(), &status) != 0)
      return refused(location, "cannot be opened: " + Twine(std::strerror(errno)));
    if (S_ISLNK(status.st_mode))
      return refused(location, "is or passes a symbolic link");
  }
  if (!S_ISREG(status.st_mode))
    return refused(location, "is not a regular file");
  if (status.st_nlink != 1)
    return refused(location, "has other names (hard links), perhaps outside the model's folder");
  return sizes[location] = static_cast<uint64_t>(status.st_size);
}

Expected<ByteRange> ExternalData::locate(const ::onnx::TensorProto &tensor) {
  ByteRange range;
  std::string location;
  std::optional<uint64_t> length;
  StringMap<bool> seen;
  for (const auto &entry : tensor.external_data()) {
    if (!seen.try_emplace(entry.key(), true).second)
      return createStringError("external data has the key \"" + Twine(entry.key()) + "\" twice");
    if (entry.key() == "location") {
      location = entry.value();
    } else if (entry.key() == "offset" || entry.key() == "length") {
      Expected<uint64_t> number = parseNumber(entry.key(), entry.value());
      if (!number)
        return number.takeError();
      if (entry.key() == "offset")
        range.offset = *number;
      else
        length = *number;
    } else if (entry.key() != "checksum") {
      return createStringError("external data has the unknown key \"" + Twine(entry.key()) + "\"");
    }
  }
  Expected<uint64_t> size = checkedSize(location);
  if (!size)
    return size.takeError();
  // Compared without adding: offset + length may wrap.
  if (range.offset > *size || (length && *length > *size - range.offset))
    return createStringError("external data at offset " + Twine(range.offset) +
                             (length ? " of length " + std::to_string(*length) : std::string()) +
                             " is beyond the end of \"" + location + "\" (" + Twine(*size) +
                             " bytes)");
  range.length = length.value_or(*size - range.offset);
  range.path = resolve(location);
  return range;
}

Expected<StringRef> ExternalData::bytes(const ByteRange &range) {
  std::unique_ptr<MemoryBuffer> &buffer = buffers[range.path];
  if (!buffer) {
    auto opened = MemoryBuffer::getFile(range.path, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
    if (!opened)
      return createStringError("cannot open \"" + range.path +
                               "\": " + opened.getError().message());
    buffer = std::move(*opened);
  }
  StringRef all = buffer->getBuffer();
  if (range.offset > all.size() || range.length > all.size() - range.offset)
    return createStringError("\"" + range.path + "\" became shorter while it was read");
  return all.substr(range.offset, range.length);
}

} // namespace sheaf::onnx
