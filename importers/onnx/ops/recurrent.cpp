// Recurrent layers, unrolled over time: RNN, GRU, LSTM.
#include "importers/onnx/node.h"
#include "llvm/ADT/StringExtras.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

constexpr int64_t kMostSteps = 10'000;

using Activation = std::function<Value(Value)>;

Activation activationOf(Node &n, StringRef name, std::optional<double> alpha,
                        std::optional<double> beta) {
  std::string lower = name.lower();
  auto unary = [&n](UnaryKind kind) { return [&n, kind](Value x) { return n.unary(kind, x); }; };
  if (lower == "sigmoid")
    return unary(UnaryKind::sigmoid);
  if (lower == "tanh")
    return unary(UnaryKind::tanh);
  if (lower == "relu")
    return unary(UnaryKind::relu);
  if (lower == "softplus")
    return unary(UnaryKind::softplus);
  if (lower == "affine")
    return [&n, a = alpha.value_or(1), b = beta.value_or(0)](Value x) {
      return n.add(n.mul(n.number(a, x), x), n.number(b, x));
    };
  if (lower == "leakyrelu")
    return [&n, a = alpha.value_or(0.01)](Value x) {
      return n.select(n.compare(CompareKind::lt, x, n.number(0, x)), n.mul(n.number(a, x), x), x);
    };
  if (lower == "hardsigmoid")
    return [&n, a = alpha.value_or(0.2), b = beta.value_or(0.5)](Value x) {
      Value line = n.add(n.mul(n.number(a, x), x), n.number(b, x));
      return n.max(n.number(0, x), n.min(n.number(1, x), line));
    };
  n.fail("activation " + name + " is not supported");
  return [](Value x) { return x; };
}

/// The operands of one direction, and what steps need.
struct Direction {
  Value w, r, wBias, rBias; // [g h, i], [g h, h], [g h]
  Value peephole;           // [3 h]
  SmallVector<Activation> activations;
  double clip = 0;
  bool isReverse = false;
};

struct State {
  Value hidden, cell; // [b, h]
};

using Step = llvm::function_ref<State(Node &, const Direction &, Value, const State &, int64_t)>;

Value clipped(Node &n, const Direction &d, Value x) {
  if (d.clip <= 0)
    return x;
  return n.min(n.max(x, n.number(-d.clip, x)), n.number(d.clip, x));
}

/// Gate `index` of `[b, g h]`, or of a bias or peephole `[g h]`.
Value gate(Node &n, Value all, int64_t index, int64_t h) {
  if (!all || n.failed())
    return {};
  return n.sliceDim(all, n.rank(all) - 1, index * h, (index + 1) * h);
}

Value plus(Node &n, Value value, Value addend) { return addend ? n.add(value, addend) : value; }

/// `x w^T + wBias` for all gates.
Value fromInput(Node &n, const Direction &d, Value x) {
  return plus(n, n.contract(x, d.w, {}, {}, {1}, {1}), d.wBias);
}

State rnnStep(Node &n, const Direction &d, Value x, const State &state, int64_t) {
  Value recurrent = plus(n, n.contract(state.hidden, d.r, {}, {}, {1}, {1}), d.rBias);
  return {d.activations[0](clipped(n, d, n.add(fromInput(n, d, x), recurrent))), {}};
}

/// Gates in the order i, o, f, c.
State lstmStep(Node &n, const Direction &d, Value x, const State &state, int64_t h) {
  Value recurrent = plus(n, n.contract(state.hidden, d.r, {}, {}, {1}, {1}), d.rBias);
  Value gates = n.add(fromInput(n, d, x), recurrent);
  auto peep = [&](Value value, int64_t index, Value cell) {
    return d.peephole ? n.add(value, n.mul(gate(n, d.peephole, index, h), cell)) : value;
  };
  Value in = d.activations[0](clipped(n, d, peep(gate(n, gates, 0, h), 0, state.cell)));
  Value forget = d.activations[0](clipped(n, d, peep(gate(n, gates, 2, h), 2, state.cell)));
  Value candidate = d.activations[1](clipped(n, d, gate(n, gates, 3, h)));
  Value cell = n.add(n.mul(forget, state.cell), n.mul(in, candidate));
  Value out = d.activations[0](clipped(n, d, peep(gate(n, gates, 1, h), 1, cell)));
  return {n.mul(out, d.activations[2](cell)), cell};
}

