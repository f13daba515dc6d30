// Writes checkpoints in a thread and commits them between steps.
#include "runtime/launch/checkpoint_writer.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace sheaf::rt::launch {

Result<std::unique_ptr<CheckpointWriter>> CheckpointWriter::create(const Executable &executable,
                                                                   Agreement &agreement,
                                                                   CheckpointOptions options) {
  Result<io::Snapshot> snapshot = io::Snapshot::create(executable, agreement.rank());
  if (Status status = agreement.agree(snapshot.isOk() ? Status() : snapshot.takeStatus());
      !status.isOk())
    return status;
  return std::unique_ptr<CheckpointWriter>(
      new CheckpointWriter(executable, agreement, std::move(options), std::move(*snapshot)));
}

CheckpointWriter::~CheckpointWriter() {
  if (writer.joinable())
    writer.join();
}

Status CheckpointWriter::begin(int64_t step) {
  // The folder is named by a number that rank 0 draws.
  uint64_t own = (static_cast<uint64_t>(std::random_device()()) << 32) | std::random_device()();
  Result<std::vector<uint64_t>> tokens = agreement.gather(std::span<const uint64_t>(&own, 1));
  if (!tokens.isOk())
    return tokens.takeStatus();
  io::SaveTarget next{options.series, step, tokens->front(), options.keep};
  Status status = agreement.rank() == 0 ? io::beginSave(next, options.onStage) : Status();
  if (status = agreement.agree(std::move(status)); status.isOk())
    target = std::move(next);
  return status;
}

void CheckpointWriter::write() {
  try {
    if (written.isOk()) // The copy was made.
      written =
          io::writeRankFile(target->partialPath(), snapshot, options.pieceBytes, options.onStage);
  } catch (const std::exception &error) { // Nobody above this thread would catch it.
    written = Status::failed(error.what());
  }
  isWritten = true;
}

Status CheckpointWriter::save(const Variables &variables, int64_t step, io::Json training) {
  if (Status status = finish(); !status.isOk())
    return status;
  if (Status status = begin(step); !status.isOk())
    return std::move(status).annotated("can't save step ", step);
  written = snapshot.take(variables);
  this->training = std::move(training);
  isWritten = false;
  writer = std::thread([this] { write(); });
  return {};
}

Result<bool> CheckpointWriter::haveAllWritten() {
  uint8_t own = isWritten;
  Result<std::vector<uint8_t>> all = agreement.gather(std::span<const uint8_t>(&own, 1));
  if (!all.isOk())
    return all.takeStatus();
  return std::find(all->begin(), all->end(), 0) == all->end();
}

Status CheckpointWriter::commit() {
  writer.join();
  io::SaveTarget done = *std::exchange(target, std::nullopt);
  bool isFirst = agreement.rank() == 0;
  Status status = agreement.agree(std::move(written));
  if (status.isOk()) {
    std::span<const Mesh::Axis> mesh = executable.mesh().axes();
    if (isFirst)
      status = io::commitSave(done, agreement.size(), mesh, training, options.onStage);
    status = agreement.agree(std::move(status));
  } else if (isFirst && !agreement.isBroken()) {
    // What can't be removed now, the next save will remove; the reason is more important.
    (void)io::discardSave(done).isOk();
  }
  if (!status.isOk())
    return std::move(status).annotated("can't save step ", done.step);
  committed = done.finalPath();
  return {};
}

Status CheckpointWriter::poll() {
  if (!target)
    return {};
  Result<bool> haveAll = haveAllWritten();
  if (!haveAll.isOk())
    return haveAll.takeStatus();
  return *haveAll ? commit() : Status();
}

Status CheckpointWriter::finish() {
  // Ranks ask each other again and again: none waits in one collective longer than others may take to write.
  while (target) {
    if (Status status = poll(); !status.isOk())
      return status;
    if (target)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return {};
}

} // namespace sheaf::rt::launch
