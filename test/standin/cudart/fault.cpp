// Counts the calls that may go wrong.
#include "test/standin/cudart/fault.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "test/standin/cudart/control.h"
#include "test/standin/cudart/state.h"

namespace sheaf::standin::cudart {
namespace {

/// What is planted.
struct Fault {
  std::mutex mutex;
  std::string kind;
  long number = 0; ///< of the call that goes wrong, from 1
  int device = -1; ///< negative: any
  long numCalls = 0;

  Fault() {
    if (const char *text = std::getenv("SHEAF_STANDIN_FAULT"))
      set(text);
  }
  static Fault &get() {
    static auto *fault = new Fault;
    return *fault;
  }
  void set(const std::string &text) {
    size_t colon = text.find(':'), at = text.find('@');
    kind = text.substr(0, colon);
    number = colon == std::string::npos ? 0 : std::atol(text.c_str() + colon + 1);
    device = at == std::string::npos ? -1 : std::atoi(text.c_str() + at + 1);
    numCalls = 0;
  }
};

} // namespace

bool isPlanted(std::string_view kind) {
  Fault &fault = Fault::get();
  std::lock_guard lock(fault.mutex);
  if (kind != fault.kind || (fault.device >= 0 && fault.device != currentDevice()) ||
      ++fault.numCalls != fault.number)
    return false;
  std::fprintf(stderr, "standin: planted: %s, call %ld\n", fault.kind.c_str(), fault.number);
  return true;
}

} // namespace sheaf::standin::cudart

void sheafStandinPlant(const char *text) {
  auto &fault = sheaf::standin::cudart::Fault::get();
  std::lock_guard lock(fault.mutex);
  fault.set(text);
}
