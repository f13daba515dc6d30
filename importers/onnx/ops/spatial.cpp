// Rearranging and sampling space: DepthToSpace, Col2Im, grids.
#include "importers/onnx/window_form.h"
#include "llvm/Support/MathExtras.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// Checks `[b, c, y, x]` and a block size.
bool readBlock(Node &n, Value x, int64_t block) {
  if (!n.failed() && (n.rank(x) != 4 || block <= 0 || block > INT32_MAX))
    n.fail("the input has rank " + Twine(n.rank(x)) + " and blocksize is " + Twine(block));
  return !n.failed();
}

void importDepthToSpace(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  int64_t block = n.requiredInteger("blocksize");
  std::string mode = n.string("mode", "DCR");
  if (!n.expectChoice("mode", mode, {"DCR", "CRD"}) || !readBlock(n, x, block))
    return;
  int64_t b = n.dim(x, 0), c = n.dim(x, 1) / (block * block), h = n.dim(x, 2), w = n.dim(x, 3);
  if (c * block * block != n.dim(x, 1))
    return n.fail(Twine(n.dim(x, 1)) + " channels do not split into blocks of " + Twine(block));
  Value moved = mode == "DCR"
                    ? n.transpose(n.reshape(x, {b, block, block, c, h, w}), {0, 3, 4, 1, 5, 2})
                    : n.transpose(n.reshape(x, {b, c, block, block, h, w}), {0, 1, 4, 2, 5, 3});
  n.output(0, n.reshape(moved, {b, c, h * block, w * block}));
}

void importSpaceToDepth(Node &n) {
  n.expectInputs(1, 1);
  Value x = n.input(0);
  int64_t block = n.requiredInteger("blocksize");
  std::string mode = n.string("mode", "DCR");
  if (!n.expectChoice("mode", mode, {"DCR", "CRD"}) || !readBlock(n, x, block))
    return;
  int64_t b = n.dim(x, 0), c = n.dim(x, 1), h = n.dim(x, 2) / block, w = n.dim(x, 3) / block;
  if (h * block != n.dim(x, 2) || w * block != n.dim(x, 3))
    return n.fail("space " + shapeText(n.shape(x).drop_front(2)) +
                  " does not split into blocks of " + Twine(block));
  Value split = n.reshape(x, {b, c, h, block, w, block});
  Value moved = mode == "DCR" ? n.transpose(split, {0, 3, 5, 1, 2, 4})
                              : n.transpose(split, {0, 1, 3, 5, 2, 4});
  n.output(0, n.reshape(moved, {b, c * block * block, h, w}));
}

/// Sums columns into an image: a transposed convolution whose filters pick one place of the window each.
void importCol2Im(Node &n) {
  n.expectInputs(3, 3);
  Value x = n.input(0);
  SmallVector<int64_t> image = n.constantInts(1, "image_shape");
  SmallVector<int64_t> block = n.constantInts(2, "block_shape");
  WindowForm form = readWindowForm(n, image, block);
  if (!n.failed() &&
      (n.rank(x) != 3 || llvm::any_of(image, [](int64_t extent) { return extent < 0; })))
    n.fail("the input has rank " + Twine(n.rank(x)) + ", not 3, or image_shape is negative");
  if (n.failed())
    return;
  int64_t places = 1, b = n.dim(x, 0);
  for (int64_t extent : block)
    if (llvm::MulOverflow(places, extent, places) || places > 4096)
      return n.fail("block_shape " + shapeText(block) + " has more than 4096 places");
  int64_t channels = n.dim(x, 1) / places;
  if (channels * places != n.dim(x, 1))
    return n.fail(Twine(n.dim(x, 1)) + " rows do not split into blocks of " + Twine(places));
  SmallVector<int64_t> columns{b * channels, places}, filterShape{places, 1};
  SmallVector<int64_t> result{b * channels, 1}, final{b, channels};
  for (size_t dim = 0; dim < image.size(); ++dim) {
    int64_t rest = image[dim] + form.low[dim] + form.high[dim] - form.reach(dim);
    columns.push_back(rest < 0 ? 0 : rest / form.strides[dim] + 1);
    filterShape.push_back(block[dim]);
    result.push_back(image[dim]);
    final.push_back(image[dim]);
  }
  Type i64 = IntegerType::get(n.context(), 64);
  Value identity = n.cast(n.compare(CompareKind::eq, n.iota({places, places}, i64, 0),
                                    n.iota({places, places}, i64, 1)),
                          n.element(x));
  Value summed = n.make<ConvInputGradOp>(n.type(x).clone(result), n.reshape(x, columns),
                                         n.reshape(identity, filterShape), form.strides, form.low,
                                         form.high, form.dilations, 1);
  n.output(0, n.reshape(summed, final));
}

