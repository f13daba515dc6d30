// Prints what the executable needs and holds.
#include "tools/shard-compile/report.h"

#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/byte_count.h"
#include "passes/analysis/liveness.h"
#include "passes/lowering/emit/node_name.h"
#include "passes/lowering/memory_report.h"
#include "passes/lowering/narrow_report.h"
#include "passes/lowering/parameter_groups.h"
#include "passes/lowering/wire_ledger.h"
#include "runtime/abi/calls.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace sheaf::compile {

int64_t countParameters(ModuleOp model) {
  int64_t count = 0;
  for (auto function : model.getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, graph::kParameter))
        count += cast<RankedTensorType>(function.getArgumentTypes()[i]).getNumElements();
  return count;
}

/// "124.4 M"
static std::string formatCount(int64_t count) {
  constexpr StringLiteral units[] = {"", " K", " M", " G", " T"};
  double value = static_cast<double>(count);
  size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(units); ++unit)
    value /= 1000;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", unit == 0 ? 0 : 1, value) << units[unit];
  return text;
}

/// The largest value in the arena at the peak, and its node.
static std::string describeLargest(ModuleOp module) {
  std::pair<int64_t, Value> largest{0, {}};
  if (auto main = lowering::mainProgram(module))
    for (lowering::ProgramRun run : main->runs()) {
      Liveness liveness(run.program);
      for (auto [memory, range] : liveness.ranges)
        if (memory.getDefiningOp<exec::BufferOp>() && range.bytes > largest.first)
          largest = {range.bytes, memory};
    }
  if (!largest.second)
    return "";
  return "(largest: " + lowering::nodeName(largest.second.getLoc()) + " " +
         formatBytes(largest.first) + ")";
}

/// What a run of the main program moves between ranks.
static std::vector<lowering::WireLine> wireOf(ModuleOp module) {
  auto program = lowering::mainProgram(module);
  return program ? lowering::wireLedger(*program) : std::vector<lowering::WireLine>();
}

static void printWire(ArrayRef<lowering::WireLine> lines, llvm::json::OStream &json) {
  json.attributeArray("wire", [&] {
    for (const lowering::WireLine &line : lines)
      json.object([&] {
        json.attribute("collective", line.collective);
        json.attribute("axes", llvm::json::fixUTF8(line.axes));
        json.attribute("calls", line.calls);
        json.attribute("payload_bytes", line.traffic.payloadBytes);
        json.attribute("ring_bytes", line.traffic.ringBytes);
      });
  });
}

static void printWire(ArrayRef<lowering::WireLine> lines) {
  constexpr unsigned widths[] = {18, 20, 7, 12, 12};
  auto row = [&](StringRef head, std::initializer_list<std::string> cells) {
    llvm::outs() << llvm::left_justify(head, 10);
    for (auto [index, cell] : llvm::enumerate(cells))
      llvm::outs() << (index < 2 ? llvm::left_justify(cell, widths[index])
                                 : llvm::right_justify(cell, widths[index]));
    llvm::outs() << "\n";
  };
  row("wire", {"per run and rank", "axes", "calls", "payload", "sent"});
  for (const lowering::WireLine &line : lines)
    row("", {line.collective, line.axes, std::to_string(line.calls),
             formatBytes(line.traffic.payloadBytes), formatBytes(line.traffic.ringBytes)});
  if (lines.empty())
    row("", {"nothing"});
}

/// What of parameters travels together.
static void printGroups(ModuleOp module, llvm::json::OStream &json) {
  json.attributeArray("groups", [&] {
    for (const lowering::ParameterGroup &group : lowering::parameterGroups(module))
      json.object([&] {
        json.attribute("program", llvm::json::fixUTF8(group.program));
        json.attribute("collective", group.collective);
        json.attribute("calls", group.calls);
        json.attribute("payload_bytes", group.bytes);
        json.attributeArray("parameters", [&] {
          for (auto name : group.parameters.getAsRange<StringAttr>())
            json.value(llvm::json::fixUTF8(name.getValue()));
        });
      });
  });
}

/// For each program and class of collective, how many tensors travel in how many groups.
static void printGroups(ModuleOp module) {
  llvm::MapVector<StringRef, llvm::MapVector<StringRef, std::pair<size_t, size_t>>> counts;
  for (const lowering::ParameterGroup &group : lowering::parameterGroups(module)) {
    auto &[numTensors, numGroups] = counts[group.program][group.collective];
    numTensors += group.parameters.size();
    ++numGroups;
  }
  StringRef head = "groups";
  for (const auto &[program, classes] : counts) {
    llvm::outs() << llvm::left_justify(head, 10) << llvm::left_justify(program, 18);
    llvm::interleaveComma(classes, llvm::outs(), [](const auto &entry) {
      auto [numTensors, numGroups] = entry.second;
      llvm::outs() << entry.first << " of " << numTensors << " parameters in " << numGroups
                   << (numGroups == 1 ? " group" : " groups");
    });
    llvm::outs() << "\n";
    head = "";
  }
}

