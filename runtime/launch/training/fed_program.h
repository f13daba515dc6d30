// A program bound on one rank, fed samples.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_FED_PROGRAM_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_FED_PROGRAM_H

#include "runtime/launch/session.h"
#include "runtime/launch/training/batch_writer.h"
#include "runtime/launch/training/step_metrics.h"

namespace sheaf::rt::launch {

/// A training step or evaluation with its inputs and outputs in memory.
class FedProgram {
public:
  /// `feed` and `session` must outlive this.
  FedProgram(const SampleFeed &feed, Session &session, const Mesh &mesh, int rank);

  /// Binds the program, makes its inputs and outputs, and gives inputs without data their defaults.
  Status open();

  /// Runs the program on `samples` (see BatchWriter). `timings`: when each instruction ran, or null. Errors: it fails,
  /// or its collectives moved something else than the executable says.
  Result<StepMetrics> run(std::span<const int64_t> samples, std::vector<Timing> *timings = nullptr);

  /// Of the last run.
  const Ledger &wire() const { return moved; }

private:
  const SampleFeed &feed;
  Session &session;
  BatchWriter writer;
  BoundProgram *program = nullptr;
  SignatureMemory inputs, outputs;
  Ledger moved;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_FED_PROGRAM_H
