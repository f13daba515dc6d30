// Activates a product, multiplies it by a derivative and sums up rows, a kernel each.
#include "runtime/cuda/contract_rest.h"

#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/kernels/row_sum_parameters.h"

#include <utility>

namespace sheaf::rt::cuda {
namespace {

/// A kernel of contract.cu for elements of the result's type.
Result<Elementwise> findKernel(CudaCallSite &site, const char *name, int64_t count) {
  return Elementwise::find(site, "contract",
                           std::string(name) + "_" + abi::nameOf(site.outs[0].shape.type), count);
}

/// The rows to sum up, and the buffer that they are in.
std::pair<RowSumParameters, size_t> rowsOf(ContractSums sums, const ContractPlan &plan,
                                           const ContractPlaces &places) {
  switch (sums) {
  case ContractSums::lhs:
    return {{plan.k, plan.m, plan.lhsStrideK, plan.lhsStrideM}, 0};
  case ContractSums::rhs:
    return {{plan.k, plan.n, plan.rhsStrideK, plan.rhsStrideN}, 1};
  default:
    return {{plan.m, plan.n, plan.resultStrideM, plan.resultStrideN}, places.result};
  }
}

/// Steps in their order.
struct Steps {
  std::vector<RestOfContract> list;

  Status operator()(void *const *buffers) const {
    for (const RestOfContract &step : list)
      if (Status status = step(buffers); !status.isOk())
        return status;
    return {};
  }
};

} // namespace

Result<RestOfContract> bindRest(CudaCallSite &site, const ContractPlan &plan,
                                const ContractPlaces &places, const ContractEpilogue &epilogue) {
  const ContractRest &rest = epilogue.rest;
  const BufferShape &result = site.outs[0].shape;
  Strided<2> space = toParameter(stridedSpace<2>({&result, &result})); // All lie as the result.
  Steps steps;
  if (rest.activation != Activation::none) {
    Result<Elementwise> kernel = findKernel(site, "activate", space.count);
    if (!kernel.isOk())
      return kernel.takeStatus();
    steps.list.push_back([kernel = *kernel, space,
                          kind = static_cast<ActivationKind>(rest.activation),
                          from = epilogue.product, to = places.result](void *const *buffers) {
      return kernel(space, kind, buffers[from], buffers[to]);
    });
  }
  if (rest.isDifferentiated) {
    Result<Elementwise> kernel = findKernel(site, "differentiate", space.count);
    if (!kernel.isOk())
      return kernel.takeStatus();
    steps.list.push_back([kernel = *kernel, space, from = *places.preactivation,
                          to = places.result](void *const *buffers) {
      return kernel(space, buffers[from], buffers[to]);
    });
  }
  if (rest.sums != ContractSums::none) {
    auto [rows, from] = rowsOf(rest.sums, plan, places);
    // A block for each so many columns.
    int64_t blocks = (rows.columns + rowSumColumns - 1) / rowSumColumns;
    Result<Elementwise> kernel = findKernel(site, "sum_rows", blocks * threadsPerBlock);
    if (!kernel.isOk())
      return kernel.takeStatus();
    steps.list.push_back(
        [kernel = *kernel, rows = rows, from = from, to = *places.sums](void *const *buffers) {
          return kernel(rows, buffers[from], buffers[to]);
        });
  }
  if (steps.list.empty())
    return RestOfContract();
  return RestOfContract(std::move(steps));
}

} // namespace sheaf::rt::cuda
