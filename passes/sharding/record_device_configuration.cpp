// Writes where tensors live as a device configuration.
#include "passes/sharding/function_tensors.h"
#include "passes/sharding/model_values.h"
#include "passes/sharding/passes.h"

#include "dialects/dist/device_configuration.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGRECORDDEVICECONFIGURATIONPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf;
using namespace sheaf::dist;
using namespace sheaf::sharding;

namespace {

/// One function at work.
class ConfigurationReader {
public:
  ConfigurationReader(func::FuncOp function, MeshAttr mesh)
      : function(function), mesh(mesh), values(function) {}

  LogicalResult run(DeviceConfiguration &configuration) {
    for (const auto &[tensor, value] : values.all()) {
      ShardingAttr place = placeOf(value);
      if (!place)
        return function.emitError("\"") << tensor << "\" has no sharding; run --sharding-propagate";
      if (auto described = describe(tensor, place))
        configuration.tensors.push_back(std::move(*described));
    }
    function.walk([&](Operation *op) {
      StringRef node = graph::nodeOf(op);
      if (node.empty() || isa<DistDialect>(op->getDialect()))
        return;
      for (Value operand : op->getOperands())
        for (StringRef tensor : values.namesOf(sourceOf(operand)))
          addUse(configuration, node, tensor, operand);
    });
    return success();
  }

private:
  /// The value that annotations are of.
  static Value sourceOf(Value value) {
    while (auto constraint = value.getDefiningOp<ConstraintOp>())
      value = constraint.getOperand();
    return value;
  }

  /// Where users find a value: what they all are told counts, not where it comes from.
  static ShardingAttr placeOf(Value value) {
    while (value.hasOneUse()) {
      auto constraint = dyn_cast<ConstraintOp>(*value.user_begin());
      if (!constraint)
        break;
      value = constraint.getResult();
    }
    return givenSharding(value);
  }

  /// None of partial values: devices hold parts of a sum, which device lists can't say.
  std::optional<ConfiguredTensor> describe(StringRef tensor, ShardingAttr attr) const {
    TensorSharding sharding = TensorSharding::from(attr, mesh);
    if (!sharding.partial.empty())
      return std::nullopt;
    ConfiguredTensor result;
    result.tensor = tensor.str();
    SmallVector<AxisList> cuts;
    for (auto [index, dim] : llvm::enumerate(sharding.dims))
      if (!dim.axes.empty()) {
        result.dims.push_back({int64_t(index), {sizeOf(dim.axes)}, {}});
        cuts.push_back(dim.axes);
      }
    result.owners = deviceListOf(cuts, mesh).owners;
    return result;
  }

  /// Notes that a node wants an operand elsewhere than the tensor lives.
  void addUse(DeviceConfiguration &configuration, StringRef node, StringRef tensor, Value operand) {
    ShardingAttr here = givenSharding(operand), place = placeOf(values.lookup(tensor));
    if (!here ||
        TensorSharding::from(here, mesh).placed() == TensorSharding::from(place, mesh).placed())
      return;
    std::optional<ConfiguredTensor> described = describe(tensor, here);
    if (!described || !noted.insert((node + Twine('\0') + tensor).str()).second)
      return;
    auto [entry, isNew] = nodes.try_emplace(node, configuration.nodes.size());
    if (isNew)
      configuration.nodes.emplace_back().node = node.str();
    configuration.nodes[entry->second].inputs.push_back(std::move(*described));
  }

  func::FuncOp function;
  MeshAttr mesh;
  ModelValues values;
  llvm::StringMap<size_t> nodes;
  llvm::StringSet<> noted;
};

struct RecordDeviceConfiguration
    : sharding::impl::ShardingRecordDeviceConfigurationPassBase<RecordDeviceConfiguration> {
  using ShardingRecordDeviceConfigurationPassBase::ShardingRecordDeviceConfigurationPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    DeviceConfiguration configuration;
    bool hasMesh = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      FlatSymbolRefAttr meshName = meshOf(function);
      if (!meshName)
        continue;
      hasMesh = true;
      MeshAttr mesh = findMesh(function, meshName).getMesh();
      configuration.name = name.empty() ? nameOf(mesh) : name;
      configuration.numDevices = mesh.getNumDevices();
      if (failed(ConfigurationReader(function, mesh).run(configuration)))
        return signalPassFailure();
    }
    if (!hasMesh) {
      module.emitError("there is no mesh, so no tensor has devices; give one: --mesh tensor=2");
      return signalPassFailure();
    }
    SmallVector<Attribute> all;
    if (auto known = module->getAttrOfType<ArrayAttr>(kDeviceConfigurations))
      llvm::copy_if(known, std::back_inserter(all), [&](Attribute attr) {
        auto dict = dyn_cast<DictionaryAttr>(attr);
        auto knownName = dict ? dyn_cast_if_present<StringAttr>(dict.get("name")) : nullptr;
        return !knownName || knownName.getValue() != configuration.name;
      });
    all.push_back(configuration.toAttr(&getContext()));
    module->setAttr(kDeviceConfigurations, ArrayAttr::get(&getContext(), all));
  }

private:
  /// "data=2,tensor=2"
  static std::string nameOf(MeshAttr mesh) {
    return llvm::join(llvm::map_range(mesh.getAxes(),
                                      [](MeshAxisAttr axis) {
                                        return (axis.getName() + "=" + Twine(axis.getSize())).str();
                                      }),
                      ",");
  }
};

} // namespace
