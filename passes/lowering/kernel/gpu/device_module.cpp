// Declares the kernel and the memory that its threads meet in, and fills it with the code of a thread.
#include "passes/lowering/kernel/gpu/device_module.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/lowering/kernel/gpu/thread_emitter.h"
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

// LLVM's address spaces of NVPTX.
static constexpr unsigned globalSpace = 1, sharedSpace = 3;

DevicePlan DevicePlan::of(graph::ClusterOp cluster, const ClusterBuffers &buffers) {
  DevicePlan plan;
  plan.space = *cluster.getIterationSpace();
  plan.profile = ClusterProfile::of(cluster);
  PassWalk walk{plan.space.reduced};
  if (!plan.space.hasReduction())
    walk.varying.set();
  plan.passes = PassPlan::of(cluster, plan.space, walk, plan.profile.ops);
  plan.threads =
      ThreadPlan::of(cluster, buffers, plan.space, plan.profile, plan.passes.passes.size());
  return plan;
}

namespace {

class ModuleBuilder {
public:
  ModuleBuilder(graph::ClusterOp cluster, const ClusterBuffers &buffers, const DevicePlan &plan,
                StringRef symbol)
      : cluster(cluster), buffers(buffers), plan(plan), symbol(symbol),
        module(ModuleOp::create(UnknownLoc::get(cluster.getContext()))),
        b(module->getLoc(), module->getBodyRegion()) {
    b.setInsertionPointToEnd(module->getBody());
  }

  OwningOpRef<ModuleOp> run() {
    SmallVector<int64_t> operandBytes;
    for (Type type : cluster->getOperandTypes())
      operandBytes.push_back(storedBytesOf(getElementTypeOrSelf(type)));
    MeetingBytes bytes = MeetingBytes::of(plan.threads, plan.passes, operandBytes);
    LLVM::GlobalOp shared = declare("_shared", bytes.shared, sharedSpace),
                   partials = declare("_partials", bytes.partials, globalSpace),
                   counters = declare("_counters", bytes.counters, globalSpace);
    kernel = createKernel();
    b.setInsertionPointToStart(kernel.addEntryBlock(b));
    if (plan.threads.gridBlocks() > 0)
      emitThread({addressOf(shared), addressOf(partials), addressOf(counters)});
    LLVM::ReturnOp::create(b, ValueRange());
    return isComplete ? std::move(module) : nullptr;
  }

private:
  void emitThread(MeetingPlaces places) {
    Value block = readRegister("llvm.nvvm.read.ptx.sreg.ctaid.x");
    Value thread = readRegister("llvm.nvvm.read.ptx.sreg.tid.x");
    const ThreadPlan &threads = plan.threads;
    auto emitter = [&](int64_t width) {
      return ThreadEmitter(b, width, cluster, threads, plan.passes, operands(width), results(width),
                           plan.profile.counted, places);
    };
    ThreadEmitter vectors = emitter(threads.width);
    if (threads.tailElements == 0) {
      vectors.emitThread(block, thread);
      isComplete = vectors.isComplete();
      return;
    }
    // Threads past the vectors take one of the elements that are left.
    Value unit = vectors.sum(vectors.scaled(vectors.counted(block), threads.columns),
                             vectors.counted(thread));
    Value isVector = vectors.isLess(unit, vectors.count(threads.numUnits));
    Value isElement = vectors.isLess(unit, vectors.count(threads.numUnits + threads.tailElements));
    auto branch = scf::IfOp::create(b, isVector, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    vectors.emitThread(block, thread);
    isComplete = vectors.isComplete();
    b.setInsertionPointToStart(branch.elseBlock());
    auto inner = scf::IfOp::create(b, isElement);
    b.setInsertionPointToStart(inner.thenBlock());
    Value element = vectors.sum(unit, vectors.count(threads.numUnits * (threads.width - 1)));
    emitter(1).emitElement(element);
  }

  Value readRegister(StringRef name) {
    return LLVM::CallIntrinsicOp::create(b, b.getI32Type(), b.getStringAttr(name), ValueRange())
        .getResults();
  }

  std::optional<unsigned> overwrittenBy(unsigned result) const {
    return buffers.overwrites.empty() ? std::nullopt : buffers.overwrites[result];
  }

  bool isOverwritten(unsigned operand) const {
    return llvm::is_contained(buffers.overwrites, std::optional<unsigned>(operand));
  }

  DeviceMemory memoryOf(Value base, Type element, unsigned access, int64_t width) const {
    DeviceMemory memory{base, plan.profile.movedType(element)};
    memory.laneStride = plan.threads.laneStrides[access];
    memory.alignment = plan.threads.alignments[access];
    if (width != plan.threads.width)
      memory.alignment = storedBytesOf(element);
    return memory;
  }

  SmallVector<DeviceMemory> operands(int64_t width) {
    SmallVector<DeviceMemory> memories;
    for (auto [index, operand] : llvm::enumerate(cluster.getBodyBlock()->getArguments())) {
      memories.push_back(
          memoryOf(kernel.getArgument(index), getElementTypeOrSelf(operand), index, width));
      memories.back().isConstant = !isOverwritten(index);
    }
    return memories;
  }

  SmallVector<DeviceMemory> results(int64_t width) {
    SmallVector<DeviceMemory> memories;
    for (auto [index, type] : llvm::enumerate(cluster->getResultTypes())) {
      unsigned access = cluster->getNumOperands() + index;
      // A result that overwrites an operand has the operand's pointer: the rest do not alias.
      Value base = kernel.getArgument(overwrittenBy(index).value_or(access));
      memories.push_back(memoryOf(base, getElementTypeOrSelf(type), access, width));
    }
    return memories;
  }

  LLVM::GlobalOp declare(StringRef suffix, int64_t bytes, unsigned space) {
    if (bytes == 0)
      return nullptr;
    Type type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes);
    // Counters begin at zero. Shared memory can't be initialized.
    Attribute zeros = space == globalSpace
                          ? Attribute(b.getZeroAttr(RankedTensorType::get({bytes}, b.getI8Type())))
                          : Attribute();
    auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/false, LLVM::Linkage::Internal,
                                         (symbol + suffix).str(), zeros, /*alignment=*/16, space);
    if (space == sharedSpace) {
      OpBuilder::InsertionGuard guard(b);
      b.createBlock(&global.getInitializerRegion());
      LLVM::ReturnOp::create(b, LLVM::PoisonOp::create(b, type).getResult());
    }
    return global;
  }

