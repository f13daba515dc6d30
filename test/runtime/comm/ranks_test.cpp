// Chooses the ranks that the tests of communicators run on.
#include "test/runtime/comm/ranks.h"

#include "runtime/comm/mpi_communicator.h"
#include "runtime/comm/tcp_communicator.h"
#include "runtime/comm/thread_communicator.h"
#include "test/runtime/comm/free_port.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace sheaf::rt::test {
namespace {

class ThreadRanks final : public Ranks {
public:
  std::vector<int> sizes() const override { return {1, 2, 3, 4, 5, 8}; }

  void run(int numRanks, int timeoutMs, const std::function<void(Communicator &)> &body) override {
    comm::ThreadWorld world(numRanks, timeoutMs);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < numRanks; ++rank)
      threads.emplace_back([&, rank] { body(world.communicator(rank)); });
    for (std::thread &thread : threads)
      thread.join();
  }
};

/// Threads that know each other by connections only.
class TcpRanks final : public Ranks {
public:
  std::vector<int> sizes() const override { return {1, 2, 3, 5}; }

  void run(int numRanks, int timeoutMs, const std::function<void(Communicator &)> &body) override {
    uint16_t port = freePort();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < numRanks; ++rank)
      threads.emplace_back([&, rank] {
        auto world = comm::TcpWorld::start({rank, numRanks, "localhost", port, "a test"}, timeoutMs,
                                           comm::TcpWorld::AtFailure::goOn);
        ASSERT_TRUE(world.isOk()) << world.takeStatus().text();
        body((*world)->communicator());
      });
    for (std::thread &thread : threads)
      thread.join();
  }
};

class MpiRanks final : public Ranks {
public:
  std::vector<int> sizes() const override { return {everybody->size()}; }

  void run(int, int timeoutMs, const std::function<void(Communicator &)> &body) override {
    // A communicator of its own for each run: what failed there is forgotten.
    std::unique_ptr<Communicator> communicator = makeCommunicator(timeoutMs);
    body(*communicator);
    communicator.reset();
    // The next run must find all ranks.
    std::vector<char> in(1), out(static_cast<size_t>(everybody->size()));
    if (Status status = all->allGather({"the end of a test", ""}, in.data(), out.data(), 1);
        !status.isOk())
      fail(status);
  }

private:
  std::unique_ptr<Communicator> makeCommunicator(int timeoutMs) {
    Result<std::unique_ptr<Communicator>> made = process->makeCommunicator(timeoutMs);
    if (!made.isOk())
      fail(made.takeStatus());
    return std::move(*made);
  }

  std::unique_ptr<comm::MpiProcess> startProcess() {
    Result<std::unique_ptr<comm::MpiProcess>> started = comm::MpiProcess::start();
    if (!started.isOk())
      fail(started.takeStatus());
    return std::move(*started);
  }

  std::unique_ptr<Group> makeGroupOfAll() {
    std::vector<int> ranks;
    for (int rank = 0; rank < everybody->size(); ++rank)
      ranks.push_back(rank);
    Result<std::unique_ptr<Group>> group = everybody->makeGroup(ranks);
    if (!group.isOk())
      fail(group.takeStatus());
    return std::move(*group);
  }

  [[noreturn]] static void fail(const Status &status) {
    std::fprintf(stderr, "%s\n", std::string(status.text()).c_str());
    std::_Exit(1);
  }

  std::unique_ptr<comm::MpiProcess> process = startProcess();
  std::unique_ptr<Communicator> everybody = makeCommunicator(60'000);
  std::unique_ptr<Group> all = makeGroupOfAll();
};

} // namespace

Ranks &Ranks::instance() {
  static std::unique_ptr<Ranks> ranks;
  if (!ranks && comm::MpiProcess::isLaunched())
    ranks = std::make_unique<MpiRanks>();
  else if (!ranks && std::getenv("SHEAF_TEST_TCP"))
    ranks = std::make_unique<TcpRanks>();
  else if (!ranks)
    ranks = std::make_unique<ThreadRanks>();
  return *ranks;
}

} // namespace sheaf::rt::test
