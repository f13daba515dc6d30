// Allocates inputs and outputs, and copies them where the device has memory of its own.
#include "runtime/launch/signature_memory.h"

namespace sheaf::rt::launch {

Result<SignatureMemory> SignatureMemory::allocate(const std::vector<SignatureInfo> &signatures,
                                                  const char *role, Device &device,
                                                  MemoryAccount *account) {
  SignatureMemory memory;
  memory.device = &device;
  auto allocate = [&](const SignatureInfo &signature, abi::Space space, MemoryAccount *charged,
                      std::vector<Memory> &to) -> Status {
    Result<Memory> block = device.allocate(space, static_cast<size_t>(signature.bytes), charged);
    if (!block.isOk())
      return block.takeStatus().annotated(role, " \"", signature.name, "\"");
    to.push_back(std::move(*block));
    return {};
  };
  bool isShared = device.isHostMemory();
  for (const SignatureInfo &signature : signatures) {
    std::vector<Memory> &programs = isShared ? memory.blocks : memory.onDevice;
    if (Status status = allocate(signature, abi::Space::device, account, programs); !status.isOk())
      return status;
    memory.pointers.push_back(programs.back().data());
    memory.bytes.push_back(static_cast<size_t>(signature.bytes));
    if (isShared)
      continue;
    if (Status status = allocate(signature, abi::Space::host, nullptr, memory.blocks);
        !status.isOk())
      return status;
  }
  return memory;
}

Status SignatureMemory::upload() const {
  for (size_t i = 0; i < onDevice.size(); ++i)
    if (Status status = device->upload(blocks[i].data(), onDevice[i].data(), bytes[i]);
        !status.isOk())
      return status;
  return {};
}

Status SignatureMemory::download() const {
  for (size_t i = 0; i < onDevice.size(); ++i)
    if (Status status = device->download(onDevice[i].data(), blocks[i].data(), bytes[i]);
        !status.isOk())
      return status;
  return {};
}

} // namespace sheaf::rt::launch
