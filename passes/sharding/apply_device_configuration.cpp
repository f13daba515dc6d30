// Annotates tensors as a device configuration of the model says.
#include "passes/sharding/annotator.h"
#include "passes/sharding/configured_mesh.h"
#include "passes/sharding/model_values.h"
#include "passes/sharding/passes.h"

#include "dialects/dist/device_configuration.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGAPPLYDEVICECONFIGURATIONPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf;
using namespace sheaf::dist;
using namespace sheaf::sharding;

namespace {

/// A sharding of the configuration; `isUse`: of an operand at a node, not of a tensor wherever it is.
struct Given {
  DeviceSharding sharding;
  bool isUse;
};

/// One configuration at work on one function.
class ConfigurationWriter {
public:
  ConfigurationWriter(const DeviceConfiguration &configuration, func::FuncOp function)
      : configuration(configuration), function(function), values(function) {}

  LogicalResult run() {
    for (const ConfiguredTensor &tensor : configuration.tensors)
      if (failed(read("", tensor, /*isUse=*/false)))
        return failure();
    for (const ConfiguredNode &node : configuration.nodes) {
      if (node.isInner) {
        numInner += node.inputs.size() + node.outputs.size();
        continue;
      }
      for (const ConfiguredTensor &tensor : node.outputs)
        if (failed(read(node.node, tensor, /*isUse=*/false)))
          return failure();
      for (const ConfiguredTensor &tensor : node.inputs)
        if (failed(read(node.node, tensor, /*isUse=*/true)))
          return failure();
    }
    if (failed(provideMesh()))
      return failure();
    FailureOr<Annotator> annotator = Annotator::of(function);
    if (failed(annotator) || failed(convert(annotator->getMesh())))
      return failure();
    if (failed(apply(*annotator)))
      return failure();
    warn();
    return success();
  }

private:
  InFlightDiagnostic emitError() {
    return function.emitError("device configuration \"") << configuration.name << "\" ";
  }

  LogicalResult read(StringRef node, const ConfiguredTensor &tensor, bool isUse) {
    Given entry{{node, tensor.tensor, {}, {}}, isUse};
    llvm::Expected<DeviceList> devices = tensor.deviceList();
    if (!devices)
      return emitError() << "can't be followed: " << describe(entry.sharding)
                         << llvm::toString(devices.takeError());
    entry.sharding.devices = std::move(*devices);
    for (const ConfiguredTensor::Dim &dim : tensor.dims)
      entry.sharding.axes.push_back(dim.axis);
    given.push_back(std::move(entry));
    return success();
  }

  /// Makes a mesh where there is none; one that is there must have as many devices.
  LogicalResult provideMesh() {
    auto module = function->getParentOfType<ModuleOp>();
    int64_t numDevices = configuration.numDevices;
    for (MeshOp mesh : module.getOps<MeshOp>()) {
      if (mesh.getMesh().getNumDevices() != numDevices)
        return emitError() << "has " << numDevices << " devices, but the mesh "
                           << textOf(mesh.getMesh()) << " has " << mesh.getMesh().getNumDevices();
      return success();
    }
    MLIRContext *context = function.getContext();
    if (numDevices > kMaxDevices)
      return emitError() << "has " << numDevices << " devices; a mesh has at most " << kMaxDevices;
    auto shardings = llvm::map_to_vector(given, [](const Given &entry) { return entry.sharding; });
    auto isStored = [&](StringRef tensor) { return values.isStored(tensor); };
    llvm::Expected<MeshAttr> mesh = sharding::meshOf(shardings, numDevices, isStored, context);
    if (!mesh)
      return emitError() << "can't be said by one mesh: " << llvm::toString(mesh.takeError());
    giveMesh(module, *mesh);
    return success();
  }

  /// Finds the axes of all that is given, whether its tensor is left or not.
  LogicalResult convert(MeshAttr mesh) {
    std::map<DeviceList, SmallVector<AxisList>> known;
    for (const Given &entry : given) {
      auto found = known.find(entry.sharding.devices);
      if (found == known.end()) {
        auto axes = axesOf(entry.sharding.devices, mesh);
        if (!axes)
          return emitError() << "can't be said by the mesh " << textOf(mesh) << ": "
                             << describe(entry.sharding) << llvm::toString(axes.takeError());
        found = known.try_emplace(entry.sharding.devices, std::move(*axes)).first;
      }
      Value value = values.lookup(entry.sharding.tensor);
      TensorSharding sharding =
          TensorSharding::whole(value ? cast<RankedTensorType>(value.getType()).getRank() : 0);
      for (auto [axis, axes] : llvm::zip_equal(entry.sharding.axes, found->second)) {
        if (!value)
          break;
        if (axis < 0 || axis >= int64_t(sharding.dims.size()) || !sharding.dims[axis].axes.empty())
          return emitError() << "can't be followed: " << describe(entry.sharding) << "axis " << axis
                             << " is out of range for " << value.getType() << " or cut twice";
        sharding.dims[axis].axes = axes;
      }
      shardings.push_back(std::move(sharding));
    }
    return success();
  }

