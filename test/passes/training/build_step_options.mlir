// DEFINE: %{step} = shard-opt %s --training-build-step
// DEFINE: %{no} = not %{step}
// RUN: %{no}='loss=l1:y,t' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: %{no}='loss=mse:y' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: %{no}='loss=mse:none,t' 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %{no}='loss=mse:y,t label-smoothing=0.1' 2>&1 | FileCheck %s --check-prefix=SMOOTHING
// RUN: %{no}='loss=mse:y,t ignore-index=0' 2>&1 | FileCheck %s --check-prefix=IGNORED
// RUN: %{no}='loss=cross_entropy:y,labels label-smoothing=nan' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: %{no}='loss=cross_entropy:n,labels' 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: %{no}='loss=cross_entropy:s,labels' 2>&1 | FileCheck %s --check-prefix=CLASSES
// RUN: %{no}='loss=output:y' 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: %{no}='loss=mse:y,x' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: %{no}='loss=causal_lm:y,x' 2>&1 | FileCheck %s --check-prefix=TOKENS
// RUN: %{no}='loss=causal_lm:o,x' 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: %{no}='loss=causal_lm:z,ids' 2>&1 | FileCheck %s --check-prefix=IDS
// RUN: %{no}='loss=causal_lm:z' 2>&1 | FileCheck %s --check-prefix=IMPLIED
// RUN: %{no}='loss=mse:y,t optimizer=sdg' 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// RUN: %{no}='loss=mse:y,t optimizer=sgd betas=0.9,0.99' 2>&1 | FileCheck %s --check-prefix=SGD
// RUN: %{no}='loss=mse:y,t optimizer=sgd momentum=1.0' 2>&1 | FileCheck %s --check-prefix=MOMENTUM
// RUN: %{no}='loss=mse:y,t optimizer=sgd nesterov=true' 2>&1 | FileCheck %s --check-prefix=NESTEROV
// RUN: %{no}='loss=mse:y,t momentum=0.9' 2>&1 | FileCheck %s --check-prefix=ADAM
// RUN: %{no}='loss=mse:y,t betas=0.9' 2>&1 | FileCheck %s --check-prefix=BETAS
// RUN: %{no}='loss=mse:y,t betas=nan,0.9' 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: %{no}='loss=mse:y,t optimizer=lion eps=1e-8' 2>&1 | FileCheck %s --check-prefix=EPS
// RUN: %{no}='loss=mse:y,t eps=-2' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: %{no}='loss=mse:y,t eps=1,2' 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: %{no}='loss=mse:y,t optimizer=muon nesterov=true' 2>&1 | FileCheck %s --check-prefix=MUON
// RUN: %{no}='loss=mse:y,t relative-step=true' 2>&1 | FileCheck %s --check-prefix=RELATIVE
// RUN: %{no}='loss=mse:y,t optimizer=sgd adamw-for=w' 2>&1 | FileCheck %s --check-prefix=ADAMW
// RUN: %{no}='loss=mse:y,t optimizer=muon adamw-for=b' 2>&1 | FileCheck %s --check-prefix=OTHERS
// RUN: %{no}='loss=mse:y,t schedule=exponential' 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: %{no}='loss=mse:y,t lr=nan' 2>&1 | FileCheck %s --check-prefix=RATE
// RUN: %{no}='loss=mse:y,t lr=1e300' 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: %{no}='loss=mse:y,t warmup=-1' 2>&1 | FileCheck %s --check-prefix=WARMUP
// RUN: %{no}='loss=mse:y,t schedule=inverse_sqrt' 2>&1 | FileCheck %s --check-prefix=SQRT
// RUN: %{no}='loss=mse:y,t schedule=cosine schedule-steps=5 warmup=5' 2>&1 | FileCheck %s --check-prefix=FALL
// RUN: %{no}='loss=mse:y,t schedule-steps=5' 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: %{no}='loss=mse:y,t schedule=wsd schedule-steps=9 decay-steps=10' 2>&1 | FileCheck %s --check-prefix=WSD
// RUN: %{no}='loss=mse:y,t schedule=linear schedule-steps=9 decay-steps=3' 2>&1 | FileCheck %s --check-prefix=LINEAR
// RUN: %{no}='loss=mse:y,t schedule=linear schedule-steps=9 final-lr=2' 2>&1 | FileCheck %s --check-prefix=FINAL
// RUN: %{no}='loss=mse:y,t ema=1' 2>&1 | FileCheck %s --check-prefix=EMA
// RUN: %{no}='loss=mse:y,t eval-ema=true' 2>&1 | FileCheck %s --check-prefix=EVAL
// RUN: %{no}='loss=mse:y,t lr-scale=w' 2>&1 | FileCheck %s --check-prefix=SCALE
// RUN: %{no}='loss=mse:y,t lr-scale=w=-1' 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: %{no}='loss=mse:y,t lr-scale=b=2' 2>&1 | FileCheck %s --check-prefix=SCALED
// RUN: %{no}='loss=mse:y,t precision=f8' 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: %{no}='loss=mse:y,t precision=fp8' 2>&1 | FileCheck %s --check-prefix=EIGHT
// RUN: %{no}='loss=mse:y,t precision=bf16 loss-scale=2' 2>&1 | FileCheck %s --check-prefix=SCALELESS
// RUN: %{no}='loss=mse:y,t precision=f16 loss-scale=0' 2>&1 | FileCheck %s --check-prefix=LOSSSCALE
// RUN: %{no}='loss=mse:y,t reduce-type=f64' 2>&1 | FileCheck %s --check-prefix=REDUCE
// RUN: %{no}='loss=mse:y,t reduce-type=f16' 2>&1 | FileCheck %s --check-prefix=UNDERFLOW
// RUN: %{no}='loss=mse:y,t state-type=f16' 2>&1 | FileCheck %s --check-prefix=STATE
// RUN: %{no}='loss=mse:y,t parameter-type=bf16' 2>&1 | FileCheck %s --check-prefix=PARAMETER
// RUN: %{no}='loss=mse:y,t precision=bf16 master-weights=true' 2>&1 | FileCheck %s --check-prefix=MASTER
// RUN: %{no}='loss=mse:y,t micro-batches=0' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: %{no}='loss=mse:y,t micro-batches=9223372036854775807' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: sed -e 's/<4x/<4000000000000x/g' %s | not shard-opt --training-build-step='loss=mse:y,t micro-batches=1000000' 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: %{no}='loss=mse:y,t clip-norm=inf' 2>&1 | FileCheck %s --check-prefix=CLIP
// RUN: %{no}='loss=mse:y,t weight-decay=-1' 2>&1 | FileCheck %s --check-prefix=DECAY
// RUN: %{no}='loss=mse:y,t no-decay=w' 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: %{no}='loss=mse:y,t freeze=b*' 2>&1 | FileCheck %s --check-prefix=MATCH
// RUN: %{no}='loss=mse:y,t freeze=[' 2>&1 | FileCheck %s --check-prefix=GLOB
// RUN: %{no}='loss=mse:y,t freeze=w' 2>&1 | FileCheck %s --check-prefix=FROZEN
// RUN: %{step}='loss=mse:y,t' | FileCheck %s --check-prefix=DONE

