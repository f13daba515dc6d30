// The call `attention_gradient`: each tile of queries computes its weights again and leaves its part in all three
// gradients; the whole matrix of weights never exists.
//
// With `p` the weights of a tile, `g` the gradient of its results and `c` the scores before the softmax,
//
//   dv += p^T g,   dp = g v^T,   dc = p (dp - sum over keys of p dp),   dq = scale dc k,   dk += scale dc^T q
//
// (Dao et al., "FlashAttention", NeurIPS 2022, appendix B; a tile of theirs has some of the keys, ours all of them, so
// nothing has to be kept of the forward pass). A softcap scales dc by 1 - tanh^2.
//
// The queries of all heads of a group add to the gradients of its keys and values. They are cut into parts, as many as
// the shapes ask for and never as the threads do; sums of parts are added up in their order. So every number of
// threads gives the same bits.
#include "runtime/abi/calls.h"
#include "runtime/host/attention_tile.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

#include <atomic>

namespace sheaf::rt::host {
namespace {

/// The parts in which all queries are wanted, where that takes no more memory than some times that of the queries.
constexpr int64_t wantedParts = 64, partsPerHead = 4;

/// The sum of products, in many sums that become a vector.
template <typename C> C dot(const C *a, const C *b, int64_t count) {
  constexpr int64_t numSums = 16;
  C sums[numSums] = {};
  int64_t i = 0;
  for (; i + numSums <= count; i += numSums)
    for (int64_t j = 0; j < numSums; ++j)
      sums[j] += a[i + j] * b[i + j];
  for (; i < count; ++i)
    sums[0] += a[i] * b[i];
  C total = 0;
  for (C sum : sums)
    total += sum;
  return total;
}

/// T: elements; C: what is computed in.
template <typename T> class AttentionGradient {
public:
  using C = Wide<T>;

  explicit AttentionGradient(const AttentionGradientPlan &gradients)
      : gradients(gradients), plan(gradients.attention), members(plan.heads / plan.groups),
        tiles(numAttentionTiles(plan)) {
    int64_t groups = plan.batch * plan.groups;
    int64_t most = std::min(members * tiles, partsPerHead * members);
    numParts =
        std::clamp<int64_t>((wantedParts + groups - 1) / groups, 1, std::max<int64_t>(most, 1));
  }

  /// Elements of C that are needed: those of each thread, then the sums of parts, where there are several.
  int64_t scratchElements(int numThreads) const {
    return numThreads * threadElements() + (numParts > 1 ? numTasks() * partElements() : 0);
  }

  void run(void *const *buffers, std::byte *scratch, int numThreads) const {
    // One task alone would get all threads in the library.
    OneThread limit(isSmall() || numTasks() == 1);
    C *memory = reinterpret_cast<C *>(scratch), *sums = memory + numThreads * threadElements();
    std::atomic<int64_t> nextSlot = 0;
    parallelFor(0, numTasks(), 1, [&](int64_t begin, int64_t end) {
      C *own = memory + nextSlot.fetch_add(1) * threadElements();
      for (int64_t task = begin; task < end; ++task)
        runTask(buffers, task, own, numParts > 1 ? sums + task * partElements() : nullptr);
    });
    if (numParts == 1)
      return;
    int64_t rowBytes = numParts * (plan.depth + plan.valueDepth) * int64_t(sizeof(C));
    parallelFor(0, plan.batch * plan.groups * plan.keys, grainFor(rowBytes),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i)
                    storeSums(buffers, sums + i / plan.keys * numParts * partElements(),
                              i / plan.keys, i % plan.keys);
                });
  }

private:
  bool isSmall() const {
    double scores = static_cast<double>(plan.batch * plan.heads) *
                    static_cast<double>(plan.queries) * static_cast<double>(plan.keys);
    return isForOneThread(scores * static_cast<double>(6 * plan.depth + 4 * plan.valueDepth),
                          32 * scores);
  }

