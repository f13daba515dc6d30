// Fingerprints data, and compares draws.
#include "runtime/launch/training/sample_draw.h"

#include "runtime/core/fingerprint.h"

#include <algorithm>

namespace sheaf::rt::launch {
namespace {

/// Of a column: so many rows are read, and so much of each.
constexpr int64_t maxRows = 64;
constexpr size_t maxRowBytes = 1024;

void add(Fingerprint &print, const SampleFeed::Source &source) {
  const Column &column = *source.column;
  print.add(static_cast<uint64_t>(source.rowsPerSample));
  print.add(static_cast<uint64_t>(source.firstRow));
  print.add(abi::nameOf(column.type()));
  for (int64_t dim : column.rowDims())
    print.add(static_cast<uint64_t>(dim));
  int64_t numRows = column.numRows(), count = std::min(numRows, maxRows);
  print.add(static_cast<uint64_t>(numRows));
  std::vector<std::byte> scratch;
  for (int64_t i = 0; i < count; ++i) { // The first, the last, and some between.
    int64_t row = count == 1 ? 0 : i * ((numRows - 1) / (count - 1));
    const std::byte *bytes = column.rows(i == count - 1 ? numRows - 1 : row, 1, scratch);
    print.addSample({bytes, static_cast<size_t>(column.rowBytes())}, maxRowBytes);
  }
}

} // namespace

SampleDraw SampleDraw::of(const SampleFeed &feed, const TrainingPlan &plan) {
  Fingerprint print;
  for (size_t input = 0; input < feed.program().inputs.size(); ++input)
    if (const SampleFeed::Source &source = feed.source(input); source.column) {
      print.add(feed.program().inputs[input].name);
      add(print, source);
    }
  return {plan.numSamples, plan.samplesPerStep, plan.isShuffled, print.value()};
}

io::Json drawJson(const SampleDraw &draw) {
  return {{"samples", draw.numSamples},
          {"samples_per_step", draw.samplesPerStep},
          {"shuffled", draw.isShuffled},
          {"data", draw.data}};
}

Result<std::optional<SampleDraw>> savedDraw(const io::Json &training) {
  std::optional<SampleDraw> none;
  auto saved = training.find("draw");
  if (saved == training.end())
    return none;
  auto find = [&](const char *key) -> const io::Json * {
    auto found = saved->is_object() ? saved->find(key) : saved->end();
    return found == saved->end() ? nullptr : &*found;
  };
  const io::Json *samples = find("samples"), *perStep = find("samples_per_step"),
                 *shuffled = find("shuffled"), *data = find("data");
  for (const io::Json *number : {samples, perStep, data})
    if (!number || !number->is_number_unsigned())
      return Status::invalid("\"draw\" of its index does not tell how samples were drawn");
  if (!shuffled || !shuffled->is_boolean())
    return Status::invalid("\"draw\" of its index does not tell whether samples were shuffled");
  return std::optional(SampleDraw{samples->get<int64_t>(), perStep->get<int64_t>(),
                                  shuffled->get<bool>(), data->get<uint64_t>()});
}

std::string changesBetween(const SampleDraw &saved, const SampleDraw &now) {
  std::string changes;
  auto change = [&](const std::string &text) { changes += (changes.empty() ? "" : "; ") + text; };
  auto counts = [](int64_t count, int64_t before) {
    return std::to_string(count) + " samples instead of " + std::to_string(before);
  };
  if (now.numSamples != saved.numSamples)
    change("the data has " + counts(now.numSamples, saved.numSamples));
  else if (now.data != saved.data)
    change("the data has other samples, or feeds them to other inputs");
  if (now.samplesPerStep != saved.samplesPerStep)
    change("a step takes " + counts(now.samplesPerStep, saved.samplesPerStep));
  if (now.isShuffled != saved.isShuffled)
    change(now.isShuffled ? "samples were taken in their order (--no-shuffle)"
                          : "samples were shuffled, and --no-shuffle is given");
  return changes;
}

} // namespace sheaf::rt::launch
