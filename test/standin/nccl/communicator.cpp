// How ranks find each other, split, and count what they do.
#include "test/standin/nccl/communicator.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>
#include <unistd.h>

#include "test/standin/device/engine.h"

namespace sheaf::standin::nccl {

Communicator::Communicator(std::string name, std::string folder, int rank, int size, int device,
                           bool isBlocking)
    : id(std::move(name)), folder(std::move(folder)), myRank(rank), numRanks(size),
      myDevice(device), blocks(isBlocking) {
  greet();
}

Communicator::Communicator(std::shared_ptr<Communicator> from, int color, int key, bool isBlocking)
    : folder(from->folder), myDevice(from->myDevice), blocks(isBlocking), parent(std::move(from)),
      splitName(parent->nextSplit()), splitColor(color) {
  parent->mailbox().post(splitName, parent->rank(),
                         {std::to_string(color) + " " + std::to_string(key), {}});
}

Communicator::~Communicator() {
  // The folder goes with the last letter in it, and with a communicator that never came to be.
  std::error_code ignored;
  if (state == ncclInProgress && !parent)
    std::filesystem::remove_all(folder, ignored);
  else
    std::filesystem::remove(folder, ignored);
}

/// Tells the others, wherever they are: in memory and in a file.
void Communicator::greet() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const Letter greeting{std::to_string(getpid()) + " " + host + " " + std::to_string(myDevice), {}};
  openFileMailbox(folder)->post(id + "-hello", myRank, greeting);
}

/// Whether all have greeted. Then it is known whether memory or files connect them.
ncclResult_t Communicator::meet() {
  std::unique_ptr<Mailbox> files = openFileMailbox(folder);
  std::set<std::string> processes, devices;
  for (int rank = 0; rank < numRanks; ++rank) {
    std::shared_ptr<const Letter> greeting = files->find(id + "-hello", rank);
    if (!greeting)
      return ncclInProgress;
    processes.insert(greeting->text.substr(0, greeting->text.find(' ')));
    devices.insert(greeting->text.substr(greeting->text.find(' ')));
  }
  files->leave(id + "-hello", myRank, numRanks);
  if (processes.size() == 1)
    letters = {&processMailbox(), [](Mailbox *) {}};
  else
    letters = std::move(files);
  if (devices.size() != static_cast<size_t>(numRanks)) {
    std::fprintf(stderr, "standin: nccl: two ranks of a communicator use the same device\n");
    return ncclInvalidUsage;
  }
  return ncclSuccess;
}

ncclResult_t Communicator::resolveSplit() {
  struct Member {
    int key, rank;
    bool operator<(const Member &other) const {
      return std::pair(key, rank) < std::pair(other.key, other.rank);
    }
  };
  std::vector<Member> members;
  for (int rank = 0; rank < parent->size(); ++rank) {
    std::shared_ptr<const Letter> letter = parent->mailbox().find(splitName, rank);
    if (!letter)
      return ncclInProgress;
    std::istringstream text(letter->text);
    int color = 0, key = 0;
    text >> color >> key;
    if (color == splitColor)
      members.push_back({key, rank});
  }
  std::ranges::sort(members, std::less<>());
  id = splitName + "c" + std::to_string(splitColor);
  numRanks = static_cast<int>(members.size());
  for (int i = 0; i < numRanks; ++i)
    if (members[static_cast<size_t>(i)].rank == parent->rank())
      myRank = i;
  letters = parent->letters;
  letters->leave(splitName, parent->rank(), parent->size());
  parent = nullptr;
  return ncclSuccess;
}

ncclResult_t Communicator::advance() {
  std::lock_guard lock(mutex);
  if (state == ncclInProgress)
    state = parent ? resolveSplit() : meet();
  return state;
}

ncclResult_t Communicator::waitUntilReady() {
  while (advance() == ncclInProgress && !aborted)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  return advance();
}

std::string Communicator::nextCollective() {
  std::lock_guard lock(mutex);
  return id + "#" + std::to_string(++counts["collective"]);
}

std::string Communicator::nextMessage(int from, int to) {
  const std::string way = std::to_string(from) + "to" + std::to_string(to);
  std::lock_guard lock(mutex);
  return id + "#" + way + "#" + std::to_string(++counts[way]);
}

std::string Communicator::nextSplit() {
  std::lock_guard lock(mutex);
  return id + "s" + std::to_string(++counts["split"]);
}

void *Communicator::registerMemory(void *memory, uint64_t bytes) {
  AddressSpace &addresses = Engine::get().addresses();
  auto begin = reinterpret_cast<uint64_t>(memory);
  std::shared_ptr<Allocation> allocation = addresses.find(begin);
  std::lock_guard lock(mutex);
  if (!allocation || allocation->isFreed || allocation->device != myDevice || bytes == 0 ||
      begin + bytes > allocation->end() || !registered.insert(allocation).second)
    return nullptr;
  addresses.addRegistration(*allocation);
  return allocation.get();
}

void Communicator::deregisterAll() {
  std::lock_guard lock(mutex);
  for (const std::shared_ptr<Allocation> &allocation : registered)
    Engine::get().addresses().removeRegistration(*allocation);
  registered.clear();
}

bool Communicator::deregisterMemory(void *handle) {
  std::lock_guard lock(mutex);
  for (const std::shared_ptr<Allocation> &allocation : registered)
    if (allocation.get() == handle) {
      Engine::get().addresses().removeRegistration(*allocation);
      registered.erase(allocation);
      return true;
    }
  return false;
}

void Communicator::fail(ncclResult_t result) {
  std::lock_guard lock(mutex);
  state = result;
}

} // namespace sheaf::standin::nccl
