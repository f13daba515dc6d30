// Matrix products: MatMul, Gemm and their fused forms.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

void importMatMul(Node &n) {
  n.expectInputs(2, 2);
  n.output(0, n.matmul(n.input(0), n.input(1)));
}

/// `alpha A B + beta C`, with the scalars left out when they are 1.
Value gemm(Node &n) {
  n.expectInputs(2, 3);
  Value a = n.input(0), b = n.input(1);
  double alpha = n.real("alpha", 1), beta = n.real("beta", 1);
  n.ignore("broadcast"); // Opsets before 7: C broadcasts as it needs to.
  bool transA = n.integer("transA", 0) != 0, transB = n.integer("transB", 0) != 0;
  if (n.rank(a) != 2 || n.rank(b) != 2)
    n.fail("operands have ranks " + Twine(n.rank(a)) + " and " + Twine(n.rank(b)) +
           ", they must be matrices");
  if (n.dim(a, transA ? 0 : 1) != n.dim(b, transB ? 1 : 0))
    n.fail("shapes " + shapeText(n.shape(a)) + " and " + shapeText(n.shape(b)) + " don't multiply" +
           (transA || transB ? " as transposed" : ""));
  Value product = n.contract(a, b, {}, {}, {transA ? 0 : 1}, {transB ? 1 : 0});
  if (alpha != 1)
    product = n.mul(product, n.number(alpha, product));
  if (!n.has(2) || beta == 0)
    return product;
  Value c = n.input(2);
  if (beta != 1)
    c = n.mul(c, n.number(beta, c));
  return n.add(product, n.broadcast(c, n.shape(product)));
}

void importGemm(Node &n) { n.output(0, gemm(n)); }

/// com.microsoft: MatMul with a scale and transposed operands.
void importFusedMatMul(Node &n) {
  n.expectInputs(2, 2);
  Value a = n.input(0), b = n.input(1);
  for (StringRef name : {"transBatchA", "transBatchB"})
    if (n.integer(name, 0) != 0)
      return n.fail(name + " is not supported");
  if (n.integer("transA", 0) != 0 && n.rank(a) > 1)
    a = n.swap(a, n.rank(a) - 2, n.rank(a) - 1);
  if (n.integer("transB", 0) != 0 && n.rank(b) > 1)
    b = n.swap(b, n.rank(b) - 2, n.rank(b) - 1);
  double alpha = n.real("alpha", 1);
  Value product = n.matmul(a, b);
  n.output(0, alpha == 1 ? product : n.mul(product, n.number(alpha, product)));
}

} // namespace

void registerMatmul(OpTable &table) {
  table.add("Gemm", importGemm);
  table.add("MatMul", importMatMul);
  table.addTo(kMicrosoft, "FusedMatMul", importFusedMatMul);
}

} // namespace sheaf::onnx