  int64_t numTasks() const { return plan.batch * plan.groups * numParts; }
  int64_t partElements() const { return plan.keys * (plan.depth + plan.valueDepth); }
  /// Weights, their gradients and what the tanh of a softcap gave; tiles of q, g and dq; k and v, where they must be
  /// widened; the sums of a part that is the only one.
  int64_t threadElements() const {
    bool isWidened =
        !std::is_same_v<T, C> || plan.key[2] < plan.depth || plan.value[2] < plan.valueDepth;
    return attentionTileRows *
               ((hasSoftcap() ? 3 : 2) * plan.keys + 2 * plan.depth + plan.valueDepth) +
           (isWidened + (numParts == 1)) * partElements() + 64;
  }
  bool hasSoftcap() const { return plan.softcap != 0; }

  /// One part of the queries of a group. Where it is the only one its sums are in `own` and stored.
  void runTask(void *const *buffers, int64_t task, C *own, C *sums) const {
    int64_t group = task / numParts, part = task % numParts, units = members * tiles;
    if (!sums) {
      sums = own;
      own += partElements();
    }
    std::fill_n(sums, partElements(), C(0));
    auto ofGroup = [&](size_t buffer, const AttentionPlan::Four &strides) {
      return static_cast<const T *>(buffers[buffer]) + group / plan.groups * strides[0] +
             group % plan.groups * strides[1];
    };
    Rows<const C> key = rowsOf(ofGroup(1, plan.key), plan.key[2], plan.keys, plan.depth, own);
    Rows<const C> value =
        rowsOf(ofGroup(2, plan.value), plan.value[2], plan.keys, plan.valueDepth, own);
    for (int64_t i = units * part / numParts; i < units * (part + 1) / numParts; ++i)
      addTile(buffers,
              {plan, group / plan.groups, group % plan.groups * members + i / tiles, i % tiles},
              key, value, sums, own);
    if (numParts == 1)
      for (int64_t row = 0; row < plan.keys; ++row)
        storeSums(buffers, sums, group, row);
  }

  /// Stores the tile's gradient of queries, and adds what it adds to those of keys and values.
  void addTile(void *const *buffers, const AttentionTile<T> &tile, Rows<const C> key,
               Rows<const C> value, C *sums, C *memory) const {
    int64_t keys = tile.keys, depth = plan.depth, valueDepth = plan.valueDepth;
    int64_t numScores = tile.rows * keys;
    C *weights = memory, *slopes = weights + numScores,
      *tanhs = hasSoftcap() ? slopes + numScores : nullptr;
    memory = (tanhs ? tanhs : slopes) + numScores;
    Rows<const C> query = rowsOf(tile.at(static_cast<const T *>(buffers[0]), plan.query),
                                 plan.query[2], tile.rows, depth, memory);
    Rows<const C> gradient = rowsOf(tile.at(static_cast<const T *>(buffers[3]), plan.result),
                                    plan.result[2], tile.rows, valueDepth, memory);
    C reciprocals[attentionTileRows];
    tile.exponentials(query, key, buffers[4], weights, tanhs, reciprocals);
    if (keys > 0 && valueDepth > 0)
      multiply(tile.rows, keys, valueDepth, C(1), gradient, value, true, {slopes, keys});
    else
      std::fill_n(slopes, numScores, C(0));
    for (int64_t i = 0; i < tile.rows; ++i)
      goThroughSoftmax(tile.visibleKeys(i), keys, reciprocals[i], weights + i * keys,
                       slopes + i * keys, tanhs ? tanhs + i * keys : nullptr);
    storeQueries(buffers, tile, slopes, key, memory);
    if (keys > 0 && depth > 0)
      addTransposed(keys, depth, tile.rows, {slopes, keys}, query, {sums, depth});
    if (keys > 0 && valueDepth > 0)
      addTransposed(keys, valueDepth, tile.rows, {weights, keys}, gradient,
                    {sums + plan.keys * depth, valueDepth});
  }

