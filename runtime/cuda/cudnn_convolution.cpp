// Describes convolutions to cuDNN and remembers how it computes them.
#include "runtime/cuda/library_convolution.h"

#include "runtime/cuda/cudnn.h"

#include <array>
#include <map>
#include <optional>

namespace sheaf::rt::cuda {
namespace {

/// What steps may ask for beyond their buffers.
constexpr size_t maxWorkspaceBytes = size_t(256) << 20;

/// Ways to compute one form that the library lists at most.
constexpr int maxWays = 16;

cudnnDataType_t typeOf(abi::ElementType type) {
  switch (type) {
  case abi::ElementType::f16:
    return CUDNN_DATA_HALF;
  case abi::ElementType::bf16:
    return CUDNN_DATA_BFLOAT16;
  case abi::ElementType::f64:
    return CUDNN_DATA_DOUBLE;
  default:
    return CUDNN_DATA_FLOAT;
  }
}

/// Which units may multiply. By default f32 would be rounded to TF32.
cudnnMathType_t mathOf(const ConvProblem &problem) {
  if (abi::bytesOf(problem.type) == 2)
    return CUDNN_TENSOR_OP_MATH;
  bool isExact = problem.type == abi::ElementType::f32 && !problem.allowsTf32;
  return isExact ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH;
}

/// How to compute a problem.
struct Choice {
  int algorithm = 0;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  size_t workspace = 0;
};

template <typename T> using Owned = std::unique_ptr<T, cudnnStatus_t (*)(T *)>;

template <typename T>
Owned<T> makeOwned(cudnnStatus_t (*create)(T **), cudnnStatus_t (*destroy)(T *)) {
  T *made = nullptr;
  return Owned<T>(create(&made) == CUDNN_STATUS_SUCCESS ? made : nullptr, destroy);
}

/// A problem, as the library knows it.
struct Description {
  cudnnHandle_t handle;
  Owned<cudnnTensorStruct> input, output;
  Owned<cudnnFilterStruct> filter;
  Owned<cudnnConvolutionStruct> windows;

  explicit Description(cudnnHandle_t handle)
      : handle(handle),
        input(makeOwned(cudnn().cudnnCreateTensorDescriptor, cudnn().cudnnDestroyTensorDescriptor)),
        output(
            makeOwned(cudnn().cudnnCreateTensorDescriptor, cudnn().cudnnDestroyTensorDescriptor)),
        filter(
            makeOwned(cudnn().cudnnCreateFilterDescriptor, cudnn().cudnnDestroyFilterDescriptor)),
        windows(makeOwned(cudnn().cudnnCreateConvolutionDescriptor,
                          cudnn().cudnnDestroyConvolutionDescriptor)) {}

