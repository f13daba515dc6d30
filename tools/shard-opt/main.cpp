// shard-opt: mlir-opt for Sheaf's dialects and passes, which also reads ONNX models.
#include "dialects/graph/graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/graph/passes.h"
#include "tools/shard-opt/onnx_model.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, sheaf::graph::GraphDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  sheaf::graph::registerGraphPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "shard-opt\n", registry);
  if (llvm::StringRef(input).ends_with(".onnx"))
    return sheaf::runOnOnnxModel(input, output, registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
}
