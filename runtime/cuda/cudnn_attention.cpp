// Computes attention and its gradients by plans of cuDNN, one for each problem.
#include "runtime/cuda/cudnn_attention.h"

#include "runtime/abi/planned_memory.h"

#include <map>

namespace sheaf::rt::cuda {
namespace {

/// What plans may ask for beyond their buffers. Gradients that are the same in each run ask for room for all weights:
/// where that is more, kernels of our own do with tiles.
constexpr int64_t maxWorkspaceBytes = int64_t(256) << 20;

size_t aligned(size_t bytes) {
  return static_cast<size_t>(abi::blockBytes(static_cast<int64_t>(bytes)));
}

/// Of an f32 for each query of each head.
size_t perQueryBytes(const AttentionProblem &problem) {
  return aligned(static_cast<size_t>(problem.batch * problem.heads * problem.queries) *
                 sizeof(float));
}

/// The result. Scratch: the workspace, then logarithms that nobody reads: without them the library has no plan.
class Forward final : public LibraryAttention {
public:
  Forward(cudnnHandle_t handle, CudnnGraph graph, const AttentionProblem &problem)
      : handle(handle), graph(std::move(graph)), logarithmBytes(perQueryBytes(problem)) {}

  Status run(void *const *buffers, std::byte *scratch) const override {
    void *memory[] = {buffers[0], buffers[1], buffers[2], buffers[3], scratch + workspaceBytes()};
    return graph.run(handle, memory, scratch);
  }
  size_t scratchBytes() const override { return workspaceBytes() + logarithmBytes; }

private:
  size_t workspaceBytes() const { return aligned(graph.workspaceBytes()); }

  cudnnHandle_t handle;
  CudnnGraph graph;
  size_t logarithmBytes;
};

/// The gradients, from the result and logarithms, which are computed again. Scratch: a workspace for one after the
/// other, the logarithms, sums as many, the result.
class Gradients final : public LibraryAttention {
public:
  Gradients(cudnnHandle_t handle, CudnnGraph forward, CudnnGraph backward,
            const AttentionProblem &problem)
      : handle(handle), forward(std::move(forward)), backward(std::move(backward)),
        rowBytes(perQueryBytes(problem)),
        resultBytes(aligned(static_cast<size_t>(problem.batch * problem.heads * problem.queries *
                                                problem.valueDepth * abi::bytesOf(problem.type)))) {
  }

  Status run(void *const *buffers, std::byte *scratch) const override {
    std::byte *logarithms = scratch + workspaceBytes(), *sums = logarithms + rowBytes,
              *result = sums + rowBytes;
    void *first[] = {buffers[0], buffers[1], buffers[2], result, logarithms};
    if (Status status = forward.run(handle, first, scratch); !status.isOk())
      return status;
    void *second[] = {buffers[0], buffers[1], buffers[2], result,     buffers[3],
                      logarithms, sums,       buffers[4], buffers[5], buffers[6]};
    return backward.run(handle, second, scratch);
  }
  size_t scratchBytes() const override { return workspaceBytes() + 2 * rowBytes + resultBytes; }

private:
  size_t workspaceBytes() const {
    return aligned(std::max(forward.workspaceBytes(), backward.workspaceBytes()));
  }

  cudnnHandle_t handle;
  CudnnGraph forward, backward;
  size_t rowBytes, resultBytes;
};

class CudnnAttentions final : public LibraryAttentions {
public:
  explicit CudnnAttentions(CudnnHandle handle) : handle(std::move(handle)) {}

  Result<std::shared_ptr<const LibraryAttention>> bind(const AttentionProblem &problem) override {
    if (auto found = known.find(problem); found != known.end())
      return found->second;
    Result<std::shared_ptr<const LibraryAttention>> made = make(problem);
    if (made.isOk())
      known.emplace(problem, *made);
    return made;
  }

private:
  Result<std::shared_ptr<const LibraryAttention>> make(const AttentionProblem &problem) {
    size_t version = cudnn().cudnnGetVersion();
    std::shared_ptr<const LibraryAttention> none;
    if (!isTakenByCudnn(problem, version))
      return none;
    CudnnGraph forward;
    describeAttention(forward, problem, version);
    Result<bool> isPlanned = forward.plan({handle.get(), nullptr}, maxWorkspaceBytes);
    if (!isPlanned.isOk())
      return isPlanned.takeStatus();
    if (!*isPlanned)
      return none;
    if (!problem.gradients)
      return std::shared_ptr<const LibraryAttention>(
          std::make_shared<Forward>(handle.get(), std::move(forward), problem));
    CudnnGraph backward;
    describeAttentionGradient(backward, problem, version);
    isPlanned = backward.plan({handle.get(), nullptr}, maxWorkspaceBytes);
    if (!isPlanned.isOk())
      return isPlanned.takeStatus();
    if (!*isPlanned)
      return none;
    return std::shared_ptr<const LibraryAttention>(std::make_shared<Gradients>(
        handle.get(), std::move(forward), std::move(backward), problem));
  }

  CudnnHandle handle;
  std::map<AttentionProblem, std::shared_ptr<const LibraryAttention>> known;
};

} // namespace

Result<std::unique_ptr<LibraryAttentions>> LibraryAttentions::create(cudaStream_t queue) {
  Result<CudnnHandle> handle = CudnnHandle::open(queue);
  if (!handle.isOk())
    return handle.takeStatus();
  return std::unique_ptr<LibraryAttentions>(std::make_unique<CudnnAttentions>(std::move(*handle)));
}

} // namespace sheaf::rt::cuda
