// Runs one call on all ranks of a mesh, each a thread with a device of its own.
#ifndef SHEAF_TEST_RUNTIME_HOST_RANK_RUNNER_H
#define SHEAF_TEST_RUNTIME_HOST_RANK_RUNNER_H

#include "runtime/comm/thread_communicator.h"
#include "test/runtime/host/call_runner.h"

#include <functional>
#include <thread>

namespace sheaf::rt::test {

using Dims = std::vector<int64_t>;

/// A mesh, and a list of parts of its axes.
struct AxesCase {
  std::vector<TestAxis> mesh;
  std::vector<AxisPart> parts;
  std::vector<uint32_t> devices = {};

  int numRanks() const {
    int64_t count = 1;
    for (const TestAxis &axis : mesh)
      count *= axis.size;
    return static_cast<int>(count);
  }
  int64_t groupSize() const {
    int64_t count = 1;
    for (const AxisPart &part : parts)
      count *= part.size;
    return count;
  }
  Param axes() const {
    std::vector<int64_t> numbers;
    for (const AxisPart &part : parts)
      numbers.insert(numbers.end(), {part.axis, part.preSize, part.size});
    return ints("axes", numbers);
  }
  /// The ranks that differ from `rank` in the parts only.
  std::vector<int> group(int rank) const {
    TestExecutable file;
    file.mesh = mesh;
    file.devices = devices;
    AlignedBytes bytes = file.build();
    return Mesh::read(*abi::GetExecutable(bytes.bytes().data()))->groupOf(rank, parts);
  }
  std::string str() const {
    std::string text;
    for (const TestAxis &axis : mesh)
      text += axis.name + "=" + std::to_string(axis.size) + " ";
    for (const AxisPart &part : parts)
      text += mesh[static_cast<size_t>(part.axis)].name + ":(" + std::to_string(part.preSize) +
              ")" + std::to_string(part.size) + " ";
    return text;
  }
};

/// What came of a call on one rank.
struct RankResult {
  std::string error;
  Tensor out;
  Ledger ledger;
};

/// Runs `name` with ins[rank], then `common`, on every rank.
inline std::vector<RankResult> runOnRanks(const AxesCase &where, const std::string &name,
                                          const std::vector<Tensor> &ins, const Tensor &out,
                                          const std::vector<Param> &params, bool isInPlace = false,
                                          const std::vector<Tensor> &common = {}) {
  comm::ThreadWorld world(where.numRanks());
  std::vector<RankResult> results(static_cast<size_t>(where.numRanks()));
  auto runRank = [&](int rank) {
    auto index = static_cast<size_t>(rank);
    RankResult &result = results[index];
    std::vector<Tensor> outs = {isInPlace ? ins[index] : out};
    std::vector<Tensor> rankIns = {};
    if (index < ins.size())
      rankIns.push_back(ins[index]);
    rankIns.insert(rankIns.end(), common.begin(), common.end());
    RankSetup setup{where.mesh, where.devices, &world.communicator(rank), &result.ledger,
                    isInPlace};
    Status status = runCall(name, rankIns, outs, params, /*threads=*/1, setup);
    if (!status.isOk())
      world.communicator(rank).abort(status);
    result.error = status.text();
    result.out = std::move(outs[0]);
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < where.numRanks(); ++rank)
    threads.emplace_back(runRank, rank);
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

/// Calls `visit(index, flat)` for all row-major indices of `dims`.
inline void forEachIndex(const Dims &dims, const std::function<void(Dims &, size_t)> &visit) {
  Dims index(dims.size(), 0);
  for (int64_t flat = 0, count = product(dims); flat < count; ++flat) {
    int64_t rest = flat;
    for (size_t dim = dims.size(); dim-- > 0; rest /= dims[dim])
      index[dim] = rest % dims[dim];
    visit(index, static_cast<size_t>(flat));
  }
}

inline size_t flatIndex(const Dims &dims, const Dims &index) {
  int64_t flat = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    flat = flat * dims[dim] + index[dim];
  return static_cast<size_t>(flat);
}

/// Who has an index of a dim that is cut, and at which place of its block.
struct Owner {
  int64_t member = 0;
  int64_t place = 0;
};

/// Of index `i` of a dim of `extent` that is cut along `parts`, one after another.
inline Owner ownerOf(int64_t i, int64_t extent, const std::vector<AxisPart> &parts) {
  Owner owner{0, i};
  int64_t room = extent;
  for (const AxisPart &part : parts) {
    int64_t block = (room + part.size - 1) / part.size;
    owner = {owner.member * part.size + owner.place / block, owner.place % block};
    room = block;
  }
  return owner;
}

/// The room that each part has.
inline int64_t blockOf(int64_t extent, const std::vector<AxisPart> &parts) {
  for (const AxisPart &part : parts)
    extent = (extent + part.size - 1) / part.size;
  return extent;
}

inline Dims with(Dims dims, size_t dim, int64_t extent) {
  dims[dim] = extent;
  return dims;
}

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_HOST_RANK_RUNNER_H
