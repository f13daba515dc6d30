// Runs ranks side by side and brings together what they have.
#include "runtime/launch/job.h"

#include "runtime/comm/thread_communicator.h"
#include "runtime/launch/launcher.h"
#include "runtime/launch/rank_team.h"

namespace sheaf::rt::launch {
namespace {

/// Brings the outputs that are cut to rank 0.
Status gatherOutputs(GlobalOutputs &outputs, const std::vector<Memory> &locals,
                     Agreement &agreement) {
  for (size_t i = 0; i < locals.size(); ++i) {
    const SignatureInfo &output = outputs.program().outputs[i];
    if (!output.sharding.isCut())
      continue;
    auto bytes = static_cast<size_t>(output.bytes);
    auto all = agreement.gather(std::span<const std::byte>(locals[i].data(), bytes));
    if (!all.isOk())
      return all.takeStatus().annotated("output \"", output.name, "\"");
    for (int rank = 0; agreement.rank() == 0 && rank < agreement.size(); ++rank)
      outputs.takeCut(i, rank, all->data() + static_cast<size_t>(rank) * bytes);
  }
  return {};
}

} // namespace

Result<std::vector<RankReport>> gatherReports(const RankReport &own, Agreement &agreement) {
  auto memory = agreement.gather(std::span<const MemoryUse>(&own.memory, 1));
  if (!memory.isOk())
    return memory.takeStatus();
  auto runMs = agreement.gather(std::span<const double>(own.run.runMs));
  if (!runMs.isOk())
    return runMs.takeStatus();
  auto timings = agreement.gather(std::span<const Timing>(own.run.timings));
  if (!timings.isOk())
    return timings.takeStatus();
  std::vector<RankReport> reports;
  size_t numRuns = own.run.runMs.size(), numTimings = own.run.timings.size();
  for (size_t rank = 0; rank < memory->size(); ++rank) {
    RankReport &report = reports.emplace_back();
    report.memory = (*memory)[rank];
    auto runs = std::span(*runMs).subspan(rank * numRuns, numRuns);
    report.run.runMs.assign(runs.begin(), runs.end());
    auto slices = std::span(*timings).subspan(rank * numTimings, numTimings);
    report.run.timings.assign(slices.begin(), slices.end());
  }
  reports.front().wire = own.wire; // Rank 0 reports its own.
  return reports;
}

Result<JobReport> runThreads(const ModelFiles &files, const JobRequest &request,
                             const Patience &patience) {
  const Mesh &mesh = files.executable().mesh();
  Result<GlobalOutputs> outputs = GlobalOutputs::allocate(*request.program, mesh);
  if (!outputs.isOk())
    return outputs.takeStatus();
  int numRanks = mesh.numRanks();
  comm::ThreadWorld world(numRanks, patience.timeoutMs);
  JobReport report{std::vector<RankReport>(static_cast<size_t>(numRanks)), std::move(*outputs)};
  auto runRank = [&](int rank) -> Status {
    Communicator *communicator = numRanks > 1 ? &world.communicator(rank) : nullptr;
    Result<Agreement> agreement = Agreement::create(communicator);
    if (!agreement.isOk())
      return agreement.takeStatus();
    RankRun run(files, request, {request.threads, rank}, communicator);
    if (Status status = run.open(*agreement); !status.isOk())
      return status;
    if (Status status = run.run(); !status.isOk())
      return std::move(status).annotated("rank ", rank);
    report.ranks[static_cast<size_t>(rank)] = run.report();
    report.outputs.take(rank, run.outputs());
    return {};
  };
  RankTeam team{
      .numRanks = numRanks,
      .threadsPerRank = request.threads,
      .body = runRank,
      .onFailure = [&](int rank, const Status &cause) { world.communicator(rank).abort(cause); },
      .onStuck = patience.onStuck};
  if (Status status = team.run(); !status.isOk())
    return status;
  return report;
}

Result<JobReport> runProcess(const ModelFiles &files, const JobRequest &request,
                             Communicator &communicator, Agreement &agreement) {
  Result<GlobalOutputs> outputs =
      GlobalOutputs::allocate(*request.program, files.executable().mesh());
  if (Status status = agreement.agree(outputs.isOk() ? Status() : outputs.takeStatus());
      !status.isOk())
    return status;
  RankRun run(files, request, {request.threads, localRank()}, &communicator);
  if (Status status = run.open(agreement); !status.isOk())
    return status;
  if (Status status = run.run(); !status.isOk()) {
    communicator.abort(status);
    return status;
  }
  Result<std::vector<RankReport>> ranks = gatherReports(run.report(), agreement);
  if (!ranks.isOk())
    return ranks.takeStatus();
  if (Status status = gatherOutputs(*outputs, run.outputs(), agreement); !status.isOk())
    return status;
  outputs->take(agreement.rank(), run.outputs());
  return JobReport{std::move(*ranks), std::move(*outputs)};
}

} // namespace sheaf::rt::launch
