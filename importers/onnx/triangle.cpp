// Recognizes stored triangles and slices what is computed of positions.
#include "importers/onnx/triangle.h"

#include "importers/onnx/tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace llvm;
using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::onnx {
namespace {

/// The bytes of a constant that is not in the IR element by element.
std::optional<StringRef> storedBytesOf(ModelFile &file, TypedAttr source) {
  if (auto external = dyn_cast<ExternalAttr>(source)) {
    auto bytes = file.bytes({external.getFile().str(), static_cast<uint64_t>(external.getOffset()),
                             static_cast<uint64_t>(external.getLength())});
    if (bytes)
      return *bytes;
    consumeError(bytes.takeError()); // The loader tells when it reads the file.
    return std::nullopt;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(source)) {
    ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
    return StringRef(data.data(), data.size());
  }
  return std::nullopt;
}

/// The `k` for which every row holds `inside` where `column <= row + k` and `outside` elsewhere.
std::optional<int64_t> diagonalOf(StringRef bytes, int64_t rows, int64_t columns, char inside,
                                  char outside) {
  auto rowAt = [&](int64_t index) { return bytes.substr(index * columns, columns); };
  auto numInside = [&](StringRef row) {
    size_t count = row.find_first_not_of(inside);
    return count == StringRef::npos ? columns : static_cast<int64_t>(count);
  };
  // The first row that holds both says where the diagonal is.
  int64_t first = 0;
  while (first < rows && (rowAt(first).front() != inside || numInside(rowAt(first)) == columns))
    ++first;
  if (first == rows)
    return std::nullopt;
  int64_t diagonal = numInside(rowAt(first)) - first - 1;
  for (int64_t index = 0, end = bytes.size() / columns; index < end; ++index) {
    int64_t count = std::clamp<int64_t>(index % rows + diagonal + 1, 0, columns);
    StringRef row = rowAt(index);
    if (row.take_front(count).find_first_not_of(inside) != StringRef::npos ||
        row.drop_front(count).find_first_not_of(outside) != StringRef::npos)
      return std::nullopt;
  }
  return diagonal;
}

/// Deeper expressions are no masks.
constexpr int kMaxDepth = 8;

Value sliceOf(GraphBuilder &b, Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> shape,
              ArrayRef<int64_t> strides, int depth) {
  auto inner = [&](Value operand) {
    return sliceOf(b, operand, starts, shape, strides, depth + 1);
  };
  Type element = GraphBuilder::element(value);
  if (depth == kMaxDepth)
    return {};
  if (auto constant = GraphBuilder::constantOf(value); constant && constant->isSplat())
    return b.constant(constant->resizeSplat(RankedTensorType::get(shape, element)));
  Operation *op = value.getDefiningOp();
  if (auto iota = dyn_cast_or_null<IotaOp>(op)) {
    if (!isa<IntegerType>(element))
      return {}; // Floats round, with an offset at other places.
    auto dim = static_cast<int64_t>(iota.getDim());
    Value position = b.iota(shape, element, dim);
    if (strides[dim] != 1)
      position = b.mul(position, b.splat(shape, element, static_cast<double>(strides[dim])));
    if (starts[dim] != 0)
      position = b.add(position, b.splat(shape, element, static_cast<double>(starts[dim])));
    return position;
  }
  if (auto cast = dyn_cast_or_null<CastOp>(op)) {
    Value operand = inner(cast.getOperand());
    return operand ? b.cast(operand, element, cast.getSaturate()) : Value();
  }
  if (!isa_and_nonnull<BinaryOp, CompareOp>(op))
    return {};
  Value lhs = inner(op->getOperand(0)), rhs = lhs ? inner(op->getOperand(1)) : Value();
  if (!rhs)
    return {};
  if (auto compare = dyn_cast<CompareOp>(op))
    return b.compare(compare.getKind(), lhs, rhs);
  return b.binary(cast<BinaryOp>(op).getKind(), lhs, rhs);
}

} // namespace

Value buildTriangle(GraphBuilder &builder, ModelFile &file, TypedAttr source) {
  auto type = cast<RankedTensorType>(source.getType());
  unsigned bits = type.getElementType().getIntOrFloatBitWidth();
  int64_t rank = type.getRank();
  if (!isa<IntegerType>(type.getElementType()) || (bits != 1 && bits != 8) || rank < 2 ||
      *storedBytes(type) > kMaxTriangleBytes)
    return {};
  std::optional<StringRef> bytes = storedBytesOf(file, source);
  if (!bytes || static_cast<int64_t>(bytes->size()) != type.getNumElements())
    return {};
  int64_t rows = type.getDimSize(rank - 2), columns = type.getDimSize(rank - 1);
  CompareKind kind = CompareKind::le;
  auto diagonal = diagonalOf(*bytes, rows, columns, '\1', '\0');
  if (!diagonal) {
    kind = CompareKind::gt;
    diagonal = diagonalOf(*bytes, rows, columns, '\0', '\1');
  }
  if (!diagonal)
    return {};
  Type i64 = IntegerType::get(builder.context(), 64);
  Value row = builder.iota(type.getShape(), i64, rank - 2);
  Value column = builder.iota(type.getShape(), i64, rank - 1);
  if (*diagonal != 0)
    row = builder.add(row, builder.splat(type.getShape(), i64, static_cast<double>(*diagonal)));
  return builder.cast(builder.compare(kind, column, row), type.getElementType());
}

Value slicePositions(GraphBuilder &builder, Value value, ArrayRef<int64_t> starts,
                     ArrayRef<int64_t> limits, ArrayRef<int64_t> strides) {
  // One that is a constant already folds by itself.
  if (builder.failed() || !isa_and_nonnull<CompareOp, CastOp>(value.getDefiningOp()))
    return {};
  SmallVector<int64_t> shape;
  for (auto [start, limit, stride] : zip(starts, limits, strides))
    shape.push_back((limit - start + stride - 1) / stride);
  return sliceOf(builder, value, starts, shape, strides, 0);
}

} // namespace sheaf::onnx
