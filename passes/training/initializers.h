// First values of parameters from random numbers.
#ifndef SHEAF_PASSES_TRAINING_INITIALIZERS_H
#define SHEAF_PASSES_TRAINING_INITIALIZERS_H

#include "dialects/graph/primitive_builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sheaf::training {

/// A parameter of a model and the distribution of its first value.
struct Initializer {
  enum class Kind { normal, uniform };

  unsigned argument; ///< of the model
  Kind kind;
  double a, b; ///< mean and deviation, or from and to; equal bounds are a constant
};

/// The initializers that `rules` ask for, each "GLOB=RULE"; of a parameter the last that matches counts.
///
///   normal(S)          of mean 0 and standard deviation S
///   uniform(S)         in [-S, S)
///   xavier_uniform     uniform, S = sqrt(6 / (fan in + fan out)) (Glorot and Bengio 2010)
///   kaiming_normal     normal, S = sqrt(2 / fan in) (He et al. 2015)
///   zeros, ones
///
/// Fans are those of the product or convolution that the parameter is a weight of.
/// Errors: at `model`, other rules, globs that match nothing, fans of what is no weight.
mlir::FailureOr<std::vector<Initializer>> findInitializers(mlir::func::FuncOp model,
                                                           llvm::ArrayRef<std::string> rules);

/// Draws the first value of a parameter of that type and name.
mlir::Value draw(graph::PrimitiveBuilder &b, const Initializer &initializer,
                 mlir::RankedTensorType type, llvm::StringRef name);

} // namespace sheaf::training

#endif
