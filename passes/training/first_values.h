// First values of parameters that the model's file does not have as they are kept.
#ifndef SHEAF_PASSES_TRAINING_FIRST_VALUES_H
#define SHEAF_PASSES_TRAINING_FIRST_VALUES_H

#include "passes/training/initializers.h"

namespace sheaf::training {

/// Puts the function "prepare" before `step`, a step of `model` that is built, if there is something to do once, when
/// a program is loaded: values of initializers are drawn, which depend on the seed of the run, the parameter's name and
/// the place in it alone, and what is kept in another type than the model's is rounded to it.
void buildFirstValues(mlir::func::FuncOp model, mlir::func::FuncOp step,
                      llvm::ArrayRef<Initializer> initializers);

} // namespace sheaf::training

#endif
