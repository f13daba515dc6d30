// The dialects that kernels are made of, for passes that depend on them.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_KERNEL_DIALECTS_H
#define SHEAF_PASSES_LOWERING_KERNEL_KERNEL_DIALECTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#endif
