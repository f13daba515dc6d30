// One rank of a training run: its loop.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_RUN_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_RUN_H

#include "runtime/launch/agreement.h"
#include "runtime/launch/rank_run.h"
#include "runtime/launch/training/fed_program.h"
#include "runtime/launch/training/listener.h"
#include "runtime/launch/training/position.h"
#include "runtime/launch/training/stop_signal.h"

namespace sheaf::rt::launch {

/// What one rank does to keep its state. All ranks call the same functions in the same order, between two steps; what
/// fails on one must fail on all.
class TrainingSaver {
public:
  virtual ~TrainingSaver() = default;

  /// Begins to save the variables as they are; they may change when it returns.
  virtual Status save(const Variables &variables, const TrainingPosition &position) = 0;
  /// Called after every step.
  virtual Status poll() = 0;
  /// Returns when all that was to be saved is. Called once, at the end of a run that did not fail.
  virtual Status finish() = 0;
  /// What holds the newest state that is saved, for messages; empty: nothing does.
  virtual std::string saved() const = 0;
};

/// Makes the saver of a rank, when its programs are bound and before the first step. It may restore the variables, and
/// then sets the position to go on from.
using SaverMaker = std::function<Result<std::unique_ptr<TrainingSaver>>(
    Session &session, Agreement &agreement, TrainingPosition &position)>;

/// What all ranks of a training run do. The same on all.
struct TrainingRequest {
  const SampleFeed *feed = nullptr;     ///< of the training step
  const SampleFeed *evalFeed = nullptr; ///< of the validation; null: there is none
  TrainingPlan plan;
  TrainingPosition start;
  int64_t evalEvery = 0; ///< validate every so many steps; 0: at the end only
  int64_t saveEvery = 0; ///< save after every so many steps; 0: at the end only
  bool stopsOnNan = false;
  bool checksReplicas = false;    ///< at the end, and before every save
  int64_t checkReplicasEvery = 0; ///< and after every so many steps; 0: no more
  bool isProfiled = false;        ///< of the last step
  int threads = 1;                ///< of each rank
  const StopSignal *stop = nullptr;
  TrainingListener *listener = nullptr; ///< of rank 0
  ProgressListener onProgress;          ///< of rank 0, while it opens
  SaverMaker makeSaver = {};            ///< may be empty: nothing is saved
};

/// How a run ended.
enum class TrainingEnd { done, stopped, diverged };

/// What came of it on one rank.
struct TrainingReport {
  TrainingEnd end = TrainingEnd::done;
  TrainingPosition position;
  int64_t stepsRun = 0;
  double seconds = 0; ///< of all steps that ran
  std::optional<StepFacts> lastStep;
  std::optional<EvalFacts> lastEval;
  std::string saved; ///< see TrainingSaver::saved
  RankReport rank;
};

/// A rank with its memory. What the request and the files hold must outlive it.
class TrainingRun {
public:
  TrainingRun(const ModelFiles &files, const TrainingRequest &request, const DeviceShare &share,
              Communicator *communicator, Agreement &agreement);

  /// Loads weights and binds the programs, together with the other ranks: where one fails, all do.
  Status open();
  /// Trains until the plan is done or somebody asks to stop.
  Status run();

  TrainingReport takeReport();

private:
  Status openPrograms();
  Status agreeOnPlan();
  Status shareMemoryUse();
  /// The next step, and what the ranks make of it together.
  Status step();
  Status exchange(const StepMetrics &metrics);
  Status validate();
  Status save();
  Status checkCopies();
  Status finish(TrainingEnd end);
  Status tell(const StepMetrics &metrics, int64_t epoch, double seconds);

  int rank() const { return communicator ? communicator->rank() : 0; }
  TrainingListener *listener() const { return rank() == 0 ? request.listener : nullptr; }
  void warn(bool &isTold, const std::string &text);

  const ModelFiles &files;
  const TrainingRequest &request;
  DeviceShare share;
  Communicator *communicator;
  Agreement &agreement;
  std::unique_ptr<Session> session;
  std::unique_ptr<FedProgram> train, eval;
  std::unique_ptr<TrainingSaver> saver;
  int64_t lastStep = 0;
  int64_t largestPeakBytes = 0;
  bool isStopping = false, isDiverged = false;
  bool isNanTold = false, isNoneCounted = false;
  TrainingReport report;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_RUN_H
