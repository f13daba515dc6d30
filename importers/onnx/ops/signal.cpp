// Signals: windows, Fourier transforms, mel filters.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int64_t kMostNumbers = 1 << 22;

/// `a0 - a1 cos(2 pi i / d) + a2 cos(4 pi i / d)`, `d` the size, or one less for a symmetric window.
void importCosineWindow(Node &n, double a0, double a1, double a2) {
  n.expectInputs(1, 1);
  auto size = n.constantInt(0, "size");
  bool isPeriodic = n.integer("periodic", 1) != 0;
  Type element = n.elementTypeAttribute("output_datatype");
  if (!n.failed() && (*size < 0 || *size > kMostNumbers))
    n.fail("size is " + Twine(*size));
  if (n.failed())
    return;
  double divisor = static_cast<double>(isPeriodic ? *size : *size - 1);
  SmallVector<double> values;
  for (int64_t index = 0; index < *size; ++index) {
    double angle = divisor == 0 ? 0 : 2 * kPi * static_cast<double>(index) / divisor;
    values.push_back(a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
  }
  Value window = n.floats(values, {*size}, Float64Type::get(n.context()));
  n.output(0, n.cast(window, element ? element : Float32Type::get(n.context())));
}

void importHannWindow(Node &n) { importCosineWindow(n, 0.5, 0.5, 0); }
void importHammingWindow(Node &n) { importCosineWindow(n, 25.0 / 46, 21.0 / 46, 0); }
void importBlackmanWindow(Node &n) { importCosineWindow(n, 0.42, 0.5, 0.08); }

/// A real and an imaginary part; the imaginary one is null for real signals.
struct Complex {
  Value re, im;
};

/// Splits the last dim, 1 or 2.
Complex splitComplex(Node &n, Value x) {
  int64_t last = n.rank(x) - 1;
  if (!n.failed() && (last < 0 || n.dim(x, last) < 1 || n.dim(x, last) > 2))
    n.fail("the last dim must be 1 (real) or 2 (complex)");
  if (n.failed())
    return {};
  Complex parts{n.squeeze(n.sliceDim(x, last, 0, 1), {last}), {}};
  if (n.dim(x, last) == 2)
    parts.im = n.squeeze(n.sliceDim(x, last, 1, 2), {last});
  return parts;
}

/// Transforms `length` numbers along `dim` into `bins`: a product with the matrix of cosines and one
/// with that of sines.
Complex transform(Node &n, Complex x, int64_t dim, int64_t bins, bool isInverse) {
  int64_t length = n.dim(x.re, dim);
  if (!n.failed() && (length <= 0 || bins > kMostNumbers / std::max<int64_t>(length, 1)))
    n.fail("a transform of " + Twine(length) + " numbers is too large");
  if (n.failed())
    return {};
  SmallVector<double> cosines, sines;
  double norm = isInverse ? 1.0 / static_cast<double>(length) : 1;
  for (int64_t place = 0; place < length; ++place)
    for (int64_t bin = 0; bin < bins; ++bin) {
      double turn = static_cast<double>(place * bin % length) / static_cast<double>(length);
      cosines.push_back(norm * std::cos(2 * kPi * turn));
      sines.push_back(norm * (isInverse ? 1 : -1) * std::sin(2 * kPi * turn));
    }
  Value c = n.floats(cosines, {length, bins}, n.element(x.re));
  Value s = n.floats(sines, {length, bins}, n.element(x.re));
  auto times = [&](Value value, Value matrix) { // The new dim comes last; it goes back to `dim`.
    Value product = n.contract(value, matrix, {}, {}, {dim}, {0});
    auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, n.rank(product) - 1));
    permutation.insert(permutation.begin() + dim, n.rank(product) - 1);
    return n.failed() ? Value() : n.transpose(product, permutation);
  };
  Complex result{times(x.re, c), times(x.re, s)};
  if (x.im) {
    result.re = n.sub(result.re, times(x.im, s));
    result.im = n.add(result.im, times(x.im, c));
  }
  return result;
}

