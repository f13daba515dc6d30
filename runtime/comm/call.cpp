// Compares the calls of a group's members and words what is wrong with them.
#include "runtime/comm/call.h"

#include "runtime/comm/reduction.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace sheaf::rt::comm {
namespace {

const char *nameOf(CallKind kind) {
  switch (kind) {
  case CallKind::allReduce:
    return "all_reduce";
  case CallKind::allGather:
    return "all_gather";
  case CallKind::reduceScatter:
    return "reduce_scatter";
  case CallKind::allToAll:
    return "all_to_all";
  case CallKind::permute:
    return "permute";
  case CallKind::exchange:
    break;
  }
  return "exchange";
}

/// Mixes a number into a hash (FNV-1a, a word at a time).
uint64_t mixed(uint64_t hash, uint64_t number) { return (hash ^ number) * 0x100000001b3u; }
constexpr uint64_t startHash = 0xcbf29ce484222325u;

void setLocation(Call &call, const CollectiveSite &site) {
  size_t size = std::min(site.location.size(), sizeof call.location - 1);
  std::copy_n(site.location.data(), size, call.location);
}

} // namespace

Call Call::joint(CallKind kind, const CollectiveSite &site,
                 std::span<const CollectiveBuffer> buffers) {
  Call call{};
  call.kind = kind;
  call.numTensors = buffers.size();
  call.shapeHash = startHash;
  for (const CollectiveBuffer &buffer : buffers) {
    call.count += buffer.size;
    call.shapeHash = mixed(call.shapeHash, buffer.size);
  }
  setLocation(call, site);
  return call;
}

Call Call::reduction(CallKind kind, const CollectiveSite &site,
                     std::span<const CollectiveBuffer> buffers, abi::ElementType type,
                     CombineKind combine) {
  Call call = joint(kind, site, buffers);
  call.type = type;
  call.combine = combine;
  return call;
}

Call Call::move(CallKind kind, const CollectiveSite &site, size_t bytes,
                std::span<const int> sources) {
  Call call{};
  call.kind = kind;
  call.count = bytes;
  call.numTensors = 1;
  call.shapeHash = startHash;
  for (int source : sources)
    call.shapeHash = mixed(call.shapeHash, static_cast<uint64_t>(source));
  setLocation(call, site);
  return call;
}

Call Call::exchange(const CollectiveSite &site, std::span<const Transfer> transfers) {
  Call call = move(CallKind::exchange, site, 0);
  for (const Transfer &transfer : transfers) {
    call.count += transfer.bytes;
    for (uint64_t number :
         {static_cast<uint64_t>(transfer.from), static_cast<uint64_t>(transfer.to),
          static_cast<uint64_t>(transfer.fromOffset), static_cast<uint64_t>(transfer.toOffset),
          static_cast<uint64_t>(transfer.bytes)})
      call.shapeHash = mixed(call.shapeHash, number);
  }
  return call;
}

std::string Call::str() const {
  std::ostringstream text;
  text << nameOf(kind);
  if (kind == CallKind::allReduce || kind == CallKind::reduceScatter)
    text << " (" << comm::nameOf(combine) << " of " << count << ' ' << abi::nameOf(type);
  else
    text << " (" << count << " bytes";
  if (numTensors != 1)
    text << " in " << numTensors << " tensors";
  text << ')';
  return text.str();
}

std::string Call::strWithNode() const {
  return location[0] ? str() + " of node \"" + location + "\"" : str();
}

bool isSameCall(const Call &a, const Call &b) {
  return a.kind == b.kind && a.type == b.type && a.combine == b.combine && a.count == b.count &&
         a.numTensors == b.numTensors && a.shapeHash == b.shapeHash;
}

