// Hands a training run's state to checkpoints and back.
#include "runtime/launch/training/checkpoint_saver.h"

#include "runtime/io/checkpoint/restore.h"

namespace sheaf::rt::launch {
namespace {

class CheckpointSaver final : public TrainingSaver {
public:
  CheckpointSaver(std::unique_ptr<CheckpointWriter> writer, const SampleDraw &draw)
      : writer(std::move(writer)), draw(draw) {}

  Status save(const Variables &variables, const TrainingPosition &position) override {
    io::Json training = positionJson(position);
    training["draw"] = drawJson(draw);
    return writer->save(variables, position.step, std::move(training));
  }
  Status poll() override { return writer->poll(); }
  Status finish() override { return writer->finish(); }
  std::string saved() const override { return writer->lastCommitted().string(); }

private:
  std::unique_ptr<CheckpointWriter> writer;
  SampleDraw draw;
};

} // namespace

io::Json positionJson(const TrainingPosition &position) {
  return {{"epoch", position.epoch}, {"sample", position.sample}, {"seed", position.seed}};
}

Result<TrainingPosition> positionOf(const io::Checkpoint &checkpoint) {
  const io::Json &json = checkpoint.index().training;
  auto numberAt = [&](const char *key) -> std::optional<uint64_t> {
    auto found = json.find(key);
    return found != json.end() && found->is_number_unsigned()
               ? std::optional(found->get<uint64_t>())
               : std::nullopt;
  };
  std::optional<uint64_t> epoch = numberAt("epoch"), sample = numberAt("sample"),
                          seed = numberAt("seed");
  if (!epoch || !sample || !seed || *epoch > INT64_MAX || *sample > INT64_MAX)
    return Status::invalid(checkpoint.path().string(), " was not saved by a training run: ",
                           "\"training\" of its index has no epoch, sample and seed; its weights "
                           "can be used by --weights");
  return TrainingPosition{checkpoint.index().step, static_cast<int64_t>(*epoch),
                          static_cast<int64_t>(*sample), *seed};
}

SaverMaker checkpointSavers(const Executable &executable, CheckpointOptions options,
                            const SampleDraw &draw, const io::Checkpoint *from) {
  return [=, &executable](Session &session, Agreement &agreement,
                          TrainingPosition &) -> Result<std::unique_ptr<TrainingSaver>> {
    if (from) {
      Status own = io::restore(*from, executable, agreement.rank(), session.state());
      if (Status status = agreement.agree(std::move(own)); !status.isOk())
        return status;
    }
    auto writer = CheckpointWriter::create(executable, agreement, options);
    if (!writer.isOk())
      return writer.takeStatus();
    return std::unique_ptr<TrainingSaver>(
        std::make_unique<CheckpointSaver>(std::move(*writer), draw));
  };
}

} // namespace sheaf::rt::launch
