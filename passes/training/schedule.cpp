// Builds learning rates from step counts.
#include "passes/training/schedule.h"

#include "passes/training/option_range.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

/// How far the fall has come: 0 until `start`, 1 from `end` on.
Value fallen(PrimitiveBuilder &b, Value step, int64_t start, int64_t end) {
  Value part = b.binary(BinaryKind::mul, b.binary(BinaryKind::sub, step, double(start)),
                        1.0 / double(end - start));
  return b.binary(BinaryKind::min, b.binary(BinaryKind::max, part, 0.0), 1.0);
}

/// From 1 to `final`, in a line.
Value lineTo(PrimitiveBuilder &b, double final, Value fallen) {
  return b.binary(BinaryKind::add, b.binary(BinaryKind::mul, fallen, final - 1.0), 1.0);
}

} // namespace

LogicalResult checkSchedule(const ScheduleOptions &options,
                            function_ref<InFlightDiagnostic()> emitError) {
  bool isWsd = options.kind == "wsd";
  bool falls = isWsd || options.kind == "linear" || options.kind == "cosine";
  if (!falls && options.kind != "constant" && options.kind != "inverse_sqrt")
    return emitError() << "schedule \"" << options.kind
                       << "\" is unknown; there are constant, linear, cosine, inverse_sqrt, wsd";
  if (failed(checkSize("lr", options.peak, emitError)))
    return failure();
  if (options.warmup < 0)
    return emitError() << "warmup must not be negative, found " << options.warmup;
  if (options.kind == "inverse_sqrt" && options.warmup == 0)
    return emitError() << "schedule inverse_sqrt needs a warm-up, from whose end on it falls";
  if (falls && options.steps <= options.warmup)
    return emitError() << "schedule " << options.kind << " ends at step " << options.steps
                       << ", which must be after the warm-up of " << options.warmup;
  if (!falls && (options.steps != 0 || options.final != 0.0))
    return emitError() << "the end of the schedule has no effect on " << options.kind;
  if (isWsd ? options.decay <= 0 || options.decay > options.steps - options.warmup
            : options.decay != 0)
    return emitError() << "the decay of " << options.decay << " steps "
                       << (isWsd ? "must lie between warm-up and end"
                                 : "has no effect on " + options.kind);
  if (!(options.final >= 0.0 && options.final <= 1.0)) // No NaN is.
    return emitError() << "final-lr must be in [0, 1], a part of the peak, found " << options.final;
  return success();
}

Value buildSchedule(PrimitiveBuilder &b, const ScheduleOptions &options, Value step) {
  Value factor = b.splatLike(step, 1.0);
  if (options.kind == "inverse_sqrt") {
    Value late = b.binary(BinaryKind::max, step, double(options.warmup));
    factor = b.binary(BinaryKind::mul, b.unary(UnaryKind::rsqrt, late),
                      std::sqrt(double(options.warmup)));
  } else if (options.kind == "linear") {
    factor = lineTo(b, options.final, fallen(b, step, options.warmup, options.steps));
  } else if (options.kind == "wsd") {
    factor =
        lineTo(b, options.final, fallen(b, step, options.steps - options.decay, options.steps));
  } else if (options.kind == "cosine") {
    Value angle =
        b.binary(BinaryKind::mul, fallen(b, step, options.warmup, options.steps), std::numbers::pi);
    Value half = b.binary(BinaryKind::mul, b.unary(UnaryKind::cos, angle), 0.5);
    Value left = b.binary(BinaryKind::add, half, 0.5);
    factor = b.binary(BinaryKind::add, b.binary(BinaryKind::mul, left, 1.0 - options.final),
                      options.final);
  }
  if (options.warmup > 0) {
    Value risen = b.binary(BinaryKind::mul, step, 1.0 / double(options.warmup));
    factor = b.binary(BinaryKind::mul, factor, b.binary(BinaryKind::min, risen, 1.0));
  }
  return b.binary(BinaryKind::mul, factor, options.peak);
}

} // namespace sheaf::training
