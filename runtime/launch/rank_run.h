// One rank of a job: opened, run, reported.
#ifndef SHEAF_RUNTIME_LAUNCH_RANK_RUN_H
#define SHEAF_RUNTIME_LAUNCH_RANK_RUN_H

#include "runtime/launch/agreement.h"
#include "runtime/launch/inputs.h"
#include "runtime/launch/session.h"

namespace sheaf::rt::launch {

/// What all ranks of a job do.
struct JobRequest {
  const ProgramInfo *program = nullptr;
  const InputValues *inputs = nullptr;
  int threads = 1;     ///< of each rank
  uint64_t seed = 0;   ///< of random nodes
  RunRequest run = {}; ///< progress is told by rank 0
};

/// What one rank measured.
struct RankReport {
  MemoryUse memory;
  RunReport run;
  Ledger wire; ///< what its collectives moved in one run
};

/// A rank with its memory. `communicator` and what the request and the files hold must outlive it.
class RankRun {
public:
  RankRun(const ModelFiles &files, const JobRequest &request, const DeviceShare &share,
          Communicator *communicator);

  /// Loads weights, binds the program and makes its inputs, together with the other ranks: where one fails, all do.
  Status open(Agreement &agreement);

  /// Runs the program. Errors: it fails, or its collectives moved something else than the executable says.
  Status run();

  std::vector<Memory> &outputs() { return outputMemory.values(); }
  /// After a run, before its outputs are taken away.
  RankReport report() const;

private:
  Status openSession();
  Status bindProgram();

  int rank() const { return communicator ? communicator->rank() : 0; }

  const ModelFiles &files;
  const JobRequest &request;
  DeviceShare share;
  Communicator *communicator;
  std::unique_ptr<Session> session;
  BoundProgram *program = nullptr;
  SignatureMemory inputMemory, outputMemory;
  RunReport measured;
  Ledger wire;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_RANK_RUN_H
