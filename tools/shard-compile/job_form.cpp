// Tells forms by what flags say of themselves.
#include "tools/shard-compile/job_form.h"

#include "tools/shard-compile/flag.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace sheaf::compile {

bool isSwitch(const cl::Option &flag) { return flag.getValueExpectedFlag() == cl::ValueOptional; }
bool isRepeated(const cl::Option &flag) { return flag.getNumOccurrencesFlag() == cl::ZeroOrMore; }
bool isAssignment(const cl::Option &flag) { return flag.ValueStr.contains('='); }

std::string formOf(const cl::Option &flag) {
  if (isSwitch(flag))
    return "true or false";
  if (!isAssignment(flag) && !isRepeated(flag))
    return "one value";
  if (flag.ValueStr == kShapeForm)
    return "a mapping, as in {\"NAME\": [2, 16]}";
  SmallVector<StringRef> parts;
  flag.ValueStr.split(parts, ',');
  std::string entries;
  ListSeparator comma;
  for (StringRef part : parts) {
    auto [name, value] = part.split('=');
    entries += (StringRef(comma) + "\"" + name + "\"" + (value.empty() ? "" : ": ") + value).str();
  }
  return isAssignment(flag) ? "a mapping, as in {" + entries + "}"
                            : "a list, as in [" + entries + "]";
}

} // namespace sheaf::compile
