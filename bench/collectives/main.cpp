// Measures collectives of threads and of processes beside a copy of as many bytes by every rank at once; with
// --tensors, one collective of many tensors beside one of each.
#include "runtime/comm/mpi_communicator.h"
#include "runtime/comm/thread_communicator.h"
#include "runtime/core/memory.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>

namespace sheaf::bench {
namespace {

using namespace sheaf::rt;

struct Options {
  int ranks = 2;
  size_t mebibytes = 64;
  int rounds = 15;
  size_t tensors = 0;   ///< to be moved by one collective; 0: no such comparison
  size_t kibibytes = 4; ///< of each
};

void require(Status status) {
  if (status.isOk())
    return;
  std::fprintf(stderr, "error: %s\n", std::string(status.text()).c_str());
  std::_Exit(1);
}

Memory allocate(size_t bytes) {
  Result<Memory> memory = allocateHostMemory(bytes);
  if (!memory.isOk())
    require(memory.takeStatus());
  std::memset(memory->data(), 0, bytes);
  return std::move(*memory);
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Measures on one rank; rank 0 prints.
class Measurement {
public:
  Measurement(Communicator &communicator, const char *kind, const Options &options)
      : communicator(communicator), kind(kind), options(options),
        bytes(std::max(options.mebibytes << 20, options.tensors * (options.kibibytes << 10))),
        in(allocate(bytes)), out(allocate(bytes)) {
    std::vector<int> ranks(static_cast<size_t>(communicator.size()));
    std::iota(ranks.begin(), ranks.end(), 0);
    Result<std::unique_ptr<Group>> made = communicator.makeGroup(ranks);
    if (!made.isOk())
      require(made.takeStatus());
    group = std::move(*made);
  }

  void measureAll() {
    if (options.tensors > 0)
      return measureJoint();
    CollectiveSite site{"bench", ""};
    auto size = static_cast<size_t>(group->size());
    auto reduce = [&](abi::ElementType type, const std::byte *from) {
      size_t count = bytes / static_cast<size_t>(abi::bytesOf(type));
      return group->allReduce(site, from, out.data(), count, type, CombineKind::sum);
    };
    measure("all_reduce f32", [&] { return reduce(abi::ElementType::f32, in.data()); });
    measure("all_reduce f32 in place", [&] { return reduce(abi::ElementType::f32, out.data()); });
    measure("all_reduce bf16", [&] { return reduce(abi::ElementType::bf16, in.data()); });
    measure("all_gather",
            [&] { return group->allGather(site, in.data(), out.data(), bytes / size); });
    measure("reduce_scatter f32", [&] {
      return group->reduceScatter(site, in.data(), out.data(), bytes / 4 / size,
                                  abi::ElementType::f32, CombineKind::sum);
    });
    measure("all_to_all",
            [&] { return group->allToAll(site, in.data(), out.data(), bytes / size); });
  }

  /// Many tensors, by one collective and by one each.
  void measureJoint() {
    CollectiveSite site{"bench", ""};
    auto size = static_cast<size_t>(group->size());
    size_t tensorBytes = options.kibibytes << 10;
    std::vector<CollectiveBuffer> whole, blocks; // Sizes in elements, and in bytes of a block.
    for (size_t i = 0; i < options.tensors; ++i) {
      std::byte *from = in.data() + i * tensorBytes, *to = out.data() + i * tensorBytes;
      whole.push_back({from, to, tensorBytes / sizeof(float)});
      blocks.push_back({from, to, tensorBytes / size});
    }
    auto compare = [&](const char *name, std::vector<CollectiveBuffer> buffers, const auto &call) {
      std::vector<double> each, joint;
      for (int round = 0; round < options.rounds; ++round) {
        each.push_back(secondsOf([&] {
          for (const CollectiveBuffer &buffer : buffers)
            require(call(std::span(&buffer, 1)));
          return Status();
        }));
        joint.push_back(secondsOf([&] { return call(std::span(std::as_const(buffers))); }));
      }
      double single = medianOf(each), together = medianOf(joint);
      if (communicator.rank() == 0)
        std::printf("| %s | %s | %d | %zu | %zu | %.3f | %.3f | %.1f |\n", name, kind,
                    group->size(), options.tensors, options.kibibytes, single * 1e3, together * 1e3,
                    single / together);
      std::fflush(stdout);
    };
    using Buffers = std::span<const CollectiveBuffer>;
    constexpr auto type = abi::ElementType::f32;
    compare("all_reduce f32", whole, [&](Buffers buffers) {
      return group->allReduce(site, buffers, type, CombineKind::sum);
    });
    compare("all_gather", blocks, [&](Buffers buffers) { return group->allGather(site, buffers); });
    for (CollectiveBuffer &buffer : blocks)
      buffer.size /= sizeof(float);
    compare("reduce_scatter f32", blocks, [&](Buffers buffers) {
      return group->reduceScatter(site, buffers, type, CombineKind::sum);
    });
  }

private:
  double secondsOf(const std::function<Status()> &work) {
    int value = 0;
    // All begin at once, and the last one's end counts.
    auto meet = [&] {
      require(group->allReduce({"bench", ""}, &value, &value, 1, abi::ElementType::i32,
                               CombineKind::max));
    };
    meet();
    auto start = std::chrono::steady_clock::now();
    require(work());
    meet();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void measure(const char *name, const std::function<Status()> &work) {
    std::vector<double> ours, copies;
    secondsOf(work);
    for (int round = 0; round < options.rounds; ++round) {
      copies.push_back(secondsOf([&] {
        std::memcpy(out.data(), in.data(), bytes);
        return Status();
      }));
      ours.push_back(secondsOf(work));
    }
    double copy = medianOf(copies), time = medianOf(ours);
    if (communicator.rank() == 0)
      std::printf("| %s | %s | %d | %zu | %.2f | %.2f | %.2f |\n", name, kind, group->size(),
                  options.mebibytes, copy * 1e3, time * 1e3, copy / time);
    std::fflush(stdout);
  }

  Communicator &communicator;
  const char *kind;
  const Options &options;
  size_t bytes;
  Memory in, out;
  std::unique_ptr<Group> group;
};

void runThreads(const Options &options) {
  comm::ThreadWorld world(options.ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < options.ranks; ++rank)
    threads.emplace_back(
        [&, rank] { Measurement(world.communicator(rank), "threads", options).measureAll(); });
  for (std::thread &thread : threads)
    thread.join();
}

void runProcess(const Options &options) {
  Result<std::unique_ptr<comm::MpiProcess>> process = comm::MpiProcess::start();
  if (!process.isOk())
    require(process.takeStatus());
  Result<std::unique_ptr<Communicator>> communicator = (*process)->makeCommunicator();
  if (!communicator.isOk())
    require(communicator.takeStatus());
  Measurement(**communicator, "mpi", options).measureAll();
}

/// This program again, as processes.
int launchProcesses(const Options &options) {
  std::string command = "mpirun -n " + std::to_string(options.ranks) +
                        " --oversubscribe --allow-run-as-root --mca mpi_yield_when_idle 0 '" +
                        std::filesystem::read_symlink("/proc/self/exe").string() + "' --mib " +
                        std::to_string(options.mebibytes) + " --rounds " +
                        std::to_string(options.rounds) + " --tensors " +
                        std::to_string(options.tensors) + " --kib " +
                        std::to_string(options.kibibytes);
  return std::system(command.c_str()) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Measures collectives beside a copy of the buffer by every rank at once.");
  app.add_option("--ranks", options.ranks, "Threads, then processes")->check(CLI::Range(1, 64));
  app.add_option("--mib", options.mebibytes, "Size of the buffer")->check(CLI::Range(1, 4096));
  app.add_option("--rounds", options.rounds, "Runs of each; medians count")
      ->check(CLI::Range(1, 10000));
  app.add_option("--tensors", options.tensors, "Compare one collective of so many with one of each")
      ->check(CLI::Range(0, 100000));
  app.add_option("--kib", options.kibibytes, "Size of each of these")->check(CLI::Range(1, 65536));
  CLI11_PARSE(app, argc, argv);
  if (comm::MpiProcess::isLaunched()) {
    runProcess(options);
    return 0;
  }
  if (options.tensors > 0)
    std::printf("| collective | ranks are | ranks | tensors | KiB of each | one call each ms | one "
                "call ms | ratio |\n"
                "|---|---|---|---|---|---|---|---|\n");
  else
    std::printf("| collective | ranks are | ranks | MiB | copy ms | ms | speed of a copy |\n"
                "|---|---|---|---|---|---|---|\n");
  std::fflush(stdout);
  runThreads(options);
  return launchProcesses(options);
}

} // namespace
} // namespace sheaf::bench

int main(int argc, char **argv) { return sheaf::bench::main(argc, argv); }