  Status fill(const ConvProblem &problem);
  Status setMath(cudnnMathType_t math) {
    return statusOf(cudnn().cudnnSetConvolutionMathType(windows.get(), math),
                    "cudnnSetConvolutionMathType");
  }
};

Status setTensor(cudnnTensorStruct *tensor, cudnnDataType_t type, const std::vector<int> &dims) {
  std::vector<int> strides(dims.size(), 1);
  for (size_t dim = dims.size() - 1; dim-- > 0;)
    strides[dim] = strides[dim + 1] * dims[dim + 1];
  return statusOf(cudnn().cudnnSetTensorNdDescriptor(tensor, type, static_cast<int>(dims.size()),
                                                     dims.data(), strides.data()),
                  "cudnnSetTensorNdDescriptor");
}

Status Description::fill(const ConvProblem &problem) {
  if (!input || !output || !filter || !windows)
    return Status::failed("cuDNN has no memory for descriptors");
  cudnnDataType_t type = typeOf(problem.type);
  if (Status status = setTensor(input.get(), type, problem.input); !status.isOk())
    return status;
  if (Status status = setTensor(output.get(), type, problem.output); !status.isOk())
    return status;
  cudnnStatus_t error = cudnn().cudnnSetFilterNdDescriptor(filter.get(), type, CUDNN_TENSOR_NCHW,
                                                           static_cast<int>(problem.filter.size()),
                                                           problem.filter.data());
  if (Status status = statusOf(error, "cudnnSetFilterNdDescriptor"); !status.isOk())
    return status;
  bool isDouble = type == CUDNN_DATA_DOUBLE;
  error = cudnn().cudnnSetConvolutionNdDescriptor(
      windows.get(), static_cast<int>(problem.padding.size()), problem.padding.data(),
      problem.strides.data(), problem.dilations.data(), CUDNN_CROSS_CORRELATION,
      isDouble ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
  if (Status status = statusOf(error, "cudnnSetConvolutionNdDescriptor"); !status.isOk())
    return status;
  error = cudnn().cudnnSetConvolutionGroupCount(windows.get(), problem.groups);
  if (Status status = statusOf(error, "cudnnSetConvolutionGroupCount"); !status.isOk())
    return status;
  return setMath(mathOf(problem));
}

//===--- The three forms: what lists ways, asks for memory, and runs -----------===//

struct OutputForm {
  using Way = cudnnConvolutionFwdAlgoPerf_t;
  using Algorithm = cudnnConvolutionFwdAlgo_t;

  static cudnnStatus_t list(const Description &d, int *count, Way *ways) {
    return cudnn().cudnnGetConvolutionForwardAlgorithm_v7(d.handle, d.input.get(), d.filter.get(),
                                                          d.windows.get(), d.output.get(), maxWays,
                                                          count, ways);
  }
  static cudnnStatus_t measure(const Description &d, Algorithm algorithm, size_t *bytes) {
    return cudnn().cudnnGetConvolutionForwardWorkspaceSize(
        d.handle, d.input.get(), d.filter.get(), d.windows.get(), d.output.get(), algorithm, bytes);
  }
  static cudnnStatus_t run(const Description &d, const Choice &choice, const ConvOperands &o,
                           const void *one, const void *zero, void *workspace) {
    return cudnn().cudnnConvolutionForward(d.handle, one, d.input.get(), o.input, d.filter.get(),
                                           o.filter, d.windows.get(),
                                           static_cast<Algorithm>(choice.algorithm), workspace,
                                           choice.workspace, zero, d.output.get(), o.output);
  }
};

struct InputForm {
  using Way = cudnnConvolutionBwdDataAlgoPerf_t;
  using Algorithm = cudnnConvolutionBwdDataAlgo_t;

  static cudnnStatus_t list(const Description &d, int *count, Way *ways) {
    return cudnn().cudnnGetConvolutionBackwardDataAlgorithm_v7(d.handle, d.filter.get(),
                                                               d.output.get(), d.windows.get(),
                                                               d.input.get(), maxWays, count, ways);
  }
  static cudnnStatus_t measure(const Description &d, Algorithm algorithm, size_t *bytes) {
    return cudnn().cudnnGetConvolutionBackwardDataWorkspaceSize(
        d.handle, d.filter.get(), d.output.get(), d.windows.get(), d.input.get(), algorithm, bytes);
  }
  static cudnnStatus_t run(const Description &d, const Choice &choice, const ConvOperands &o,
                           const void *one, const void *zero, void *workspace) {
    return cudnn().cudnnConvolutionBackwardData(d.handle, one, d.filter.get(), o.filter,
                                                d.output.get(), o.output, d.windows.get(),
                                                static_cast<Algorithm>(choice.algorithm), workspace,
                                                choice.workspace, zero, d.input.get(), o.input);
  }
};

struct FilterForm {
  using Way = cudnnConvolutionBwdFilterAlgoPerf_t;
  using Algorithm = cudnnConvolutionBwdFilterAlgo_t;

  static cudnnStatus_t list(const Description &d, int *count, Way *ways) {
    return cudnn().cudnnGetConvolutionBackwardFilterAlgorithm_v7(
        d.handle, d.input.get(), d.output.get(), d.windows.get(), d.filter.get(), maxWays, count,
        ways);
  }
  static cudnnStatus_t measure(const Description &d, Algorithm algorithm, size_t *bytes) {
    return cudnn().cudnnGetConvolutionBackwardFilterWorkspaceSize(
        d.handle, d.input.get(), d.output.get(), d.windows.get(), d.filter.get(), algorithm, bytes);
  }
  static cudnnStatus_t run(const Description &d, const Choice &choice, const ConvOperands &o,
                           const void *one, const void *zero, void *workspace) {
    return cudnn().cudnnConvolutionBackwardFilter(
        d.handle, one, d.input.get(), o.input, d.output.get(), o.output, d.windows.get(),
        static_cast<Algorithm>(choice.algorithm), workspace, choice.workspace, zero, d.filter.get(),
        o.filter);
  }
};

//===--- Choosing, and running -------------------------------------------------===//

/// Whether a way gives the same bits in each run, on the units that it may use.
template <typename Way> bool isAllowed(const Way &way, cudnnMathType_t allowed) {
  bool isExact = allowed != CUDNN_FMA_MATH || way.mathType == CUDNN_FMA_MATH ||
                 way.mathType == CUDNN_DEFAULT_MATH;
  return way.status == CUDNN_STATUS_SUCCESS && way.determinism == CUDNN_DETERMINISTIC && isExact;
}

/// The way that the library expects to be the fastest of those that are allowed; none when there is none.
template <typename Form>
Result<std::optional<Choice>> choose(Description &description, cudnnMathType_t allowed) {
  std::array<typename Form::Way, maxWays> ways{};
  int count = 0;
  cudnnStatus_t error = Form::list(description, &count, ways.data());
  bool isRefused = CUDNN_STATUS_CATEGORY(error) == CUDNN_STATUS_NOT_SUPPORTED ||
                   CUDNN_STATUS_CATEGORY(error) == CUDNN_STATUS_BAD_PARAM;
  if (isRefused) // No way is an answer, not a failure.
    return std::optional<Choice>();
  if (Status status = statusOf(error, "cudnnGetConvolution...Algorithm_v7"); !status.isOk())
    return status;
  for (int i = 0; i < count; ++i) {
    const typename Form::Way &way = ways[static_cast<size_t>(i)];
    if (!isAllowed(way, allowed))
      continue;
    // What the default allows includes TF32, so exact sums keep to what was set.
    Choice choice{way.algo, allowed == CUDNN_FMA_MATH ? allowed : way.mathType, 0};
    if (Status status = description.setMath(choice.math); !status.isOk())
      return status;
    if (Form::measure(description, way.algo, &choice.workspace) == CUDNN_STATUS_SUCCESS &&
        choice.workspace <= maxWorkspaceBytes)
      return std::optional(choice);
  }
  return std::optional<Choice>();
}

template <typename Form> class Convolution final : public LibraryConvolution {
public:
  Convolution(Description description, const Choice &choice, bool isDouble)
      : description(std::move(description)), choice(choice), isDouble(isDouble) {}

  Status run(const ConvOperands &operands, void *workspace) override {
    constexpr float one = 1, zero = 0;
    constexpr double wideOne = 1, wideZero = 0;
    cudnnStatus_t error =
        isDouble ? Form::run(description, choice, operands, &wideOne, &wideZero, workspace)
                 : Form::run(description, choice, operands, &one, &zero, workspace);
    return statusOf(error, "cudnnConvolution");
  }

  size_t workspaceBytes() const override { return choice.workspace; }

private:
  Description description;
  Choice choice;
  bool isDouble;
};

class CudnnConvolutions final : public LibraryConvolutions {
public:
  explicit CudnnConvolutions(CudnnHandle handle) : handle(std::move(handle)) {}

  Result<std::unique_ptr<LibraryConvolution>> bind(const ConvProblem &problem) override {
    switch (problem.wanted) {
    case ConvWanted::output:
      return bindForm<OutputForm>(problem);
    case ConvWanted::input:
      return bindForm<InputForm>(problem);
    case ConvWanted::filter:
      break;
    }
    return bindForm<FilterForm>(problem);
  }

private:
  template <typename Form>
  Result<std::unique_ptr<LibraryConvolution>> bindForm(const ConvProblem &problem) {
    Description description(handle.get());
    if (Status status = description.fill(problem); !status.isOk())
      return status;
    auto known = choices.find(problem);
    if (known == choices.end()) {
      Result<std::optional<Choice>> choice = choose<Form>(description, mathOf(problem));
      if (!choice.isOk())
        return choice.takeStatus();
      known = choices.emplace(problem, *choice).first;
    }
    const std::optional<Choice> &choice = known->second;
    if (!choice)
      return std::unique_ptr<LibraryConvolution>();
    if (Status status = description.setMath(choice->math); !status.isOk())
      return status;
    return std::unique_ptr<LibraryConvolution>(std::make_unique<Convolution<Form>>(
        std::move(description), *choice, problem.type == abi::ElementType::f64));
  }

  CudnnHandle handle;
  std::map<ConvProblem, std::optional<Choice>> choices;
};

} // namespace

Result<std::unique_ptr<LibraryConvolutions>> LibraryConvolutions::create(cudaStream_t queue) {
  Result<CudnnHandle> handle = CudnnHandle::open(queue);
  if (!handle.isOk())
    return handle.takeStatus();
  return std::unique_ptr<LibraryConvolutions>(
      std::make_unique<CudnnConvolutions>(std::move(*handle)));
}

} // namespace sheaf::rt::cuda
