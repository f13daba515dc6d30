// Copies the operands of an instruction while it runs.
#include "runtime/core/staged_step.h"

#include "runtime/core/device_bytes.h"

#include <map>

namespace sheaf::rt {
namespace {

class StagedStep final : public Step {
public:
  StagedStep(std::unique_ptr<Step> inner, size_t numOperands, std::vector<StagedOperand> staged,
             Device &device, MemoryAccount &account)
      : inner(std::move(inner)), addresses(numOperands), staged(std::move(staged)), device(device),
        account(account) {}

  Status run(void *const *buffers, std::byte *scratch) override {
    std::copy_n(buffers, addresses.size(), addresses.begin());
    std::map<const StagedValue *, Memory> copies; // An instruction may read a variable twice.
    for (const StagedOperand &operand : staged) {
      Memory &copy = copies[operand.value];
      if (!copy.data()) {
        auto bytes = static_cast<size_t>(operand.value->box.localBytes());
        Result<Memory> memory = device.allocate(abi::Space::device, bytes, &account);
        if (!memory.isOk())
          return memory.takeStatus();
        copy = std::move(*memory);
        auto fill = [&](std::byte *to) -> Status {
          operand.value->box.toLocal(operand.value->whole, to);
          return {};
        };
        if (Status status = fillBytes(device, copy.data(), bytes, fill); !status.isOk())
          return status;
      }
      addresses[operand.operand] = copy.data() + operand.offset;
    }
    if (Status status = inner->run(addresses.data(), scratch); !status.isOk())
      return status;
    if (Status status = device.drain(); !status.isOk()) // Only then may the copies go.
      return status;
    return inner->finish();
  }

  size_t scratchBytes() const override { return inner->scratchBytes(); }

private:
  std::unique_ptr<Step> inner;
  std::vector<void *> addresses;
  std::vector<StagedOperand> staged;
  Device &device;
  MemoryAccount &account;
};

} // namespace

std::unique_ptr<Step> stageOperands(std::unique_ptr<Step> inner, size_t numOperands,
                                    std::vector<StagedOperand> staged, Device &device,
                                    MemoryAccount &account) {
  return std::make_unique<StagedStep>(std::move(inner), numOperands, std::move(staged), device,
                                      account);
}

} // namespace sheaf::rt
