// The call `window`: what this rank's places need of a dim that the ranks have cut.
#include "runtime/abi/collectives.h"
#include "runtime/core/window_plan.h"
#include "runtime/cuda/collective_step.h"
#include "runtime/cuda/strided_copy.h"

namespace sheaf::rt::cuda {
namespace {

/// Copies of runs, ready to be put into the stream.
class RunCopies {
public:
  static Result<RunCopies> make(CudaCallSite &site, const std::vector<WindowRun> &runs) {
    RunCopies result;
    for (const WindowRun &run : runs) {
      Result<StridedCopy> copy = makeStridedCopy(site, run.from, run.to);
      if (!copy.isOk())
        return copy.takeStatus();
      result.copies.push_back({std::move(*copy), run.fromOffset, run.toOffset});
    }
    return result;
  }

  Status run(const std::byte *from, std::byte *to) const {
    for (const RunCopy &entry : copies)
      if (Status status = entry.copy(from + entry.fromOffset, to + entry.toOffset); !status.isOk())
        return status;
    return {};
  }

private:
  struct RunCopy {
    StridedCopy copy;
    size_t fromOffset, toOffset;
  };

  std::vector<RunCopy> copies;
};

BoundStep bind(CudaCallSite &site) {
  Result<WindowPlan> plan = WindowPlan::bind(site);
  if (!plan.isOk())
    return plan.takeStatus();
  Result<RunCopies> kept = RunCopies::make(site, plan->kept),
                    fills = RunCopies::make(site, plan->fills),
                    packs = RunCopies::make(site, plan->packs),
                    unpacks = RunCopies::make(site, plan->unpacks);
  for (Result<RunCopies> *copies : {&kept, &fills, &packs, &unpacks})
    if (!copies->isOk())
      return copies->takeStatus();
  auto copyOwn = [kept = std::move(*kept),
                  fills = std::move(*fills)](void *const *buffers) -> Status {
    auto *out = static_cast<std::byte *>(buffers[2]);
    Status status = kept.run(static_cast<const std::byte *>(buffers[0]), out);
    return status.isOk() ? fills.run(static_cast<const std::byte *>(buffers[1]), out)
                         : std::move(status);
  };
  if (plan->between.empty())
    return makeStep([copyOwn = std::move(copyOwn)](void *const *buffers, std::byte *) {
      return copyOwn(buffers);
    });
  // What is received begins where blocks may.
  auto sentScratch = static_cast<size_t>(abi::blockBytes(static_cast<int64_t>(plan->sentBytes)));
  size_t scratchBytes = sentScratch + plan->receivedBytes;
  Collective collective = *plan->collective;
  return makeCollectiveStep(
      site, collective,
      [copyOwn = std::move(copyOwn), packs = std::move(*packs), unpacks = std::move(*unpacks),
       plan = std::move(*plan), sentScratch](const Collective &collective, void *const *buffers,
                                             std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        if (Status status = copyOwn(buffers); !status.isOk())
          return status;
        if (Status status = packs.run(in, scratch); !status.isOk())
          return status;
        const std::byte *sent = plan.sentBytes > 0 ? scratch : in;
        auto *received =
            plan.receivedBytes > 0 ? scratch + sentScratch : static_cast<std::byte *>(buffers[2]);
        Status status = collective.enqueue([&](Group &group, const CollectiveSite &site) {
          return group.exchange(site, sent, received, plan.between);
        });
        return status.isOk() ? unpacks.run(received, static_cast<std::byte *>(buffers[2]))
                             : std::move(status);
      },
      scratchBytes);
}

const RegisteredCall<bind> registered({.name = abi::calls::window, .minIns = 2, .maxIns = 2});

} // namespace
} // namespace sheaf::rt::cuda
