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
  return n.cast(n.make<RandomOp>(type, kind, seed, a, b), element);
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

/// The optional input `ratio`.
double ratioOf(Node &n, size_t index) {
  if (!n.has(index))
    return 0.5;
  SmallVector<double> ratios = n.constantFloats(index, "ratio");
  if (!n.failed() && ratios.size() != 1)
    n.fail("ratio must be one number, it has " + Twine(ratios.size()));
  return n.failed() ? 0.5 : ratios.front();
}

/// Drops out of `x`, and gives the mask where it is asked for. What is not active is a place where a training step
/// drops out.
void dropOut(Node &n, Value x, double ratio, bool isActive, Type maskType) {
  if (!(ratio >= 0 && ratio < 1))
    n.fail("ratio must be in [0, 1), found " + std::to_string(ratio));
  if (n.failed())
    return;
  int64_t seed = seedOf(n);
  auto dropped = [&](Value value) {
    return n.make<DropoutOp>(value, APFloat(ratio), seed, isActive,
                             /*counter=*/Value());
  };
  n.output(0, dropped(x));
  if (!n.wants(1))
    return;
  // What the same seed leaves of ones is the mask.
  Type f32 = Float32Type::get(n.context());
  Value left = dropped(n.splat(n.shape(x), f32, 1));
  n.output(1, n.cast(n.compare(CompareKind::ne, left, n.scalar(f32, 0)), maskType));
}

/// `training_mode`, up to opset 6 `is_test`, says whether it drops out as it is.
void importDropout(Node &n) {
  n.expectInputs(1, 3);
  Value x = n.input(0);
  double ratio = n.opset() < 12 ? n.real("ratio", 0.5f) : ratioOf(n, 1);
  bool isActive = n.opset() < 7    ? n.integer("is_test", 0) == 0
                  : n.opset() < 12 ? false
                                   : n.constantIntOr(2, "training_mode", 0) != 0;
  n.ignore("seed");
  if (!n.failed())
    dropOut(n, x, ratio, isActive,
            n.opset() < 10 ? n.element(x) : IntegerType::get(n.context(), 1));
}

/// com.microsoft: dropout of `x + bias (+ residual)`.
void importBiasDropout(Node &n) {
  n.expectInputs(2, 5);
  double ratio = ratioOf(n, 3);
  bool isActive = n.constantIntOr(4, "training_mode", 0) != 0;
  n.ignore("seed");
  Value dropped = n.add(n.input(0), n.input(1));
  dropOut(n, dropped, ratio, isActive, IntegerType::get(n.context(), 1));
  if (n.has(2) && !n.failed())
    n.output(0, n.add(n.result(0), n.input(2)));
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
