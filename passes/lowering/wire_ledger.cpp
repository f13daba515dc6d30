// Adds up what collectives move, by the formulas of runtime/abi/traffic.h.
#include "passes/lowering/wire_ledger.h"

#include "runtime/abi/collectives.h"
#include "runtime/abi/window.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// A part of a mesh axis, as calls have it.
struct AxisPart {
  int64_t axis, preSize, size;
};

/// The text of a list of parts (rt::Mesh::text).
std::string textOf(ArrayRef<AxisPart> parts, exec::MeshOp mesh) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      parts, os,
      [&](AxisPart part) {
        os << cast<StringAttr>(mesh.getAxes()[part.axis]).getValue();
        if (part.size != mesh.getExtents()[part.axis])
          os << ":(" << part.preSize << ')' << part.size;
      },
      ",");
  return text;
}

int64_t bytesOf(exec::BufferType type) { return type.getNumElements() * type.getElementBytes(); }

/// Of all tensors of a collective.
int64_t bytesOf(OperandRange buffers) {
  int64_t bytes = 0;
  for (Value buffer : buffers)
    bytes += bytesOf(cast<exec::BufferType>(buffer.getType()));
  return bytes;
}

int64_t intParam(exec::CallOp call, StringRef name) {
  return call.getParams()->getAs<IntegerAttr>(name).getInt();
}

/// The bytes of one element along `dim`.
int64_t bytesAlong(exec::BufferType type, int64_t dim) {
  int64_t extent = type.getShape()[dim];
  return extent == 0 ? 0 : bytesOf(type) / extent;
}

abi::Traffic windowTraffic(exec::CallOp call, ArrayRef<AxisPart> parts) {
  std::vector<int64_t> sizes;
  int64_t n = 1;
  for (AxisPart part : parts) {
    sizes.push_back(part.size);
    n *= part.size;
  }
  abi::Window window{intParam(call, "scale"), intParam(call, "divisor"), intParam(call, "first"),
                     intParam(call, "last")};
  auto transfers = abi::windowTransfers(window, abi::shardsOf(intParam(call, "extent"), sizes),
                                        abi::shardsOf(intParam(call, "places"), sizes));
  return abi::windowTraffic(
      transfers, n, bytesOf(cast<exec::BufferType>(call.getOuts()[0].getType())),
      bytesAlong(cast<exec::BufferType>(call.getIns()[0].getType()), intParam(call, "dim")));
}

/// What a collective moves in a group of the ranks along `parts`, `n` in all; none for other calls and where nothing is
/// issued.
std::optional<abi::Traffic> trafficOf(exec::CallOp call, ArrayRef<AxisPart> parts, int64_t n) {
  namespace calls = abi::calls;
  StringRef callee = call.getCallee();
  if (!llvm::is_contained({calls::allReduce, calls::allGather, calls::reduceScatter,
                           calls::allToAll, calls::permute, calls::window},
                          callee))
    return std::nullopt;
  if (callee == calls::window) {
    abi::Traffic traffic = windowTraffic(call, parts);
    return traffic == abi::Traffic() ? std::nullopt : std::optional(traffic);
  }
  auto in = cast<exec::BufferType>(call.getIns()[0].getType());
  auto out = cast<exec::BufferType>(call.getOuts()[0].getType());
  if (callee == calls::allReduce)
    return abi::allReduceTraffic(n, bytesOf(call.getIns()));
  if (callee == calls::allGather)
    return abi::allGatherTraffic(n, bytesOf(call.getIns()));
  if (callee == calls::reduceScatter)
    return abi::reduceScatterTraffic(n, bytesOf(call.getOuts()));
  if (callee == calls::permute)
    return abi::permuteTraffic(bytesOf(in));
  // Each member gets the block of `in` that `out` is along the dim that is cut.
  int64_t dim = intParam(call, "split_dim");
  return abi::allToAllTraffic(n, bytesAlong(in, dim) * out.getShape()[dim]);
}

/// The parts of axes whose ranks take part in `call`.
SmallVector<AxisPart> partsOf(exec::CallOp call, exec::MeshOp mesh) {
  SmallVector<AxisPart> parts;
  auto axes = call.getParams() ? call.getParams()->getAs<DenseI64ArrayAttr>("axes") : nullptr;
  if (axes)
    for (ArrayRef<int64_t> ints = axes.asArrayRef(); !ints.empty(); ints = ints.drop_front(3))
      parts.push_back({ints[0], ints[1], ints[2]});
  else // A permute: everyone takes part.
    for (auto [index, extent] : llvm::enumerate(mesh.getExtents()))
      parts.push_back({int64_t(index), 1, extent});
  return parts;
}

/// Counts `times` runs of `program`.
void addRuns(exec::ProgramOp program, int64_t times, exec::MeshOp mesh,
             std::vector<WireLine> &lines) {
  for (auto call : program.getBlock().getOps<exec::CallOp>()) {
    SmallVector<AxisPart> parts = partsOf(call, mesh);
    int64_t n = 1;
    for (AxisPart part : parts)
      n *= part.size;
    std::optional<abi::Traffic> traffic = n > 1 ? trafficOf(call, parts, n) : std::nullopt;
    if (!traffic)
      continue;
    std::string text = textOf(parts, mesh);
    auto line = llvm::find_if(lines, [&](const WireLine &known) {
      return known.collective == call.getCallee() && known.axes == text;
    });
    if (line == lines.end())
      line = lines.insert(lines.end(), {call.getCallee().str(), text});
    line->calls += times;
    line->traffic.payloadBytes += times * traffic->payloadBytes;
    line->traffic.ringBytes += times * traffic->ringBytes;
  }
}

} // namespace

exec::MeshOp meshOf(ModuleOp module) {
  auto meshes = module.getOps<exec::MeshOp>();
  return meshes.empty() ? exec::MeshOp() : *meshes.begin();
}

std::string meshText(exec::MeshOp mesh) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(
      llvm::zip_equal(mesh.getAxes().getAsRange<StringAttr>(), mesh.getExtents()), os,
      [&](auto axis) { os << std::get<0>(axis).getValue() << '=' << std::get<1>(axis); });
  return text;
}

std::vector<WireLine> wireLedger(const WholeProgram &program) {
  std::vector<WireLine> lines;
  if (exec::MeshOp mesh = meshOf(program.getOperation()->getParentOfType<ModuleOp>()))
    for (ProgramRun run : program.runs())
      addRuns(run.program, run.times, mesh, lines);
  return lines;
}

} // namespace sheaf::lowering
