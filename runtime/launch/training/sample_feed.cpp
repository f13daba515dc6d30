// Matches columns with inputs.
#include "runtime/launch/training/sample_feed.h"

#include "runtime/launch/training/exact_conversion.h"

#include <algorithm>

namespace sheaf::rt::launch {
namespace {

/// The dims of one sample of an input.
std::span<const int64_t> sampleDims(const SignatureInfo &input) {
  return std::span(input.sharding.globalDims).subspan(2);
}

bool isTokenInput(const SignatureInfo &input) {
  return sampleDims(input).size() == 1 && abi::isInteger(input.shape.type);
}

std::string describe(const SignatureInfo &input) {
  return "\"" + std::string(input.name) + "\" " + abi::nameOf(input.shape.type) +
         dimsText(sampleDims(input));
}

std::string describe(const Column &column) {
  std::string name = column.name().empty() ? "" : " (\"" + column.name() + "\")";
  return column.where() + name;
}

std::string listed(const std::vector<const SignatureInfo *> &inputs) {
  std::string text;
  for (const SignatureInfo *input : inputs)
    text += (text.empty() ? "" : ", ") + describe(*input);
  return text;
}

} // namespace

/// One match of columns with inputs.
class FeedMatcher {
public:
  FeedMatcher(const ProgramInfo &program, const std::vector<Column> &columns,
              std::string_view labels)
      : program(program), columns(columns), labelsName(labels) {
    feed.info = &program;
    feed.sources.resize(program.inputs.size());
  }

  Result<SampleFeed> match();

private:
  using Source = SampleFeed::Source;

  const SignatureInfo *find(std::string_view name, size_t &index) const;
  Status checkProgram() const;
  Status matchNamed();
  Status matchUnnamed(const Column &column);
  Status feedInput(size_t index, const Column &column);
  Status findLabels();
  Status feedLabels();
  Status checkFed() const;
  Status countSamples();
  /// Inputs that have no column and no default, but for the labels of a stream.
  std::vector<size_t> unfed() const;

