// Runs oneDNN primitives by the C interface, whose calls allocate nothing.
#include "runtime/host/onednn/primitive_step.h"

#include "runtime/host/onednn/engine.h"
#include "runtime/host/parallel.h"

namespace sheaf::rt::host::onednn {

PrimitiveStep::PrimitiveStep(dnnl::primitive primitive, std::vector<Binding> bindings,
                             const dnnl::memory::desc &scratchpad, bool isForOneThread)
    : primitive(std::move(primitive)), stream(engine()), bindings(std::move(bindings)),
      scratchpadBytes(scratchpad.get_size()), isForOneThread(isForOneThread) {
  auto add = [&](int argument, const dnnl::memory::desc &desc) {
    memories.push_back(dnnl::memory(desc, engine(), nullptr));
    arguments.push_back({argument, memories.back().get()});
  };
  for (const Binding &binding : this->bindings)
    add(binding.argument, binding.desc);
  if (scratchpadBytes > 0)
    add(DNNL_ARG_SCRATCHPAD, scratchpad);
}

Status PrimitiveStep::run(void *const *buffers, std::byte *scratch) {
  // The library keeps the handle, the caller keeps the memory: nothing is allocated here.
  auto setAddress = [](const dnnl::memory &memory, void *address) {
    return dnnl_memory_set_data_handle_v2(memory.get(), address, nullptr);
  };
  dnnl_status_t status = dnnl_success;
  for (size_t i = 0; i < bindings.size() && status == dnnl_success; ++i)
    status = setAddress(memories[i], static_cast<std::byte *>(buffers[bindings[i].buffer]) +
                                         bindings[i].offsetBytes);
  if (scratchpadBytes > 0 && status == dnnl_success)
    status = setAddress(memories.back(), scratch);
  OneThread limit(isForOneThread);
  if (status == dnnl_success)
    status = dnnl_primitive_execute(primitive.get(), stream.get(),
                                    static_cast<int>(arguments.size()), arguments.data());
  if (status != dnnl_success)
    return Status::failed("oneDNN failed with status ", static_cast<int>(status));
  return {};
}

} // namespace sheaf::rt::host::onednn
