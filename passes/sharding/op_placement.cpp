// Chooses how the factors of an op are cut.
#include "passes/sharding/op_placement.h"
#include "passes/sharding/window_moves.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {
namespace {

/// The axes of each factor.
using Cut = SmallVector<AxisList, 8>;

class Placer {
public:
  Placer(const OpRule &rule, const OpTensors &tensors, double flops, AxisListRef shared,
         ReshardPaths &paths)
      : rule(rule), tensors(tensors), flops(flops), paths(paths) {
    for (unsigned tensor : llvm::seq<unsigned>(rule.tensors.size()))
      projections.push_back(projectToFactors(rule, tensor, tensors.shardings[tensor]));
    for (Axis axis : shared)
      for (unsigned operand : llvm::seq<unsigned>(rule.numOperands))
        if (llvm::any_of(tensors.shardings[operand].dims, [&](const DimSharding &dim) {
              return overlaps(dim.axes, AxisList{axis});
            })) {
          sharing.push_back(axis);
          break;
        }
    if (!repeatsElements())
      for (Axis axis : shared)
        if (llvm::any_of(tensors.parts, [&](const std::optional<TensorSharding> &parts) {
              return parts && overlaps(parts->partial, AxisList{axis});
            }))
          summed.push_back(axis);
  }

  OpPlacement run() {
    consider(Cut(rule.factors.size()));
    for (unsigned seed : llvm::seq<unsigned>(rule.tensors.size())) {
      if (!asksFirst(seed))
        continue;
      considerWithMoved(completed(seed, /*withResults=*/true));
      considerWithMoved(completed(seed, /*withResults=*/false));
    }
    return best;
  }

private:
  /// Whether no tensor before `seed` asks for the same: a concat may have thousands that do.
  bool asksFirst(unsigned seed) const {
    return llvm::none_of(ArrayRef(projections).take_front(seed), [&](const FactorAxes &earlier) {
      return earlier.axes == projections[seed].axes;
    });
  }

  /// What tensor `seed` asks for, then what the others ask for of what is left.
  Cut completed(unsigned seed, bool withResults) const {
    Cut cut = projections[seed].axes;
    for (unsigned tensor : llvm::seq<unsigned>(rule.tensors.size())) {
      if (tensor == seed || (!withResults && tensor >= rule.numOperands))
        continue;
      for (unsigned factor : llvm::seq<unsigned>(cut.size()))
        if (cut[factor].empty())
          cut[factor] = prefixWithout(projections[tensor].axes[factor], allAxes(cut));
    }
    return cut;
  }

  static AxisList allAxes(const Cut &cut) {
    AxisList all;
    for (const AxisList &axes : cut)
      llvm::append_range(all, axes);
    return all;
  }

  /// Whether one element of an operand becomes several of a result: more is combined after the op than before.
  bool repeatsElements() const {
    for (unsigned factor : llvm::seq<unsigned>(rule.factors.size()))
      if (rule.factors[factor].size > 1 &&
          llvm::none_of(llvm::seq<unsigned>(rule.numOperands),
                        [&](unsigned operand) { return rule.holds(operand, factor); }))
        return true;
    return false;
  }

  bool mustBeWhole(unsigned factor) const {
    FactorKind kind = rule.factors[factor].kind;
    return kind == FactorKind::needReplication || kind == FactorKind::permutation;
  }

  void considerWithMoved(Cut cut) {
    // Elements that move along a dim may move between ranks.
    if (!rule.windows.empty())
      consider(cut);
    AxisList freed;
    for (unsigned factor : llvm::seq<unsigned>(cut.size()))
      if (mustBeWhole(factor)) {
        freed = concat(freed, cut[factor]);
        cut[factor].clear();
      }
    consider(cut);
    // Instead of gathering what must be whole, cut another dim more: an all_to_all moves less.
    if (freed.empty())
      return;
    for (unsigned factor : llvm::seq<unsigned>(cut.size())) {
      if (rule.factors[factor].kind != FactorKind::passThrough ||
          rule.factors[factor].size % (sizeOf(cut[factor]) * sizeOf(freed)) != 0 ||
          !isInAllTensors(factor))
        continue;
      Cut moved = cut;
      moved[factor] = concat(moved[factor], freed);
      consider(moved);
    }
  }

  bool isInAllTensors(unsigned factor) const {
    return llvm::all_of(llvm::seq<unsigned>(rule.tensors.size()),
                        [&](unsigned tensor) { return rule.holds(tensor, factor); });
  }

  /// Shortens the axes of factors until all tensors can have them.
  void fit(Cut &cut) const {
    for (bool hasChanged = true; hasChanged;) {
      hasChanged = false;
      for (unsigned tensor : llvm::seq<unsigned>(rule.tensors.size())) {
        FactorAxes actual = projectToFactors(rule, tensor, shardingOf(tensor, cut));
        for (unsigned factor : llvm::seq<unsigned>(cut.size()))
          if (rule.holds(tensor, factor) && actual.axes[factor] != cut[factor]) {
            cut[factor] = sizeOf(actual.axes[factor]) < sizeOf(cut[factor]) ? actual.axes[factor]
                                                                            : AxisList();
            hasChanged = true;
          }
      }
    }
  }

  TensorSharding shardingOf(unsigned tensor, const Cut &cut) const {
    TensorSharding sharding = TensorSharding::whole(rule.tensors[tensor].size());
    for (auto [factors, dim] : llvm::zip_equal(rule.tensors[tensor], sharding.dims))
      dim.axes = dimAxes(rule, factors, cut);
    return sharding;
  }

