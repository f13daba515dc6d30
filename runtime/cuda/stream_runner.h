// Runs a program in streams of a GPU, and repeats it as a CUDA graph.
#ifndef SHEAF_RUNTIME_CUDA_STREAM_RUNNER_H
#define SHEAF_RUNTIME_CUDA_STREAM_RUNNER_H

#include "runtime/core/runner.h"
#include "runtime/cuda/event.h"

#include <memory>

namespace sheaf::rt::cuda {

class CudaDevice;

/// One thread issues all steps in their order. When they run again after the host has waited for the device, they are
/// recorded as a graph, which is launched as long as no buffer moves. What can't be recorded, by all ranks, is issued
/// each time. So all runs between two waits are of one kind, as NCCL wants it of all ranks: see `record`.
class StreamRunner final : public Runner {
public:
  /// `device` must outlive the result.
  static Result<std::unique_ptr<Runner>> create(CudaDevice &device, Schedule schedule);

  RunEnd run(const RunObserver &observer, bool hasMoved) override;
  RunEnd finishRuns() override;

private:
  /// When a step began and ended on the GPU.
  struct Marks {
    Event begin, end;
  };

  StreamRunner(CudaDevice &device, Schedule schedule)
      : device(device), schedule(std::move(schedule)) {}

  Status makeEvents();
  Status makeMarks();
  RunEnd issue(const RunObserver &observer);
  Status issueStep(const ScheduledStep &step, const Marks *marks);
  Status prepareGraph();
  Status record();
  Status recordSteps();
  RunEnd launchGraph();
  Status readMarks(std::vector<Timing> &timings) const;

  CudaDevice &device;
  const Schedule schedule;
  std::vector<cudaStream_t> streams;
  std::vector<Event> events;
  Event fork;               ///< of a recording: the other streams begin after it
  std::vector<Event> joins; ///< of a recording: per stream, its end
  Event origin;             ///< of timings
  std::vector<Marks> marks; ///< per step; empty until timings are asked for
  std::unique_ptr<CUgraphExec_st, cudaError_t (*)(cudaGraphExec_t)> graph{nullptr, nullptr};
  int64_t startNs = 0; ///< of the timed run, on the steady clock
  std::optional<uint64_t>
      waitsBefore; ///< of the host for the device, when they first ran with buffers where they are
  bool canRecord = true;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_STREAM_RUNNER_H
