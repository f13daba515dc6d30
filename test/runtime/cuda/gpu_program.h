// Runs small programs on a GPU, or on what stands in for one.
#ifndef SHEAF_TEST_RUNTIME_CUDA_GPU_PROGRAM_H
#define SHEAF_TEST_RUNTIME_CUDA_GPU_PROGRAM_H

#include "runtime/core/executor.h"
#include "runtime/cuda/open_device.h"
#include "test/runtime/executable_builder.h"

#include <cstring>
#include <gtest/gtest.h>

namespace sheaf::rt::test {

/// An executable for cuda, opened on a GPU, and memory for its program "forward".
class GpuProgram {
public:
  explicit GpuProgram(const TestExecutable &file, int gpu = 0, Communicator *communicator = nullptr)
      : bytes(forCuda(file).build()) {
    Result<Executable> read = Executable::fromBytes(bytes.bytes(), ".");
    EXPECT_TRUE(read.isOk()) << read.takeStatus().text();
    executable.emplace(std::move(*read));
    Result<std::unique_ptr<Device>> opened = cuda::openDevice(gpu);
    EXPECT_TRUE(opened.isOk()) << opened.takeStatus().text();
    device = std::move(*opened);
    Result<std::unique_ptr<Executor>> made = Executor::create(
        *executable, *device,
        {.weights = {}, .seed = 0, .onProgress = {}, .communicator = communicator});
    EXPECT_TRUE(made.isOk()) << made.takeStatus().text();
    executor = std::move(*made);
  }

  /// Binds "forward" and allocates its inputs and outputs.
  Status bind() {
    Result<BoundProgram *> bound = executor->program("forward");
    if (!bound.isOk())
      return bound.takeStatus();
    program = *bound;
    for (const SignatureInfo &input : program->info().inputs)
      inputs.push_back(allocate(input));
    for (const SignatureInfo &output : program->info().outputs)
      outputs.push_back(allocate(output));
    return {};
  }

  template <typename T> void set(size_t input, const std::vector<T> &values) {
    const auto *from = reinterpret_cast<const std::byte *>(values.data());
    EXPECT_TRUE(device->upload(from, inputs[input].data(), values.size() * sizeof(T)).isOk());
  }

  Status run(const RunObserver &observer = {}) {
    std::vector<const void *> ins;
    std::vector<void *> outs;
    for (const Memory &memory : inputs)
      ins.push_back(memory.data());
    for (const Memory &memory : outputs)
      outs.push_back(memory.data());
    return program->run(ins, outs, observer);
  }

  template <typename T> std::vector<T> get(size_t output, size_t count) {
    std::vector<T> values(count);
    auto *to = reinterpret_cast<std::byte *>(values.data());
    EXPECT_TRUE(device->download(outputs[output].data(), to, count * sizeof(T)).isOk());
    return values;
  }

  const std::byte *output(size_t index) const { return outputs[index].data(); }

  /// Gives the inputs memory elsewhere; what they hold is lost.
  void moveInputs() {
    for (size_t i = 0; i < inputs.size(); ++i) {
      old.push_back(std::move(inputs[i]));
      inputs[i] = allocate(program->info().inputs[i]);
    }
  }

  std::unique_ptr<Device> device;

private:
  static TestExecutable forCuda(TestExecutable file) {
    file.target = "cuda";
    return file;
  }

  Memory allocate(const SignatureInfo &signature) {
    auto memory =
        device->allocate(abi::Space::device, static_cast<size_t>(signature.bytes), nullptr);
    EXPECT_TRUE(memory.isOk());
    return std::move(*memory);
  }

  AlignedBytes bytes;
  std::optional<Executable> executable;
  std::unique_ptr<Executor> executor;
  BoundProgram *program = nullptr;
  std::vector<Memory> inputs, outputs, old;
};

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_CUDA_GPU_PROGRAM_H
