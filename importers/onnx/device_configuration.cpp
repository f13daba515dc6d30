// Validates device configurations and writes them as a module attribute.
#include "importers/onnx/device_configuration.h"

#include "dialects/dist/device_configuration.h"
#include "importers/onnx/structure.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;
using namespace mlir;
using ::onnx::NodeProto;
using ::onnx::ShardingSpecProto;

namespace sheaf::onnx {
namespace {

struct Configuration {
  dist::DeviceConfiguration value;
  /// The stage that defines a value.
  StringMap<int32_t> stages;
};

class Annotations {
public:
  explicit Annotations(ShapeOf shapeOf) : shapeOf(shapeOf) {}

  Error addConfiguration(const ::onnx::DeviceConfigurationProto &proto) {
    auto error = [&](const Twine &what) {
      return createStringError("device configuration \"" + proto.name() + "\" " + what);
    };
    if (proto.name().empty())
      return error("has no name");
    if (proto.num_devices() <= 0)
      return error("has " + Twine(proto.num_devices()) + " devices");
    if (!proto.device().empty() && proto.device_size() != proto.num_devices())
      return error("names " + Twine(proto.device_size()) + " devices but has " +
                   Twine(proto.num_devices()));
    auto [entry, isNew] = indexByName.try_emplace(proto.name(), configurations.size());
    if (!isNew)
      return error("is defined twice");
    dist::DeviceConfiguration &configuration = configurations.emplace_back().value;
    configuration.name = proto.name();
    configuration.numDevices = proto.num_devices();
    configuration.deviceNames.assign(proto.device().begin(), proto.device().end());
    return Error::success();
  }

  /// `isMain`: the shapes of the main graph apply.
  Error addNodes(const NodeList &nodes, ArrayRef<int> order, bool isMain) {
    for (int index : order)
      if (Error failure = addNode(nodes[index], nodeLabel(nodes[index], index), isMain))
        return createStringError("node \"" + nodeLabel(nodes[index], index) + "\" (" +
                                 nodes[index].op_type() + "): " + toString(std::move(failure)));
    return Error::success();
  }

  ArrayAttr attribute(MLIRContext *context) const {
    SmallVector<Attribute> all;
    for (const Configuration &configuration : configurations)
      all.push_back(configuration.value.toAttr(context));
    return ArrayAttr::get(context, all);
  }

private:
  Error addNode(const NodeProto &node, StringRef label, bool isMain) {
    StringMap<bool> seen;
    for (const auto &annotation : node.device_configurations()) {
      const std::string &id = annotation.configuration_id();
      auto found = indexByName.find(id);
      if (found == indexByName.end())
        return createStringError("unknown device configuration \"" + id + "\"");
      if (!seen.try_emplace(id, true).second)
        return createStringError("is annotated twice for \"" + id + "\"");
      Configuration &configuration = configurations[found->second];
      dist::ConfiguredNode configured;
      configured.node = label.str();
      configured.isInner = !isMain;
      if (annotation.has_pipeline_stage()) {
        if (Error failure = checkStage(node, annotation.pipeline_stage(), configuration))
          return failure;
        configured.stage = annotation.pipeline_stage();
      }
      StringMap<bool> tensors;
      for (const ShardingSpecProto &spec : annotation.sharding_spec()) {
        if (!tensors.try_emplace(spec.tensor_name(), true).second)
          return createStringError("tensor \"" + spec.tensor_name() + "\" has two shardings");
        auto tensor = readSharding(node, spec, configuration.value.numDevices, isMain);
        if (!tensor)
          return createStringError("sharding of \"" + spec.tensor_name() +
                                   "\": " + toString(tensor.takeError()));
        bool isOutput = is_contained(node.output(), spec.tensor_name());
        (isOutput ? configured.outputs : configured.inputs).push_back(std::move(*tensor));
      }
      configuration.value.nodes.push_back(std::move(configured));
    }
    return Error::success();
  }

  static Error checkStage(const NodeProto &node, int32_t stage, Configuration &configuration) {
    if (stage < 0)
      return createStringError("pipeline stage " + Twine(stage) + " is negative");
    for (const std::string &input : node.input())
      if (auto found = configuration.stages.find(input);
          found != configuration.stages.end() && found->second > stage)
        return createStringError("is in pipeline stage " + Twine(stage) + " but its input \"" +
                                 input + "\" comes from the later stage " + Twine(found->second));
    for (const std::string &output : node.output())
      configuration.stages[output] = stage;
    return Error::success();
  }

