// Prints reports as text or as JSON.
#include "tools/shard-run/report.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <nlohmann/json.hpp>

namespace sheaf::shard_run {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// "3.43 MiB": three digits and a binary unit, as shard-compile prints them.
std::string size(int64_t bytes) {
  constexpr std::array<const char *, 5> units = {" B", " KiB", " MiB", " GiB", " TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit)
    value /= 1024;
  std::ostringstream text;
  int decimals = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  text << std::fixed << std::setprecision(decimals) << value << units[unit];
  return text.str();
}

Json signaturesJson(const std::vector<rt::SignatureInfo> &signatures) {
  Json list = Json::array();
  for (const rt::SignatureInfo &signature : signatures) {
    list.push_back({{"name", std::string(signature.name)},
                    {"dtype", abi::nameOf(signature.shape.type)},
                    {"shape", signature.shape.dims}});
    if (signature.defaultVariable)
      list.back()["has_default"] = true;
  }
  return list;
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

} // namespace

void printInfo(const rt::Executable &executable, bool isJson, std::ostream &out) {
  const abi::Executable &table = executable.table();
  std::string cpu = table.host_cpu() ? table.host_cpu()->str() : "";
  std::string model = table.model() ? table.model()->str() : "";
  if (isJson) {
    Json programs = Json::object();
    for (const rt::ProgramInfo &program : executable.programs())
      programs[std::string(program.name)] = {
          {"inputs", signaturesJson(program.inputs)},
          {"outputs", signaturesJson(program.outputs)},
          {"instructions", program.numInstructions()},
          {"arena_bytes", program.arenaBytes(abi::Space::device)},
          {"predicted_peak_bytes", program.plannedBytes()}};
    Json json = {{"model", model},
                 {"target", table.target()->str()},
                 {"host_cpu", cpu},
                 {"sha256", hexHash(executable)},
                 {"variables", executable.variables().size()},
                 {"variable_bytes", variableBytes(executable)},
                 {"programs", programs}};
    out << dump(json) << '\n';
    return;
  }
  out << "model      " << model << "\ntarget     " << table.target()->string_view() << ' ' << cpu
      << "\nsha256     " << hexHash(executable) << "\nvariables  " << executable.variables().size()
      << ", " << size(variableBytes(executable)) << '\n';
  for (const rt::ProgramInfo &program : executable.programs()) {
    out << "program    " << program.name << ": " << program.numInstructions() << " instructions, "
        << size(program.arenaBytes(abi::Space::device)) << " of activations, peak "
        << size(program.plannedBytes()) << '\n';
    for (const rt::SignatureInfo &input : program.inputs)
      out << "  input    " << input.name << "  " << input.shape.str()
          << (input.defaultVariable ? ", has a default" : "") << '\n';
    for (const rt::SignatureInfo &output : program.outputs)
      out << "  output   " << output.name << "  " << output.shape.str() << '\n';
  }
}

void printRun(const RunFacts &facts, bool isJson, std::ostream &out) {
  const rt::MemoryUse &memory = facts.memory;
  std::vector<double> sorted = facts.runMs;
  std::sort(sorted.begin(), sorted.end());
  double median = sorted[sorted.size() / 2];
  if (isJson) {
    Json json = {{"run_ms", facts.runMs},
                 {"median_ms", median},
                 {"memory_bytes",
                  {{"variables", memory.variableBytes},
                   {"activations", memory.arenaBytes},
                   {"inputs_and_outputs", memory.signatureBytes},
                   {"peak", memory.peakBytes},
                   {"predicted_peak", memory.plannedBytes},
                   {"mapped", memory.mappedBytes},
                   {"library_scratch", memory.scratchBytes}}}};
    if (facts.weights)
      json["weights"] = {{"used", facts.weights->numUsed}, {"unused", facts.weights->unused}};
    out << dump(json) << '\n';
    return;
  }
  out << std::fixed << std::setprecision(3) << "time       " << median << " ms";
  if (sorted.size() > 1)
    out << " median of " << sorted.size() << " runs (" << sorted.front() << " to " << sorted.back()
        << ")";
  out << "\nmemory     peak " << size(memory.peakBytes);
  if (memory.peakBytes == memory.plannedBytes)
    out << ", as predicted";
  else
    out << " (predicted " << size(memory.plannedBytes) << ")";
  out << ": parameters " << size(memory.variableBytes);
  if (memory.mappedBytes > 0)
    out << " (" << size(memory.mappedBytes) << " in place in files)";
  out << ", activations " << size(memory.arenaBytes) << ", inputs and outputs "
      << size(memory.signatureBytes) << "; library scratch " << size(memory.scratchBytes) << '\n';
  if (facts.weights)
    printWeights(*facts.weights, out);
}

} // namespace sheaf::shard_run
