// Notes how far a stream has come with its collectives, for messages about ranks that wait.
#ifndef SHEAF_RUNTIME_CUDA_COLLECTIVE_TRAIL_H
#define SHEAF_RUNTIME_CUDA_COLLECTIVE_TRAIL_H

#include "runtime/core/communicator.h"
#include "runtime/core/memory.h"
#include "runtime/cuda/cudart.h"

#include <map>
#include <string>
#include <vector>

namespace sheaf::rt::cuda {

class CudaDevice;

/// The collectives of one stream. Before each the GPU writes its number to a word of pinned memory, which the host may
/// read while the stream waits: it works in graphs too, whose events nobody can ask for.
class CollectiveTrail {
public:
  /// Of `stream`; `device` must outlive the result.
  static Result<CollectiveTrail> create(CudaDevice &device, cudaStream_t stream);

  /// Puts the note into the stream.
  Status enter(const CollectiveSite &site);
  /// "all_reduce of node "x"": the collective that the stream came to last; "" before the first of a run.
  std::string position() const;
  /// The run is over.
  void leave();

  cudaStream_t stream() const { return queue; }

private:
  explicit CollectiveTrail(cudaStream_t stream) : queue(stream) {}

  /// Collectives of a stream that are told apart.
  static constexpr uint32_t maxSites = 4096;

  cudaStream_t queue;
  Memory numbers; ///< of the device: 0, 1, 2, ...
  Memory word;    ///< pinned: where the stream is
  std::vector<std::string> texts = {""};
  std::map<std::string, uint32_t> numberOf; ///< of a text
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_COLLECTIVE_TRAIL_H
