// Opens and checks what training needs.
#include "tools/shard-run/training_preparation.h"

#include "runtime/launch/training/log.h"
#include "runtime/launch/training/validation.h"
#include "tools/shard-run/preparation.h"

#include <algorithm>

namespace sheaf::shard_run {

using rt::Result, rt::Status;

namespace {

/// The types that --token-type names.
Result<std::optional<abi::ElementType>> tokenType(const Options &options) {
  using abi::ElementType;
  std::optional<ElementType> none;
  if (options.training.tokenType.empty())
    return none;
  for (ElementType type : {ElementType::ui8, ElementType::i16, ElementType::ui16, ElementType::i32,
                           ElementType::ui32, ElementType::i64})
    if (options.training.tokenType == abi::nameOf(type))
      return std::optional(type);
  return Status::invalid("--token-type ", options.training.tokenType,
                         " is none of ui8, i16, ui16, i32, ui32, i64");
}

std::vector<rt::launch::DataArgument> parseData(const std::vector<std::string> &texts) {
  std::vector<rt::launch::DataArgument> arguments;
  for (const std::string &text : texts)
    arguments.push_back(rt::launch::DataArgument::parse(text));
  return arguments;
}

Result<FedData> openData(const Options &options, const std::vector<std::string> &texts,
                         const rt::ProgramInfo &program) {
  auto type = tokenType(options);
  if (!type.isOk())
    return type.takeStatus();
  auto columns = rt::launch::openColumns(parseData(texts), *type);
  if (!columns.isOk())
    return columns.takeStatus();
  FedData data{std::move(*columns), {}};
  auto feed = rt::launch::SampleFeed::match(program, data.columns, options.training.labels);
  if (!feed.isOk())
    return feed.takeStatus();
  data.feed = std::move(*feed);
  return data;
}

void noteUnused(const FedData &data, std::vector<std::string> &notes) {
  for (const rt::launch::Column *column : data.feed.unused())
    notes.push_back(column->where() + ": \"" + column->name() + "\" is no input, and not used");
}

Status openTraining(const Options &options, const rt::Executable &executable,
                    TrainingPreparation &preparation) {
  auto program = executable.program("train_step");
  if (!program.isOk())
    return program.takeStatus().annotated("--data trains");
  constexpr std::string_view needed[] = {"loss"};
  if (Status status = rt::launch::StepMetrics::check(**program, needed, rt::launch::metricNames);
      !status.isOk())
    return status;
  auto data = openData(options, options.training.data, **program);
  if (!data.isOk())
    return data.takeStatus().annotated("--data");
  preparation.data = std::move(*data);
  const rt::launch::SampleFeed &feed = preparation.data.feed;
  preparation.plan = {.numSamples = feed.numSamples(),
                      .samplesPerStep = feed.samplesPerRun(),
                      .isShuffled = !options.training.isUnshuffled,
                      .steps = options.training.steps,
                      .epochs = options.training.epochs};
  noteUnused(preparation.data, preparation.notes);
  if (int64_t rest = preparation.plan.numDropped(); rest > 0)
    preparation.notes.push_back("a step takes " + std::to_string(feed.samplesPerRun()) +
                                " samples: each epoch leaves out " + std::to_string(rest) + " of " +
                                std::to_string(feed.numSamples()));
  preparation.draw = rt::launch::SampleDraw::of(feed, preparation.plan);
  auto start = findStart(options, executable, preparation.draw);
  if (!start.isOk())
    return start.takeStatus();
  preparation.start = std::move(*start);
  const rt::launch::TrainingPosition &position = preparation.start.position;
  Status status = preparation.plan.check(position);
  if (status.isOk() && position.step > 0 && preparation.plan.lastStep(position) <= position.step)
    preparation.notes.push_back(
        "nothing is left to do: the run that --resume goes on with has done " +
        std::to_string(position.step) + " steps");
  return status;
}

Status openEvaluation(const Options &options, const rt::Executable &executable,
                      TrainingPreparation &preparation) {
  auto program = executable.program("eval");
  if (!program.isOk())
    return program.takeStatus().annotated("--eval-data validates");
  constexpr std::string_view needed[] = {"loss", "count"};
  if (Status status = rt::launch::StepMetrics::check(**program, needed, {}); !status.isOk())
    return status;
  auto data = openData(options, options.training.evalData, **program);
  if (!data.isOk())
    return data.takeStatus().annotated("--eval-data");
  preparation.evalData = std::move(*data);
  const rt::launch::SampleFeed &feed = preparation.evalData->feed;
  noteUnused(*preparation.evalData, preparation.notes);
  if (rt::launch::numEvalRuns(feed) == 0)
    return Status::invalid("--eval-data: it has ", feed.numSamples(),
                           " samples but a run of \"eval\" ", "takes ", feed.samplesPerRun(),
                           feed.numSamples() > 0 ? ", and no input has a padding to fill it up with"
                                                 : "");
  if (int64_t rest = rt::launch::numEvalDropped(feed); rest > 0)
    preparation.notes.push_back("validation leaves out the last " + std::to_string(rest) + " of " +
                                std::to_string(feed.numSamples()) +
                                " samples: no input has a padding to fill a run up with");
  return {};
}

} // namespace

Result<TrainingPreparation> prepareTraining(const Options &options, int numProcesses) {
  auto files = openModel(options, numProcesses);
  if (!files.isOk())
    return files.takeStatus();
  TrainingPreparation preparation{std::move(*files), {}, {}, {}, {}, {}, {}};
  const rt::Executable &executable = preparation.files.executable();
  if (options.seed && options.training.isUnshuffled && !hasRandomNodes(executable))
    return Status::invalid("--seed has no effect: there is --no-shuffle, and the program has no "
                           "random nodes");
  if (!options.training.tokenType.empty() &&
      !rt::launch::hasRawFile(parseData(options.training.data)) &&
      !rt::launch::hasRawFile(parseData(options.training.evalData)))
    return Status::invalid("--token-type has no effect: the data has no raw file");
  if (Status status = openTraining(options, executable, preparation); !status.isOk())
    return status;
  if (!options.training.evalData.empty())
    if (Status status = openEvaluation(options, executable, preparation); !status.isOk())
      return status;
  return preparation;
}

std::vector<rt::launch::Fact> factsOf(const TrainingPreparation &preparation) {
  return {{"content of --data", std::to_string(preparation.draw.data)}};
}

} // namespace sheaf::shard_run
