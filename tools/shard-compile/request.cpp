// The command line of shard-compile.
#include "tools/shard-compile/request.h"

#include "passes/sharding/store_layout.h"
#include "tools/shard-compile/training_flags.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <unistd.h>

using namespace llvm;

namespace sheaf::compile {
namespace {

constexpr char overview[] = R"(Compiles a model into an executable that shard-run runs.

  shard-compile gpt2.onnx --shape input_ids=2x16 -o gpt2.sheaf
  shard-compile bert.onnx --dim batch=2 --dim sequence=128 -o bert.sheaf
  shard-compile gpt2.onnx --dim batch=8 --dim sequence=128 --mesh data=2,tensor=2 --strategy dp,tp -o gpt2.sheaf

Every dim of the model must be known: bind inputs by --shape, or symbolic dims by --dim. Weights
stay where they are, in the model or in its external data; the executable refers to them.

With --mesh the executable is one for as many ranks as the mesh has. Where tensors live then comes from
  --strategy   by the structure of the model: dp shares the batch along axis data, tp heads, hidden dims and
               vocabulary along axis tensor, sp the sequence between products along axis tensor
  --rules      by name: a file, or one of the built-in sets gpt2, bert, llama, mixtral, vit:
                 - {name: 'input_ids', axes: [[data], _]}   one entry per dim; [] is whole, _ is open
                 - {name: 'c_fc', columns: [tensor]}        what a weight adds to a product
                 - {name: 'c_proj', rows: [tensor]}         what a product sums over
               the first rule whose pattern is found in a name counts, of several --rules those of the first
  --device-configuration
               by the model: the shardings that an ONNX model (IR version 11 or later) has for a device
               configuration. Without --mesh they bring their own. They are not followed unless asked for
and else follows from these; device configurations go before rules, rules before strategies. What the ranks
compute is what one would. The result goes back into a copy of the model:

