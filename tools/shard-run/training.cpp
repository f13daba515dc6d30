// Runs a training job and tells what came of it.
#include "tools/shard-run/training.h"

#include "runtime/launch/training/checkpoint_saver.h"
#include "runtime/launch/training/job.h"
#include "runtime/launch/training/log.h"
#include "tools/shard-run/launch_options.h"
#include "tools/shard-run/training_preparation.h"
#include "tools/shard-run/training_report.h"

#include <iostream>

namespace sheaf::shard_run {

using rt::Result, rt::Status;

namespace {

/// Only the first process writes metrics. They are opened before the run, so that it does not fail after hours.
Result<std::optional<rt::io::JsonLines>> openMetrics(const Options &options, bool isFirstProcess) {
  std::optional<rt::io::JsonLines> none;
  if (options.training.metrics.empty() || !isFirstProcess)
    return none;
  auto opened = rt::io::JsonLines::open(options.training.metrics, options.training.resumes);
  if (!opened.isOk())
    return opened.takeStatus();
  return std::optional(std::move(*opened));
}

/// What follows a run, on the first process.
Status finish(const Options &options, const TrainingPreparation &preparation,
              const rt::launch::TrainingJobReport &report) {
  const rt::Mesh &mesh = preparation.files.executable().mesh();
  Status status = writeProfile(options, preparation.data.feed.program(), mesh, report.ranks);
  if (!status.isOk())
    return status;
  printTraining(report, options.isJson, std::cout);
  return {};
}

} // namespace

int train(const Options &options, Processes &processes) {
  rt::launch::Agreement &agreement = processes.agreement;
  Result<TrainingPreparation> preparation = processes.prepareTogether(
      [&](int numProcesses) { return prepareTraining(options, numProcesses); });
  if (!preparation.isOk())
    return processes.failTogether(preparation.takeStatus());
  const rt::Executable &executable = preparation->files.executable();
  auto metrics = openMetrics(options, agreement.rank() == 0);
  if (Status status = agreement.agree(metrics.isOk() ? Status() : metrics.takeStatus());
      !status.isOk())
    return processes.failTogether(status);
  if (agreement.rank() == 0)
    for (const std::string &note : preparation->notes)
      std::cerr << "note: " << note << '\n';

  rt::io::ProgressLine line;
  rt::launch::TrainingLog log(line, options.training.logEvery, *metrics ? &**metrics : nullptr);
  rt::launch::StopSignal stop;
  rt::launch::TrainingRequest request{
      .feed = &preparation->data.feed,
      .evalFeed = preparation->evalData ? &preparation->evalData->feed : nullptr,
      .plan = preparation->plan,
      .start = preparation->start.position,
      .evalEvery = options.training.evalEvery,
      .saveEvery = options.training.saveEvery,
      .stopsOnNan = options.training.stopsOnNan,
      .checksReplicas = options.training.checksReplicas,
      .checkReplicasEvery = options.training.checkReplicasEvery,
      .isProfiled = !options.profile.empty(),
      .threads = threadsOfRank(options, executable, processes),
      .stop = &stop,
      .listener = &log,
      .onProgress = [&](std::string_view what, int64_t done, int64_t total) {
        line.show(what, done, total);
      }};
  if (!options.training.checkpoint.empty())
    request.makeSaver = rt::launch::checkpointSavers(
        executable, {.series = options.training.checkpoint, .keep = options.training.keep},
        preparation->draw, preparation->start.checkpoint.get());
  auto report = processes.communicator
                    ? rt::launch::trainProcess(preparation->files, request, *processes.communicator,
                                               agreement)
                    : rt::launch::trainThreads(preparation->files, request, patienceOf(options));
  line.wipe();
  if (!report.isOk())
    return processes.failTogether(report.takeStatus());
  if (report->training.end == rt::launch::TrainingEnd::diverged)
    return processes.failTogether(Status::failed("step ", report->training.position.step,
                                                 ": the loss or the norm of its gradients is "
                                                 "not finite (--stop-on-nan)"));
  Status status = agreement.rank() == 0 ? finish(options, *preparation, *report) : Status();
  return status.isOk() ? 0 : fail(status);
}

} // namespace sheaf::shard_run