/// The nodes whose contractions are of 8-bit floats.
static void printNarrow(ModuleOp module, llvm::json::OStream &json) {
  json.attributeArray("products_of_8_bit_floats", [&] {
    for (exec::CallOp call : lowering::NarrowReport(module).narrow)
      json.value(llvm::json::fixUTF8(lowering::nodeName(call.getLoc())));
  });
}

/// How many contractions are of 8-bit floats, if any are.
static void printNarrow(ModuleOp module) {
  lowering::NarrowReport report(module);
  if (!report.narrow.empty())
    llvm::outs() << llvm::left_justify("products", 10) << report.narrow.size() << " of "
                 << report.numProducts << " multiply 8-bit floats\n";
}

void printReport(const Request &request, int64_t numParameters, ModuleOp module,
                 const lowering::ExecutableFacts &facts) {
  lowering::MemoryReport memory(module);
  exec::MeshOp mesh = lowering::meshOf(module);
  if (request.isJson) {
    llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
    json.object([&] {
      json.attribute("model", llvm::json::fixUTF8(request.model));
      json.attribute("parameters", numParameters);
      if (mesh)
        json.attributeObject("mesh", [&] {
          for (auto [name, extent] :
               llvm::zip_equal(mesh.getAxes().getAsRange<StringAttr>(), mesh.getExtents()))
            json.attribute(llvm::json::fixUTF8(name.getValue()), extent);
        });
      json.attributeObject("memory_bytes", [&] {
        json.attribute("variables", addBytes(memory.variableBytes,
                                             addBytes(memory.stateBytes, memory.carriedBytes)));
        json.attribute("activations", memory.arenaBytes);
        json.attribute("inputs_and_outputs", memory.signatureBytes);
        json.attribute("peak", memory.peakBytes);
      });
      json.attribute("state_bytes",
                     memory.stateBytes); // Of the variables, as are those that follow.
      json.attribute("gradient_bytes", memory.carriedBytes);
      printWire(wireOf(module), json);
      printGroups(module, json);
      printNarrow(module, json);
      json.attribute("file", llvm::json::fixUTF8(request.output));
      json.attribute("file_bytes", facts.fileBytes);
      json.attribute("sha256", facts.sha256);
      json.attribute("kernels", facts.numKernels);
    });
    llvm::outs() << "\n";
    return;
  }
  auto line = [](StringRef head, StringRef what, const std::string &value, StringRef note) {
    llvm::outs() << llvm::left_justify(head, 10) << llvm::left_justify(what, 20)
                 << llvm::right_justify(value, 10);
    if (!note.empty())
      llvm::outs() << "     " << note;
    llvm::outs() << "\n";
  };
  llvm::outs() << llvm::left_justify("model", 10) << llvm::sys::path::filename(request.model)
               << ": " << formatCount(numParameters) << " parameters\n";
  if (mesh)
    llvm::outs() << llvm::left_justify("layout", 10) << "mesh " << lowering::meshText(mesh)
                 << "; memory is of one rank\n";
  line("memory", "parameters", formatBytes(memory.variableBytes), "");
  if (memory.stateBytes > 0)
    line("", "optimizer", formatBytes(memory.stateBytes), "");
  if (memory.carriedBytes > 0)
    line("", "gradients", formatBytes(memory.carriedBytes), "");
  line("", "activations", formatBytes(memory.arenaBytes), describeLargest(module));
  line("", "inputs and outputs", formatBytes(memory.signatureBytes), "");
  line("", "peak", formatBytes(memory.peakBytes), "predicted = allocated");
  if (mesh) {
    printWire(wireOf(module));
    printGroups(module);
  }
  printNarrow(module);
  llvm::outs() << llvm::left_justify("wrote", 10) << request.output << " ("
               << formatBytes(facts.fileBytes) << ", sha256 " << facts.sha256.substr(0, 8)
               << "...; " << nameOf(request.device) << " " << facts.machine << ")\n";
  if (!request.annotatedModel.empty())
    llvm::outs() << llvm::left_justify("", 10) << request.annotatedModel << ": " << request.model
                 << " with where its tensors live\n";
}

void printRemarks(ModuleOp module) {
  for (auto program : module.getOps<exec::ProgramOp>())
    for (auto call : program.getBlock().getOps<exec::CallOp>()) {
      if (call.getCallee() != abi::calls::copy)
        continue;
      auto type = cast<exec::BufferType>(call.getOuts()[0].getType());
      int64_t bytes = type.getNumElements() * type.getElementBytes();
      llvm::outs() << "remark: " << program.getSymName() << ": copies " << formatBytes(bytes)
                   << " for node \"" << lowering::nodeName(call.getLoc()) << "\"\n";
    }
}

} // namespace sheaf::compile
