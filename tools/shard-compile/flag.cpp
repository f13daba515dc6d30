// Names flags, and reads numbers.
#include "tools/shard-compile/flag.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace sheaf::compile {

/// LLVM's registry of flags is one for the process, so this is, too.
static DenseMap<const cl::Option *, std::string> &places() {
  static DenseMap<const cl::Option *, std::string> known;
  return known;
}

std::string nameOf(const cl::Option &flag) {
  auto place = places().find(&flag);
  return place == places().end() ? "--" + flag.ArgStr.str()
                                 : place->second + ": " + flag.ArgStr.str();
}

void setPlace(const cl::Option &flag, StringRef place) { places()[&flag] = place.str(); }

bool refuseValue(const cl::Option &flag, StringRef value, const Twine &why) {
  errs() << "error: " << nameOf(flag) << ": \"" << value << "\" " << why << "\n";
  return true;
}

template <>
bool NumberParser<double>::parse(cl::Option &flag, StringRef, StringRef text, double &value) {
  if (text.getAsDouble(value) || !std::isfinite(value))
    return refuseValue(flag, text, "is no finite number");
  return false;
}

template <>
bool NumberParser<long long>::parse(cl::Option &flag, StringRef, StringRef text, long long &value) {
  if (text.getAsInteger(10, value))
    return refuseValue(flag, text, "is no whole number");
  return false;
}

} // namespace sheaf::compile