/// The base grid in homogeneous coordinates, times each batch entry's matrix.
void importAffineGrid(Node &n) {
  n.expectInputs(2, 2);
  Value theta = n.input(0);
  SmallVector<int64_t> size = n.constantInts(1, "size");
  bool alignsCorners = n.integer("align_corners", 0) != 0;
  if (!n.failed() && (size.size() < 4 || size.size() > 5 || n.rank(theta) != 3))
    n.fail("size has " + Twine(size.size()) + " entries and theta rank " + Twine(n.rank(theta)));
  if (n.failed())
    return;
  ArrayRef<int64_t> space = ArrayRef(size).drop_front(2);
  auto rank = static_cast<int64_t>(space.size());
  SmallVector<int64_t> pointShape(space), resultShape{n.dim(theta, 0)};
  pointShape.push_back(1);
  resultShape.append(space.begin(), space.end());
  resultShape.push_back(rank);
  Type element = n.element(theta);
  SmallVector<Value> coordinates; // x first: the last spatial dim.
  for (int64_t dim = rank; dim-- > 0;) {
    double extent = static_cast<double>(space[dim]);
    double step = alignsCorners ? 2 / std::max(extent - 1, 1.0) : 2 / std::max(extent, 1.0);
    double start = alignsCorners ? -1 : -1 + step / 2;
    Value place = n.iota(pointShape, element, dim);
    coordinates.push_back(n.add(n.mul(place, n.number(step, place)), n.number(start, place)));
  }
  coordinates.push_back(n.splat(pointShape, element, 1));
  Value base = n.concat(coordinates, rank);
  int64_t points = n.failed() ? 0 : n.type(base).getNumElements() / (rank + 1);
  Value grid = n.contract(theta, n.reshape(base, {points, rank + 1}), {}, {}, {2}, {1});
  n.output(0, n.reshape(n.swap(grid, 1, 2), resultShape));
}

/// Takes the pixels of `[b, c, space..]` at integer places given per spatial dim, each `[b, points]`.
class PixelReader {
public:
  PixelReader(Node &n, Value x, StringRef padding, bool alignsCorners)
      : n(n), space(n.shape(x).drop_front(2)), padding(padding), alignsCorners(alignsCorners) {
    flat = n.reshape(
        x, {n.dim(x, 0), n.dim(x, 1),
            n.type(x).getNumElements() / std::max<int64_t>(n.dim(x, 0) * n.dim(x, 1), 1)});
  }

  Value read(ArrayRef<Value> places) {
    Type i64 = IntegerType::get(n.context(), 64);
    Value index = n.scalar(i64, 0), isInside;
    for (auto [dim, place] : llvm::enumerate(places)) {
      Value last = n.number(static_cast<double>(space[dim] - 1), place);
      Value zero = n.number(0, place), used = place;
      if (padding == "zeros") {
        Value fits = n.binary(BinaryKind::bitwise_and, n.compare(CompareKind::ge, place, zero),
                              n.compare(CompareKind::le, place, last));
        isInside = isInside ? n.binary(BinaryKind::bitwise_and, isInside, fits) : fits;
      } else if (padding == "reflection") {
        used = n.unary(UnaryKind::round, reflect(place, dim));
      }
      used = n.min(n.max(used, zero), last);
      Value extent = n.scalar(i64, static_cast<double>(space[dim]));
      index = n.add(n.mul(index, extent), n.cast(used, i64));
    }
    Value pixels = n.gather(flat, index, 2, 1);
    return isInside ? n.select(n.unsqueeze(isInside, {1}), pixels, n.number(0, pixels)) : pixels;
  }

  /// Mirrors a coordinate at the borders until it is inside.
  Value reflect(Value place, size_t dim) {
    double low = alignsCorners ? 0 : -0.5;
    double high = static_cast<double>(space[dim]) - (alignsCorners ? 1 : 0.5), range = high - low;
    if (range <= 0)
      return n.mul(place, n.number(0, place));
    Value period = n.number(2 * range, place);
    Value shifted = n.binary(BinaryKind::mod, n.sub(place, n.number(low, place)), period);
    Value mirrored = n.min(shifted, n.sub(period, shifted));
    return n.add(mirrored, n.number(low, place));
  }

private:
  Node &n;
  ArrayRef<int64_t> space;
  StringRef padding;
  bool alignsCorners;
  Value flat;
};

