// Declares the flags of shard-compile, and what --help begins with.
#include "tools/shard-compile/command_line.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace sheaf::compile {
namespace {

constexpr char overview[] = R"(Compiles a model into an executable that shard-run runs.

  shard-compile gpt2.onnx --shape input_ids=2x16 -o gpt2.sheaf
  shard-compile bert.onnx --dim batch=2 --dim sequence=128 -o bert.sheaf
  shard-compile gpt2.onnx --dim batch=8 --dim sequence=128 --mesh data=2,tensor=2 --strategy dp,tp -o gpt2.sheaf
  shard-compile job.yaml -o gpt2.sheaf

A job file says the same, in sections:
  model: gpt2.onnx
  dims: {batch: 8, sequence: 128}
  layout: {mesh: {data: 2, tensor: 2}, strategy: [dp, tp]}
Paths in it are relative to it, and a flag on the command line replaces the value of its key. examples/job.yaml has
more; a wrong key is answered with the nearest right one.

Every dim of the model must be known: bind inputs by --shape, or symbolic dims by --dim. Weights
stay where they are, in the model or in its external data; the executable refers to them.

With --mesh the executable is one for as many ranks as the mesh has. Where tensors live then comes from
  --strategy   by the structure of the model: dp shares the batch along axis data, tp heads, hidden dims and
               vocabulary along axis tensor, sp the sequence between products along axis tensor
  --rules      by name: a file, its text, or one of the built-in sets gpt2, bert, llama, mixtral, vit:
                 - {name: 'input_ids', axes: [[data], _]}   one entry per dim; [] is whole, _ is open
                 - {glob: '*.wte.weight', axes: [tensor, _]}   all of a name
                 - {name: 'c_fc', columns: [tensor]}        what a weight adds to a product
                 - {name: 'c_proj', rows: [tensor]}         what a product sums over
               the first rule whose pattern is found in a name counts, of several --rules those of the first
  --device-configuration
               by the model: the shardings that an ONNX model (IR version 11 or later) has for a device
               configuration. Without --mesh they bring their own. They are not followed unless asked for
and else follows from these; device configurations go before rules, rules before strategies. What the ranks
compute is what one would. The result goes back into a copy of the model:

  shard-compile gpt2.onnx --mesh tensor=2 --strategy tp --annotated-onnx gpt2-tp.onnx -o gpt2.sheaf
  shard-compile gpt2-tp.onnx --device-configuration tensor=2 -o gpt2.sheaf
)";

/// Takes the flags of LLVM off the command line.
void keepOnly(const cl::OptionCategory &category) {
  SmallVector<cl::Option *> others;
  for (auto &entry : cl::getRegisteredOptions()) {
    StringRef name = entry.first;
    if (!is_contained(entry.second->Categories, &category) && name != "help" && name != "version")
      others.push_back(entry.second);
  }
  for (cl::Option *option : others)
    option->removeArgument();
}

} // namespace

bool CommandLine::parse(int argc, char **argv) {
  keepOnly(category);
  cl::SetVersionPrinter([](raw_ostream &stream) { stream << "shard-compile of Sheaf 0.1\n"; });
  return cl::ParseCommandLineOptions(argc, argv, overview, &errs());
}

} // namespace sheaf::compile
