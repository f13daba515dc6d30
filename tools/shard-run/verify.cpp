// Runs the unsharded program and judges how far the ranks are from it.
#include "tools/shard-run/verify.h"

#include "runtime/launch/environment.h"
#include "runtime/launch/job.h"

namespace sheaf::shard_run {

using rt::Result, rt::Status;
using rt::launch::ModelFiles, rt::launch::OutputDifference;

static Result<ModelFiles> openEmbedded(const ModelFiles &files, const Options &options) {
  const abi::Constant *embedded = files.executable().table().reference();
  if (!embedded)
    return Status::invalid(files.path().string(),
                           " holds no unsharded program to compare with; compile it "
                           "with --reference, or give one compiled without --mesh by "
                           "--reference FILE.sheaf");
  std::filesystem::path name = files.path().string() + " (its reference)";
  Result<rt::Executable> executable = rt::Executable::fromBytes(
      {reinterpret_cast<const std::byte *>(embedded->bytes()->data()), embedded->bytes()->size()},
      files.executable().folder());
  if (!executable.isOk())
    return executable.takeStatus().annotated(name.string());
  return ModelFiles::fromExecutable(std::move(*executable), name, options.weights);
}

Result<ModelFiles> openReference(const ModelFiles &files, const rt::ProgramInfo &program,
                                 const Options &options) {
  Result<ModelFiles> reference = options.reference.empty()
                                     ? openEmbedded(files, options)
                                     : ModelFiles::open(options.reference, options.weights);
  if (!reference.isOk())
    return reference;
  const rt::Mesh &mesh = reference->executable().mesh();
  if (mesh.numRanks() != 1)
    return Status::invalid(reference->path().string(), " is for ", mesh.numRanks(), " ranks (",
                           mesh.text(), "); a reference is compiled without --mesh");
  Result<const rt::ProgramInfo *> other = reference->executable().program(options.program);
  if (!other.isOk())
    return other.takeStatus().annotated(reference->path().string());
  if (Status status = rt::launch::checkSameSignature(program, **other); !status.isOk())
    return std::move(status).annotated(reference->path().string(), " is of another model");
  return reference;
}

Result<std::vector<OutputDifference>>
compareWithReference(const ModelFiles &reference,
                     const std::vector<rt::launch::InputArgument> &arguments,
                     std::optional<uint64_t> inputSeed, const rt::launch::GlobalOutputs &outputs,
                     const Options &options) {
  const rt::ProgramInfo &program = *reference.executable().findProgram(options.program);
  auto inputs = rt::launch::InputValues::open(program, arguments, inputSeed);
  if (!inputs.isOk())
    return inputs.takeStatus().annotated(reference.path().string());
  rt::launch::JobRequest request{.program = &program,
                                 .inputs = &*inputs,
                                 .threads = rt::launch::availableCpus(),
                                 .seed = options.seed.value_or(0)};
  request.run.warmup = options.warmup; // As often as the ranks: a training step changes variables.
  request.run.repeat = options.repeat;
  auto report = rt::launch::runThreads(reference, request, {});
  if (!report.isOk())
    return report.takeStatus().annotated(reference.path().string());
  return rt::launch::compareOutputs(outputs, report->outputs);
}

Status checkDifferences(const std::vector<OutputDifference> &differences, const Options &options) {
  const OutputDifference *worst = nullptr;
  for (const OutputDifference &difference : differences)
    if (!difference.isWithin(
            options.tolerance.value_or(rt::launch::defaultTolerance(difference.type))) &&
        (!worst || difference.maxRelative > worst->maxRelative))
      worst = &difference;
  if (!worst)
    return {};
  return Status::failed(
      "output \"", worst->name, "\" differs from that of the unsharded program by ",
      worst->maxAbsolute, ", which is ", worst->maxRelative, " of its largest magnitude; ",
      options.tolerance.value_or(rt::launch::defaultTolerance(worst->type)), " is accepted");
}

} // namespace sheaf::shard_run
