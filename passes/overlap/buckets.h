// Which collectives of a block travel together.
#ifndef SHEAF_PASSES_OVERLAP_BUCKETS_H
#define SHEAF_PASSES_OVERLAP_BUCKETS_H

#include "dialects/dist/dist.h"
#include "dialects/interfaces/graph_interfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace sheaf::overlap {

/// A collective that moves a parameter, or its gradient.
struct Candidate {
  JointOpInterface op;
  mlir::Attribute parameter; ///< its name
  int64_t group;
  int64_t bytes; ///< of the full buffer
};

/// Finds candidates.
class Candidates {
public:
  /// `groups` are those of parameters by name; where `isBySize` all are one.
  Candidates(llvm::StringMap<int64_t> groups, bool isBySize)
      : groups(std::move(groups)), isBySize(isBySize) {}

  /// `op` as a candidate; none when it moves no parameter, or one without a group.
  std::optional<Candidate> of(mlir::Operation *op) const;

private:
  llvm::StringMap<int64_t> groups;
  bool isBySize;
};

/// Collectives that become one.
struct Bucket {
  llvm::SmallVector<Candidate> members; ///< the first one came first
  int64_t bytes = 0;

  JointOpInterface first() const { return members.front().op; }
};

/// Fills buckets. Only the last one of a group and kind of collective is open.
class Buckets {
public:
  /// `maxBytes`: of a bucket of several; 0 is no limit.
  explicit Buckets(int64_t maxBytes) : maxBytes(maxBytes) {}

  /// Adds a candidate to the open bucket where it may be, and that does not have its parameter; else to a new one.
  Bucket &add(const Candidate &candidate, llvm::function_ref<bool(const Bucket &)> mayBeIn);

  llvm::MutableArrayRef<Bucket> all() { return buckets; }

private:
  bool fits(const Bucket &bucket, const Candidate &candidate) const;

  int64_t maxBytes;
  std::vector<Bucket> buckets;
};

} // namespace sheaf::overlap

#endif
