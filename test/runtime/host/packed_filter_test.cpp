// The memory set aside for packed filters holds the layout that the library is fastest with.
#include "runtime/abi/packed_bytes.h"
#include "runtime/core/conv_plan.h"
#include "runtime/host/onednn/convolution.h"

#include <gtest/gtest.h>

namespace sheaf::rt {
namespace {

BufferShape rowMajor(std::vector<int64_t> dims) {
  BufferShape shape{abi::ElementType::f32, std::move(dims), {}};
  shape.strides.assign(shape.dims.size(), 1);
  for (size_t dim = shape.dims.size() - 1; dim-- > 0;)
    shape.strides[dim] = shape.strides[dim + 1] * shape.dims[dim + 1];
  return shape;
}

/// The convolution of ResNet that has `in` and `out` channels, an input of `extent` squared and a square window.
ConvPlan plan(int64_t in, int64_t out, int64_t extent, int64_t window, int64_t stride) {
  ConvParams params;
  params.isChannelsLast = true;
  params.window.strides = {stride, stride};
  params.window.dilations = {1, 1};
  params.window.low = params.window.high = {window / 2, window / 2};
  int64_t result = (extent - 1) / stride + 1;
  BufferShape input = params.ordered(rowMajor({1, extent, extent, in}));
  BufferShape output = params.ordered(rowMajor({1, result, result, out}));
  BufferShape filter = rowMajor({out, in, window, window});
  return *ConvPlan::make(std::move(params), input, filter, output, /*isTransposed=*/false);
}

TEST(PackedFilter, FitsItsBound) {
  for (auto [in, extent] : {std::pair<int64_t, int64_t>{64, 56},
                            {256, 56},
                            {512, 28},
                            {1024, 14},
                            {2048, 7},
                            {3, 224},
                            {17, 9}})
    for (int64_t out : {16, 40, 64, 72, 128, 256, 512, 1000, 1024, 2048})
      for (int64_t window : {1, 3})
        for (int64_t stride : {1, 2}) {
          ConvPlan conv = plan(in, out, extent, window, stride);
          std::optional<dnnl::memory::desc> filter = host::onednn::preferredFilter(conv);
          ASSERT_TRUE(filter.has_value());
          EXPECT_LE(static_cast<int64_t>(filter->get_size()),
                    abi::packedConvBytes(conv.filter.dims, 1, 4))
              << in << " to " << out << " channels, window " << window << ", stride " << stride;
        }
}

} // namespace
} // namespace sheaf::rt
