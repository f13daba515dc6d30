// Runs single calls on small tensors, through a whole executable.
#ifndef SHEAF_TEST_RUNTIME_HOST_CALL_RUNNER_H
#define SHEAF_TEST_RUNTIME_HOST_CALL_RUNNER_H

#include "runtime/abi/contract_strides.h"
#include "runtime/core/element.h"
#include "runtime/core/executor.h"
#include "runtime/host/host_device.h"
#include "test/runtime/device_under_test.h"
#include "test/runtime/executable_builder.h"

#include <gtest/gtest.h>

namespace sheaf::rt::test {

template <typename T> constexpr ElementType elementOf();
template <> constexpr ElementType elementOf<bool>() { return ElementType::boolean; }
template <> constexpr ElementType elementOf<int8_t>() { return ElementType::i8; }
template <> constexpr ElementType elementOf<uint8_t>() { return ElementType::ui8; }
template <> constexpr ElementType elementOf<int16_t>() { return ElementType::i16; }
template <> constexpr ElementType elementOf<uint16_t>() { return ElementType::ui16; }
template <> constexpr ElementType elementOf<int32_t>() { return ElementType::i32; }
template <> constexpr ElementType elementOf<uint32_t>() { return ElementType::ui32; }
template <> constexpr ElementType elementOf<int64_t>() { return ElementType::i64; }
template <> constexpr ElementType elementOf<uint64_t>() { return ElementType::ui64; }
template <> constexpr ElementType elementOf<F16>() { return ElementType::f16; }
template <> constexpr ElementType elementOf<BF16>() { return ElementType::bf16; }
template <> constexpr ElementType elementOf<float>() { return ElementType::f32; }
template <> constexpr ElementType elementOf<double>() { return ElementType::f64; }

/// A view of memory, and the memory.
struct Tensor {
  ElementType type = ElementType::f32;
  std::vector<int64_t> dims;
  std::vector<std::byte> memory;
  std::vector<int64_t> strides; ///< empty: row-major
  int64_t offset = 0;           ///< elements

