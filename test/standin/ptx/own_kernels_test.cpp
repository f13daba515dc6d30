// All kernels of runtime/cuda/kernels, of which programs ask for some.
#include <filesystem>
#include <gtest/gtest.h>

#include "test/standin/ptx/machine.h"

namespace sheaf::standin::ptx {
namespace {

TEST(OwnKernels, areAllSupported) {
  if (!std::filesystem::exists(SHEAF_DEVICE_CODE))
    GTEST_SKIP() << "built without the CUDA toolkit";
  size_t numKernels = 0;
  for (const auto &file : std::filesystem::directory_iterator(SHEAF_DEVICE_CODE)) {
    if (file.path().extension() != ".ptx")
      continue;
    SCOPED_TRACE(file.path().filename().string());
    ASSERT_NO_THROW({
      Machine machine(readText(file.path()));
      numKernels += machine.module->kernelNames().size();
    });
  }
  EXPECT_GT(numKernels, 0u);
}

} // namespace
} // namespace sheaf::standin::ptx
