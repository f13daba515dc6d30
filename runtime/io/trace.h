// Traces in the Chrome format, which Perfetto and chrome://tracing open.
#ifndef SHEAF_RUNTIME_IO_TRACE_H
#define SHEAF_RUNTIME_IO_TRACE_H

#include "runtime/core/status.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sheaf::rt::io {

/// Something that took time on one stream.
struct TraceSlice {
  std::string name;     ///< the operation
  std::string location; ///< the user's node; may be empty
  uint32_t stream = 0;
  int64_t startNs = 0;
  int64_t endNs = 0;
  int64_t bytes = 0; ///< read and written
};

/// One rank.
struct TraceProcess {
  std::string name; ///< empty: it is shown by its number
  std::vector<TraceSlice> slices;
};

/// The text of a trace, whose times begin with the first slice. Bytes in names that are no UTF-8 are replaced.
std::string formatTrace(const std::vector<TraceProcess> &processes);

/// Writes it to `path`.
Status writeTrace(const std::filesystem::path &path, const std::vector<TraceProcess> &processes);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_TRACE_H
