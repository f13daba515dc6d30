// Gathers the operators of all families.
#include "importers/onnx/op_table.h"

#include "llvm/ADT/Twine.h"

namespace sheaf::onnx {

// One register function per file in ops/, declared and called from a list that CMake writes: a file
// without its function does not link.
#define SHEAF_ONNX_FAMILY(function) void function(OpTable &table);
#include "importers/onnx/op_families.inc"
#undef SHEAF_ONNX_FAMILY

namespace {
std::string keyOf(llvm::StringRef domain, llvm::StringRef op) {
  return (llvm::Twine(domain) + "::" + op).str();
}
} // namespace

OpTable::OpTable() {
#define SHEAF_ONNX_FAMILY(function) function(*this);
#include "importers/onnx/op_families.inc"
#undef SHEAF_ONNX_FAMILY
}

const OpTable &OpTable::get() {
  static const OpTable table;
  return table;
}

void OpTable::addTo(llvm::StringRef domain, llvm::StringRef op, ImportFunction function, int since,
                    int until) {
  entries[keyOf(domain, op)].push_back({since, until, function});
}

bool OpTable::isKnown(llvm::StringRef domain, llvm::StringRef op) const {
  return entries.contains(keyOf(domain, op));
}

ImportFunction OpTable::find(llvm::StringRef domain, llvm::StringRef op, int64_t version) const {
  auto found = entries.find(keyOf(domain, op));
  if (found == entries.end())
    return nullptr;
  for (const Entry &entry : found->second)
    if (version >= entry.since && version <= entry.until)
      return entry.function;
  return nullptr;
}

} // namespace sheaf::onnx
