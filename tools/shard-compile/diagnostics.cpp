// Prints diagnostics by the names that the user knows.
#include "tools/shard-compile/diagnostics.h"

#include "mlir/IR/Location.h"
#include "passes/lowering/emit/node_name.h"
#include "tools/shard-compile/flag.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace sheaf::compile {

static StringRef nameOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
    return "  note";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("unknown severity");
}

/// Where a job says what the message quotes first, or else begins with, as "betas has no effect on sgd".
static void printPlace(StringRef message) {
  SmallVector<StringRef> parts;
  message.split(parts, '"');
  for (size_t i = 1; i + 1 < parts.size(); i += 2)
    if (std::string place = placeOfValue(parts[i]); !place.empty()) {
      llvm::errs() << "  note: " << place << ": \"" << parts[i] << "\" stands here\n";
      return;
    }
  if (std::string key = keyOfFlag(message.split(' ').first); !key.empty())
    llvm::errs() << "  note: " << key << " stands here\n";
}

void printDiagnostic(const Diagnostic &diagnostic, StringRef model) {
  llvm::errs() << nameOf(diagnostic.getSeverity()) << ": ";
  // Values are named after nodes; the function as a whole after the file.
  std::string node = lowering::nodeName(diagnostic.getLocation());
  if (node == llvm::sys::path::filename(model))
    llvm::errs() << model << ": ";
  else if (!node.empty())
    llvm::errs() << "node \"" << node << "\": ";
  else if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    llvm::errs() << place.getFilename().getValue() << ':' << place.getLine() << ':'
                 << place.getColumn() << ": ";
  llvm::errs() << diagnostic << "\n";
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
    printPlace(diagnostic.str());
  for (const Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(note, model);
}

} // namespace sheaf::compile
