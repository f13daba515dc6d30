// What a module of the exec dialect holds: programs, variables, kernels.
#ifndef SHEAF_DIALECTS_EXEC_OPS_PROGRAM
#define SHEAF_DIALECTS_EXEC_OPS_PROGRAM

include "dialects/exec/exec_types.td"

def Exec_MeshOp : Exec_Op<"mesh"> {
  let summary = "The ranks that run the programs, in a grid with named axes";
  let description = [{
    Rank `devices[i]` is at place `i` of the row-major grid; without `devices`, rank `i`. A module has at
    most one; without it there is one rank.
    (C1) there is one positive extent per axis, and `devices`, if any, are the ranks in some order.
    ```mlir
    exec.mesh ["data", "tensor"] extents [2, 4]
    ```
  }];
  let arguments = (ins StrArrayAttr:$axes, DenseI64ArrayAttr:$extents,
      OptionalAttr<DenseI64ArrayAttr>:$devices);
  let assemblyFormat = "$axes `extents` $extents (`devices` $devices^)? attr-dict";
  let hasVerifier = 1;
}

def Exec_ProgramOp : Exec_Op<"program", [IsolatedFromAbove, Symbol, NoTerminator,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A list of instructions with inputs and outputs";
  let description = [{
    The arguments of the body are the inputs, then the outputs. `arena` is the number of bytes that
    the program needs in each memory space, once it has been planned. `defaults` names the variables
    that give the values of inputs that are not fed. `micro_batches` is the extent of dim 0 of every input
    of a program that is fed samples, and `paddings` the value of inputs that makes a sample count for
    nothing (runtime/abi/executable.fbs). `shards` says how arguments of several ranks lie in
    whole tensors.
    (C1) there is one argument per name, and each is a plain buffer.
    (C2) the names of inputs differ, and so do those of outputs.
    (C3) once planned, every buffer has a place within the arena of its space.
    (C4) a default is of an input, and a variable of its type.
    (C5) there is one shard per argument. (C6) a padding is an integer, of an input.
    ```mlir
    exec.variable @x : !exec.buffer<4xf32> from dense<1.0> : tensor<4xf32>
    exec.program @forward inputs ["x"] outputs ["y"] defaults {x = @x} arena [0] {
    ^bb0(%x: !exec.buffer<4xf32>, %y: !exec.buffer<4xf32>):
      exec.call "copy"(%x) -> (%y) : (!exec.buffer<4xf32>) -> (!exec.buffer<4xf32>)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$inputs, StrArrayAttr:$outputs,
      OptionalAttr<DictionaryAttr>:$defaults,
      OptionalAttr<TypedArrayAttrBase<Exec_ShardAttr, "array of shards">>:$shards,
      OptionalAttr<I64Attr>:$microBatches, OptionalAttr<DictionaryAttr>:$paddings,
      OptionalAttr<DenseI64ArrayAttr>:$arenaBytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `inputs` $inputs `outputs` $outputs (`defaults` $defaults^)? (`shards` $shards^)?
    (`micro_batches` $microBatches^)? (`paddings` $paddings^)? (`arena` $arenaBytes^)? $body attr-dict
  }];
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    ::mlir::ArrayRef<::mlir::BlockArgument> getInputBuffers() {
      return getBlock().getArguments().take_front(getInputs().size());
    }
    ::mlir::ArrayRef<::mlir::BlockArgument> getOutputBuffers() {
      return getBlock().getArguments().drop_front(getInputs().size());
    }
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Exec_ScheduleOp : Exec_Op<"schedule", [Symbol, NoTerminator,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Programs that run one after another, as one";
  let description = [{
    Users run it by its name; its parts only it runs, in one arena. Parts take inputs and give outputs of the whole by
    name, and find in carried variables what parts before them left there. `micro_batches` is as in `exec.program`.
    (C1) the names of inputs differ, and so do those of outputs.
    (C2) the body holds `exec.run` ops, each of a program, or still of the function that becomes it, of which nothing
    else is asked.
    (C3) a part's inputs and outputs are those of the whole; each of these is some part's, and of one type in all.
    (C4) an output is of one program only.
    ```mlir
    exec.schedule @train_step inputs ["x"] outputs ["loss"] micro_batches 4 {
      exec.run @train_step.begin
      exec.run @train_step.micro_batch times 4
      exec.run @train_step.end
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$inputs, StrArrayAttr:$outputs,
      OptionalAttr<I64Attr>:$microBatches);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `inputs` $inputs `outputs` $outputs (`micro_batches` $microBatches^)? $body attr-dict
  }];
  let extraClassDeclaration = "::mlir::Block &getBlock() { return getBody().front(); }";
  let hasVerifier = 1;
}

def Exec_RunOp : Exec_Op<"run", [HasParent<"ScheduleOp">]> {
  let summary = "Runs a program as a part of a schedule";
  let description = [{
    (C1) `times` is positive.
    ```mlir
    exec.run @train_step.micro_batch times 4
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, DefaultValuedAttr<I64Attr, "1">:$times);
  let assemblyFormat = "$program (`times` $times^)? attr-dict";
  let hasVerifier = 1;
}

def Exec_VariableOp : Exec_Op<"variable", [Symbol]> {
  let summary = "A value that outlives a run";
  let description = [{
    Its first value is in the executable or in a file; without a source the program "prepare" writes
    it. A variable that only "prepare" reads is freed when that has run. `shard` says how the block that
    a rank holds lies in the whole, which is what the source has. A checkpoint holds the variables that are
    parameters or states; a carried one holds what a part of a schedule leaves for other parts.
    (C1) the type is plain or packed.
    (C2) the source has the bytes of the type, or of the shard's whole; a packed variable has none.
    (C3) a carried variable has no source: the first part that uses it writes it.
    ```mlir
    exec.variable @"h.0/w" : !exec.buffer<4x8xf32> from #exec.file<"weights.bin", 0, 128> as parameter
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Exec_BufferType>:$type,
      OptionalAttr<AnyAttr>:$source, OptionalAttr<Exec_ShardAttr>:$shard,
      DefaultValuedAttr<Exec_RoleAttr, "::sheaf::exec::Role::other">:$role, UnitAttr:$isPrepareOnly);
  let assemblyFormat = [{
    (`prepare_only` $isPrepareOnly^)? $sym_name `:` $type (`shard` $shard^)? (`from` $source^)?
    (`as` `` $role^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Exec_KernelOp : Exec_Op<"kernel", [IsolatedFromAbove, Symbol, NoTerminator]> {
  let summary = "Code to be generated";
  let description = [{
    The body is what the kernel computes, in the terms of the dialect that it comes from, with one
    argument per buffer read; kernels with equal bodies are one.
    ```mlir
    exec.kernel @kernel_0 {
    ^bb0(%x: tensor<4xf32>):
      %y = graph.cluster(%x) : (tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%a: tensor<4xf32>):
        %b = graph.unary exp %a : tensor<4xf32>
        graph.yield %b : tensor<4xf32>
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name $body attr-dict";
}

#endif
