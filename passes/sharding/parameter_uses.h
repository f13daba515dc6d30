// Where a model first computes with each of its parameters, and how.
#ifndef SHEAF_PASSES_SHARDING_PARAMETER_USES_H
#define SHEAF_PASSES_SHARDING_PARAMETER_USES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace sheaf::sharding {

/// The first op that computes something of a parameter and of what is no parameter.
struct ParameterUse {
  unsigned argument;
  int64_t position; ///< of the op in its block; past the end for a parameter without use
  unsigned kind;    ///< equal for parameters of equal types in equal ops
};

/// The parameters of a function in the order of their first uses.
class ParameterUses {
public:
  explicit ParameterUses(mlir::func::FuncOp function);

  llvm::ArrayRef<ParameterUse> all() const { return uses; }
  /// The bytes, but for those of parameters, that are handed on where the fewest are, between the first use of
  /// parameter `index` and that of the one before it: what a cut between the two goes through. The largest number where
  /// one op uses both.
  int64_t bytesAcross(size_t index) const;

private:
  /// The first use of a stored value, perhaps through others.
  struct Use {
    int64_t position;
    unsigned kind;
  };

  void findStored();
  void findLiveBytes();
  Use firstUse(mlir::Value value);

  mlir::func::FuncOp function;
  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::DenseSet<mlir::Value>
      stored; ///< parameters, constants and what is computed from them alone
  llvm::DenseMap<mlir::Value, Use> known;
  std::map<llvm::SmallVector<const void *>, unsigned>
      kinds; ///< of ops and types, by what they are uniqued to
  llvm::SmallVector<ParameterUse> uses;
  llvm::SmallVector<int64_t> liveBytes; ///< per position
};

} // namespace sheaf::sharding

#endif
