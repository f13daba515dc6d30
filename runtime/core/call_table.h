// The calls that a device has, and how the file of a call announces it.
#ifndef SHEAF_RUNTIME_CORE_CALL_TABLE_H
#define SHEAF_RUNTIME_CORE_CALL_TABLE_H

#include "runtime/core/device.h"

#include <memory>
#include <type_traits>

namespace sheaf::rt {

/// What binding gives.
using BoundStep = Result<std::unique_ptr<Step>>;

/// What every use of a call is checked for before it is bound.
struct CallTraits {
  const char *name; ///< of runtime/abi/calls.h
  size_t minIns = 1;
  size_t maxIns = 1;
  size_t numOuts = 1;         ///< 0: at least one, and how many is its own to check
  bool hasPairs = false;      ///< any number of ins, out i of in i, instead of those numbers
  bool takesStrides = false;  ///< all buffers may be strided; else all must be row-major
  bool takesPacked = false;   ///< packed variables too
  int inPlaceIn = -1;         ///< the in that may be out 0; of pairs, 0: each in may be its out
  bool checksInPlace = false; ///< which ins may be that is its own to check
};

class CallTable;

/// A call that can be bound. Objects of this type are static, one in each file of a device's folder calls/.
class RegisteredCall {
public:
  using Bind = BoundStep (*)(CallSite &);

  RegisteredCall(CallTable &table, const CallTraits &traits, Bind bind);
  RegisteredCall(const RegisteredCall &) = delete;

private:
  friend class CallTable;

  Status check(const CallSite &site) const;
  Status checkNumber(const CallSite &site) const;
  bool mayBeInPlace(size_t in, size_t out) const;

  CallTraits traits;
  Bind bind;
  const RegisteredCall *next;
};

/// The calls of one device, which register themselves before main.
class CallTable {
public:
  /// `device` names the device in messages.
  explicit CallTable(const char *device) : device(device) {}
  CallTable(const CallTable &) = delete;

  /// Checks the site against the call's traits, binds it, and checks that all its parameters were read. Errors: there
  /// is no such call.
  BoundStep bind(CallSite &site) const;

  /// Of all calls, in no order.
  std::vector<std::string_view> names() const;

private:
  friend class RegisteredCall;

  const char *device;
  const RegisteredCall *first = nullptr;
};

/// A step that calls `body(buffers, scratch)`, which returns a Status or nothing.
template <typename Body> std::unique_ptr<Step> makeStep(Body body, size_t scratchBytes = 0) {
  struct BodyStep final : Step {
    BodyStep(Body body, size_t bytes) : body(std::move(body)), bytes(bytes) {}
    Status run(void *const *buffers, std::byte *scratch) override {
      if constexpr (std::is_void_v<std::invoke_result_t<Body &, void *const *, std::byte *>>) {
        body(buffers, scratch);
        return {};
      } else {
        return body(buffers, scratch);
      }
    }
    size_t scratchBytes() const override { return bytes; }
    Body body;
    size_t bytes;
  };
  return std::make_unique<BodyStep>(std::move(body), scratchBytes);
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CALL_TABLE_H
