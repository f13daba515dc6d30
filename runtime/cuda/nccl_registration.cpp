// Registers blocks with communicators and takes them back before they are freed.
#include "runtime/cuda/nccl_registration.h"

#include "runtime/cuda/device_blocks.h"

namespace sheaf::rt::cuda {

void NcclRegistrations::add(const void *address) {
  if (!address || !nccl().ncclCommRegister || !nccl().ncclCommDeregister)
    return;
  std::optional<DeviceBlocks::Block> block = DeviceBlocks::get().find(address);
  if (!block)
    return;
  {
    std::lock_guard lock(mutex);
    if (!comm || handles.contains(block->begin))
      return;
    void *handle = nullptr;
    if (nccl().ncclCommRegister(comm, block->begin, block->bytes, &handle) != ncclSuccess)
      handle = nullptr;
    handles[block->begin] = handle;
  }
  DeviceBlocks::get().beforeRemoval(block->begin, [weak = weak_from_this(), begin = block->begin] {
    if (std::shared_ptr<NcclRegistrations> registrations = weak.lock())
      registrations->remove(begin);
  });
}

void NcclRegistrations::remove(void *begin) {
  std::lock_guard lock(mutex);
  auto found = handles.find(begin);
  if (found == handles.end())
    return;
  if (found->second)
    nccl().ncclCommDeregister(comm, found->second);
  handles.erase(found);
}

void NcclRegistrations::clear() {
  std::lock_guard lock(mutex);
  for (auto &[begin, handle] : handles)
    if (handle)
      nccl().ncclCommDeregister(comm, handle);
  handles.clear();
  comm = nullptr;
}

void NcclRegistrations::forget() {
  std::lock_guard lock(mutex);
  handles.clear();
  comm = nullptr;
}

} // namespace sheaf::rt::cuda
