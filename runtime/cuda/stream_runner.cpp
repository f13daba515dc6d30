// Issues steps into streams, orders them by events, and records them as a graph.
#include "runtime/cuda/stream_runner.h"

#include "runtime/cuda/cuda_device.h"

#include <chrono>

namespace sheaf::rt::cuda {
namespace {

int64_t nowNs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

} // namespace

Result<std::unique_ptr<Runner>> StreamRunner::create(CudaDevice &device, Schedule schedule) {
  std::unique_ptr<StreamRunner> runner(new StreamRunner(device, std::move(schedule)));
  for (uint32_t i = 0; i < runner->schedule.numStreams; ++i) {
    Result<cudaStream_t> stream = device.stream(i);
    if (!stream.isOk())
      return stream.takeStatus();
    runner->streams.push_back(*stream);
  }
  if (Status status = runner->makeEvents(); !status.isOk())
    return status;
  return std::unique_ptr<Runner>(std::move(runner));
}

Status StreamRunner::makeEvents() {
  auto make = [](size_t count, std::vector<Event> &list) -> Status {
    for (size_t i = 0; i < count; ++i) {
      Result<Event> event = Event::create();
      if (!event.isOk())
        return event.takeStatus();
      list.push_back(std::move(*event));
    }
    return {};
  };
  if (Status status = make(schedule.numEvents, events); !status.isOk())
    return status;
  if (Status status = make(streams.size(), joins); !status.isOk())
    return status;
  Result<Event> made = Event::create();
  if (!made.isOk())
    return made.takeStatus();
  fork = std::move(*made);
  return {};
}

Status StreamRunner::makeMarks() {
  for (size_t i = 0; i <= 2 * schedule.steps.size(); ++i) {
    Result<Event> event = Event::create(/*isTimed=*/true);
    if (!event.isOk())
      return event.takeStatus();
    if (i == 0)
      origin = std::move(*event);
    else if (i % 2 == 1)
      marks.emplace_back().begin = std::move(*event);
    else
      marks.back().end = std::move(*event);
  }
  return {};
}

RunEnd StreamRunner::run(const RunObserver &observer, bool hasMoved) {
  device.enterStream(schedule.numStreams);
  if (Status status = device.makeRoom(); !status.isOk())
    return {std::move(status)};
  if (hasMoved) {
    graph.reset();
    waitsBefore.reset();
  }
  bool isPlain = !observer.timings && !observer.onStep;
  if (isPlain)
    if (Status status = prepareGraph(); !status.isOk())
      return {std::move(status)};
  if (!waitsBefore)
    waitsBefore = device.runs().numClears();
  RunEnd end = isPlain && graph ? launchGraph() : issue(observer);
  if (!end.status.isOk() || !observer.timings)
    return end;
  // The next run of the same steps would record the same events.
  end.status = device.drain();
  if (end.status.isOk())
    end = finishRuns();
  if (end.status.isOk())
    end.status = readMarks(*observer.timings);
  return end;
}

/// Makes the graph, once it is time to. Errors: other ranks have failed.
Status StreamRunner::prepareGraph() {
  if (graph || !canRecord || !waitsBefore || *waitsBefore == device.runs().numClears())
    return {};
  bool isRecorded = record().isOk(); // Else steps are issued as before.
  Result<bool> isByAll = device.doAllRanks("recording of a graph", isRecorded);
  if (!isByAll.isOk())
    return isByAll.takeStatus();
  canRecord = *isByAll;
  if (!canRecord)
    graph.reset();
  return {};
}

RunEnd StreamRunner::issue(const RunObserver &observer) {
  if (Status status = device.runs().order(streams, /*isForAll=*/true); !status.isOk())
    return {std::move(status)};
  bool isTimed = observer.timings != nullptr;
  if (isTimed && marks.empty())
    if (Status status = makeMarks(); !status.isOk())
      return {std::move(status)};
  if (isTimed) {
    startNs = nowNs();
    if (Status status = origin.record(streams[0]); !status.isOk())
      return {std::move(status)};
  }
  for (size_t i = 0; i < schedule.steps.size(); ++i) {
    if (observer.onStep && schedule.steps[i].stream == 0)
      observer.onStep(i, schedule.steps.size());
    if (Status status = issueStep(schedule.steps[i], isTimed ? &marks[i] : nullptr); !status.isOk())
      return {std::move(status), i};
  }
  return {device.runs().add(streams)};
}

Status StreamRunner::issueStep(const ScheduledStep &step, const Marks *mark) {
  cudaStream_t stream = streams[step.stream];
  for (uint32_t event : step.waits)
    if (Status status = events[event].await(stream); !status.isOk())
      return status;
  if (mark)
    if (Status status = mark->begin.record(stream); !status.isOk())
      return status;
  if (Status status = step.step->run(step.buffers, step.scratch); !status.isOk())
    return status;
  if (mark)
    if (Status status = mark->end.record(stream); !status.isOk())
      return status;
  for (uint32_t event : step.records)
    if (Status status = events[event].record(stream); !status.isOk())
      return status;
  return {};
}

/// The first stream begins the recording; the others join it after `fork` and must come back before it ends.
Status StreamRunner::recordSteps() {
  if (Status status = fork.record(streams[0]); !status.isOk())
    return status;
  for (size_t i = 1; i < streams.size(); ++i)
    if (Status status = fork.await(streams[i]); !status.isOk())
      return status;
  for (const ScheduledStep &step : schedule.steps)
    if (Status status = issueStep(step, nullptr); !status.isOk())
      return status;
  for (size_t i = 1; i < streams.size(); ++i) {
    if (Status status = joins[i].record(streams[i]); !status.isOk())
      return status;
    if (Status status = joins[i].await(streams[0]); !status.isOk())
      return status;
  }
  return {};
}

/// Makes the graph of the steps. Their collectives must be recorded by all ranks or by none (NCCL's guide, "Using NCCL
/// with CUDA Graphs": whether an operation is captured has to be the same on all ranks of it).
Status StreamRunner::record() {
  cudaError_t error = cudart().cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal);
  if (Status status = statusOf(error, "cudaStreamBeginCapture"); !status.isOk())
    return status;
  device.isCapturing = true;
  Status status = recordSteps();
  device.isCapturing = false;
  // Ended in any case: the streams must work again.
  cudaGraph_t recorded = nullptr;
  error = cudart().cudaStreamEndCapture(streams[0], &recorded);
  if (status.isOk())
    status = statusOf(error, "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  if (status.isOk())
    status =
        statusOf(cudart().cudaGraphInstantiate(&executable, recorded, 0), "cudaGraphInstantiate");
  if (recorded)
    cudart().cudaGraphDestroy(recorded);
  if (status.isOk())
    graph = {executable, cudart().cudaGraphExecDestroy};
  else
    cudart().cudaGetLastError(); // Issuing the steps is to begin without it.
  return status;
}

/// A graph that still runs is no hindrance: each launch comes behind the one before (cuda_runtime_api.h,
/// cudaGraphLaunch).
RunEnd StreamRunner::launchGraph() {
  auto first = std::span(streams).first(1);
  if (Status status = device.runs().order(first, /*isForAll=*/false); !status.isOk())
    return {std::move(status)};
  cudaError_t error = cudart().cudaGraphLaunch(graph.get(), first[0]);
  if (Status status = statusOf(error, "cudaGraphLaunch"); !status.isOk())
    return {std::move(status)};
  for (const ScheduledStep &step : schedule.steps)
    step.step->countRepeat();
  return {device.runs().add(first)};
}

Status StreamRunner::readMarks(std::vector<Timing> &timings) const {
  for (size_t i = 0; i < marks.size(); ++i) {
    Result<int64_t> begin = marks[i].begin.since(origin), end = marks[i].end.since(origin);
    for (Result<int64_t> *time : {&begin, &end})
      if (!time->isOk())
        return time->takeStatus();
    timings[i] = {startNs + *begin, startNs + *end};
  }
  return {};
}

RunEnd StreamRunner::finishRuns() {
  RunEnd first;
  for (size_t i = 0; i < schedule.steps.size();
       ++i) // All of them: the next run is not to be told of it.
    if (Status status = schedule.steps[i].step->finish(); first.status.isOk() && !status.isOk())
      first = {std::move(status), i};
  return first;
}

} // namespace sheaf::rt::cuda
