// Reads scalar outputs.
#include "runtime/launch/training/step_metrics.h"

#include "runtime/core/element.h"

#include <algorithm>
#include <cstring>

namespace sheaf::rt::launch {

Status StepMetrics::check(const ProgramInfo &program, std::span<const std::string_view> needed,
                          std::span<const std::string_view> taken) {
  for (std::string_view name : needed)
    if (std::none_of(program.outputs.begin(), program.outputs.end(),
                     [&](const SignatureInfo &output) { return output.name == name; }))
      return Status::invalid("program \"", program.name, "\" has no output \"", name, "\"");
  for (const SignatureInfo &output : program.outputs) {
    abi::ElementType type = output.shape.type;
    bool isNumber = abi::bytesOf(type) > 1 || type == abi::ElementType::boolean;
    if (output.shape.rank() != 0 || !isNumber)
      return Status::invalid("output \"", output.name, "\" ", output.globalShape().str(),
                             " of program \"", program.name, "\" is no scalar that could be told");
    if (std::find(taken.begin(), taken.end(), output.name) != taken.end())
      return Status::invalid("output \"", output.name, "\" of program \"", program.name,
                             "\" has the name of something that is told anyway");
  }
  return {};
}

StepMetrics StepMetrics::read(const ProgramInfo &program, const std::vector<Memory> &outputs) {
  StepMetrics metrics;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const SignatureInfo &output = program.outputs[i];
    Metric metric{std::string(output.name), 0, !abi::isFloat(output.shape.type)};
    const std::byte *data = outputs[i].data();
    if (output.shape.type == abi::ElementType::boolean)
      metric.value = data[0] != std::byte(0);
    else
      (void)visitArithmetic<Status>(output.shape.type, [&](auto tag) {
        using T = typename decltype(tag)::Type;
        T element;
        std::memcpy(&element, data, sizeof element);
        metric.value = static_cast<double>(static_cast<Wide<T>>(element));
        return Status();
      });
    metrics.metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::optional<double> StepMetrics::find(std::string_view name) const {
  for (const Metric &metric : metrics)
    if (metric.name == name)
      return metric.value;
  return std::nullopt;
}

} // namespace sheaf::rt::launch
