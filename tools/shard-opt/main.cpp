// shard-opt: mlir-opt for Sheaf's dialects and passes.
#include "dialects/exec/exec.h"
#include "dialects/graph/graph.h"
#include "passes/pipelines/inference_host.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry
      .insert<mlir::func::FuncDialect, sheaf::exec::ExecDialect, sheaf::graph::GraphDialect>();
  sheaf::registerSheafPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "shard-opt\n", registry));
}
