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

static ParseResult parseNumbers(AsmParser &parser, SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&] { return parser.parseInteger(numbers.emplace_back()); });
}

Attribute ShardAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> whole, cuts;
  if (parser.parseLess() || parseNumbers(parser, whole) ||
      (succeeded(parser.parseOptionalComma()) &&
       (parser.parseKeyword("cuts") || parser.parseEqual() || parseNumbers(parser, cuts))) ||
      parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(loc); };
  return ShardAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError), parser.getContext(),
                               ArrayRef<int64_t>(whole), ArrayRef<int64_t>(cuts));
}

void ShardAttr::print(AsmPrinter &printer) const {
  printer << "<[" << getWhole() << ']';
  if (!getCuts().empty())
    printer << ", cuts = [" << getCuts() << ']';
  printer << '>';
}

LogicalResult ShardAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> whole, ArrayRef<int64_t> cuts) {
  if (cuts.size() % 4 != 0) // (C1)
    return emitError() << cuts.size() << " numbers of cuts; each cut has four";
  for (; !cuts.empty(); cuts = cuts.drop_front(4))
    if (cuts[0] < 0 || cuts[0] >= int64_t(whole.size()) || cuts[1] < 0 || cuts[2] < 1 ||
        cuts[3] < 1) // (C1)
      return emitError() << "cut [" << cuts.take_front(4) << "] of a tensor of rank "
                         << whole.size() << ": the dim must exist, sizes be positive";
  return success();
}
