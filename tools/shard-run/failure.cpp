// Prints failures and gives them exit codes.
#include "tools/shard-run/failure.h"

#include <iostream>

namespace sheaf::shard_run {

int exitCodeOf(rt::StatusCode code) {
  switch (code) {
  case rt::StatusCode::ok:
    return 0;
  case rt::StatusCode::invalid:
    return invalidRequest;
  case rt::StatusCode::timedOut:
    return rankTimedOut;
  case rt::StatusCode::failed:
  case rt::StatusCode::aborted:
    break;
  }
  return rankFailed;
}

int fail(const rt::Status &status) {
  std::cerr << "error: " << status.text() << std::endl;
  return exitCodeOf(status.code());
}

int Processes::failTogether(const rt::Status &status) {
  if (agreement.isBroken()) // Not all know, and those that don't would be waited for.
    communicator->abort(status);
  return agreement.rank() == 0 ? fail(status) : exitCodeOf(status.code());
}

} // namespace sheaf::shard_run
