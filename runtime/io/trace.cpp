// Writes traces of runs.
#include "runtime/io/trace.h"

#include "runtime/io/atomic_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sheaf::rt::io {

std::string formatTrace(const std::vector<TraceSlice> &slices) {
  int64_t originNs = INT64_MAX;
  for (const TraceSlice &slice : slices)
    originNs = std::min(originNs, slice.startNs);
  nlohmann::json events = nlohmann::json::array();
  for (const TraceSlice &slice : slices) {
    double durationUs = static_cast<double>(slice.endNs - slice.startNs) / 1e3;
    nlohmann::json arguments = {{"bytes", slice.bytes}};
    if (!slice.location.empty())
      arguments["node"] = slice.location;
    if (durationUs > 0)
      arguments["GB/s"] = static_cast<double>(slice.bytes) / (durationUs * 1e3);
    events.push_back({{"name", slice.name},
                      {"ph", "X"}, // a complete event: start and duration
                      {"pid", 0},
                      {"tid", slice.stream},
                      {"ts", static_cast<double>(slice.startNs - originNs) / 1e3},
                      {"dur", durationUs},
                      {"args", std::move(arguments)}});
  }
  nlohmann::json trace = {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}};
  return trace.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Status writeTrace(const std::filesystem::path &path, const std::vector<TraceSlice> &slices) {
  std::string text = formatTrace(slices);
  return writeFileAtomically(path, {bytesOf(text)});
}

} // namespace sheaf::rt::io
