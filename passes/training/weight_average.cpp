// Builds averages of weights.
#include "passes/training/weight_average.h"

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {

WeightAverage::WeightAverage(StepFunction &program, const TrainedParameter &parameter)
    : name((parameter.name + ".ema").str()) {
  RankedTensorType type = typeOf(program.argument(parameter.argument));
  value =
      program.addState(name, type.clone(computeTypeOf(type.getElementType())), 0.0, parameter.name);
}

Value WeightAverage::after(PrimitiveBuilder &b, double decay, Value weight, Value count) const {
  Value isLater =
      b.cast(b.compare(CompareKind::gt, count, b.splatLike(count, 1.0)), b.getF64Type());
  Value kept = b.binary(BinaryKind::mul, isLater, decay);
  Value entering = b.binary(BinaryKind::sub, b.splatLike(kept, 1.0), kept);
  return b.binary(BinaryKind::add, b.binary(BinaryKind::mul, value, spreadLike(b, kept, value)),
                  b.binary(BinaryKind::mul, weight, spreadLike(b, entering, weight)));
}

void takeAverages(StepFunction &evaluation, ArrayRef<TrainedParameter> trained) {
  OpBuilder builder(evaluation.block().getTerminator());
  PrimitiveBuilder b(NameLoc::get(builder.getStringAttr("average")), builder);
  Value count = evaluation.stepCount();
  Value isTrained = b.compare(CompareKind::gt, count, b.splatLike(count, 0.0));
  for (const TrainedParameter &parameter : trained) {
    Value weight = evaluation.argument(parameter.argument);
    Value average =
        b.cast(WeightAverage(evaluation, parameter).value, typeOf(weight).getElementType());
    Value everywhere = b.broadcast(isTrained, shapeOf(weight), {});
    evaluation.replace(parameter.argument, b.select(everywhere, average, weight));
  }
}

} // namespace sheaf::training
