// Lists the keys of jobs.
#include "tools/shard-compile/job_keys.h"

#include "tools/shard-compile/job_loss.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>
#include <vector>

using namespace llvm;

namespace sheaf::compile {
namespace {

struct JobKey {
  StringLiteral path, flag;
};

constexpr JobKey keys[] = {
    // What is compiled.
    {"shapes", "shape"},
    {"dims", "dim"},
    {"constants", "constant"},
    {"feeds", "feed"},
    {"parameters", "parameter"},
    {"no_raise", "no-raise"},
    // The step that is made of it.
    {"train", "train"},
    {"train.loss", "loss"},
    {"train.loss.ignore_index", "ignore-index"},
    {"train.loss.label_smoothing", "label-smoothing"},
    {"train.optimizer.kind", "optimizer"},
    {"train.optimizer.lr", "lr"},
    {"train.optimizer.lr_scales", "lr-scale"},
    {"train.optimizer.betas", "betas"},
    {"train.optimizer.eps", "eps"},
    {"train.optimizer.momentum", "momentum"},
    {"train.optimizer.nesterov", "nesterov"},
    {"train.optimizer.relative_step", "relative-step"},
    {"train.optimizer.adamw_for", "adamw-for"},
    {"train.optimizer.weight_decay", "weight-decay"},
    {"train.optimizer.no_decay", "no-decay"},
    {"train.schedule.kind", "schedule"},
    {"train.schedule.warmup", "warmup"},
    {"train.schedule.steps", "schedule-steps"},
    {"train.schedule.decay_steps", "decay-steps"},
    {"train.schedule.final_lr", "final-lr"},
    {"train.clip_norm", "clip-norm"},
    {"train.micro_batches", "micro-batches"},
    {"train.precision.compute", "precision"},
    {"train.precision.reduce", "reduce-type"},
    {"train.precision.state", "state-type"},
    {"train.precision.parameters", "parameter-type"},
    {"train.precision.master_weights", "master-weights"},
    {"train.precision.loss_scale", "loss-scale"},
    {"train.precision.loss_scale_interval", "loss-scale-interval"},
    {"train.init", "init"},
    {"train.dropout", "dropout"},
    {"train.freeze", "freeze"},
    {"train.ema", "ema"},
    {"train.eval_ema", "eval-ema"},
    // Where tensors live.
    {"layout.mesh", "mesh"},
    {"layout.strategy", "strategy"},
    {"layout.rules", "rules"},
    {"layout.device_configuration", "device-configuration"},
    {"layout.keep_gathered", "keep-gathered"},
    {"layout.defer_reduction", "defer-reduction"},
    {"layout.store_whole_below", "store-whole-below"},
    {"layout.group_bytes", "group-bytes"},
    // What it is compiled for, and what is written besides.
    {"target", "target"},
    {"gpu_arch", "gpu-arch"},
    {"tf32", "tf32"},
    {"host_cpu", "host-cpu"},
    {"device_memory", "device-memory"},
    {"reference", "reference"},
    {"annotated_onnx", "annotated-onnx"},
    {"annotated_as", "annotated-as"},
    {"json", "json"},
    {"remarks", "remarks"},
    {"explain", "explain"},
    {"timing", "timing"},
};

/// The section of a path, and the key in it.
std::pair<StringRef, StringRef> splitPath(StringRef path) {
  size_t dot = path.rfind('.');
  return dot == StringRef::npos ? std::pair(StringRef(), path)
                                : std::pair(path.take_front(dot), path.drop_front(dot + 1));
}

/// The sections of keys, the outer one first, and the keys.
std::vector<std::string> allPaths() {
  std::vector<std::string> paths = {"model"};
  auto add = [&](StringRef path) {
    if (!is_contained(paths, path))
      paths.push_back(path.str());
  };
  for (const JobKey &key : keys) {
    for (size_t dot = key.path.find('.'); dot != StringRef::npos; dot = key.path.find('.', dot + 1))
      add(key.path.take_front(dot));
    add(key.path);
    if (key.path == kLossSection)
      for (StringRef part : JobLoss::parts())
        add(pathOf(kLossSection, part));
  }
  return paths;
}

/// How far what the user wrote is from a key, by its own name or by that of its flag.
unsigned distance(StringRef written, StringRef path) {
  unsigned least = written.edit_distance(splitPath(path).second);
  const auto *key = find_if(keys, [&](const JobKey &key) { return key.path == path; });
  return key == std::end(keys) ? least : std::min(least, written.edit_distance(key->flag));
}

} // namespace

JobKeys::JobKeys(const cl::OptionCategory &category) {
  for (const auto &entry : cl::getRegisteredOptions()) {
    StringRef name = entry.first;
    if (name.size() == 1 || !is_contained(entry.second->Categories, &category))
      continue;
    const auto *key = find_if(keys, [&](const JobKey &key) { return key.flag == name; });
    assert(key != std::end(keys) && "a flag has no key in a job");
    flags[key->path] = entry.second;
  }
  assert(flags.size() == std::size(keys) && "a key has no flag");
}

cl::Option *JobKeys::flagAt(StringRef path) const { return flags.lookup(path); }

bool JobKeys::isSection(StringRef path) const {
  return any_of(keys, [&](const JobKey &key) {
    return key.path.size() > path.size() && key.path.starts_with(path) &&
           key.path[path.size()] == '.';
  });
}

std::string JobKeys::keysOf(StringRef section) const {
  std::string text;
  ListSeparator comma;
  for (StringRef path : allPaths())
    if (auto [place, key] = splitPath(path); place == section)
      text += StringRef(comma).str() + key.str();
  return text;
}

std::string JobKeys::nearest(StringRef section, StringRef key) const {
  std::vector<std::string> paths = allPaths();
  auto order = [&](StringRef path) {
    return std::tuple(distance(key, path), splitPath(path).first != section, path);
  };
  StringRef best = *llvm::min_element(
      paths, [&](StringRef lhs, StringRef rhs) { return order(lhs) < order(rhs); });
  auto [place, name] = splitPath(best);
  return (place == section ? name : best).str();
}

std::string pathOf(StringRef section, StringRef key) {
  return section.empty() ? key.str() : (section + "." + key).str();
}

} // namespace sheaf::compile
