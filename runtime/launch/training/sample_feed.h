// Which column feeds which input of a program.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_SAMPLE_FEED_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_SAMPLE_FEED_H

#include "runtime/core/executable.h"
#include "runtime/launch/training/data.h"

namespace sheaf::rt::launch {

/// The samples of a program whose inputs are [micro-batches, samples, ...].
///
/// A sample is a row of every column; of a stream of tokens it is a window: its inputs begin every S tokens and take S
/// of them, labels the S behind the first of them.
class SampleFeed {
public:
  /// Where the samples of one input are.
  struct Source {
    const Column *column = nullptr; ///< null: the input has its default
    int64_t rowsPerSample = 1;
    int64_t firstRow = 0; ///< of sample 0
  };

  /// `labels`: the input that gets the tokens behind; empty: the one named "labels", if there is one. What it returns
  /// refers to `program` and `columns`. Errors: an input without a column or default (all are listed), a column that
  /// could be for several inputs, of another shape or of a type that does not convert exactly, columns of different
  /// length, labels that nothing can be for, a program that is not fed samples.
  static Result<SampleFeed> match(const ProgramInfo &program, const std::vector<Column> &columns,
                                  std::string_view labels);

  const ProgramInfo &program() const { return *info; }
  const Source &source(size_t input) const { return sources[input]; }
  int64_t numSamples() const { return count; }
  /// Micro-batches times samples of each.
  int64_t samplesPerRun() const;
  /// Of a sample; 0: the data is no stream.
  int64_t tokensPerSample() const { return windowTokens; }
  /// Columns that no input has the name of.
  const std::vector<const Column *> &unused() const { return unusedColumns; }
  /// Whether some input has a padding: a sample of it counts for nothing.
  bool hasPadding() const;

private:
  const ProgramInfo *info = nullptr;
  std::vector<Source> sources;
  std::vector<const Column *> unusedColumns;
  int64_t count = 0;
  int64_t windowTokens = 0;

  friend class FeedMatcher;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_SAMPLE_FEED_H
