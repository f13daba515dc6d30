// Prints reports as text or as JSON.
#include "tools/shard-run/report.h"

#include "runtime/io/quantity_text.h"
#include "tools/shard-run/resource_report.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <set>

namespace sheaf::shard_run {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Json signaturesJson(const std::vector<rt::SignatureInfo> &signatures, const rt::Mesh &mesh) {
  Json list = Json::array();
  for (const rt::SignatureInfo &signature : signatures) {
    list.push_back({{"name", std::string(signature.name)},
                    {"dtype", abi::nameOf(signature.shape.type)},
                    {"shape", signature.sharding.globalDims}});
    if (signature.sharding.isCut()) {
      list.back()["sharding"] = signature.sharding.str(mesh);
      list.back()["rank_shape"] = signature.shape.dims;
    }
    if (signature.defaultVariable)
      list.back()["has_default"] = true;
  }
  return list;
}

/// "logits  f32[8{data}, 4], f32[4, 4] per rank"
std::string signatureText(const rt::SignatureInfo &signature, const rt::Mesh &mesh) {
  std::string text = std::string(signature.name) + "  " + abi::nameOf(signature.shape.type) +
                     signature.sharding.str(mesh);
  if (signature.sharding.isCut())
    text += ", " + signature.shape.str() + " per rank";
  return text;
}

Json meshJson(const rt::Mesh &mesh) {
  Json axes = Json::object();
  for (const rt::Mesh::Axis &axis : mesh.axes())
    axes[axis.name] = axis.size;
  return axes;
}

std::string hexHash(const rt::Executable &executable) {
  std::ostringstream text;
  for (std::byte byte : executable.hash())
    text << std::hex << std::setw(2) << std::setfill('0') << static_cast<int>(byte);
  return text.str();
}

int64_t variableBytes(const rt::Executable &executable) {
  int64_t bytes = 0;
  for (const rt::VariableInfo &variable : executable.variables())
    if (!variable.table->is_prepare_only())
      bytes += variable.bytes;
  return bytes;
}

/// "weights    36 used, 2 unused: \"a\", \"b\""
void printWeights(const rt::launch::WeightUse &weights, std::ostream &out) {
  constexpr size_t maxListed = 4;
  size_t numUnused = weights.unused.size();
  out << "weights    " << weights.numUsed << " used, " << numUnused << " unused";
  for (size_t i = 0; i < std::min(numUnused, maxListed); ++i)
    out << (i ? ", " : ": ") << '"' << weights.unused[i] << '"';
  if (numUnused > maxListed)
    out << " and " << numUnused - maxListed << " more";
  out << '\n';
}

/// Each run is as slow as its slowest rank.
std::vector<double> slowestRuns(const std::vector<rt::launch::RankReport> &ranks) {
  std::vector<double> slowest = ranks[0].run.runMs;
  for (const rt::launch::RankReport &rank : ranks)
    for (size_t i = 0; i < slowest.size(); ++i)
      slowest[i] = std::max(slowest[i], rank.run.runMs[i]);
  return slowest;
}

/// JSON has no infinity: null.
Json differencesJson(const std::vector<rt::launch::OutputDifference> &differences) {
  Json list = Json::array();
  for (const rt::launch::OutputDifference &difference : differences)
    list.push_back({{"name", std::string(difference.name)},
                    {"elements", difference.numElements},
                    {"different_elements", difference.numDifferent},
                    {"max_absolute", difference.maxAbsolute},
                    {"max_relative", difference.maxRelative}});
  return list;
}

void printDifferences(const std::vector<rt::launch::OutputDifference> &differences,
                      std::ostream &out) {
  for (const rt::launch::OutputDifference &difference : differences) {
    out << "verify     " << difference.name << ": ";
    if (difference.numDifferent == 0)
      out << "bit-equal to the unsharded program\n";
    else
      out << std::scientific << std::setprecision(1) << "largest difference "
          << difference.maxAbsolute << ", " << difference.maxRelative
          << " of the largest magnitude; " << difference.numDifferent << " of "
          << difference.numElements << " elements differ\n";
  }
}

/// Of a program and the distinct programs that are its parts.
size_t storedInstructions(const rt::ProgramInfo &program) {
  size_t count = program.numInstructions();
  std::set<const rt::ProgramInfo *> parts;
  for (const rt::PartInfo &part : program.parts)
    if (parts.insert(part.program).second)
      count += part.program->numInstructions();
  return count;
}

Json programJson(const rt::ProgramInfo &program, const rt::Mesh &mesh) {
  Json json = {{"inputs", signaturesJson(program.inputs, mesh)},
               {"outputs", signaturesJson(program.outputs, mesh)},
               {"instructions", storedInstructions(program)},
               {"arena_bytes", program.arenaBytes(abi::Space::device)},
               {"predicted_peak_bytes", program.plannedBytes()}};
  for (const rt::PartInfo &part : program.parts)
    json["parts"].push_back({{"program", std::string(part.program->name)},
                             {"instructions", part.program->numInstructions()},
                             {"times", part.times}});
  return json;
}

} // namespace

