// A memory and a module, for tests of kernels.
#ifndef SHEAF_TEST_STANDIN_PTX_MACHINE_H
#define SHEAF_TEST_STANDIN_PTX_MACHINE_H

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "test/standin/ptx/launch.h"

namespace sheaf::standin::ptx {

/// Allocations at addresses that are not those of this process, far from each other. All kernels of the
/// module are decoded at once.
class Machine : public Memory {
public:
  explicit Machine(std::string_view text) {
    std::string error;
    module = Module::load(
        std::string(text),
        [this](const std::string &, uint64_t bytes, uint64_t) {
          const uint64_t address = allocate(bytes);
          return GlobalMemory{address, at(address)};
        },
        error);
    if (module)
      for (const std::string &name : module->kernelNames())
        module->kernel(name, error);
    if (!error.empty())
      throw std::runtime_error(error);
  }

  uint64_t allocate(uint64_t bytes) {
    next += (uint64_t(1) << 20) + bytes / 256 * 256;
    blocks[next].assign(bytes, std::byte{0});
    return next;
  }
  /// Copies `values` to a new allocation.
  template <typename T> uint64_t upload(const std::vector<T> &values) {
    const uint64_t address = allocate(values.size() * sizeof(T));
    std::memcpy(at(address), values.data(), values.size() * sizeof(T));
    return address;
  }
  template <typename T> std::vector<T> download(uint64_t address) {
    std::vector<std::byte> &block = blocks.at(address);
    std::vector<T> values(block.size() / sizeof(T));
    std::memcpy(values.data(), block.data(), values.size() * sizeof(T));
    return values;
  }

  /// Runs a kernel whose parameters have the types of `parameters`.
  template <typename... P>
  LaunchResult launch(std::string_view kernel, Extent grid, Extent block, P... parameters) {
    Launch launch = settings;
    std::string error;
    launch.kernel = module->kernel(kernel, error);
    if (!launch.kernel)
      throw std::runtime_error("no kernel " + std::string(kernel));
    launch.grid = grid;
    launch.block = block;
    std::vector<std::byte> bytes(launch.kernel->parameterBytes);
    size_t index = 0;
    auto write = [&](const auto &value) {
      std::memcpy(bytes.data() + launch.kernel->parameters.at(index++).offset, &value,
                  sizeof value);
    };
    (write(parameters), ...);
    launch.parameters = bytes;
    return ptx::run(launch, *this);
  }
  /// The text of the trap that the launch ends in; empty if it ends well.
  template <typename... P>
  std::string run(std::string_view kernel, Extent grid, Extent block, P... parameters) {
    LaunchResult result = launch(kernel, grid, block, parameters...);
    return result.trap ? result.trap->text() : "";
  }

  Region find(uint64_t address) override {
    auto block = blocks.upper_bound(address);
    if (block == blocks.begin())
      return {};
    --block;
    if (address >= block->first + block->second.size())
      return {};
    return {block->first, block->first + block->second.size(), block->second.data()};
  }
  const char *touch(uint64_t address, uint64_t bytes, Access access) override {
    if (records)
      touches.push_back({address, bytes, access});
    return nullptr;
  }

  struct Touch {
    uint64_t address, bytes;
    Access access;
    bool operator==(const Touch &) const = default;
  };
  std::unique_ptr<Module> module;
  Launch settings;
  bool records = false;
  std::vector<Touch> touches;

private:
  std::byte *at(uint64_t address) { return blocks.at(address).data(); }

  std::map<uint64_t, std::vector<std::byte>> blocks;
  uint64_t next = uint64_t(1) << 44;
};

/// A module with the kernel `k`, whose parameters are 64-bit `p0`, `p1`, ...; `body` may use
/// registers %p, %h, %r, %f, %rd and %d of all widths. %rd0 is the address of the lane's 8 bytes in p0
/// (the lane counts through the block), %r0 the thread.
inline std::string kernelText(std::string_view body, unsigned numParameters = 1,
                              std::string_view declarations = "") {
  std::ostringstream text;
  text << ".version 8.6\n.target sm_90\n.address_size 64\n"
       << declarations << "\n.visible .entry k(";
  for (unsigned i = 0; i < numParameters; ++i)
    text << (i ? ", " : "") << ".param .u64 p" << i;
  text << ")\n{\n.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .f32 %f<16>;\n"
       << ".reg .b64 %rd<16>; .reg .f64 %d<8>;\n"
       << "mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [p0]; mad.wide.u32 %rd0, %r0, 8, %rd0;\n"
       << body << "\nret;\n}\n";
  return text.str();
}

/// The text of a file that the build has compiled.
inline std::string readText(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace sheaf::standin::ptx

#endif
