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
  // Each has a stack, and its messages to all others.
  int maxThreadRanks = std::max(256, 4 * rt::launch::availableCpus());
  if (numProcesses == 1 && numRanks > maxThreadRanks)
    return Status::invalid(what, ", which are too many for one process: at most ", maxThreadRanks,
                           " on this machine; start it with mpirun -n ", numRanks);
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

/// The trace must not replace what is read.
Status checkProfile(const Options &options,
                    const std::vector<rt::launch::InputArgument> &arguments) {
  std::vector<std::filesystem::path> files = {options.model, options.reference, options.weights};
  for (const rt::launch::InputArgument &argument : arguments)
    files.push_back(argument.file);
  for (const std::filesystem::path &file : files)
    if (std::error_code error; std::filesystem::equivalent(options.profile, file, error))
      return Status::invalid("--profile ", options.profile,
                             ": it is read by this run; name another file");
  return {};
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
  if (Status status = checkProfile(options, *arguments); !status.isOk())
    return status;
  std::optional<uint64_t> inputSeed;
  if (options.hasRandomInputs)
    inputSeed = options.seed.value_or(0);
  auto inputs = rt::launch::InputValues::open(**program, *arguments, inputSeed);
  if (!inputs.isOk())
    return inputs.takeStatus();
  Preparation preparation{std::move(*files),     std::nullopt, *program,
                          std::move(*arguments), inputSeed,    std::move(*inputs)};
  if (options.isVerify) {
    auto reference = openReference(preparation.files, **program, options);
    if (!reference.isOk())
      return reference.takeStatus();
    preparation.reference.emplace(std::move(*reference));
  }
  return preparation;
}

std::vector<rt::launch::Fact> factsOf(const Preparation &preparation) {
  std::vector<rt::launch::Fact> facts = preparation.inputs.facts();
  facts.push_back({"--weights", std::to_string(preparation.files.weightsFingerprint())});
  std::string hash;
  if (preparation.reference) {
    std::span<const std::byte> bytes = preparation.reference->executable().hash();
    hash.assign(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  facts.push_back({"--reference executable", hash});
  return facts;
}

} // namespace sheaf::shard_run
