// Feeds bytes to the ONNX importer: whatever they are, it imports them or gives an error.
#include "importers/onnx/import.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  sheaf::onnx::ImportOptions options;
  // Whatever a seed leaves open; names that a model does not have are errors, so only when it may.
  if (bytes.contains("batch"))
    options.dims["batch"] = 2;
  auto module = sheaf::onnx::importModel(context, llvm::MemoryBuffer::getMemBufferCopy(bytes),
                                         "no-such-folder/model.onnx", options);
  if (!module)
    llvm::consumeError(module.takeError());
  return 0;
}
