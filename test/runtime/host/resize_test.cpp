// The call `resize`, against values worked out by hand and those of the ONNX specification's examples.
#include "test/runtime/host/call_runner.h"

namespace sheaf::rt::test {
namespace {

using Floats = std::vector<float>;

Floats resize(const Tensor &in, std::vector<int64_t> dims, std::vector<Param> params) {
  return call("resize", {in}, room(in.type, std::move(dims)), std::move(params)).values<float>();
}

void expectNear(const Floats &actual, const Floats &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
}

const Tensor square =
    tensor<float>({1, 1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});

TEST(Resize, NearestRepeatsAndMovesAnyType) {
  EXPECT_EQ(resize(tensor<float>({1, 1, 2, 2}, {1, 2, 3, 4}), {1, 1, 4, 6},
                   {floats("scales", {1, 1, 2, 3})}),
            (Floats{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4}));
  Tensor bytes = call("resize", {tensor<int8_t>({2}, {7, 9})}, room(ElementType::i8, {4}),
                      {floats("scales", {2})});
  EXPECT_EQ(bytes.values<int8_t>(), (std::vector<int8_t>{7, 7, 9, 9}));
}

TEST(Resize, LinearHalfPixelAndAlignedCorners) {
  expectNear(resize(tensor<float>({1, 1, 2, 2}, {1, 2, 3, 4}), {1, 1, 4, 4},
                    {floats("scales", {1, 1, 2, 2}), text("mode", "linear")}),
             {1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4});
  expectNear(
      resize(tensor<float>({2}, {0, 3}), {4},
             {floats("scales", {2}), text("mode", "linear"), text("coordinates", "align_corners")}),
      {0, 1, 2, 3});
}

TEST(Resize, CubicAgreesWithTheSpecification) {
  expectNear(
      resize(square, {1, 1, 3, 3}, {floats("scales", {1, 1, 0.8, 0.8}), text("mode", "cubic")}),
      {1.47119141f, 2.78125f, 4.08251953f, 6.71142578f, 8.02148438f, 9.32275391f, 11.91650391f,
       13.2265625f, 14.52783203f});
}

TEST(Resize, AntialiasedLinearAgreesWithTheSpecification) {
  expectNear(
      resize(square, {1, 1, 2, 2},
             {floats("scales", {1, 1, 0.6, 0.6}), text("mode", "linear"), ints("antialias", {1})}),
      {2.875f, 4.5f, 9.375f, 11.0f});
}

TEST(Resize, CropsWithExtrapolation) {
  Floats actual = resize(square, {1, 1, 3, 3},
                         {floats("scales", {1, 1, 0.75, 0.75}), text("mode", "linear"),
                          text("coordinates", "tf_crop_and_resize"),
                          floats("roi", {0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7}),
                          floats("extrapolation_value", {10})});
  expectNear(actual, {7.6f, 10, 10, 12.4f, 10, 10, 10, 10, 10});
}

TEST(Resize, RoundsAndSaturatesBytes) {
  Tensor out = call("resize", {tensor<uint8_t>({2}, {0, 255})}, room(ElementType::ui8, {4}),
                    {floats("scales", {2}), text("mode", "linear")});
  EXPECT_EQ(out.values<uint8_t>(), (std::vector<uint8_t>{0, 64, 191, 255}));
}

TEST(Resize, RefusesBadScales) {
  EXPECT_NE(callError("resize", {ramp<float>({2})}, {room(ElementType::f32, {2})},
                      {floats("scales", {0})})
                .find("must be positive"),
            std::string::npos);
  EXPECT_NE(callError("resize", {ramp<float>({2})}, {room(ElementType::f32, {2})},
                      {floats("scales", {1, 1})})
                .find("an entry per dim"),
            std::string::npos);
}

} // namespace
} // namespace sheaf::rt::test
