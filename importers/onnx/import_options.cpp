// Parses the flags that bind what a model leaves open.
#include "importers/onnx/import.h"

using namespace llvm;

namespace sheaf::onnx {
namespace {

Expected<std::pair<StringRef, StringRef>> splitFlag(StringRef flag, StringRef form) {
  size_t at = flag.rfind('=');
  if (at == StringRef::npos || at == 0)
    return createStringError("\"" + flag + "\" is not of the form " + form);
  return std::pair(flag.take_front(at), flag.drop_front(at + 1));
}

Error parseExtent(StringRef text, StringRef flag, int64_t &extent) {
  if (text.getAsInteger(10, extent) || extent < 0)
    return createStringError("\"" + flag + "\": \"" + text + "\" is not an extent");
  return Error::success();
}

Error givenTwice(StringRef name) { return createStringError("\"" + name + "\" is bound twice"); }

} // namespace

Error addShapeFlag(ImportOptions &options, StringRef flag) {
  auto parts = splitFlag(flag, "NAME=2x16");
  if (!parts)
    return parts.takeError();
  auto [entry, isNew] = options.shapes.try_emplace(parts->first);
  if (!isNew)
    return givenTwice(parts->first);
  if (parts->second.empty())
    return Error::success();
  SmallVector<StringRef> extents;
  parts->second.split(extents, 'x');
  for (StringRef text : extents)
    if (Error failure = parseExtent(text, flag, entry->second.emplace_back()))
      return failure;
  return Error::success();
}

Error addDimFlag(ImportOptions &options, StringRef flag) {
  auto parts = splitFlag(flag, "NAME=2");
  if (!parts)
    return parts.takeError();
  auto [entry, isNew] = options.dims.try_emplace(parts->first);
  if (!isNew)
    return givenTwice(parts->first);
  return parseExtent(parts->second, flag, entry->second);
}

Error addConstantFlag(ImportOptions &options, StringRef flag) {
  auto parts = splitFlag(flag, "NAME=file.npy");
  if (!parts)
    return parts.takeError();
  if (!options.constants.try_emplace(parts->first, parts->second.str()).second)
    return givenTwice(parts->first);
  return Error::success();
}

} // namespace sheaf::onnx
