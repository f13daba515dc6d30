// Decides which attention goes to cuDNN.
//
// Source of the limits: include/cudnn_frontend/node/sdpa_support_surface.h and scaled_dot_product_flash_attention.h of
// NVIDIA's cudnn-frontend 1.32, which know what each version of the library takes and computes correctly.
#include "runtime/cuda/attention_problem.h"

#include <algorithm>

namespace sheaf::rt::cuda {
namespace {

bool isHopper(int chip) { return chip / 10 == 9; }

/// Heads up to 128 everywhere; larger ones on Hopper, where those of keys and values are alike: for pairs that differ
/// it depends on the version.
bool areHeadsTaken(const AttentionPlan &plan, int chip) {
  int64_t most = std::max(plan.depth, plan.valueDepth);
  bool isFit = plan.depth % 8 == 0 && plan.valueDepth % 8 == 0;
  return isFit && (most <= 128 || (most <= 256 && plan.depth == plan.valueDepth && isHopper(chip)));
}

/// Kernels of the library load 16 bytes at once and do not look whether they may.
bool isAligned(const Operand &tensor) {
  constexpr int64_t bytes = 16;
  const BufferShape &shape = tensor.shape;
  bool isFit = tensor.offset % bytes == 0;
  for (size_t dim = 0; dim < 3; ++dim)
    isFit &= shape.dims[dim] == 1 ||
             (shape.strides[dim] > 0 && shape.strides[dim] * shape.elementBytes() % bytes == 0);
  return isFit;
}

/// A dim of one element may have any stride: it gets one that spans what lies inside.
AttentionProblem::Four stridesOf(const AttentionPlan::Four &strides, int64_t heads, int64_t rows,
                                 int64_t columns, int64_t batch) {
  AttentionProblem::Four result = strides;
  result[3] = 1;
  if (rows == 1)
    result[2] = columns;
  if (heads == 1)
    result[1] = std::max(result[2] * rows, columns);
  if (batch == 1)
    result[0] = std::max(result[1] * heads, result[2] * rows);
  return result;
}

} // namespace

std::optional<AttentionProblem> attentionProblem(const AttentionPlan &plan, int chip,
                                                 std::span<const Operand> tensors) {
  abi::ElementType type = tensors.front().shape.type;
  bool isHalf = type == abi::ElementType::f16 || type == abi::ElementType::bf16;
  bool isPlain = !plan.hasMask && plan.softcap == 0;
  bool isEmpty = plan.batch == 0 || plan.heads == 0 || plan.queries == 0 || plan.keys == 0 ||
                 plan.depth == 0 || plan.valueDepth == 0;
  // A single query sees all keys. Of more queries than keys some see nothing, which is no softmax.
  bool isCausal = plan.isCausal && plan.queries > 1;
  bool seesAll = !isCausal || plan.queries <= plan.keys;
  if (!isHalf || !isPlain || isEmpty || !seesAll || !areHeadsTaken(plan, chip) ||
      !std::ranges::all_of(tensors, isAligned))
    return std::nullopt;
  return AttentionProblem{
      .type = type,
      .batch = plan.batch,
      .heads = plan.heads,
      .groups = plan.groups,
      .queries = plan.queries,
      .keys = plan.keys,
      .depth = plan.depth,
      .valueDepth = plan.valueDepth,
      .query = stridesOf(plan.query, plan.heads, plan.queries, plan.depth, plan.batch),
      .key = stridesOf(plan.key, plan.groups, plan.keys, plan.depth, plan.batch),
      .value = stridesOf(plan.value, plan.groups, plan.keys, plan.valueDepth, plan.batch),
      .result = stridesOf(plan.result, plan.heads, plan.queries, plan.valueDepth, plan.batch),
      .isCausal = isCausal,
      .scale = plan.scale,
      .gradients = std::nullopt};
}

std::optional<AttentionProblem> attentionProblem(const AttentionGradientPlan &gradients, int chip,
                                                 std::span<const Operand> tensors) {
  const AttentionPlan &plan = gradients.attention;
  // On Blackwell gradients are the same in each run only by one engine with settings of its own.
  bool isKnown = chip < 100 && (plan.queries > 1 || plan.keys > 1);
  std::optional<AttentionProblem> problem =
      isKnown ? attentionProblem(plan, chip, tensors) : std::nullopt;
  if (problem)
    problem->gradients = {
        stridesOf(gradients.queryGradient, plan.heads, plan.queries, plan.depth, plan.batch),
        stridesOf(gradients.keyGradient, plan.groups, plan.keys, plan.depth, plan.batch),
        stridesOf(gradients.valueGradient, plan.groups, plan.keys, plan.valueDepth, plan.batch)};
  return problem;
}

} // namespace sheaf::rt::cuda