  shard-compile gpt2.onnx --mesh tensor=2 --strategy tp --annotated-onnx gpt2-tp.onnx -o gpt2.sheaf
  shard-compile gpt2-tp.onnx --device-configuration tensor=2 -o gpt2.sheaf
)";

/// Our options; LLVM's own are taken off the command line, so that a wrong one is an error.
struct CommandLine {
  cl::OptionCategory category{"Options"};
  cl::opt<std::string> model{cl::Positional, cl::Required, cl::desc("<model.onnx or graph .mlir>"),
                             cl::cat(category)};
  cl::opt<std::string> output{"o", cl::Required, cl::desc("The executable to write"),
                              cl::value_desc("file.sheaf"), cl::cat(category)};
  cl::list<std::string> shapes{"shape", cl::desc("Shape of an input; NAME= is a scalar"),
                               cl::value_desc("NAME=2x16"), cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("Extent of a symbolic dim"), cl::value_desc("NAME=2"),
                             cl::cat(category)};
  cl::list<std::string> constants{"constant", cl::desc("Fixes an input to the value in a file"),
                                  cl::value_desc("NAME=file.npy"), cl::cat(category)};
  cl::list<std::string> feeds{
      "feed",
      cl::desc("Fills an input by rule: ones, zeros, a number, or arange, which counts along the "
               "last dim"),
      cl::value_desc("NAME=ones"), cl::cat(category)};
  cl::list<std::string> mesh{"mesh", cl::CommaSeparated,
                             cl::desc("Axes of the mesh of ranks, major first"),
                             cl::value_desc("data=2,tensor=2"), cl::cat(category)};
  cl::list<std::string> strategies{
      "strategy", cl::CommaSeparated,
      cl::desc("How to shard by structure: dp, tp, sp; of --train also ddp, zero1, "
               "zero2, zero3, hsdp"),
      cl::value_desc("dp,tp"), cl::cat(category)};
  cl::list<std::string> rules{
      "rules",
      cl::desc("How to shard by name; repeat it for several files, which count "
               "as one that holds their rules in this order"),
      cl::value_desc("rules.yaml|gpt2|..."), cl::cat(category)};
  cl::opt<std::string> deviceConfiguration{
      "device-configuration", cl::desc("Device configuration of the model to shard by"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> annotatedModel{
      "annotated-onnx",
      cl::desc("Copy of the ONNX model to write, with a device configuration that says where "
               "tensors live; external data stays where it is, beside both"),
      cl::value_desc("file.onnx"), cl::cat(category)};
  cl::opt<std::string> annotationName{
      "annotated-as", cl::desc("Name of that device configuration; default: the mesh, as tensor=2"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("What to compile for: host"),
                              cl::value_desc("name"), cl::init("host"), cl::cat(category)};
  cl::opt<std::string> hostCpu{"host-cpu",
                               cl::desc("Processor to compile kernels for, by LLVM's name "
                                        "(x86-64-v3, znver4, ...); native is this machine"),
                               cl::value_desc("name"), cl::init("native"), cl::cat(category)};
  cl::opt<std::string> deviceMemory{"device-memory",
                                    cl::desc("Memory that the program may take; default: all"),
                                    cl::value_desc("1GiB"), cl::cat(category)};
  cl::opt<std::string> groupBytes{
      "group-bytes",
      cl::desc("Let parameters and gradients travel together up to so many bytes, in the order in "
               "which they are needed or ready; default: those of each block of the model"),
      cl::value_desc("25MiB"), cl::cat(category)};
  cl::opt<bool> noRaise{"no-raise",
                        cl::desc("Compile softmax, attention, ... that the model spells out in "
                                 "primitives as they are: slower, to find faults"),
                        cl::cat(category)};
  TrainingFlags training{category};
  cl::opt<bool> isJson{"json", cl::desc("Print what is known of the result as JSON"),
                       cl::cat(category)};
  cl::opt<bool> showsRemarks{"remarks",
                             cl::desc("Print the reshards, with their bytes, and the copies "
                                      "that could not be avoided"),
                             cl::cat(category)};
  cl::opt<bool> embedsReference{"reference",
                                cl::desc("Put the program of one device into the file as well, for "
                                         "shard-run --verify"),
                                cl::cat(category)};
  cl::opt<bool> explains{"explain", cl::desc("Print where the sharding of each tensor came from"),
                         cl::cat(category)};
  cl::opt<bool> showsTiming{"timing", cl::desc("Print the time each pass took"), cl::cat(category)};
};

void keepOnly(const cl::OptionCategory &category) {
  SmallVector<cl::Option *> others;
  for (auto &entry : cl::getRegisteredOptions()) {
    StringRef name = entry.first;
    if (!is_contained(entry.second->Categories, &category) && name != "help" && name != "version")
      others.push_back(entry.second);
  }
  for (cl::Option *option : others)
    option->removeArgument();
}

/// Bytes of this machine's memory.
int64_t machineMemory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

Expected<int64_t> parseBytes(StringRef flag, StringRef text) {
  StringRef digits = text.take_while([](char c) { return isDigit(c) || c == '.'; });
  StringRef unit = text.drop_front(digits.size());
  int shift = StringSwitch<int>(unit)
                  .Cases({"", "B"}, 0)
                  .Case("KiB", 10)
                  .Case("MiB", 20)
                  .Case("GiB", 30)
                  .Case("TiB", 40)
                  .Default(-1);
  double value;
  if (shift < 0 || digits.getAsDouble(value) || value <= 0 || value * std::exp2(shift) > 1e18)
    return createStringError("--" + flag + ": \"" + text +
                             "\" is no amount of memory; write 512MiB or 1.5GiB");
  return std::max(int64_t(1), static_cast<int64_t>(value * std::exp2(shift)));
}

Error fill(Request &request, const CommandLine &line) {
  request.model = line.model;
  request.output = line.output;
  request.hostCpu = line.hostCpu;
  request.raises = !line.noRaise;
  request.isJson = line.isJson;
  request.showsRemarks = line.showsRemarks;
  request.showsTiming = line.showsTiming;
  request.embedsReference = line.embedsReference;
  request.explainsShardings = line.explains;
  request.deviceConfiguration = line.deviceConfiguration;
  request.annotatedModel = line.annotatedModel;
  request.annotationName = line.annotationName;
  if (request.annotatedModel.empty() && !request.annotationName.empty())
    return createStringError("--annotated-as names what --annotated-onnx writes; give both");
  if (!request.annotatedModel.empty() && sys::path::extension(request.model) == ".mlir")
    return createStringError("--annotated-onnx copies an ONNX model, " + request.model +
                             " is none");
  request.rules.assign(line.rules.begin(), line.rules.end());
  request.mesh.assign(line.mesh.begin(), line.mesh.end());
  for (StringRef axis : request.mesh) {
    auto [name, size] = axis.split('=');
    int64_t extent;
    if (name.empty() || size.getAsInteger(10, extent) || extent < 1)
      return createStringError("--mesh: \"" + axis + "\" is not of the form NAME=SIZE");
  }
  request.feeds.assign(line.feeds.begin(), line.feeds.end());
  request.strategies.assign(line.strategies.begin(), line.strategies.end());
  auto step = line.training.options();
  if (!step)
    return step.takeError();
  request.step = std::move(*step);
  auto store = line.training.store(request.strategies, request.step.has_value());
  if (!store)
    return store.takeError();
  request.store = std::move(*store);
  request.deviceMemory = machineMemory();
  if (!line.deviceMemory.empty()) {
    Expected<int64_t> bytes = parseBytes("device-memory", line.deviceMemory);
    if (!bytes)
      return bytes.takeError();
    request.deviceMemory = *bytes;
  }
  if (!line.groupBytes.empty()) {
    Expected<int64_t> bytes = parseBytes("group-bytes", line.groupBytes);
    if (!bytes)
      return bytes.takeError();
    if (request.store.layout.empty())
      return createStringError("--group-bytes needs a --strategy that combines or gathers "
                               "parameters: " +
                               sharding::StoreLayout::names());
    request.groupBytes = *bytes;
  }
  if (line.target != "host")
    return createStringError("--target: \"" + line.target + "\" is unknown; there is host");
  for (const std::string &flag : line.shapes)
    if (Error error = onnx::addShapeFlag(request.import, flag))
      return error;
  for (const std::string &flag : line.dims)
    if (Error error = onnx::addDimFlag(request.import, flag))
      return error;
  for (const std::string &flag : line.constants)
    if (Error error = onnx::addConstantFlag(request.import, flag))
      return error;
  return Error::success();
}

} // namespace

std::optional<Request> parseCommandLine(int argc, char **argv) {
  static CommandLine line;
  keepOnly(line.category);
  cl::SetVersionPrinter([](raw_ostream &stream) { stream << "shard-compile of Sheaf 0.1\n"; });
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &errs()))
    return std::nullopt;
  Request request;
  if (Error error = fill(request, line)) {
    errs() << "error: " << toString(std::move(error)) << "\n";
    return std::nullopt;
  }
  return request;
}

} // namespace sheaf::compile
