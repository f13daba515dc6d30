// Tensors of any element type that kernels compute with, as the tests fill and read them.
#ifndef SHEAF_TEST_PASSES_LOWERING_KERNEL_TENSOR_H
#define SHEAF_TEST_PASSES_LOWERING_KERNEL_TENSOR_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <string>
#include <vector>

namespace sheaf::lowering {

/// Row-major elements of a type by its MLIR name. Floats go in and out as f64, all else as i64.
class Tensor {
public:
  Tensor(llvm::StringRef element, std::vector<int64_t> dims)
      : element(element), dims(std::move(dims)),
        // Past the end lies a pattern that a stray store would destroy.
        bytes(size() * elementBytes() + guardBytes, guardByte) {
    std::memset(bytes.data(), 0, size() * elementBytes());
  }

  int64_t size() const {
    int64_t product = 1;
    for (int64_t dim : dims)
      product *= dim;
    return product;
  }
  std::string type() const {
    std::string text = "tensor<";
    for (int64_t dim : dims)
      text += std::to_string(dim) + "x";
    return text + element + ">";
  }
  bool isFloat() const { return element[0] == 'f' || element[0] == 'b'; }
  bool isUnsigned() const { return element[0] == 'u' || element == "i1"; }
  int64_t bits() const {
    return element == "bf16" ? 16 : std::stoi(element.substr(element.find_first_of("0123456789")));
  }
  int64_t elementBytes() const { return element == "i1" ? 1 : bits() / 8; }
  void *data() { return bytes.data(); }

  const llvm::fltSemantics &semantics() const {
    return element == "bf16"  ? llvm::APFloat::BFloat()
           : element == "f16" ? llvm::APFloat::IEEEhalf()
           : element == "f32" ? llvm::APFloat::IEEEsingle()
                              : llvm::APFloat::IEEEdouble();
  }

  void set(int64_t index, double value) {
    llvm::APFloat number(value);
    bool losesInfo;
    number.convert(semantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    uint64_t raw = number.bitcastToAPInt().getZExtValue();
    std::memcpy(&bytes[index * elementBytes()], &raw, elementBytes());
  }
  double get(int64_t index) const {
    uint64_t raw = 0;
    std::memcpy(&raw, &bytes[index * elementBytes()], elementBytes());
    return llvm::APFloat(semantics(), llvm::APInt(bits(), raw)).convertToDouble();
  }
  void setInt(int64_t index, int64_t value) {
    std::memcpy(&bytes[index * elementBytes()], &value, elementBytes());
  }
  int64_t getInt(int64_t index) const {
    int64_t raw = 0;
    std::memcpy(&raw, &bytes[index * elementBytes()], elementBytes());
    int64_t shift = 64 - elementBytes() * 8;
    return isUnsigned() ? raw : (raw << shift) >> shift;
  }
  bool isGuardIntact() const {
    for (size_t i = size() * elementBytes(); i < bytes.size(); ++i)
      if (bytes[i] != guardByte)
        return false;
    return true;
  }

  std::string element;
  std::vector<int64_t> dims;

private:
  static constexpr int64_t guardBytes = 256;
  static constexpr char guardByte = 0x5a;
  std::vector<char> bytes;
};

} // namespace sheaf::lowering

#endif