  /// Makes a row of exponentials weights, and of their gradients those of products of queries and keys.
  void goThroughSoftmax(int64_t visible, int64_t keys, C reciprocal, C *weights, C *slopes,
                        const C *tanhs) const {
    for (int64_t j = 0; j < visible; ++j)
      weights[j] *= reciprocal;
    C mean = dot(weights, slopes, visible);
    auto scale = static_cast<C>(plan.scale);
    for (int64_t j = 0; j < visible; ++j)
      slopes[j] = weights[j] * (slopes[j] - mean) * scale;
    if (tanhs)
      for (int64_t j = 0; j < visible; ++j)
        slopes[j] *= 1 - tanhs[j] * tanhs[j];
    std::fill(slopes + visible, slopes + keys, C(0));
  }

  void storeQueries(void *const *buffers, const AttentionTile<T> &tile, const C *slopes,
                    Rows<const C> key, C *memory) const {
    T *result = tile.at(static_cast<T *>(buffers[firstOut()]), gradients.queryGradient);
    int64_t depth = plan.depth, stride = gradients.queryGradient[2];
    Rows<C> sums{memory, depth};
    if constexpr (std::is_same_v<T, C>)
      if (stride >= depth)
        sums = {result, stride};
    if (tile.keys > 0 && depth > 0)
      multiply(tile.rows, depth, tile.keys, C(1), {slopes, tile.keys}, key, false, sums);
    for (int64_t i = 0; i < tile.rows; ++i)
      for (int64_t j = 0; j < depth; ++j)
        result[i * stride + j] =
            static_cast<T>(tile.keys > 0 ? sums.data[i * sums.stride + j] : C(0));
  }

  /// Stores a row of the gradients of keys and values of a group: the total of its parts.
  void storeSums(void *const *buffers, const C *sums, int64_t group, int64_t row) const {
    auto store = [&](size_t out, const AttentionPlan::Four &strides, const C *first,
                     int64_t width) {
      T *result = static_cast<T *>(buffers[firstOut() + out]) + group / plan.groups * strides[0] +
                  group % plan.groups * strides[1] + row * strides[2];
      for (int64_t j = 0; j < width; ++j) {
        C total = first[j];
        for (int64_t part = 1; part < numParts; ++part)
          total += first[part * partElements() + j];
        result[j] = static_cast<T>(total);
      }
    };
    store(1, gradients.keyGradient, sums + row * plan.depth, plan.depth);
    store(2, gradients.valueGradient, sums + plan.keys * plan.depth + row * plan.valueDepth,
          plan.valueDepth);
  }

  size_t firstOut() const { return plan.hasMask ? 5 : 4; }

  AttentionGradientPlan gradients;
  AttentionPlan plan;
  int64_t members;  ///< heads of a group
  int64_t tiles;    ///< of a head
  int64_t numParts; ///< of the queries of a group
};

BoundStep bind(CallSite &site) {
  Result<AttentionGradientPlan> plan = AttentionGradientPlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  if (std::ranges::all_of(site.outs, [](const Operand &out) { return out.shape.elements() == 0; }))
    return makeStep([](void *const *, std::byte *) {});
  return visitFloat<BoundStep>(site.ins[0].shape.type, [&](auto tag) -> BoundStep {
    using T = typename decltype(tag)::Type;
    AttentionGradient<T> gradient(*plan);
    size_t bytes = static_cast<size_t>(gradient.scratchElements(site.numThreads)) * sizeof(Wide<T>);
    return makeStep(
        [gradient, numThreads = site.numThreads](void *const *buffers, std::byte *scratch) {
          gradient.run(buffers, scratch, numThreads);
        },
        bytes);
  });
}

const RegisteredCall registered({.name = abi::calls::attentionGradient,
                                 .minIns = 4,
                                 .maxIns = 5,
                                 .numOuts = 3,
                                 .takesStrides = true},
                                bind);

} // namespace
} // namespace sheaf::rt::host