  const ProgramInfo &program;
  const std::vector<Column> &columns;
  std::string_view labelsName;
  const Column *stream = nullptr;
  std::optional<size_t> labels; ///< the input that a stream gives the tokens behind
  SampleFeed feed;
};

const SignatureInfo *FeedMatcher::find(std::string_view name, size_t &index) const {
  for (index = 0; index < program.inputs.size(); ++index)
    if (program.inputs[index].name == name)
      return &program.inputs[index];
  return nullptr;
}

std::vector<size_t> FeedMatcher::unfed() const {
  std::vector<size_t> indices;
  for (size_t i = 0; i < program.inputs.size(); ++i)
    if (!feed.sources[i].column && !program.inputs[i].defaultVariable && labels != i)
      indices.push_back(i);
  return indices;
}

Status FeedMatcher::feedInput(size_t index, const Column &column) {
  const SignatureInfo &input = program.inputs[index];
  std::span<const int64_t> dims = sampleDims(input);
  if (!isExact(column.type(), input.shape.type))
    return Status::invalid(describe(column), " holds ", abi::nameOf(column.type()), " but input ",
                           describe(input), " can't take all of its values as they are");
  if (column.isStream() && isTokenInput(input)) {
    if (stream)
      return Status::invalid(describe(column), " and ", describe(*stream),
                             " are both streams of tokens; give one");
    if (dims[0] == 0)
      return Status::invalid("input ", describe(input), " takes windows of no tokens");
    stream = &column;
    feed.windowTokens = dims[0];
    feed.sources[index] = Source{&column, dims[0], 0};
    return {};
  }
  if (!std::equal(dims.begin(), dims.end(), column.rowDims().begin(), column.rowDims().end()))
    return Status::invalid(describe(column), " has samples of shape ", dimsText(column.rowDims()),
                           " but input ", describe(input), " is wanted");
  feed.sources[index] = Source{&column, 1, 0};
  return {};
}

Status FeedMatcher::findLabels() {
  size_t index;
  if (const SignatureInfo *input = find(labelsName.empty() ? "labels" : labelsName, index)) {
    // Labels with a column of their own, or a default, are an input like others, unless they are asked for.
    bool hasOwn = std::any_of(columns.begin(), columns.end(),
                              [&](const Column &column) { return column.name() == input->name; });
    if (hasOwn && !labelsName.empty())
      return Status::invalid("--labels ", labelsName, ": the data has a column of that name");
    if (!hasOwn && isTokenInput(*input))
      labels = index;
    else if (!labelsName.empty())
      return Status::invalid("--labels ", labelsName, ": input ", describe(*input),
                             " takes no windows of tokens");
  } else if (!labelsName.empty()) {
    std::vector<const SignatureInfo *> all;
    for (const SignatureInfo &one : program.inputs)
      all.push_back(&one);
    return Status::invalid("--labels ", labelsName,
                           ": there is no such input; there are: ", listed(all));
  }
  return {};
}

Status FeedMatcher::matchNamed() {
  for (const Column &column : columns) {
    size_t index;
    if (column.name().empty())
      continue;
    if (!find(column.name(), index))
      feed.unusedColumns.push_back(&column);
    else if (Status status = feedInput(index, column); !status.isOk())
      return status;
  }
  return {};
}

Status FeedMatcher::matchUnnamed(const Column &column) {
  std::vector<const SignatureInfo *> candidates;
  std::vector<size_t> indices;
  for (bool isForTokens : {true, false}) {
    if (isForTokens && !column.isStream())
      continue;
    for (size_t i : unfed())
      if (!isForTokens || isTokenInput(program.inputs[i])) {
        candidates.push_back(&program.inputs[i]);
        indices.push_back(i);
      }
    if (!indices.empty())
      break;
  }
  if (indices.size() == 1)
    return feedInput(indices[0], column);
  if (indices.empty())
    return Status::invalid(describe(column), ": no input is left that it could be for");
  return Status::invalid(describe(column), " could be for ", listed(candidates),
                         "; say which: --data NAME=", column.where());
}

Status FeedMatcher::feedLabels() {
  if (!labels)
    return {};
  if (!stream && !labelsName.empty())
    return Status::invalid("--labels ", labelsName,
                           " has no effect: the data is no stream of tokens");
  const SignatureInfo &input = program.inputs[*labels];
  if (!stream || input.defaultVariable) {
    labels.reset(); // An input like others.
    return {};
  }
  if (sampleDims(input)[0] != feed.windowTokens)
    return Status::invalid("input ", describe(input), " takes labels of other windows than the ",
                           feed.windowTokens, " tokens before them");
  if (!isExact(stream->type(), input.shape.type))
    return Status::invalid(describe(*stream), " holds ", abi::nameOf(stream->type()), " but input ",
                           describe(input), " can't take all of its values as they are");
  feed.sources[*labels] = Source{stream, feed.windowTokens, 1};
  return {};
}

Status FeedMatcher::checkFed() const {
  std::vector<const SignatureInfo *> missing;
  for (size_t i : unfed())
    missing.push_back(&program.inputs[i]);
  if (missing.empty())
    return {};
  std::string unused;
  for (const Column *column : feed.unusedColumns)
    unused += (unused.empty() ? "; the data has also \"" : ", \"") + column->name() + "\"";
  return Status::invalid(
      "these inputs have no data: ", listed(missing), unused,
      "; give --data NAME=FILE.npy for each, or a file with arrays of these names");
}

Status FeedMatcher::countSamples() {
  const Column *first = nullptr;
  for (const Source &source : feed.sources) {
    if (!source.column)
      continue;
    int64_t rows = source.column->numRows();
    int64_t samples = source.column == stream
                          ? std::max<int64_t>(rows - (labels ? 1 : 0), 0) / source.rowsPerSample
                          : rows;
    if (first && samples != feed.count)
      return Status::invalid(describe(*source.column), " has ", samples, " samples but ",
                             describe(*first), " has ", feed.count);
    first = source.column;
    feed.count = samples;
  }
  if (!first)
    return Status::invalid("no input of program \"", program.name, "\" takes the data");
  return {};
}

Status FeedMatcher::checkProgram() const {
  if (program.microBatches() > 0 && !program.inputs.empty() && feed.samplesPerRun() > 0)
    return {};
  return Status::invalid("program \"", program.name, "\" is not fed samples");
}

Result<SampleFeed> FeedMatcher::match() {
  if (Status status = checkProgram(); !status.isOk())
    return status;
  if (Status status = findLabels(); !status.isOk())
    return status;
  if (Status status = matchNamed(); !status.isOk())
    return status;
  for (const Column &column : columns)
    if (column.name().empty())
      if (Status status = matchUnnamed(column); !status.isOk())
        return status;
  for (auto check : {&FeedMatcher::feedLabels, &FeedMatcher::countSamples})
    if (Status status = (this->*check)(); !status.isOk())
      return status;
  if (Status status = checkFed(); !status.isOk())
    return status;
  return std::move(feed);
}

Result<SampleFeed> SampleFeed::match(const ProgramInfo &program, const std::vector<Column> &columns,
                                     std::string_view labels) {
  return FeedMatcher(program, columns, labels).match();
}

int64_t SampleFeed::samplesPerRun() const {
  return info->microBatches() * info->inputs.front().sharding.globalDims[1];
}

bool SampleFeed::hasPadding() const {
  return std::any_of(info->inputs.begin(), info->inputs.end(),
                     [](const SignatureInfo &input) { return input.padding.has_value(); });
}

} // namespace sheaf::rt::launch
