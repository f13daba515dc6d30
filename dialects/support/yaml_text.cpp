// Reads YAML files within limits.
#include "dialects/support/yaml_text.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace llvm;

namespace sheaf {
namespace {

constexpr int maxDepth = 16;

/// The first value that is nested deeper, or null. LLVM's parser makes nodes when they are asked for, so that no more
/// of it recurses than this does.
const yaml::Node *findTooDeep(yaml::Node *node, int depth) {
  if (!node || depth > maxDepth)
    return node;
  if (auto *list = dyn_cast<yaml::SequenceNode>(node)) {
    for (yaml::Node &entry : *list)
      if (const yaml::Node *found = findTooDeep(&entry, depth + 1))
        return found;
  } else if (auto *map = dyn_cast<yaml::MappingNode>(node)) {
    for (yaml::KeyValueNode &entry : *map) {
      if (const yaml::Node *found = findTooDeep(entry.getKey(), depth + 1))
        return found;
      if (const yaml::Node *found = findTooDeep(entry.getValue(), depth + 1))
        return found;
    }
  }
  return nullptr;
}

} // namespace

Expected<std::unique_ptr<MemoryBuffer>> readYaml(StringRef path, YamlForm form) {
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && (status.type() == sys::fs::file_type::character_file ||
                                         status.type() == sys::fs::file_type::block_file))
    return createStringError("can't read " + form.what + " \"" + path + "\": it is a device");
  auto file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return createStringError("can't read " + form.what + " \"" + path +
                             "\": " + file.getError().message());
  return std::move(*file);
}

Error checkYaml(StringRef text, StringRef origin, YamlForm form) {
  if (text.size() > kMaxYamlBytes)
    return createStringError(origin + ": has " + Twine(text.size()) + " bytes, " + form.what +
                             " at most " + Twine(kMaxYamlBytes));
  SourceMgr sources;
  sources.setDiagHandler([](const SMDiagnostic &, void *) {}); // The parser tells.
  yaml::Stream stream(text, sources, /*ShowColors=*/false);
  auto refuse = [&](const yaml::Node *node, const Twine &what) {
    const char *at = node->getSourceRange().Start.getPointer();
    size_t line = 1 + StringRef(text.begin(), at - text.begin()).count('\n');
    return createStringError(origin + ":" + Twine(line) + ": " + what);
  };
  auto document = stream.begin();
  if (document == stream.end())
    return Error::success();
  if (const yaml::Node *node = findTooDeep(document->getRoot(), 0))
    return refuse(node, "values are nested too deep; " + form.form);
  if (stream.failed())
    return Error::success();
  if (++document != stream.end() && !stream.failed())
    if (yaml::Node *root = document->getRoot())
      return refuse(root, "a second YAML document begins; " + form.join);
  return Error::success();
}

} // namespace sheaf
