// Gradients of the convolutions: one trilinear form, seen from its three sides, so that the gradients of
// each are the two others.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// Builds the sides of the convolution that `op` is a side of.
template <typename Op> struct Sides {
  PrimitiveBuilder b;
  Op op;

  Sides(Op op, OpBuilder &builder) : b(op.getLoc(), builder), op(op) {}

  Value output(Value input, Value filter) {
    return ConvOp::create(b, input, filter, op.getStrides(), op.getPaddingLow(),
                          op.getPaddingHigh(), op.getDilations(), op.getGroups());
  }
  Value input(Type type, Value output, Value filter) {
    return ConvInputGradOp::create(b, type, output, filter, op.getStrides(), op.getPaddingLow(),
                                   op.getPaddingHigh(), op.getDilations(), op.getGroups());
  }
  Value filter(Type type, Value input, Value output) {
    return ConvFilterGradOp::create(b, type, input, output, op.getStrides(), op.getPaddingLow(),
                                    op.getPaddingHigh(), op.getDilations(), op.getGroups());
  }
};

} // namespace

SmallVector<Value> ConvOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  Sides sides(*this, builder);
  Value g = resultGradients.front();
  return {sides.input(getInput().getType(), g, getFilter()),
          sides.filter(getFilter().getType(), getInput(), g)};
}

SmallVector<Value> ConvInputGradOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  Sides sides(*this, builder);
  Value g = resultGradients.front();
  return {sides.output(g, getFilter()), sides.filter(getFilter().getType(), g, getOutputGrad())};
}

SmallVector<Value> ConvFilterGradOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  Sides sides(*this, builder);
  Value g = resultGradients.front();
  return {sides.input(getInput().getType(), getOutputGrad(), g), sides.output(getInput(), g)};
}
