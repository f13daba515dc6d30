// REQUIRES: ptxas
// RUN: shard-compile %s --target cuda -o %t.sheaf
// RUN: %python -m driver.device_code %t.sheaf assemble 80 90 100 | FileCheck %s
// RUN: shard-compile %S/elementwise.mlir --target cuda -o %t.sheaf
// RUN: %python -m driver.device_code %t.sheaf assemble 80 90 100 | FileCheck %s
// RUN: shard-compile %S/rows.mlir --target cuda -o %t.sheaf
// RUN: %python -m driver.device_code %t.sheaf assemble 80 90 100 | FileCheck %s
// RUN: shard-compile %S/reductions.mlir --target cuda -o %t.sheaf
// RUN: %python -m driver.device_code %t.sheaf assemble 80 90 100 | FileCheck %s

// Every function of every float type assembles for every chip, and no thread has a stack: the assembler's
// report has registers only, else it would have failed.
// CHECK-DAG: sm_80 cluster_0: {{[0-9]+}} registers
// CHECK-DAG: sm_90 cluster_0: {{[0-9]+}} registers
// CHECK-DAG: sm_100 cluster_0: {{[0-9]+}} registers

func.func @f32(%x: tensor<4096xf32> {graph.input = "x"}, %y: tensor<4096xf32> {graph.input = "y"})
    -> (tensor<4096xf32> {graph.output = "exp"}, tensor<4096xf32> {graph.output = "log"},
        tensor<4096xf32> {graph.output = "log1p"}, tensor<4096xf32> {graph.output = "expm1"},
        tensor<4096xf32> {graph.output = "sqrt"}, tensor<4096xf32> {graph.output = "rsqrt"},
        tensor<4096xf32> {graph.output = "sin"}, tensor<4096xf32> {graph.output = "cos"},
        tensor<4096xf32> {graph.output = "tan"}, tensor<4096xf32> {graph.output = "asin"},
        tensor<4096xf32> {graph.output = "acos"}, tensor<4096xf32> {graph.output = "atan"},
        tensor<4096xf32> {graph.output = "sinh"}, tensor<4096xf32> {graph.output = "cosh"},
        tensor<4096xf32> {graph.output = "tanh"}, tensor<4096xf32> {graph.output = "asinh"},
        tensor<4096xf32> {graph.output = "acosh"}, tensor<4096xf32> {graph.output = "atanh"},
        tensor<4096xf32> {graph.output = "erf"}, tensor<4096xf32> {graph.output = "sigmoid"},
        tensor<4096xf32> {graph.output = "silu"}, tensor<4096xf32> {graph.output = "gelu_erf"},
        tensor<4096xf32> {graph.output = "gelu_tanh"}, tensor<4096xf32> {graph.output = "softplus"},
        tensor<4096xf32> {graph.output = "mish"}, tensor<4096xf32> {graph.output = "floor"},
        tensor<4096xf32> {graph.output = "ceil"}, tensor<4096xf32> {graph.output = "round"},
        tensor<4096xf32> {graph.output = "sign"}, tensor<4096xf32> {graph.output = "pow"},
        tensor<4096xf32> {graph.output = "rem"}, tensor<4096xf32> {graph.output = "mod"},
        tensor<4096xf32> {graph.output = "atan2"}, tensor<4096xf32> {graph.output = "div"},
        tensor<4096xf32> {graph.output = "max"}) attributes {graph.program = "f32"} {
  %0 = graph.unary exp %x : tensor<4096xf32>
  %1 = graph.unary log %x : tensor<4096xf32>
  %2 = graph.unary log1p %x : tensor<4096xf32>
  %3 = graph.unary expm1 %x : tensor<4096xf32>
  %4 = graph.unary sqrt %x : tensor<4096xf32>
  %5 = graph.unary rsqrt %x : tensor<4096xf32>
  %6 = graph.unary sin %x : tensor<4096xf32>
  %7 = graph.unary cos %x : tensor<4096xf32>
  %8 = graph.unary tan %x : tensor<4096xf32>
  %9 = graph.unary asin %x : tensor<4096xf32>
  %10 = graph.unary acos %x : tensor<4096xf32>
  %11 = graph.unary atan %x : tensor<4096xf32>
  %12 = graph.unary sinh %x : tensor<4096xf32>
  %13 = graph.unary cosh %x : tensor<4096xf32>
  %14 = graph.unary tanh %x : tensor<4096xf32>
  %15 = graph.unary asinh %x : tensor<4096xf32>
  %16 = graph.unary acosh %x : tensor<4096xf32>
  %17 = graph.unary atanh %x : tensor<4096xf32>
  %18 = graph.unary erf %x : tensor<4096xf32>
  %19 = graph.unary sigmoid %x : tensor<4096xf32>
  %20 = graph.unary silu %x : tensor<4096xf32>
  %21 = graph.unary gelu_erf %x : tensor<4096xf32>
  %22 = graph.unary gelu_tanh %x : tensor<4096xf32>
  %23 = graph.unary softplus %x : tensor<4096xf32>
  %24 = graph.unary mish %x : tensor<4096xf32>
  %25 = graph.unary floor %x : tensor<4096xf32>
  %26 = graph.unary ceil %x : tensor<4096xf32>
  %27 = graph.unary round %x : tensor<4096xf32>
  %28 = graph.unary sign %x : tensor<4096xf32>
  %29 = graph.binary pow %x, %y : tensor<4096xf32>
  %30 = graph.binary rem %x, %y : tensor<4096xf32>
  %31 = graph.binary mod %x, %y : tensor<4096xf32>
  %32 = graph.binary atan2 %x, %y : tensor<4096xf32>
  %33 = graph.binary div %x, %y : tensor<4096xf32>
  %34 = graph.binary max %x, %y : tensor<4096xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34
      : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>,
        tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>,
        tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>,
        tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>,
        tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>,
        tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>,
        tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>
}

