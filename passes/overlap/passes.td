// The passes that decide when ranks communicate, and what travels together.
#ifndef SHEAF_PASSES_OVERLAP_PASSES
#define SHEAF_PASSES_OVERLAP_PASSES

include "mlir/Pass/PassBase.td"

def OverlapGroupCollectivesPass : Pass<"overlap-group-collectives", "::mlir::func::FuncOp"> {
  let summary = "Joins the collectives of parameters that are needed together";
  let description = [{
    Collectives of parameters and their gradients (`dist.parameters`) become one where they are the same but for their
    tensors, and their parameters are of one group (`dist.group` of the arguments). What is computed from parameters
    alone is gathered before the first of them is used; what else is combined or gathered is so once the last of it is
    ready. A collective never holds a parameter twice, and what is gathered again for the backward pass is by itself
    (`dist.gathered_again`): each micro-batch and each pass has its own.
    With `bytes` groups don't count: collectives join in the order in which they are needed, or ready. The body of a
    loop is treated as a function is; nothing leaves it or goes into it.
    Requires: partitioned functions. Ensures: every rank sends what it sent before, in fewer collectives; each result
    is the same to the bit.
  }];
  let options = [
    Option<"bytes", "bytes", "int64_t", /*default=*/"0",
        "Join collectives of up to so many bytes, whatever their groups; default: by groups">,
    Option<"remarks", "remarks", "bool", /*default=*/"false", "Remark for each what it joins">];
  let dependentDialects = ["::sheaf::dist::DistDialect"];
}

#endif
