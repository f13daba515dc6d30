// The passes that derive a training step from a model's graph.
#ifndef SHEAF_PASSES_TRAINING_PASSES
#define SHEAF_PASSES_TRAINING_PASSES

include "mlir/Pass/PassBase.td"

def TrainingDifferentiatePass : Pass<"training-differentiate", "::mlir::func::FuncOp"> {
  let summary = "Appends the gradients of a scalar result to the results of a function";
  let description = [{
    Each gradient is of its argument's type and is named after it (`w.grad`); an argument that the
    output does not depend on gets zeros. Gradients of a value with several uses are added up.
    Requires: one block; no loop between arguments and output (`--lowering-unroll-loops`).
    Ensures: nothing that is not used is left of what it builds. It is an error, and names each op,
    when ops on the way have no gradient.
  }];
  let options = [
    Option<"output", "output", "std::string", /*default=*/"\"\"",
        "Name or index of the result to differentiate: a float of one element; default: the only one">,
    ListOption<"arguments", "arguments", "std::string",
        "Names or indices of the arguments to differentiate by; default: all float parameters">];
  let dependentDialects = ["::sheaf::graph::GraphDialect"];
}

def TrainingPlaceDropoutPass : Pass<"training-place-dropout", "::mlir::func::FuncOp"> {
  let summary = "Says where a training step of a model drops out";
  let description = [{
    Every float that leaves a node with a ratio is dropped out of; a node that drops out itself gets the ratio, and
    0 removes it. A warning tells of others of a model for inference, which will drop out too. All get seeds
    that follow from their own, or their names, from their order among equal ones, and that lie far apart, since
    counters are added to them.
    Requires: no loop that drops out (`--lowering-unroll-loops`); the nodes as the model has them, since later
    passes join some, by layout. Ensures: no two dropouts have one seed. It is an error when a ratio is not in
    [0, 1), or when a rule has no effect.
  }];
  let options = [ListOption<"rules", "rules", "std::string",
      "GLOB=RATIO of names of nodes; of a node the last that matches counts">];
  let dependentDialects = ["::sheaf::graph::GraphDialect"];
}

def TrainingBuildStepPass : Pass<"training-build-step", "::mlir::ModuleOp"> {
  let summary = "Makes a training step and an evaluation of a model";
  let description = [{
    Requires: one function, the model. Ensures: the functions `train_step` and `eval` are in its place,
    and `prepare` where parameters have initializers. Inputs have a
    first dim that counts micro-batches. `train_step` gives the loss (a mean over all that counts in all micro-batches),
    the norm of the gradients, the learning rate and how many tokens count; results with `graph.update` are new values
    of parameters and states. `eval` gives the loss and what it is the mean of.
    Dropouts of the model draw a mask for each micro-batch of each step in `train_step` and keep everything in `eval`.
  }];
  let options = [
    Option<"loss", "loss", "std::string", /*default=*/"\"\"",
        "cross_entropy:LOGITS,LABELS, causal_lm:LOGITS,INPUT_IDS, mse:OUTPUT,TARGET or output:NAME">,
    Option<"ignoreIndex", "ignore-index", "int64_t", "-100", "Label of what does not count">,
    Option<"labelSmoothing", "label-smoothing", "double", "0.0",
        "Part of a label that is spread over all classes">,
    Option<"optimizer", "optimizer", "std::string", "\"adamw\"", "adafactor, adam, adamw, lion, muon or sgd">,
    Option<"learningRate", "lr", "double", "1e-3", "The learning rate at its peak">,
    ListOption<"betas", "betas", "double", "Of moments; default: those of the optimizer's paper">,
    ListOption<"epsilon", "eps", "double", "Added to a deviation, one number; default: of the paper">,
    ListOption<"momentum", "momentum", "double", "Of sgd or muon, one number; default: none, and 0.95">,
    Option<"isNesterov", "nesterov", "bool", "false", "Looks ahead along the momentum">,
    Option<"isRelative", "relative-step", "bool", "false",
        "Of adafactor: the learning rate is in units of each parameter's size">,
    ListOption<"adamwFor", "adamw-for", "std::string",
        "Globs of matrices that muon leaves to adamw: embeddings, the head">,
    ListOption<"initializers", "init", "std::string",
        "GLOB=RULE of first values of parameters: normal(S), uniform(S), xavier_uniform, kaiming_normal, zeros, ones">,
    ListOption<"lrScales", "lr-scale", "std::string",
        "GLOB=FACTOR of the learning rate of parameters">,
    Option<"ema", "ema", "double", "0.0",
        "Decay of a moving average of the weights that is kept beside them; 0: none">,
    Option<"evaluatesEma", "eval-ema", "bool", "false", "eval takes the average of the weights">,
    Option<"weightDecay", "weight-decay", "double", "0.0",
        "Decay: added to gradients of sgd and adam, else taken off parameters">,
    ListOption<"noDecay", "no-decay", "std::string", "Globs of parameters that do not decay">,
    ListOption<"frozen", "freeze", "std::string", "Globs of parameters that stay as they are">,
    Option<"compute", "precision", "std::string", "\"f32\"",
        "f32, bf16, f16 or fp8 (bf16, with products of 8-bit floats): what the model is computed in">,
    Option<"reduceType", "reduce-type", "std::string", "\"f32\"",
        "f32, bf16 or f16: what gradients are added up in, by ranks and over micro-batches">,
    Option<"stateType", "state-type", "std::string", "\"f32\"",
        "f32 or bf16: what optimizers keep of parameters">,
    Option<"parameterType", "parameter-type", "std::string", "\"f32\"",
        "f32, or the type of precision: what parameters are kept in">,
    Option<"masterWeights", "master-weights", "bool", "false",
        "Keep narrow parameters in f32 too; optimizers update these">,
    Option<"lossScale", "loss-scale", "double", "0.0", "The first loss scale, of f16">,
    Option<"scaleInterval", "loss-scale-interval", "int64_t", "2000",
        "Steps without overflow until the scale is doubled">,
    Option<"clipNorm", "clip-norm", "double", "0.0",
        "Largest norm of all gradients together; 0: no limit">,
    Option<"microBatches", "micro-batches", "int64_t", "1",
        "Batches of a step, one after another; their gradients are added up">,
    Option<"schedule", "schedule", "std::string", "\"constant\"",
        "constant, linear, cosine, inverse_sqrt or wsd">,
    Option<"warmup", "warmup", "int64_t", "0", "Steps in which the learning rate rises">,
    Option<"scheduleSteps", "schedule-steps", "int64_t", "0", "The step at which it has fallen">,
    Option<"decaySteps", "decay-steps", "int64_t", "0", "How long the fall of wsd takes">,
    Option<"finalRate", "final-lr", "double", "0.0", "Where it ends, as a part of the peak">];
  let dependentDialects = ["::sheaf::dist::DistDialect", "::sheaf::graph::GraphDialect"];
}

#endif
