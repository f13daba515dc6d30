// Copies samples to where a rank holds them.
#include "runtime/launch/training/batch_writer.h"

#include "runtime/core/convert.h"
#include "runtime/launch/training/exact_conversion.h"

namespace sheaf::rt::launch {

BatchWriter::BatchWriter(const SampleFeed &feed, const Mesh &mesh, int rank) : feed(feed) {
  std::vector<int64_t> coordinates = mesh.coordinatesOf(rank);
  for (size_t i = 0; i < feed.program().inputs.size(); ++i) {
    const SignatureInfo &input = feed.program().inputs[i];
    ShardBox box = shardBox(input.sharding, mesh, coordinates);
    const Column *column = feed.source(i).column;
    ShardBox sample(box.begin() + 2, box.end());
    int64_t elementBytes = column ? abi::bytesOf(column->type()) : input.shape.elementBytes();
    BoxCopy copy(std::span(input.sharding.globalDims).subspan(2), sample, elementBytes);
    layouts.push_back({box[1], copy, copy.localBytes() / elementBytes});
  }
}

void BatchWriter::writeSample(size_t input, int64_t sample, std::byte *to) {
  const SampleFeed::Source &source = feed.source(input);
  const Layout &layout = layouts[input];
  const std::byte *rows = source.column->rows(source.firstRow + sample * source.rowsPerSample,
                                              source.rowsPerSample, joined);
  abi::ElementType own = source.column->type();
  abi::ElementType wanted = feed.program().inputs[input].shape.type;
  if (own == wanted)
    return layout.box.toLocal(rows, to);
  block.assign(static_cast<size_t>(layout.box.localBytes()), std::byte(0));
  layout.box.toLocal(rows, block.data());
  convertExactly(own, block.data(), wanted, to, layout.elements);
}

void BatchWriter::writePadding(size_t input, std::byte *to) const {
  const SignatureInfo &info = feed.program().inputs[input];
  for (int64_t i = 0; i < layouts[input].elements; ++i)
    writeElement(info.shape.type, ExactNumber::fromInteger(*info.padding),
                 /*isFromFloat=*/false, to + i * info.shape.elementBytes(), {});
}

void BatchWriter::write(std::span<const int64_t> samples, const std::vector<Memory> &inputs) {
  const ProgramInfo &program = feed.program();
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const SignatureInfo &input = program.inputs[i];
    const Layout &layout = layouts[i];
    if (!feed.source(i).column)
      continue;
    int64_t sampleBytes = layout.elements * input.shape.elementBytes();
    for (int64_t batch = 0; batch < program.microBatches(); ++batch)
      for (int64_t local = 0; local < layout.samples.extent; ++local) {
        auto number = static_cast<size_t>(batch * input.sharding.globalDims[1] +
                                          layout.samples.begin + local);
        std::byte *to = inputs[i].data() + (batch * layout.samples.block + local) * sampleBytes;
        if (number < samples.size())
          writeSample(i, samples[number], to);
        else if (input.padding)
          writePadding(i, to);
        else
          writeSample(i, samples[0], to);
      }
  }
}

} // namespace sheaf::rt::launch
