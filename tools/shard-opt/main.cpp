// shard-opt: mlir-opt for Sheaf's dialects and passes, which also reads ONNX models.
#include "dialects/dist/dist.h"
#include "dialects/exec/exec.h"
#include "dialects/graph/graph.h"
#include "passes/pipelines/lower_model.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/shard-opt/onnx_model.h"

static constexpr char overview[] = R"(mlir-opt for Sheaf; it reads ONNX models too.

  shard-opt gpt2.onnx --shape input_ids=2x16                          the model as graph ops
  shard-opt gpt2.onnx --shape input_ids=2x16 --graph-raise --canonicalize
                                                                      with composites recognized
  shard-opt gpt2.onnx --shape input_ids=2x16 --sheaf-lower-model   as the host runs it
)";

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, sheaf::dist::DistDialect, sheaf::exec::ExecDialect,
                  sheaf::graph::GraphDialect>();
  sheaf::registerSheafPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, overview, registry);
  if (llvm::StringRef(input).ends_with(".onnx"))
    return sheaf::runOnOnnxModel(input, output, registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
}