func.func @f64(%x: tensor<4096xf64> {graph.input = "x"}, %y: tensor<4096xf64> {graph.input = "y"})
    -> (tensor<4096xf64> {graph.output = "exp"}, tensor<4096xf64> {graph.output = "log"},
        tensor<4096xf64> {graph.output = "log1p"}, tensor<4096xf64> {graph.output = "expm1"},
        tensor<4096xf64> {graph.output = "sqrt"}, tensor<4096xf64> {graph.output = "rsqrt"},
        tensor<4096xf64> {graph.output = "sin"}, tensor<4096xf64> {graph.output = "cos"},
        tensor<4096xf64> {graph.output = "tan"}, tensor<4096xf64> {graph.output = "asin"},
        tensor<4096xf64> {graph.output = "acos"}, tensor<4096xf64> {graph.output = "atan"},
        tensor<4096xf64> {graph.output = "sinh"}, tensor<4096xf64> {graph.output = "cosh"},
        tensor<4096xf64> {graph.output = "tanh"}, tensor<4096xf64> {graph.output = "asinh"},
        tensor<4096xf64> {graph.output = "acosh"}, tensor<4096xf64> {graph.output = "atanh"},
        tensor<4096xf64> {graph.output = "erf"}, tensor<4096xf64> {graph.output = "sigmoid"},
        tensor<4096xf64> {graph.output = "silu"}, tensor<4096xf64> {graph.output = "gelu_erf"},
        tensor<4096xf64> {graph.output = "gelu_tanh"}, tensor<4096xf64> {graph.output = "softplus"},
        tensor<4096xf64> {graph.output = "mish"}, tensor<4096xf64> {graph.output = "floor"},
        tensor<4096xf64> {graph.output = "ceil"}, tensor<4096xf64> {graph.output = "round"},
        tensor<4096xf64> {graph.output = "sign"}, tensor<4096xf64> {graph.output = "pow"},
        tensor<4096xf64> {graph.output = "rem"}, tensor<4096xf64> {graph.output = "mod"},
        tensor<4096xf64> {graph.output = "atan2"}, tensor<4096xf64> {graph.output = "div"},
        tensor<4096xf64> {graph.output = "max"}) attributes {graph.program = "f64"} {
  %0 = graph.unary exp %x : tensor<4096xf64>
  %1 = graph.unary log %x : tensor<4096xf64>
  %2 = graph.unary log1p %x : tensor<4096xf64>
  %3 = graph.unary expm1 %x : tensor<4096xf64>
  %4 = graph.unary sqrt %x : tensor<4096xf64>
  %5 = graph.unary rsqrt %x : tensor<4096xf64>
  %6 = graph.unary sin %x : tensor<4096xf64>
  %7 = graph.unary cos %x : tensor<4096xf64>
  %8 = graph.unary tan %x : tensor<4096xf64>
  %9 = graph.unary asin %x : tensor<4096xf64>
  %10 = graph.unary acos %x : tensor<4096xf64>
  %11 = graph.unary atan %x : tensor<4096xf64>
  %12 = graph.unary sinh %x : tensor<4096xf64>
  %13 = graph.unary cosh %x : tensor<4096xf64>
  %14 = graph.unary tanh %x : tensor<4096xf64>
  %15 = graph.unary asinh %x : tensor<4096xf64>
  %16 = graph.unary acosh %x : tensor<4096xf64>
  %17 = graph.unary atanh %x : tensor<4096xf64>
  %18 = graph.unary erf %x : tensor<4096xf64>
  %19 = graph.unary sigmoid %x : tensor<4096xf64>
  %20 = graph.unary silu %x : tensor<4096xf64>
  %21 = graph.unary gelu_erf %x : tensor<4096xf64>
  %22 = graph.unary gelu_tanh %x : tensor<4096xf64>
  %23 = graph.unary softplus %x : tensor<4096xf64>
  %24 = graph.unary mish %x : tensor<4096xf64>
  %25 = graph.unary floor %x : tensor<4096xf64>
  %26 = graph.unary ceil %x : tensor<4096xf64>
  %27 = graph.unary round %x : tensor<4096xf64>
  %28 = graph.unary sign %x : tensor<4096xf64>
  %29 = graph.binary pow %x, %y : tensor<4096xf64>
  %30 = graph.binary rem %x, %y : tensor<4096xf64>
  %31 = graph.binary mod %x, %y : tensor<4096xf64>
  %32 = graph.binary atan2 %x, %y : tensor<4096xf64>
  %33 = graph.binary div %x, %y : tensor<4096xf64>
  %34 = graph.binary max %x, %y : tensor<4096xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34
      : tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>,
        tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>,
        tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>,
        tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>,
        tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>,
        tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>,
        tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>, tensor<4096xf64>
}