// REDUCE: error: reduce-type "f64" is unknown; there are f32, bf16 and f16
// UNDERFLOW: error: gradients in f16 underflow without a loss scale, which precision f16 has
// STATE: error: state-type "f16" is unknown; there are f32 and bf16
// PARAMETER: error: parameter-type bf16 needs precision bf16, found f32
// MASTER: error: master-weights has no effect on parameters of f32
// FORM: error: loss "{{.*}}" is not of the form cross_entropy:LOGITS,LABELS, causal_lm:LOGITS,INPUT_IDS, mse:OUTPUT,TARGET or output:NAME
// MISSING: error: loss "mse:none,t": the model has no output "none"; there are "y", "n", "s", "z", "o"
// SMOOTHING: error: label smoothing has no effect on loss mse
// IGNORED: error: an ignored label has no effect on loss mse
// RANGE: error: label smoothing must be in [0, 1], found
// FLOAT: error: loss "cross_entropy:n,labels": output "n" of type 'tensor<4xi64>' is no float
// CLASSES: error: loss "cross_entropy:s,labels": output "s" of type 'tensor<f32>' must be of [samples, .., classes]
// SCALAR: error: loss "output:y": output "y" of type 'tensor<4x2xf32>' must have one element
// TARGET: error: loss "mse:y,x": input "x" is of type 'tensor<4x3xf32>', which does not fit 'tensor<4x2xf32>'
// TOKENS: error: loss "causal_lm:y,x": output "y" of type 'tensor<4x2xf32>' must be of [samples, tokens, vocabulary]
// NEXT: error: loss "causal_lm:o,x": output "o" of type 'tensor<4x1x2xf32>' has 1 token per sample, which leaves none to predict; give samples two or more
// IMPLIED: error: loss "causal_lm:z": the model has no input "input_ids"; there are "x"
// IDS: error: loss "causal_lm:z,ids": the model has no input "ids"; there are "x"
// OPTIMIZER: error: optimizer "sdg" is unknown; there are adafactor, adam, adamw, lion, muon, sgd
// SGD: error: betas has no effect on optimizer sgd
// MOMENTUM: error: momentum must be in [0, 1), found 1.0
// NESTEROV: error: nesterov has no effect without momentum
// ADAM: error: momentum has no effect on optimizer adamw
// BETAS: error: betas are two numbers, found 1
// NAN: error: the first of betas must be in [0, 1), found nan
// EPS: error: eps has no effect on optimizer lion
// NEGATIVE: error: eps must be from 0 to 3.4e38, the largest f32, found -2.0
// MUON: error: nesterov has no effect on optimizer muon
// RELATIVE: error: relative-step has no effect on optimizer adamw
// ADAMW: error: adamw-for has no effect: the optimizer has one rule for all
// OTHERS: error: parameters for adamw: "b" matches no parameter; there are "w"
// SCHEDULE: error: schedule "exponential" is unknown; there are constant, linear, cosine, inverse_sqrt, wsd
// TWO: error: eps is one number
// LARGE: error: lr must be from 0 to 3.4e38, the largest f32, found 1.{{0+}}e+300
// RATE: error: lr must be from 0 to 3.4e38, the largest f32, found nan
// WARMUP: error: warmup must not be negative, found -1
// SQRT: error: schedule inverse_sqrt needs a warm-up, from whose end on it falls
// FALL: error: schedule cosine ends at step 5, which must be after the warm-up of 5
// CONSTANT: error: the end of the schedule has no effect on constant
// WSD: error: the decay of 10 steps must lie between warm-up and end
// LINEAR: error: the decay of 3 steps has no effect on linear
// FINAL: error: final-lr must be in [0, 1], a part of the peak, found 2.0
// EMA: error: ema must be in [0, 1), found 1.0
// EVAL: error: eval-ema has no effect without ema
// SCALE: error: lr-scale "w" is not of the form GLOB=FACTOR, the factor not negative
// FACTOR: error: lr-scale "w=-1" is not of the form
// SCALED: error: parameters of lr-scale: "b" matches no parameter; there are "w"
// EIGHT: error: precision fp8 has no effect: there is no product with a weight of extents that are multiples of 16 and
// PRECISION: error: precision "f8" is unknown; there are f32, bf16, f16 and fp8
// SCALELESS: error: a loss scale is for f16; bf16 has the exponents that gradients need
// LOSSSCALE: error: loss-scale must be positive, found 0.0
// COUNT: error: micro-batches must be from 1 to 1048576, found 0
// MANY: error: micro-batches must be from 1 to 1048576, found 9223372036854775807
// LONG: error: 1000000 micro-batches of "x", each of type 'tensor<4000000000000x3xf32>', are more than 64 bits can count
// CLIP: error: clip-norm must be from 0 to 3.4e38, the largest f32, found INF
// DECAY: error: weight-decay must be from 0 to 3.4e38, the largest f32, found -1.0
// NOTHING: error: parameters without decay are named, but nothing decays
// MATCH: error: frozen parameters: "b*" matches no parameter; there are "w"
// GLOB: error: frozen parameters: invalid glob pattern
// FROZEN: error: nothing to train: the model has no float parameter that is not frozen
// DONE: func.func @train_step
func.func @forward(%x: tensor<4x3xf32> {graph.input = "x"}, %w: tensor<3x2xf32> {graph.parameter = "w"})
    -> (tensor<4x2xf32> {graph.output = "y"}, tensor<4xi64> {graph.output = "n"}, tensor<f32> {graph.output = "s"}, tensor<4x2x1xf32> {graph.output = "z"},
    tensor<4x1x2xf32> {graph.output = "o"}) {
  %0 = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = graph.arg_reduce max %0 dim 1 : tensor<4x2xf32>
  %2 = graph.reduce sum %0 over [0, 1] : tensor<4x2xf32>
  %3 = graph.reshape %0 : tensor<4x2xf32> -> tensor<4x2x1xf32>
  %4 = graph.reshape %0 : tensor<4x2xf32> -> tensor<4x1x2xf32>
  return %0, %1, %2, %3, %4
      : tensor<4x2xf32>, tensor<4xi64>, tensor<f32>, tensor<4x2x1xf32>, tensor<4x1x2xf32>
}
