// Meshes: checks and lookups.
#include "dialects/dist/axis.h"
#include "dialects/dist/dist.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sheaf::dist;

/// Names stand in rules, lists and messages, so they need no quotes.
static bool isAxisName(StringRef name) {
  auto isLetter = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  return !name.empty() && isLetter(name.front()) && llvm::all_of(name, [&](char c) {
    return isLetter(c) || llvm::isDigit(c) || c == '.' || c == '-';
  });
}

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t size = 0;
  if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(size))
    return {};
  return MeshAxisAttr::get(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  printer << '=' << getSize();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes, ArrayRef<int64_t> devices) {
  llvm::StringSet<> names;
  int64_t numDevices = 1;
  for (MeshAxisAttr axis : axes) {
    if (!isAxisName(axis.getName())) { // (C4)
      std::string shown;
      llvm::raw_string_ostream(shown).write_escaped(axis.getName());
      return emitError() << "an axis is named \"" << shown
                         << "\"; names are of letters, digits, _, . and -, a letter or _ first";
    }
    if (!names.insert(axis.getName()).second) // (C1)
      return emitError() << "two axes are named \"" << axis.getName() << "\"";
    if (axis.getSize() < 1 || llvm::MulOverflow(numDevices, axis.getSize(), numDevices) ||
        numDevices > kMaxDevices) // (C2)
      return emitError() << "axis \"" << axis.getName() << "\" has extent " << axis.getSize()
                         << "; extents are at least 1 and a mesh has at most 2^20 devices";
  }
  if (devices.empty())
    return success();
  if (int64_t(devices.size()) != numDevices) // (C3)
    return emitError() << devices.size() << " ranks are listed for " << numDevices << " devices";
  llvm::BitVector seen(numDevices);
  for (int64_t rank : devices) {
    if (rank < 0 || rank >= numDevices || seen.test(rank)) // (C3)
      return emitError() << "rank " << rank << " is out of range or listed twice";
    seen.set(rank);
  }
  return success();
}

int64_t MeshAttr::getNumDevices() const {
  int64_t count = 1;
  for (MeshAxisAttr axis : getAxes())
    count *= axis.getSize();
  return count;
}

std::optional<unsigned> MeshAttr::indexOf(StringRef name) const {
  for (auto [index, axis] : llvm::enumerate(getAxes()))
    if (axis.getName() == name)
      return index;
  return std::nullopt;
}
