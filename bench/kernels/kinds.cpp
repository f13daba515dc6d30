// Clusters as models have them: element-wise, row-wise, column-wise, and a transpose.
#include "bench/kernels/kinds.h"

namespace sheaf::bench {

static std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// `$F`: the full type, `$R`: rows only, `$C`: columns only, `$S`: a scalar, all of `element`.
static Kind rows(std::string name, const std::string &element, int64_t rowCount,
                 const std::string &columnCount, std::string operands, std::string results,
                 std::string body) {
  std::string rows = std::to_string(rowCount);
  std::string types[][2] = {{"$F", "tensor<" + rows + "x" + columnCount + "x" + element + ">"},
                            {"$R", "tensor<" + rows + "x" + element + ">"},
                            {"$C", "tensor<" + columnCount + "x" + element + ">"},
                            {"$S", "tensor<" + element + ">"}};
  for (auto &[from, to] : types) {
    operands = replaceAll(operands, from, to);
    results = replaceAll(results, from, to);
    body = replaceAll(body, from, to);
  }
  return {name + " " + element, operands, results, body};
}

static const char *const softmax = R"(
  %m = graph.reduce max %x over [1] : $F
  %mb = graph.broadcast %m to [0] : $R -> $F
  %d = graph.binary sub %x, %mb : $F
  %e = graph.unary exp %d : $F
  %s = graph.reduce sum %e over [1] : $F
  %sb = graph.broadcast %s to [0] : $R -> $F
  %y = graph.binary div %e, %sb : $F
  graph.yield %y : $F)";

static std::string rowConstant(const std::string &name, const std::string &value) {
  return "\n  %" + name + "s = graph.constant dense<" + value + "> : $S\n  %" + name +
         " = graph.broadcast %" + name + "s to [] : $S -> $R";
}

static std::string layerNorm(const std::string &columns) {
  return rowConstant("n", columns) + rowConstant("eps", "1.0e-5") + R"(
  %x = graph.binary add %a0, %a1 : $F
  %s = graph.reduce sum %x over [1] : $F
  %mean = graph.binary div %s, %n : $R
  %mb = graph.broadcast %mean to [0] : $R -> $F
  %d = graph.binary sub %x, %mb : $F
  %q = graph.binary mul %d, %d : $F
  %v = graph.reduce sum %q over [1] : $F
  %var = graph.binary div %v, %n : $R
  %ve = graph.binary add %var, %eps : $R
  %r = graph.unary rsqrt %ve : $R
  %rb = graph.broadcast %r to [0] : $R -> $F
  %z = graph.binary mul %d, %rb : $F
  %w = graph.broadcast %a2 to [1] : $C -> $F
  %b = graph.broadcast %a3 to [1] : $C -> $F
  %zw = graph.binary mul %z, %w : $F
  %y = graph.binary add %zw, %b : $F
  graph.yield %y : $F)";
}

static std::string rmsNorm(const std::string &columns) {
  return rowConstant("n", columns) + rowConstant("eps", "1.0e-5") + R"(
  %q = graph.binary mul %a0, %a0 : $F
  %v = graph.reduce sum %q over [1] : $F
  %var = graph.binary div %v, %n : $R
  %ve = graph.binary add %var, %eps : $R
  %r = graph.unary rsqrt %ve : $R
  %rb = graph.broadcast %r to [0] : $R -> $F
  %z = graph.binary mul %a0, %rb : $F
  %w = graph.broadcast %a1 to [1] : $C -> $F
  %y = graph.binary mul %z, %w : $F
  graph.yield %y : $F)";
}

static std::string biasAnd(const std::string &kind) {
  return "\n  %b = graph.broadcast %a1 to [1] : $C -> $F\n  %x = graph.binary add %a0, %b : $F\n"
         "  %y = graph.unary " +
         kind + " %x : $F\n  graph.yield %y : $F";
}

static Kind maskedSoftmax(const std::string &element, int64_t scale) {
  std::string batch = "tensor<" + std::to_string(16 * scale);
  std::string full = batch + "x12x512x512x" + element + ">", bits = "x512x512xi1>";
  std::string mask = batch + bits, all = batch + "x12" + bits;
  std::string row = batch + "x12x512x" + element + ">", scalar = "tensor<" + element + ">";
  auto constant = [&](std::string name, std::string value) {
    return "  %" + name + "s = graph.constant dense<" + value + "> : " + scalar + "\n  %" + name +
           " = graph.broadcast %" + name + "s to [] : " + scalar + " -> " + full + "\n";
  };
  std::string body =
      "\n" + constant("c", "0.125") + constant("l", "-1.0e+30") +
      "  %k = graph.broadcast %a1 to [0, 2, 3] : " + mask + " -> " + all + "\n" +
      "  %t = graph.binary mul %a0, %c : $F\n" + "  %x = graph.select %k, %t, %l : " + all +
      ", $F" + replaceAll(replaceAll(softmax, "over [1]", "over [3]"), "to [0]", "to [0, 1, 2]");
  body = replaceAll(replaceAll(body, "$F", full), "$R", row);
  return {"masked softmax 512 " + element, full + ", " + mask, full, body};
}