/// The CPU, or the chips of the device code: "PTX for sm_80, cubin for sm_90". Empty: for any.
static std::string machineOf(const abi::Executable &table) {
  if (table.host_cpu())
    return table.host_cpu()->str();
  std::string text;
  if (const auto *images = table.device_code())
    for (const abi::DeviceCode *code : *images)
      text += (text.empty() ? "" : ", ") + std::string(code->is_ptx() ? "PTX" : "cubin") +
              " for sm_" + std::to_string(code->chip());
  return text;
}

void printInfo(const rt::Executable &executable, bool isJson, std::ostream &out) {
  const abi::Executable &table = executable.table();
  std::string cpu = table.host_cpu() ? table.host_cpu()->str() : "", machine = machineOf(table);
  std::string model = table.model() ? table.model()->str() : "";
  if (isJson) {
    Json programs = Json::object();
    for (const rt::ProgramInfo &program : executable.programs())
      if (!program.isPart)
        programs[std::string(program.name)] = programJson(program, executable.mesh());
    Json json = {{"model", model},
                 {"target", table.target()->str()},
                 {"host_cpu", cpu},
                 {"sha256", hexHash(executable)},
                 {"ranks", executable.mesh().numRanks()},
                 {"mesh", meshJson(executable.mesh())},
                 {"variables", executable.variables().size()},
                 {"variable_bytes", variableBytes(executable)},
                 {"programs", programs}};
    out << dump(json) << '\n';
    return;
  }
  out << "model      " << model << "\ntarget     " << table.target()->string_view()
      << (machine.empty() ? "" : " ") << machine << "\nsha256     " << hexHash(executable)
      << "\nvariables  " << executable.variables().size() << ", "
      << rt::io::formatBytes(variableBytes(executable)) << '\n';
  if (!executable.mesh().axes().empty())
    out << "mesh       " << executable.mesh().text() << ": " << executable.mesh().numRanks()
        << " ranks; sizes are of one rank\n";
  for (const rt::ProgramInfo &program : executable.programs()) {
    if (program.isPart)
      continue;
    out << "program    " << program.name << ": " << storedInstructions(program) << " instructions, "
        << rt::io::formatBytes(program.arenaBytes(abi::Space::device)) << " of activations, peak "
        << rt::io::formatBytes(program.plannedBytes()) << '\n';
    for (const rt::PartInfo &part : program.parts)
      out << "  part     " << part.program->name << ": " << part.program->numInstructions()
          << " instructions" << (part.times > 1 ? ", " + std::to_string(part.times) + " times" : "")
          << '\n';
    for (const rt::SignatureInfo &input : program.inputs)
      out << "  input    " << signatureText(input, executable.mesh())
          << (input.defaultVariable ? ", has a default" : "") << '\n';
    for (const rt::SignatureInfo &output : program.outputs)
      out << "  output   " << signatureText(output, executable.mesh()) << '\n';
  }
}

void printRun(const RunFacts &facts, bool isJson, std::ostream &out) {
  std::vector<double> runMs = slowestRuns(facts.ranks);
  std::vector<double> sorted = runMs;
  std::sort(sorted.begin(), sorted.end());
  double median = sorted[sorted.size() / 2];
  if (isJson) {
    Json json = {{"run_ms", runMs}, {"median_ms", median}, {"ranks", facts.ranks.size()}};
    addResources(json, facts.ranks);
    if (facts.weights)
      json["weights"] = {{"used", facts.weights->numUsed}, {"unused", facts.weights->unused}};
    if (facts.differences)
      json["verify"] = differencesJson(*facts.differences);
    out << dump(json) << '\n';
    return;
  }
  out << std::fixed << std::setprecision(3) << "time       " << median << " ms";
  if (sorted.size() > 1)
    out << " median of " << sorted.size() << " runs (" << sorted.front() << " to " << sorted.back()
        << ")";
  out << '\n';
  printResources(facts.ranks, out);
  if (facts.weights)
    printWeights(*facts.weights, out);
  if (facts.differences)
    printDifferences(*facts.differences, out);
}

} // namespace sheaf::shard_run
