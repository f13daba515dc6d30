// What shard-run prints of memory and of collectives.
#ifndef SHEAF_TOOLS_SHARD_RUN_RESOURCE_REPORT_H
#define SHEAF_TOOLS_SHARD_RUN_RESOURCE_REPORT_H

#include "runtime/launch/rank_run.h"

#include <nlohmann/json.hpp>
#include <ostream>

namespace sheaf::shard_run {

/// The memory of the rank that needs the most, and what a rank sends in one run of the program.
void printResources(const std::vector<rt::launch::RankReport> &ranks, std::ostream &out);

/// The same as the members "memory_rank", "memory_bytes" and "wire" of `json`.
void addResources(nlohmann::ordered_json &json, const std::vector<rt::launch::RankReport> &ranks);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_RESOURCE_REPORT_H
