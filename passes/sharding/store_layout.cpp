// The layouts by name, and the dims that they cut.
#include "passes/sharding/store_layout.h"

#include "dialects/graph/graph.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {
namespace {

constexpr StringLiteral dataAxis[] = {"data"};
constexpr StringLiteral hybridAxes[] = {"replica", "shard"};

/// The first stage in which parameters are stored in parts.
constexpr int kParameterStage = 3;

struct Named {
  StringLiteral name;
  int stage;
  ArrayRef<StringLiteral> axes; ///< the last one is stored along
};

constexpr Named layouts[] = {{"ddp", 0, dataAxis},
                             {"zero1", 1, dataAxis},
                             {"zero2", 2, dataAxis},
                             {"zero3", 3, dataAxis},
                             {"hsdp", 3, hybridAxes}};

const Named *find(StringRef name) {
  const auto *found =
      llvm::find_if(layouts, [&](const Named &layout) { return layout.name == name; });
  return found == std::end(layouts) ? nullptr : found;
}

} // namespace

ArrayRef<StringLiteral> StoreLayout::batchAxes(StringRef name) {
  const Named *found = find(name);
  return found ? found->axes : ArrayRef<StringLiteral>();
}

bool StoreLayout::storesParameters(StringRef name) {
  const Named *found = find(name);
  return found && found->stage >= kParameterStage;
}

std::string StoreLayout::names() {
  return llvm::join(llvm::map_range(layouts, [](const Named &layout) { return layout.name; }),
                    ", ");
}

FailureOr<StoreLayout> StoreLayout::create(StringRef name, MeshAttr mesh,
                                           const StoreOptions &options,
                                           function_ref<InFlightDiagnostic()> emitError) {
  const Named *found = find(name);
  if (!found)
    return emitError() << "layout \"" << name << "\" is unknown; there are " << names();
  if (options.threshold < 0)
    return emitError() << "a threshold is a number of elements, found " << options.threshold;
  StoreLayout layout;
  layout.stage = found->stage;
  layout.options = options;
  for (StringRef axis : found->axes) {
    std::optional<unsigned> index = mesh.indexOf(axis);
    if (!index)
      return emitError() << "layout " << name << " needs a mesh axis named " << axis << ": --mesh "
                         << axis << "=2; the mesh is " << textOf(mesh);
    layout.store = {*index, 1, mesh.getAxes()[*index].getSize()};
    if (layout.store.size > 1)
      append(layout.shared, layout.store);
  }
  if (options.keepsGathered && !layout.storesParameters())
    return emitError() << "keeping gathered parameters has no effect on layout " << name;
  if (options.defersReduction && layout.stage < 2)
    return emitError() << "layout " << name << " always reduces the sum of all micro-batches";
  if (options.threshold != 0 && layout.stage < 1)
    return emitError() << "a threshold has no effect on layout " << name;
  return layout;
}

TensorSharding StoreLayout::computedAt(TensorSharding given) const {
  for (DimSharding &dim : given.dims)
    dim.isOpen = false;
  given.replicated.clear();
  return given;
}

TensorSharding StoreLayout::storedAt(RankedTensorType type, TensorSharding own) const {
  if (store.size == 1 || type.getRank() == 0 || type.getNumElements() < options.threshold)
    return own;
  std::optional<unsigned> best;
  for (bool isFree : {true, false})
    for (unsigned dim : llvm::seq<unsigned>(type.getRank()))
      if (!best && own.dims[dim].axes.empty() == isFree && type.getDimSize(dim) > 0 &&
          type.getDimSize(dim) % (own.numParts(dim) * store.size) == 0)
        best = dim;
  if (!best)
    best =
        std::max_element(type.getShape().begin(), type.getShape().end()) - type.getShape().begin();
  append(own.dims[*best].axes, store);
  return own;
}

TensorSharding StoreLayout::partsAt(TensorSharding stored) const {
  for (Axis axis : shared)
    if (axis != store)
      append(stored.partial, axis);
  return stored;
}

Value StoreLayout::carriedInto(Block *block) {
  return isa_and_nonnull<graph::LoopOp>(block->getParentOp()) && block->getNumArguments() > 1
             ? Value(block->getArgument(1))
             : Value();
}

Value StoreLayout::firstComputedAfter(Operation *loss, Operation *user) {
  for (Value operand : user->getOperands())
    if (Operation *op = operand.getDefiningOp();
        op && op->getBlock() == loss->getBlock() && loss->isBeforeInBlock(op))
      return operand;
  return loss->getOperand(0);
}

} // namespace sheaf::sharding
