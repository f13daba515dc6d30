// Writes traces of runs.
#include "runtime/io/trace.h"

#include "runtime/io/atomic_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sheaf::rt::io {

static nlohmann::json eventOf(const TraceSlice &slice, size_t process, int64_t originNs) {
  double durationUs = static_cast<double>(slice.endNs - slice.startNs) / 1e3;
  nlohmann::json arguments = {{"bytes", slice.bytes}};
  if (!slice.location.empty())
    arguments["node"] = slice.location;
  if (durationUs > 0)
    arguments["GB/s"] = static_cast<double>(slice.bytes) / (durationUs * 1e3);
  return {{"name", slice.name},
          {"ph", "X"}, // a complete event: start and duration
          {"pid", process},
          {"tid", slice.stream},
          {"ts", static_cast<double>(slice.startNs - originNs) / 1e3},
          {"dur", durationUs},
          {"args", std::move(arguments)}};
}

std::string formatTrace(const std::vector<TraceProcess> &processes) {
  int64_t originNs = INT64_MAX;
  for (const TraceProcess &process : processes)
    for (const TraceSlice &slice : process.slices)
      originNs = std::min(originNs, slice.startNs);
  nlohmann::json events = nlohmann::json::array();
  for (size_t i = 0; i < processes.size(); ++i) {
    if (!processes[i].name.empty())
      events.push_back({{"name", "process_name"},
                        {"ph", "M"}, // metadata
                        {"pid", i},
                        {"args", {{"name", processes[i].name}}}});
    for (const TraceSlice &slice : processes[i].slices)
      events.push_back(eventOf(slice, i, originNs));
  }
  nlohmann::json trace = {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}};
  return trace.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Status writeTrace(const std::filesystem::path &path, const std::vector<TraceProcess> &processes) {
  std::string text = formatTrace(processes);
  return writeFileAtomically(path, {bytesOf(text)});
}

} // namespace sheaf::rt::io
