// Which tensors of the model file the results of ops are.
#ifndef SHEAF_DIALECTS_GRAPH_MODEL_TENSOR_H
#define SHEAF_DIALECTS_GRAPH_MODEL_TENSOR_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace sheaf::graph {

/// The names of the tensors of the model file that one value is, none or several.
using TensorNames = llvm::SmallVector<llvm::StringRef, 1>;

/// Notes which tensors the results of `op` are.
///
/// The note is in the location, beneath the node's name: it goes where the location goes, and says
/// nothing of what an op computes. Each result has its type and names: `[[tensor<4xf32>, "y"]]`.
void setModelTensors(mlir::Operation *op, llvm::ArrayRef<TensorNames> namesOfResults);

/// The names of the tensors that `result` is; none where a rewrite left the location to an op of
/// other results.
TensorNames modelTensorsOf(mlir::OpResult result);

/// The name of the node that `op` came from; empty when it is not known.
llvm::StringRef nodeOf(mlir::Operation *op);

} // namespace sheaf::graph

#endif
