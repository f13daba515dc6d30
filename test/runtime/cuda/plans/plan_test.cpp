// The graphs of attention are those that the real cuDNN has plans for, on GPUs that need not be there: plans are made
// for properties of a chip, down to their machine code.
#include "runtime/cuda/cudnn_attention.h"

#include <gtest/gtest.h>

namespace sheaf::rt::test {
namespace {

using cuda::AttentionProblem, cuda::CudnnGraph;
using Four = AttentionProblem::Four;

constexpr int64_t muchMemory = int64_t(1) << 40;

struct Chip {
  int chip, multiprocessors, sharedBytes;
};
constexpr Chip chips[] = {{80, 108, 166912}, {90, 132, 232448}, {100, 148, 232448}};

/// What CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION reads: of 9.19, and of later versions what they have in addition.
std::string propertiesOf(const Chip &chip) {
  return R"({"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536,)"
         R"("warpSize":32,"maxSharedMemoryPerBlock":49152,"reservedSharedMemoryPerBlock":1024,)"
         R"("maxRegistersPerSM":65536,"maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,)"
         R"("pciDeviceId":0,"isTccDriver":0,"supportCoopLaunch":1,"smClockRateKHz":1980000,)"
         R"("memClockRateKHz":2619000,"l2CacheSize":52428800,"deviceName":"a GPU","driverVer":13000,)"
         R"("cudaDeviceId":0,"totalGlobalMem":85000000000,"smCountOrigin":0,)"
         R"("oversizedSharedMemoryPerBlock":0,"memoryBusWidth":5120,"deviceVer":)" +
         std::to_string(chip.chip * 10) +
         ",\"multiProcessorCount\":" + std::to_string(chip.multiprocessors) +
         ",\"maxSharedMemoryPerBlockOptin\":" + std::to_string(chip.sharedBytes) + "}";
}

class RealCudnn : public testing::Test {
protected:
  void SetUp() override {
    if (Status status = cuda::loadCudnn(); !status.isOk())
      GTEST_SKIP() << status.text();
    cudnnBackendDescriptor_t properties = nullptr;
    cudnnStatus_t isKnown = cuda::cudnn().cudnnBackendCreateDescriptor(
        CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &properties);
    if (version() < 91100 || isKnown != CUDNN_STATUS_SUCCESS) // The stand-in does not know it.
      GTEST_SKIP() << "this cuDNN, " << version() << ", makes no plans without a GPU";
    cuda::cudnn().cudnnBackendDestroyDescriptor(properties);
  }
  static size_t version() { return cuda::cudnn().cudnnGetVersion(); }

  static cudnnBackendDescriptor_t describe(const Chip &chip) {
    cudnnBackendDescriptor_t properties = nullptr;
    std::string text = propertiesOf(chip);
    EXPECT_EQ(cuda::cudnn().cudnnBackendCreateDescriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR,
                                                         &properties),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(cuda::cudnn().cudnnBackendSetAttribute(
                  properties, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                  static_cast<int64_t>(text.size()), text.data()),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(cuda::cudnn().cudnnBackendFinalize(properties), CUDNN_STATUS_SUCCESS);
    return properties;
  }

  /// Expects plans for the result and, where the chip's are used, the gradients.
  static void expectPlans(const AttentionProblem &problem, const Chip &chip) {
    cudnnBackendDescriptor_t properties = describe(chip);
    auto expectPlan = [&](const char *what, auto describe) {
      CudnnGraph graph;
      describe(graph, problem, version());
      Result<bool> isPlanned = graph.plan({nullptr, properties}, muchMemory);
      ASSERT_TRUE(isPlanned.isOk()) << isPlanned.takeStatus().text();
      EXPECT_TRUE(*isPlanned) << what << " on " << chip.chip;
    };
    ASSERT_TRUE(cuda::isTakenByCudnn(problem, version()));
    expectPlan("result", cuda::describeAttention);
    if (problem.gradients)
      expectPlan("gradients", cuda::describeAttentionGradient);
    cuda::cudnn().cudnnBackendDestroyDescriptor(properties);
  }

  /// Heads one behind the other, or, as models have them, beside each other.
  static AttentionProblem problemOf(int64_t heads, int64_t groups, int64_t queries, int64_t keys,
                                    int64_t depth, bool isCausal, bool isBeside) {
    auto lie = [&](int64_t heads, int64_t rows) {
      return isBeside ? Four{heads * rows * depth, depth, heads * depth, 1}
                      : CudnnGraph::packed({2, heads, rows, depth});
    };
    return {.type = isBeside ? abi::ElementType::bf16 : abi::ElementType::f16,
            .batch = 2,
            .heads = heads,
            .groups = groups,
            .queries = queries,
            .keys = keys,
            .depth = depth,
            .valueDepth = depth,
            .query = lie(heads, queries),
            .key = lie(groups, keys),
            .value = lie(groups, keys),
            .result = lie(heads, queries),
            .isCausal = isCausal,
            .scale = 0.125,
            .gradients = std::nullopt};
  }
  static AttentionProblem withGradients(AttentionProblem problem) {
    problem.gradients = {problem.query, problem.key, problem.value};
    return problem;
  }
};

TEST_F(RealCudnn, PlansResultsOnAllChips) {
  for (const Chip &chip : chips) {
    expectPlans(problemOf(4, 4, 256, 256, 64, true, false), chip);
    expectPlans(problemOf(4, 2, 256, 256, 128, false, true), chip);
    expectPlans(problemOf(4, 2, 100, 300, 64, true, true), chip);
  }
}

TEST_F(RealCudnn, PlansGradientsBeforeBlackwell) {
  for (const Chip &chip : chips)
    if (chip.chip < 100) {
      expectPlans(withGradients(problemOf(4, 4, 256, 256, 64, true, true)), chip);
      expectPlans(withGradients(problemOf(4, 2, 256, 256, 128, false, false)), chip);
      expectPlans(withGradients(problemOf(4, 1, 100, 300, 64, true, true)), chip);
    }
}

TEST_F(RealCudnn, PlansLargeHeadsOnHopper) {
  expectPlans(withGradients(problemOf(2, 2, 256, 256, 256, true, true)), chips[1]);
}

} // namespace
} // namespace sheaf::rt::test
