// Shardings: text form and the checks that need no mesh.
#include "dialects/dist/axis.h"
#include "dialects/dist/dist.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace sheaf::dist;

namespace {

/// The axes that were named so far, none of which may overlap.
class AxesSeen {
public:
  LogicalResult add(function_ref<InFlightDiagnostic()> emitError, ArrayRef<AxisRefAttr> axes) {
    for (AxisRefAttr axis : axes) {
      for (AxisRefAttr other : seen[axis.getName()])
        if (overlaps(axis, other))
          return emitError() << "axis \"" << axis.getName() << "\" is used twice";
      seen[axis.getName()].push_back(axis);
    }
    return success();
  }

private:
  static bool overlaps(AxisRefAttr lhs, AxisRefAttr rhs) {
    if (lhs.getSize() == 0 || rhs.getSize() == 0)
      return true;
    return Axis{0, lhs.getPreSize(), lhs.getSize()}.overlaps({0, rhs.getPreSize(), rhs.getSize()});
  }

  llvm::StringMap<SmallVector<AxisRefAttr>> seen;
};

} // namespace

//===----------------------------------------------------------------------===//
// AxisRefAttr: "x" or "x":(2)4
//===----------------------------------------------------------------------===//

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  int64_t preSize = 1, size = 0;
  if (parser.parseString(&name))
    return {};
  if (succeeded(parser.parseOptionalColon()) &&
      (parser.parseLParen() || parser.parseInteger(preSize) || parser.parseRParen() ||
       parser.parseInteger(size)))
    return {};
  auto emitError = [&] { return parser.emitError(loc); };
  return AxisRefAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError), parser.getContext(),
                                 StringRef(name), preSize, size);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  if (getSize() != 0)
    printer << ":(" << getPreSize() << ')' << getSize();
}

LogicalResult AxisRefAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                  int64_t preSize, int64_t size) {
  bool isWhole = preSize == 1 && size == 0;
  if (!isWhole && (preSize < 1 || size < 2)) // (C1)
    return emitError() << "part (" << preSize << ')' << size << " of axis \"" << name
                       << "\": the first number is at least 1, the second at least 2";
  return success();
}

//===----------------------------------------------------------------------===//
// DimShardingAttr: {"x", "y", ?}p1
//===----------------------------------------------------------------------===//

static ParseResult parseAxes(AsmParser &parser, SmallVectorImpl<AxisRefAttr> &axes, bool *isOpen) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
    if (isOpen && *isOpen)
      return parser.emitError(parser.getCurrentLocation(), "'?' must come last");
    if (isOpen && succeeded(parser.parseOptionalQuestion())) {
      *isOpen = true;
      return success();
    }
    auto axis = dyn_cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, {}));
    if (!axis)
      return failure();
    axes.push_back(axis);
    return success();
  });
}

static void printAxes(AsmPrinter &printer, ArrayRef<AxisRefAttr> axes, bool isOpen = false) {
  printer << '{';
  llvm::interleaveComma(axes, printer.getStream(), [&](AxisRefAttr axis) { axis.print(printer); });
  if (isOpen)
    printer << (axes.empty() ? "?" : ", ?");
  printer << '}';
}

Attribute DimShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isOpen = false;
  int64_t priority = 0;
  if (parseAxes(parser, axes, &isOpen))
    return {};
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)) &&
      (!word.consume_front("p") || word.getAsInteger(10, priority))) {
    parser.emitError(loc, "expected a priority such as 'p1'");
    return {};
  }
  return DimShardingAttr::get(parser.getContext(), axes, isOpen, priority);
}

void DimShardingAttr::print(AsmPrinter &printer) const {
  printAxes(printer, getAxes(), getIsOpen());
  if (getPriority() != 0)
    printer << 'p' << getPriority();
}

//===----------------------------------------------------------------------===//
// ShardingAttr: <@m, [{"x"}, {?}], replicated = {"y"}, partial = sum{"z"}>
//===----------------------------------------------------------------------===//

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr mesh;
  SmallVector<DimShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, partial;
  PartialKind kind = PartialKind::sum;
  auto parseDim = [&]() -> ParseResult {
    auto dim = dyn_cast_or_null<DimShardingAttr>(DimShardingAttr::parse(parser, {}));
    if (dim)
      dims.push_back(dim);
    return success(bool(dim));
  };
  if (parser.parseLess() || parser.parseSymbolName(mesh) || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc fieldLoc = parser.getCurrentLocation();
    StringRef field, name;
    if (parser.parseKeyword(&field) || parser.parseEqual())
      return {};
    if (field == "replicated") {
      if (parseAxes(parser, replicated, nullptr))
        return {};
      continue;
    }
    std::optional<PartialKind> named;
    if (field != "partial" || parser.parseKeyword(&name) || !(named = symbolizePartialKind(name))) {
      parser.emitError(fieldLoc, "expected replicated = {..} or partial = sum|max|min|mean{..}");
      return {};
    }
    kind = *named;
    if (parseAxes(parser, partial, nullptr))
      return {};
  }
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(loc); };
  return ShardingAttr::getChecked(
      function_ref<InFlightDiagnostic()>(emitError), parser.getContext(),
      FlatSymbolRefAttr::get(mesh), ArrayRef<DimShardingAttr>(dims),
      ArrayRef<AxisRefAttr>(replicated), ArrayRef<AxisRefAttr>(partial), kind);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << '<' << getMesh() << ", [";
  llvm::interleaveComma(getDims(), printer.getStream(),
                        [&](DimShardingAttr dim) { dim.print(printer); });
  printer << ']';
  if (!getReplicated().empty()) {
    printer << ", replicated = ";
    printAxes(printer, getReplicated());
  }
  if (!getPartial().empty()) {
    printer << ", partial = " << stringifyPartialKind(getPartialKind());
    printAxes(printer, getPartial());
  }
  printer << '>';
}

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError, FlatSymbolRefAttr,
                                   ArrayRef<DimShardingAttr> dims, ArrayRef<AxisRefAttr> replicated,
                                   ArrayRef<AxisRefAttr> partial, PartialKind) {
  AxesSeen seen;
  for (DimShardingAttr dim : dims)
    if (failed(seen.add(emitError, dim.getAxes()))) // (C1)
      return failure();
  return success(succeeded(seen.add(emitError, replicated)) &&
                 succeeded(seen.add(emitError, partial)));
}

//===----------------------------------------------------------------------===//
// AxesAttr: <@m, {"x", "y"}>
//===----------------------------------------------------------------------===//

Attribute AxesAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr mesh;
  SmallVector<AxisRefAttr> axes;
  if (parser.parseLess() || parser.parseSymbolName(mesh) || parser.parseComma() ||
      parseAxes(parser, axes, nullptr) || parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(loc); };
  return AxesAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError), parser.getContext(),
                              FlatSymbolRefAttr::get(mesh), ArrayRef<AxisRefAttr>(axes));
}

void AxesAttr::print(AsmPrinter &printer) const {
  printer << '<' << getMesh() << ", ";
  printAxes(printer, getAxes());
  printer << '>';
}

LogicalResult AxesAttr::verify(function_ref<InFlightDiagnostic()> emitError, FlatSymbolRefAttr,
                               ArrayRef<AxisRefAttr> axes) {
  return AxesSeen().add(emitError, axes); // (C1)
}
