// How long work tells how far it is.
#ifndef SHEAF_RUNTIME_CORE_PROGRESS_H
#define SHEAF_RUNTIME_CORE_PROGRESS_H

#include <cstdint>
#include <functional>
#include <string_view>

namespace sheaf::rt {

/// Called, from the thread that does the work, when `done` of `total` steps of `what` are done.
using ProgressListener = std::function<void(std::string_view what, int64_t done, int64_t total)>;

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_PROGRESS_H