/// The weights of the taps around a place whose fraction is `t`: two for linear, four for cubic
/// interpolation (Keys 1981, a = -0.75).
SmallVector<Value> tapWeights(Node &n, Value t, bool isCubic) {
  auto number = [&](double value) { return n.number(value, t); };
  if (!isCubic)
    return {n.sub(number(1), t), t};
  constexpr double a = -0.75;
  auto outer = [&](Value d) { // 1 <= d <= 2
    Value inner = n.sub(n.mul(number(a), d), number(5 * a));
    inner = n.add(n.mul(inner, d), number(8 * a));
    return n.sub(n.mul(inner, d), number(4 * a));
  };
  auto inner = [&](Value d) { // 0 <= d <= 1
    Value value = n.sub(n.mul(number(a + 2), d), number(a + 3));
    return n.add(n.mul(n.mul(value, d), d), number(1));
  };
  Value rest = n.sub(number(1), t);
  return {outer(n.add(t, number(1))), inner(t), inner(rest), outer(n.add(rest, number(1)))};
}

void importGridSample(Node &n) {
  n.expectInputs(2, 2);
  Value x = n.input(0), grid = n.input(1);
  std::string mode = n.string("mode", n.opset() < 20 ? "bilinear" : "linear");
  std::string padding = n.string("padding_mode", "zeros");
  bool alignsCorners = n.integer("align_corners", 0) != 0;
  n.expectChoice("mode", mode, {"bilinear", "linear", "nearest", "bicubic", "cubic"});
  n.expectChoice("padding_mode", padding, {"zeros", "border", "reflection"});
  ArrayRef<int64_t> space = spaceOf(n, x);
  auto rank = static_cast<int64_t>(space.size());
  if (!n.failed() && (n.rank(grid) != rank + 2 || n.dim(grid, rank + 1) != rank || rank > 3 ||
                      llvm::is_contained(space, 0)))
    n.fail("a grid of shape " + shapeText(n.shape(grid)) + " does not fit the input " +
           shapeText(n.shape(x)));
  if (n.failed())
    return;
  SmallVector<int64_t> resultShape{n.dim(x, 0), n.dim(x, 1)};
  resultShape.append(n.shape(grid).drop_front().drop_back().begin(),
                     n.shape(grid).drop_front().drop_back().end());
  int64_t points = n.type(grid).getNumElements() / std::max<int64_t>(n.dim(grid, 0) * rank, 1);
  Value flatGrid = n.reshape(grid, {n.dim(grid, 0), points, rank});
  PixelReader reader(n, x, padding, alignsCorners);
  bool isNearest = mode == "nearest", isCubic = StringRef(mode).ends_with("cubic");

  SmallVector<Value> bases;
  SmallVector<SmallVector<Value>> weights;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t column = rank - 1 - dim; // The grid has x first.
    Value c = n.squeeze(n.sliceDim(flatGrid, 2, column, column + 1), {2});
    double extent = static_cast<double>(space[dim]);
    Value place =
        alignsCorners
            ? n.mul(n.add(c, n.number(1, c)), n.number((extent - 1) / 2, c))
            : n.mul(n.sub(n.mul(n.add(c, n.number(1, c)), n.number(extent, c)), n.number(1, c)),
                    n.number(0.5, c));
    if (!isCubic && padding == "border")
      place = n.min(n.max(place, n.number(0, place)), n.number(extent - 1, place));
    if (!isCubic && padding == "reflection")
      place =
          n.min(n.max(reader.reflect(place, dim), n.number(0, place)), n.number(extent - 1, place));
    Value base = n.unary(isNearest ? UnaryKind::round : UnaryKind::floor, place);
    bases.push_back(base);
    weights.push_back(isNearest ? SmallVector<Value>{Value()}
                                : tapWeights(n, n.sub(place, base), isCubic));
  }
  size_t numTaps = isNearest ? 1 : isCubic ? 4 : 2, numCorners = 1;
  for (int64_t dim = 0; dim < rank; ++dim)
    numCorners *= numTaps;
  Value total;
  for (size_t corner = 0; corner < numCorners && !n.failed(); ++corner) {
    SmallVector<Value> places;
    Value weight;
    size_t rest = corner;
    for (int64_t dim = 0; dim < rank; ++dim) {
      size_t tap = rest % numTaps;
      rest /= numTaps;
      double shift = static_cast<double>(tap) - (isCubic ? 1 : 0);
      places.push_back(n.add(bases[dim], n.number(shift, bases[dim])));
      if (Value factor = weights[dim][tap])
        weight = weight ? n.mul(weight, factor) : factor;
    }
    Value part = reader.read(places);
    if (weight)
      part = n.mul(part, n.unsqueeze(n.cast(weight, n.element(part)), {1}));
    total = total ? n.add(total, part) : part;
  }
  n.output(0, n.reshape(total, resultShape));
}

} // namespace

void registerSpatial(OpTable &table) {
  table.add("AffineGrid", importAffineGrid, 20);
  table.add("Col2Im", importCol2Im, 18);
  table.add("DepthToSpace", importDepthToSpace);
  table.add("GridSample", importGridSample, 16);
  table.add("SpaceToDepth", importSpaceToDepth);
}

} // namespace sheaf::onnx