  LogicalResult apply(Annotator &annotator) {
    // Where each tensor lives: where its node puts it; an argument, where the first node wants it.
    llvm::StringMap<const TensorSharding *> places;
    std::map<std::pair<StringRef, StringRef>, const TensorSharding *> uses;
    for (auto [entry, sharding] : llvm::zip_equal(given, shardings))
      if (!entry.isUse)
        places.try_emplace(entry.sharding.tensor, &sharding);
    for (auto [entry, sharding] : llvm::zip_equal(given, shardings))
      if (entry.isUse) {
        auto [known, isNew] =
            uses.try_emplace({entry.sharding.node, entry.sharding.tensor}, &sharding);
        if (!isNew && *known->second != sharding)
          return emitError() << "can't be followed: several nodes are called \""
                             << entry.sharding.node << "\" and want \"" << entry.sharding.tensor
                             << "\" in different places";
        if (isa_and_present<BlockArgument>(values.lookup(entry.sharding.tensor)))
          places.try_emplace(entry.sharding.tensor, &sharding);
      }
    // What is annotated at a use stays; these are found before annotations are added.
    std::vector<std::pair<OpOperand *, const TensorSharding *>> elsewhere;
    function.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        for (StringRef tensor : values.namesOf(operand.get())) {
          auto found = uses.find({graph::nodeOf(op), tensor});
          if (found == uses.end())
            continue;
          followed.insert(found->first);
          const TensorSharding *place = places.lookup(tensor);
          if (!place || *place != *found->second)
            elsewhere.emplace_back(&operand, found->second);
        }
    });
    for (const auto &[tensor, value] : values.all())
      if (const TensorSharding *place = places.lookup(tensor))
        annotator.give(value, *place);
    for (auto [operand, sharding] : elsewhere)
      annotator.giveUse(*operand, *sharding);
    for (auto [entry, sharding] : llvm::zip_equal(given, shardings)) {
      const TensorSharding *place = places.lookup(entry.sharding.tensor);
      bool isPlaced = values.lookup(entry.sharding.tensor) && place && *place == sharding;
      if (isPlaced || followed.contains({entry.sharding.node, entry.sharding.tensor}))
        continue;
      if (numUnused++ == 0)
        firstUnused = &entry.sharding;
    }
    return success();
  }

  void warn() {
    if (llvm::any_of(configuration.nodes,
                     [](const ConfiguredNode &node) { return node.stage > 0; }))
      function.emitWarning("device configuration \"")
          << configuration.name
          << "\" has pipeline stages, which are not followed yet: every rank runs every node";
    if (numUnused + numInner == 0)
      return;
    InFlightDiagnostic diagnostic = function.emitWarning("device configuration \"");
    diagnostic << configuration.name << "\": " << numUnused + numInner << " of "
               << given.size() + numInner
               << " shardings have no effect, as their tensors or nodes are folded into others or "
                  "inside of sub-graphs";
    if (firstUnused)
      diagnostic << ", first that of \"" << firstUnused->tensor << "\" at node \""
                 << firstUnused->node << '"';
  }

  const DeviceConfiguration &configuration;
  func::FuncOp function;
  ModelValues values;
  std::vector<Given> given;
  /// Of `given`; without dims where the tensor is gone.
  std::vector<TensorSharding> shardings;
  std::set<std::pair<StringRef, StringRef>> followed;
  size_t numUnused = 0, numInner = 0;
  const DeviceSharding *firstUnused = nullptr;
};

struct ApplyDeviceConfiguration
    : sharding::impl::ShardingApplyDeviceConfigurationPassBase<ApplyDeviceConfiguration> {
  using ShardingApplyDeviceConfigurationPassBase::ShardingApplyDeviceConfigurationPassBase;

  void runOnOperation() override {
    std::optional<DeviceConfiguration> configuration = find();
    if (!configuration)
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(ConfigurationWriter(*configuration, function).run()))
        return signalPassFailure();
  }

private:
  /// The configuration of that name; none after an error.
  std::optional<DeviceConfiguration> find() {
    ModuleOp module = getOperation();
    auto all = module->getAttrOfType<ArrayAttr>(kDeviceConfigurations);
    std::string names;
    for (Attribute attr : all ? all.getValue() : ArrayRef<Attribute>()) {
      std::optional<DeviceConfiguration> configuration = DeviceConfiguration::from(attr);
      if (!configuration) {
        module.emitError("'") << kDeviceConfigurations
                              << "' holds what is no device configuration: " << attr;
        return std::nullopt;
      }
      if (configuration->name == name)
        return configuration;
      names += (names.empty() ? "\"" : ", \"") + configuration->name + '"';
    }
    module.emitError("device configuration \"")
        << name << "\" is unknown; the model has " << (names.empty() ? "none" : names);
    return std::nullopt;
  }
};

} // namespace
