// Keeps the calls that were linked in, and checks each use of one.
#include "runtime/core/call_table.h"

#include <algorithm>

namespace sheaf::rt {
namespace {

Status checkOperand(const Operand &operand, const CallTraits &traits, const char *role,
                    size_t index) {
  if (operand.packed && !traits.takesPacked)
    return Status::invalid(role, " ", index, " is a packed variable, which it can't read");
  if (!traits.takesStrides && !operand.shape.isRowMajor())
    return Status::invalid(role, " ", index, " ", operand.shape.str(), " must be row-major");
  return {};
}

} // namespace

RegisteredCall::RegisteredCall(CallTable &table, const CallTraits &traits, Bind bind)
    : traits(traits), bind(bind), next(table.first) {
  table.first = this;
}

Status RegisteredCall::checkNumber(const CallSite &site) const {
  size_t numIns = site.ins.size(), numOuts = site.outs.size();
  if (traits.hasPairs)
    return numIns > 0 && numIns == numOuts
               ? Status()
               : Status::invalid("it has ", numIns, " ins and ", numOuts,
                                 " outs but takes as many of each, at least 1");
  bool hasOuts = traits.numOuts == 0 ? numOuts > 0 : numOuts == traits.numOuts;
  if (numIns < traits.minIns || numIns > traits.maxIns || !hasOuts)
    return Status::invalid("it has ", numIns, " ins and ", numOuts, " outs but takes ",
                           traits.minIns, " to ", traits.maxIns, " ins and ",
                           std::max<size_t>(traits.numOuts, 1), " outs");
  return {};
}

bool RegisteredCall::mayBeInPlace(size_t in, size_t out) const {
  size_t other = traits.hasPairs ? in : 0;
  return out == other && static_cast<int>(in - other) == traits.inPlaceIn;
}

Status RegisteredCall::check(const CallSite &site) const {
  if (Status status = checkNumber(site); !status.isOk())
    return status;
  for (size_t i = 0; i < site.ins.size(); ++i)
    if (Status status = checkOperand(site.ins[i], traits, "in", i); !status.isOk())
      return status;
  for (size_t i = 0; i < site.outs.size(); ++i)
    if (Status status = checkOperand(site.outs[i], traits, "out", i); !status.isOk())
      return status;
  for (size_t in = 0; in < site.ins.size(); ++in)
    for (size_t out = 0; out < site.outs.size(); ++out)
      if (!traits.checksInPlace && site.isInPlace(in, out) && !mayBeInPlace(in, out))
        return Status::invalid("out ", out, " is the memory of in ", in, ", which it still reads");
  return {};
}

BoundStep CallTable::bind(CallSite &site) const {
  const RegisteredCall *call = first;
  while (call && site.name != call->traits.name)
    call = call->next;
  if (!call)
    return Status::invalid("the ", device, " has no call of this name");
  if (Status status = call->check(site); !status.isOk())
    return status;
  BoundStep step = call->bind(site);
  // A parameter that could not be read may be why binding failed, so it is told first.
  if (Status status = site.params.finish(); !status.isOk())
    return status;
  return step;
}

std::vector<std::string_view> CallTable::names() const {
  std::vector<std::string_view> names;
  for (const RegisteredCall *call = first; call; call = call->next)
    names.emplace_back(call->traits.name);
  return names;
}

} // namespace sheaf::rt
