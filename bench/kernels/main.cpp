// Measures every kind of generated kernel beside a loop that moves the same bytes, in one run.
#include "bench/kernels/kinds.h"
#include "passes/lowering/kernel/host_kernel_compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

static llvm::cl::opt<std::string> hostCpu("host-cpu", llvm::cl::init("native"),
                                          llvm::cl::desc("Processor to compile for"));
static llvm::cl::opt<unsigned> rounds("rounds", llvm::cl::init(7),
                                      llvm::cl::desc("Runs of each; medians count"));
static llvm::cl::opt<unsigned> scale("scale", llvm::cl::init(1),
                                     llvm::cl::desc("Times the sizes; 1 moves 64 to 450 MiB"));
static llvm::cl::opt<std::string> filter(llvm::cl::Positional, llvm::cl::init(""),
                                         llvm::cl::desc("[part of a name]"));

namespace {

/// A buffer of a tensor, filled with numbers between 0 and 1 in its type, as far as that matters.
struct Memory {
  explicit Memory(RankedTensorType type) {
    Type element = type.getElementType();
    int64_t elementBytes = element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8;
    bytes = type.getNumElements() * elementBytes;
    int64_t padded = (bytes + 4095) / 4096 * 4096;
    data = static_cast<char *>(std::aligned_alloc(4096, padded));
    for (int64_t i = 0; i < padded; ++i)
      data[i] = 0;
    if (element.isF32())
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        reinterpret_cast<float *>(data)[i] = static_cast<float>(i % 997) / 997;
    else if (element.isInteger(1))
      for (int64_t i = 0; i < bytes; ++i)
        data[i] = i % 5 != 0;
    else
      for (int64_t i = 0; i < type.getNumElements(); ++i) // bf16
        reinterpret_cast<uint16_t *>(data)[i] = static_cast<uint16_t>(0x3e00 + i % 0x180);
  }
  Memory(Memory &&other) : data(std::exchange(other.data, nullptr)), bytes(other.bytes) {}
  ~Memory() { std::free(data); }

  bool isLarge() const { return bytes >= 32 << 20; }

