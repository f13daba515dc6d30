// Names flags, and reads numbers.
#include "tools/shard-compile/flag.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace sheaf::compile {

namespace {

/// What a job says. LLVM's registry of flags is one for the process, so this is, too.
struct Places {
  /// "job.yaml:3:1: lr", by the name of the flag.
  StringMap<std::string> keys;
  StringMap<SmallVector<std::string, 1>> values;

  static Places &get() {
    static Places places;
    return places;
  }
};

} // namespace

std::string nameOf(const cl::Option &flag) {
  std::string key = keyOfFlag(flag.ArgStr);
  return key.empty() ? "--" + flag.ArgStr.str() : key;
}

void setPlace(const cl::Option &flag, StringRef place, StringRef key) {
  Places::get().keys[flag.ArgStr] = (place + ": " + key).str();
}

std::string keyOfFlag(StringRef name) { return Places::get().keys.lookup(name); }

void notePlace(StringRef value, StringRef place) {
  SmallVector<std::string, 1> &places = Places::get().values[value];
  if (!is_contained(places, place))
    places.push_back(place.str());
}

std::string placeOfValue(StringRef value) {
  SmallVector<std::string, 1> places = Places::get().values.lookup(value);
  return places.size() == 1 ? places.front() : "";
}

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
