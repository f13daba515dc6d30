// Checks the process's settings and the machine's features.
#include "runtime/launch/environment.h"

#include "runtime/cuda/open_device.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <set>

namespace sheaf::rt::launch {
namespace {

/// A feature's name without what LLVM and Linux write differently: "avx512_vnni" is "avx512vnni".
std::string plainName(std::string_view name) {
  std::string plain;
  for (char c : name)
    if (c != '_' && c != '.' && c != '-')
      plain += c;
  return plain == "bmi1" ? "bmi" : plain;
}

/// True for features whose absence kernels would notice; many others that LLVM lists have no flag in Linux.
bool isVectorFeature(std::string_view name) {
  for (std::string_view prefix : {"avx", "fma", "f16c", "bmi", "sse4", "amx"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

/// Calls `visit` with each of the words of `text` that `separator` separates.
template <typename Visit> void forEachWord(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    size_t end = text.find(separator);
    if (std::string_view word = text.substr(0, end); !word.empty())
      visit(word);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
}

} // namespace

Status checkEnvironment(int numThreadRanks) {
  // libgomp then puts the threads of all ranks on the first CPUs.
  const char *bind = std::getenv("OMP_PROC_BIND");
  if (numThreadRanks > 1 && bind && *bind && std::string_view(bind) != "false" &&
      std::string_view(bind) != "FALSE")
    return Status::invalid("OMP_PROC_BIND=", bind,
                           " is set; it would put the threads of all ranks on the same CPUs; unset "
                           "it, ranks are bound to CPUs of their own");
  for (const char *name : {"OMP_THREAD_LIMIT", "OMP_DYNAMIC"}) {
    const char *value = std::getenv(name);
    bool isOff = !value || std::string_view(value).empty() ||
                 (std::string_view(name) == "OMP_DYNAMIC" &&
                  (std::string_view(value) == "false" || std::string_view(value) == "FALSE"));
    if (!isOff)
      return Status::invalid(name, "=", value,
                             " is set; oneDNN then computes only part of its results; unset it and "
                             "use --threads");
  }
  return {};
}

std::string cpuFlags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags"))
      return line.substr(std::min(line.size(), line.find(':') + 1));
  return "";
}

Status checkTarget(const Executable &executable, std::string_view flags) {
  const abi::Executable &table = executable.table();
  if (table.target()->string_view() == "cuda")
    return cuda::checkUsable();
  if (table.target()->string_view() != "host")
    return Status::invalid("it was compiled for target \"", table.target()->string_view(),
                           "\"; this runtime has: host, cuda");
  std::set<std::string> present;
  forEachWord(flags, ' ', [&](std::string_view word) { present.insert(plainName(word)); });
  std::string missing;
  for (const char *name : {"avx2", "bmi2", "f16c", "fma"}) // what runtime/host is compiled for
    if (!present.contains(name))
      missing += (missing.empty() ? "" : ", ") + std::string(name);
  if (!missing.empty())
    return Status::invalid("this CPU lacks ", missing, ", which the runtime needs");
  if (const auto *features = table.host_features())
    forEachWord(features->string_view(), ',', [&](std::string_view feature) {
      if (feature[0] != '+')
        return;
      std::string_view name = feature.substr(1);
      if (isVectorFeature(name) && !present.contains(plainName(name)))
        missing += (missing.empty() ? "" : ", ") + std::string(name);
    });
  if (!missing.empty())
    return Status::invalid("it was compiled for CPU ",
                           table.host_cpu() ? table.host_cpu()->string_view() : "(unnamed)",
                           ", which has features that this CPU lacks: ", missing,
                           "; compile it again with --host-cpu for this machine");
  return {};
}

int availableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

} // namespace sheaf::rt::launch
