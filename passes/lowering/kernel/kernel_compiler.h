// Compiles graph.cluster ops ahead of time: what targets have in common.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_KERNEL_COMPILER_H
#define SHEAF_PASSES_LOWERING_KERNEL_KERNEL_COMPILER_H

#include "dialects/graph/graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
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

/// A compiled cluster; the target says how it is called.
struct Kernel {
  std::string symbol;

  // Host: `void symbol(void **buffers, int64_t begin, int64_t end)` does the units [begin, end) of its
  // work; `buffers` are the operands, then the results. It is re-entrant.
  /// Disjoint ranges of [0, units) may run in parallel; split points are multiples of `grain`.
  int64_t units = 0;
  int64_t grain = 1;
  /// Bytes read and written by one unit.
  int64_t unitBytes = 0;

  // CUDA: one launch of `symbol(buffer0, ...)`, operands, then results.
  /// 0: there is nothing to do, and to launch.
  int64_t gridBlocks = 0;
  int64_t blockThreads = 0;
};

/// Code for one kind of chip, as runtime/abi/executable.fbs has it.
struct DeviceImage {
  unsigned chip = 0;
  bool isPtx = false;
  llvm::SmallVector<char, 0> bytes;
};

/// All kernels of one compiler; empty when it was given none.
struct KernelCode {
  llvm::SmallVector<char, 0> sharedObject; ///< host: ELF
  std::vector<DeviceImage> images;         ///< CUDA
};

/// Collects clusters and compiles them together, for one target. Equal clusters on equal buffers become
/// one kernel.
class KernelCompiler {
public:
  /// The dialects and translations that kernels are made of; a pass that compiles kernels depends
  /// on them.
  static void registerDialects(mlir::DialectRegistry &registry);

  explicit KernelCompiler(mlir::MLIRContext *context) : context(context) {}
  virtual ~KernelCompiler() = default;

  /// Whether result `result` may overwrite operand `operand`, laid out as `buffers` says: no element
  /// of the operand is read after the result's element in its place is written.
  virtual bool mayOverwrite(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                            unsigned operand, unsigned result) = 0;

  /// The kernel for `cluster`.
  Kernel add(graph::ClusterOp cluster, const ClusterBuffers &buffers);

  /// Compiles every kernel added. Call once. Errors: emitted at the clusters they concern, or at an
  /// unknown location.
  virtual mlir::FailureOr<KernelCode> finish() = 0;

protected:
  /// A kernel and what it is compiled from: null after an error that has been emitted.
  struct Pending {
    Kernel kernel;
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };

  /// Plans and emits the kernel `symbol`, which is not compiled yet.
  virtual Pending build(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                        llvm::StringRef symbol) = 0;

  mlir::MLIRContext *context;
  llvm::SmallVector<Pending> pending;

private:
  llvm::StringMap<unsigned> pendingOfKey; ///< by what tells clusters and their buffers apart
};

} // namespace sheaf::lowering

#endif
