// Starts, pins and awaits the threads of ranks.
#include "runtime/launch/rank_team.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

namespace sheaf::rt::launch {
namespace {

std::vector<int> availableCpuList() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set))
        cpus.push_back(cpu);
  return cpus;
}

/// Keeps the calling thread to `count` of `cpus` from `first` on.
void pin(const std::vector<int> &cpus, size_t first, size_t count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (size_t i = 0; i < count; ++i)
    CPU_SET(cpus[first + i], &set);
  sched_setaffinity(0, sizeof set, &set); // Only speed depends on it.
}

Status guarded(const std::function<Status(int)> &body, int rank) {
  try {
    return body(rank);
  } catch (const std::bad_alloc &) {
    return Status::invalid("out of memory");
  } catch (const std::exception &error) {
    return Status::failed(error.what());
  }
}

/// What the threads tell the one that awaits them.
struct Ends {
  std::mutex mutex;
  std::condition_variable changed;
  int numEnded = 0;
  Status cause;
};

} // namespace

Status RankTeam::run() const {
  if (numRanks == 1)
    return guarded(body, 0);
  std::vector<int> cpus = availableCpuList();
  auto width = static_cast<size_t>(threadsPerRank);
  bool isPinned = width * static_cast<size_t>(numRanks) <= cpus.size();
  Ends ends;
  auto end = [&](int rank, const Status &status) {
    bool isFirst = false;
    {
      std::lock_guard lock(ends.mutex);
      isFirst = !status.isOk() && ends.cause.isOk();
      if (isFirst || (ends.cause.code() == StatusCode::aborted &&
                      status.code() != StatusCode::aborted && !status.isOk()))
        ends.cause = Status::ofCode(status.code(), status.text());
    }
    if (isFirst)
      onFailure(rank, status);
    std::lock_guard lock(ends.mutex);
    ++ends.numEnded;
    ends.changed.notify_all();
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < numRanks; ++rank) {
    try {
      threads.emplace_back([&, rank] {
        if (isPinned)
          pin(cpus, static_cast<size_t>(rank) * width, width);
        end(rank, guarded(body, rank));
      });
    } catch (const std::system_error &error) {
      end(rank, Status::invalid("rank ", rank, ": can't start its thread: ", error.what()));
    }
  }
  {
    std::unique_lock lock(ends.mutex);
    auto haveEnded = [&] { return ends.numEnded == numRanks; };
    ends.changed.wait(lock, [&] { return haveEnded() || !ends.cause.isOk(); });
    if (!ends.changed.wait_for(lock, std::chrono::milliseconds(graceMs), haveEnded))
      onStuck(ends.cause);
  }
  for (std::thread &thread : threads)
    thread.join();
  return std::move(ends.cause);
}

} // namespace sheaf::rt::launch
