// shard-run: runs an executable on this machine.
#include "runtime/abi/calls.h"
#include "runtime/io/progress_line.h"
#include "runtime/launch/environment.h"
#include "runtime/launch/inputs.h"
#include "runtime/launch/outputs.h"
#include "runtime/launch/profile.h"
#include "runtime/launch/session.h"
#include "tools/shard-run/options.h"
#include "tools/shard-run/report.h"

#include <iostream>

namespace sheaf::shard_run {
namespace {

using rt::Result, rt::Status;

/// Exit codes that scripts rely on.
constexpr int invalidRequest = 1, rankFailed = 3;

Status checkRequest(const Options &options) {
  if (options.ranks != 1)
    return Status::invalid(
        "--ranks ", options.ranks,
        ": running several ranks as threads is not supported yet; use --ranks 1");
  return {};
}

bool hasRandomNodes(const rt::Executable &executable) {
  for (const rt::ProgramInfo &program : executable.programs())
    for (size_t i = 0; i < program.numInstructions(); ++i)
      if (program.instruction(i).kind() == abi::InstructionKind::call &&
          program.instruction(i).name()->string_view() == abi::calls::random)
        return true;
  return false;
}

Status run(const Options &options) {
  if (Status status = checkRequest(options); !status.isOk())
    return status;
  if (options.isInfo) {
    Result<rt::Executable> executable = rt::Executable::open(options.model);
    if (!executable.isOk())
      return executable.takeStatus();
    printInfo(*executable, options.isJson, std::cout);
    return {};
  }
  std::vector<rt::launch::InputArgument> arguments;
  for (const std::string &text : options.inputs) {
    Result<rt::launch::InputArgument> argument = rt::launch::InputArgument::parse(text);
    if (!argument.isOk())
      return argument.takeStatus();
    arguments.push_back(std::move(*argument));
  }
  rt::io::ProgressLine line;
  auto onProgress = [&](std::string_view what, int64_t done, int64_t total) {
    line.show(what, done, total);
  };
  auto session = rt::launch::Session::open(
      options.model,
      {.threads = options.threads > 0 ? options.threads : rt::launch::availableCpus(),
       .weights = options.weights,
       .seed = options.seed.value_or(0),
       .onProgress = onProgress});
  if (!session.isOk())
    return session.takeStatus();
  if (options.seed && !options.hasRandomInputs && !hasRandomNodes((*session)->executable()))
    return Status::invalid("--seed has no effect: the model has no random nodes, and there is no "
                           "--random-inputs");
  Result<rt::BoundProgram *> program = (*session)->program(options.program);
  if (!program.isOk())
    return program.takeStatus();
  const rt::ProgramInfo &info = (*program)->info();

  rt::MemoryAccount &memory = (*session)->memoryAccount();
  std::optional<uint64_t> inputSeed;
  if (options.hasRandomInputs)
    inputSeed = options.seed.value_or(0);
  auto inputs = rt::launch::gatherInputs(info, (*session)->state(), arguments, inputSeed, &memory);
  if (!inputs.isOk())
    return inputs.takeStatus();
  auto outputs = rt::launch::allocateOutputs(info, &memory);
  if (!outputs.isOk())
    return outputs.takeStatus();
  rt::launch::RunRequest request{options.warmup, options.repeat, !options.profile.empty(),
                                 onProgress};
  auto report = rt::launch::runProgram(**program, *inputs, *outputs, request);
  if (!report.isOk())
    return report.takeStatus().annotated("rank 0");

  line.wipe();
  if (!options.outputDir.empty())
    if (Status status = rt::launch::writeOutputs(info, *outputs, options.outputDir); !status.isOk())
      return status;
  if (request.isProfiled) {
    auto slices = rt::launch::traceOf(info, report->timings);
    if (Status status = rt::io::writeTrace(options.profile, slices); !status.isOk())
      return status;
  }
  printRun({report->runMs, (*session)->memoryUse(), (*session)->weightUse()}, options.isJson,
           std::cout);
  return {};
}

int main(int argc, char **argv) {
  auto parsed = parseOptions(argc, argv);
  if (const int *code = std::get_if<int>(&parsed))
    return *code;
  Status status;
  try {
    status = run(std::get<Options>(parsed));
  } catch (const std::bad_alloc &) {
    status = Status::invalid("out of memory");
  } catch (const std::exception &error) {
    status = Status::failed(error.what());
  }
  if (status.isOk())
    return 0;
  std::cerr << "error: " << status.text() << '\n';
  return status.code() == rt::StatusCode::failed ? rankFailed : invalidRequest;
}

} // namespace
} // namespace sheaf::shard_run

int main(int argc, char **argv) { return sheaf::shard_run::main(argc, argv); }