  Value addressOf(LLVM::GlobalOp global) {
    return global ? Value(LLVM::AddressOfOp::create(b, global)) : Value();
  }

  LLVM::LLVMFuncOp createKernel() {
    unsigned numBuffers = cluster->getNumOperands() + cluster->getNumResults();
    Type pointer = LLVM::LLVMPointerType::get(b.getContext(), globalSpace);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            SmallVector<Type>(numBuffers, pointer));
    auto function = LLVM::LLVMFuncOp::create(b, symbol, type, LLVM::Linkage::External,
                                             /*dsoLocal=*/false, LLVM::CConv::PTX_Kernel);
    for (unsigned i = 0; i < numBuffers; ++i)
      function.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
    // The assembler gives each thread its part of the registers.
    auto pair = [&](StringRef name, StringRef value) {
      return b.getArrayAttr({b.getStringAttr(name), b.getStringAttr(value)});
    };
    function.setPassthroughAttr(
        b.getArrayAttr({pair("nvvm.maxntid", std::to_string(plan.threads.blockThreads()))}));
    return function;
  }

  graph::ClusterOp cluster;
  const ClusterBuffers &buffers;
  const DevicePlan &plan;
  StringRef symbol;
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder b;
  LLVM::LLVMFuncOp kernel;
  bool isComplete = true;
};

} // namespace

OwningOpRef<ModuleOp> sheaf::lowering::buildDeviceModule(graph::ClusterOp cluster,
                                                         const ClusterBuffers &buffers,
                                                         const DevicePlan &plan, StringRef symbol) {
  return ModuleBuilder(cluster, buffers, plan, symbol).run();
}
