// Control flow that is known at compile time: If, Loop, Scan.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

constexpr int64_t kMostTrips = 100'000;

/// Only the branch that the condition chooses is imported.
void importIf(Node &n) {
  n.expectInputs(1, 1);
  const auto *onTrue = n.subgraph("then_branch"), *onFalse = n.subgraph("else_branch");
  Value condition = n.input(0);
  if (!n.failed() && (!onTrue || !onFalse))
    n.fail("lacks a branch");
  if (n.failed())
    return;
  auto constant = n.constantValue(condition);
  if (!constant || constant->getNumElements() != 1 || !constant->getElementType().isInteger(1))
    return n.fail("its condition is not a boolean constant");
  auto results = n.importSubgraph(constant->getSplatValue<bool>() ? *onTrue : *onFalse, {});
  if (!results)
    return;
  if (results->size() != n.numOutputs())
    return n.fail("its branch has " + Twine(results->size()) + " outputs, the node " +
                  Twine(n.numOutputs()));
  for (auto [index, value] : llvm::enumerate(*results))
    n.output(index, value);
}

std::optional<bool> boolOf(Node &n, Value value) {
  auto constant = n.constantValue(value);
  if (!constant || constant->getNumElements() != 1 || !constant->getElementType().isInteger(1))
    return std::nullopt;
  return constant->getSplatValue<bool>();
}

/// Puts one value per trip along a new dim.
Value stack(Node &n, ArrayRef<Value> values, int64_t dim) {
  SmallVector<Value> rows;
  for (Value value : values)
    rows.push_back(n.unsqueeze(value, {dim}));
  return n.concat(rows, dim);
}

/// Unrolls: trip count and condition are constants, of the loop and after each trip.
void importLoop(Node &n) {
  const auto *body = n.subgraph("body");
  if (!n.failed() && (!body || n.numInputs() < 2))
    n.fail("lacks a body or inputs");
  if (n.failed())
    return;
  int64_t trips = kMostTrips + 1;
  if (n.has(0)) {
    auto constant = n.constantValue(n.input(0));
    if (!constant || constant->getNumElements() != 1 ||
        !isa<IntegerType>(constant->getElementType()))
      return n.fail("trip count is not a constant");
    trips = intValues(*constant).front();
  }
  std::optional<bool> goesOn = n.has(1) ? boolOf(n, n.input(1)) : std::optional(true);
  if (!goesOn)
    return n.fail("condition is not a constant");
  SmallVector<Value> carried = n.numInputs() > 2 ? n.variadic(2) : SmallVector<Value>();
  size_t numCarried = carried.size();
  if (n.numOutputs() < numCarried)
    return n.fail("has fewer outputs than carried values");
  size_t numScans = n.numOutputs() - numCarried;
  SmallVector<SmallVector<Value>> scans(numScans);
  Type i64 = IntegerType::get(n.context(), 64);
  for (int64_t trip = 0; trip < trips && *goesOn && !n.failed(); ++trip) {
    if (trip == kMostTrips)
      return n.fail("runs more than " + Twine(kMostTrips) + " times");
    SmallVector<Value> arguments{n.scalar(i64, static_cast<double>(trip)),
                                 n.scalar(IntegerType::get(n.context(), 1), 1)};
    arguments.append(carried);
    auto results = n.importSubgraph(*body, arguments);
    if (!results)
      return;
    if (results->size() != 1 + numCarried + numScans)
      return n.fail("its body has " + Twine(results->size()) + " outputs, not " +
                    Twine(1 + numCarried + numScans));
    goesOn = boolOf(n, results->front());
    if (!goesOn)
      return n.fail("the condition after a trip is not a constant");
    carried.assign(results->begin() + 1, results->begin() + 1 + numCarried);
    for (size_t index = 0; index < numScans; ++index)
      scans[index].push_back((*results)[1 + numCarried + index]);
  }
  for (auto [index, value] : llvm::enumerate(carried))
    n.output(index, value);
  for (auto [index, values] : llvm::enumerate(scans)) {
    if (values.empty() && n.wants(numCarried + index))
      return n.fail("runs 0 times, the shape of its scanned outputs is unknown");
    if (!values.empty())
      n.output(numCarried + index, stack(n, values, 0));
  }
}

