// Steps, validates and saves, in step with the other ranks.
#include "runtime/launch/training/run.h"

#include "runtime/launch/training/replica_check.h"
#include "runtime/launch/training/validation.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sheaf::rt::launch {
namespace {

/// What each rank tells the others after a step.
struct StepFlags {
  bool wantsStop = false;
  bool hasDiverged = false;
};

/// Whether the loss is a number, and the norm of the gradients: parameters that they made no numbers may give a loss
/// that is one. A step with a loss scale skips such gradients by itself.
bool isFinite(const StepMetrics &metrics) {
  double norm = metrics.find("loss_scale") ? 0.0 : metrics.find("grad_norm").value_or(0.0);
  return std::isfinite(metrics.loss()) && std::isfinite(norm);
}

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

TrainingRun::TrainingRun(const ModelFiles &files, const TrainingRequest &request,
                         const DeviceShare &share, Communicator *communicator, Agreement &agreement)
    : files(files), request(request), share(share), communicator(communicator),
      agreement(agreement) {
  report.position = request.start;
}

Status TrainingRun::openPrograms() {
  const Mesh &mesh = files.executable().mesh();
  train = std::make_unique<FedProgram>(*request.feed, *session, mesh, rank());
  if (Status status = train->open(); !status.isOk())
    return status;
  if (!request.evalFeed)
    return {};
  eval = std::make_unique<FedProgram>(*request.evalFeed, *session, mesh, rank());
  return eval->open();
}

Status TrainingRun::agreeOnPlan() {
  // A rank that sees other data would take another number of steps, and the rest would wait for it.
  const TrainingPlan &plan = request.plan;
  const TrainingPosition &start = report.position;
  const int64_t numbers[] = {plan.numSamples,
                             plan.samplesPerStep,
                             plan.isShuffled,
                             lastStep,
                             start.step,
                             start.epoch,
                             start.sample,
                             static_cast<int64_t>(start.seed),
                             request.evalFeed ? request.evalFeed->numSamples() : -1,
                             request.evalEvery,
                             request.saveEvery,
                             request.stopsOnNan};
  return agreement.checkSame(std::as_bytes(std::span(numbers)),
                             "plan (data, seed, steps or options)");
}

Status TrainingRun::shareMemoryUse() {
  int64_t own = session->memoryUse().peakBytes;
  Result<std::vector<int64_t>> all = agreement.gather(std::span<const int64_t>(&own, 1));
  if (!all.isOk())
    return all.takeStatus();
  largestPeakBytes = *std::max_element(all->begin(), all->end());
  return {};
}

Status TrainingRun::open() {
  auto openSession = [&]() -> Status {
    auto opened = Session::open(files, {.share = share,
                                        .seed = request.start.seed,
                                        .communicator = communicator,
                                        .onProgress = rank() == 0 ? request.onProgress : nullptr});
    if (!opened.isOk())
      return opened.takeStatus();
    session = std::move(*opened);
    return {};
  };
  // All have their weights before any makes a group with others: that may wait for them.
  if (Status status = agreement.agree(openSession()); !status.isOk())
    return status;
  if (Status status = agreement.agree(openPrograms()); !status.isOk())
    return status;
  if (request.makeSaver) {
    auto made = request.makeSaver(*session, agreement, report.position);
    if (!made.isOk())
      return made.takeStatus();
    saver = std::move(*made);
  }
  if (Status status = agreement.agree(request.plan.check(report.position)); !status.isOk())
    return status;
  lastStep = request.plan.lastStep(report.position);
  if (Status status = agreeOnPlan(); !status.isOk())
    return status;
  return shareMemoryUse();
}

void TrainingRun::warn(bool &isTold, const std::string &text) {
  if (!isTold && listener())
    listener()->onWarning(text);
  isTold = true;
}

/// After this all ranks know whether any wants to stop, or has seen a loss that is no number.
Status TrainingRun::exchange(const StepMetrics &metrics) {
  StepFlags own{request.stop && request.stop->isRaised(), !isFinite(metrics)};
  Result<std::vector<StepFlags>> all = agreement.gather(std::span<const StepFlags>(&own, 1));
  if (!all.isOk())
    return all.takeStatus();
  bool isAnyDiverged = false;
  for (const StepFlags &flags : *all) {
    isStopping |= flags.wantsStop;
    isAnyDiverged |= flags.hasDiverged;
  }
  std::string step = "step " + std::to_string(report.position.step);
  if (isAnyDiverged && !request.stopsOnNan)
    warn(isNanTold,
         step + ": the loss or the norm of its gradients is not finite; --stop-on-nan ends the run "
                "there");
  for (const char *counted : {"tokens", "count"})
    if (metrics.find(counted) == 0.0)
      warn(isNoneCounted, step + ": nothing counts; all labels are ignored");
  isDiverged = isAnyDiverged && request.stopsOnNan;
  return {};
}

Status TrainingRun::tell(const StepMetrics &metrics, int64_t epoch, double seconds) {
  auto ofStream = static_cast<double>(request.feed->tokensPerSample()) *
                  static_cast<double>(request.plan.samplesPerStep);
  report.lastStep = StepFacts{.step = report.position.step,
                              .numSteps = lastStep,
                              .epoch = epoch + 1,
                              .metrics = metrics,
                              .seconds = seconds,
                              .samples = request.plan.samplesPerStep,
                              .tokens = metrics.find("tokens").value_or(ofStream),
                              .peakBytes = largestPeakBytes};
  return listener() ? listener()->onStep(*report.lastStep) : Status();
}

Status TrainingRun::step() {
  auto start = std::chrono::steady_clock::now();
  TrainingPosition &position = report.position;
  std::vector<int64_t> samples = request.plan.samplesAt(position);
  Result<StepMetrics> metrics =
      train->run(samples, request.isProfiled ? &report.rank.run.timings : nullptr);
  if (!metrics.isOk())
    return metrics.takeStatus().annotated("training step ", position.step + 1);
  int64_t epoch = request.plan.settled(position).epoch;
  position = request.plan.next(position);
  if (Status status = exchange(*metrics); !status.isOk())
    return status;
  double seconds = secondsSince(start);
  report.seconds += seconds;
  ++report.stepsRun;
  return tell(*metrics, epoch, seconds);
}

Status TrainingRun::validate() {
  auto start = std::chrono::steady_clock::now();
  Result<EvalSums> sums = sumOverData(*eval, *request.evalFeed);
  if (!sums.isOk())
    return sums.takeStatus().annotated("validation after step ", report.position.step);
  report.lastEval = EvalFacts{.step = report.position.step,
                              .epoch = report.lastStep ? report.lastStep->epoch : 1,
                              .loss = sums->meanLoss(),
                              .accuracy = sums->accuracy(),
                              .counted = sums->count,
                              .seconds = secondsSince(start)};
  return listener() ? listener()->onEval(*report.lastEval) : Status();
}

Status TrainingRun::save() {
  return saver ? saver->save(session->state(), report.position) : Status();
}

Status TrainingRun::checkCopies() {
  return checkReplicas(files.executable(), session->state(), agreement)
      .annotated("after step ", report.position.step);
}

Status TrainingRun::finish(TrainingEnd end) {
  report.end = end;
  if (!saver)
    return {};
  Status status = saver->finish();
  report.saved = saver->saved();
  return status;
}

Status TrainingRun::run() {
  auto isDue = [&](int64_t every) {
    return report.position.step >= lastStep || (every > 0 && report.position.step % every == 0);
  };
  while (report.position.step < lastStep) {
    if (Status status = step(); !status.isOk())
      return status;
    if (isDiverged) // What was saved before stays the newest.
      return finish(TrainingEnd::diverged);
    bool endsEarly = isStopping && report.position.step < lastStep;
    if (endsEarly && listener())
      listener()->onStop(report.position.step);
    if (Status status = saver ? saver->poll() : Status(); !status.isOk())
      return status;
    bool saves = endsEarly || isDue(request.saveEvery);
    if (request.checksReplicas && (saves || isDue(request.checkReplicasEvery)))
      if (Status status = checkCopies(); !status.isOk()) // What was saved before stays the newest.
        return status;
    // Saved first, so that it is written while the validation runs.
    if (saves)
      if (Status status = save(); !status.isOk())
        return status;
    if (eval && !endsEarly && isDue(request.evalEvery))
      if (Status status = validate(); !status.isOk())
        return status;
    if (endsEarly)
      return finish(TrainingEnd::stopped);
  }
  return finish(TrainingEnd::done);
}

TrainingReport TrainingRun::takeReport() {
  report.rank.memory = session->memoryUse();
  report.rank.wire = train->wire();
  return std::move(report);
}

} // namespace sheaf::rt::launch