Value joinComplex(Node &n, const Complex &x) {
  int64_t last = n.rank(x.re);
  return n.concat({n.unsqueeze(x.re, {last}), n.unsqueeze(x.im, {last})}, last);
}

/// Cuts or pads with zeros to `length` along `dim`.
Value fitLength(Node &n, Value x, int64_t dim, int64_t length) {
  if (!x || n.failed())
    return x;
  if (n.dim(x, dim) >= length)
    return n.sliceDim(x, dim, 0, length);
  SmallVector<int64_t> low(n.rank(x)), high(n.rank(x));
  high[dim] = length - n.dim(x, dim);
  return n.pad(x, n.number(0, x), low, high);
}

/// A real signal from the first half of its bins: the other half is their mirror, so inner bins count
/// twice.
void importRealInverse(Node &n, Value x, int64_t axis) {
  int64_t length = n.constantIntOr(1, "dft_length", 2 * (n.dim(x, axis) - 1));
  Complex parts = splitComplex(n, x);
  if (!n.failed() && (!parts.im || length <= 0 || length > kMostNumbers || axis == n.rank(x) - 1 ||
                      length / 2 + 1 > kMostNumbers / length))
    n.fail("an inverse one-sided transform of length " + Twine(length) + " does not fit");
  if (n.failed())
    return;
  int64_t bins = length / 2 + 1;
  SmallVector<double> cosines, sines;
  for (int64_t bin = 0; bin < bins; ++bin)
    for (int64_t place = 0; place < length; ++place) {
      double weight = bin == 0 || 2 * bin == length ? 1 : 2, size = static_cast<double>(length);
      double turn = static_cast<double>(place * bin % length) / size;
      cosines.push_back(weight / size * std::cos(2 * kPi * turn));
      sines.push_back(-weight / size * std::sin(2 * kPi * turn));
    }
  auto times = [&](Value part, ArrayRef<double> matrix) {
    Value fitted = fitLength(n, part, axis, bins);
    return n.contract(fitted, n.floats(matrix, {bins, length}, n.element(part)), {}, {}, {axis},
                      {0});
  };
  Value signal = n.add(times(parts.re, cosines), times(parts.im, sines));
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, n.rank(signal) - 1));
  permutation.insert(permutation.begin() + axis, n.rank(signal) - 1);
  if (!n.failed())
    n.output(0, n.unsqueeze(n.transpose(signal, permutation), {n.rank(signal)}));
}

/// The axis is an attribute in opset 17, then an input.
void importDft(Node &n) {
  n.expectInputs(1, n.opset() < 20 ? 2 : 3);
  Value x = n.input(0);
  int64_t axis = n.opset() < 20 ? n.integer("axis", 1) : n.constantIntOr(2, "axis", -2);
  axis = n.axis(axis, n.rank(x));
  bool isInverse = n.integer("inverse", 0) != 0, isOneSided = n.integer("onesided", 0) != 0;
  if (isInverse && isOneSided)
    return importRealInverse(n, x, axis);
  int64_t length = n.constantIntOr(1, "dft_length", n.dim(x, axis));
  if (!n.failed() && (axis == n.rank(x) - 1 || length <= 0 || length > kMostNumbers))
    n.fail("axis " + Twine(axis) + " and length " + Twine(length) + " do not fit");
  Complex parts = splitComplex(n, x);
  parts = {fitLength(n, parts.re, axis, length), fitLength(n, parts.im, axis, length)};
  if (n.failed())
    return;
  n.output(0, joinComplex(
                  n, transform(n, parts, axis, isOneSided ? length / 2 + 1 : length, isInverse)));
}

