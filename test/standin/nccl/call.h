// A collective or a message as one rank asks for it, and how it is done with what all ranks ask for.
#ifndef SHEAF_TEST_STANDIN_NCCL_CALL_H
#define SHEAF_TEST_STANDIN_NCCL_CALL_H

#include "test/standin/device/operation.h"
#include "test/standin/nccl/communicator.h"

namespace sheaf::standin::nccl {

enum class Kind : uint8_t { AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, Send, Receive };

struct Call {
  Kind kind = Kind::AllReduce;
  const void *send = nullptr;
  void *receive = nullptr;
  uint64_t count = 0; ///< as the function takes it
  ncclDataType_t type = ncclFloat32;
  ncclRedOp_t reduction = ncclSum;
  int root = 0; ///< of a message: the peer
  std::shared_ptr<Communicator> communicator;
  bool isCaptured = false; ///< into a graph

  /// `all_reduce of 12 f32, sum`: what must be the same on all ranks; of messages without the direction.
  std::string signature() const;
  std::string title() const;
  uint64_t sendBytes() const;
  uint64_t receiveBytes() const;
};

/// A call under way.
class Exchange {
public:
  explicit Exchange(Call call) : call(std::move(call)) {}

  /// Leaves what this rank sends.
  void post(Execution &execution);
  /// Whether all that it needs is there, or it has been given up.
  bool isReady();
  /// The name of what `participant` brings by its post.
  std::string arrivalOf(int participant) const;
  std::string arrival() const { return arrivalOf(myself()); }
  /// Of those who are not there yet.
  std::vector<std::string> missingArrivals();
  /// Takes what the others sent. Throws OperationError where they do something else.
  void finish(Execution &execution);

private:
  int numParticipants() const;
  int myself() const;
  void compare() const;

  Call call;
  std::string name; ///< of its letters; set by post
  /// By participant, as far as they are there. Of a message 0 is the sender and 1 the receiver.
  std::vector<std::shared_ptr<const Letter>> letters;
};

/// Enqueues the calls as one operation of the stream.
ncclResult_t enqueue(std::vector<Call> calls, cudaStream_t stream);

} // namespace sheaf::standin::nccl

#endif
