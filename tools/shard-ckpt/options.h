// The command line of shard-ckpt.
#ifndef SHEAF_TOOLS_SHARD_CKPT_OPTIONS_H
#define SHEAF_TOOLS_SHARD_CKPT_OPTIONS_H

#include <cstdint>
#include <string>
#include <variant>

namespace sheaf::shard_ckpt {

/// What is asked for, and with what.
struct Options {
  enum class Command {
    list,
    show,
    verify,
    merge,
    toOnnx,
    toMegatron,
    fromMegatron,
    split,
    diff
  } command = Command::list;
  std::string path;   ///< a folder of checkpoints, a checkpoint, or a safetensors file
  std::string other;  ///< of diff: what `path` is compared with; of to-onnx: the model
  std::string output; ///< of merge and to-onnx: a file; of split and to-megatron: a folder
  std::string like;   ///< of split: the executable
  std::string rules;  ///< of to-megatron and from-megatron
  int64_t ranks = 1;  ///< of to-megatron
  int64_t step = 0;   ///< of split
  bool isParametersOnly = false; ///< of merge
  bool allowsExtra = false;      ///< of split
  bool isJson = false;
};

/// The options, or the exit code of a process that has printed its help or what is wrong.
std::variant<Options, int> parseOptions(int argc, char **argv);

} // namespace sheaf::shard_ckpt

#endif // SHEAF_TOOLS_SHARD_CKPT_OPTIONS_H
