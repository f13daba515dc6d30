// Parses the command line of shard-ckpt and teaches it.
#include "tools/shard-ckpt/options.h"

#include <CLI/CLI.hpp>

namespace sheaf::shard_ckpt {
namespace {

using Command = Options::Command;

/// The exit code for a command line that makes no sense.
constexpr int usage = 2;

constexpr const char *description =
    R"(Looks into checkpoints and turns them into other files.

Examples:
  shard-ckpt list ckpt                                       what there is, and what is complete
  shard-ckpt show ckpt/step-000200                           tensors, and which rank wrote them
  shard-ckpt verify ckpt                                     every byte of the newest one
  shard-ckpt merge ckpt --parameters-only -o w.safetensors   whole tensors, for other programs
  shard-ckpt to-onnx ckpt model.onnx -o trained.onnx         the model with trained weights
  shard-ckpt to-megatron ckpt --rules rules.json --tp 4 -o parts
                                                             fused and cut as Megatron has them
  shard-ckpt split w.safetensors --like train.sheaf -o start a checkpoint to train on from
  shard-ckpt diff ckpt/step-000100 ckpt/step-000200          how far they are apart
)";

constexpr const char *footer = R"(
CKPT is the folder of one checkpoint, or one of several: then the newest complete one is meant.

Exit codes: 0 done; 1 a file or the request is wrong; 2 usage; 3 diff has found a difference.
)";

CLI::App *addCommand(CLI::App &app, Options &options, Command command, const char *name,
                     const char *what) {
  CLI::App *added = app.add_subcommand(name, what);
  added->callback([&options, command] { options.command = command; });
  return added;
}

void addPath(CLI::App *command, std::string &path, const char *name, const char *what) {
  command->add_option(name, path, what)->required()->type_name("");
}

void addJson(CLI::App *command, Options &options) {
  command->add_flag("--json", options.isJson, "Print the same as JSON");
}

void addRules(CLI::App *command, Options &options) {
  command->add_option("--rules", options.rules, "What is fused of what: docs/running.md tells how")
      ->required()
      ->type_name("FILE.json");
}

void addCommands(CLI::App &app, Options &options) {
  CLI::App *list =
      addCommand(app, options, Command::list, "list", "List the checkpoints of a folder");
  addPath(list, options.path, "DIR", "The folder that --checkpoint named");
  addJson(list, options);

  CLI::App *show = addCommand(app, options, Command::show, "show", "Print what a checkpoint holds");
  addPath(show, options.path, "CKPT", "A checkpoint");
  addJson(show, options);

  CLI::App *verify =
      addCommand(app, options, Command::verify, "verify", "Read and check all of a checkpoint");
  addPath(verify, options.path, "CKPT", "A checkpoint");

  CLI::App *merge = addCommand(app, options, Command::merge, "merge",
                               "Write the whole tensors of a checkpoint to one safetensors file");
  addPath(merge, options.path, "CKPT", "A checkpoint");
  merge->add_option("-o", options.output, "The file to write")->required()->type_name("FILE");
  merge->add_flag("--parameters-only", options.isParametersOnly,
                  "Leave out what is there for training only (moments, step counts, ...)");

  CLI::App *toOnnx =
      addCommand(app, options, Command::toOnnx, "to-onnx",
                 "Write a copy of an ONNX model with the parameters of a checkpoint");
  addPath(toOnnx, options.path, "CKPT", "A checkpoint");
  addPath(toOnnx, options.other, "MODEL", "The model that was compiled");
  toOnnx->add_option("-o", options.output, "The model to write; weights go to FILE.data beside it")
      ->required()
      ->type_name("FILE");

  CLI::App *toMegatron =
      addCommand(app, options, Command::toMegatron, "to-megatron",
                 "Write parameters in Megatron's tensor-parallel layout, a file per rank");
  addPath(toMegatron, options.path, "CKPT", "A checkpoint or a safetensors file");
  addRules(toMegatron, options);
  toMegatron->add_option("--tp", options.ranks, "The tensor-parallel ranks")
      ->required()
      ->check(CLI::Range(1, 1 << 16).description(""))
      ->type_name("N");
  toMegatron
      ->add_option("-o", options.output, "The folder to make, for mp_rank_00.safetensors, ...")
      ->required()
      ->type_name("DIR");

  CLI::App *fromMegatron = addCommand(app, options, Command::fromMegatron, "from-megatron",
                                      "Put such files together to whole tensors");
  addPath(fromMegatron, options.path, "DIR", "The folder with mp_rank_00.safetensors, ...");
  addRules(fromMegatron, options);
  fromMegatron->add_option("-o", options.output, "The safetensors file to write")
      ->required()
      ->type_name("FILE");

  CLI::App *split = addCommand(app, options, Command::split, "split",
                               "Make a checkpoint of the tensors of a safetensors file");
  addPath(split, options.path, "FILE", "A safetensors file, or an index of several");
  split->add_option("--like", options.like, "The executable that is to train on from it")
      ->required()
      ->type_name("FILE.sheaf");
  split->add_option("-o", options.output, "The folder of checkpoints to make")
      ->required()
      ->type_name("DIR");
  split->add_option("--step", options.step, "The step that it is of; default: 0")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  split->add_flag("--allow-extra", options.allowsExtra,
                  "Leave out tensors that the executable has no use for");

  CLI::App *diff = addCommand(app, options, Command::diff, "diff",
                              "Compare two checkpoints or safetensors files");
  addPath(diff, options.path, "A", "A checkpoint or a safetensors file");
  addPath(diff, options.other, "B", "Another");
  addJson(diff, options);
}

/// A script whose variable is not set gives "": that must not pass for a path.
void refuseEmptyValues(CLI::App &app) {
  auto check = [](std::string &text) { return text.empty() ? "its value is empty" : ""; };
  for (CLI::App *command : app.get_subcommands({}))
    for (CLI::Option *option : command->get_options())
      if (option->get_items_expected_max() > 0)
        option->check(CLI::Validator(check, ""));
}

} // namespace

std::variant<Options, int> parseOptions(int argc, char **argv) {
  Options options;
  CLI::App app(description, "shard-ckpt");
  app.footer(footer);
  constexpr size_t nameColumns = 26;
  app.get_formatter()->column_width(nameColumns);
  app.require_subcommand(1);
  addCommands(app, options);
  refuseEmptyValues(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    std::cerr << "error: " << error.what() << "; shard-ckpt --help shows what there is\n";
    return usage;
  }
  return options;
}

} // namespace sheaf::shard_ckpt
