// The call `window`: what this rank's places need of a dim that the ranks have cut.
#include "runtime/abi/collectives.h"
#include "runtime/core/window_plan.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

/// Copies of runs, ready to be made.
class RunCopies {
public:
  explicit RunCopies(const std::vector<WindowRun> &runs) {
    for (const WindowRun &run : runs)
      copies.push_back({StridedCopy(run.from, run.to), run.fromOffset, run.toOffset});
  }

  void run(const std::byte *from, std::byte *to) const {
    for (const RunCopy &entry : copies)
      entry.copy.run(from + entry.fromOffset, to + entry.toOffset);
  }

private:
  struct RunCopy {
    StridedCopy copy;
    size_t fromOffset, toOffset;
  };

  std::vector<RunCopy> copies;
};

BoundStep bind(CallSite &site) {
  Result<WindowPlan> plan = WindowPlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  size_t scratchBytes = plan->sentBytes + plan->receivedBytes;
  return makeStep(
      [kept = RunCopies(plan->kept), fills = RunCopies(plan->fills), packs = RunCopies(plan->packs),
       unpacks = RunCopies(plan->unpacks),
       plan = std::move(*plan)](void *const *buffers, std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        const auto *fill = static_cast<const std::byte *>(buffers[1]);
        auto *out = static_cast<std::byte *>(buffers[2]);
        kept.run(in, out);
        fills.run(fill, out);
        if (plan.between.empty())
          return {};
        packs.run(in, scratch);
        const std::byte *sent = plan.sentBytes > 0 ? scratch : in;
        std::byte *received = plan.receivedBytes > 0 ? scratch + plan.sentBytes : out;
        Status status = plan.collective->run([&](Group &group, const CollectiveSite &site) {
          return group.exchange(site, sent, received, plan.between);
        });
        if (status.isOk())
          unpacks.run(received, out);
        return status;
      },
      scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::window, .minIns = 2, .maxIns = 2}, bind);

} // namespace
} // namespace sheaf::rt::host
