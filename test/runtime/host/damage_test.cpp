// Executables damaged behind their hash: they are refused, fail or run, but never harm the process.
#include "test/runtime/host/call_runner.h"
#include "test/runtime/parts_program.h"

#include <random>

namespace sheaf::rt::test {
namespace {

constexpr abi::Storage arena = abi::Storage::arena, input = abi::Storage::input,
                       output = abi::Storage::output, variable = abi::Storage::variable;

/// Calls of several kinds, with strides, params, a packed weight and two streams. No generated kernels: what those do
/// with their buffers is theirs.
TestExecutable manyCalls() {
  TestExecutable file;
  file.constants = {std::vector<uint8_t>(64 * 4 * 4, 1), std::vector<uint8_t>(16, 0)};
  file.variables = {{"weight", ElementType::f32, {64, 4}, 0, true},
                    {"packed", ElementType::f32, {64, 4}, UINT32_MAX, false, 64 * 64 * 4},
                    {"index", ElementType::i64, {2}, 1}};
  std::vector<Param> contract = {ints("lhs_contract", {1}), ints("rhs_contract", {0})};
  TestProgram prepare;
  prepare.name = "prepare";
  prepare.buffers = {{ElementType::f32, {64, 4}, variable, 0},
                     {ElementType::f32, {64, 4}, variable, 1}};
  TestInstruction pack{"pack_weights", {0}, {1}, contract};
  pack.params.insert(pack.params.end(), {text("consumer", "contract"), ints("lhs_dims", {8, 64})});
  prepare.instructions = {pack};
  TestProgram forward;
  forward.inputs = {{"x", ElementType::f32, {8, 64}}};
  forward.outputs = {{"y", ElementType::f32, {2, 4}}, {"z", ElementType::f32, {8, 4}}};
  forward.arenaBytes = {1024};
  forward.numStreams = 2;
  forward.numEvents = 2;
  forward.buffers = {
      {ElementType::f32, {8, 64}, input, 0},     {ElementType::f32, {64, 4}, variable, 1},
      {ElementType::f32, {8, 4}, arena, 0},      {ElementType::i64, {2}, variable, 2},
      {ElementType::f32, {2, 4}, output, 0},     {ElementType::f32, {4, 8}, arena, 0, 0, {1, 4}},
      {ElementType::f32, {4, 8}, arena, 0, 512}, {ElementType::f32, {8, 4}, output, 1}};
  TestInstruction product{"contract", {0, 1}, {2}, contract, 0, {}, {0}};
  product.params.push_back(ints("weights_packed", {1}));
  forward.instructions = {
      product,
      {"gather", {2, 3}, {4}, {ints("dim", {0})}, 1, {0}, {}},
      {"copy", {5}, {6}, {}, 0, {}, {1}},
      {"cumulative", {2}, {7}, {text("kind", "sum"), ints("dim", {0})}, 1, {1}, {}}};
  file.programs = {prepare, forward};
  return file;
}

/// Opens, prepares and runs an executable as far as it goes; true when it ran.
bool runs(std::span<const std::byte> bytes) {
  Result<Executable> executable = Executable::fromBytes(bytes, ".");
  if (!executable.isOk())
    return false;
  host::HostDevice device(2);
  Result<std::unique_ptr<Executor>> executor = Executor::create(*executable, device);
  if (!executor.isOk())
    return false;
  Result<BoundProgram *> program = (*executor)->program("forward");
  if (!program.isOk() || (*program)->info().instructionsPerRun() > 10'000)
    return false; // Damage may ask for a million runs of a part.
  std::vector<Memory> memories;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  auto add = [&](const std::vector<SignatureInfo> &signatures, auto &pointers) {
    for (const SignatureInfo &signature : signatures) {
      constexpr int64_t limit = 1 << 24; // Damage may ask for terabytes.
      if (signature.bytes > limit)
        return false;
      memories.push_back(std::move(*allocateHostMemory(static_cast<size_t>(signature.bytes))));
      pointers.push_back(memories.back().data());
    }
    return true;
  };
  return add((*program)->info().inputs, inputs) && add((*program)->info().outputs, outputs) &&
         (*program)->run(inputs, outputs).isOk();
}

/// Changes byte after byte; the number of times that the program ran all the same.
int runDamaged(AlignedBytes original) {
  EXPECT_TRUE(runs(original.bytes()));
  std::mt19937 random(11);
  int numRun = 0;
  for (size_t at = 0; at < original.bytes().size(); ++at) {
    AlignedBytes damaged(original.bytes());
    // Small changes come further than random ones: an index or extent that is off by a little.
    std::byte &byte = damaged.bytes()[at];
    byte = random() % 2 ? static_cast<std::byte>(random())
                        : static_cast<std::byte>(static_cast<int>(byte) + (random() % 2 ? 1 : -1));
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(damaged.bytes().data()),
                                   damaged.bytes().size());
    const auto *root = abi::GetExecutable(damaged.bytes().data());
    if (!abi::VerifyExecutableBuffer(verifier) || !root->content_hash() ||
        root->content_hash()->size() != 32)
      continue;
    storeHash(damaged.bytes());
    numRun += runs(damaged.bytes());
  }
  return numRun;
}

// Names, constants, padding: else nothing got past the reader.
TEST(Damage, NeverHarmsTheProcess) { EXPECT_GT(runDamaged(manyCalls().build()), 100); }

TEST(Damage, OfPartsNeverHarmsTheProcess) {
  TestExecutable file = sumInParts(3);
  file.programs[0].name = "forward";
  EXPECT_GT(runDamaged(file.build()), 100);
}

} // namespace
} // namespace sheaf::rt::test
