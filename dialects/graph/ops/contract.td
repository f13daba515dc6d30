// The contraction of two tensors: MatMul, Gemm, Einsum.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_CONTRACT
#define SHEAF_DIALECTS_GRAPH_OPS_CONTRACT

include "dialects/graph/graph_attrs.td"

def Graph_ContractOp : Graph_Op<"contract",
    [ShardingRule, PassesPartials, Differentiable, HasCost]> {
  let summary = "Sums products over contracted dims";
  let description = [{
    The dims of the result are the batch dims as listed, then the free dims of `lhs`, then those of
    `rhs`, both in operand order. 16-bit floats accumulate in f32; integers accumulate in the result's type.
    (C1) batch and contracted dims are dims of their operand, each named once.
    (C2) paired dims have equal extents.
    (C3) the shape of the result follows from the operands.
    (C4) float operands have one element type, which is the result's or narrower than it.
    ```mlir
    %c = graph.contract %a, %b batch [0] x [0] over [2] x [1]
        : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$lhs, Graph_Tensor:$rhs, DenseI64ArrayAttr:$lhsBatch,
      DenseI64ArrayAttr:$rhsBatch, DenseI64ArrayAttr:$lhsContract, DenseI64ArrayAttr:$rhsContract);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `batch` $lhsBatch `x` $rhsBatch `over` $lhsContract `x` $rhsContract attr-dict
    `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
      "::llvm::ArrayRef<int64_t>":$lhsBatch, "::llvm::ArrayRef<int64_t>":$rhsBatch,
      "::llvm::ArrayRef<int64_t>":$lhsContract, "::llvm::ArrayRef<int64_t>":$rhsContract)>];
  let extraClassDeclaration = [{
    /// The dims of an operand that are neither batch nor contracted.
    ::llvm::SmallVector<int64_t> getLhsFree();
    ::llvm::SmallVector<int64_t> getRhsFree();
    /// The shape of the result for these operand shapes; dims must be valid.
    static ::llvm::SmallVector<int64_t> resultShape(::llvm::ArrayRef<int64_t> lhs,
        ::llvm::ArrayRef<int64_t> rhs, ::llvm::ArrayRef<int64_t> lhsBatch,
        ::llvm::ArrayRef<int64_t> rhsBatch, ::llvm::ArrayRef<int64_t> lhsContract,
        ::llvm::ArrayRef<int64_t> rhsContract);
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif
