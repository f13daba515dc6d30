// Wraps the code of a cluster in `void symbol(void **buffers, int64_t begin, int64_t end)`.
#include "passes/lowering/kernel/kernel_module.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/lowering/kernel/cluster_emitter.h"
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

ClusterPlan ClusterPlan::of(graph::ClusterOp cluster, const ClusterBuffers &buffers) {
  ClusterPlan plan;
  plan.space = *cluster.getIterationSpace();
  plan.profile = ClusterProfile::of(cluster);
  plan.schedule = Schedule::of(cluster, buffers, plan.space, plan.profile.counted);
  PassWalk walk{plan.schedule.loopFactors, plan.schedule.walksLanes, plan.schedule.rowElements()};
  if (plan.schedule.walksLanes)
    walk.varying |= plan.schedule.laneFactors;
  plan.passes = PassPlan::of(cluster, plan.space, walk, plan.profile.ops);
  return plan;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Whether every vector of a result, or pair of vectors that make a line of the cache, is stored at a
/// multiple of its size.
static bool isVectorAligned(const BufferLayout &layout, const Access &access,
                            int64_t elementBytes) {
  int64_t lanes = std::max(vectorLanes, cacheLineBytes / elementBytes);
  if (layout.alignment % (lanes * elementBytes) != 0 || access.strides.back() != 1 ||
      access.tileStride % lanes != 0)
    return false;
  return llvm::all_of(ArrayRef(access.strides).drop_back(),
                      [&](int64_t stride) { return stride % lanes == 0; });
}

/// Operands of more bytes are asked for ahead of their use.
static constexpr int64_t largeOperandBytes = 1 << 20;

namespace {

class ModuleBuilder {
public:
  ModuleBuilder(graph::ClusterOp cluster, const ClusterBuffers &buffers, const ClusterPlan &plan)
      : cluster(cluster), buffers(buffers), plan(plan),
        module(ModuleOp::create(UnknownLoc::get(cluster.getContext()))),
        b(module->getLoc(), module->getBodyRegion()),
        pointer(LLVM::LLVMPointerType::get(b.getContext())) {
    b.setInsertionPointToEnd(module->getBody());
  }

  OwningOpRef<ModuleOp> run(HostFeatures features, int64_t cacheBytes, StringRef symbol) {
    LLVM::LLVMFuncOp body = createBody((symbol + "_body").str());
    createEntry(symbol, body);
    b.setInsertionPointToStart(body.addEntryBlock(b));
    bool bypassesCache = false;
    SmallVector<VectorMemory> operands, results;
    for (auto [index, operand] : llvm::enumerate(cluster.getBodyBlock()->getArguments()))
      operands.push_back({argumentOf(body, index),
                          plan.profile.movedType(getElementTypeOrSelf(operand)),
                          plan.schedule.operands[index].strides.back(), /*bypassesCache=*/false,
                          storedTensorBytes(operand.getType()) > largeOperandBytes});
    for (auto [index, type] : llvm::enumerate(cluster->getResultTypes())) {
      Type element = getElementTypeOrSelf(type);
      int64_t bytes = storedTensorBytes(type);
      bool bypasses = !overwrittenBy(index) && plan.profile.bytes > cacheBytes &&
                      bytes > cacheBytes / 4 &&
                      isVectorAligned(buffers.results[index], plan.schedule.results[index],
                                      storedBytesOf(element));
      bypassesCache |= bypasses;
      results.push_back({argumentOf(body, numOperands() + index), plan.profile.movedType(element),
                         plan.schedule.results[index].strides.back(), bypasses});
    }
    ClusterEmitter emitter(b, features, cluster, plan.schedule, plan.passes, operands, results);
    unsigned last = body.getNumArguments() - 1;
    emitter.emitUnits(body.getArgument(last - 1), body.getArgument(last));
    if (bypassesCache) // Others may read once this returns.
      LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange());
    LLVM::ReturnOp::create(b, ValueRange());
    return std::move(module);
  }

private:
  unsigned numOperands() const { return cluster->getNumOperands(); }

  std::optional<unsigned> overwrittenBy(unsigned result) const {
    return buffers.overwrites.empty() ? std::nullopt : buffers.overwrites[result];
  }

  /// A result that overwrites an operand has the operand's pointer: the rest do not alias.
  Value argumentOf(LLVM::LLVMFuncOp body, unsigned buffer) const {
    if (buffer >= numOperands())
      if (std::optional<unsigned> operand = overwrittenBy(buffer - numOperands()))
        return body.getArgument(*operand);
    return body.getArgument(buffer);
  }

  LLVM::LLVMFuncOp createBody(const std::string &name) {
    unsigned numBuffers = numOperands() + cluster->getNumResults();
    SmallVector<Type> types(numBuffers, pointer);
    types.append(2, b.getI64Type());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
    auto body = LLVM::LLVMFuncOp::create(b, name, type, LLVM::Linkage::Internal);
    for (unsigned i = 0; i < numBuffers; ++i) {
      body.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
      body.setArgAttr(i, "llvm.nonnull", b.getUnitAttr());
    }
    return body;
  }

  void createEntry(StringRef symbol, LLVM::LLVMFuncOp body) {
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            {pointer, b.getI64Type(), b.getI64Type()});
    auto entry = LLVM::LLVMFuncOp::create(b, symbol, type);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry.addEntryBlock(b));
    SmallVector<Value> arguments;
    for (unsigned i = 0; i < body.getNumArguments() - 2; ++i) {
      Value place = LLVM::GEPOp::create(b, pointer, pointer, entry.getArgument(0),
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      arguments.push_back(LLVM::LoadOp::create(b, pointer, place));
    }
    arguments.append({entry.getArgument(1), entry.getArgument(2)});
    LLVM::CallOp::create(b, body, arguments);
    LLVM::ReturnOp::create(b, ValueRange());
  }

  graph::ClusterOp cluster;
  const ClusterBuffers &buffers;
  const ClusterPlan &plan;
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder b;
  Type pointer;
};

} // namespace

OwningOpRef<ModuleOp> sheaf::lowering::buildKernelModule(graph::ClusterOp cluster,
                                                         const ClusterBuffers &buffers,
                                                         const ClusterPlan &plan,
                                                         HostFeatures features, int64_t cacheBytes,
                                                         StringRef symbol) {
  return ModuleBuilder(cluster, buffers, plan).run(features, cacheBytes, symbol);
}
