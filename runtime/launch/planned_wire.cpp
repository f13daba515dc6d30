// Compares ledgers.
#include "runtime/launch/planned_wire.h"

namespace sheaf::rt::launch {

Status checkWire(const ProgramInfo &program, const Ledger &moved) {
  const auto *lines = program.table->wire();
  if (!lines)
    return {}; // Nothing was planned.
  Ledger planned;
  for (const abi::WireLine *line : *lines)
    planned.set({line->collective()->str(),
                 line->axes()->str(),
                 line->calls(),
                 {line->payload_bytes(), line->ring_bytes()}});
  std::string difference = moved.difference(planned);
  if (difference.empty())
    return {};
  return Status::failed("its collectives did not move what was planned: ", difference);
}

} // namespace sheaf::rt::launch
