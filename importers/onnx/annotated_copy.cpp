// Copies a model on the wire: fields that do not change are never parsed.
#include "importers/onnx/annotated_copy.h"

#include "importers/onnx/onnx.pb.h"
#include "importers/onnx/structure.h"
#include "importers/onnx/wire.h"
#include "importers/onnx/wire_field.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>

using namespace llvm;
using ::onnx::NodeDeviceConfigurationProto;
using ::onnx::NodeProto;
using sheaf::dist::ConfiguredTensor;

namespace sheaf::onnx {
namespace {

// By onnx.proto's field numbers.
constexpr uint64_t kModelIrVersion = 1, kModelGraph = 7, kModelConfiguration = 26;
constexpr uint64_t kGraphNode = 1, kGraphInitializer = 5, kGraphInput = 11;
constexpr uint64_t kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeOpType = 4;
constexpr uint64_t kNodeConfigurations = 10, kTensorName = 8, kValueInfoName = 1;
constexpr uint64_t kIrVersion = 11, kFirstWithDefaults = 4;

/// What stands in the copy, in order: parts of the model's file and texts of our own.
class Pieces {
public:
  void add(StringRef bytes) {
    parts.push_back(bytes);
    numBytes += bytes.size();
  }
  void addOwned(std::string bytes) { add(owned.emplace_back(std::move(bytes))); }
  void add(Pieces &&others) {
    parts.insert(parts.end(), others.parts.begin(), others.parts.end());
    numBytes += others.numBytes;
    // Elements of a deque stay where they are when it is moved.
    owners.push_back(std::move(others.owned));
    std::move(others.owners.begin(), others.owners.end(), std::back_inserter(owners));
  }
  uint64_t size() const { return numBytes; }
  void write(raw_ostream &os) const {
    for (StringRef part : parts)
      os << part;
  }

private:
  std::vector<StringRef> parts;
  std::deque<std::string> owned;
  std::vector<std::deque<std::string>> owners;
  uint64_t numBytes = 0;
};

/// A sharding as ONNX writes it. Groups have negative keys: no device has such a number.
void fill(::onnx::ShardingSpecProto &spec, const ConfiguredTensor &tensor) {
  spec.set_tensor_name(tensor.tensor);
  int64_t key = 0;
  for (ArrayRef<int64_t> owners : tensor.owners) {
    if (owners.size() == 1) {
      spec.add_device(owners[0]);
      continue;
    }
    spec.add_device(--key);
    auto *group = spec.add_index_to_device_group_map();
    group->set_key(key);
    group->mutable_value()->Add(owners.begin(), owners.end());
  }
  for (const ConfiguredTensor::Dim &dim : tensor.dims) {
    auto *cut = spec.add_sharded_dim();
    cut->set_axis(dim.axis);
    for (auto [index, count] : enumerate(dim.shards)) {
      auto *simple = cut->add_simple_sharding();
      simple->set_num_shards(count);
      if (!dim.extents.empty() && dim.extents[index] >= 0)
        simple->set_dim_value(dim.extents[index]);
    }
  }
}

class AnnotatedCopy {
public:
  AnnotatedCopy(StringRef model, const dist::DeviceConfiguration &configuration)
      : model(model), configuration(configuration) {
    for (const ConfiguredTensor &tensor : configuration.tensors)
      places.try_emplace(tensor.tensor, &tensor);
    for (const dist::ConfiguredNode &node : configuration.nodes)
      for (const ConfiguredTensor &tensor : node.inputs)
        uses[node.node].try_emplace(tensor.tensor, &tensor);
  }

  Error run() {
    uint64_t irVersion = 0;
    for (WireReader reader(model, 0, model.size()); !reader.atEnd();) {
      Expected<WireField> field = reader.next();
      if (!field)
        return field.takeError();
      if (field->number == kModelIrVersion && field->type == kVarint) {
        irVersion = field->value;
        if (irVersion >= kIrVersion)
          copy.add(textOf(*field));
      } else if (field->number == kModelGraph && field->isBytes()) {
        if (Error failure = addGraph(*field))
          return failure;
      } else if (field->number != kModelConfiguration || !isReplaced(*field)) {
        copy.add(textOf(*field));
      }
    }
    if (irVersion < kFirstWithDefaults)
      for (StringRef input : inputs.keys())
        if (initializers.contains(input))
          return createStringError("is of IR version " + Twine(irVersion) +
                                   " and lists the weight \"" + input +
                                   "\" as an input, which in version 11 would be one to feed; "
                                   "bring the model to IR version 4 first");
    std::string head;
    if (irVersion < kIrVersion) {
      appendVarint(head, kModelIrVersion << 3 | kVarint);
      appendVarint(head, kIrVersion);
    }
    ::onnx::DeviceConfigurationProto proto;
    proto.set_name(configuration.name);
    proto.set_num_devices(static_cast<int32_t>(configuration.numDevices));
    for (const std::string &name : configuration.deviceNames)
      proto.add_device(name);
    appendBytes(head, kModelConfiguration, proto.SerializeAsString());
    copy.addOwned(std::move(head));
    return Error::success();
  }

  const Pieces &pieces() const { return copy; }

private:
  StringRef textOf(const WireField &field) const { return model.slice(field.begin, field.end); }
  StringRef contentOf(const WireField &field) const {
    return model.slice(field.contentBegin, field.end);
  }

  /// Whether the field is a configuration of our name.
  bool isReplaced(const WireField &field) const {
    ::onnx::DeviceConfigurationProto proto;
    return field.isBytes() && proto.ParseFromString(contentOf(field).str()) &&
           proto.name() == configuration.name;
  }