func.func @f16(%x: tensor<4096xf16> {graph.input = "x"}, %y: tensor<4096xf16> {graph.input = "y"})
    -> (tensor<4096xf16> {graph.output = "exp"}, tensor<4096xf16> {graph.output = "log"},
        tensor<4096xf16> {graph.output = "log1p"}, tensor<4096xf16> {graph.output = "expm1"},
        tensor<4096xf16> {graph.output = "sqrt"}, tensor<4096xf16> {graph.output = "rsqrt"},
        tensor<4096xf16> {graph.output = "sin"}, tensor<4096xf16> {graph.output = "cos"},
        tensor<4096xf16> {graph.output = "tan"}, tensor<4096xf16> {graph.output = "asin"},
        tensor<4096xf16> {graph.output = "acos"}, tensor<4096xf16> {graph.output = "atan"},
        tensor<4096xf16> {graph.output = "sinh"}, tensor<4096xf16> {graph.output = "cosh"},
        tensor<4096xf16> {graph.output = "tanh"}, tensor<4096xf16> {graph.output = "asinh"},
        tensor<4096xf16> {graph.output = "acosh"}, tensor<4096xf16> {graph.output = "atanh"},
        tensor<4096xf16> {graph.output = "erf"}, tensor<4096xf16> {graph.output = "sigmoid"},
        tensor<4096xf16> {graph.output = "silu"}, tensor<4096xf16> {graph.output = "gelu_erf"},
        tensor<4096xf16> {graph.output = "gelu_tanh"}, tensor<4096xf16> {graph.output = "softplus"},
        tensor<4096xf16> {graph.output = "mish"}, tensor<4096xf16> {graph.output = "floor"},
        tensor<4096xf16> {graph.output = "ceil"}, tensor<4096xf16> {graph.output = "round"},
        tensor<4096xf16> {graph.output = "sign"}, tensor<4096xf16> {graph.output = "pow"},
        tensor<4096xf16> {graph.output = "rem"}, tensor<4096xf16> {graph.output = "mod"},
        tensor<4096xf16> {graph.output = "atan2"}, tensor<4096xf16> {graph.output = "div"},
        tensor<4096xf16> {graph.output = "max"}) attributes {graph.program = "f16"} {
  %0 = graph.unary exp %x : tensor<4096xf16>
  %1 = graph.unary log %x : tensor<4096xf16>
  %2 = graph.unary log1p %x : tensor<4096xf16>
  %3 = graph.unary expm1 %x : tensor<4096xf16>
  %4 = graph.unary sqrt %x : tensor<4096xf16>
  %5 = graph.unary rsqrt %x : tensor<4096xf16>
  %6 = graph.unary sin %x : tensor<4096xf16>
  %7 = graph.unary cos %x : tensor<4096xf16>
  %8 = graph.unary tan %x : tensor<4096xf16>
  %9 = graph.unary asin %x : tensor<4096xf16>
  %10 = graph.unary acos %x : tensor<4096xf16>
  %11 = graph.unary atan %x : tensor<4096xf16>
  %12 = graph.unary sinh %x : tensor<4096xf16>
  %13 = graph.unary cosh %x : tensor<4096xf16>
  %14 = graph.unary tanh %x : tensor<4096xf16>
  %15 = graph.unary asinh %x : tensor<4096xf16>
  %16 = graph.unary acosh %x : tensor<4096xf16>
  %17 = graph.unary atanh %x : tensor<4096xf16>
  %18 = graph.unary erf %x : tensor<4096xf16>
  %19 = graph.unary sigmoid %x : tensor<4096xf16>
  %20 = graph.unary silu %x : tensor<4096xf16>
  %21 = graph.unary gelu_erf %x : tensor<4096xf16>
  %22 = graph.unary gelu_tanh %x : tensor<4096xf16>
  %23 = graph.unary softplus %x : tensor<4096xf16>
  %24 = graph.unary mish %x : tensor<4096xf16>
  %25 = graph.unary floor %x : tensor<4096xf16>
  %26 = graph.unary ceil %x : tensor<4096xf16>
  %27 = graph.unary round %x : tensor<4096xf16>
  %28 = graph.unary sign %x : tensor<4096xf16>
  %29 = graph.binary pow %x, %y : tensor<4096xf16>
  %30 = graph.binary rem %x, %y : tensor<4096xf16>
  %31 = graph.binary mod %x, %y : tensor<4096xf16>
  %32 = graph.binary atan2 %x, %y : tensor<4096xf16>
  %33 = graph.binary div %x, %y : tensor<4096xf16>
  %34 = graph.binary max %x, %y : tensor<4096xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34
      : tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>,
        tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>,
        tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>,
        tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>,
        tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>,
        tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>,
        tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xf16>
}

