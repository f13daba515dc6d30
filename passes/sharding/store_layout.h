// The data-parallel layouts of the field: what each stores in parts, and along which axes.
#ifndef SHEAF_PASSES_SHARDING_STORE_LAYOUT_H
#define SHEAF_PASSES_SHARDING_STORE_LAYOUT_H

#include "dialects/dist/tensor_sharding.h"
#include "mlir/IR/Diagnostics.h"

namespace sheaf::sharding {

struct StoreOptions {
  bool keepsGathered = false;   ///< from forward to backward
  bool defersReduction = false; ///< gradients of micro-batches are combined once
  int64_t threshold = 0;        ///< parameters of fewer elements stay whole
};

/// ddp, zero1, zero2, zero3 along axis `data`, hsdp along `shard` with copies along `replica`
/// (Rajbhandari et al. 2020; Zhao et al. 2023). What is not stored in parts is whole along these axes.
class StoreLayout {
public:
  /// The axes along which ranks share the batch in the layout of that name; empty for other names.
  static llvm::ArrayRef<llvm::StringLiteral> batchAxes(llvm::StringRef name);

  /// Whether the layout of that name stores parameters in parts.
  static bool storesParameters(llvm::StringRef name);

  /// The names of all, for messages.
  static std::string names();

  /// Errors: an unknown name, a mesh without its axes, an option without effect.
  static mlir::FailureOr<StoreLayout>
  create(llvm::StringRef name, dist::MeshAttr mesh, const StoreOptions &options,
         llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  bool storesStates() const { return stage >= 1; }
  bool storesParameters() const { return stage >= 3; }
  /// Whether the gradient of each micro-batch is combined, instead of their sum.
  bool combinesParts() const { return stage >= 2 && !options.defersReduction; }
  /// Whether a parameter is gathered for the backward pass by itself.
  bool gathersAgain() const { return storesParameters() && !options.keepsGathered; }
  /// The axes along which ranks share the batch.
  dist::AxisListRef sharedAxes() const { return shared; }

  /// Where the model computes with a parameter that is annotated at `given`.
  dist::TensorSharding computedAt(dist::TensorSharding given) const;
  /// Where a value that is computed at `own` is stored: cut further along the first dim that divides, preferably one
  /// that nothing cuts, else along the longest.
  dist::TensorSharding storedAt(mlir::RankedTensorType type, dist::TensorSharding own) const;
  /// Where gradients of micro-batches are kept until the last: in hsdp not yet combined among copies.
  dist::TensorSharding partsAt(dist::TensorSharding stored) const;

  /// What tells one micro-batch from another: a value that a loop carries into `block`; null outside of loops.
  static mlir::Value carriedInto(mlir::Block *block);
  /// A value that `user` needs and that is known after `loss` only; without one, that of the loss itself.
  static mlir::Value firstComputedAfter(mlir::Operation *loss, mlir::Operation *user);

private:
  int stage = 0;
  StoreOptions options;
  dist::AxisList shared; ///< copies first
  dist::Axis store = {}; ///< along which parts are stored
};

} // namespace sheaf::sharding

#endif