  template <typename T> std::vector<T> values() const {
    std::vector<T> list(memory.size() / sizeof(T));
    if (!list.empty()) // Null may not be copied from, even no bytes.
      std::memcpy(list.data(), memory.data(), list.size() * sizeof(T));
    return list;
  }
};

inline int64_t product(const std::vector<int64_t> &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

/// A row-major tensor of `values`.
template <typename T> Tensor tensor(std::vector<int64_t> dims, const std::vector<T> &values) {
  Tensor result{elementOf<T>(), std::move(dims), {}, {}, 0};
  result.memory.resize(values.size() * sizeof(T));
  if (!values.empty()) // Null may not be copied from, even no bytes.
    std::memcpy(result.memory.data(), values.data(), result.memory.size());
  return result;
}

/// Room for a row-major result, filled with a pattern that a missing write leaves behind.
inline Tensor room(ElementType type, std::vector<int64_t> dims) {
  Tensor result{type, std::move(dims), {}, {}, 0};
  result.memory.assign(static_cast<size_t>(product(result.dims) * abi::bytesOf(type)),
                       std::byte{0xa5});
  return result;
}

/// Distinct small values, exact in every type.
template <typename T> Tensor ramp(std::vector<int64_t> dims, int modulus = 13, int low = -5) {
  std::vector<T> values(static_cast<size_t>(product(dims)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(static_cast<float>(static_cast<int>(i * 7 % modulus) + low));
  return tensor<T>(std::move(dims), values);
}

/// The rank that runs a call, and the mesh it is in.
struct RankSetup {
  std::vector<TestAxis> mesh = {};
  std::vector<uint32_t> devices = {};
  Communicator *communicator = nullptr;
  Ledger *ledger = nullptr; ///< receives what the call moved
  bool isInPlace = false;   ///< out 0 is in 0
};

/// Runs call `name` with `threads` threads; the memory of `outs` holds the results. Outs begin as they are given.
inline Status runCall(const std::string &name, const std::vector<Tensor> &ins,
                      std::vector<Tensor> &outs, std::vector<Param> params = {}, int threads = 2,
                      const RankSetup &setup = {}) {
  TestProgram program;
  TestInstruction call;
  call.name = name;
  call.params = std::move(params);
  auto add = [&](const Tensor &tensor, abi::Storage storage, std::vector<TestSignature> &list,
                 std::vector<uint32_t> &buffers) {
    auto index = static_cast<uint32_t>(list.size());
    int64_t elements = static_cast<int64_t>(tensor.memory.size()) / abi::bytesOf(tensor.type);
    list.push_back({std::to_string(index), tensor.type, {elements}});
    buffers.push_back(static_cast<uint32_t>(program.buffers.size()));
    program.buffers.push_back({tensor.type, tensor.dims, storage, index,
                               static_cast<uint64_t>(tensor.offset * abi::bytesOf(tensor.type)),
                               tensor.strides});
  };
  for (const Tensor &in : ins)
    add(in, abi::Storage::input, program.inputs, call.ins);
  for (const Tensor &out : outs)
    add(out, abi::Storage::output, program.outputs, call.outs);
  if (setup.isInPlace)
    call.ins[0] = call.outs[0];
  program.instructions = {call};
  TestExecutable file;
  file.mesh = setup.mesh;
  file.devices = setup.devices;
  file.programs = {program};
  file.target = targetUnderTest();
  AlignedBytes bytes = file.build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  if (!executable.isOk())
    return executable.takeStatus();
  Result<std::unique_ptr<Device>> device = openDeviceUnderTest(threads, setup.communicator);
  if (!device.isOk())
    return device.takeStatus();
  Result<std::unique_ptr<Executor>> executor =
      Executor::create(*executable, **device, {.communicator = setup.communicator});
  if (!executor.isOk())
    return executor.takeStatus();
  Result<BoundProgram *> bound = (*executor)->program("forward");
  if (!bound.isOk())
    return bound.takeStatus();

  std::vector<Memory> memories;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  auto copyIn = [&](const Tensor &tensor) {
    size_t bytes = tensor.memory.size();
    Result<Memory> memory = (*device)->allocate(abi::Space::device, bytes, nullptr);
    EXPECT_TRUE((*device)->upload(tensor.memory.data(), memory->data(), bytes).isOk());
    memories.push_back(std::move(*memory));
    return memories.back().data();
  };
  for (const Tensor &in : ins)
    inputs.push_back(copyIn(in));
  for (const Tensor &out : outs)
    outputs.push_back(copyIn(out));
  Status status = (*bound)->run(inputs, outputs);
  if (setup.ledger)
    *setup.ledger = (*executor)->place().ledger();
  for (size_t i = 0; i < outs.size(); ++i)
    EXPECT_TRUE((*device)
                    ->download(static_cast<const std::byte *>(outputs[i]), outs[i].memory.data(),
                               outs[i].memory.size())
                    .isOk());
  return status;
}

/// Runs a call with one result that must succeed.
inline Tensor call(const std::string &name, const std::vector<Tensor> &ins, Tensor out,
                   std::vector<Param> params = {}, int threads = 2) {
  std::vector<Tensor> outs = {std::move(out)};
  Status status = runCall(name, ins, outs, std::move(params), threads);
  EXPECT_TRUE(status.isOk()) << name << ": " << status.text();
  return outs[0];
}

/// A tensor [n, c, h, w] as [n, h, w, c].
inline Tensor channelsLast(Tensor view) {
  int64_t c = view.dims[1], h = view.dims[2], w = view.dims[3];
  view.dims = {view.dims[0], h, w, c};
  view.strides = {c * h * w, w, 1, h * w};
  return call("copy", {view}, room(view.type, view.dims));
}

/// The text of the error that a call gives.
inline std::string callError(const std::string &name, const std::vector<Tensor> &ins,
                             std::vector<Tensor> outs, std::vector<Param> params = {}) {
  return std::string(runCall(name, ins, outs, std::move(params)).text());
}

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_HOST_CALL_RUNNER_H
