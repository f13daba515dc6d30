// Prints memory and traffic as text or as JSON.
#include "tools/shard-run/resource_report.h"

#include "runtime/io/quantity_text.h"

#include <algorithm>

namespace sheaf::shard_run {
namespace {

using Json = nlohmann::ordered_json;

/// The first of the ranks whose peak is the largest.
size_t rankOfLargestPeak(const std::vector<rt::launch::RankReport> &ranks) {
  auto largest = std::max_element(ranks.begin(), ranks.end(), [](const auto &a, const auto &b) {
    return a.memory.peakBytes < b.memory.peakBytes;
  });
  return static_cast<size_t>(largest - ranks.begin());
}

/// What a rank sent in one run; the run would have failed, were it not what the compiler planned.
void printWire(const rt::Ledger &wire, std::ostream &out) {
  int64_t calls = 0, bytes = 0;
  for (const rt::Ledger::Line &line : wire.lines()) {
    calls += line.calls;
    bytes += line.traffic.ringBytes;
  }
  if (calls > 0)
    out << "wire       " << rt::io::formatBytes(bytes) << " sent by each rank in " << calls
        << " collectives a run, as planned\n";
}

Json wireJson(const rt::Ledger &wire) {
  Json lines = Json::array();
  for (const rt::Ledger::Line &line : wire.lines())
    lines.push_back({{"collective", line.collective},
                     {"axes", line.axes},
                     {"calls", line.calls},
                     {"payload_bytes", line.traffic.payloadBytes},
                     {"sent_bytes", line.traffic.ringBytes}});
  return lines;
}

} // namespace

void printResources(const std::vector<rt::launch::RankReport> &ranks, std::ostream &out) {
  size_t largest = rankOfLargestPeak(ranks);
  const rt::MemoryUse &memory = ranks[largest].memory;
  out << "memory     peak " << rt::io::formatBytes(memory.peakBytes);
  if (ranks.size() > 1)
    out << " on rank " << largest << " of " << ranks.size();
  if (memory.peakBytes == memory.plannedBytes)
    out << ", as predicted";
  else
    out << " (predicted " << rt::io::formatBytes(memory.plannedBytes) << ")";
  out << ": parameters " << rt::io::formatBytes(memory.variableBytes);
  if (memory.mappedBytes > 0)
    out << " (" << rt::io::formatBytes(memory.mappedBytes) << " in place in files)";
  out << ", activations " << rt::io::formatBytes(memory.arenaBytes) << ", inputs and outputs "
      << rt::io::formatBytes(memory.signatureBytes) << "; library scratch "
      << rt::io::formatBytes(memory.scratchBytes) << '\n';
  printWire(ranks.front().wire, out);
}

void addResources(Json &json, const std::vector<rt::launch::RankReport> &ranks) {
  size_t largest = rankOfLargestPeak(ranks);
  const rt::MemoryUse &memory = ranks[largest].memory;
  json["memory_rank"] = largest;
  json["memory_bytes"] = {
      {"variables", memory.variableBytes},           {"activations", memory.arenaBytes},
      {"inputs_and_outputs", memory.signatureBytes}, {"peak", memory.peakBytes},
      {"predicted_peak", memory.plannedBytes},       {"mapped", memory.mappedBytes},
      {"library_scratch", memory.scratchBytes}};
  json["wire"] = wireJson(ranks.front().wire);
}

} // namespace sheaf::shard_run