static Kind adamW(int64_t scale) {
  std::string type = "tensor<" + std::to_string(scale << 24) + "xf32>";
  std::string body;
  auto constant = [&](std::string name, std::string value) {
    body += "\n  %" + name + "s = graph.constant dense<" + value + "> : tensor<f32>\n  %" + name +
            " = graph.broadcast %" + name + "s to [] : tensor<f32> -> " + type;
  };
  constant("b1", "0.9");
  constant("c1", "0.1");
  constant("b2", "0.999");
  constant("c2", "0.001");
  constant("eps", "1.0e-8");
  constant("lr", "1.0e-3");
  constant("decay", "0.99999");
  auto binary = [&](std::string name, std::string kind, std::string x, std::string y) {
    body += "\n  %" + name + " = graph.binary " + kind + " %" + x + ", %" + y + " : " + type;
  };
  binary("m0", "mul", "a2", "b1");
  binary("m1", "mul", "a1", "c1");
  binary("m", "add", "m0", "m1");
  binary("v0", "mul", "a3", "b2");
  binary("g2", "mul", "a1", "a1");
  binary("v1", "mul", "g2", "c2");
  binary("v", "add", "v0", "v1");
  body += "\n  %root = graph.unary sqrt %v : " + type;
  binary("den", "add", "root", "eps");
  binary("q", "div", "m", "den");
  binary("u", "mul", "q", "lr");
  binary("p0", "mul", "a0", "decay");
  binary("p", "sub", "p0", "u");
  body += "\n  graph.yield %p, %m, %v : " + type + ", " + type + ", " + type;
  std::string three = type + ", " + type + ", " + type;
  return {"adamw, in place f32", three + ", " + type, three, body, {}, {0, 2, 3}};
}

static Kind channelBias(int64_t scale) {
  std::string full = "tensor<" + std::to_string(64 * scale) + "x64x56x112xf32>";
  return {"channel bias + relu f32", full + ", tensor<64xf32>", full,
          "\n  %b = graph.broadcast %a1 to [1] : tensor<64xf32> -> " + full +
              "\n  %x = graph.binary add %a0, %b : " + full +
              "\n  %y = graph.unary relu %x : " + full + "\n  graph.yield %y : " + full};
}

std::vector<Kind> allKinds(int64_t scale) {
  std::string x = "\n  %x = graph.unary abs %a0 : $F";
  std::vector<Kind> kinds;
  for (const char *element : {"f32", "bf16"}) {
    bool isWide = element == std::string("f32");
    int64_t count = scale * (isWide ? 8192 : 16384);
    kinds.push_back(rows("bias + gelu_tanh 3072", element, count, "3072", "$F, $C", "$F",
                         biasAnd("gelu_tanh")));
    kinds.push_back(
        rows("bias + gelu_erf 3072", element, count, "3072", "$F, $C", "$F", biasAnd("gelu_erf")));
    kinds.push_back(
        rows("bias + silu 3072", element, count, "3072", "$F, $C", "$F", biasAnd("silu")));
    int64_t many = scale * (isWide ? 32768 : 65536);
    kinds.push_back(rows("add + layer_norm 768", element, many, "768", "$F, $F, $C, $C", "$F",
                         layerNorm("768.0")));
    kinds.push_back(rows("rms_norm 768", element, many, "768", "$F, $C", "$F", rmsNorm("768.0")));
    kinds.push_back(rows("softmax 512", element, scale * (isWide ? 49152 : 98304), "512", "$F",
                         "$F", x + softmax));
    kinds.push_back(maskedSoftmax(element, scale));
    kinds.push_back(rows("row sum 1024", element, scale * 32768, "1024", "$F", "$R",
                         "\n  %y = graph.reduce sum %a0 over [1] : $F\n  graph.yield %y : $R"));
    kinds.push_back(rows("column sum 768", element, scale * 49152, "768", "$F", "$C",
                         "\n  %y = graph.reduce sum %a0 over [0] : $F\n  graph.yield %y : $C"));
    kinds.push_back(rows(
        "softmax over dim 0", element, 512, std::to_string(scale * 49152), "$F", "$F",
        replaceAll(replaceAll(replaceAll(x + softmax, "over [1]", "over [0]"), "to [0]", "to [1]"),
                   "$R", "$C")));
    Kind transpose =
        rows("transpose 4096", element, 4096, std::to_string(scale * (isWide ? 4096 : 8192)), "$F",
             "$F", "\n  graph.yield %a0 : $F");
    transpose.strides = {1, 4096};
    kinds.push_back(transpose);
  }
  kinds.push_back(rows("softmax 50257", "f32", scale * 1024, "50257", "$F", "$F", x + softmax));
  kinds.push_back(rows("add", "f32", scale * 16384, "1024", "$F, $F", "$F",
                       "\n  %y = graph.binary add %a0, %a1 : $F\n  graph.yield %y : $F"));
  std::string wide = "tensor<" + std::to_string(scale << 24) + "xf32>";
  std::string narrow = "tensor<" + std::to_string(scale << 24) + "xbf16>";
  kinds.push_back(
      {"cast f32 to bf16", wide, narrow,
       "\n  %y = graph.cast %a0 : " + wide + " -> " + narrow + "\n  graph.yield %y : " + narrow});
  kinds.push_back(adamW(scale));
  kinds.push_back(channelBias(scale));
  return kinds;
}

} // namespace sheaf::bench
