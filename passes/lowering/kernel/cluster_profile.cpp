// Profiles the ops of a cluster and tells clusters apart.
#include "passes/lowering/kernel/cluster_profile.h"

#include "passes/lowering/kernel/kernel_compiler.h"
#include "passes/lowering/kernel/stored_type.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

ClusterProfile ClusterProfile::of(graph::ClusterOp cluster) {
  ClusterProfile profile;
  for (Operation &op : cluster.getBodyBlock()->without_terminator()) {
    profile.onlyMoves &= isa<graph::BroadcastOp, graph::ReshapeOp>(op);
    if (!isa<EmitOpInterface>(op))
      continue;
    OpProfile ofOp = OpProfile::of(&op);
    for (int64_t dim : ofOp.countedDims)
      profile.counted.push_back({op.getResult(0), dim});
    profile.ops[&op] = std::move(ofOp);
  }
  for (Type type : llvm::concat<const Type>(cluster->getOperandTypes(), cluster->getResultTypes()))
    profile.bytes += storedTensorBytes(type);
  return profile;
}

Type ClusterProfile::movedType(Type element) const {
  return onlyMoves ? IntegerType::get(element.getContext(), storedBytesOf(element) * 8) : element;
}

std::string sheaf::lowering::identityOf(graph::ClusterOp cluster, const ClusterBuffers &buffers) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  cluster->print(stream, OpPrintingFlags().useLocalScope().enableDebugInfo(false));
  auto print = [&](ArrayRef<BufferLayout> layouts) {
    for (const BufferLayout &layout : layouts) {
      stream << "\n" << layout.alignment << ":";
      llvm::interleaveComma(layout.strides, stream);
    }
  };
  print(buffers.operands);
  print(buffers.results);
  for (std::optional<unsigned> operand : buffers.overwrites)
    stream << "\n" << (operand ? static_cast<int64_t>(*operand) : -1);
  return key;
}
