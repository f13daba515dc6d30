// Declares the flags of training and turns them into options of the pass.
#include "tools/shard-compile/training_flags.h"

#include "passes/sharding/store_layout.h"

using namespace llvm;

namespace sheaf::compile {

using cl::cat, cl::desc, cl::init, cl::value_desc;

TrainingFlags::TrainingFlags(cl::OptionCategory &category)
    : isTraining("train", desc("Make a training step and an evaluation of the model"),
                 cat(category)),
      loss("loss",
           desc("What is minimized: cross_entropy:LOGITS,LABELS, causal_lm:LOGITS,INPUT_IDS "
                "(input_ids unless named), mse:OUTPUT,TARGET or output:NAME; LABELS or TARGET that "
                "are no input of the model become one"),
           value_desc("kind:names"), cat(category)),
      ignoreIndex("ignore-index", desc("Label of what does not count; default: -100"), init(-100),
                  cat(category)),
      labelSmoothing("label-smoothing", desc("Part of a label that is spread over all classes"),
                     init(0.0), cat(category)),
      optimizer("optimizer", desc("adafactor, adam, adamw (the default), lion, muon or sgd"),
                init("adamw"), cat(category)),
      learningRate("lr", desc("Learning rate, at its peak; default: 1e-3"), init(1e-3),
                   cat(category)),
      betas("betas", cl::CommaSeparated,
            desc("Of moments; default: those of the optimizer's paper"), value_desc("b1,b2"),
            cat(category)),
      epsilon("eps", desc("Added to the deviation; default: of the optimizer's paper"),
              cat(category)),
      momentum("momentum", desc("Of sgd or muon; default: none, and 0.95"), cat(category)),
      isNesterov("nesterov", desc("Look ahead along the momentum"), cat(category)),
      isRelative("relative-step",
                 desc("Of adafactor: the learning rate is in units of each parameter's size"),
                 cat(category)),
      adamwFor("adamw-for", cl::CommaSeparated,
               desc("Matrices that muon leaves to adamw: embeddings, the head"),
               value_desc("*wte*,lm_head*"), cat(category)),
      initializers("init",
                   desc("First values of parameters, instead of the model's: normal(S), "
                        "uniform(S), xavier_uniform, kaiming_normal, zeros or ones; repeat it for "
                        "each"),
                   value_desc("*.weight=normal(0.02)"), cat(category)),
      lrScales("lr-scale", desc("Factor of the learning rate of parameters; repeat it for each"),
               value_desc("*.bias=2"), cat(category)),
      dropout("dropout",
              desc("Drop out after nodes of these names, at this ratio, in train_step; repeat it "
                   "for each. The model's own Dropout nodes do at their ratio unless they are "
                   "named; '*=0' turns them off"),
              value_desc("*/mlp/*=0.1"), cat(category)),
      ema("ema", desc("Keep a moving average of the weights, of this decay; default: none"),
          init(0.0), cat(category)),
      evaluatesEma("eval-ema", desc("Program eval takes the average of the weights"),
                   cat(category)),
      weightDecay("weight-decay",
                  desc("Decay: added to gradients of sgd and adam, else taken off parameters; "
                       "default: none"),
                  init(0.0), cat(category)),
      noDecay("no-decay", cl::CommaSeparated, desc("Parameters that do not decay"),
              value_desc("*.bias,*ln*"), cat(category)),
      frozen("freeze", cl::CommaSeparated, desc("Parameters that stay as they are"),
             value_desc("*wte*"), cat(category)),
      precision(
          "precision",
          desc("What the model is computed in: f32 (the default), bf16, f16, or fp8: bf16 with "
               "products with weights of 8-bit floats; all else is f32 unless the next flags say "
               "otherwise"),
          init("f32"), cat(category)),
      reduceType("reduce-type",
                 desc("What gradients are added up in, by ranks and over micro-batches: f32 (the "
                      "default), bf16 or f16"),
                 init("f32"), cat(category)),
      stateType("state-type",
                desc("What optimizers keep (moments, momentum): f32 (the default) or bf16"),
                init("f32"), cat(category)),
      parameterType("parameter-type",
                    desc("What parameters are kept in: f32 (the default) or the type of "
                         "--precision, to which each update is then rounded"),
                    init("f32"), cat(category)),
      keepsMaster("master-weights",
                  desc("--parameter-type: keep parameters in f32 too, for the optimizer, so that "
                       "updates are not rounded"),
                  cat(category)),
      lossScale("loss-scale", desc("f16: the first loss scale; default: 65536"), init(65536.0),
                cat(category)),
      scaleInterval("loss-scale-interval",
                    desc("f16: steps without overflow until the scale is doubled; default: 2000"),
                    init(2000), cat(category)),
      clipNorm("clip-norm", desc("Largest norm of all gradients together; default: no limit"),
               init(0.0), cat(category)),
      microBatches("micro-batches",
                   desc("Batches (of the shapes given) of a step, one after another; default: 1"),
                   init(1), cat(category)),
      schedule(
          "schedule",
          desc("Of the learning rate: constant (the default), linear, cosine, inverse_sqrt or wsd"),
          init("constant"), cat(category)),
      warmup("warmup", desc("Steps in which the learning rate rises"), init(0), cat(category)),
      scheduleSteps("schedule-steps", desc("The step at which the learning rate has fallen"),
                    init(0), cat(category)),
      decaySteps("decay-steps", desc("How many steps the fall of wsd takes"), init(0),
                 cat(category)),
      finalRate("final-lr", desc("Where it ends, as a part of the peak; default: 0"), init(0.0),
                cat(category)),
      keepsGathered("keep-gathered",
                    desc("zero3, hsdp: keep gathered parameters from forward to backward"),
                    cat(category)),
      defersReduction(
          "defer-reduction",
          desc("zero2, zero3, hsdp: combine the gradients of all micro-batches at once"),
          cat(category)),
      threshold("store-whole-below",
                desc("zero, hsdp: parameters of fewer elements are not stored in parts"),
                value_desc("elements"), init(0), cat(category)) {}

Expected<std::optional<training::TrainingBuildStepPassOptions>> TrainingFlags::options() const {
  const cl::Option *all[] = {&loss,
                             &ignoreIndex,
                             &labelSmoothing,
                             &optimizer,
                             &learningRate,
                             std::addressof(betas),
                             &epsilon,
                             &momentum,
                             &isNesterov,
                             &isRelative,
                             std::addressof(adamwFor),
                             std::addressof(initializers),
                             std::addressof(lrScales),
                             std::addressof(dropout),
                             &ema,
                             &evaluatesEma,
                             &weightDecay,
                             std::addressof(noDecay),
                             std::addressof(frozen),
                             &precision,
                             &reduceType,
                             &stateType,
                             &parameterType,
                             &keepsMaster,
                             &lossScale,
                             &scaleInterval,
                             &clipNorm,
                             &microBatches,
                             &schedule,
                             &warmup,
                             &scheduleSteps,
                             &decaySteps,
                             &finalRate};
  if (!isTraining) {
    for (const cl::Option *option : all)
      if (option->getNumOccurrences() > 0)
        return createStringError(nameOf(*option) + " has no effect without --train");
    return std::nullopt;
  }
  if (loss.empty())
    return createStringError(nameOf(isTraining) +
                             " needs a loss, such as --loss cross_entropy:logits,labels");
  training::TrainingBuildStepPassOptions options;
  options.loss = loss;
  options.ignoreIndex = ignoreIndex;
  options.labelSmoothing = labelSmoothing;
  options.optimizer = optimizer;
  options.learningRate = learningRate;
  options.betas.assign(betas.begin(), betas.end());
  if (epsilon.getNumOccurrences() > 0)
    options.epsilon = {epsilon};
  if (momentum.getNumOccurrences() > 0)
    options.momentum = {momentum};
  options.isNesterov = isNesterov;
  options.isRelative = isRelative;
  options.adamwFor.assign(adamwFor.begin(), adamwFor.end());
  options.initializers.assign(initializers.begin(), initializers.end());
  options.lrScales.assign(lrScales.begin(), lrScales.end());
  options.ema = ema;
  options.evaluatesEma = evaluatesEma;
  options.weightDecay = weightDecay;
  options.noDecay.assign(noDecay.begin(), noDecay.end());
  options.frozen.assign(frozen.begin(), frozen.end());
  options.compute = precision;
  options.reduceType = reduceType;
  options.stateType = stateType;
  options.parameterType = parameterType;
  options.masterWeights = keepsMaster;
  bool isHalf = precision == "f16";
  for (const cl::Option *option : {static_cast<const cl::Option *>(&lossScale),
                                   static_cast<const cl::Option *>(&scaleInterval)})
    if (!isHalf && option->getNumOccurrences() > 0)
      return createStringError(nameOf(*option) + " has no effect without --precision f16");
  options.lossScale = isHalf ? double(lossScale) : 0.0;
  options.scaleInterval = scaleInterval;
  options.clipNorm = clipNorm;
  options.microBatches = microBatches;
  options.schedule = schedule;
  options.warmup = warmup;
  options.scheduleSteps = scheduleSteps;
  options.decaySteps = decaySteps;
  options.finalRate = finalRate;
  return options;
}

Expected<sharding::ShardingStorePassOptions>
TrainingFlags::store(const cl::list<std::string> &strategies) const {
  sharding::ShardingStorePassOptions options;
  for (const std::string &name : strategies) {
    if (sharding::StoreLayout::batchAxes(name).empty())
      continue;
    if (!isTraining)
      return createStringError(nameOf(strategies) + " " + name +
                               " is of training: give --train, or dp");
    if (!options.layout.empty() && options.layout != name)
      return createStringError(nameOf(strategies) + " " + options.layout + " and " + name +
                               " exclude each other");
    options.layout = name;
  }
  if (!options.layout.empty() && is_contained(strategies, "dp"))
    return createStringError(nameOf(strategies) + " " + options.layout +
                             " and dp exclude each other: both share the batch; leave out dp");
  const cl::Option *own[] = {&keepsGathered, &defersReduction, &threshold};
  for (const cl::Option *option : own)
    if (option->getNumOccurrences() > 0 && options.layout.empty())
      return createStringError(nameOf(*option) + " needs a --strategy that stores in parts: "
                                                 "zero1, zero2, zero3 or hsdp");
  options.keep = keepsGathered;
  options.defer = defersReduction;
  options.threshold = threshold;
  return options;
}

} // namespace sheaf::compile
