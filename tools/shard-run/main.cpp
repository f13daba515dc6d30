// shard-run: runs an executable on this machine, or as one of several processes.
#include "runtime/comm/mpi_communicator.h"
#include "runtime/comm/tcp_communicator.h"
#include "runtime/io/progress_line.h"
#include "runtime/launch/job.h"
#include "runtime/launch/launcher.h"
#include "tools/shard-run/launch_options.h"
#include "tools/shard-run/preparation.h"
#include "tools/shard-run/report.h"
#include "tools/shard-run/training.h"
#include "tools/shard-run/verify.h"

#include <iostream>

namespace sheaf::shard_run {
namespace {

using rt::Result, rt::Status;

/// What follows a run, on the first rank.
Status finish(const Options &options, const Preparation &preparation,
              rt::launch::JobReport &report) {
  if (!options.outputDir.empty())
    if (Status status = rt::launch::writeOutputs(report.outputs, options.outputDir); !status.isOk())
      return status;
  const rt::Mesh &mesh = preparation.files.executable().mesh();
  if (Status status = writeProfile(options, *preparation.program, mesh, report.ranks);
      !status.isOk())
    return status;
  RunFacts facts{std::move(report.ranks), preparation.files.weightUse(), std::nullopt};
  if (preparation.reference) {
    auto differences = compareWithReference(*preparation.reference, preparation.arguments,
                                            preparation.inputSeed, report.outputs, options);
    if (!differences.isOk())
      return differences.takeStatus();
    facts.differences = std::move(*differences);
  }
  printRun(facts, options.isJson, std::cout);
  return facts.differences ? checkDifferences(*facts.differences, options) : Status();
}

/// Runs the program on the processes of the job.
int run(const Options &options, Processes &processes) {
  rt::launch::Agreement &agreement = processes.agreement;
  Result<Preparation> preparation =
      processes.prepareTogether([&](int numProcesses) { return prepare(options, numProcesses); });
  if (!preparation.isOk())
    return processes.failTogether(preparation.takeStatus());
  const rt::Executable &executable = preparation->files.executable();

  rt::io::ProgressLine line;
  rt::launch::JobRequest request{.program = preparation->program,
                                 .inputs = &preparation->inputs,
                                 .threads = threadsOfRank(options, executable, processes),
                                 .seed = options.seed.value_or(0),
                                 .run = {options.warmup, options.repeat, !options.profile.empty(),
                                         [&](std::string_view what, int64_t done, int64_t total) {
                                           line.show(what, done, total);
                                         }}};
  auto report =
      processes.communicator
          ? rt::launch::runProcess(preparation->files, request, *processes.communicator, agreement)
          : rt::launch::runThreads(preparation->files, request, patienceOf(options));
  line.wipe();
  if (!report.isOk())
    return processes.failTogether(report.takeStatus());
  Status status = agreement.rank() == 0 ? finish(options, *preparation, *report) : Status();
  return status.isOk() ? 0 : fail(status);
}

/// As the job of which this process is one of several, on `hosts`, or the only one when `communicator` is null.
int start(const Options &options, rt::Communicator *communicator,
          std::span<const std::string> hosts = {}) {
  auto agreement = rt::launch::Agreement::create(communicator, hosts);
  if (!agreement.isOk()) {
    Status status = agreement.takeStatus();
    if (communicator)
      communicator->abort(status);
    return fail(status);
  }
  Processes processes{communicator, std::move(*agreement)};
  if (Status status = processes.agreement.checkSame(options.facts); !status.isOk())
    return processes.failTogether(status);
  return options.training.isOn() ? train(options, processes) : run(options, processes);
}

/// As one of several: others may wait for this process, so it can't just end.
int startAmong(const Options &options, rt::Communicator &communicator,
               std::span<const std::string> hosts) {
  try {
    return start(options, &communicator, hosts);
  } catch (const std::exception &error) {
    communicator.abort(Status::failed(error.what()));
  }
  return rankFailed;
}

int launchByMpi(const Options &options) {
  auto mpi = rt::comm::MpiProcess::start(options.timeoutS * 1000);
  if (!mpi.isOk())
    return fail(mpi.takeStatus());
  auto communicator = (*mpi)->makeCommunicator(options.timeoutS * 1000);
  if (!communicator.isOk())
    return fail(communicator.takeStatus());
  if ((*communicator)->size() == 1)
    return start(options, /*communicator=*/nullptr);
  return startAmong(options, **communicator, (*mpi)->hosts());
}

int launchByTcp(const Options &options, const rt::comm::TcpPlace &place) {
  auto world = rt::comm::TcpWorld::start(place, options.timeoutS * 1000);
  if (!world.isOk())
    return fail(world.takeStatus().annotated("rank ", place.rank));
  return startAmong(options, (*world)->communicator(), (*world)->hosts());
}

/// As one of the processes that a launcher started, when it did.
int launch(const Options &options) {
  auto place = rt::launch::placeByVariables();
  if (!place.isOk())
    return fail(place.takeStatus());
  if (*place)
    return launchByTcp(options, **place);
  if (rt::comm::MpiProcess::isLaunched())
    return launchByMpi(options);
  Status status = rt::launch::checkLauncher();
  return status.isOk() ? start(options, /*communicator=*/nullptr) : fail(status);
}

int info(const Options &options) {
  Result<rt::Executable> executable = rt::Executable::open(options.model);
  if (!executable.isOk())
    return fail(executable.takeStatus());
  printInfo(*executable, options.isJson, std::cout);
  return 0;
}

int main(int argc, char **argv) {
  auto parsed = parseOptions(argc, argv);
  if (const int *code = std::get_if<int>(&parsed))
    return *code;
  const auto &options = std::get<Options>(parsed);
  try {
    return options.isInfo ? info(options) : launch(options);
  } catch (const std::bad_alloc &) {
    return fail(Status::invalid("out of memory"));
  } catch (const std::exception &error) {
    return fail(Status::failed(error.what()));
  }
}

} // namespace
} // namespace sheaf::shard_run

int main(int argc, char **argv) { return sheaf::shard_run::main(argc, argv); }
