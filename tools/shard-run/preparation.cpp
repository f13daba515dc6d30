// Opens and checks what a run needs.
#include "tools/shard-run/preparation.h"

#include "runtime/abi/calls.h"
#include "runtime/launch/environment.h"
#include "tools/shard-run/verify.h"

namespace sheaf::shard_run {

using rt::Result, rt::Status;

namespace {

/// As many ranks as the mesh has places.
Status checkRanks(const Options &options, const rt::launch::ModelFiles &files, int numProcesses) {
  const rt::Mesh &mesh = files.executable().mesh();
  int numRanks = mesh.numRanks();
  std::string what = files.path().string() + " is for " + std::to_string(numRanks) +
                     (numRanks == 1 ? " rank" : " ranks") +
                     (mesh.axes().empty() ? "" : " (" + mesh.text() + ")");
  if (numProcesses > 1 && numProcesses != numRanks)
    return Status::invalid(numProcesses, " processes were started but ", what,
                           "; start it with mpirun -n ", numRanks);
  if (options.ranks != 0 && options.ranks != numRanks)
    return Status::invalid("--ranks ", options.ranks, ": ", what, "; run it with --ranks ",
                           numRanks, ", or with mpirun -n ", numRanks);
  return {};
}

Result<std::vector<rt::launch::InputArgument>> parseInputs(const Options &options) {
  std::vector<rt::launch::InputArgument> arguments;
  for (const std::string &text : options.inputs) {
    Result<rt::launch::InputArgument> argument = rt::launch::InputArgument::parse(text);
    if (!argument.isOk())
      return argument.takeStatus();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

} // namespace

bool hasRandomNodes(const rt::Executable &executable) {
  for (const rt::ProgramInfo &program : executable.programs())
    for (size_t i = 0; i < program.numInstructions(); ++i)
      if (program.instruction(i).kind() == abi::InstructionKind::call &&
          program.instruction(i).name()->string_view() == abi::calls::random)
        return true;
  return false;
}

Result<rt::launch::ModelFiles> openModel(const Options &options, int numProcesses) {
  auto files = rt::launch::ModelFiles::open(options.model, options.weights);
  if (!files.isOk())
    return files;
  if (Status status = checkRanks(options, *files, numProcesses); !status.isOk())
    return status;
  int numThreadRanks = numProcesses > 1 ? 1 : files->executable().mesh().numRanks();
  if (Status status = rt::launch::checkEnvironment(numThreadRanks); !status.isOk())
    return status;
  return files;
}

Result<Preparation> prepare(const Options &options, int numProcesses) {
  auto files = openModel(options, numProcesses);
  if (!files.isOk())
    return files.takeStatus();
  if (options.seed && !options.hasRandomInputs && !hasRandomNodes(files->executable()))
    return Status::invalid("--seed has no effect: the model has no random nodes, and there is no "
                           "--random-inputs");
  Result<const rt::ProgramInfo *> program = files->executable().program(options.program);
  if (!program.isOk())
    return program.takeStatus();
  auto arguments = parseInputs(options);
  if (!arguments.isOk())
    return arguments.takeStatus();
  std::optional<uint64_t> inputSeed;
  if (options.hasRandomInputs)
    inputSeed = options.seed.value_or(0);
  auto inputs = rt::launch::InputValues::open(**program, *arguments, inputSeed);
  if (!inputs.isOk())
    return inputs.takeStatus();
  Preparation preparation{std::move(*files),     std::nullopt, *program,
                          std::move(*arguments), inputSeed,    std::move(*inputs)};
  if (options.isVerify) {
    auto reference = openReference(preparation.files, options);
    if (!reference.isOk())
      return reference.takeStatus();
    preparation.reference.emplace(std::move(*reference));
  }
  return preparation;
}

} // namespace sheaf::shard_run
