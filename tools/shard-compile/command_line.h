// The flags of shard-compile.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_COMMAND_LINE_H
#define SHEAF_TOOLS_SHARD_COMPILE_COMMAND_LINE_H

#include "tools/shard-compile/training_flags.h"

namespace sheaf::compile {

/// Our options; LLVM's own are taken off the command line, so that a wrong one is an error.
struct CommandLine {
  /// Reads it; once in a process. `--help` and `--version` end the program. Errors: printed.
  bool parse(int argc, char **argv);

  llvm::cl::OptionCategory category{"Options"};
  llvm::cl::opt<std::string> model{llvm::cl::Positional, llvm::cl::Required,
                                   llvm::cl::desc("<model.onnx, graph .mlir or job.yaml>"),
                                   llvm::cl::cat(category)};
  llvm::cl::opt<std::string> output{"o", llvm::cl::Required,
                                    llvm::cl::desc("The executable to write"),
                                    llvm::cl::value_desc("file.sheaf"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> shapes{"shape",
                                     llvm::cl::desc("Shape of an input; NAME= is a scalar"),
                                     llvm::cl::value_desc(kShapeForm), llvm::cl::cat(category)};
  llvm::cl::list<std::string> dims{"dim", llvm::cl::desc("Extent of a symbolic dim"),
                                   llvm::cl::value_desc("NAME=2"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> constants{
      "constant", llvm::cl::desc("Fixes an input to the value in a file"),
      llvm::cl::value_desc("NAME=file.npy"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> parameters{
      "parameter", llvm::cl::CommaSeparated,
      llvm::cl::desc(
          "Float weights of one element that are parameters, and trained: learned scales "
          "and temperatures; others of one element are constants"),
      llvm::cl::value_desc("*logit_scale"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> feeds{
      "feed",
      llvm::cl::desc(
          "Fills an input by rule: ones, zeros, a number, or arange, which counts along the "
          "last dim"),
      llvm::cl::value_desc("NAME=ones"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> mesh{
      "mesh", llvm::cl::CommaSeparated, llvm::cl::desc("Axes of the mesh of ranks, major first"),
      llvm::cl::value_desc("data=2,tensor=2"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> strategies{
      "strategy", llvm::cl::CommaSeparated,
      llvm::cl::desc("How to shard by structure: dp, tp, sp; of --train also ddp, zero1, "
                     "zero2, zero3, hsdp"),
      llvm::cl::value_desc("dp,tp"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> rules{
      "rules",
      llvm::cl::desc("How to shard by name; repeat it for several files, which count "
                     "as one that holds their rules in this order"),
      llvm::cl::value_desc("file.yaml|gpt2|..."), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> deviceConfiguration{
      "device-configuration", llvm::cl::desc("Device configuration of the model to shard by"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> annotatedModel{
      "annotated-onnx",
      llvm::cl::desc("Copy of the ONNX model to write, with a device configuration that says where "
                     "tensors live; external data stays where it is, beside both"),
      llvm::cl::value_desc("file.onnx"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> annotationName{
      "annotated-as",
      llvm::cl::desc("Name of that device configuration; default: the mesh, as tensor=2"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> target{"target", llvm::cl::desc("What to compile for: host or cuda"),
                                    llvm::cl::value_desc("name"), llvm::cl::init("host"),
                                    llvm::cl::cat(category)};
  llvm::cl::opt<std::string> gpuArch{
      "gpu-arch",
      llvm::cl::desc("GPUs to compile kernels for, by compute capability: PTX for the first, and "
                     "machine code for all where libnvJitLink or ptxas is found; default: PTX for "
                     "80"),
      llvm::cl::value_desc("80,90,100"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> allowsTf32{
      "tf32",
      llvm::cl::desc("Let GPUs round f32 to TF32, with 10 bits of mantissa, where they multiply "
                     "matrices and convolve; sums stay f32. Default: they don't"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> hostCpu{
      "host-cpu",
      llvm::cl::desc("Processor to compile kernels for, by LLVM's name "
                     "(x86-64-v3, znver4, ...); native is this machine"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> deviceMemory{
      "device-memory",
      llvm::cl::desc("Memory that the program may take; default: all that this machine has, for "
                     "cuda no limit"),
      llvm::cl::value_desc("1GiB"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> groupBytes{
      "group-bytes",
      llvm::cl::desc("Let parameters and gradients travel together up to so many bytes, in the "
                     "order in which they are needed or ready; default: those of each block of the "
                     "model"),
      llvm::cl::value_desc("25MiB"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> noRaise{
      "no-raise",
      llvm::cl::desc("Compile softmax, attention, ... that the model spells out in "
                     "primitives as they are: slower, to find faults"),
      llvm::cl::cat(category)};
  TrainingFlags training{category};
  llvm::cl::opt<bool> isJson{"json", llvm::cl::desc("Print what is known of the result as JSON"),
                             llvm::cl::cat(category)};
  llvm::cl::opt<bool> showsRemarks{
      "remarks",
      llvm::cl::desc("Print the reshards, with their bytes, and the copies "
                     "that could not be avoided"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> embedsReference{
      "reference",
      llvm::cl::desc("Put the program of one device into the file as well, for "
                     "shard-run --verify"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> explains{"explain",
                               llvm::cl::desc("Print where the sharding of each tensor came from"),
                               llvm::cl::cat(category)};
  llvm::cl::opt<bool> showsTiming{"timing", llvm::cl::desc("Print the time each pass took"),
                                  llvm::cl::cat(category)};
};

} // namespace sheaf::compile

#endif
