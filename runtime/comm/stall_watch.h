// Ends a process whose threads are stuck within MPI, where no time limit of a collective is looked at.
#ifndef SHEAF_RUNTIME_COMM_STALL_WATCH_H
#define SHEAF_RUNTIME_COMM_STALL_WATCH_H

#include "runtime/core/communicator.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace sheaf::rt::comm {

/// A thread that looks at all places where others may get stuck.
class StallWatch {
public:
  /// Where one thread at a time works. It must not outlive the watch.
  class Place {
  public:
    explicit Place(StallWatch &watch);
    ~Place();
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;

    /// Says that the work at this place goes on.
    void beat() { beats.fetch_add(1, std::memory_order_relaxed); }

  private:
    friend class StallWatch;

    StallWatch &watch;
    std::atomic<uint64_t> beats = 0;
    const CollectiveSite *site = nullptr; ///< null: nobody works; guarded by the watch
    uint64_t beatsSeen = 0;
    int64_t seenMs = 0; ///< when `beatsSeen` was new
  };

  /// Work at a place, for `site`, which outlives it. As long as it lasts there must be beats.
  class Visit {
  public:
    Visit(Place &place, const CollectiveSite &site);
    ~Visit();
    Visit(const Visit &) = delete;
    Visit &operator=(const Visit &) = delete;

  private:
    Place &place;
  };

  using StallListener = std::function<void(const CollectiveSite &site)>;

  /// `onStall` is called in the watch's thread once a visit had no beat for `timeoutMs`; 0: never.
  StallWatch(int timeoutMs, StallListener onStall);
  ~StallWatch();
  StallWatch(const StallWatch &) = delete;
  StallWatch &operator=(const StallWatch &) = delete;

private:
  void run();

  const int timeoutMs;
  const StallListener onStall;
  std::mutex mutex;
  std::condition_variable changed;
  std::list<Place *> places;
  bool isOver = false;
  std::thread thread; ///< none without a timeout
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_STALL_WATCH_H
