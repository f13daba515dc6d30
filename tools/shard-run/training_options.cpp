// Parses and checks what concerns training.
#include "tools/shard-run/training_options.h"

#include <CLI/CLI.hpp>
#include <array>

namespace sheaf::shard_run {
namespace {

constexpr const char *group = "Training";

/// Options of inference, which training has no use for.
constexpr std::array<std::string_view, 9> inferenceOptions = {
    "--input",     "--random-inputs", "--output-dir", "--program", "--verify",
    "--reference", "--tolerance",     "--repeat",     "--warmup"};

CLI::Option *addPaths(CLI::App &app, const char *name, std::vector<std::string> &paths,
                      const char *description) {
  return app.add_option(name, paths, description)
      ->type_name("[NAME=]PATH")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->group(group);
}

template <typename Count>
CLI::Option *addCount(CLI::App &app, const char *name, Count &count, const char *description) {
  return app.add_option(name, count, description)
      ->check(CLI::Range(int64_t(1), int64_t(1) << 48).description(""))
      ->type_name("N")
      ->group(group);
}

} // namespace

void addTrainingOptions(CLI::App &app, TrainingOptions &options) {
  addPaths(app, "--data", options.data,
           "Train on this: .npy, .npz, .safetensors, a raw file of token\n"
           "numbers (.bin, .tokens), or a folder of such files; repeat it\n"
           "for several inputs. Arrays hold samples along dim 0; a stream\n"
           "of integers is cut into windows");
  addPaths(app, "--eval-data", options.evalData, "Validate on this; as --data");
  app.add_option("--token-type", options.tokenType, "Of raw files: ui8, ui16, ui32, i32 or i64")
      ->type_name("TYPE")
      ->group(group);
  app.add_option("--labels", options.labels,
                 "The input that gets the next token of each token of a\nstream; default: labels")
      ->type_name("NAME")
      ->group(group);
  addCount(app, "--steps", options.steps, "Train until so many steps are done");
  addCount(app, "--epochs", options.epochs, "Train until the data was used so often");
  app.add_flag("--no-shuffle", options.isUnshuffled, "Take samples in their order")->group(group);
  addCount(app, "--eval-every", options.evalEvery,
           "Validate after every so many steps, and at the end");
  addCount(app, "--log-every", options.logEvery,
           "A line for every so many steps; default: a twentieth of all\n"
           "where stderr is no terminal");
  app.add_option("--metrics", options.metrics,
                 "Write a JSON object per step and per validation to this file")
      ->type_name("FILE.jsonl")
      ->group(group);
  app.add_flag("--stop-on-nan", options.stopsOnNan,
               "End with exit code 3 when a loss, or the norm of its gradients, is not finite")
      ->group(group);
  app.add_flag(
         "--check-replicas", options.checksReplicas,
         "End with exit code 3 when ranks that should hold the same part of a\nvariable don't: "
         "compared at the end, and before every save")
      ->group(group);
  addCount(app, "--check-replicas-every", options.checkReplicasEvery,
           "With --check-replicas, compare after every so many steps too");
  app.add_option("--checkpoint", options.checkpoint,
                 "Save checkpoints to this folder: at the end, and when the run\n"
                 "is asked to stop")
      ->type_name("DIR")
      ->group(group);
  addCount(app, "--save-every", options.saveEvery, "Save after every so many steps too");
  app.add_option("--keep", options.keep, "Checkpoints that stay; default: all")
      ->check(CLI::Range(1, 1 << 20).description(""))
      ->type_name("N")
      ->group(group);
  app.add_flag("--resume", options.resumes,
               "Go on from the newest checkpoint in the folder, bit for bit in\n"
               "the same layout; other layouts can go on too")
      ->group(group);
  app.add_flag("--allow-other-data", options.allowsOtherData,
               "Resume with other data, another number of samples per step, or\nanother order than "
               "before, which is an error otherwise")
      ->group(group);
}

std::string findTrainingMistake(const CLI::App &app, const TrainingOptions &options) {
  for (const CLI::Option *option : app.get_options()) {
    std::string name = option->get_name();
    if (option->count() == 0)
      continue;
    if (!options.isOn() && option->get_group() == group)
      return name + " has no effect without --data";
    if (options.isOn() &&
        std::find(inferenceOptions.begin(), inferenceOptions.end(), name) != inferenceOptions.end())
      return name + " has no effect with --data, which trains";
  }
  if (!options.isOn())
    return "";
  if (options.steps.has_value() == options.epochs.has_value())
    return options.steps ? "give --steps or --epochs, not both"
                         : "say how long to train: --steps N or --epochs N";
  if (options.evalEvery > 0 && options.evalData.empty())
    return "--eval-every has no effect without --eval-data";
  if (options.checkpoint.empty() && (options.saveEvery > 0 || options.keep > 0 || options.resumes))
    return std::string(options.saveEvery > 0 ? "--save-every"
                       : options.resumes     ? "--resume"
                                             : "--keep") +
           " has no effect without --checkpoint";
  if (options.checkReplicasEvery > 0 && !options.checksReplicas)
    return "--check-replicas-every has no effect without --check-replicas";
  if (options.allowsOtherData && !options.resumes)
    return "--allow-other-data has no effect without --resume";
  return "";
}

} // namespace sheaf::shard_run
