// shard-run: runs an executable on this machine, or as one of several processes.
#include "runtime/comm/mpi_communicator.h"
#include "runtime/io/progress_line.h"
#include "runtime/launch/environment.h"
#include "runtime/launch/job.h"
#include "runtime/launch/launcher.h"
#include "runtime/launch/profile.h"
#include "tools/shard-run/options.h"
#include "tools/shard-run/preparation.h"
#include "tools/shard-run/report.h"
#include "tools/shard-run/verify.h"

#include <cstdlib>
#include <iostream>

namespace sheaf::shard_run {
namespace {

using rt::Result, rt::Status;

/// Exit codes that scripts rely on.
constexpr int invalidRequest = 1, rankFailed = 3, rankTimedOut = 4;

int exitCodeOf(rt::StatusCode code) {
  switch (code) {
  case rt::StatusCode::ok:
    return 0;
  case rt::StatusCode::invalid:
    return invalidRequest;
  case rt::StatusCode::timedOut:
    return rankTimedOut;
  case rt::StatusCode::failed:
  case rt::StatusCode::aborted:
    break;
  }
  return rankFailed;
}

int fail(const Status &status) {
  std::cerr << "error: " << status.text() << std::endl;
  return exitCodeOf(status.code());
}

/// One process of the trace per rank, named by its place.
std::vector<rt::io::TraceProcess> traceOf(const rt::ProgramInfo &program, const rt::Mesh &mesh,
                                          const std::vector<rt::launch::RankReport> &ranks) {
  std::vector<rt::io::TraceProcess> processes;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    processes.push_back({ranks.size() > 1 ? mesh.rankText(static_cast<int>(rank)) : "",
                         rt::launch::traceOf(program, ranks[rank].run.timings)});
  return processes;
}

/// What follows a run, on the first rank.
Status finish(const Options &options, const Preparation &preparation,
              rt::launch::JobReport &report) {
  if (!options.outputDir.empty())
    if (Status status = rt::launch::writeOutputs(report.outputs, options.outputDir); !status.isOk())
      return status;
  const rt::Mesh &mesh = preparation.files.executable().mesh();
  if (!options.profile.empty()) {
    auto processes = traceOf(*preparation.program, mesh, report.ranks);
    if (Status status = rt::io::writeTrace(options.profile, processes); !status.isOk())
      return status;
  }
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

/// Runs the job of which this process is one of several, on `hosts`, or the only one when `communicator` is null.
int run(const Options &options, rt::Communicator *communicator,
        std::span<const std::string> hosts = {}) {
  auto processes = rt::launch::Agreement::create(communicator, hosts);
  if (!processes.isOk()) {
    Status status = processes.takeStatus();
    if (communicator)
      communicator->abort(status);
    return fail(status);
  }
  // What fails before the run fails on all processes; the first one tells it.
  auto agree = [&](Status own) { return processes->agree(std::move(own)); };
  auto failTogether = [&](const Status &status) {
    if (processes->isBroken()) // Not all know, and those that don't would be waited for.
      communicator->abort(status);
    return processes->rank() == 0 ? fail(status) : exitCodeOf(status.code());
  };
  if (Status status = processes->checkSame(options.facts); !status.isOk())
    return failTogether(status);
  Result<Preparation> preparation = prepare(options, processes->size());
  if (Status status = agree(preparation.isOk() ? Status() : preparation.takeStatus());
      !status.isOk())
    return failTogether(status);
  const rt::Executable &executable = preparation->files.executable();
  if (Status status = processes->checkSame(executable.hash(), "executable"); !status.isOk())
    return failTogether(status);
  if (Status status = processes->checkSame(factsOf(*preparation)); !status.isOk())
    return failTogether(status);

  rt::io::ProgressLine line;
  int ranksHere = communicator ? rt::launch::localProcesses() : executable.mesh().numRanks();
  rt::launch::JobRequest request{
      .program = preparation->program,
      .inputs = &preparation->inputs,
      .threads = options.threads > 0 ? options.threads
                                     : std::max(1, rt::launch::availableCpus() / ranksHere),
      .seed = options.seed.value_or(0),
      .run = {options.warmup, options.repeat, !options.profile.empty(),
              [&](std::string_view what, int64_t done, int64_t total) {
                line.show(what, done, total);
              }}};
  rt::launch::Patience patience{.timeoutMs = options.timeoutS * 1000,
                                .onStuck = [](const Status &cause) { std::_Exit(fail(cause)); }};
  auto report = communicator
                    ? rt::launch::runProcess(preparation->files, request, *communicator, *processes)
                    : rt::launch::runThreads(preparation->files, request, patience);
  line.wipe();
  if (!report.isOk())
    return failTogether(report.takeStatus());
  Status status = processes->rank() == 0 ? finish(options, *preparation, *report) : Status();
  return status.isOk() ? 0 : fail(status);
}

/// As one of the processes that a launcher started, when it did.
int launch(const Options &options) {
  if (!rt::comm::MpiProcess::isLaunched()) {
    Status status = rt::launch::checkLauncher();
    return status.isOk() ? run(options, /*communicator=*/nullptr) : fail(status);
  }
  auto mpi = rt::comm::MpiProcess::start(options.timeoutS * 1000);
  if (!mpi.isOk())
    return fail(mpi.takeStatus());
  auto communicator = (*mpi)->makeCommunicator(options.timeoutS * 1000);
  if (!communicator.isOk())
    return fail(communicator.takeStatus());
  if ((*communicator)->size() == 1)
    return run(options, /*communicator=*/nullptr);
  try {
    return run(options, communicator->get(), (*mpi)->hosts());
  } catch (const std::exception &error) { // Others may wait for this process: it can't just end.
    (*communicator)->abort(Status::failed(error.what()));
  }
  return rankFailed;
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
