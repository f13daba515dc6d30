// Prints diagnostics by the names that the user knows.
#include "tools/shard-compile/diagnostics.h"

#include "mlir/IR/Location.h"
#include "passes/lowering/emit/node_name.h"
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
  for (const Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(note, model);
}

} // namespace sheaf::compile
