// Puts the parameters of a checkpoint into a copy of the ONNX model that they come from.
#include "importers/onnx/onnx.pb.h"
#include "runtime/core/mapped_file.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/checkpoint/checkpoint_weights.h"
#include "runtime/io/quantity_text.h"
#include "tools/shard-ckpt/commands.h"

#include <climits>
#include <set>

namespace sheaf::shard_ckpt {

using onnx::GraphProto, onnx::ModelProto, onnx::TensorProto;
using rt::Result, rt::Status;
using rt::io::CheckpointWeights, rt::io::PendingFile, rt::io::StoredVariable;
namespace fs = std::filesystem;

namespace {

/// None for types that ONNX packs several to a byte.
std::optional<TensorProto::DataType> dataTypeOf(abi::ElementType type) {
  switch (type) {
  case abi::ElementType::boolean:
    return TensorProto::BOOL;
  case abi::ElementType::i8:
    return TensorProto::INT8;
  case abi::ElementType::ui8:
    return TensorProto::UINT8;
  case abi::ElementType::i16:
    return TensorProto::INT16;
  case abi::ElementType::ui16:
    return TensorProto::UINT16;
  case abi::ElementType::i32:
    return TensorProto::INT32;
  case abi::ElementType::ui32:
    return TensorProto::UINT32;
  case abi::ElementType::i64:
    return TensorProto::INT64;
  case abi::ElementType::ui64:
    return TensorProto::UINT64;
  case abi::ElementType::f16:
    return TensorProto::FLOAT16;
  case abi::ElementType::bf16:
    return TensorProto::BFLOAT16;
  case abi::ElementType::f32:
    return TensorProto::FLOAT;
  case abi::ElementType::f64:
    return TensorProto::DOUBLE;
  case abi::ElementType::f8E4M3FN:
    return TensorProto::FLOAT8E4M3FN;
  case abi::ElementType::f8E4M3FNUZ:
    return TensorProto::FLOAT8E4M3FNUZ;
  case abi::ElementType::f8E5M2:
    return TensorProto::FLOAT8E5M2;
  case abi::ElementType::f8E5M2FNUZ:
    return TensorProto::FLOAT8E5M2FNUZ;
  default:
    return std::nullopt;
  }
}

Result<ModelProto> readModel(const fs::path &path) {
  Result<rt::MappedFile> file = rt::MappedFile::open(path);
  if (!file.isOk())
    return file.takeStatus();
  ModelProto model;
  if (file->bytes().size() > INT_MAX ||
      !model.ParseFromArray(file->bytes().data(), static_cast<int>(file->bytes().size())) ||
      !model.has_graph())
    return Status::invalid(path.string(), " is no ONNX model");
  return model;
}

/// Errors: the initializer is not what the checkpoint has under its name.
Status checkSame(const TensorProto &tensor, const StoredVariable &variable) {
  std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  std::optional<TensorProto::DataType> type = dataTypeOf(variable.shape.type);
  if (!type)
    return Status::invalid("elements of type ", abi::nameOf(variable.shape.type),
                           " can't be written to ONNX");
  if (tensor.data_type() != *type || dims != variable.shape.dims)
    return Status::invalid("the checkpoint has it as ", variable.shape.str(),
                           " but the model as data type ", tensor.data_type(), " of shape ",
                           rt::dimsText(dims));
  return {};
}

/// Makes `tensor` one whose value is `bytes` bytes at `offset` of file `location`.
void pointTo(TensorProto &tensor, const std::string &location, int64_t offset, size_t bytes) {
  TensorProto moved;
  moved.set_name(tensor.name());
  moved.set_doc_string(tensor.doc_string());
  moved.set_data_type(tensor.data_type());
  *moved.mutable_dims() = tensor.dims();
  moved.set_data_location(TensorProto::EXTERNAL);
  auto add = [&](const char *key, const std::string &value) {
    auto *entry = moved.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  add("location", location);
  add("offset", std::to_string(offset));
  add("length", std::to_string(bytes));
  tensor = std::move(moved);
}

/// The data file of the copy, from whose multiples of 64 programs use values in place.
class DataFile {
public:
  explicit DataFile(PendingFile &file) : file(file) {}

  /// Where `value` begins.
  Result<int64_t> append(std::span<const std::byte> value) {
    constexpr int64_t alignment = 64;
    static constexpr std::byte zeros[alignment] = {};
    auto padding = static_cast<size_t>((alignment - end % alignment) % alignment);
    for (std::span<const std::byte> part : {std::span(zeros).first(padding), value}) {
      if (Status status = file.append(part); !status.isOk())
        return status;
      end += static_cast<int64_t>(part.size());
    }
    return end - static_cast<int64_t>(value.size());
  }

  int64_t bytes() const { return end; }

private:
  PendingFile &file;
  int64_t end = 0;
};

/// Errors: the model has no initializer for some parameters (lists them).
Status checkAllFound(const CheckpointWeights &weights, const GraphProto &graph) {
  std::set<std::string> names;
  for (const TensorProto &tensor : graph.initializer())
    names.insert(tensor.name());
  std::string missing;
  for (const std::string &name : weights.names())
    if (!names.contains(name))
      missing += (missing.empty() ? "\"" : ", \"") + name + "\"";
  return missing.empty() ? Status() : Status::invalid("it has no initializer ", missing);
}

/// Errors: the copy would take the model's place, or leave data behind that it refers to.
Status checkPlace(const Options &options, const CheckpointWeights &weights,
                  const GraphProto &graph) {
  std::error_code ignored; // There may be no such file yet.
  if (fs::equivalent(options.other, options.output, ignored))
    return Status::invalid("the copy would take the place of ", options.other,
                           "; name another file");
  if (fs::weakly_canonical(options.other).parent_path() ==
      fs::weakly_canonical(options.output).parent_path())
    return {};
  for (const TensorProto &tensor : graph.initializer())
    if (tensor.data_location() == TensorProto::EXTERNAL &&
        !weights.checkpoint().find(tensor.name()))
      return Status::invalid("initializer \"", tensor.name(), "\" is in a file beside ",
                             options.other, "; write the copy to the same folder");
  return {};
}

} // namespace

Status writeOnnx(const Options &options, std::ostream &out) {
  auto weights = CheckpointWeights::open(options.path);
  if (!weights.isOk())
    return weights.takeStatus();
  Result<ModelProto> model = readModel(options.other);
  if (!model.isOk())
    return model.takeStatus();
  GraphProto &graph = *model->mutable_graph();
  if (Status status = checkAllFound(**weights, graph); !status.isOk())
    return std::move(status).annotated(options.other);
  if (Status status = checkPlace(options, **weights, graph); !status.isOk())
    return status;
  fs::path dataPath = options.output + ".data";
  Result<PendingFile> dataFile = PendingFile::create(dataPath);
  if (!dataFile.isOk())
    return dataFile.takeStatus();
  DataFile data(*dataFile);
  size_t numWritten = 0;
  for (TensorProto &tensor : *graph.mutable_initializer()) {
    const StoredVariable *variable = (*weights)->checkpoint().find(tensor.name());
    if (!variable || variable->role != abi::VariableRole::parameter)
      continue;
    if (Status status = checkSame(tensor, *variable); !status.isOk())
      return std::move(status).annotated("initializer \"", tensor.name(), "\"");
    auto value = (*weights)->find(tensor.name(), variable->shape);
    if (!value.isOk())
      return value.takeStatus();
    Result<int64_t> offset = data.append((*value)->bytes);
    if (!offset.isOk())
      return offset.takeStatus();
    pointTo(tensor, dataPath.filename().string(), *offset, (*value)->bytes.size());
    ++numWritten;
  }
  Result<PendingFile> modelFile =
      PendingFile::write(options.output, {rt::io::bytesOf(model->SerializeAsString())});
  if (!modelFile.isOk())
    return modelFile.takeStatus();
  if (Status status = dataFile->commit(); !status.isOk())
    return status;
  if (Status status = modelFile->commit(); !status.isOk())
    return status;
  out << "wrote       " << options.output << " and " << dataPath.string() << " (" << numWritten
      << " parameters, " << rt::io::formatBytes(data.bytes()) << ")\n";
  return {};
}

} // namespace sheaf::shard_ckpt