  /// The kind of partial results, none when reductions of several kinds are cut.
  std::optional<PartialKind> partialKind(const Cut &cut) const {
    std::optional<PartialKind> kind;
    for (auto [factor, axes] : llvm::zip_equal(rule.factors, cut)) {
      if (axes.empty() || !isReduction(factor.kind))
        continue;
      PartialKind own = factor.kind == FactorKind::reductionMax   ? PartialKind::max
                        : factor.kind == FactorKind::reductionMin ? PartialKind::min
                                                                  : PartialKind::sum;
      if (kind && *kind != own)
        return std::nullopt;
      kind = own;
    }
    return kind.value_or(PartialKind::sum);
  }

  bool isReductionCut(const Cut &cut) const {
    return llvm::any_of(llvm::zip_equal(rule.factors, cut), [](auto pair) {
      auto &[factor, axes] = pair;
      return isReduction(factor.kind) && !axes.empty();
    });
  }

  /// The axes along which parts of `result` are to be combined.
  AxisList reducedAxes(unsigned result, const Cut &cut) const {
    AxisList reduced;
    for (auto [index, axes] : llvm::enumerate(cut))
      if (isReduction(rule.factors[index].kind) && !rule.holds(result, index))
        llvm::append_range(reduced, axes);
    return reduced;
  }

  void consider(Cut cut) {
    // Shorter axes may not be possible where longer ones are.
    for (bool hasChanged = true; hasChanged;) {
      fit(cut);
      hasChanged = false;
      for (unsigned factor : llvm::seq<unsigned>(cut.size()))
        if (!rule.canCut(factor, cut[factor])) {
          cut[factor].clear();
          hasChanged = true;
        }
    }
    AxisList used = allAxes(cut);
    // Of equals the first is kept: late is better.
    for (const WaitingOperands &waiting : tensors.waiting) {
      WaitingOperands free = waiting;
      free.axes = difference(waiting.axes, used);
      if (!free.axes.empty() && !overlaps(free.axes, used))
        consider(cut, &free);
    }
    consider(cut, nullptr);
  }

  /// `waiting` stay partial, if any; the other operands are combined.
  void consider(const Cut &cut, const WaitingOperands *waiting) {
    std::optional<PartialKind> kind = partialKind(cut);
    if (!kind)
      return;
    OpPlacement placement;
    double parts = 1;
    for (auto [factor, axes] : llvm::zip_equal(rule.factors, cut))
      parts *= double(std::min(sizeOf(axes), std::max<int64_t>(factor.size, 1)));
    if (waiting) {
      if (isReductionCut(cut) && *kind != waiting->kind)
        return;
      kind = waiting->kind;
    }
    for (unsigned tensor : llvm::seq<unsigned>(rule.tensors.size())) {
      TensorSharding sharding = shardingOf(tensor, cut);
      bool isOperand = tensor < rule.numOperands;
      if (!isOperand)
        sharding.partial = reducedAxes(tensor, cut);
      if (waiting && (!isOperand || llvm::is_contained(waiting->operands, tensor)))
        llvm::append_range(sharding.partial, waiting->axes);
      sharding.partialKind = sharding.partial.empty() ? PartialKind::sum : *kind;
      placement.sentBytes +=
          isOperand
              ? bytesToBring(tensor, sharding)
              : paths.find(tensors.types[tensor], sharding, tensors.shardings[tensor]).sentBytes;
      if (isOperand)
        for (const WindowMove &move : windowMoves(rule, tensor, tensors.types[tensor], sharding,
                                                  tensors.types[tensor].getElementType()))
          placement.sentBytes += double(move.sentBytes);
      (isOperand ? placement.operands : placement.results).push_back(std::move(sharding));
    }
    auto isRepeated = [&](Axis axis) { return !overlaps(allAxes(cut), AxisList{axis}); };
    auto isCombined = [&](Axis axis) {
      return !waiting || !overlaps(waiting->axes, AxisList{axis});
    };
    Price price{double(llvm::count_if(sharing, isRepeated)),
                double(llvm::count_if(summed, isCombined)),
                placement.sentBytes + kBytesPerFlop * flops / parts, -parts};
    if (!bestPrice || price < *bestPrice) {
      bestPrice = price;
      best = std::move(placement);
    }
  }

  /// What it takes to get an operand to where the op works on it, combining it included.
  double bytesToBring(unsigned operand, const TensorSharding &to) {
    RankedTensorType type = tensors.types[operand];
    const TensorSharding &outside = tensors.shardings[operand];
    const std::optional<TensorSharding> &parts = tensors.parts[operand];
    if (!parts)
      return paths.find(type, outside, to).sentBytes;
    double direct = paths.find(type, *parts, to).sentBytes;
    if (!to.partial.empty())
      return direct;
    return std::min(direct, paths.find(type, *parts, outside).sentBytes +
                                paths.find(type, outside, to).sentBytes);
  }

  /// Bytes that are sent in the time of one operation: 50 GB/s beside 500 TFLOP/s and 5 GB/s beside
  /// 50 GFLOP/s lie on both sides of it.
  static constexpr double kBytesPerFlop = 1e-3;

  const OpRule &rule;
  const OpTensors &tensors;
  double flops;
  ReshardPaths &paths;
  SmallVector<FactorAxes, 4> projections;
  AxisList sharing; ///< of the shared axes those that cut an operand
  AxisList summed;  ///< and those along which an operand is to be combined, now or later
  /// Along how many of them work is repeated, along how many operands are combined already, what it costs, and,
  /// negative, in how many parts it is done.
  using Price = std::array<double, 4>;
  std::optional<Price> bestPrice;
  OpPlacement best;
};

} // namespace

OpPlacement placeOp(const OpRule &rule, const OpTensors &tensors, double flops, AxisListRef shared,
                    ReshardPaths &paths) {
  return Placer(rule, tensors, flops, shared, paths).run();
}

} // namespace sheaf::sharding
