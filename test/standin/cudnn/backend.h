// Descriptors of cuDNN's backend.
#ifndef SHEAF_TEST_STANDIN_CUDNN_BACKEND_H
#define SHEAF_TEST_STANDIN_CUDNN_BACKEND_H

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include <cudnn.h>

namespace sheaf::standin::cudnn {

struct Descriptor;
using DescriptorRef = std::shared_ptr<Descriptor>;

/// What an attribute was set to.
struct Attribute {
  std::vector<std::byte> bytes;
  std::vector<DescriptorRef> descriptors;
};

struct Descriptor {
  cudnnBackendDescriptorType_t kind;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes;
  bool isFinal = false;

  bool has(cudnnBackendAttributeName_t name) const { return attributes.contains(name); }
  /// All values of an attribute that is set.
  template <typename T> std::vector<T> list(cudnnBackendAttributeName_t name) const {
    const std::vector<std::byte> &bytes = attributes.at(name).bytes;
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  template <typename T> T get(cudnnBackendAttributeName_t name) const {
    return list<T>(name).front();
  }
  const Descriptor &refer(cudnnBackendAttributeName_t name) const {
    return *attributes.at(name).descriptors.front();
  }
};

inline DescriptorRef &toDescriptor(cudnnBackendDescriptor_t handle) {
  return *static_cast<DescriptorRef *>(handle);
}

} // namespace sheaf::standin::cudnn

#endif
