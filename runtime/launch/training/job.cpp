// Runs training ranks side by side.
#include "runtime/launch/training/job.h"

#include "runtime/comm/thread_communicator.h"
#include "runtime/launch/launcher.h"
#include "runtime/launch/rank_team.h"

namespace sheaf::rt::launch {

Result<TrainingJobReport> trainThreads(const ModelFiles &files, const TrainingRequest &request,
                                       const Patience &patience) {
  int numRanks = files.executable().mesh().numRanks();
  comm::ThreadWorld world(numRanks, patience.timeoutMs);
  std::vector<TrainingReport> reports(static_cast<size_t>(numRanks));
  auto trainRank = [&](int rank) -> Status {
    Communicator *communicator = numRanks > 1 ? &world.communicator(rank) : nullptr;
    Result<Agreement> agreement = Agreement::create(communicator);
    if (!agreement.isOk())
      return agreement.takeStatus();
    TrainingRun run(files, request, {request.threads, rank}, communicator, *agreement);
    if (Status status = run.open(); !status.isOk())
      return status;
    if (Status status = run.run(); !status.isOk())
      return std::move(status).annotated("rank ", rank);
    reports[static_cast<size_t>(rank)] = run.takeReport();
    return {};
  };
  RankTeam team{
      .numRanks = numRanks,
      .threadsPerRank = request.threads,
      .body = trainRank,
      .onFailure = [&](int rank, const Status &cause) { world.communicator(rank).abort(cause); },
      .onStuck = patience.onStuck};
  if (Status status = team.run(); !status.isOk())
    return status;
  TrainingJobReport job;
  for (const TrainingReport &report : reports)
    job.ranks.push_back(report.rank);
  job.training = std::move(reports.front());
  return job;
}

Result<TrainingJobReport> trainProcess(const ModelFiles &files, const TrainingRequest &request,
                                       Communicator &communicator, Agreement &agreement) {
  TrainingRun run(files, request, {request.threads, localRank()}, &communicator, agreement);
  if (Status status = run.open(); !status.isOk())
    return status;
  if (Status status = run.run(); !status.isOk()) {
    communicator.abort(status);
    return status;
  }
  TrainingReport report = run.takeReport();
  Result<std::vector<RankReport>> ranks = gatherReports(report.rank, agreement);
  if (!ranks.isOk())
    return ranks.takeStatus();
  return TrainingJobReport{std::move(report), std::move(*ranks)};
}

} // namespace sheaf::rt::launch
