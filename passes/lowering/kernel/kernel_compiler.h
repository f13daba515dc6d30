// Compiles graph.cluster ops, ahead of time, into one shared object for the host.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_KERNEL_COMPILER_H
#define SHEAF_PASSES_LOWERING_KERNEL_KERNEL_COMPILER_H

#include "dialects/graph/graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/lowering/kernel/host_cpu.h"
#include "llvm/ADT/StringMap.h"

namespace sheaf::lowering {

/// Where the elements of one operand or result of a cluster lie.
struct BufferLayout {
  /// In elements, one per dim of the tensor; 0 repeats, negative walks backwards. No two elements
  /// of a result share bytes.
  llvm::SmallVector<int64_t> strides;
  /// Bytes that divide the address of the first element.
  int64_t alignment = 64;

  static BufferLayout rowMajor(mlir::RankedTensorType type, int64_t alignment = 64);
};

/// The buffers that one use of a cluster works on.
struct ClusterBuffers {
  llvm::SmallVector<BufferLayout> operands;
  llvm::SmallVector<BufferLayout> results;
  /// Per result, the operand it overwrites; none of the other buffers may overlap. Empty: none does.
  llvm::SmallVector<std::optional<unsigned>> overwrites;

  static ClusterBuffers rowMajor(graph::ClusterOp cluster, int64_t alignment = 64);
};

/// A compiled cluster: `void symbol(void **buffers, int64_t begin, int64_t end)` does the units
/// [begin, end) of its work; `buffers` are the operands, then the results. It is re-entrant.
struct Kernel {
  std::string symbol;
  /// Disjoint ranges of [0, units) may run in parallel; split points are multiples of `grain`.
  int64_t units = 1;
  int64_t grain = 1;
  /// Bytes read and written by one unit.
  int64_t unitBytes = 0;
};

/// Collects clusters and compiles them together.
class KernelCompiler {
public:
  /// The dialects and translations that kernels are made of; a pass that compiles kernels depends
  /// on them.
  static void registerDialects(mlir::DialectRegistry &registry);

  KernelCompiler(mlir::MLIRContext *context, HostCpu cpu);
  ~KernelCompiler();

  /// Whether result `result` may overwrite operand `operand`, laid out as `buffers` says: no element
  /// of the operand is read after the result's element in its place is written.
  bool mayOverwrite(graph::ClusterOp cluster, const ClusterBuffers &buffers, unsigned operand,
                    unsigned result);

  /// Emits a kernel for `cluster`, or finds the one of an equal cluster on equal buffers.
  Kernel add(graph::ClusterOp cluster, const ClusterBuffers &buffers);

  /// Compiles every kernel added and links them into an ELF shared object, whose bytes it returns;
  /// none when nothing was added. Call once. The linker sets all llvm::cl options of the process back
  /// to their defaults: read them before. Errors: emitted at an unknown location.
  mlir::FailureOr<llvm::SmallVector<char, 0>> link();

private:
  struct Pending {
    Kernel kernel;
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };

  mlir::MLIRContext *context;
  HostCpu cpu;
  bool hasAvx512;
  llvm::SmallVector<Pending> pending;
  llvm::StringMap<unsigned> pendingOfKey;
};

} // namespace sheaf::lowering

#endif