Status checkAgreement(std::span<const Call> calls, std::span<const int> ranks) {
  std::vector<size_t> distinct;
  std::vector<std::vector<int>> callers;
  auto isDifferent = [&](const Call &call) { return !isSameCall(call, calls[0]); };
  if (std::none_of(calls.begin(), calls.end(), isDifferent))
    return {};
  for (size_t i = 0; i < calls.size(); ++i) {
    size_t known = 0;
    while (known < distinct.size() && !isSameCall(calls[distinct[known]], calls[i]))
      ++known;
    if (known == distinct.size()) {
      distinct.push_back(i);
      callers.emplace_back();
    }
    callers[known].push_back(ranks[i]);
  }
  std::string text;
  for (size_t i = 0; i < distinct.size(); ++i)
    text += (i ? "; " : "") + ranksText(callers[i]) +
            (callers[i].size() == 1 ? " calls " : " call ") + calls[distinct[i]].strWithNode();
  for (size_t i = 1; i < distinct.size(); ++i)
    if (calls[distinct[i]].strWithNode() == calls[distinct[0]].strWithNode()) {
      bool isMove = calls[0].kind == CallKind::permute || calls[0].kind == CallKind::exchange;
      text += isMove ? " with other routes" : " of other sizes";
      break;
    }
  return Status::failed("the ranks call different collectives: ", text);
}

std::string siteText(const CollectiveSite &site) {
  std::string text(site.name);
  if (!site.location.empty())
    text += " of node \"" + std::string(site.location) + "\"";
  return text;
}

std::string ranksText(std::span<const int> ranks, std::span<const std::string> hosts) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  auto hostOf = [&](size_t i) -> std::string_view {
    return hosts.empty() ? std::string_view() : hosts[static_cast<size_t>(ranks[i])];
  };
  constexpr size_t maxListed = 16;
  size_t numListed = std::min(ranks.size(), maxListed);
  for (size_t i = 0; i < numListed; ++i) {
    text += (i ? ", " : "") + std::to_string(ranks[i]);
    bool isLastOfHost = i + 1 == numListed || hostOf(i + 1) != hostOf(i);
    if (isLastOfHost && !hosts.empty())
      text += " (host " + std::string(hostOf(i)) + ")";
  }
  if (ranks.size() > numListed)
    text += " and " + std::to_string(ranks.size() - numListed) + " more";
  return text;
}

std::string lateText(const CollectiveSite &site, std::span<const int> late,
                     std::span<const int> waiting, int timeoutMs,
                     std::span<const std::string> hosts) {
  std::ostringstream text;
  text << siteText(site) << ": " << ranksText(late, hosts) << " did not come within "
       << timeoutMs / 1e3 << " s; " << ranksText(waiting, hosts)
       << (waiting.size() == 1 ? " waits" : " wait");
  return text.str();
}

Status checkSources(std::span<const int> sources, int size) {
  if (sources.size() != static_cast<size_t>(size))
    return Status::invalid("there are ", sources.size(), " sources for ", size, " members");
  for (int source : sources)
    if (source < -1 || source >= size)
      return Status::invalid("source ", source, " is not one of ", size, " members and not -1");
  return {};
}

Status checkTransfers(std::span<const Transfer> transfers, int size) {
  for (const Transfer &transfer : transfers)
    for (int member : {transfer.from, transfer.to})
      if (member < 0 || member >= size)
        return Status::invalid("a transfer names member ", member, " of ", size);
  return {};
}

Status checkMembers(std::span<const int> ranks, int rank, int numRanks) {
  bool isMember = false;
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < 0 || ranks[i] >= numRanks)
      return Status::invalid("a group names rank ", ranks[i], " of ", numRanks);
    if (std::find(ranks.begin(), ranks.begin() + static_cast<ptrdiff_t>(i), ranks[i]) !=
        ranks.begin() + static_cast<ptrdiff_t>(i))
      return Status::invalid("a group names rank ", ranks[i], " twice");
    isMember |= ranks[i] == rank;
  }
  if (!isMember)
    return Status::invalid("a group of ", ranks.size(), " ranks lacks rank ", rank,
                           ", which makes it");
  return {};
}

} // namespace sheaf::rt::comm
