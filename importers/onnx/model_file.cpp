// Opens model files and says where the data of their tensors is.
#include "importers/onnx/model_file.h"

#include "google/protobuf/io/coded_stream.h"
#include "importers/onnx/wire.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <climits>

using namespace llvm;

namespace sheaf::onnx {

Expected<ModelFile> ModelFile::open(StringRef path) {
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return createStringError("cannot open: " + code.message());
  if (status.type() != sys::fs::file_type::regular_file)
    return createStringError("not a regular file");
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot open: " + buffer.getError().message());
  return parse(std::move(*buffer), path);
}

Expected<ModelFile> ModelFile::parse(std::unique_ptr<MemoryBuffer> bytes, StringRef path) {
  Expected<std::string> stripped = stripRawData(bytes->getBuffer());
  if (!stripped)
    return stripped.takeError();
  if (stripped->size() > INT_MAX)
    return createStringError("the graph without its weights is larger than 2 GiB");
  ModelFile file;
  file.filePath = path.str();
  file.buffer = std::move(bytes);
  file.model = std::make_unique<::onnx::ModelProto>();
  file.external = std::make_unique<ExternalData>(sys::path::parent_path(path));
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t *>(stripped->data()),
                                               static_cast<int>(stripped->size()));
  input.SetTotalBytesLimit(INT_MAX);
  input.SetRecursionLimit(200);
  if (!file.model->ParseFromCodedStream(&input) || !input.ConsumedEntireMessage())
    return createStringError("not a valid ONNX model: the protobuf message is malformed");
  return file;
}

Expected<std::optional<ByteRange>> ModelFile::place(const ::onnx::TensorProto &tensor) {
  bool isExternal = tensor.data_location() == ::onnx::TensorProto::EXTERNAL;
  if (isExternal && tensor.has_segment())
    return createStringError("has both raw and external data");
  if (isExternal) {
    Expected<ByteRange> range = external->locate(tensor);
    if (!range)
      return range.takeError();
    return std::move(*range);
  }
  if (!tensor.has_segment())
    return std::nullopt;
  uint64_t begin = tensor.segment().begin(), end = tensor.segment().end();
  return ByteRange{filePath, begin, end - begin};
}

Expected<StringRef> ModelFile::bytes(const ByteRange &range) {
  if (range.path == filePath)
    return buffer->getBuffer().substr(range.offset, range.length);
  return external->bytes(range);
}

} // namespace sheaf::onnx
