// Random tensors and dropout.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// The `seed` attribute, or a number that follows from the node's name, so that a program gives the
/// same values each time.
int64_t seedOf(Node &n) {
  if (n.hasAttribute("seed")) {
    if (n.opType() == "Dropout")
      return n.integer("seed", 0);
    double seed = n.real("seed", 0);
    int64_t bits;
    static_assert(sizeof(bits) == sizeof(seed));
    std::memcpy(&bits, &seed, sizeof(bits));
    return bits;
  }
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  if (auto name = dyn_cast<NameLoc>(n.location()))
    for (char c : name.getName().getValue())
      hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return static_cast<int64_t>(hash);
}

Value draw(Node &n, RandomKind kind, ArrayRef<int64_t> shape, Type element, double a, double b) {
  int64_t seed = seedOf(n);
  if (n.failed())
    return {};
  if (!isa<FloatType>(element)) {
    n.fail("random numbers must be floats");
    return {};
  }
  // Drawn in f32: 16-bit floats are rounded from it.
  Type wide = element.isF64() ? element : Float32Type::get(n.context());
  auto type = RankedTensorType::get(shape, wide);
  return n.cast(n.make<RandomOp>(type, kind, seed, APFloat(a), APFloat(b)), element);
}

template <RandomKind kind, bool isLike> void importRandom(Node &n) {
  n.expectInputs(isLike ? 1 : 0, isLike ? 1 : 0);
  bool isUniform = kind == RandomKind::uniform;
  double a = n.real(isUniform ? "low" : "mean", 0), b = n.real(isUniform ? "high" : "scale", 1);
  Type element = n.elementTypeAttribute("dtype");
  if (!element)
    element = isLike ? n.element(n.input(0)) : Float32Type::get(n.context());
  SmallVector<int64_t> shape =
      isLike ? SmallVector<int64_t>(n.shape(n.input(0))) : n.integers("shape");
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    n.fail("shape has a negative extent");
  n.output(0, draw(n, kind, shape, element, a, b));
}

void importBernoulli(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  Type element = n.elementTypeAttribute("dtype");
  Value uniform = draw(n, RandomKind::uniform, n.shape(x), n.element(x), 0, 1);
  Value isOn = n.compare(CompareKind::lt, uniform, x);
  n.output(0, n.cast(isOn, element ? element : n.element(x)));
}

/// Keeps everything outside of training; up to opset 6 `is_test` says which.
void importDropout(Node &n) {
  n.expectInputs(1, 3);
  Value x = n.input(0);
  double ratio = n.opset() < 12 ? n.real("ratio", 0.5f) : 0.5;
  bool isTraining = false;
  if (n.opset() >= 12 && n.has(2))
    isTraining = n.constantInt(2, "training_mode").value_or(0) != 0;
  if (isTraining && n.has(1)) {
    SmallVector<double> ratios = n.constantFloats(1, "ratio");
    ratio = ratios.size() == 1 ? ratios.front() : 0.5;
  }
  if (n.opset() < 7 && n.integer("is_test", 0) == 0)
    return n.fail("training mode of opsets before 12 is not supported");
  n.ignore("seed");
  Type i1 = IntegerType::get(n.context(), 1);
  Type maskType = n.opset() < 10 ? n.element(x) : i1;
  if (!isTraining || ratio == 0 || n.failed()) {
    n.output(0, x);
    if (n.wants(1) && !n.failed())
      n.output(1, n.splat(n.shape(x), maskType, 1));
    return;
  }
  Type f32 = Float32Type::get(n.context());
  Value uniform = draw(n, RandomKind::uniform, n.shape(x), f32, 0, 1);
  Value isKept = n.compare(CompareKind::ge, uniform, n.scalar(f32, ratio));
  Value scaled = n.mul(x, n.number(1 / (1 - ratio), x));
  n.output(0, n.select(isKept, scaled, n.number(0, x)));
  n.output(1, n.cast(isKept, maskType));
}

/// com.microsoft: dropout of `x + bias (+ residual)`.
void importBiasDropout(Node &n) {
  n.expectInputs(2, 5);
  if (n.has(4) && n.constantInt(4, "training_mode").value_or(0) != 0)
    return n.fail("training mode is not supported");
  n.ignore("seed");
  Value total = n.add(n.input(0), n.input(1));
  if (n.has(2))
    total = n.add(total, n.input(2));
  n.output(0, total);
  if (n.wants(1) && !n.failed())
    n.output(1, n.splat(n.shape(total), IntegerType::get(n.context(), 1), 1));
}

} // namespace

void registerRandom(OpTable &table) {
  table.add("Bernoulli", importBernoulli, 15);
  table.add("Dropout", importDropout);
  table.add("RandomNormal", importRandom<RandomKind::normal, false>);
  table.add("RandomNormalLike", importRandom<RandomKind::normal, true>);
  table.add("RandomUniform", importRandom<RandomKind::uniform, false>);
  table.add("RandomUniformLike", importRandom<RandomKind::uniform, true>);
  table.addTo(kMicrosoft, "BiasDropout", importBiasDropout);
}

} // namespace sheaf::onnx