/// Gates in the order z, r, h.
State gruStep(Node &n, const Direction &d, Value x, const State &state, int64_t h,
              bool isLinearBeforeReset) {
  Value inputs = fromInput(n, d, x);
  auto recurrent = [&](Value hidden, int64_t index) {
    Value weights = n.sliceDim(d.r, 0, index * h, (index + 1) * h);
    return plus(n, n.contract(hidden, weights, {}, {}, {1}, {1}), gate(n, d.rBias, index, h));
  };
  auto activate = [&](const Activation &f, Value value) { return f(clipped(n, d, value)); };
  Value update =
      activate(d.activations[0], n.add(gate(n, inputs, 0, h), recurrent(state.hidden, 0)));
  Value reset =
      activate(d.activations[0], n.add(gate(n, inputs, 1, h), recurrent(state.hidden, 1)));
  Value past = isLinearBeforeReset ? n.mul(reset, recurrent(state.hidden, 2))
                                   : recurrent(n.mul(reset, state.hidden), 2);
  Value candidate = activate(d.activations[1], n.add(gate(n, inputs, 2, h), past));
  Value one = n.number(1, update);
  return {n.add(n.mul(n.sub(one, update), candidate), n.mul(update, state.hidden)), {}};
}

/// One direction's states after each step, in the order of time; entries past a row's length are
/// zero and do not change its state.
State runDirection(Node &n, const Direction &d, Value x, Value lengths, State state, int64_t h,
                   Step step, SmallVectorImpl<Value> &hiddens) {
  int64_t numSteps = n.dim(x, 0);
  hiddens.resize(numSteps);
  for (int64_t index = 0; index < numSteps && !n.failed(); ++index) {
    int64_t time = d.isReverse ? numSteps - 1 - index : index;
    Value row = n.squeeze(n.sliceDim(x, 0, time, time + 1), {0});
    State next = step(n, d, row, state, h);
    hiddens[time] = next.hidden;
    if (lengths) {
      Value isLive =
          n.compare(CompareKind::gt, lengths, n.number(static_cast<double>(time), lengths));
      isLive = n.unsqueeze(isLive, {1});
      hiddens[time] = n.select(isLive, next.hidden, n.number(0, next.hidden));
      next.hidden = n.select(isLive, next.hidden, state.hidden);
      if (next.cell)
        next.cell = n.select(isLive, next.cell, state.cell);
    }
    state = next;
  }
  return state;
}

SmallVector<Activation> readActivations(Node &n, ArrayRef<StringRef> defaults, int64_t direction,
                                        int64_t numDirections) {
  SmallVector<std::string> names = n.strings("activations");
  SmallVector<double> alphas = n.reals("activation_alpha"), betas = n.reals("activation_beta");
  size_t count = defaults.size();
  if (names.empty())
    for (int64_t index = 0; index < numDirections; ++index)
      names.append(defaults.begin(), defaults.end());
  SmallVector<Activation> activations;
  if (names.size() != count * numDirections) {
    n.fail("has " + Twine(names.size()) + " activations, not " + Twine(count * numDirections));
    return activations;
  }
  // Parameters belong, in order, to the activations that take them.
  size_t nextAlpha = 0, nextBeta = 0;
  for (size_t index = 0; index < names.size(); ++index) {
    std::string lower = StringRef(names[index]).lower();
    bool takesBeta = lower == "affine" || lower == "hardsigmoid";
    bool takesAlpha = takesBeta || lower == "leakyrelu";
    std::optional<double> alpha, beta;
    if (takesAlpha && nextAlpha < alphas.size())
      alpha = alphas[nextAlpha++];
    if (takesBeta && nextBeta < betas.size())
      beta = betas[nextBeta++];
    if (index / count == static_cast<size_t>(direction))
      activations.push_back(activationOf(n, names[index], alpha, beta));
  }
  return activations;
}

