// Runs a kernel for GPUs in an interpreter of its PTX, on memory of this process.
#ifndef SHEAF_TEST_PASSES_LOWERING_KERNEL_DEVICE_RUN_H
#define SHEAF_TEST_PASSES_LOWERING_KERNEL_DEVICE_RUN_H

#include "passes/lowering/kernel/gpu/cuda_kernel_compiler.h"
#include "passes/lowering/kernel/stored_type.h"
#include "test/standin/ptx/launch.h"
#include <gtest/gtest.h>
#include <list>

namespace sheaf::lowering {

/// The buffers of a launch and the variables of a module. All else is out of bounds.
class DeviceMemoryOfTest : public standin::ptx::Memory {
public:
  standin::ptx::Region find(uint64_t address) override {
    for (const standin::ptx::Region &region : regions)
      if (region.contains(address, 1))
        return region;
    return {};
  }

  /// The bytes that a buffer of `type` at `first` covers.
  void add(void *first, mlir::RankedTensorType type, const BufferLayout &layout) {
    int64_t low = 0, high = 1;
    for (auto [extent, stride] : llvm::zip_equal(type.getShape(), layout.strides))
      (stride < 0 ? low : high) += stride * (extent - 1);
    if (type.getNumElements() == 0)
      return;
    int64_t bytes = storedBytesOf(type.getElementType());
    auto *base = static_cast<std::byte *>(first);
    addBytes(base + low * bytes, (high - low) * bytes);
  }

  standin::ptx::GlobalMemory addVariable(uint64_t bytes, uint64_t alignment) {
    variables.emplace_back(bytes + alignment);
    auto *start = variables.back().data();
    start += (alignment - reinterpret_cast<uint64_t>(start) % alignment) % alignment;
    addBytes(start, bytes);
    return {reinterpret_cast<uint64_t>(start), start};
  }

private:
  void addBytes(std::byte *start, uint64_t bytes) {
    auto address = reinterpret_cast<uint64_t>(start);
    regions.push_back({address, address + bytes, start});
  }

  std::vector<standin::ptx::Region> regions;
  std::list<std::vector<std::byte>> variables;
};

/// Launches `kernel` of `code`, with its blocks in an order that `seed` chooses.
inline void launchOnDevice(const KernelCode &code, const Kernel &kernel, graph::ClusterOp cluster,
                           const ClusterBuffers &buffers, llvm::ArrayRef<void *> pointers,
                           uint64_t seed) {
  ASSERT_EQ(code.images.size(), 1u);
  llvm::ArrayRef<char> bytes = code.images[0].bytes;
  DeviceMemoryOfTest memory;
  std::string error;
  std::string text(bytes.data(), bytes.size());
  auto module = standin::ptx::Module::load(
      text,
      [&](const std::string &, uint64_t size, uint64_t alignment) {
        return memory.addVariable(size, alignment);
      },
      error);
  ASSERT_TRUE(module) << error << "\n" << text;
  auto types = llvm::to_vector(
      llvm::concat<const mlir::Type>(cluster->getOperandTypes(), cluster->getResultTypes()));
  auto layouts =
      llvm::to_vector(llvm::concat<const BufferLayout>(buffers.operands, buffers.results));
  std::vector<std::byte> parameters;
  for (auto [pointer, type, layout] : llvm::zip_equal(pointers, types, layouts)) {
    memory.add(pointer, mlir::cast<mlir::RankedTensorType>(type), layout);
    auto *raw = reinterpret_cast<const std::byte *>(&pointer);
    parameters.insert(parameters.end(), raw, raw + sizeof(pointer));
  }
  standin::ptx::Launch launch;
  launch.kernel = module->kernel(kernel.symbol, error);
  ASSERT_TRUE(launch.kernel) << error << "\n" << text;
  if (kernel.gridBlocks == 0)
    return;
  launch.grid.x = kernel.gridBlocks;
  launch.block.x = kernel.blockThreads;
  launch.parameters = parameters;
  launch.seed = seed;
  launch.mayReadInVain = true; // Threads without a place clamp it.
  auto result = standin::ptx::run(launch, memory);
  ASSERT_FALSE(result.trap) << result.trap->text() << "\n" << text;
}

} // namespace sheaf::lowering

#endif
