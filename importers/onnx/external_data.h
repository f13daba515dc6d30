// Tensors stored in files beside the model.
#ifndef SHEAF_IMPORTERS_ONNX_EXTERNAL_DATA_H
#define SHEAF_IMPORTERS_ONNX_EXTERNAL_DATA_H

#include "importers/onnx/byte_range.h"
#include "importers/onnx/onnx.pb.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace sheaf::onnx {

/// The files of a model's folder that its tensors may name. A model comes from anywhere, so a location
/// must stay in the folder: relative, without `..`, no link of any kind, a regular file.
class ExternalData {
public:
  explicit ExternalData(llvm::StringRef modelFolder) : folder(modelFolder) {}

  /// Lets `locate` place tensors in files that are not there.
  void allowMissingFiles() { areMissingAllowed = true; }

  /// Where an external tensor's bytes are. `length` is that of `external_data`, else up to the end
  /// of the file. Errors name the offending key and value.
  llvm::Expected<ByteRange> locate(const ::onnx::TensorProto &tensor);

  /// The mapped bytes of a range that `locate` gave.
  llvm::Expected<llvm::StringRef> bytes(const ByteRange &range);

private:
  llvm::Expected<uint64_t> checkedSize(llvm::StringRef location);
  std::string resolve(llvm::StringRef location) const;

  std::string folder;
  bool areMissingAllowed = false;
  llvm::StringMap<uint64_t> sizes;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> buffers;
};

} // namespace sheaf::onnx

#endif
