// Lets a stream say where it is.
#include "runtime/cuda/collective_trail.h"

#include "runtime/cuda/cuda_device.h"

#include <atomic>
#include <numeric>

namespace sheaf::rt::cuda {

Result<CollectiveTrail> CollectiveTrail::create(CudaDevice &device, cudaStream_t stream) {
  CollectiveTrail trail(stream);
  std::vector<uint32_t> values(maxSites);
  std::iota(values.begin(), values.end(), 0);
  size_t bytes = values.size() * sizeof(uint32_t);
  Result<Memory> numbers = device.allocate(abi::Space::device, bytes, /*account=*/nullptr),
                 word = device.allocate(abi::Space::host, sizeof(uint32_t), /*account=*/nullptr);
  for (Result<Memory> *memory : {&numbers, &word})
    if (!memory->isOk())
      return memory->takeStatus();
  trail.numbers = std::move(*numbers);
  trail.word = std::move(*word);
  const auto *from = reinterpret_cast<const std::byte *>(values.data());
  if (Status status = device.upload(from, trail.numbers.data(), bytes); !status.isOk())
    return status;
  return trail;
}

Status CollectiveTrail::enter(const CollectiveSite &site) {
  std::string text(site.name);
  if (!site.location.empty())
    text += " of node \"" + std::string(site.location) + "\"";
  auto [known, isNew] = numberOf.try_emplace(text, static_cast<uint32_t>(texts.size()));
  if (isNew && texts.size() == maxSites)
    numberOf.erase(known);
  if (isNew && texts.size() == maxSites)
    return {};
  if (isNew)
    texts.push_back(text);
  cudaError_t error =
      cudart().cudaMemcpyAsync(word.data(), numbers.data() + known->second * sizeof(uint32_t),
                               sizeof(uint32_t), cudaMemcpyDeviceToHost, queue);
  return statusOf(error, "cudaMemcpyAsync");
}

std::string CollectiveTrail::position() const {
  auto *place = reinterpret_cast<uint32_t *>(word.data());
  uint32_t number = std::atomic_ref(*place).load(std::memory_order_relaxed);
  return number < texts.size() ? texts[number] : "";
}

void CollectiveTrail::leave() {
  auto *place = reinterpret_cast<uint32_t *>(word.data());
  std::atomic_ref(*place).store(0, std::memory_order_relaxed);
}

} // namespace sheaf::rt::cuda
