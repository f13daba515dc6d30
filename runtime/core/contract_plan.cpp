// Reads a `contract` as batches of matrix products.
#include "runtime/core/contract_plan.h"

#include "runtime/abi/contract_strides.h"

#include <algorithm>

namespace sheaf::rt {
namespace {

using Dims = std::vector<int64_t>;

/// Dims `batch` and `contract` exist in `shape` and are distinct.
Status checkDims(const BufferShape &shape, const Dims &batch, const Dims &contract,
                 const char *role) {
  std::vector<bool> isUsed(shape.rank(), false);
  for (const Dims *list : {&batch, &contract})
    for (int64_t dim : *list) {
      if (dim < 0 || dim >= static_cast<int64_t>(shape.rank()) || isUsed[dim])
        return Status::invalid("the batch and contracting dims of ", role, " ", shape.str(),
                               " name dim ", dim, ", which does not exist or is named twice");
      isUsed[dim] = true;
    }
  return {};
}

Status checkPairs(const BufferShape &lhs, const Dims &lhsDims, const BufferShape &rhs,
                  const Dims &rhsDims, const char *what) {
  if (lhsDims.size() != rhsDims.size())
    return Status::invalid("lhs has ", lhsDims.size(), " ", what, " dims, rhs ", rhsDims.size());
  for (size_t i = 0; i < lhsDims.size(); ++i)
    if (lhs.dims[lhsDims[i]] != rhs.dims[rhsDims[i]])
      return Status::invalid("lhs ", lhs.str(), " dim ", lhsDims[i], " and rhs ", rhs.str(),
                             " dim ", rhsDims[i], " are ", what, " dims and must be equal");
  return {};
}

Dims range(size_t first, size_t count) {
  Dims dims(count);
  for (size_t i = 0; i < count; ++i)
    dims[i] = static_cast<int64_t>(first + i);
  return dims;
}

/// Merges neighbouring batch dims, and all of them into m where the rhs is the same for each.
void mergeBatch(ContractPlan &plan, std::vector<ContractPlan::BatchDim> dims) {
  for (const ContractPlan::BatchDim &dim : dims) {
    if (dim.extent == 1)
      continue;
    auto joins = [&](int64_t outer, int64_t inner) { return outer == inner * dim.extent; };
    if (!plan.batch.empty()) {
      ContractPlan::BatchDim &last = plan.batch.back();
      if (joins(last.lhsStride, dim.lhsStride) && joins(last.rhsStride, dim.rhsStride) &&
          joins(last.resultStride, dim.resultStride)) {
        last = {last.extent * dim.extent, dim.lhsStride, dim.rhsStride, dim.resultStride};
        continue;
      }
    }
    plan.batch.push_back(dim);
  }
  if (plan.batch.size() == 1 && plan.batch[0].rhsStride == 0 &&
      (plan.m == 1 || (plan.batch[0].lhsStride == plan.m * plan.lhsStrideM &&
                       plan.batch[0].resultStride == plan.m * plan.resultStrideM))) {
    if (plan.m == 1) {
      plan.lhsStrideM = plan.batch[0].lhsStride;
      plan.resultStrideM = plan.batch[0].resultStride;
    }
    plan.m *= plan.batch[0].extent;
    plan.batch.clear();
  }
}

} // namespace

ContractParams ContractParams::read(Params &params) {
  ContractParams result;
  result.lhsBatch = params.integers("lhs_batch", {});
  result.rhsBatch = params.integers("rhs_batch", {});
  result.lhsContract = params.integers("lhs_contract", {});
  result.rhsContract = params.integers("rhs_contract", {});
  result.alpha = params.number("alpha", 1);
  result.activation = readActivation(params);
  result.hasLhsScale = params.flag("has_lhs_scale", false);
  result.hasRhsScale = params.flag("has_rhs_scale", false);
  result.hasBias = params.flag("has_bias", false);
  result.hasAddend = params.flag("has_addend", false);
  result.isPacked = params.flag("weights_packed", false);
  result.allowsTf32 = params.flag("allow_tf32", false);
  result.keepsPreactivation = params.flag("keeps_preactivation", false);
  if (params.choice("derivative", {"none", "gelu_tanh"}, 0) != 0)
    result.derivative = Activation::geluTanh;
  result.sums =
      static_cast<ContractSums>(params.choice("sums", {"none", "lhs", "rhs", "result"}, 0));
  return result;
}

int64_t ContractPlan::batchCount() const {
  int64_t count = 1;
  for (const BatchDim &dim : batch)
    count *= dim.extent;
  return count;
}

Result<std::vector<int64_t>> ContractPlan::resultDims(const ContractParams &params,
                                                      const BufferShape &lhs,
                                                      const BufferShape &rhs) {
  if (Status status = checkDims(lhs, params.lhsBatch, params.lhsContract, "lhs"); !status.isOk())
    return status;
  if (Status status = checkDims(rhs, params.rhsBatch, params.rhsContract, "rhs"); !status.isOk())
    return status;
  if (Status status = checkPairs(lhs, params.lhsBatch, rhs, params.rhsBatch, "batch");
      !status.isOk())
    return status;
  if (Status status = checkPairs(lhs, params.lhsContract, rhs, params.rhsContract, "contracting");
      !status.isOk())
    return status;
  Dims dims;
  for (int64_t dim : params.lhsBatch)
    dims.push_back(lhs.dims[dim]);
  for (int64_t dim : abi::freeDims(lhs.rank(), params.lhsBatch, params.lhsContract))
    dims.push_back(lhs.dims[dim]);
  for (int64_t dim : abi::freeDims(rhs.rank(), params.rhsBatch, params.rhsContract))
    dims.push_back(rhs.dims[dim]);
  return dims;
}

Result<ContractPlan> ContractPlan::make(const ContractParams &params, const BufferShape &lhs,
                                        const BufferShape &rhs, const BufferShape &result) {
  Result<Dims> expected = resultDims(params, lhs, rhs);
  if (!expected.isOk())
    return expected.takeStatus();
  if (result.dims != *expected) {
    BufferShape want{result.type, *expected, {}};
    return Status::invalid("the result of lhs ", lhs.str(), " and rhs ", rhs.str(), " is ",
                           want.str(), ", not ", result.str());
  }
  Dims lhsFree = abi::freeDims(lhs.rank(), params.lhsBatch, params.lhsContract);
  Dims rhsFree = abi::freeDims(rhs.rank(), params.rhsBatch, params.rhsContract);
  size_t numBatch = params.lhsBatch.size();
  Dims resultRows = range(numBatch, lhsFree.size());
  Dims resultColumns = range(numBatch + lhsFree.size(), rhsFree.size());
  struct Matrix {
    const BufferShape &shape;
    const Dims &rows, &columns;
    const char *role;
    abi::CollapsedDim row, column;
  };
  Matrix matrices[] = {{lhs, lhsFree, params.lhsContract, "lhs", {}, {}},
                       {rhs, params.rhsContract, rhsFree, "rhs", {}, {}},
                       {result, resultRows, resultColumns, "result", {}, {}}};
  for (Matrix &matrix : matrices) {
    abi::StridedShape strided{matrix.shape.dims, matrix.shape.strides};
    if (!abi::canContract(strided, matrix.rows, matrix.columns))
      return Status::invalid("the strides of ", matrix.role, " ", matrix.shape.str(),
                             " do not collapse to a matrix");
    matrix.row = *abi::collapse(strided, matrix.rows);
    matrix.column = *abi::collapse(strided, matrix.columns);
    // The stride of a single row is free; the library wants it to step over the row.
    if (matrix.row.size == 1 && matrix.column.stride == 1)
      matrix.row.stride = std::max<int64_t>(1, matrix.column.size);
  }
  ContractPlan plan{.lhsType = lhs.type,
                    .rhsType = rhs.type,
                    .resultType = result.type,
                    .batch = {},
                    .m = matrices[0].row.size,
                    .n = matrices[1].column.size,
                    .k = matrices[0].column.size,
                    .lhsStrideM = matrices[0].row.stride,
                    .lhsStrideK = matrices[0].column.stride,
                    .rhsStrideK = matrices[1].row.stride,
                    .rhsStrideN = matrices[1].column.stride,
                    .resultStrideM = matrices[2].row.stride,
                    .resultStrideN = matrices[2].column.stride,
                    .alpha = params.alpha,
                    .activation = params.activation,
                    .hasBias = params.hasBias,
                    .hasAddend = params.hasAddend};
  std::vector<ContractPlan::BatchDim> batch;
  for (size_t i = 0; i < numBatch; ++i)
    batch.push_back({result.dims[i], lhs.strides[params.lhsBatch[i]],
                     rhs.strides[params.rhsBatch[i]], result.strides[i]});
  mergeBatch(plan, std::move(batch));
  return plan;
}

} // namespace sheaf::rt