void importStft(Node &n) {
  n.expectInputs(2, 4);
  Value signal = n.input(0);
  int64_t step = n.constantInt(1, "frame_step").value_or(1);
  bool isOneSided = n.integer("onesided", 1) != 0;
  Value window = n.optional(2);
  int64_t length = n.constantIntOr(3, "frame_length", n.dim(window, 0));
  if (!n.failed() && (n.rank(signal) != 3 || step <= 0 || length <= 0 ||
                      length > n.dim(signal, 1) || (window && n.dim(window, 0) != length)))
    n.fail("frames of " + Twine(length) + " every " + Twine(step) + " do not fit the signal " +
           shapeText(n.shape(signal)));
  if (n.failed())
    return;
  int64_t numFrames = (n.dim(signal, 1) - length) / step + 1;
  if (numFrames > kMostNumbers / length)
    return n.fail("has " + Twine(numFrames) + " frames");
  Complex parts = splitComplex(n, signal); // [b, l]
  SmallVector<int64_t> places;
  for (int64_t frame = 0; frame < numFrames; ++frame)
    for (int64_t place = 0; place < length; ++place)
      places.push_back(frame * step + place);
  Value index = n.reshape(n.ints(places), {numFrames, length});
  auto frames = [&](Value part) {
    if (!part)
      return Value();
    Value cut = n.gather(part, index, 1); // [b, f, l]
    return window ? n.mul(cut, n.cast(window, n.element(cut))) : cut;
  };
  Complex cut{frames(parts.re), frames(parts.im)};
  n.output(0, joinComplex(n, transform(n, cut, 2, isOneSided ? length / 2 + 1 : length, false)));
}

/// Triangular filters between points that are equally spaced on the mel scale (HTK).
void importMelWeightMatrix(Node &n) {
  n.expectInputs(5, 5);
  int64_t bins = n.constantInt(0, "num_mel_bins").value_or(0);
  int64_t length = n.constantInt(1, "dft_length").value_or(0);
  int64_t rate = n.constantInt(2, "sample_rate").value_or(0);
  SmallVector<double> low = n.constantFloats(3, "lower_edge_hertz");
  SmallVector<double> high = n.constantFloats(4, "upper_edge_hertz");
  Type element = n.elementTypeAttribute("output_datatype");
  int64_t rows = length / 2 + 1;
  if (!n.failed() && (bins <= 0 || length <= 0 || rate <= 0 || low.size() != 1 ||
                      high.size() != 1 || bins > kMostNumbers / rows))
    n.fail("its sizes do not fit");
  if (n.failed())
    return;
  auto toMel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double lowest = toMel(low[0]), step = (toMel(high[0]) - lowest) / static_cast<double>(bins + 2);
  SmallVector<double> edges;
  for (int64_t index = 0; index < bins + 2; ++index) {
    double hertz = 700 * (std::pow(10, (static_cast<double>(index) * step + lowest) / 2595) - 1);
    edges.push_back(
        std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate)));
  }
  SmallVector<double> values(rows * bins);
  for (int64_t bin = 0; bin < bins; ++bin) {
    auto first = static_cast<int64_t>(edges[bin]), middle = static_cast<int64_t>(edges[bin + 1]);
    auto last = static_cast<int64_t>(edges[bin + 2]);
    auto set = [&](int64_t row, double value) {
      if (row >= 0 && row < rows)
        values[row * bins + bin] = value;
    };
    if (middle == first)
      set(middle, 1);
    for (int64_t row = std::max<int64_t>(first, 0); row <= middle && row < rows; ++row)
      if (middle != first)
        set(row, static_cast<double>(row - first) / static_cast<double>(middle - first));
    for (int64_t row = std::max<int64_t>(middle, 0); row < last && row < rows; ++row)
      set(row, static_cast<double>(last - row) / static_cast<double>(last - middle));
  }
  Value matrix = n.floats(values, {rows, bins}, Float64Type::get(n.context()));
  n.output(0, n.cast(matrix, element ? element : Float32Type::get(n.context())));
}

} // namespace

void registerSignal(OpTable &table) {
  table.add("BlackmanWindow", importBlackmanWindow, 17);
  table.add("DFT", importDft, 17);
  table.add("HammingWindow", importHammingWindow, 17);
  table.add("HannWindow", importHannWindow, 17);
  table.add("MelWeightMatrix", importMelWeightMatrix, 17);
  table.add("STFT", importStft, 17);
}

} // namespace sheaf::onnx
