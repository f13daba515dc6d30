// Shows and records steps.
#include "runtime/launch/training/log.h"

#include "runtime/io/quantity_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sheaf::rt::launch {
namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const StepFacts &facts) {
  Json json = {{"step", facts.step}, {"epoch", facts.epoch}};
  for (const Metric &metric : facts.metrics.all())
    json[metric.name] =
        metric.isInteger ? Json(static_cast<int64_t>(metric.value)) : Json(metric.value);
  json["seconds"] = facts.seconds;
  json["samples_per_second"] = static_cast<double>(facts.samples) / facts.seconds;
  if (facts.tokens > 0)
    json["tokens_per_second"] = facts.tokens / facts.seconds;
  json["peak_bytes"] = facts.peakBytes;
  return json;
}

Json jsonOf(const EvalFacts &facts) {
  Json json = {{"step", facts.step}, {"epoch", facts.epoch}, {"eval_loss", facts.loss}};
  if (facts.accuracy)
    json["eval_accuracy"] = *facts.accuracy;
  json["eval_count"] = facts.counted;
  json["eval_seconds"] = facts.seconds;
  return json;
}

/// "loss 3.204", "|g| 0.91", "12.4k tok/s", ...: the most wanted first.
std::vector<std::string> detailsOf(const StepFacts &facts, double stepSeconds) {
  std::vector<std::string> details;
  for (auto [name, shown] :
       {std::pair("loss", "loss"), std::pair("grad_norm", "|g|"), std::pair("learning_rate", "lr")})
    if (auto value = facts.metrics.find(name))
      details.push_back(std::string(shown) + " " + io::formatNumber(*value));
  details.push_back(facts.tokens > 0
                        ? io::formatCount(facts.tokens / stepSeconds) + " tok/s"
                        : io::formatCount(static_cast<double>(facts.samples) / stepSeconds) +
                              " samples/s");
  auto left = static_cast<double>(facts.numSteps - facts.step);
  if (left > 0)
    details.push_back("eta " + io::formatSeconds(left * stepSeconds));
  details.push_back("peak " + io::formatBytes(facts.peakBytes));
  return details;
}

} // namespace

void TrainingLog::print(const std::string &text) {
  line.wipe();
  std::fprintf(stderr, "%s\n", text.c_str());
}

bool TrainingLog::isLogged(const StepFacts &facts) const {
  if (line.isShown() && logEvery == 0)
    return false;
  int64_t every = logEvery > 0 ? logEvery : std::max<int64_t>(1, (facts.numSteps + 19) / 20);
  return numSteps == 1 || facts.step % every == 0 || facts.step == facts.numSteps;
}

double TrainingLog::weightOf(double seconds) {
  // Of many short steps the mean is of the last few seconds, of long ones of the last few steps. The first step is no
  // measure of those to come: it touches memory for the first time.
  constexpr double windowSeconds = 2, mostOfOne = 0.2;
  double ofWindow = std::min(mostOfOne, 1 - std::exp(-seconds / windowSeconds));
  return std::max(ofWindow, 1.0 / static_cast<double>(std::max<int64_t>(1, numSteps++)));
}

Status TrainingLog::onStep(const StepFacts &facts) {
  meanSeconds += weightOf(facts.seconds) * (facts.seconds - meanSeconds);
  std::vector<std::string> details = detailsOf(facts, meanSeconds);
  if (isLogged(facts)) {
    std::string text =
        "  step " + std::to_string(facts.step) + "/" + std::to_string(facts.numSteps);
    for (const std::string &detail : details)
      text += "  " + detail;
    print(text);
  }
  line.show("step", facts.step, facts.numSteps, details);
  return metrics ? metrics->write(jsonOf(facts)) : Status();
}

Status TrainingLog::onEval(const EvalFacts &facts) {
  std::string text =
      "  step " + std::to_string(facts.step) + "  eval loss " + io::formatNumber(facts.loss);
  if (facts.accuracy)
    text += "  accuracy " + io::formatNumber(*facts.accuracy);
  print(text + "  (" + io::formatCount(facts.counted) + " counted, " +
        io::formatSeconds(facts.seconds) + ")");
  return metrics ? metrics->write(jsonOf(facts)) : Status();
}

void TrainingLog::onWarning(std::string_view text) { print("warning: " + std::string(text)); }

void TrainingLog::onStop(int64_t step) {
  print("  asked to stop: step " + std::to_string(step) + " is done");
}

} // namespace sheaf::rt::launch
