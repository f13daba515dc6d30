// Holds the table of the host's calls.
#include "runtime/host/registry.h"

namespace sheaf::rt::host {

CallTable &calls() {
  static CallTable table("host");
  return table;
}

} // namespace sheaf::rt::host
