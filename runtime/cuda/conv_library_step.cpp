// Convolves by cuDNN, with zeros around the input where the two sides of a dim have different ones.
#include "runtime/cuda/conv_problem.h"
#include "runtime/cuda/conv_step.h"
#include "runtime/cuda/strided_copy.h"

namespace sheaf::rt::cuda {
namespace {

/// Which of an instruction's buffers, ins, then the out, is which tensor.
struct Roles {
  size_t input, filter, output;
};

Roles rolesOf(ConvWanted wanted) {
  switch (wanted) {
  case ConvWanted::output:
    return {0, 1, 2};
  case ConvWanted::input:
    return {2, 1, 0};
  case ConvWanted::filter:
    break;
  }
  return {0, 2, 1};
}

/// The input of a convolution in a block with zeros around it.
class PaddedInput {
public:
  static Result<PaddedInput> make(CudaCallSite &site, const PaddedProblem &padded) {
    bool isWanted = padded.problem.wanted == ConvWanted::input;
    Result<StridedCopy> copy = isWanted ? makeStridedCopy(site, padded.inside, padded.given)
                                        : makeStridedCopy(site, padded.given, padded.inside);
    if (!copy.isOk())
      return copy.takeStatus();
    return PaddedInput(padded, std::move(*copy), site.queue);
  }

  size_t bytes() const { return numBytes; }

  /// Puts `input` into `block`.
  Status fill(const void *input, std::byte *block) const {
    cudaError_t error = cudart().cudaMemsetAsync(block, 0, numBytes, queue);
    if (Status status = statusOf(error, "cudaMemsetAsync"); !status.isOk())
      return status;
    return copy(input, block + offset);
  }

  /// Puts what `block` has inside the zeros into `input`.
  Status extract(const std::byte *block, void *input) const { return copy(block + offset, input); }

private:
  PaddedInput(const PaddedProblem &padded, StridedCopy copy, cudaStream_t queue)
      : copy(std::move(copy)), queue(queue), offset(padded.insideOffset),
        numBytes(static_cast<size_t>(padded.whole->elements() * padded.whole->elementBytes())) {}

  StridedCopy copy;
  cudaStream_t queue;
  int64_t offset;
  size_t numBytes;
};

class LibraryConvStep final : public Step {
public:
  LibraryConvStep(std::unique_ptr<LibraryConvolution> convolution, ConvWanted wanted,
                  std::optional<PaddedInput> padded)
      : convolution(std::move(convolution)), roles(rolesOf(wanted)),
        isInputWanted(wanted == ConvWanted::input), padded(std::move(padded)) {}

  Status run(void *const *buffers, std::byte *scratch) override {
    ConvOperands operands{buffers[roles.input], buffers[roles.filter], buffers[roles.output]};
    if (!padded)
      return convolution->run(operands, scratch);
    std::byte *block = scratch + blockOffset();
    operands.input = block;
    if (!isInputWanted)
      if (Status status = padded->fill(buffers[roles.input], block); !status.isOk())
        return status;
    if (Status status = convolution->run(operands, scratch); !status.isOk())
      return status;
    return isInputWanted ? padded->extract(block, buffers[roles.input]) : Status();
  }

  size_t scratchBytes() const override {
    return padded ? blockOffset() + padded->bytes() : convolution->workspaceBytes();
  }

private:
  /// Behind what the library takes, aligned as a block of its own would be.
  size_t blockOffset() const {
    return static_cast<size_t>(
        abi::blockBytes(static_cast<int64_t>(convolution->workspaceBytes())));
  }

  std::unique_ptr<LibraryConvolution> convolution;
  Roles roles;
  bool isInputWanted;
  std::optional<PaddedInput> padded;
};

} // namespace

BoundStep bindLibraryConv(CudaCallSite &site, const ConvPlan &plan, ConvWanted wanted) {
  std::optional<PaddedProblem> problem = paddedProblem(plan, wanted);
  LibraryConvolutions *library = problem ? site.device.convolutions(site.queue) : nullptr;
  if (!library)
    return std::unique_ptr<Step>();
  Result<std::unique_ptr<LibraryConvolution>> convolution = library->bind(problem->problem);
  if (!convolution.isOk())
    return convolution.takeStatus();
  if (!*convolution)
    return std::unique_ptr<Step>();
  std::optional<PaddedInput> padded;
  if (problem->whole) {
    Result<PaddedInput> made = PaddedInput::make(site, *problem);
    if (!made.isOk())
      return made.takeStatus();
    padded = std::move(*made);
  }
  return std::unique_ptr<Step>(
      std::make_unique<LibraryConvStep>(std::move(*convolution), wanted, std::move(padded)));
}

} // namespace sheaf::rt::cuda