  Error addGraph(const WireField &graph) {
    Pieces content;
    for (WireReader reader(model, graph.contentBegin, graph.end); !reader.atEnd();) {
      Expected<WireField> field = reader.next();
      if (!field)
        return field.takeError();
      if (field->isBytes() && field->number == kGraphNode) {
        if (Error failure = addNode(*field, content))
          return failure;
        continue;
      }
      if (field->isBytes() && field->number == kGraphInput)
        if (Error failure = findName(*field, kValueInfoName, inputs))
          return failure;
      if (field->isBytes() && field->number == kGraphInitializer)
        if (Error failure = findName(*field, kTensorName, initializers))
          return failure;
      content.add(textOf(*field));
    }
    std::string head;
    appendBytesHead(head, kModelGraph, content.size());
    copy.addOwned(std::move(head));
    copy.add(std::move(content));
    return Error::success();
  }

  /// Collects the name, field `number`, of a message.
  template <typename Names>
  Error findName(const WireField &message, uint64_t number, Names &names) {
    for (WireReader reader(model, message.contentBegin, message.end); !reader.atEnd();) {
      Expected<WireField> field = reader.next();
      if (!field)
        return field.takeError();
      if (field->isBytes() && field->number == number)
        names.insert(contentOf(*field));
    }
    return Error::success();
  }

  Error addNode(const WireField &node, Pieces &graph) {
    NodeProto proto;
    Pieces content;
    bool hasReplaced = false;
    for (WireReader reader(model, node.contentBegin, node.end); !reader.atEnd();) {
      Expected<WireField> field = reader.next();
      if (!field)
        return field.takeError();
      if (field->isBytes() && field->number == kNodeConfigurations) {
        NodeDeviceConfigurationProto old;
        if (old.ParseFromString(contentOf(*field).str()) &&
            old.configuration_id() == configuration.name) {
          hasReplaced = true;
          continue;
        }
      }
      if (field->isBytes())
        readName(*field, proto);
      content.add(textOf(*field));
    }
    NodeDeviceConfigurationProto annotation = annotationOf(proto, numNodes++);
    if (annotation.sharding_spec().empty() && !hasReplaced) {
      graph.add(textOf(node));
      return Error::success();
    }
    std::string head, tail;
    if (!annotation.sharding_spec().empty())
      appendBytes(tail, kNodeConfigurations, annotation.SerializeAsString());
    appendBytesHead(head, kGraphNode, content.size() + tail.size());
    graph.addOwned(std::move(head));
    graph.add(std::move(content));
    graph.addOwned(std::move(tail));
    return Error::success();
  }

  /// The names of a node and its operator, inputs and outputs.
  void readName(const WireField &field, NodeProto &proto) const {
    switch (field.number) {
    case kNodeInput:
      proto.add_input(contentOf(field).str());
      break;
    case kNodeOutput:
      proto.add_output(contentOf(field).str());
      break;
    case kNodeName:
      proto.set_name(contentOf(field).str());
      break;
    case kNodeOpType:
      proto.set_op_type(contentOf(field).str());
      break;
    default:
      break;
    }
  }

  NodeDeviceConfigurationProto annotationOf(const NodeProto &node, int index) const {
    NodeDeviceConfigurationProto annotation;
    annotation.set_configuration_id(configuration.name);
    auto own = uses.find(nodeLabel(node, index));
    StringSet<> done;
    for (const std::string &input : node.input()) {
      const ConfiguredTensor *tensor = own == uses.end() ? nullptr : own->second.lookup(input);
      if (!tensor)
        tensor = places.lookup(input);
      if (tensor && done.insert(input).second)
        fill(*annotation.add_sharding_spec(), *tensor);
    }
    for (const std::string &output : node.output())
      if (const ConfiguredTensor *tensor = places.lookup(output))
        fill(*annotation.add_sharding_spec(), *tensor);
    return annotation;
  }

  StringRef model;
  const dist::DeviceConfiguration &configuration;
  StringMap<const ConfiguredTensor *> places;
  StringMap<StringMap<const ConfiguredTensor *>> uses;
  Pieces copy;
  StringSet<> inputs, initializers;
  int numNodes = 0;
};

StringRef folderOf(StringRef path) {
  StringRef folder = sys::path::parent_path(path);
  return folder.empty() ? "." : folder;
}

Error writeCopy(StringRef modelPath, StringRef outputPath,
                const dist::DeviceConfiguration &configuration) {
  if (sys::fs::equivalent(modelPath, outputPath))
    return createStringError(
        "is the model itself, whose weights executables read; name another file");
  auto buffer =
      MemoryBuffer::getFile(modelPath, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(modelPath + ": cannot open: " + buffer.getError().message());
  StringRef model = (*buffer)->getBuffer();
  Expected<bool> isElsewhere = hasExternalData(model);
  if (!isElsewhere)
    return isElsewhere.takeError();
  if (*isElsewhere && !sys::fs::equivalent(folderOf(modelPath), folderOf(outputPath)))
    return createStringError("is in another folder than " + modelPath +
                             ", whose external data is found beside it; write the copy to " +
                             folderOf(modelPath));
  AnnotatedCopy copy(model, configuration);
  if (Error failure = copy.run())
    return createStringError("can't be made: " + modelPath + " " + toString(std::move(failure)));
  return writeToOutput(outputPath, [&](raw_ostream &os) {
    copy.pieces().write(os);
    return Error::success();
  });
}

} // namespace

Error writeAnnotatedCopy(StringRef modelPath, StringRef outputPath,
                         const dist::DeviceConfiguration &configuration) {
  if (Error failure = writeCopy(modelPath, outputPath, configuration))
    return createStringError("annotated model " + outputPath + " " + toString(std::move(failure)));
  return Error::success();
}

} // namespace sheaf::onnx