  char *data;
  int64_t bytes;
};

using Line = float __attribute__((vector_size(64), aligned(64), may_alias));

/// Reads `ins` and writes `outs`, a part of each at a time, as a fused kernel would.
__attribute__((target("avx2"), noinline)) void moveBytes(ArrayRef<Memory *> ins,
                                                         ArrayRef<Memory *> outs) {
  constexpr int64_t parts = 4096;
  [[maybe_unused]] static volatile float sink;
  Line sum = {};
  for (int64_t part = 0; part < parts; ++part) {
    for (Memory *in : ins) {
      const Line *lines = reinterpret_cast<const Line *>(in->data);
      int64_t count = in->bytes / 64;
      Line sums[4] = {};
      int64_t end = count * (part + 1) / parts, i = count * part / parts;
      for (; i + 4 <= end; i += 4)
        for (int k = 0; k < 4; ++k)
          sums[k] += lines[i + k];
      sum += sums[0] + sums[1] + sums[2] + sums[3];
    }
    for (Memory *out : outs) {
      Line *lines = reinterpret_cast<Line *>(out->data);
      int64_t count = out->bytes / 64;
      for (int64_t i = count * part / parts; i < count * (part + 1) / parts; ++i)
        lines[i] = sum;
    }
  }
  sink = sum[0];
}

double secondsOf(function_ref<void()> work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double medianOf(SmallVector<double> values) {
  llvm::sort(values);
  return values[values.size() / 2];
}

std::string textOf(const bench::Kind &kind) {
  SmallVector<StringRef> types;
  StringRef(kind.operands).split(types, ", ");
  std::string outer, inner, names;
  for (auto [i, type] : llvm::enumerate(types)) {
    std::string separator = i ? ", " : "", index = std::to_string(i);
    outer += separator + "%arg" + index + ": " + type.str();
    inner += separator + "%a" + index + ": " + type.str();
    names += separator + "%arg" + index;
  }
  size_t numResults = StringRef(kind.results).count(", ") + 1;
  return "func.func @f(" + outer + ") {\n%r:" + std::to_string(numResults) + " = graph.cluster(" +
         names + ") : (" + kind.operands + ") -> (" + kind.results + ") {\n^bb0(" + inner +
         "):" + kind.body + "\n}\nreturn\n}\n";
}

using Function = void (*)(void **, int64_t, int64_t);

/// Maps linked kernels into this process, for its lifetime.
Function load(ArrayRef<char> bytes, StringRef symbol) {
  int file = memfd_create("kernels", 0);
  if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return nullptr;
  void *library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW);
  return library ? reinterpret_cast<Function>(dlsym(library, symbol.str().c_str())) : nullptr;
}

LogicalResult measure(MLIRContext &context, const HostCpu &cpu, const bench::Kind &kind,
                      unsigned numRounds) {
  auto module = parseSourceString<ModuleOp>(textOf(kind), &context);
  if (!module)
    return failure();
  auto cluster = *(*module->getOps<func::FuncOp>().begin()).getOps<graph::ClusterOp>().begin();
  ClusterBuffers buffers = ClusterBuffers::rowMajor(cluster);
  if (!kind.strides.empty())
    buffers.operands[0].strides.assign(kind.strides.begin(), kind.strides.end());
  for (unsigned operand : kind.overwrites)
    buffers.overwrites.push_back(operand);

  Function function = nullptr;
  Kernel kernel;
  bool isLinked = true;
  double compileSeconds = secondsOf([&] {
    HostKernelCompiler compiler(&context, cpu);
    kernel = compiler.add(cluster, buffers);
    auto code = compiler.finish();
    isLinked = succeeded(code);
    if (isLinked)
      function = load(code->sharedObject, kernel.symbol);
  });
  if (!function)
    return emitError(UnknownLoc::get(&context)) << "can't load the kernel of " << kind.name;

  SmallVector<Memory> memories;
  for (Type type : cluster->getOperandTypes())
    memories.emplace_back(cast<RankedTensorType>(type));
  for (auto [i, type] : llvm::enumerate(cluster->getResultTypes()))
    if (kind.overwrites.empty())
      memories.emplace_back(cast<RankedTensorType>(type));
  SmallVector<void *> pointers;
  SmallVector<Memory *> ins, outs;
  int64_t bytes = 0;
  unsigned numOperands = cluster->getNumOperands();
  for (unsigned i = 0; i < numOperands + cluster->getNumResults(); ++i) {
    bool isResult = i >= numOperands, isInPlace = isResult && !kind.overwrites.empty();
    Memory &memory = memories[isInPlace ? kind.overwrites[i - numOperands] : i];
    pointers.push_back(memory.data);
    if (!memory.isLarge())
      continue;
    (isResult ? outs : ins).push_back(&memory);
    bytes += memory.bytes;
  }

  SmallVector<double> ours, roof;
  auto run = [&] { function(pointers.data(), 0, kernel.units); };
  run();
  for (unsigned round = 0; round < numRounds; ++round) {
    ours.push_back(secondsOf(run));
    roof.push_back(secondsOf([&] { moveBytes(ins, outs); }));
  }
  double rate = bytes / medianOf(ours) / 1e9, roofRate = bytes / medianOf(roof) / 1e9;
  llvm::outs() << "| " << kind.name << " | " << (bytes >> 20) << " | "
               << llvm::format("%.1f | %.1f | %.0f | %.1f", roofRate, rate, 100 * rate / roofRate,
                               1e3 * compileSeconds)
               << " |\n";
  llvm::outs().flush();
  return success();
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "Measures generated kernels beside a copy of the same traffic, on one thread.\n");
  DialectRegistry registry;
  registry.insert<graph::GraphDialect, func::FuncDialect>();
  KernelCompiler::registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  FailureOr<HostCpu> cpu =
      HostCpu::named(hostCpu, [&] { return emitError(UnknownLoc::get(&context)); });
  if (failed(cpu))
    return 1;
  llvm::outs() << "| kernel | MiB moved | copy GB/s | kernel GB/s | % of copy | compile ms |\n"
                  "|---|---|---|---|---|---|\n";
  // Linking a kernel resets the options.
  std::string part = filter;
  unsigned numRounds = rounds, sizes = std::max(1U, unsigned(scale));
  bool isComplete = true;
  for (const bench::Kind &kind : bench::allKinds(sizes))
    if (StringRef(kind.name).contains(part))
      isComplete &= succeeded(measure(context, *cpu, kind, numRounds));
  return isComplete ? 0 : 1;
}
