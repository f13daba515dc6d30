// Computes graphs of operations in plain loops.
#include "test/standin/cudnn/fused_graph.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <regex>
#include <string>

#include "test/standin/cudnn/tensor.h"

namespace sheaf::standin::cudnn {
namespace {

int64_t idOf(const Descriptor &tensor) { return tensor.get<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID); }
cudnnDataType_t typeOf(const Descriptor &tensor) {
  return tensor.get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
}
std::vector<int64_t> dimsOf(const Descriptor &tensor) {
  return tensor.list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
}
std::vector<int64_t> stridesOf(const Descriptor &tensor) {
  return tensor.list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
}
bool isNumber(const Descriptor &tensor) { return tensor.has(CUDNN_ATTR_TENSOR_IS_BY_VALUE); }
bool isBetween(const Descriptor &tensor) { return tensor.has(CUDNN_ATTR_TENSOR_IS_VIRTUAL); }
bool isHalf(const Descriptor &tensor) {
  return typeOf(tensor) == CUDNN_DATA_HALF || typeOf(tensor) == CUDNN_DATA_BFLOAT16;
}

/// None: integers and booleans.
std::optional<FloatType> floatOf(cudnnDataType_t type) {
  switch (type) {
  case CUDNN_DATA_HALF:
    return FloatType::f16;
  case CUDNN_DATA_BFLOAT16:
    return FloatType::bf16;
  case CUDNN_DATA_FLOAT:
    return FloatType::f32;
  default:
    return std::nullopt;
  }
}

cudnnPointwiseMode_t modeOf(const Descriptor &operation) {
  return operation.refer(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)
      .get<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
}
cudnnReduceTensorOp_t reductionOf(const Descriptor &operation) {
  return operation.refer(CUDNN_ATTR_OPERATION_REDUCTION_DESC)
      .get<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR);
}

/// A letter for each operation.
char letterOf(const Descriptor &operation) {
  switch (operation.kind) {
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    return 'M';
  case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
    return 'V';
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    return reductionOf(operation) == CUDNN_REDUCE_TENSOR_MAX ? 'X' : 'S';
  default:
    break;
  }
  static const std::map<cudnnPointwiseMode_t, char> letters = {
      {CUDNN_POINTWISE_ADD, 'a'},          {CUDNN_POINTWISE_SUB, 's'},
      {CUDNN_POINTWISE_MUL, 'm'},          {CUDNN_POINTWISE_DIV, 'd'},
      {CUDNN_POINTWISE_EXP, 'e'},          {CUDNN_POINTWISE_LOG, 'l'},
      {CUDNN_POINTWISE_CMP_GE, 'g'},       {CUDNN_POINTWISE_GEN_INDEX, 'i'},
      {CUDNN_POINTWISE_BINARY_SELECT, 'c'}};
  auto found = letters.find(modeOf(operation));
  return found == letters.end() ? '?' : found->second;
}

