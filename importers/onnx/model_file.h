// A model file, mapped into memory and parsed without its weights.
#ifndef SHEAF_IMPORTERS_ONNX_MODEL_FILE_H
#define SHEAF_IMPORTERS_ONNX_MODEL_FILE_H

#include "importers/onnx/external_data.h"
#include "importers/onnx/onnx.pb.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace sheaf::onnx {

class ModelFile {
public:
  static llvm::Expected<ModelFile> open(llvm::StringRef path);
  /// A model in memory; its external data is looked for beside `path`.
  static llvm::Expected<ModelFile> parse(std::unique_ptr<llvm::MemoryBuffer> bytes,
                                         llvm::StringRef path);

  const ::onnx::ModelProto &proto() const { return *model; }
  llvm::StringRef path() const { return filePath; }

  /// External data that is not there has places too from now on.
  void allowMissingFiles() { external->allowMissingFiles(); }

  /// The place of a tensor's raw or external data; none when its values are in typed fields.
  /// Errors: a place outside the model's folder or beyond the end of the file.
  llvm::Expected<std::optional<ByteRange>> place(const ::onnx::TensorProto &tensor);

  /// The bytes of a place, mapped: touched only when read.
  llvm::Expected<llvm::StringRef> bytes(const ByteRange &range);

private:
  std::string filePath;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::unique_ptr<::onnx::ModelProto> model;
  std::unique_ptr<ExternalData> external;
};

} // namespace sheaf::onnx

#endif