func.func @bf16(%x: tensor<4096xbf16> {graph.input = "x"}, %y: tensor<4096xbf16> {graph.input = "y"})
    -> (tensor<4096xbf16> {graph.output = "exp"}, tensor<4096xbf16> {graph.output = "log"},
        tensor<4096xbf16> {graph.output = "log1p"}, tensor<4096xbf16> {graph.output = "expm1"},
        tensor<4096xbf16> {graph.output = "sqrt"}, tensor<4096xbf16> {graph.output = "rsqrt"},
        tensor<4096xbf16> {graph.output = "sin"}, tensor<4096xbf16> {graph.output = "cos"},
        tensor<4096xbf16> {graph.output = "tan"}, tensor<4096xbf16> {graph.output = "asin"},
        tensor<4096xbf16> {graph.output = "acos"}, tensor<4096xbf16> {graph.output = "atan"},
        tensor<4096xbf16> {graph.output = "sinh"}, tensor<4096xbf16> {graph.output = "cosh"},
        tensor<4096xbf16> {graph.output = "tanh"}, tensor<4096xbf16> {graph.output = "asinh"},
        tensor<4096xbf16> {graph.output = "acosh"}, tensor<4096xbf16> {graph.output = "atanh"},
        tensor<4096xbf16> {graph.output = "erf"}, tensor<4096xbf16> {graph.output = "sigmoid"},
        tensor<4096xbf16> {graph.output = "silu"}, tensor<4096xbf16> {graph.output = "gelu_erf"},
        tensor<4096xbf16> {graph.output = "gelu_tanh"}, tensor<4096xbf16> {graph.output = "softplus"},
        tensor<4096xbf16> {graph.output = "mish"}, tensor<4096xbf16> {graph.output = "floor"},
        tensor<4096xbf16> {graph.output = "ceil"}, tensor<4096xbf16> {graph.output = "round"},
        tensor<4096xbf16> {graph.output = "sign"}, tensor<4096xbf16> {graph.output = "pow"},
        tensor<4096xbf16> {graph.output = "rem"}, tensor<4096xbf16> {graph.output = "mod"},
        tensor<4096xbf16> {graph.output = "atan2"}, tensor<4096xbf16> {graph.output = "div"},
        tensor<4096xbf16> {graph.output = "max"}) attributes {graph.program = "bf16"} {
  %0 = graph.unary exp %x : tensor<4096xbf16>
  %1 = graph.unary log %x : tensor<4096xbf16>
  %2 = graph.unary log1p %x : tensor<4096xbf16>
  %3 = graph.unary expm1 %x : tensor<4096xbf16>
  %4 = graph.unary sqrt %x : tensor<4096xbf16>
  %5 = graph.unary rsqrt %x : tensor<4096xbf16>
  %6 = graph.unary sin %x : tensor<4096xbf16>
  %7 = graph.unary cos %x : tensor<4096xbf16>
  %8 = graph.unary tan %x : tensor<4096xbf16>
  %9 = graph.unary asin %x : tensor<4096xbf16>
  %10 = graph.unary acos %x : tensor<4096xbf16>
  %11 = graph.unary atan %x : tensor<4096xbf16>
  %12 = graph.unary sinh %x : tensor<4096xbf16>
  %13 = graph.unary cosh %x : tensor<4096xbf16>
  %14 = graph.unary tanh %x : tensor<4096xbf16>
  %15 = graph.unary asinh %x : tensor<4096xbf16>
  %16 = graph.unary acosh %x : tensor<4096xbf16>
  %17 = graph.unary atanh %x : tensor<4096xbf16>
  %18 = graph.unary erf %x : tensor<4096xbf16>
  %19 = graph.unary sigmoid %x : tensor<4096xbf16>
  %20 = graph.unary silu %x : tensor<4096xbf16>
  %21 = graph.unary gelu_erf %x : tensor<4096xbf16>
  %22 = graph.unary gelu_tanh %x : tensor<4096xbf16>
  %23 = graph.unary softplus %x : tensor<4096xbf16>
  %24 = graph.unary mish %x : tensor<4096xbf16>
  %25 = graph.unary floor %x : tensor<4096xbf16>
  %26 = graph.unary ceil %x : tensor<4096xbf16>
  %27 = graph.unary round %x : tensor<4096xbf16>
  %28 = graph.unary sign %x : tensor<4096xbf16>
  %29 = graph.binary pow %x, %y : tensor<4096xbf16>
  %30 = graph.binary rem %x, %y : tensor<4096xbf16>
  %31 = graph.binary mod %x, %y : tensor<4096xbf16>
  %32 = graph.binary atan2 %x, %y : tensor<4096xbf16>
  %33 = graph.binary div %x, %y : tensor<4096xbf16>
  %34 = graph.binary max %x, %y : tensor<4096xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34
      : tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>,
        tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>,
        tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>,
        tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>,
        tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>,
        tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>,
        tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
}