  Expected<dist::ConfiguredTensor> readSharding(const NodeProto &node,
                                                const ShardingSpecProto &spec, int64_t numDevices,
                                                bool isMain) {
    if (!is_contained(node.input(), spec.tensor_name()) &&
        !is_contained(node.output(), spec.tensor_name()))
      return createStringError("the node has no such input or output");
    dist::ConfiguredTensor tensor;
    tensor.tensor = spec.tensor_name();
    if (Error failure = readDevices(spec, numDevices, tensor))
      return std::move(failure);
    auto shape = isMain ? shapeOf(spec.tensor_name()) : std::nullopt;
    SmallSet<int64_t, 4> axes;
    int64_t numShards = 1;
    for (const auto &dim : spec.sharded_dim()) {
      int64_t axis = dim.axis();
      if (shape) {
        int64_t rank = static_cast<int64_t>(shape->size());
        if (axis < -rank || axis >= rank)
          return createStringError("axis " + Twine(axis) + " is out of range for rank " +
                                   Twine(rank));
        axis = axis < 0 ? axis + rank : axis;
      }
      if (!axes.insert(axis).second)
        return createStringError("axis " + Twine(axis) + " is sharded twice");
      if (dim.simple_sharding().empty())
        return createStringError("axis " + Twine(axis) + " has no shards");
      dist::ConfiguredTensor::Dim cut{axis, {}, {}};
      for (const auto &simple : dim.simple_sharding()) {
        if (simple.num_shards() <= 0)
          return createStringError("axis " + Twine(axis) + " has " + Twine(simple.num_shards()) +
                                   " shards");
        cut.shards.push_back(simple.num_shards());
        if (dim.simple_sharding_size() > 1)
          cut.extents.push_back(simple.has_dim_value() ? simple.dim_value() : -1);
        if (MulOverflow<int64_t>(numShards, simple.num_shards(), numShards))
          return createStringError("has more shards than 64 bits can count");
        if (shape && dim.simple_sharding_size() == 1 && simple.has_dim_value() &&
            simple.dim_value() != (*shape)[axis])
          return createStringError("axis " + Twine(axis) + " is said to have the extent " +
                                   Twine(simple.dim_value()) + " but has " + Twine((*shape)[axis]));
      }
      if (shape && !coversExtent(cut, (*shape)[axis]))
        return createStringError("axis " + Twine(axis) +
                                 " is said to be several dims that don't make its " +
                                 Twine((*shape)[axis]) + " elements");
      tensor.dims.push_back(std::move(cut));
    }
    if (!tensor.dims.empty() && numShards != spec.device_size())
      return createStringError("has " + Twine(numShards) + " shards but " +
                               Twine(spec.device_size()) + " devices or groups");
    return tensor;
  }

  /// Whether dims of these extents make one of `extent`, as far as they are known.
  static bool coversExtent(const dist::ConfiguredTensor::Dim &dim, int64_t extent) {
    if (dim.extents.empty() || is_contained(dim.extents, -1))
      return true;
    int64_t product = 1;
    for (int64_t part : dim.extents)
      if (part < 0 || MulOverflow(product, part, product))
        return false;
    return product == extent;
  }

  /// The devices of each shard, groups expanded.
  static Error readDevices(const ShardingSpecProto &spec, int64_t numDevices,
                           dist::ConfiguredTensor &tensor) {
    std::map<int64_t, SmallVector<int64_t>> groups;
    for (const auto &group : spec.index_to_device_group_map()) {
      if (group.value().empty())
        return createStringError("device group " + Twine(group.key()) + " is empty");
      if (!groups.try_emplace(group.key(), group.value().begin(), group.value().end()).second)
        return createStringError("device group " + Twine(group.key()) + " is defined twice");
    }
    SmallSet<int64_t, 8> used;
    auto use = [&](int64_t device) -> Error {
      if (device < 0 || device >= numDevices)
        return createStringError("device " + Twine(device) + " is out of range: there are " +
                                 Twine(numDevices));
      if (!used.insert(device).second)
        return createStringError("device " + Twine(device) + " is used twice");
      return Error::success();
    };
    for (const auto &[key, members] : groups)
      for (int64_t member : members)
        if (groups.count(member))
          return createStringError(
              "device group " + Twine(key) + " holds " +
              (member == key ? "itself" : "the group " + std::to_string(member)));
    for (int64_t entry : spec.device()) {
      auto group = groups.find(entry);
      auto &members = tensor.owners.emplace_back();
      if (group == groups.end())
        members.push_back(entry);
      else
        members.append(group->second);
      for (int64_t device : members)
        if (Error failure = use(device))
          return failure;
    }
    return Error::success();
  }

  ShapeOf shapeOf;
  std::vector<Configuration> configurations;
  StringMap<size_t> indexByName;
};

/// Nodes of sub-graphs and functions, in any order: their shapes and stages are not compared.
Error addInnerNodes(const NodeList &nodes, Annotations &annotations, bool isMain) {
  if (!isMain) {
    auto order = llvm::to_vector(seq<int>(0, nodes.size()));
    if (Error failure = annotations.addNodes(nodes, order, /*isMain=*/false))
      return failure;
  }
  for (const NodeProto &node : nodes)
    for (const auto &attribute : node.attribute()) {
      if (attribute.has_g())
        if (Error failure = addInnerNodes(attribute.g().node(), annotations, false))
          return failure;
      for (const auto &graph : attribute.graphs())
        if (Error failure = addInnerNodes(graph.node(), annotations, false))
          return failure;
    }
  return Error::success();
}

} // namespace

Error attachDeviceConfigurations(const ::onnx::ModelProto &model, ArrayRef<int> order,
                                 ModuleOp module, ShapeOf shapeOf) {
  Annotations annotations(shapeOf);
  for (const auto &configuration : model.configuration())
    if (Error failure = annotations.addConfiguration(configuration))
      return failure;
  if (Error failure = annotations.addNodes(model.graph().node(), order, /*isMain=*/true))
    return failure;
  if (Error failure = addInnerNodes(model.graph().node(), annotations, /*isMain=*/true))
    return failure;
  for (const auto &function : model.functions())
    if (Error failure = addInnerNodes(function.node(), annotations, /*isMain=*/false))
      return failure;
  if (!model.configuration().empty())
    module->setAttr(dist::kDeviceConfigurations, annotations.attribute(module.getContext()));
  return Error::success();
}

} // namespace sheaf::onnx