/// Walks over all indices of `dims`, the last of which runs fastest.
template <typename Body> void forEachIndex(const std::vector<int64_t> &dims, const Body &body) {
  std::vector<int64_t> index(dims.size(), 0);
  for (;;) {
    body(index);
    size_t dim = dims.size();
    while (dim > 0 && ++index[dim - 1] == dims[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// Where the element is that meets the one at `index` of a tensor of `dims`: a dim of fewer is repeated, each of its
/// elements for as many neighbours.
int64_t placeOf(const std::vector<int64_t> &index, const std::vector<int64_t> &dims,
                const std::vector<int64_t> &fewer) {
  int64_t place = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    place = place * fewer[dim] + index[dim] * fewer[dim] / dims[dim];
  return place;
}

double applyMode(cudnnPointwiseMode_t mode, double x, double y) {
  switch (mode) {
  case CUDNN_POINTWISE_ADD:
    return x + y;
  case CUDNN_POINTWISE_SUB:
    return x - y;
  case CUDNN_POINTWISE_MUL:
    return x * y;
  case CUDNN_POINTWISE_DIV:
    return x / y;
  case CUDNN_POINTWISE_EXP:
    return std::exp(x);
  case CUDNN_POINTWISE_LOG:
    return std::log(x);
  default:
    return x >= y;
  }
}

/// Kernels load 16 bytes at once from memory.
bool isFit(const Descriptor &tensor) {
  if (isNumber(tensor) || isBetween(tensor) || !isHalf(tensor))
    return true;
  std::vector<int64_t> dims = dimsOf(tensor), strides = stridesOf(tensor);
  int numUnits = 0;
  bool isFit = dims.size() == 4;
  for (size_t dim = 0; isFit && dim < 4; ++dim) {
    numUnits += strides[dim] == 1;
    isFit = strides[dim] == 1 ? dims[dim] % 8 == 0 && dims[dim] <= 256 : strides[dim] % 8 == 0;
  }
  return isFit && numUnits == 1 && std::min(strides[2], strides[3]) == 1;
}

} // namespace

/// What tensors hold while the operations are computed, by their numbers.
struct FusedGraph::Values {
  std::map<int64_t, std::vector<double>> of;

  const std::vector<double> &operator[](const Descriptor &tensor) const {
    return of.at(idOf(tensor));
  }
  /// Keeps them in the tensor's type.
  void put(const Descriptor &tensor, std::vector<double> values) {
    if (std::optional<FloatType> type = floatOf(typeOf(tensor)))
      for (double &value : values) {
        std::byte rounded[8];
        store(*type, rounded, value);
        value = load(*type, rounded);
      }
    of[idOf(tensor)] = std::move(values);
  }

  void multiply(const Descriptor &operation);
  void map(const Descriptor &operation);
  void reduce(const Descriptor &operation);
  void view(const Descriptor &operation);
};

void FusedGraph::Values::multiply(const Descriptor &operation) {
  const Descriptor &a = operation.refer(CUDNN_ATTR_OPERATION_MATMUL_ADESC),
                   &b = operation.refer(CUDNN_ATTR_OPERATION_MATMUL_BDESC),
                   &c = operation.refer(CUDNN_ATTR_OPERATION_MATMUL_CDESC);
  std::vector<int64_t> dims = dimsOf(c), aDims = dimsOf(a), bDims = dimsOf(b);
  const std::vector<double> &left = (*this)[a], &right = (*this)[b];
  std::vector<double> result;
  forEachIndex(dims, [&](const std::vector<int64_t> &index) {
    int64_t aHead = index[1] * aDims[1] / dims[1], bHead = index[1] * bDims[1] / dims[1];
    double sum = 0;
    for (int64_t k = 0; k < aDims[3]; ++k)
      sum += left[((index[0] * aDims[1] + aHead) * aDims[2] + index[2]) * aDims[3] + k] *
             right[((index[0] * bDims[1] + bHead) * bDims[2] + k) * bDims[3] + index[3]];
    result.push_back(sum);
  });
  put(c, std::move(result));
}

void FusedGraph::Values::map(const Descriptor &operation) {
  const Descriptor &x = operation.refer(CUDNN_ATTR_OPERATION_POINTWISE_XDESC),
                   &y = operation.refer(CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  cudnnPointwiseMode_t mode = modeOf(operation);
  std::vector<int64_t> dims = dimsOf(y);
  auto fetch = [&](cudnnBackendAttributeName_t name, const std::vector<int64_t> &index) {
    if (!operation.has(name))
      return 0.0;
    const Descriptor &tensor = operation.refer(name);
    return (*this)[tensor][static_cast<size_t>(placeOf(index, dims, dimsOf(tensor)))];
  };
  std::vector<double> result;
  forEachIndex(dims, [&](const std::vector<int64_t> &index) {
    if (mode == CUDNN_POINTWISE_GEN_INDEX) {
      const auto axis = operation.refer(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)
                            .get<int64_t>(CUDNN_ATTR_POINTWISE_AXIS);
      result.push_back(static_cast<double>(index[static_cast<size_t>(axis)]));
      return;
    }
    double first = (*this)[x][static_cast<size_t>(placeOf(index, dims, dimsOf(x)))],
           second = fetch(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, index);
    if (mode == CUDNN_POINTWISE_BINARY_SELECT)
      result.push_back(fetch(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, index) != 0 ? first : second);
    else
      result.push_back(applyMode(mode, first, second));
  });
  put(y, std::move(result));
}

void FusedGraph::Values::reduce(const Descriptor &operation) {
  const Descriptor &x = operation.refer(CUDNN_ATTR_OPERATION_REDUCTION_XDESC),
                   &y = operation.refer(CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
  const bool isMax = reductionOf(operation) == CUDNN_REDUCE_TENSOR_MAX;
  std::vector<int64_t> dims = dimsOf(x), fewer = dimsOf(y);
  int64_t count = 1;
  for (int64_t dim : fewer)
    count *= dim;
  std::vector<double> result(static_cast<size_t>(count),
                             isMax ? -std::numeric_limits<double>::infinity() : 0);
  size_t next = 0;
  forEachIndex(dims, [&](const std::vector<int64_t> &index) {
    double &sum = result[static_cast<size_t>(placeOf(index, dims, fewer))];
    double value = (*this)[x][next++];
    sum = isMax ? std::max(sum, value) : sum + value;
  });
  put(y, std::move(result));
}

/// Two tensors of the same memory.
void FusedGraph::Values::view(const Descriptor &operation) {
  const Descriptor &x = operation.refer(CUDNN_ATTR_OPERATION_RESHAPE_XDESC),
                   &y = operation.refer(CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
  auto offsetOf = [](const std::vector<int64_t> &index, const std::vector<int64_t> &strides) {
    int64_t offset = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      offset += index[dim] * strides[dim];
    return offset;
  };
  std::map<int64_t, double> memory;
  size_t next = 0;
  std::vector<int64_t> xStrides = stridesOf(x), yStrides = stridesOf(y);
  forEachIndex(dimsOf(x), [&](const std::vector<int64_t> &index) {
    memory[offsetOf(index, xStrides)] = (*this)[x][next++];
  });
  std::vector<double> result;
  forEachIndex(dimsOf(y), [&](const std::vector<int64_t> &index) {
    result.push_back(memory.at(offsetOf(index, yStrides)));
  });
  put(y, std::move(result));
}

FusedGraph::FusedGraph(const Descriptor &graph)
    : operations(graph.attributes.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).descriptors) {
  for (const DescriptorRef &operation : operations)
    for (const auto &[name, attribute] : operation->attributes)
      for (const DescriptorRef &tensor : attribute.descriptors)
        if (tensor->kind == CUDNN_BACKEND_TENSOR_DESCRIPTOR &&
            std::ranges::find(tensors, tensor) == tensors.end())
          tensors.push_back(tensor);
}

cudnnStatus_t FusedGraph::check() const {
  std::string letters;
  for (const DescriptorRef &operation : operations)
    letters += letterOf(*operation);
  static const std::regex attention("Mm(ii(as)?gc)?XseSladM"),
      gradients("mSmMms(ii(as)?gc)?eVM(S)?MsmmVM(S)?VM");
  bool isKnown = std::regex_match(letters, attention) || std::regex_match(letters, gradients);
  for (const DescriptorRef &tensor : tensors)
    isKnown &= isFit(*tensor);
  for (const DescriptorRef &operation : operations)
    if (operation->kind == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR) {
      const Descriptor &b = operation->refer(CUDNN_ATTR_OPERATION_MATMUL_BDESC);
      isKnown &= isHalf(b);
    }
  return isKnown ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN;
}

cudnnStatus_t FusedGraph::bind(const Descriptor &pack) {
  auto ids = pack.list<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  auto places = pack.list<void *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  workspace = pack.get<void *>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  if (ids.size() != places.size() || !workspace)
    return CUDNN_STATUS_BAD_PARAM;
  for (const DescriptorRef &tensor : tensors) {
    if (isBetween(*tensor))
      continue;
    auto found = std::ranges::find(ids, idOf(*tensor));
    if (found == ids.end())
      return CUDNN_STATUS_BAD_PARAM;
    void *place = places[static_cast<size_t>(found - ids.begin())];
    if (!isNumber(*tensor)) {
      auto alignment = tensor->get<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
      if (reinterpret_cast<uintptr_t>(place) % static_cast<uint64_t>(alignment) != 0)
        return CUDNN_STATUS_BAD_PARAM;
      addresses[idOf(*tensor)] = place;
    } else if (typeOf(*tensor) == CUDNN_DATA_FLOAT) {
      numbers[idOf(*tensor)] = *static_cast<const float *>(place);
    } else {
      numbers[idOf(*tensor)] = *static_cast<const int32_t *>(place);
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

void FusedGraph::run(Execution &execution) const {
  // Whoever else uses the workspace at the same time must be found.
  std::memset(execution.write(workspace, workspaceBytes), 0xa5, workspaceBytes);
  auto inMemory = [](const Descriptor &tensor) {
    return Tensor{*floatOf(typeOf(tensor)), dimsOf(tensor), stridesOf(tensor)};
  };
  Values values;
  for (const auto &[id, number] : numbers)
    values.of[id] = {number};
  auto fetch = [&](const Descriptor &tensor) {
    int64_t id = idOf(tensor);
    if (auto found = addresses.find(id); found != addresses.end() && !values.of.contains(id))
      values.of[id] = inMemory(tensor).read(execution, found->second);
  };
  for (const DescriptorRef &operation : operations) {
    const Descriptor *result = nullptr;
    for (const auto &[name, attribute] : operation->attributes) {
      bool isResult = name == CUDNN_ATTR_OPERATION_MATMUL_CDESC ||
                      name == CUDNN_ATTR_OPERATION_POINTWISE_YDESC ||
                      name == CUDNN_ATTR_OPERATION_REDUCTION_YDESC ||
                      name == CUDNN_ATTR_OPERATION_RESHAPE_YDESC;
      const Descriptor &tensor = *attribute.descriptors.front();
      if (isResult)
        result = &tensor;
      else if (tensor.kind == CUDNN_BACKEND_TENSOR_DESCRIPTOR)
        fetch(tensor);
    }
    switch (operation->kind) {
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
      values.multiply(*operation);
      break;
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
      values.reduce(*operation);
      break;
    case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
      values.view(*operation);
      break;
    default:
      values.map(*operation);
    }
    if (auto found = addresses.find(idOf(*result)); found != addresses.end())
      inMemory(*result).write(execution, found->second, values[*result], 1, 0);
  }
}

} // namespace sheaf::standin::cudnn
