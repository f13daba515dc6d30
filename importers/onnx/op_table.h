// Which function imports which operator.
#ifndef SHEAF_IMPORTERS_ONNX_OP_TABLE_H
#define SHEAF_IMPORTERS_ONNX_OP_TABLE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <climits>

namespace sheaf::onnx {

class Node;

/// Imports one node: reads its inputs and attributes, builds ops, sets its outputs, or fails.
using ImportFunction = void (*)(Node &);

class OpTable {
public:
  /// The table of all families.
  static const OpTable &get();

  /// `function` imports `op` of ONNX's own domain for opsets `since` to `until`.
  void add(llvm::StringRef op, ImportFunction function, int since = 1, int until = INT_MAX) {
    addTo("", op, function, since, until);
  }
  void addTo(llvm::StringRef domain, llvm::StringRef op, ImportFunction function, int since = 1,
             int until = INT_MAX);

  bool isKnown(llvm::StringRef domain, llvm::StringRef op) const;
  /// Null when no entry covers the version.
  ImportFunction find(llvm::StringRef domain, llvm::StringRef op, int64_t version) const;

private:
  OpTable();

  struct Entry {
    int since, until;
    ImportFunction function;
  };
  llvm::StringMap<llvm::SmallVector<Entry, 2>> entries;
};

inline constexpr llvm::StringLiteral kMicrosoft("com.microsoft");

} // namespace sheaf::onnx

#endif