/// What the three layers share: X, W, R, B, sequence_lens, initial_h (, initial_c, P).
void importRecurrent(Node &n, int64_t numGates, ArrayRef<StringRef> activations, Step step) {
  bool hasCell = n.opType() == "LSTM";
  n.expectInputs(3, hasCell ? 8 : 6);
  Value x = n.input(0), w = n.input(1), r = n.input(2);
  std::string order = n.string("direction", "forward");
  n.expectChoice("direction", order, {"forward", "reverse", "bidirectional"});
  bool isBatchFirst = n.integer("layout", 0) != 0;
  double clip = n.real("clip", 0);
  int64_t numDirections = order == "bidirectional" ? 2 : 1;
  if (!n.failed() &&
      (n.rank(x) != 3 || n.rank(w) != 3 || n.rank(r) != 3 || n.dim(w, 0) != numDirections ||
       n.dim(r, 0) != numDirections || n.dim(r, 1) != numGates * n.dim(r, 2) ||
       n.dim(w, 1) != n.dim(r, 1) || n.dim(w, 2) != n.dim(x, 2)))
    n.fail("the shapes of X, W and R do not fit: " + shapeText(n.shape(x)) + ", " +
           shapeText(n.shape(w)) + ", " + shapeText(n.shape(r)));
  if (n.failed())
    return;
  int64_t h = n.integer("hidden_size", n.dim(r, 2));
  if (isBatchFirst)
    x = n.transpose(x, {1, 0, 2});
  int64_t b = n.dim(x, 1), numSteps = n.dim(x, 0);
  if (h != n.dim(r, 2) || numSteps > kMostSteps || numSteps == 0)
    return n.fail("hidden_size is " + Twine(h) + " and there are " + Twine(numSteps) + " steps");

  auto part = [&](size_t index, int64_t direction) -> Value {
    if (!n.has(index))
      return {};
    Value all = n.input(index);
    if (isBatchFirst && (index == 5 || index == 6))
      all = n.swap(all, 0, 1);
    return n.squeeze(n.sliceDim(all, 0, direction, direction + 1), {0});
  };
  Value zeros = n.splat({b, h}, n.element(x), 0);
  SmallVector<Value> sequences, lastHidden, lastCell;
  for (int64_t direction = 0; direction < numDirections && !n.failed(); ++direction) {
    Direction d{part(1, direction), part(2, direction), {}, {}, {}, {}, clip, false};
    d.isReverse = order == "reverse" || direction == 1;
    d.activations = readActivations(n, activations, direction, numDirections);
    if (Value bias = part(3, direction)) {
      d.wBias = n.sliceDim(bias, 0, 0, numGates * h);
      d.rBias = n.sliceDim(bias, 0, numGates * h, 2 * numGates * h);
    }
    d.peephole = hasCell ? part(7, direction) : Value();
    Value hidden = part(5, direction), cell = hasCell ? part(6, direction) : Value();
    State state{hidden ? hidden : zeros, hasCell ? (cell ? cell : zeros) : Value()};
    if (n.failed())
      return;
    SmallVector<Value> hiddens;
    state = runDirection(n, d, x, n.optional(4), state, h, step, hiddens);
    SmallVector<Value> rows;
    for (Value value : hiddens)
      rows.push_back(n.unsqueeze(value, {0}));
    sequences.push_back(n.unsqueeze(n.concat(rows, 0), {1}));
    lastHidden.push_back(n.unsqueeze(state.hidden, {0}));
    lastCell.push_back(state.cell ? n.unsqueeze(state.cell, {0}) : Value());
  }
  if (n.failed())
    return;
  Value all = n.concat(sequences, 1), last = n.concat(lastHidden, 0); // [s, d, b, h], [d, b, h]
  n.output(0, isBatchFirst ? n.transpose(all, {2, 0, 1, 3}) : all);
  n.output(1, isBatchFirst ? n.swap(last, 0, 1) : last);
  if (!hasCell)
    return;
  Value cell = n.concat(lastCell, 0);
  n.output(2, isBatchFirst ? n.swap(cell, 0, 1) : cell);
}

void importRnn(Node &n) { importRecurrent(n, 1, {"Tanh"}, rnnStep); }

void importLstm(Node &n) {
  if (n.integer("input_forget", 0) != 0)
    return n.fail("input_forget is not supported");
  importRecurrent(n, 4, {"Sigmoid", "Tanh", "Tanh"}, lstmStep);
}

void importGru(Node &n) {
  bool isLinearBeforeReset = n.integer("linear_before_reset", 0) != 0;
  importRecurrent(n, 3, {"Sigmoid", "Tanh"},
                  [&](Node &n, const Direction &d, Value x, const State &state, int64_t h) {
                    return gruStep(n, d, x, state, h, isLinearBeforeReset);
                  });
}

} // namespace

void registerRecurrent(OpTable &table) {
  table.add("GRU", importGru, 7);
  table.add("LSTM", importLstm, 7);
  table.add("RNN", importRnn, 7);
}

} // namespace sheaf::onnx
