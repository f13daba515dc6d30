// Small matrix products on the calling thread.
#ifndef SHEAF_RUNTIME_HOST_DENSE_PRODUCT_H
#define SHEAF_RUNTIME_HOST_DENSE_PRODUCT_H

#include <cstdint>
#include <oneapi/dnnl/dnnl.h>

namespace sheaf::rt::host {

/// A matrix whose rows are dense.
template <typename C> struct Rows {
  C *data;
  int64_t stride; ///< elements from one row to the next
};

// In a parallel loop the library works on the calling thread alone.

/// c[m, n] = alpha * a[m, k] * b, where b is [n, k] when `isTransposed`, else [k, n].
inline void multiply(int64_t m, int64_t n, int64_t k, float alpha, Rows<const float> a,
                     Rows<const float> b, bool isTransposed, Rows<float> c) {
  dnnl_sgemm('N', isTransposed ? 'T' : 'N', m, n, k, alpha, a.data, a.stride, b.data, b.stride, 0,
             c.data, c.stride);
}
inline void multiply(int64_t m, int64_t n, int64_t k, double alpha, Rows<const double> a,
                     Rows<const double> b, bool isTransposed, Rows<double> c) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a.data[i * a.stride + l] *
               (isTransposed ? b.data[j * b.stride + l] : b.data[l * b.stride + j]);
      c.data[i * c.stride + j] = alpha * sum;
    }
}

/// c[m, n] += a[k, m]^T * b[k, n].
inline void addTransposed(int64_t m, int64_t n, int64_t k, Rows<const float> a, Rows<const float> b,
                          Rows<float> c) {
  dnnl_sgemm('T', 'N', m, n, k, 1, a.data, a.stride, b.data, b.stride, 1, c.data, c.stride);
}
inline void addTransposed(int64_t m, int64_t n, int64_t k, Rows<const double> a,
                          Rows<const double> b, Rows<double> c) {
  for (int64_t l = 0; l < k; ++l)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        c.data[i * c.stride + j] += a.data[l * a.stride + i] * b.data[l * b.stride + j];
}

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_DENSE_PRODUCT_H
