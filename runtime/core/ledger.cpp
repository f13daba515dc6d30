// Compares what was moved with what should have been.
#include "runtime/core/ledger.h"

#include <algorithm>
#include <sstream>

namespace sheaf::rt {

/// The line of `ledger` of the class and axes of `key`, without calls where it has none.
static Ledger::Line lineLike(const Ledger &ledger, const Ledger::Line &key) {
  auto lines = ledger.lines();
  auto found = std::find_if(lines.begin(), lines.end(), [&](const Ledger::Line &line) {
    return line.collective == key.collective && line.axes == key.axes;
  });
  return found == lines.end() ? Ledger::Line{key.collective, key.axes} : *found;
}

std::string Ledger::difference(const Ledger &planned) const {
  Ledger all = *this;
  for (const Line &line : planned.list)
    all.line(line.collective, line.axes);
  std::ostringstream text;
  for (const Line &key : all.list) {
    Line actual = lineLike(*this, key), wanted = lineLike(planned, key);
    if (actual == wanted)
      continue;
    text << (text.tellp() == 0 ? "" : "; ") << key.collective << " over " << key.axes << ": "
         << actual.calls << " calls of " << actual.traffic.payloadBytes << " bytes that sent "
         << actual.traffic.ringBytes << ", planned are " << wanted.calls << " of "
         << wanted.traffic.payloadBytes << " that send " << wanted.traffic.ringBytes;
  }
  return text.str();
}

} // namespace sheaf::rt
