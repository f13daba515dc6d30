// Passes that lower the graph of one rank to instructions and memory. README.md shows their order.
#ifndef SHEAF_PASSES_LOWERING_PASSES
#define SHEAF_PASSES_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

/// What kernels are made of: for passes that ask the kernel compiler about ops.
defvar KernelDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];

defvar DeviceOption = Option<"device", "device", "::sheaf::lowering::Device",
    /*default=*/"::sheaf::lowering::Device::host", "Who computes",
    "::llvm::cl::values(clEnumValN(::sheaf::lowering::Device::host, \"host\", \"Processors\"), "
    "clEnumValN(::sheaf::lowering::Device::cuda, \"cuda\", \"GPUs\"))">;

def LoweringLegalizePass : Pass<"lowering-legalize"> {
  let summary = "Turns ops that a library call computes into exec.apply";
  let description = [{
    Requires: no loops, and composites decomposed unless a call computes them.
    Ensures: what remains in graph form are views, elementwise ops and reductions.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect", "::sheaf::graph::GraphDialect"];
  let options = [DeviceOption, Option<"allowTf32", "allow-tf32", "bool", /*default=*/"false",
      "GPUs may round what they multiply from f32 to TF32">];
}

def LoweringNarrowProductsPass : Pass<"lowering-narrow-products", "::mlir::func::FuncOp"> {
  let summary = "Lets contractions take 8-bit floats and their scales as they are";
  let description = [{
    A contraction of two tensors that were widened from 8-bit floats, each times one number if times anything,
    becomes a call on the narrow tensors with these numbers as scales (runtime/abi/narrow_product.h says which have
    one). What is contracted is made innermost. Roundings between widening and contraction are left out.
    Requires: a device whose call `contract` takes them: GPUs. Ensures: nothing that later passes need.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect", "::sheaf::graph::GraphDialect"];
}

def LoweringUnrollLoopsPass : Pass<"lowering-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "Repeats the bodies of loops";
  let description = [{
    Requires: any. Ensures: no graph.loop; a loop that would give too many ops is an error.
  }];
  let dependentDialects = ["::sheaf::graph::GraphDialect"];
}

def LoweringOutlineLoopsPass : Pass<"lowering-outline-loops", "::mlir::ModuleOp"> {
  let summary = "Makes the trips of a loop a program of their own";
  let description = [{
    A function with a loop on its top level becomes three, "F.begin", "F.micro_batch" (or "F.trip") and "F.end",
    and an `exec.schedule` that runs the second once per trip. What crosses between them is in carried variables:
    arguments and results with `exec.carried`. Of several loops the longest is taken; the others, and loops of less
    than two trips, are repeated in place.
    Requires: shapes and collectives of one rank. Ensures: no graph.loop.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect", "::sheaf::graph::GraphDialect"];
}

def LoweringFuseEpiloguesPass : Pass<"lowering-fuse-epilogues"> {
  let summary = "Lets calls add bias and residual, scale and activate their result";
  let description = [{
    On GPUs contractions also keep what gelu_tanh is applied to, multiply a gradient by its derivative, and sum up the
    rows of a gradient, which is the gradient of a bias.
    Requires: contractions and convolutions in value form. Ensures: nothing that later passes need.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect", "::sheaf::graph::GraphDialect"];
  let options = [DeviceOption];
}

def LoweringCheckCallsPass : Pass<"lowering-check-calls", "::mlir::func::FuncOp"> {
  let summary = "Refuses calls that the device does not have";
  let description = [{
    Requires: calls in value form. Ensures: the device has all of them (runtime/abi/cuda_calls.h), for their
    element types. Every one that it has not is an error at its node.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect"];
  let options = [DeviceOption];
}

def LoweringClusterPass : Pass<"lowering-cluster", "::mlir::func::FuncOp"> {
  let summary = "Groups element-wise ops and reductions into clusters";
  let description = [{
    Requires: composites decomposed. Ensures: every op with vector code for its types is in a
    `graph.cluster`, but views of stored tensors and constants. Ops go together where that saves
    memory traffic and repeats no work.
  }];
  let dependentDialects = ["::sheaf::graph::GraphDialect"] # KernelDialects;
}

def LoweringChannelsLastPass : Pass<"lowering-channels-last", "::mlir::func::FuncOp"> {
  let summary = "Lets convolutions and what lies between them compute with the channels innermost";
  let description = [{
    Requires: convolutions in value form, clusters formed. Ensures: convolutions with constant
    filters read and write [n, space.., c] where the library is faster on that; transposes stand
    only where other ops begin.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect"];
}

def LoweringPackWeightsPass : Pass<"lowering-pack-weights", "::mlir::func::FuncOp"> {
  let summary = "Stores weights in the layout that the library multiplies fastest with";
  let description = [{
    Requires: layouts of the other operands are final. Ensures: packed tensors depend on parameters
    only.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect"];
}

def LoweringHoistPreparePass : Pass<"lowering-hoist-prepare", "::mlir::ModuleOp"> {
  let summary = "Moves what depends on parameters only into a function that runs once";
  let description = [{
    Requires: clusters are formed. Ensures: the function `@prepare`, if any, computes variables;
    packed weights are among them.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect", "::mlir::func::FuncDialect"];
}

def LoweringReuseOperandsPass : Pass<"lowering-reuse-operands", "::mlir::ModuleOp"> {
  let summary = "Lets instructions overwrite operands that nothing reads later";
  let description = [{
    Requires: programs on buffers, not planned. Ensures: an instruction writes over an operand only
    where its kernel or call allows that.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect"] # KernelDialects;
  let options = [DeviceOption];
}

def LoweringUpdateInPlacePass : Pass<"lowering-update-in-place", "::mlir::ModuleOp"> {
  let summary = "Writes the new values of variables over the old ones";
  let description = [{
    Requires: programs on buffers, not planned, on one stream. Ensures: a copy to a variable is left only where the
    old value is read after the new one is first written.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect"] # KernelDialects;
  let options = [DeviceOption];
}

def LoweringBufferizePass : Pass<"lowering-bufferize", "::mlir::ModuleOp"> {
  let summary = "Turns functions on tensors into programs on buffers";
  let description = [{
    Requires: every elementwise op and reduction is in a cluster.
    Ensures: the module holds variables, kernels and programs only. Views are not copied where their
    users take strides; results are written where they are needed.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect"];
}

def LoweringAssignStreamsPass : Pass<"lowering-assign-streams", "::mlir::ModuleOp"> {
  let summary = "Lets collectives run beside computation";
  let description = [{
    Collectives go to stream 1, in their order, which is that of every rank. An instruction waits for an
    event of the other stream where it reads what that wrote, or writes what that touched.
    Requires: programs on buffers, not planned. Ensures: no two streams touch one memory at once.
  }];
}

def LoweringPlanMemoryPass : Pass<"lowering-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Gives every buffer its place";
  let description = [{
    Requires: programs on buffers.
    Ensures: every buffer has an offset, every program the size of its arena. No two values that are
    live at the same time share bytes; this is checked.
  }];
  let dependentDialects = ["::sheaf::exec::ExecDialect"];
  let options = [Option<"deviceMemory", "device-memory", "int64_t", /*default=*/"0",
      "Bytes that variables and arena may take together; 0 is no limit">];
}

#endif
