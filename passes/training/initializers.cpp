// Parses initializers and draws what they ask for.
#include "passes/training/initializers.h"

#include "passes/training/model_names.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

struct Fans {
  double in, out;
};

double product(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  double result = 1.0;
  for (int64_t dim : dims)
    result *= double(shape[dim]);
  return result;
}

/// Of the first product or convolution that `value`, perhaps transposed or cast, is a weight of.
std::optional<Fans> fansOf(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  for (Operation *user : value.getUsers()) {
    if (isa<TransposeOp, CastOp>(user))
      if (std::optional<Fans> fans = fansOf(user->getResult(0)))
        return fans;
    if (auto contract = dyn_cast<ContractOp>(user)) {
      bool isLeft = contract.getLhs() == value;
      return Fans{product(shape, isLeft ? contract.getLhsContract() : contract.getRhsContract()),
                  product(shape, isLeft ? contract.getLhsFree() : contract.getRhsFree())};
    }
    if (auto conv = dyn_cast<ConvOp>(user); conv && conv.getFilter() == value) {
      double window = 1.0;
      for (int64_t extent : shape.drop_front(2))
        window *= double(extent);
      return Fans{double(shape[1]) * window, double(shape[0]) / double(conv.getGroups()) * window};
    }
  }
  return std::nullopt;
}

/// The number in "NAME(NUMBER)"; none when `rule` is of another form, or it is negative.
std::optional<double> scaleIn(StringRef rule, StringRef name) {
  double scale;
  if (!rule.consume_front(name) || !rule.consume_front("(") || !rule.consume_back(")") ||
      rule.getAsDouble(scale) || !std::isfinite(scale) || scale < 0.0)
    return std::nullopt;
  return scale;
}

/// Errors: a rule of another form, a parameter that has no fans for one that needs them.
FailureOr<Initializer> parse(func::FuncOp model, unsigned argument, StringRef rule) {
  using Kind = Initializer::Kind;
  if (std::optional<double> scale = scaleIn(rule, "normal"))
    return Initializer{argument, Kind::normal, 0.0, *scale};
  if (std::optional<double> scale = scaleIn(rule, "uniform"))
    return Initializer{argument, Kind::uniform, -*scale, *scale};
  if (rule == "zeros" || rule == "ones") {
    double value = rule == "ones" ? 1.0 : 0.0;
    return Initializer{argument, Kind::uniform, value, value};
  }
  if (rule != "xavier_uniform" && rule != "kaiming_normal")
    return model.emitError() << "initializer \"" << rule
                             << "\" is unknown; there are normal(S), uniform(S), xavier_uniform, "
                                "kaiming_normal, zeros and ones";
  std::optional<Fans> fans = fansOf(model.getArgument(argument));
  if (!fans)
    return model.emitError() << "initializer " << rule << " of \"" << argumentName(model, argument)
                             << "\", which is no weight of a product or convolution; give it "
                                "normal(S) or uniform(S)";
  if (rule == "kaiming_normal")
    return Initializer{argument, Kind::normal, 0.0, std::sqrt(2.0 / fans->in)};
  double bound = std::sqrt(6.0 / (fans->in + fans->out));
  return Initializer{argument, Kind::uniform, -bound, bound};
}

} // namespace

FailureOr<std::vector<Initializer>> findInitializers(func::FuncOp model,
                                                     ArrayRef<std::string> rules) {
  SmallVector<StringRef> ruleOf(model.getNumArguments());
  for (StringRef text : rules) {
    auto [glob, rule] = text.rsplit('=');
    if (glob.empty() || rule.empty())
      return model.emitError() << "init \"" << text << "\" is not of the form GLOB=RULE";
    FailureOr<SmallVector<bool>> matched = matchParameters(model, glob.str(), "parameters of init");
    if (failed(matched))
      return failure();
    for (auto [known, isMatched] : llvm::zip_equal(ruleOf, *matched))
      known = isMatched ? rule : known;
  }
  std::vector<Initializer> result;
  for (auto [argument, rule] : llvm::enumerate(ruleOf)) {
    auto type = cast<RankedTensorType>(model.getArgumentTypes()[argument]);
    if (rule.empty() || !isa<FloatType>(type.getElementType()))
      continue;
    FailureOr<Initializer> initializer = parse(model, argument, rule);
    if (failed(initializer))
      return failure();
    result.push_back(*initializer);
  }
  return result;
}

Value draw(PrimitiveBuilder &b, const Initializer &initializer, RankedTensorType type,
           StringRef name) {
  if (initializer.a == initializer.b)
    return b.splat(type, initializer.a);
  bool isNormal = initializer.kind == Initializer::Kind::normal;
  auto seed = int64_t(llvm::xxh3_64bits(name) >> 1); // Not negative.
  return RandomOp::create(b, type, isNormal ? RandomKind::normal : RandomKind::uniform, seed,
                          initializer.a, initializer.b);
}

} // namespace sheaf::training
