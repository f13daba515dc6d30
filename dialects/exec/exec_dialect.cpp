// Registers the exec dialect and checks its attributes.
#include "dialects/exec/exec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sheaf::exec;

#include "dialects/exec/exec_base.cpp.inc"
#include "dialects/exec/exec_enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/exec/exec_attrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/exec/exec_types.cpp.inc"

void ExecDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/exec/exec_attrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/exec/exec_types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/exec/exec_ops.cpp.inc"
      >();
}

LogicalResult FileRangeAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef file,
                                    int64_t offset, int64_t bytes) {
  int64_t end;
  if (offset < 0 || bytes < 0 || llvm::AddOverflow(offset, bytes, end)) // (C1)
    return emitError() << "range of " << bytes << " bytes at offset " << offset << " of \"" << file
                       << "\" is negative or overflows";
  return success();
}

LogicalResult PackedAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t bytes) {
  if (bytes <= 0) // (C1)
    return emitError() << "a packed layout of " << bytes << " bytes; it must be positive";
  return success();
}
