// What collectives moved, by class and mesh axes.
#ifndef SHEAF_RUNTIME_CORE_LEDGER_H
#define SHEAF_RUNTIME_CORE_LEDGER_H

#include "runtime/abi/traffic.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::rt {

/// Sums per class of collective and list of axes.
class Ledger {
public:
  struct Line {
    std::string collective; ///< "all_reduce"
    std::string axes;       ///< Mesh::text
    int64_t calls = 0;
    abi::Traffic traffic = {}; ///< of all calls

    friend bool operator==(const Line &, const Line &) = default;
  };

  /// The index of the line of `collective` over `axes`, which is there from now on.
  size_t line(std::string_view collective, std::string_view axes) {
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].collective == collective && list[i].axes == axes)
        return i;
    list.push_back({std::string(collective), std::string(axes)});
    return list.size() - 1;
  }

  /// Counts a call.
  void add(size_t line, const abi::Traffic &traffic) {
    Line &entry = list[line];
    ++entry.calls;
    entry.traffic.payloadBytes += traffic.payloadBytes;
    entry.traffic.ringBytes += traffic.ringBytes;
  }

  /// Makes `sums` the line of its class and axes.
  void set(const Line &sums) { list[line(sums.collective, sums.axes)] = sums; }

  /// What one of `numRuns` equal runs moved.
  Ledger ofOneRun(int64_t numRuns) const {
    Ledger one = *this;
    for (Line &entry : one.list)
      entry = {entry.collective,
               entry.axes,
               entry.calls / numRuns,
               {entry.traffic.payloadBytes / numRuns, entry.traffic.ringBytes / numRuns}};
    return one;
  }

  /// What differs from `planned`, line by line; empty when nothing does. A line without calls is as good as none.
  std::string difference(const Ledger &planned) const;

  /// Sets all sums to 0; the lines stay.
  void clear() {
    for (Line &entry : list)
      entry.calls = 0, entry.traffic = {};
  }

  /// In the order they came to be.
  std::span<const Line> lines() const { return list; }

private:
  std::vector<Line> list;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_LEDGER_H
