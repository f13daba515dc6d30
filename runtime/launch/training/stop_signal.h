// Signals that ask a run to end at the next good place.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_STOP_SIGNAL_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_STOP_SIGNAL_H

#include <array>
#include <csignal>

namespace sheaf::rt::launch {

/// While this lives, Ctrl-C (SIGINT), SIGTERM and SIGUSR1 only set a flag; a second one, a quarter of a second later or
/// more, ends the process as if this were not there. (Sooner, it is the same wish: launchers and terminals both
/// pass one on.) One at a time in a process.
class StopSignal {
public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal &) = delete;
  StopSignal &operator=(const StopSignal &) = delete;

  bool isRaised() const;

private:
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGUSR1};

  std::array<struct sigaction, signals.size()> before;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_STOP_SIGNAL_H
