// Reads and writes tensors of any strides; only the bytes of elements count as accessed.
#include "test/standin/cudnn/tensor.h"

#include <algorithm>

namespace sheaf::standin::cudnn {

int64_t Tensor::count() const {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

std::vector<int64_t> Tensor::offsets() const {
  std::vector<int64_t> all = {0};
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    std::vector<int64_t> next;
    next.reserve(all.size() * static_cast<size_t>(sizes[dim]));
    for (int64_t offset : all)
      for (int64_t i = 0; i < sizes[dim]; ++i)
        next.push_back(offset + i * strides[dim]);
    all = std::move(next);
  }
  return all;
}

std::vector<double> Tensor::read(Execution &execution, const void *begin) const {
  const uint64_t bytes = bytesOf(type), first = reinterpret_cast<uint64_t>(begin);
  const std::vector<int64_t> places = offsets();
  const int64_t last = *std::ranges::max_element(places);
  const auto allocation = execution.find(first, (static_cast<uint64_t>(last) + 1) * bytes);
  const std::byte *host = allocation->host + (first - allocation->begin);
  std::vector<double> values;
  values.reserve(places.size());
  for (int64_t place : places) {
    const uint64_t at = static_cast<uint64_t>(place) * bytes;
    execution.log().read(first + at, bytes);
    values.push_back(load(type, host + at));
  }
  return values;
}

void Tensor::write(Execution &execution, void *begin, const std::vector<double> &values,
                   double alpha, double beta) const {
  std::vector<double> old;
  if (beta != 0)
    old = read(execution, begin);
  const uint64_t bytes = bytesOf(type), first = reinterpret_cast<uint64_t>(begin);
  const std::vector<int64_t> places = offsets();
  const int64_t last = *std::ranges::max_element(places);
  const auto allocation = execution.find(first, (static_cast<uint64_t>(last) + 1) * bytes);
  std::byte *host = allocation->host + (first - allocation->begin);
  for (size_t i = 0; i < places.size(); ++i) {
    const uint64_t at = static_cast<uint64_t>(places[i]) * bytes;
    execution.log().write(first + at, bytes);
    store(type, host + at, alpha * values[i] + (beta != 0 ? beta * old[i] : 0));
  }
}

} // namespace sheaf::standin::cudnn
