// A rank's communicator: who takes part, and how far it has come.
#ifndef SHEAF_TEST_STANDIN_NCCL_COMMUNICATOR_H
#define SHEAF_TEST_STANDIN_NCCL_COMMUNICATOR_H

#include <atomic>
#include <map>
#include <mutex>
#include <nccl.h>
#include <optional>
#include <set>

#include "test/standin/device/address_space.h"
#include "test/standin/nccl/mailbox.h"

namespace sheaf::standin::nccl {

class Communicator {
public:
  /// `name` is the same on all ranks. Ranks of this process find each other in memory, those of others in
  /// files below `folder`.
  Communicator(std::string name, std::string folder, int rank, int size, int device,
               bool isBlocking);

  /// Made by a split of `parent`, which says where the rank goes once all of them have called.
  Communicator(std::shared_ptr<Communicator> parent, int color, int key, bool isBlocking);

  ~Communicator();

  /// Comes as far as it can without waiting: inProgress, success, or what is wrong.
  ncclResult_t advance();
  /// advance() until it is no longer in progress.
  ncclResult_t waitUntilReady();

  // Once it is ready:
  const std::string &name() const { return id; }
  int rank() const { return myRank; }
  int size() const { return numRanks; }
  int device() const { return myDevice; }
  bool isBlocking() const { return blocks; }
  Mailbox &mailbox() { return *letters; }
  /// The name of the next collective, or of the next message from one rank to another.
  std::string nextCollective();
  std::string nextMessage(int from, int to);

  /// Notes that this rank's [memory, memory + bytes) may be reached directly; null: it is not within one allocation of
  /// the device.
  void *registerMemory(void *memory, uint64_t bytes);
  /// False: there is no such handle.
  bool deregisterMemory(void *handle);

  /// It is destroyed or aborted, though what lies in streams may still know it.
  void deregisterAll();

  void abort() { aborted = true; }
  bool isAborted() const { return aborted; }
  void fail(ncclResult_t result);

  /// A call that returned inProgress: the next may come only after ncclCommGetAsyncError has said success.
  std::atomic<int> pendingPolls = 0;

private:
  void greet();
  ncclResult_t meet();
  ncclResult_t resolveSplit();
  std::string nextSplit();

  std::string id, folder;
  int myRank = 0, numRanks = 0, myDevice = 0;
  bool blocks = true;
  std::atomic<bool> aborted = false;

  std::mutex mutex;
  ncclResult_t state = ncclInProgress;
  std::shared_ptr<Communicator> parent; ///< while the split goes on
  std::string splitName;
  int splitColor = 0;
  std::shared_ptr<Mailbox> letters;
  std::map<std::string, uint64_t> counts; ///< of names
  std::set<std::shared_ptr<Allocation>> registered;
};

/// The communicator of a handle.
inline std::shared_ptr<Communicator> &toCommunicator(ncclComm_t handle) {
  return *reinterpret_cast<std::shared_ptr<Communicator> *>(handle);
}

} // namespace sheaf::standin::nccl

#endif
