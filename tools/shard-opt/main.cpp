// shard-opt: mlir-opt for Sheaf's dialects and passes.
#include "dialects/graph/graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/graph/passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, sheaf::graph::GraphDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  sheaf::graph::registerGraphPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "shard-opt\n", registry));
}