/// Slices of the scanned inputs go through the body, trip by trip; opset 8 has a batch dim around.
void importScan(Node &n) {
  if (n.opset() < 9)
    return n.fail("not supported before opset 9");
  const auto *body = n.subgraph("body");
  int64_t numScanInputs = n.requiredInteger("num_scan_inputs");
  auto numInputs = static_cast<int64_t>(n.numInputs());
  if (!n.failed() && (!body || numScanInputs < 1 || numScanInputs > numInputs))
    n.fail("lacks a body, or num_scan_inputs does not fit");
  if (n.failed())
    return;
  int64_t numCarried = numInputs - numScanInputs;
  int64_t numScanOutputs = static_cast<int64_t>(n.numOutputs()) - numCarried;
  SmallVector<Value> inputs = n.variadic();
  SmallVector<int64_t> zeros(numScanInputs), outZeros(std::max<int64_t>(numScanOutputs, 0));
  auto axes = n.integers("scan_input_axes", zeros);
  auto directions = n.integers("scan_input_directions", zeros);
  auto outAxes = n.integers("scan_output_axes", outZeros);
  auto outDirections = n.integers("scan_output_directions", outZeros);
  if (!n.failed() &&
      (numScanOutputs < 0 || axes.size() != zeros.size() || directions.size() != zeros.size() ||
       outAxes.size() != outZeros.size() || outDirections.size() != outZeros.size()))
    n.fail("axes, directions or outputs do not fit num_scan_inputs");
  if (n.failed())
    return;
  int64_t trips = -1;
  for (int64_t index = 0; index < numScanInputs && !n.failed(); ++index) {
    Value value = inputs[numCarried + index];
    axes[index] = n.axis(axes[index], n.rank(value));
    int64_t extent = n.dim(value, axes[index]);
    if (trips >= 0 && extent != trips)
      return n.fail("scanned inputs have the extents " + Twine(trips) + " and " + Twine(extent));
    trips = extent;
  }
  if (n.failed())
    return;
  if (trips > kMostTrips || trips == 0)
    return n.fail("runs " + Twine(trips) + " times");
  SmallVector<Value> carried(ArrayRef(inputs).take_front(numCarried));
  SmallVector<SmallVector<Value>> scans(numScanOutputs);
  for (int64_t trip = 0; trip < trips && !n.failed(); ++trip) {
    SmallVector<Value> arguments = carried;
    for (int64_t index = 0; index < numScanInputs; ++index) {
      int64_t place = directions[index] ? trips - 1 - trip : trip;
      Value slice = n.sliceDim(inputs[numCarried + index], axes[index], place, place + 1);
      arguments.push_back(n.squeeze(slice, {axes[index]}));
    }
    auto results = n.importSubgraph(*body, arguments);
    if (!results)
      return;
    if (static_cast<int64_t>(results->size()) != numCarried + numScanOutputs)
      return n.fail("its body has " + Twine(results->size()) + " outputs, not " +
                    Twine(numCarried + numScanOutputs));
    carried.assign(results->begin(), results->begin() + numCarried);
    for (int64_t index = 0; index < numScanOutputs; ++index)
      scans[index].push_back((*results)[numCarried + index]);
  }
  for (auto [index, value] : llvm::enumerate(carried))
    n.output(index, value);
  for (int64_t index = 0; index < numScanOutputs && !n.failed(); ++index) {
    if (outDirections[index])
      std::reverse(scans[index].begin(), scans[index].end());
    int64_t axis = n.axis(outAxes[index], n.rank(scans[index].front()) + 1);
    n.output(numCarried + index, stack(n, scans[index], axis));
  }
}

} // namespace

void registerLoop(OpTable &table) {
  table.add("If", importIf);
  table.add("Loop", importLoop);
  table.add("Scan", importScan, 8);
}

} // namespace sheaf::onnx
