// Keeps the calls that were linked in, and checks each use of one.
#include "runtime/host/registry.h"

#include <oneapi/dnnl/dnnl.hpp>

namespace sheaf::rt::host {
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

RegisteredCall *&RegisteredCall::first() {
  static RegisteredCall *head = nullptr;
  return head;
}

RegisteredCall::RegisteredCall(const CallTraits &traits, Bind bind)
    : traits(traits), bind(bind), next(first()) {
  first() = this;
}

Status RegisteredCall::checkNumber(const CallSite &site) const {
  size_t numIns = site.ins.size(), numOuts = site.outs.size();
  if (traits.hasPairs)
    return numIns > 0 && numIns == numOuts
               ? Status()
               : Status::invalid("it has ", numIns, " ins and ", numOuts,
                                 " outs but takes as many of each, at least 1");
  if (numIns < traits.minIns || numIns > traits.maxIns || numOuts != traits.numOuts)
    return Status::invalid("it has ", numIns, " ins and ", numOuts, " outs but takes ",
                           traits.minIns, " to ", traits.maxIns, " ins and ", traits.numOuts,
                           " outs");
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

Result<std::unique_ptr<Step>> RegisteredCall::bindCall(CallSite &site) {
  const RegisteredCall *call = first();
  while (call && site.name != call->traits.name)
    call = call->next;
  if (!call)
    return Status::invalid("the host has no call of this name");
  if (Status status = call->check(site); !status.isOk())
    return status;
  auto bind = [&]() -> Result<std::unique_ptr<Step>> {
    try {
      return call->bind(site);
    } catch (const dnnl::error &error) {
      return Status::invalid("oneDNN can't do this: ", error.message);
    }
  };
  Result<std::unique_ptr<Step>> step = bind();
  // A parameter that could not be read may be why binding failed, so it is told first.
  if (Status status = site.params.finish(); !status.isOk())
    return status;
  return step;
}

} // namespace sheaf::rt::host
