// Runs a program in streams of a GPU, and repeats it as a CUDA graph.
#ifndef SHEAF_RUNTIME_CUDA_STREAM_RUNNER_H
#define SHEAF_RUNTIME_CUDA_STREAM_RUNNER_H

#include "runtime/core/runner.h"
#include "runtime/cuda/event.h"

#include <memory>

namespace sheaf::rt::cuda {

class CudaDevice;

/// One thread issues all steps in their order; a run ends when all streams have. From the second run on the steps are
/// recorded as a graph, which is launched as long as no buffer moves. What can't be recorded is issued each time.
class StreamRunner final : public Runner {
public:
  /// `device` must outlive the result.
  static Result<std::unique_ptr<Runner>> create(CudaDevice &device, Schedule schedule);

  RunEnd run(const RunObserver &observer, bool hasMoved) override;

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
  Status record();
  Status recordSteps();
  Status launchGraph();
  Status readMarks(std::vector<Timing> &timings) const;
  RunEnd finish();

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
  bool hasRun = false;
  bool canRecord = true;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_STREAM_RUNNER_H
