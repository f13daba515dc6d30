// Prints the end of a training run as text or as JSON.
#include "tools/shard-run/training_report.h"

#include "runtime/io/quantity_text.h"
#include "tools/shard-run/resource_report.h"

namespace sheaf::shard_run {
namespace {

using Json = nlohmann::ordered_json;
using rt::launch::EvalFacts, rt::launch::StepFacts, rt::launch::TrainingReport;

bool wasStopped(const TrainingReport &report) {
  return report.end == rt::launch::TrainingEnd::stopped;
}

Json jsonOf(const TrainingReport &report) {
  Json json = {{"steps", report.position.step},
               {"steps_run", report.stepsRun},
               {"epochs", report.position.epoch},
               {"stopped", wasStopped(report)},
               {"seconds", report.seconds}};
  if (!report.saved.empty())
    json["checkpoint"] = report.saved;
  if (report.lastStep)
    for (const rt::launch::Metric &metric : report.lastStep->metrics.all())
      json["last_step"][metric.name] =
          metric.isInteger ? Json(static_cast<int64_t>(metric.value)) : Json(metric.value);
  if (const std::optional<EvalFacts> &eval = report.lastEval) {
    json["eval"] = {{"step", eval->step}, {"loss", eval->loss}, {"count", eval->counted}};
    if (eval->accuracy)
      json["eval"]["accuracy"] = *eval->accuracy;
  }
  return json;
}

void printSteps(const TrainingReport &report, std::ostream &out) {
  out << (wasStopped(report) ? "stopped    after step " : "trained    ") << report.position.step;
  if (wasStopped(report) && report.lastStep)
    out << " of " << report.lastStep->numSteps << ", as asked";
  else
    out << (report.position.step == 1 ? " step" : " steps");
  if (report.lastStep)
    out << ", loss " << rt::io::formatNumber(report.lastStep->metrics.loss());
  out << '\n';
}

} // namespace

void printTraining(const rt::launch::TrainingJobReport &report, bool isJson, std::ostream &out) {
  const TrainingReport &training = report.training;
  if (isJson) {
    Json json = jsonOf(training);
    json["ranks"] = report.ranks.size();
    addResources(json, report.ranks);
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    return;
  }
  printSteps(training, out);
  if (!training.saved.empty())
    out << "saved      " << training.saved
        << (wasStopped(training) ? "; go on with --resume\n" : "\n");
  if (const std::optional<EvalFacts> &eval = training.lastEval) {
    out << "validated  after step " << eval->step << ", loss " << rt::io::formatNumber(eval->loss);
    if (eval->accuracy)
      out << ", accuracy " << rt::io::formatNumber(*eval->accuracy);
    out << '\n';
  }
  if (const std::optional<StepFacts> &step = training.lastStep) {
    double mean = training.seconds / static_cast<double>(training.stepsRun);
    out << "time       " << rt::io::formatNumber(mean * 1e3) << " ms a step, "
        << rt::io::formatCount(
               (step->tokens > 0 ? step->tokens : static_cast<double>(step->samples)) / mean)
        << (step->tokens > 0 ? " tok/s\n" : " samples/s\n");
  }
  printResources(report.ranks, out);
}

} // namespace sheaf::shard_run
