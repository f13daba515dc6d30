// Exchanges statuses and hashes among ranks.
#include "runtime/launch/agreement.h"

#include "runtime/comm/call.h"
#include "runtime/core/fingerprint.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

namespace sheaf::rt::launch {
namespace {

/// A status as ranks send it.
struct Message {
  StatusCode code;
  char text[2044]; ///< cut off

  explicit Message(const Status &status = {}) : code(status.code()), text{} {
    size_t size = std::min(status.text().size(), sizeof text - 1);
    std::copy_n(status.text().data(), size, text);
  }
};

} // namespace

Result<Agreement> Agreement::create(Communicator *communicator,
                                    std::span<const std::string> hosts) {
  Agreement agreement;
  if (!communicator || communicator->size() == 1)
    return agreement;
  std::vector<int> ranks(static_cast<size_t>(communicator->size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  Result<std::unique_ptr<Group>> group = communicator->makeGroup(ranks);
  if (!group.isOk())
    return group.takeStatus();
  agreement.group = std::move(*group);
  agreement.hosts = hosts;
  return agreement;
}

Status Agreement::gatherBytes(const void *own, void *all, size_t bytes) {
  if (group && bytes > 0) {
    Status status = group->allGather({"an exchange outside of programs", ""}, own, all, bytes);
    hasFailed |= !status.isOk();
    return status;
  }
  if (bytes > 0)
    std::memcpy(all, own, bytes);
  return {};
}

Status Agreement::agree(Status own) {
  if (!group)
    return own;
  Message message(own);
  Result<std::vector<Message>> all = gather(std::span<const Message>(&message, 1));
  if (!all.isOk()) // A rank of which nothing is known; what is known of this one says more.
    return own.isOk() ? all.takeStatus() : std::move(own);
  std::map<std::string, std::vector<int>> ranksOf;
  const Message *first = nullptr;
  for (size_t rank = 0; rank < all->size(); ++rank) {
    const Message &status = (*all)[rank];
    if (status.code == StatusCode::ok)
      continue;
    if (!first)
      first = &status;
    ranksOf[status.text].push_back(static_cast<int>(rank));
  }
  if (!first)
    return {};
  const std::vector<int> &ranks = ranksOf[first->text];
  Status status = Status::ofCode(first->code, first->text);
  return ranks.size() == all->size() ? std::move(status)
                                     : std::move(status).annotated(comm::ranksText(ranks, hosts));
}

Status Agreement::checkSame(std::span<const std::byte> value, std::string_view what) {
  Result<std::vector<std::byte>> all = gather(value);
  if (!all.isOk())
    return all.takeStatus();
  auto bytes = static_cast<ptrdiff_t>(value.size());
  std::vector<int> different;
  for (int rank = 1; rank < size(); ++rank)
    if (!std::equal(all->begin(), all->begin() + bytes, all->begin() + rank * bytes))
      different.push_back(rank);
  if (different.empty())
    return {};
  const std::vector<int> first = {0};
  return Status::invalid(comm::ranksText(different, hosts),
                         different.size() == 1 ? " has" : " have", " another ", what, " than ",
                         comm::ranksText(first, hosts), "; give all ranks the same");
}

Status Agreement::checkSame(std::span<const Fact> facts) {
  std::vector<uint64_t> own;
  for (const Fact &fact : facts) {
    Fingerprint print;
    print.add(fact.what);
    print.add(fact.value);
    own.push_back(print.value());
  }
  Result<std::vector<uint64_t>> all = gather(std::span<const uint64_t>(own));
  if (!all.isOk())
    return all.takeStatus();
  std::string differences;
  for (size_t i = 0; i < facts.size(); ++i) {
    std::vector<int> different;
    for (int rank = 1; rank < size(); ++rank)
      if ((*all)[static_cast<size_t>(rank) * facts.size() + i] != (*all)[i])
        different.push_back(rank);
    if (!different.empty())
      differences += (differences.empty() ? "" : ", ") + comm::ranksText(different, hosts) +
                     (different.size() == 1 ? " has" : " have") + " another " + facts[i].what;
  }
  if (differences.empty())
    return {};
  const std::vector<int> first = {0};
  return Status::invalid(differences, " than ", comm::ranksText(first, hosts),
                         "; give all ranks the same");
}

} // namespace sheaf::rt::launch
