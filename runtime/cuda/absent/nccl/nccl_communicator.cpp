// What builds without NCCL's header say when ranks with GPUs are to communicate.
#include "runtime/cuda/nccl_communicator.h"

#include <chrono>
#include <thread>

namespace sheaf::rt::cuda {
namespace {

class AbsentCommunicator final : public DeviceCommunicator {
public:
  explicit AbsentCommunicator(Communicator &processes) : processes(processes) {}

  int rank() const override { return processes.rank(); }
  int size() const override { return processes.size(); }
  int timeoutMs() const override { return processes.timeoutMs(); }
  Status failure() const override { return processes.failure(); }
  void abort(const Status &reason) override { processes.abort(reason); }

  Result<std::unique_ptr<Group>> makeGroup(std::span<const int>, uint32_t) override {
    return Status::invalid("this program was built without NCCL; build it again where nccl.h is");
  }

  Status await(const std::function<Result<Progress>()> &look) override {
    constexpr std::chrono::microseconds nap(50);
    for (;; std::this_thread::sleep_for(nap)) {
      Result<Progress> progress = look();
      if (!progress.isOk())
        return progress.takeStatus();
      if (*progress == Progress::done)
        return {};
    }
  }

  void rest() override {}
  Result<bool> doAll(std::string_view, bool own) override { return own; }

private:
  Communicator &processes;
};

} // namespace

std::unique_ptr<DeviceCommunicator> makeNcclCommunicator(CudaDevice &, Communicator &processes) {
  return std::make_unique<AbsentCommunicator>(processes);
}

} // namespace sheaf::rt::cuda
