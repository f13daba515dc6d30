// The compiler knows which calls a GPU has, and has no call for.
#include "runtime/abi/cuda_calls.h"
#include "runtime/cuda/registry.h"

#include <gmock/gmock.h>

namespace sheaf::rt::test {
namespace {

TEST(CudaCalls, AreThoseThatTheCompilerKnows) {
  std::vector<std::string_view> known(std::begin(abi::cudaCalls), std::end(abi::cudaCalls));
  EXPECT_THAT(cuda::calls().names(), testing::UnorderedElementsAreArray(known));
}

} // namespace
} // namespace sheaf::rt::test
