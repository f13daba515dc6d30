// shard-ckpt: looks into checkpoints and turns them into other files.
#include "tools/shard-ckpt/commands.h"

#include <iostream>
#include <new>

namespace sheaf::shard_ckpt {
namespace {

using rt::Status;

/// Exit codes that scripts rely on.
constexpr int invalidRequest = 1, different = 3;

int exitCodeOf(const Status &status) {
  if (status.isOk())
    return 0;
  std::cerr << "error: " << status.text() << std::endl;
  return invalidRequest;
}

int diff(const Options &options) {
  rt::Result<bool> areEqual = diffTensors(options, std::cout);
  if (!areEqual.isOk())
    return exitCodeOf(areEqual.takeStatus());
  return *areEqual ? 0 : different;
}

int run(const Options &options) {
  switch (options.command) {
  case Options::Command::list:
    return exitCodeOf(listSeries(options, std::cout));
  case Options::Command::show:
    return exitCodeOf(showCheckpoint(options, std::cout));
  case Options::Command::verify:
    return exitCodeOf(verifyCheckpoint(options, std::cout));
  case Options::Command::merge:
    return exitCodeOf(mergeCheckpoint(options, std::cout));
  case Options::Command::toOnnx:
    return exitCodeOf(writeOnnx(options, std::cout));
  case Options::Command::toMegatron:
    return exitCodeOf(writeMegatron(options, std::cout));
  case Options::Command::fromMegatron:
    return exitCodeOf(readMegatron(options, std::cout));
  case Options::Command::split:
    return exitCodeOf(splitTensors(options, std::cout));
  case Options::Command::diff:
    break;
  }
  return diff(options);
}

int main(int argc, char **argv) {
  auto parsed = parseOptions(argc, argv);
  if (const int *code = std::get_if<int>(&parsed))
    return *code;
  try {
    return run(std::get<Options>(parsed));
  } catch (const std::bad_alloc &) {
    return exitCodeOf(Status::invalid("out of memory"));
  } catch (const std::exception &error) {
    return exitCodeOf(Status::invalid(error.what()));
  }
}

} // namespace
} // namespace sheaf::shard_ckpt

int main(int argc, char **argv) { return sheaf::shard_ckpt::main(argc, argv); }
