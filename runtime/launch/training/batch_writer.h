// Fills the inputs of a run with samples.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_BATCH_WRITER_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_BATCH_WRITER_H

#include "runtime/core/box_copy.h"
#include "runtime/core/memory.h"
#include "runtime/launch/training/sample_feed.h"

namespace sheaf::rt::launch {

/// Fills what one rank holds of the inputs of a run.
class BatchWriter {
public:
  /// `feed` must outlive this.
  BatchWriter(const SampleFeed &feed, const Mesh &mesh, int rank);

  /// Writes the samples of these numbers, in the order of the run, to `inputs`, the rank's memory of each input. Only
  /// rows of the rank's block are read. Samples that are missing at the end are the input's padding, or sample
  /// samples[0] where it has none. Inputs that have no column stay as they are.
  void write(std::span<const int64_t> samples, const std::vector<Memory> &inputs);

private:
  /// How a rank holds an input.
  struct Layout {
    abi::Shard samples; ///< of the samples of a micro-batch
    BoxCopy box;        ///< of one sample, in elements of the column
    int64_t elements;   ///< of one sample in the rank's memory
  };

  void writeSample(size_t input, int64_t sample, std::byte *to);
  void writePadding(size_t input, std::byte *to) const;

  const SampleFeed &feed;
  std::vector<Layout> layouts;
  std::vector<std::byte> joined, block; ///< scratch
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_BATCH_WRITER_H
